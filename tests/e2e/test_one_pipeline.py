"""Every call of a tool is one event inside trefoil, whatever way it came in: it passes the guard, reaches
the same tool, and is recorded once."""
import json

from a2a_client import answer_of, client as a2a_client, texts
from acp_client import Acp
from harness import Serve, Stdio, case, equal, has, main, own_config, run
from upstream import FAST

CALL = {"name": "file_read", "arguments": {"path": "a.txt"}}
RPC = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": CALL}


class Place:
    """A project and the state of its user, side by side."""

    def __init__(self, folder, toml=""):
        self.root = folder / "project"
        self.root.mkdir()
        (self.root / "a.txt").write_text("the text")
        (self.root / "trefoil.toml").write_text(FAST + "[a2a]\nenabled = true\n" + toml)
        self.folder = folder
        self.env = {"XDG_STATE_HOME": str(folder / "state"), "TREFOIL_PROVIDER": "offline"}
        self.old = 0

    def records(self):
        """What was recorded since the last time."""
        path, = self.folder.rglob("audit.jsonl")
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        fresh = [line for line in lines if "tool" in line][self.old:]
        self.old += len(fresh)
        return fresh


def by_command_line(place):
    done = run("tools", "call", "file_read", json.dumps(CALL["arguments"]), root=place.root, **place.env)
    return done.stdout.decode()


def by_agent(place):
    done = run("run", "/call file_read " + json.dumps(CALL["arguments"]), root=place.root, **place.env)
    return done.stdout.decode()


def by_stdio(place):
    with Stdio(root=place.root, **place.env) as t:
        t.initialize()
        t.send(RPC)
        answer = t.receive()
        equal((answer["id"], answer["result"]["content"][0]["type"]), (7, "text"))
        return answer["result"]["content"][0]["text"]


def by_http(place):
    with Serve(root=place.root, **place.env) as server:
        answer = server.post(RPC).json()
        equal((answer["id"], answer["result"]["content"][0]["type"]), (7, "text"))
        return answer["result"]["content"][0]["text"]


def prompt_by_a2a(place, text):
    with Serve(root=place.root, **place.env) as server:
        task = a2a_client(server).work(text)
        return answer_of(task) + texts(task["status"].get("message", {}).get("parts", []))


def prompt_by_acp(place, text):
    with Acp(root=place.root, **place.env) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, text)
        return acp.text(session) + json.dumps(acp.updates(session))


def by_a2a(place):
    return prompt_by_a2a(place, "/call file_read " + json.dumps(CALL["arguments"]))


def by_acp(place):
    return prompt_by_acp(place, "/call file_read " + json.dumps(CALL["arguments"]))


WAYS = {by_command_line: "cli", by_agent: "default", by_stdio: "mcp", by_http: "mcp",
        by_a2a: "default", by_acp: "default"}
PROMPTS = (by_agent, by_a2a, by_acp)


@case
def each_way_in_reaches_the_same_tool_and_is_recorded_once(folder):
    place = Place(folder)
    for way, who in WAYS.items():
        has(way(place), "the text")
        record, = place.records()
        equal((record["who"], record["tool"], record["verdict"], record["outcome"]),
              (who, "file_read", "allow", "ok"))


@case
def each_way_in_passes_the_same_guard(folder):
    place = Place(folder, '[guard.permission]\nread = "deny"\n')
    for way, who in WAYS.items():
        said = way(place)
        equal("the text" in said, False)
        if way in PROMPTS:  # it is not even offered
            has(said, "unknown tool file_read")
            continue
        record, = place.records()
        equal((record["who"], record["tool"], record["verdict"], record["by"]),
              (who, "file_read", "deny", "permission"))


LEAVE = {"argv": ["touch", "left"], "sandbox": "off"}
COMMAND = "/call shell_exec " + json.dumps(LEAVE)


def use(place, client, tool, **arguments):
    """What a client over stdio or HTTP that cannot be asked is told."""
    with client(root=place.root, **place.env) as t:
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments}}
        if client is Serve:
            return json.dumps(t.post(message).json())
        t.initialize()
        t.send(message)
        return json.dumps(t.receive())


def output(done):
    return (done.stdout + done.stderr).decode()


SOURCES = {
    "a user at the command line": lambda p: output(run("tools", "call", "shell_exec", json.dumps(LEAVE),
                                                       root=p.root, **p.env)),
    "a prompt of a user": lambda p: output(run("run", COMMAND, root=p.root, **p.env)),
    "an agent that another one calls": lambda p: output(run(
        "run", "/call agent_send " + json.dumps({"message": COMMAND}), root=p.root, **p.env)),
    "a client over stdio": lambda p: use(p, Stdio, "shell_exec", **LEAVE),
    "a client over HTTP": lambda p: use(p, Serve, "shell_exec", **LEAVE),
    "a prompt of an editor": lambda p: prompt_by_acp(p, COMMAND),
    "a prompt of a client over stdio": lambda p: use(p, Stdio, "agent_send", message=COMMAND),
    "a prompt of a client over HTTP": lambda p: use(p, Serve, "agent_send", message=COMMAND),
}


@case
def no_source_leaves_the_sandbox_unasked(folder):
    place = Place(folder)
    place.env.update(own_config(folder, '[mcp]\nmode = "read-write"\n'))
    for source, attempt in SOURCES.items():
        said = attempt(place)
        equal((source, (place.root / "left").exists()), (source, False))
        has(said, "it asks for sandbox profile off instead of workspace")
        tried = [r for r in place.records() if r["tool"] == "shell_exec"]
        equal((source, [(r["verdict"], r["by"]) for r in tried]), (source, [("deny", "sandbox")]))
    # tasks of A2A clients only read: the tool is not even offered
    has(prompt_by_a2a(place, COMMAND), "unknown tool shell_exec")
    equal((place.root / "left").exists(), False)


main()
