"""`trefoil acp` and clients that break the protocol, disappear, or name what does not exist."""
import json
import os
import signal

from acp_client import Acp
from harness import alive, case, equal, has, main, user_config, wait_for
from task_client import agent

# A line, and the id and code of the error that it gets.
ODD_MESSAGES = [
    (b"no JSON", None, -32700),
    (b'{"jsonrpc":"2.0","id":1,"method":"session/list"', None, -32700),
    (b'\xff\xfe{}', None, -32700),
    (b'{"jsonrpc":"2.0","id":5,"method":"session/list","params":{"a":"\xff"}}', None, -32700),
    (b"[]", None, -32600),
    (b'[{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}]', None, -32600),
    (b'{"foo":"bar"}', None, -32600),
    (b"5", None, -32600),
    (b"null", None, -32600),
    (b'{"jsonrpc":"1.0","id":3,"method":"session/list"}', 3, -32600),
    (b'{"jsonrpc":"2.0","id":4,"method":5}', 4, -32600),
    (b'{"jsonrpc":"2.0","id":6,"method":"session/list","params":5}', 6, -32602),
    (b'{"jsonrpc":"2.0","id":{},"method":"session/list"}', None, -32600),
    (b"[" * 2000, None, -32600),
]

ASKED = '/call shell_exec {"argv":["touch","made"],"sandbox":"off"}'


def works(acp):
    session = acp.new()["sessionId"]
    equal(acp.prompt(session, "/echo on"), "end_turn")


def error_after(acp, line):
    acp.send(line)
    message = acp.receive()
    return message["id"], message["error"]


@case
def odd_messages_get_an_error_and_the_connection_goes_on(root):
    with Acp(root=root) as acp:
        for line, ident, code in ODD_MESSAGES:
            got, error = error_after(acp, line)
            equal((line[:60], got, error["code"]), (line[:60], ident, code))
        works(acp)


@case
def blank_lines_and_carriage_returns_are_accepted(root):
    with Acp(root=root) as acp:
        acp.send(b"")
        acp.send(b"\r")
        acp.send(b'{"jsonrpc":"2.0","id":"a","method":"session/list","params":{}}\r')
        equal(acp.receive()["id"], "a")
        works(acp)


@case
def responses_and_notifications_that_nobody_waits_for_are_ignored(root):
    with Acp(root=root) as acp:
        acp.send({"jsonrpc": "2.0", "id": 77, "result": {}})
        acp.send({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "odd"}})
        acp.notify("unheard/of")
        acp.notify("$/progress", token=1)
        acp.notify("_vendor/thing")
        works(acp)


@case
def unknown_methods_are_answered(root):
    with Acp(root=root) as acp:
        for method in ("unheard/of", "_vendor/thing", "session/steal", "fs/read_text_file"):
            equal(acp.fails(method).code, -32601)
        works(acp)


@case
def nothing_is_served_before_initialize(root):
    with Acp(root=root, initialize=False) as acp:
        for method in ("session/new", "session/list", "authenticate", "_vendor/thing"):
            equal(acp.fails(method, cwd=str(root), mcpServers=[]).code, -32600)
        acp.notify("session/cancel", sessionId="x")
        acp.initialize()
        works(acp)


@case
def initialize_is_accepted_once(root):
    with Acp(root=root) as acp:
        equal(acp.fails("initialize", protocolVersion=1).code, -32600)
        works(acp)


@case
def initialize_needs_a_version_and_nothing_else(root):
    with Acp(root=root, initialize=False) as acp:
        equal(acp.fails("initialize").code, -32602)
        equal(acp.fails("initialize", protocolVersion="1").code, -32602)
        equal(acp.fails("initialize", protocolVersion=70000).code, -32602)
        equal(acp.call("initialize", protocolVersion=2, info={"name": "v2"},
                       capabilities={})["protocolVersion"], 1)
        works(acp)


@case
def odd_capabilities_count_as_missing(root):
    odd = {"fs": True, "terminal": "yes", "elicitation": {"form": True}, "session": []}
    with Acp(root=root, capabilities=odd) as acp:
        session = acp.new()["sessionId"]
        (root / "a.txt").write_text("disk")
        acp.prompt(session, '/call file_read {"path":"a.txt"}')
        has(acp.text(session), "disk")


@case
def a_folder_that_cannot_be_used_opens_no_session(root):
    (root / "file").write_text("")
    with Acp(root=root) as acp:
        for cwd in ("relative", "", ".", str(root / "missing"), str(root / "file"), "/nul\0here"):
            error = acp.fails("session/new", cwd=cwd, mcpServers=[])
            equal((cwd, error.code), (cwd, -32602))
        for params in ({}, {"cwd": 5}, {"cwd": None}, {"cwd": str(root), "mcpServers": {}},
                       {"cwd": str(root), "additionalDirectories": [5], "mcpServers": []}):
            equal((params, acp.fails("session/new", **params).code), (params, -32602))
        works(acp)


@case
def a_project_whose_configuration_is_wrong_is_named(root):
    bad, good = root / "bad", root / "good"
    bad.mkdir()
    good.mkdir()
    (bad / "trefoil.toml").write_text("[serve]\nprot = 1\n")
    (good / "trefoil.toml").write_text("")
    with Acp(root=good) as acp:
        error = acp.fails("session/new", cwd=str(bad), mcpServers=[])
        equal(error.code, -32602)
        has(error.message, "trefoil.toml:2")
        works(acp)
        (bad / "trefoil.toml").write_text("")  # repaired
        acp.call("session/new", cwd=str(bad), mcpServers=[])


@case
def unknown_sessions_are_named_in_the_error(root):
    with Acp(root=root) as acp:
        requests = [("session/prompt", {"prompt": []}), ("session/close", {}),
                    ("session/set_mode", {"modeId": "read-only"}),
                    ("session/set_model", {"modelId": "x"}),
                    ("session/set_config_option", {"configId": "mode", "value": "read-only"}),
                    ("session/load", {"cwd": str(root), "mcpServers": []}),
                    ("session/resume", {"cwd": str(root)}),
                    ("session/fork", {"cwd": str(root)}),
                    ("_trefoil/mcp_servers/remove", {"name": "x"})]
        for ident in ("unheard of", "", "x" * 300, "\N{SNOWMAN}"):
            for method, params in requests:
                error = acp.fails(method, sessionId=ident, **params)
                equal((method, error.code), (method, -32002))
                equal(error.data, {"sessionId": ident[:80]})


@case
def an_unknown_agent_is_named(root):
    agent(root, "helper")
    with Acp("--agent", "helpr", root=root) as acp:
        error = acp.fails("session/new", cwd=str(root), mcpServers=[])
        equal(error.code, -32602)
        has(error.message, "helper")


@case
def malformed_prompts_are_rejected(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        for prompt in ("text", None, [5], [{}], [{"type": "text"}], [{"type": "unheard of"}],
                       [{"type": "text", "text": 5}],
                       [{"type": "image", "data": "not base64", "mimeType": "image/png"}],
                       [{"type": "resource", "resource": {}}],
                       [{"type": "resource_link", "name": "x"}],
                       [{"type": "text", "text": "x"}] * 200):
            error = acp.fails("session/prompt", sessionId=session, prompt=prompt)
            equal((str(prompt)[:60], error.code), (str(prompt)[:60], -32602))
        equal(acp.prompt(session, "/echo on"), "end_turn")


@case
def a_message_that_is_too_large_is_rejected(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        error = acp.fails("session/prompt", sessionId=session,
                          prompt=[{"type": "text", "text": "x" * (11 << 20)}])
        equal(error.code, -32600)
        has(error.message, "limits.message_bytes")
        equal(acp.prompt(session, "/echo on"), "end_turn")


@case
def a_permission_that_is_never_answered_ends_with_the_time(root):
    user_config(root, "[limits]\nask_ms = 300\n")
    with Acp(root=root) as acp:
        acp.answers["session/request_permission"] = lambda params: None
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, ASKED), "end_turn")
        equal(acp.updates(session, "tool_call_update")[-1]["status"], "failed")
        assert not (root / "made").exists()
        withdrawn = [m for m in acp.messages if m.get("method") == "$/cancel_request"]
        equal(len(withdrawn), 1)


@case
def a_client_that_disappears_leaves_no_process_and_no_open_turn(root):
    """It closes both pipes in the middle of a turn, with a command running."""
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt_start(session, '/call shell_exec {"argv":["sleep","600"]}')
        acp.until(lambda m: m.get("params", {}).get("update", {}).get("status") == "in_progress")
        acp.process.stdin.close()
        acp.process.stdout.close()
        acp.process.wait(60)
        acp.expect = acp.process.returncode
        assert acp.process.returncode in (0, 1), acp.process.returncode
        acp.process.stdout = None
    with Acp(root=root) as acp:
        acp.call("session/load", sessionId=session, cwd=str(root), mcpServers=[])
        equal(acp.prompt(session, "/echo on"), "end_turn")


@case
def a_signal_ends_the_process_with_its_prompts_answered(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        prompt = acp.prompt_start(session, "/sleep 600")
        acp.until(lambda m: m.get("method") == "session/update")
        acp.process.send_signal(signal.SIGTERM)
        acp.told = True
        equal(acp.wait(prompt)["stopReason"], "cancelled")
        equal(acp.process.wait(60), 0)


@case
def killing_the_process_leaves_no_child(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        pid_file = root / "pid"
        acp.prompt_start(session, '/call shell_exec {"command":"echo $PPID > pid; sleep 600",'
                                  '"shell":true}')
        wait_for("the command", lambda: pid_file.exists() and pid_file.read_text())
        below = wait_for("the keeper", lambda: [int(p) for p in os.listdir("/proc") if p.isdigit()
                                                and parent(int(p)) == acp.pid])
        acp.expect = -signal.SIGKILL
        acp.process.kill()
        acp.told = True
        acp.process.wait()
        wait_for("the end of all processes", lambda: not [p for p in below if alive(p)])


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return int(stat.read().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


@case
def cancelling_requests_that_are_no_prompts_answers_them(root):
    with Acp(root=root) as acp:
        numbers = [acp.start("session/new", cwd=str(root), mcpServers=[]) for _ in range(5)]
        for number in numbers:
            acp.notify("$/cancel_request", requestId=number)
        for number in numbers:
            wait_for("the response", lambda n=number: n in acp.results or acp.pump(0.05) and False)
            message = acp.results.pop(number)
            assert "result" in message or message["error"]["code"] == -32800, message
        works(acp)


@case
def without_a_state_directory_sessions_work_and_the_user_is_told(root):
    state = root / "file"
    state.write_text("")
    (root / "project").mkdir()
    with Acp(root=root / "project", XDG_STATE_HOME=str(state / "below")) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "/echo on"), "end_turn")
        has(acp.text(session), "No sessions are stored")
        equal(acp.fails("session/load", sessionId=session + "x", cwd=str(root / "project"),
                        mcpServers=[]).code, -32002)


@case
def the_home_folder_is_no_project(root):
    """An editor without a project opens sessions in the home folder."""
    home = root / "home"
    home.mkdir()
    (home / "secret.txt").write_text("hidden")
    with Acp(root=root, HOME=str(home)) as acp:
        session = acp.new(cwd=home)["sessionId"]
        call = json.dumps({"path": str(home / "secret.txt")})
        acp.prompt(session, f"/call file_read {call}")
        assert "hidden" not in acp.text(session)


main()
