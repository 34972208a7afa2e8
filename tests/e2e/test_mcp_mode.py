"""What MCP clients may do, by the way they come in, unless [mcp] mode says otherwise: on stdio and by a
Unix socket the client is proved to be the user and may write, over TCP it may look. Tools of servers
are treated like built-in ones."""
import json
import sys

from harness import ALL_TOOLS, READ_ONLY_TOOLS, Serve, Stdio, case, equal, has, main, own_config, run, wait_for
from mcp_http import BOTH, Client, begin
from upstream import SERVERS, text_of

OFFLINE = {"TREFOIL_PROVIDER": "offline"}
KEY = "a-key-that-is-long-enough"
LOOKED = "/tmp/looked"  # in the sandbox of the server, this folder is its own
SETTING = '[mcp] mode = "read-write"'

# Two tools that leave a file; one says that it only reads.
PROGRAM = """#!{python}
import pathlib, sys
sys.path.insert(0, {servers!r})
from bad_server import STRING, Ok, described, text
import bad_server

def touch(_call, args):
    pathlib.Path(args["path"]).touch()
    return text("touched")

def hinted(tools):
    listed = described(tools)
    for tool in listed:
        tool["annotations"] = {{"readOnlyHint": tool["name"] == "look"}}
    return listed

bad_server.described = hinted
server = Ok()
server.tools = {{name: ("Leaves a file.", {{"path": STRING}}, touch) for name in ("look", "change")}}
server.run()
"""


def place(folder, text="", **agents):
    """A project, and the user's configuration with a server: (root, variables)."""
    root = folder / "p"
    (root / ".trefoil/agents").mkdir(parents=True)
    for name, keys in agents.items():
        (root / f".trefoil/agents/{name}.md").write_text(f"---\ndescription: helps\n{keys}\n---\nYou help.\n")
    program = root / "server.py"
    program.write_text(PROGRAM.format(python=sys.executable, servers=str(SERVERS)))
    server = f'[[mcp.servers]]\nname = "s"\ncommand = {json.dumps([sys.executable, str(program)])}\n'
    return root, {**OFFLINE, **own_config(folder, text + server)}


def listed(answer):
    return [t["name"] for t in answer["result"]["tools"]]


class Http(Serve):
    def rpc(self, method, params=None, **headers):
        return self.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}},
                         accept=BOTH, **headers).json()

    def call(self, name, headers=None, **arguments):
        return text_of(self.rpc("tools/call", {"name": name, "arguments": arguments}, **(headers or {})))

    def wait(self, **headers):
        wait_for("the server", lambda: "mcp_s_look" in listed(self.rpc("tools/list", **headers)))
        return listed(self.rpc("tools/list", **headers))


class Near(Stdio):
    def receive(self):
        """What is no notification."""
        while True:
            message = super().receive()
            if "id" in message:
                return message


def stdio_client(t):
    t.initialize()
    wait_for("the server", lambda: "mcp_s_look" in listed(t.call("tools/list")))

    def call(name, **arguments):
        return text_of(t.call("tools/call", {"name": name, "arguments": arguments}))
    return call


def may_write(call, names, folder):
    has(call("mcp_s_change", path=str(folder / "p/changed")), "touched")
    has(call("file_write", path="written", content="x"), "Created written")
    equal([n for n in ALL_TOOLS if n not in names], [])


def may_only_look(call, names, folder):
    has(call("mcp_s_look", path=LOOKED), "touched")
    said = call("mcp_s_change", path=str(folder / "p/changed"))
    has(said, "needs approval, and no one is available")
    has(said, SETTING)
    has(call("file_write", path="written", content="x"), "Unknown tool")
    equal([n for n in names if n in ALL_TOOLS], READ_ONLY_TOOLS)
    equal((folder / "p/changed").exists(), False)


@case
def on_stdio_a_client_may_write(folder):
    root, env = place(folder)
    with Near(root=root, **env) as t:
        call = stdio_client(t)
        may_write(call, listed(t.call("tools/list")), folder)


@case
def by_the_unix_socket_a_client_may_write(folder):
    root, env = place(folder)
    with Http(root=root, listen=f"unix:{folder}/socket", **env) as t:
        may_write(t.call, t.wait(), folder)


@case
def over_tcp_a_client_may_only_look(folder):
    root, env = place(folder)
    with Http(root=root, **env) as t:
        may_only_look(t.call, t.wait(), folder)


@case
def with_a_key_it_is_tcp_as_well(folder):
    root, env = place(folder, f'[serve]\napi_key = "{KEY}"\n')
    key = {"authorization": f"Bearer {KEY}"}
    with Http(root=root, **env) as t:
        may_only_look(lambda name, **arguments: t.call(name, key, **arguments), t.wait(**key), folder)


@case
def a_daemon_serves_both_at_once(folder):
    root, env = place(folder, "[limits]\nattach_ms = 30000\n")
    (folder / "run").mkdir(mode=0o700)
    env["XDG_RUNTIME_DIR"] = str(folder / "run")
    with Http(root=root, **env) as far:
        may_only_look(far.call, far.wait(), folder)
        with Near(root=root, **env) as near:  # handed over to the daemon
            call = stdio_client(near)
            may_write(call, listed(near.call("tools/list")), folder)
            (folder / "p/changed").unlink()
            (root / "written").unlink()
            may_only_look(far.call, far.wait(), folder)


@case
def a_mode_that_is_set_holds_for_all(folder):
    root, env = place(folder, '[mcp]\nmode = "read-write"\n')
    with Http(root=root, **env) as t:
        may_write(t.call, t.wait(), folder)
    (folder / "p/changed").unlink()
    root.rename(folder / "first")
    root, env = place(folder, '[mcp]\nmode = "read-only"\n')
    with Near(root=root, **env) as t:
        call = stdio_client(t)
        may_only_look(call, listed(t.call("tools/list")), folder)


@case
def a_keyless_client_over_tcp_approves_nothing_itself(folder):
    root, env = place(folder, '[guard.permission]\nthink = "ask"\n')
    with Http(root=root, **env) as t:
        t.wait()
        client = Client(t, elicitation={})
        answer, before = client.call("mcp_s_change", path=str(folder / "p/changed")).until_answer()
        equal(before, [])  # it was not even asked
        has(text_of(answer), "no one is available")
        answer, before = client.call("plan_update", entries=[]).until_answer()
        equal(before, [])
        has(text_of(answer), "no one is available")
    equal((folder / "p/changed").exists(), False)


@case
def a_client_with_a_key_is_asked(folder):
    root, env = place(folder, f'[serve]\napi_key = "{KEY}"\n')
    key = {"authorization": f"Bearer {KEY}"}
    with Http(root=root, **env) as t:
        t.wait(**key)
        session = begin(t, capabilities={"elicitation": {}}, **key)
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
        call = {"name": "mcp_s_change", "arguments": {"path": str(folder / "p/changed")}, "_meta": meta}
        modern = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "mcp_s_change"}
        first = t.rpc("tools/call", call, **modern, **key)["result"]
        (name, asked), = first["inputRequests"].items()
        has(asked["params"]["message"], "does not declare that it only reads")
        equal((folder / "p/changed").exists(), False)
        t.rpc("tools/call", {**call, "requestState": first["requestState"],
                             "inputResponses": {name: {"action": "accept", "content": {}}}}, **modern, **key)
        equal((folder / "p/changed").exists(), True)
        equal(bool(session), True)


@case
def a_read_only_agent_has_the_tools_of_servers(folder):
    root, env = place(folder, looker="mode: read-only")
    look = "/call mcp_s_look " + json.dumps({"path": LOOKED})
    change = "/call mcp_s_change " + json.dumps({"path": str(folder / "p/changed")})
    done = run("run", "-a", "looker", look, root=root, **env)
    equal(done.returncode, 0)
    has(done.stdout, b"\ntouched\n")
    done = run("run", "-a", "looker", change, root=root, **env)
    equal(done.returncode, 3)
    has(done.stdout, b"was not approved")
    equal((folder / "p/changed").exists(), False)
    done = run("run", "--yes", "-a", "looker", change, root=root, **env)
    equal(done.returncode, 0)
    has(done.stdout, b"\ntouched\n")
    has(run("run", "--yes", "-a", "looker", '/call shell_exec {"argv":["true"]}', root=root, **env).stdout,
        b"unknown tool shell_exec")


@case
def an_agent_does_no_more_than_the_client_that_calls_it(folder):
    root, env = place(folder)
    write = '/call file_write {"path":"written","content":"x"}'
    with Http(root=root, **env) as t:
        t.wait()
        has(t.call("trefoil_agent_default", message=write), "read-only")
        has(t.call("trefoil_agent_default", message='/call web_fetch {"url":"http://127.0.0.1:1/"}'),
            "unknown tool web_fetch")
        said = t.call("trefoil_agent_default",
                      message="/call mcp_s_change " + json.dumps({"path": str(folder / "p/changed")}))
        has(said, SETTING)
    equal((root / "written").exists() or (folder / "p/changed").exists(), False)
    with Near(root=root, scope="all", **env) as t:
        call = stdio_client(t)
        has(call("trefoil_agent_default", message=write), "Created written")


@case
def explain_says_what_really_happens(folder):
    root, env = place(folder, looker="mode: read-only")
    rows = (("file_write", {"path": "a", "content": "x"}), ("file_read", {"path": "a"}), ("shell_exec", {"argv": ["true"]}),
            ("file_delete", {"path": "a"}), ("mcp_s_look", {"path": "/tmp/l"}),
            ("mcp_s_change", {"path": "/tmp/c"}))

    def explained(tool, arguments, *words):
        done = run("explain", "--json", *words, tool, json.dumps(arguments), root=root, **env)
        said = json.loads(done.stdout)
        equal(done.returncode, 3 if said["verdict"] == "deny" else 0)
        return said

    def happened(said):
        return ("deny" if "Unknown tool" in said or "denied" in said else
                "ask" if "needs approval" in said else "allow")

    with Near(root=root, **env) as t:
        call = stdio_client(t)
        for tool, arguments in rows:
            said = explained(tool, arguments)
            equal((tool, said["verdict"], said["origin"]), (tool, happened(call(tool, **arguments)), "stdio"))
    with Http(root=root, **env) as t:
        t.wait()
        for tool, arguments in rows:
            said = explained(tool, arguments, "--origin", "http")
            equal((tool, said["verdict"], said["origin"]), (tool, happened(t.call(tool, **arguments)), "loopback"))
    for tool, arguments in rows:
        said = explained(tool, arguments, "--origin", "run")
        done = run("run", f"/call {tool} {json.dumps(arguments)}", root=root, **env)
        equal((tool, said["verdict"], said["origin"]),
              (tool, "ask" if done.returncode == 3 else "allow", "run"))


main()
