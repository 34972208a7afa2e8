"""Agents and the MCP servers that they use: other agents among them, in chains and in circles, what an
allowlist denies an agent, and that no server outlives the agent that it was started for."""
import contextlib
import json
import pathlib
import signal

from harness import TREFOIL, Process, alive, case, equal, has, main, run, wait_for
from model_mock import Mock, calls, environment_for, offered, results, says
from upstream import FAST, Gateway, command, configure, program, server

OFFLINE = {"TREFOIL_PROVIDER": "offline"}
# What a trefoil that is itself a server needs of our environment.
PASSED = '["TREFOIL_PROVIDER", "XDG_STATE_HOME", "TREFOIL_STATE_DIR"]'
DEEPEST = 5


def turn(root, line, code=0):
    """What an agent answers that does this one thing."""
    done = run("run", "--trust", line, root=root, **OFFLINE)
    equal((done.returncode, done.stderr if done.returncode != code else b""), (code, b""))
    return done.stdout.decode()


def messages_in(text):
    """The messages that a result of `seen` lists, somewhere in a text."""
    return json.loads(text[text.index("[{"):text.rindex("}]") + 2])


# ---- other agents --------------------------------------------------------------------------------

def database(root):
    """A project with an agent that lets others use one of its two tools."""
    folder = root / "database"
    (folder / "agents/db").mkdir(parents=True)
    (folder / "agents/db/agent.json").write_text(
        '{"name": "database-agent", "mcp": {"expose_tools": ["sql:query"]}}')
    configure(folder, command("sql", program(folder, "sql", "query", "drop_table")))
    return folder


@case
def an_agent_uses_the_tools_of_another_and_the_other_itself(root):
    behind = str(database(root))
    front = root / "front"
    front.mkdir()
    own = ("--trust", "--root", behind)
    configure(front, command("db", TREFOIL, "mcp", "--agent", "db", *own, env=PASSED, sandbox='"off"'),
              command("team", TREFOIL, "mcp", *own, env=PASSED, sandbox='"off"'))
    has(turn(front, '/call mcp_db_sql_query {"text": "select 1"}'), "argv")
    has(turn(front, "/call mcp_db_sql_drop_table {}"), "unknown tool mcp_db_sql_drop_table")
    said = turn(front, '/call mcp_team_trefoil_agent_db {"message": "/echo hello from db"}')
    has(said, "hello from db")


def nested(count, last):
    """A message with which an agent calls the next one, so many times."""
    for _ in range(count):
        last = "/call mcp_next_trefoil_agent_default " + json.dumps({"message": last})
    return last


@contextlib.contextmanager
def circle(root):
    """Three servers, each of which is a client of the next; gives the first."""
    user = root / "user/trefoil/config.toml"
    user.parent.mkdir(parents=True)
    user.write_text('[mcp]\nmode = "read-write"\n')
    with contextlib.ExitStack() as stack:
        folders = [root / name for name in "abc"]
        gates = []
        for folder in folders:
            folder.mkdir()
            gates.append(stack.enter_context(
                Gateway(root=folder, XDG_CONFIG_HOME=str(root / "user"), **OFFLINE)))
        for n, folder in enumerate(folders):
            host, port = gates[(n + 1) % 3].address
            (folder / "trefoil.toml").write_text(
                f'{FAST}[[mcp.servers]]\nname = "next"\nurl = "http://{host}:{port}/mcp"\n'
                'allowed_tools = ["trefoil_agent_default"]\n')
            gates[n].process.send_signal(signal.SIGHUP)
        for gate in gates:
            gate.wait_ready("next")
        yield gates[0]


@case
def agents_that_call_each_other_in_a_circle_are_stopped(root):
    with circle(root) as a:
        near = a.text("trefoil_agent_default", message=nested(2, "/echo c has spoken"))
        has(near, "c has spoken")
        far = a.text("trefoil_agent_default", message=nested(3 * DEEPEST, "/echo for ever"))
        has(far, f"longer than {DEEPEST}")
        equal("for ever" in far.replace("/echo for ever", ""), False)


# ---- what an allowlist denies --------------------------------------------------------------------

@case
def an_agent_is_neither_offered_nor_served_what_an_allowlist_denies(root):
    configure(root, server("none", allowed_tools="[]"), server("some", allowed_tools='["seen"]'),
              server("all"))
    mock = Mock()
    env = environment_for(mock, "anthropic", root.with_name(root.name + ".user"))
    words = mock.play("use them all", calls(
        ("mcp_none_echo", {"text": "x"}), ("mcp_some_echo", {"text": "x"}),
        ("mcp_all_echo", {"text": "x"}), ("mcp_some_seen", {})), says("Done."))
    done = run("run", "--trust", words, root=root, **env)
    equal(done.returncode, 0)
    asked = mock.requests(words)
    names = [n for n in offered(asked[0]) if n.startswith(("mcp_none_", "mcp_some_"))]
    equal(names, ["mcp_some_seen"])
    has(offered(asked[0]), "mcp_all_echo")
    told = results(asked[-1]["messages"])
    has(told[0], "unknown tool mcp_none_echo")
    has(told[1], "unknown tool mcp_some_echo")
    has(told[2], "x")
    sent = messages_in(told[3])
    equal([m["params"]["name"] for m in sent if m["method"] == "tools/call"], ["seen"])


# ---- the end of an agent -------------------------------------------------------------------------

SERVER = """#!/bin/sh
echo $$ >> {root}/pids
exec {program}
"""


def noted(root):
    """A server that writes down its process id each time it is started."""
    path = root / "noted"
    path.write_text(SERVER.format(root=root, program=program(root, "one", "which")))
    path.chmod(0o755)
    configure(root, command("one", str(path), sandbox='"off"'))  # its pid is the machine's


def pids(root):
    path = pathlib.Path(root, "pids")
    return [int(word) for word in path.read_text().split()] if path.exists() else []


@case
def no_server_outlives_the_turn_it_was_started_for(root):
    noted(root)
    has(turn(root, "/call mcp_one_which {}"), "argv")
    turn(root, "/fail on purpose", code=1)
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        before = len(pids(root))
        process = Process("run", "--trust", "/sleep 3600", root=root, **OFFLINE)
        with process:
            wait_for("the server", lambda n=before: len(pids(root)) > n)
            process.process.send_signal(signum)
            process.expect = process.process.wait()
            equal(process.expect != 0, True)
    equal(len(pids(root)) >= 4, True)
    for pid in pids(root):
        wait_for(f"the end of {pid}", lambda p=pid: not alive(p))


@case
def a_turn_calls_no_tool_that_it_does_not_need(root):
    configure(root, server("calc"))
    sent = messages_in(turn(root, "/call mcp_calc_seen {}"))
    equal([m["params"]["name"] for m in sent if m["method"] == "tools/call"], ["seen"])


main()
