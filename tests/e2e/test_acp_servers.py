"""`trefoil acp`: the MCP servers that an editor names for a session."""
import json
import os
import pathlib
import sys

from acp_client import Acp, chooses
from harness import alive, case, equal, has, main, user_config, wait_for
from upstream import SERVERS, HttpServer, program, server


def stdio(name, mode="ok", **more):
    return {"name": name, "command": sys.executable,
            "args": [str(SERVERS / "bad_server.py"), mode], "env": [], **more}


def opened(acp, servers, **more):
    return acp.call("session/new", cwd=acp.root, mcpServers=servers, **more)["sessionId"]


def called(acp, session, tool, **arguments):
    """The text that a tool returns; the offline provider calls it by its name."""
    acp.forget()
    acp.prompt(session, f"/call {tool} {json.dumps(arguments)}")
    return acp.text(session)


def tools(acp, session):
    acp.forget()
    acp.prompt(session, "/tools")
    return acp.text(session)


def children(pid):
    """The processes below this one."""
    found, todo = [], [pid]
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        found.append((int(stat.parent.name), int(fields[1])))
    below = []
    while todo:
        parent = todo.pop()
        for child, its in found:
            if its == parent:
                below.append(child)
                todo.append(child)
    return below


@case
def servers_of_every_transport_are_used(root):
    with HttpServer() as url, Acp(root=root) as acp:
        # The results of one server are untrusted data, which may not reach another one unasked.
        acp.answers["session/request_permission"] = chooses("allow_once")
        session = opened(acp, [
            stdio("one"),
            {"type": "http", "name": "two", "url": f"{url}/mcp", "headers": []},
            {"type": "sse", "name": "three", "url": f"{url}/sse",
             "headers": [{"name": "X-Token", "value": "sesame"}]}])
        for name in ("one", "two", "three"):
            has(called(acp, session, f"mcp_{name}_echo", text=f"from {name}"), f"from {name}")
        has(called(acp, session, "mcp_three_headers"), "sesame")


@case
def results_of_the_servers_are_untrusted_data(root):
    """They are always offered, but that does not make them trusted."""
    asked = []
    with Acp(root=root) as acp:
        acp.answers["session/request_permission"] = chooses("reject_once", asked)
        session = opened(acp, [stdio("one"), stdio("two")])
        called(acp, session, "mcp_one_echo", text="data")
        equal(acp.updates(session, "tool_call_update")[-1]["_meta"]["trefoil"],
              {"trust": "untrusted", "from": "one:echo"})
        called(acp, session, "mcp_two_echo", text="data")
        equal(len(asked), 1)
        has(str(asked[0]["toolCall"]), "one:echo is not trusted")


@case
def prompts_are_untrusted_if_the_user_says_so(root):
    user_config(root, '[guard]\nuser_trust = "untrusted"\n')
    asked = []
    with Acp(root=root) as acp:
        acp.answers["session/request_permission"] = chooses("allow_once", asked)
        session = opened(acp, [stdio("one")])
        has(called(acp, session, "mcp_one_echo", text="data"), "data")
        equal(len(asked), 1)
        has(str(asked[0]["toolCall"]), "is not trusted")


@case
def env_and_args_reach_the_server_and_it_runs_in_the_folder_of_the_session(root):
    (root / ".git").mkdir()
    (root / "sub").mkdir()
    where = root / "where.py"
    where.write_text(
        "import os, sys\n"
        f"sys.path.insert(0, {str(SERVERS)!r})\n"
        "from bad_server import Ok, text\n"
        "server = Ok()\n"
        "server.tools = {'where': ('Says where it is.', {}, lambda c, a: text(\n"
        "    os.getcwd() + ' ' + os.environ['WORD'] + ' ' + sys.argv[1]))}\n"
        "server.run()\n")
    with Acp(root=root) as acp:
        session = acp.call("session/new", cwd=str(root / "sub"), mcpServers=[
            {"name": "place", "command": sys.executable, "args": [str(where), "first"],
             "env": [{"name": "WORD", "value": "hello"}]}])["sessionId"]
        has(called(acp, session, "mcp_place_where"), f"{root}/sub hello first")


@case
def null_lists_are_empty_ones(root):
    with Acp(root=root) as acp:
        session = opened(acp, [{"name": "x", "command": "true", "args": None, "env": None}])
        equal(acp.prompt(session, "/echo on"), "end_turn")
        acp.call("session/new", cwd=acp.root, mcpServers=None)
        acp.call("session/new", cwd=acp.root)


@case
def a_server_that_fails_is_named_and_the_session_goes_on(root):
    with Acp(root=root) as acp:
        session = opened(acp, [stdio("good"), {"name": "broken", "command": "/nonexistent/program",
                                               "args": [], "env": []}])
        acp.prompt(session, "/echo on")
        has(acp.text(session), "MCP server broken: could not be connected")
        has(acp.text(session), "on")
        has(called(acp, session, "mcp_good_echo", text="good"), "good")


@case
def a_client_with_notices_is_told_at_once(root):
    with Acp(root=root, capabilities={"session": {"notices": {}}}) as acp:
        session = opened(acp, [{"name": "broken", "command": "/nonexistent/program", "args": [],
                                "env": []}])
        acp.until(lambda m: m.get("params", {}).get("update", {}).get("sessionUpdate") == "notice")
        notice = acp.updates(session, "notice")[0]
        equal(notice["severity"], "warning")
        has(notice["title"], "broken")


@case
def a_malformed_entry_opens_no_session(root):
    with Acp(root=root) as acp:
        for bad in ({"name": "x"}, {"name": "x", "command": 5}, "text",
                    {"name": "x", "type": "http", "url": "file:///etc/passwd", "headers": []},
                    {"command": "true", "args": [], "env": []}):
            error = acp.fails("session/new", cwd=acp.root, mcpServers=[bad])
            equal(error.code, -32602)
            has(error.message, "mcpServers")
        error = acp.fails("session/new", cwd=acp.root, mcpServers=[stdio("x"), stdio("x")])
        equal(error.code, -32602)
        equal(acp.call("session/list")["sessions"], [])


@case
def a_server_of_the_session_replaces_a_configured_one(root):
    """Only in this session: others keep the configured server."""
    (root / "trefoil.toml").write_text(server("same", "modern") + server("other"))
    with Acp("--trust", root=root) as acp:
        mine = program(root / "bin", "mine", "mine")
        session = opened(acp, [{"name": "same", "command": mine, "args": [], "env": []}])
        listed = tools(acp, session)
        has(listed, "mcp_same_mine")
        assert "mcp_same_echo" not in listed
        has(listed, "mcp_other_echo")
        plain = opened(acp, [])
        listed = tools(acp, plain)
        has(listed, "mcp_same_echo")
        assert "mcp_same_mine" not in listed
        first = acp.prompt_start(session, "/echo on")
        acp.wait(first)
        acp.leave()
        has(acp.process.stderr.read().decode(), "replaces the configured server of this name")


@case
def servers_belong_to_their_session_only(root):
    with Acp(root=root) as acp:
        one, two = opened(acp, [stdio("own")]), opened(acp, [])
        has(tools(acp, one), "mcp_own_echo")
        assert "mcp_own_echo" not in tools(acp, two)


@case
def closing_the_session_ends_its_servers(root):
    with Acp(root=root) as acp:
        session = opened(acp, [stdio("own")])
        pids = children(acp.pid)
        assert pids
        acp.call("session/close", sessionId=session)
        equal(children(acp.pid), [])
        equal([p for p in pids if alive(p)], [])


@case
def leaving_ends_all_servers(root):
    with Acp(root=root) as acp:
        for _ in range(3):
            opened(acp, [stdio("own")])
        pids = children(acp.pid)
        acp.leave()
        acp.process.wait(60)
        wait_for("the end of all processes", lambda: not [p for p in pids if alive(p)])


@case
def nothing_of_a_server_is_stored(root):
    with Acp(root=root) as acp:
        session = opened(acp, [stdio("passing", env=[{"name": "K", "value": "unheard-of"}])])
        has(tools(acp, session), "mcp_passing_echo")
        acp.call("session/close", sessionId=session)
        acp.call("session/load", sessionId=session, cwd=acp.root, mcpServers=[])
        assert "mcp_passing" not in tools(acp, session)
        acp.call("session/close", sessionId=session)
        acp.call("session/resume", sessionId=session, cwd=acp.root, mcpServers=[stdio("passing")])
        has(tools(acp, session), "mcp_passing_echo")
    state = pathlib.Path(os.environ.get("TMPDIR", "/tmp"))
    for folder in (root, state / f"{root.name}.state"):
        for path in folder.rglob("*"):
            if path.is_file():
                assert b"unheard-of" not in path.read_bytes(), path


@case
def a_server_can_be_added_and_removed_during_a_session(root):
    with Acp(root=root) as acp:
        session = opened(acp, [])
        assert "mcp_late_echo" not in tools(acp, session)
        equal(acp.call("_trefoil/mcp_servers/add", sessionId=session, server=stdio("late")), {})
        has(called(acp, session, "mcp_late_echo", text="here"), "here")
        equal(acp.call("_trefoil/mcp_servers/remove", sessionId=session, name="late"), {})
        assert "mcp_late_echo" not in tools(acp, session)
        error = acp.fails("_trefoil/mcp_servers/remove", sessionId=session, name="late")
        equal(error.code, -32602)
        error = acp.fails("_trefoil/mcp_servers/add", sessionId=session, server={"name": "x"})
        equal(error.code, -32602)
        acp.call("_trefoil/mcp_servers/add", sessionId=session,
                 server={"name": "dead", "command": "/nonexistent/program", "args": [], "env": []})
        has(tools(acp, session), "MCP server dead: could not be connected")


@case
def servers_connect_at_the_same_time_and_a_silent_one_delays_only_so_long(root):
    """The silent server is left behind after limits.gather_ms."""
    silent = program(root / "bin", "silent", "late", silent_on="initialize")
    with Acp(root=root) as acp:
        session = opened(acp, [stdio("one"), stdio("two"),
                               {"name": "silent", "command": silent, "args": [], "env": []}])
        acp.prompt(session, "/echo on")
        has(acp.text(session), "still connecting")
        has(called(acp, session, "mcp_two_echo", text="works"), "works")


main()
