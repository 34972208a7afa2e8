"""One agent over MCP, ACP and A2A at the same time, and questions that pass through all of them."""
import http.client
import json
import socket

from a2a_client import Client as A2a, answer_of, message, state
from acp_client import Acp
from acp_fake import definition, none_left
from harness import DEADLINE, Serve, case, equal, has, main, user_config
from task_client import Local, agent

PLAY = '''
[[rule]]
text = "paint"
event = [
  { type = "thought", text = "hm" },
  { type = "tool", id = "t1", name = "own", kind = "read", status = "running" },
  { type = "tool", id = "t1", status = "done", text = "what it read" },
  { type = "artifact", id = "a1", name = "note", text = "a note" },
  { type = "form", text = "Which color?", options = ["red", "blue"] },
  { type = "text", text = "Painted {answer}." },
]
'''
KEY = "a-key-that-is-long-enough"
QUESTION, CHOICE, END = "Which color?", {"option": "red"}, 'Painted {"option":"red"}.'


class Unix(A2a):
    """A2A over the Unix socket of a server: its clients are the user."""

    def __init__(self, path):
        super().__init__(("localhost", 80))
        self.path = str(path)

    def send(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(*self.address, timeout=DEADLINE)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(DEADLINE)
        connection.sock.connect(self.path)
        head = {"content-type": "application/json", **headers}
        connection.request(method, path, json.dumps(body) if body is not None else None, head)
        return connection, connection.getresponse()


def painter(root):
    (root / "play.toml").write_text(PLAY)
    agent(root, "painter", "provider: script\nscript: play.toml\n")
    user_config(root, '[a2a]\nenabled = true\nmode = "read-write"\n[mcp]\nmode = "read-write"\n')


def over_mcp(client):
    """The agent as a tool: its question comes back as a task that asks."""
    ident = client.dispatch("paint", "painter")
    client.reaches(ident, "input_required")
    has(json.dumps(client.status(ident)), QUESTION)
    return ident


def end_over_mcp(client, ident):
    client.use("answer_task", task_id=ident, action="accept", content=CHOICE)
    done = client.end(ident)
    equal(done["status"], "completed")
    return done


def artifacts_of(thing):
    """Every text in a result, wherever its protocol has it."""
    return json.dumps(thing)


# ---- one agent ----------------------------------------------------------------------------------

@case
def one_agent_file_serves_three_protocols_at_once(root):
    painter(root)
    asked = []

    def choose(params):
        asked.append(params["message"])
        return {"action": "accept", "content": CHOICE}

    with Serve(root=root, listen=f"unix:{root}/socket") as server, \
            Local(root=root) as mcp, \
            Acp("--agent", "painter", root=root, capabilities={"elicitation": {"form": {}}}) as acp:
        server.told = True
        a2a = Unix(root / "socket")
        acp.answers["elicitation/create"] = choose
        # All three have begun before one of them is answered.
        ident = over_mcp(mcp)
        task = a2a.work("paint", metadata={"agent": "painter"})
        equal(state(task), "input-required")
        has(artifacts_of(task["status"]), QUESTION)
        session = acp.new()["sessionId"]
        number = acp.prompt_start(session, "paint")
        # The same text, question, artifact and end everywhere.
        equal(acp.wait(number)["stopReason"], "end_turn")
        equal(asked, [QUESTION])
        has(acp.text(session), END)
        has(artifacts_of(acp.updates(session)), "a note")
        done = end_over_mcp(mcp, ident)
        equal(done["result"]["response"], END)
        has(artifacts_of(done), "a note")
        task = a2a.result("SendMessage", {"message": message("red", taskId=task["id"])})["task"]
        equal(state(task), "completed")
        has(answer_of(task), END)
        has(artifacts_of(task["artifacts"]), "a note")


@case
def one_task_is_seen_over_three_protocols(root):
    """A task that an MCP client dispatches belongs to the user, whose other clients see it."""
    painter(root)
    with Serve(root=root, listen=f"unix:{root}/socket") as server, Local(root=root) as mcp, \
            Acp(root=root, TREFOIL_PROVIDER="offline") as acp:
        server.told = True
        a2a = Unix(root / "socket")
        ident = over_mcp(mcp)
        seen = a2a.get({"id": ident})
        equal(state(seen), "input-required")
        has(artifacts_of(seen["status"]), QUESTION)
        session = acp.new()["sessionId"]
        look = f'/call get_task_status {{"task_id":"{ident}"}}'
        equal(acp.prompt(session, look), "end_turn")
        has(acp.text(session), "input_required")
        # Answered over A2A, it ends for all of them.
        equal(state(a2a.result("SendMessage", {"message": message("red", taskId=ident)})["task"]),
              "completed")
        equal(mcp.end(ident)["result"]["response"], END)
        acp.forget()
        equal(acp.prompt(session, look), "end_turn")
        has(json.loads(acp.text(session))["result"]["response"], END)


# ---- chains -------------------------------------------------------------------------------------

@case
def an_editor_uses_a_program_that_speaks_acp(root):
    """Editor -> trefoil -> another ACP agent: words, tool calls and permissions pass through."""
    user_config(root, definition(root))
    with Acp("--agent", "fake", root=root) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "tools"), "end_turn")
        equal(acp.text(session), "Done.")
        titles = [u.get("title") for u in acp.updates(session, "tool_call")]
        equal([t for t in titles if t in ("Read x.txt", "Edit y.txt")], ["Read x.txt", "Edit y.txt"])
    none_left(root)


@case
def a_question_of_a_remote_agents_program_reaches_the_mcp_client(root):
    """MCP client -> trefoil -> A2A -> another trefoil -> ACP program, and back."""
    far, here = root / "far", root / "here"
    far.mkdir()
    here.mkdir()
    user_config(far, '[a2a]\nenabled = true\nmode = "read-write"\nagent = "fake"\n'
                     f'[serve]\napi_key = "{KEY}"\n{definition(far)}')
    with Serve(root=far) as server:
        server.told = True
        user_config(here, '[mcp]\nmode = "read-write"\n[[agents]]\nname = "remote"\n'
                          'provider = "a2a"\ndescription = "An agent elsewhere"\n'
                          f'url = "http://127.0.0.1:{server.address[1]}/a2a/fake"\n'
                          'auth = { type = "bearer", token = "env:FAR_KEY" }\n')
        with Local(root=here, FAR_KEY=KEY) as mcp:
            ident = mcp.dispatch("ask execute", "remote")
            mcp.reaches(ident, "input_required")
            has(json.dumps(mcp.status(ident)), "Yes")
            mcp.use("answer_task", task_id=ident, action="accept", content={"answer": "yes"})
            has(json.dumps(mcp.end(ident)), "outcome yes")
    none_left(far)


main()
