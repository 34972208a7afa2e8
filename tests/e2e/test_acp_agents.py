"""Programs that speak ACP work as agents of trefoil, in every face, and obey its rules."""
import json
import os
import pathlib
import signal
import sys

from acp_fake import (FAKE, answer, define, definition, install, kinds, none_left, notices, play,
                      processes, words)
from harness import (DEADLINE, Process, case, equal, has, main, run, state_dir, user_config,
                     wait_for)
from task_client import Local, Remote, read_write

# ---- events ----------------------------------------------------------------------------------


@case
def text_and_thoughts_are_streamed(root):
    define(root)
    told, done = play(root, "hello")
    equal(done.returncode, 0)
    equal([e["text"] for e in kinds(told, "text")], ["Hello", " ", "there"])
    equal({e["message"] for e in kinds(told, "text")}, {"m1"})
    equal([e["text"] for e in kinds(told, "thought")], ["A greeting."])
    equal(told[-1], {"type": "end", "stop": "end"})
    equal(run("run", "-a", "fake", "hello", root=root).stdout, b"Hello there\n")


@case
def tool_calls_plans_and_usage_become_events(root):
    define(root)
    told, _ = play(root, "tools")
    read = [e for e in kinds(told, "tool") if e["id"] == "t1"]
    equal([e["status"] for e in read], ["pending", "running", "done"])
    equal((read[0]["kind"], read[0]["path"], read[0]["line"], read[0]["args"]),
          ("read", "/x.txt", 3, {"path": "/x.txt"}))
    equal(read[2]["text"], "what it read")
    edit = [e for e in kinds(told, "tool") if e["id"] == "t2"][0]
    equal((edit["path"], edit["old_text"], edit["new_text"]), ("/y.txt", "old\n", "new\n"))
    has(edit["text"], "/z.txt")
    equal(kinds(told, "plan")[0]["entries"],
          [{"content": "look", "priority": "high", "status": "pending"}])
    usage = kinds(told, "usage")[-1]
    equal((usage["used"], usage["size"], usage["cost_usd"]), (50, 1000, 0.25))
    equal((usage["turn"]["input"], usage["turn"]["output"]), (3, 4))


@case
def its_session_is_stored_and_logged(root):
    define(root)
    session = play(root, "tools")[0][0]["session"]
    shown = run("sessions", "show", session, "--json", root=root).stdout.decode()
    for part in ("what it read", "Done."):
        has(shown, part)


@case
def stop_reasons_have_their_meaning(root):
    define(root)
    for reason, stop, code in (("max_tokens", "length", 1), ("max_turn_requests", "requests", 1),
                               ("refusal", "refused", 5), ("cancelled", "canceled", 1),
                               ("surprise", "failed", 1)):
        told, done = play(root, f"stop {reason}")
        equal((reason, told[-1]["stop"]), (reason, stop))
        if reason not in ("max_tokens", "max_turn_requests"):
            equal((reason, done.returncode), (reason, code))
    has(told[-1]["text"], "surprise")


@case
def an_error_response_fails_the_turn_with_its_sentence(root):
    define(root)
    for code in (500, -32603, 1001):
        told, done = play(root, f"error {code}")
        equal(done.returncode, 1)
        for part in ("fake", "it went wrong", "because", str(code)):
            has(told[-1]["text"], part)


# ---- the faces -------------------------------------------------------------------------------


@case
def it_is_a_tool_over_stdio_and_http_for_two_clients_at_once(root):
    define(root)
    with Local(root=root) as local, Remote(root=root) as remote:
        for client in (local, remote):
            results = client.results([("trefoil_agent_fake", {"message": "hello"})] * 2)
            for result in results:
                equal(result.get("isError", False), False)
                equal(result["structuredContent"]["answer"], "Hello there")
                equal(result["structuredContent"]["usage"]["output"], 4)
            failed = client.result("trefoil_agent_fake", {"message": "error 7"})
            equal(failed["isError"], True)
    none_left(root)


@case
def a_session_of_a_tool_is_resumed_by_its_id(root):
    define(root)
    with Local(root=root) as client:
        first = client.result("trefoil_agent_fake", {"message": "count"})["structuredContent"]
        again = client.result("trefoil_agent_fake",
                              {"message": "count", "session_id": first["session_id"]})
        has(first["answer"], "turn 1 of")
        has(again["structuredContent"]["answer"], "turn 2 of")
    none_left(root)


@case
def a_task_is_answered_and_cancelled(root):
    with Remote(*read_write(definition(root)), root=root) as client:
        done = client.end(client.dispatch("tools", "fake"))
        equal(done["status"], "completed")
        ident = client.dispatch("wait", "fake")
        client.reaches(ident, "working")
        wait_for("the agent", lambda: processes(root))
        client.use("cancel_task", task_id=ident)
        equal(client.end(ident)["status"], "cancelled")
    none_left(root)


@case
def its_requests_are_in_the_session_log(root):
    """The log of the session has a JSON line for each update, question and request."""
    script = [["fs/read_text_file", {"path": str(root / "a.txt")}],
              ["fs/write_text_file", {"path": str(root / "b.txt"), "content": "b"}],
              ["fs/write_text_file", {"path": "/etc/x", "content": "no"}],
              ["terminal/create", {"command": "true"}]]
    (root / "a.txt").write_text("a")
    with Local(*read_write(definition(root)), root=root) as client:
        done = client.end(client.dispatch("script " + json.dumps(script), "fake"))
        equal((done["status"], done["result"]["artifacts"]), ("completed", ["b.txt"]))
        equal(client.end(client.dispatch("tools", "fake"))["status"], "completed")
        ident = client.dispatch("ask execute", "fake")
        client.reaches(ident, "input_required")
        client.use("answer_task", task_id=ident, action="decline")
        client.end(ident)
    none_left(root)
    lines = [json.loads(line)["event"] for log in (root / ".trefoil/logs").glob("*.log")
             for line in log.read_text().splitlines()]
    requests = [(e["name"], e["status"]) for e in lines if "/" in e.get("name", "")]
    equal(requests, [("fs/read_text_file", "done"), ("fs/write_text_file", "done"),
                     ("fs/write_text_file", "failed"), ("terminal/create", "done")])
    for kind in ("tool", "plan", "usage", "ask", "text", "end"):
        assert any(e["type"] == kind for e in lines), kind


class Editor(Process):
    """An editor that uses trefoil as its agent, and allows everything."""

    def __init__(self, root, **more):
        super().__init__("acp", "--agent", "fake", root=root, **more)
        self.ids = 0
        self.asked = []
        self.ask("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        self.session = self.ask("session/new",
                                {"cwd": str(root), "mcpServers": []})[0]["sessionId"]

    def leave(self):
        self.process.stdin.close()

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        """The result, and the updates before it."""
        self.ids += 1
        self.send({"id": self.ids, "method": method, "params": params})
        updates = []
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("method") == "session/update":
                updates.append(message["params"]["update"])
            elif message.get("method") == "session/request_permission":
                self.asked.append(message["params"])
                first = message["params"]["options"][0]["optionId"]
                self.send({"id": message["id"],
                           "result": {"outcome": {"outcome": "selected", "optionId": first}}})
            elif message.get("id") == self.ids:
                return message["result"], updates

    def prompt(self, text):
        result, updates = self.ask("session/prompt", {
            "sessionId": self.session, "prompt": [{"type": "text", "text": text}]})
        said = [u["content"]["text"] for u in updates
                if u["sessionUpdate"] == "agent_message_chunk"]
        return result["stopReason"], "".join(said), updates


@case
def an_editor_uses_it_through_trefoil(root):
    define(root)
    with Editor(root) as editor:
        equal(editor.prompt("hello")[:2], ("end_turn", "Hello there"))
        updates = editor.prompt("tools")[2]
        for kind in ("tool_call", "tool_call_update", "plan", "usage_update"):
            assert any(u["sessionUpdate"] == kind for u in updates), kind
        equal(editor.prompt("ask execute")[:2], ("end_turn", "outcome yes"))
        equal(editor.asked[0]["toolCall"]["toolCallId"], "q")
        has(editor.prompt("count")[1], "turn 4 of")
    none_left(root)


# ---- cancel and death ------------------------------------------------------------------------


def interrupt(root, prompt, *args):
    """Start a run, interrupt it when its tool call runs, and return its events."""
    with Process("run", "--json", "-a", "fake", prompt, *args, root=root) as p:
        p.expect = 130
        told = []
        while not kinds(told, "tool"):
            told.append(json.loads(p.process.stdout.readline()))
        p.process.send_signal(signal.SIGINT)
        p.told = True
        told += [json.loads(line) for line in p.process.stdout]
    none_left(root)
    return told


@case
def a_cancel_ends_the_turn_and_its_open_calls(root):
    define(root)
    told = interrupt(root, "wait")
    equal(kinds(told, "tool")[-1]["status"], "canceled")
    equal(told[-1]["stop"], "canceled")


@case
def an_agent_that_ignores_a_cancel_is_killed_with_its_children(root):
    define(root, config="[limits]\nacp_cancel_ms = 200\n")
    told = interrupt(root, "deaf")
    equal(told[-1]["stop"], "canceled")
    has(notices(told), "did not stop after a cancel")


@case
def an_agent_that_ignores_the_end_of_its_input_is_killed(root):
    define(root, "--bad", "stays", config="[limits]\nchild_polite_ms = 50\nchild_term_ms = 50\n")
    equal(answer(root, "hello"), "Hello there")


@case
def nothing_is_left_when_trefoil_is_killed(root):
    define(root)
    with Process("run", "--json", "-a", "fake", "deaf", root=root) as p:
        wait_for("the agent", lambda: len(processes(root)) >= 2)
        p.process.kill()
        p.expect = -9
        p.told = True
    none_left(root)


@case
def an_agent_that_dies_is_quoted_and_started_again(root):
    define(root)
    told, done = play(root, "die")
    equal(done.returncode, 1)
    for part in ("exited with code 3", "out of luck"):
        has(told[-1]["text"], part)
    has(answer(root, "count", "-c"), "turn 2")


@case
def an_agent_that_cannot_start_is_explained(root):
    define(root, "--bad", "exits")
    told, done = play(root, "hello")
    equal(done.returncode, 1)
    has(told[-1]["text"], "no licence")
    user_config(root, '[[agents]]\nname = "fake"\nprovider = "acp"\ncommand = ["/no/such/program"]\n')
    told, done = play(root, "hello")
    equal(done.returncode, 1)
    has(told[-1]["text"], "/no/such/program")
    define(root, "--bad", "version")
    has(play(root, "hello")[0][-1]["text"], "version 2")
    define(root, "--bad", "junk")
    has(play(root, "hello")[0][-1]["text"], "not ACP")


@case
def an_agent_that_never_answers_is_given_up(root):
    define(root, "--bad", "silent", config="[limits]\nacp_start_ms = 300\n")
    told, done = play(root, "hello")
    equal(done.returncode, 1)
    has(told[-1]["text"], "did not answer initialize")


@case
def junk_banners_and_unknown_messages_are_skipped(root):
    define(root, "--bad", "banner")
    equal(answer(root, "junk"), "unknown: -32601")


@case
def a_flood_of_updates_arrives_complete(root):
    define(root)
    text = answer(root, "flood 20000")
    equal(text.split(), [str(n) for n in range(20000)])


@case
def a_flood_without_end_is_stopped(root):
    define(root, config="[limits]\nacp_turn_bytes = 100000\nacp_cancel_ms = 200\n")
    told, done = play(root, "flood 100000000")
    equal((told[-1]["stop"], done.returncode), ("failed", 1))
    has(notices(told), "acp_turn_bytes")


@case
def updates_after_the_answer_are_dropped(root):
    define(root)
    told, _ = play(root, "late")
    equal(words(told), "in time")


@case
def a_prompt_that_takes_too_long_is_cancelled(root):
    define(root, config="[limits]\nturn_ms = 1500\n")
    told, done = play(root, "wait")
    equal(told[-1]["stop"], "time")
    assert done.returncode != 0


# ---- sessions --------------------------------------------------------------------------------


@case
def a_session_is_resumed_in_another_process(root):
    for flags, opened in (((), "session/load"), (("--resume",), "session/resume")):
        define(root, *flags)
        has(answer(root, "count"), "turn 1")
        told, _ = play(root, "count", "-c")
        has(words(told), "turn 2")
        assert "replayed" not in words(told), opened


@case
def an_interrupted_turn_is_resumed_after_a_kill_of_trefoil(root):
    """Before and after the first event of the agent."""
    define(root)
    for prompt in ("hang", "wait"):
        with Process("run", "--json", "-a", "fake", prompt, root=root) as p:
            wait_for("the prompt", lambda: any(
                f.read_text() == "1" for f in state_dir(root).glob("homes/*/fake-sessions/*")))
            if prompt == "wait":
                while json.loads(p.process.stdout.readline())["type"] != "tool":
                    pass
            p.process.kill()
            p.expect = -9
            p.told = True
        none_left(root)
        told, done = play(root, "count", "-c")
        equal(done.returncode, 0)
        has(words(told), "last turn was interrupted")
        has(words(told), "turn 3 of")
        for kept in state_dir(root).glob("homes/*/fake-sessions/*"):
            kept.unlink()


@case
def a_task_is_resumed_after_a_kill(root):
    with Remote(*read_write(definition(root)), root=root) as client:
        ident = client.dispatch("wait", "fake")
        client.reaches(ident, "working")
        wait_for("the prompt", lambda: any(
            f.read_text() == "1" for f in state_dir(root).glob("homes/*/fake-sessions/*")))
        client.process.kill()
        client.expect = -9
        client.told = True
    none_left(root)
    with Remote(*read_write(definition(root)), root=root) as client:
        done = client.end(ident)
        equal(done["status"], "completed")
        has(json.dumps(done), "last turn was interrupted")
    none_left(root)


@case
def a_session_that_the_agent_has_lost_begins_anew_with_a_notice(root):
    for flags in (("--bad", "forgets"), ("--no-load",)):
        define(root, *flags)
        answer(root, "count")
        told, _ = play(root, "blocks", "-c")
        before, prompt = json.loads(words(told))
        for part in ("conversation so far", "User:\ncount\n", "You:\nturn 1 of"):
            has(before["text"], part)
        equal(prompt["text"], "blocks")
        has(notices(told), "starts a new session")


@case
def prompts_of_a_conversation_use_one_process(root):
    pids = root / "pids"
    define(root, "--pid", str(pids))
    done = run("chat", "-a", "fake", root=root, stdin=b"count\ncount\n")
    equal(done.returncode, 0)
    for part in ("turn 1", "turn 2"):
        has(done.stdout.decode(), part)
    equal(len(pids.read_text().split()), 1)


@case
def an_agent_that_needs_a_login_says_how(root):
    define(root, "--needs-login")
    told, done = play(root, "hello")
    equal(done.returncode, 1)
    for part in ("not logged in", "Use a key"):
        has(told[-1]["text"], part)
    define(root, "--needs-login", "--login-late")
    has(play(root, "login")[0][-1]["text"], "not logged in")


# ---- permissions -----------------------------------------------------------------------------


@case
def its_files_and_commands_run_after_approval(root):
    """Its requests have the names of built-in tools, which the client is offered, too."""
    define(root, config='[guard.permission]\nedit = "ask"\n')
    path = str(root / "new.txt")
    equal(request(root, "fs/write_text_file", "--yes", path=path, content="fresh")["result"], {})
    equal(request(root, "fs/read_text_file", "--yes", path=path)["result"], {"content": "fresh"})
    has(request(root, "terminal/create", "--yes", command="true")["result"], "terminalId")
    equal((root / "new.txt").read_text(), "fresh")


@case
def a_question_that_nobody_can_answer_is_rejected(root):
    define(root)
    told, done = play(root, "ask execute")
    equal(done.returncode, 3)
    equal(words(told), "outcome no")
    equal(answer(root, "ask execute", "--yes"), "outcome yes")


@case
def the_guard_answers_what_it_allows_and_denies(root):
    define(root)
    equal(answer(root, f"ask read {root}/x"), "outcome yes")
    told, _ = play(root, f"ask edit {root}/x", "--mode", "read-only")
    equal(words(told), "outcome no")
    define(root, more='disallowed_tools = ["Bash"]\n')
    told, _ = play(root, "ask execute", "--yes")
    equal(words(told), "outcome no")
    define(root, config='[guard]\nallow = ["execute"]\n[guard.permission]\nexecute = "auto"\n')
    equal(answer(root, "ask execute"), "outcome yes")


@case
def a_question_reaches_the_client_of_a_task(root):
    with Local(*read_write(definition(root)), root=root) as client:
        ident = client.dispatch("ask execute", "fake")
        client.reaches(ident, "input_required")
        client.use("answer_task", task_id=ident, action="accept", content={"option": "yes"})
        has(json.dumps(client.end(ident)), "outcome yes")
        ident = client.dispatch("ask execute", "fake")
        client.reaches(ident, "input_required")
        client.use("answer_task", task_id=ident, action="decline")
        has(json.dumps(client.end(ident)), "outcome no")
        ident = client.dispatch("ask execute", "fake")
        client.reaches(ident, "input_required")
        client.use("cancel_task", task_id=ident)
        equal(client.end(ident)["status"], "cancelled")
    none_left(root)


@case
def a_form_of_the_agent_reaches_the_client(root):
    with Local(*read_write(definition(root)), root=root) as client:
        for reply, want in (({"action": "accept", "content": {"colour": "blue"}}, "blue"),
                             ({"action": "decline"}, "decline")):
            ident = client.dispatch("form", "fake")
            client.reaches(ident, "input_required")
            client.use("answer_task", task_id=ident, **reply)
            has(json.dumps(client.end(ident)), want)
    none_left(root)
    define(root)
    has(answer(root, "form"), "decline")  # no terminal
    has(answer(root, "request elicitation/create {}"), "requestedSchema is missing")


# ---- files and terminals ---------------------------------------------------------------------


def request(root, method, *args, **params):
    return json.loads(answer(root, f"request {method} {json.dumps(params)}", *args))


@case
def files_are_read_below_the_root_only(root):
    define(root)
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    path = str(root / "a.txt")
    equal(request(root, "fs/read_text_file", path=path)["result"], {"content": "one\ntwo\nthree\n"})
    equal(request(root, "fs/read_text_file", path=path, line=2, limit=1)["result"],
          {"content": "two\n"})
    equal(request(root, "fs/read_text_file", path=str(root / "b"))["error"]["code"], -32002)
    (root / "link").symlink_to("/etc/hostname")
    (root / "bytes").write_bytes(b"\xff\xfe")
    for bad in ("/etc/hostname", "a.txt", str(root / "link"), str(root / "../x"),
                str(root / "bytes"), ""):
        assert "error" in request(root, "fs/read_text_file", path=bad), bad
    assert "error" in request(root, "fs/read_text_file")


@case
def files_are_written_as_the_mode_allows(root):
    define(root)
    path = str(root / "sub/new.txt")
    equal(request(root, "fs/write_text_file", path=path, content="fresh")["result"], {})
    equal((root / "sub/new.txt").read_text(), "fresh")
    assert "error" in request(root, "fs/write_text_file", path="/etc/x", content="")
    denied = request(root, "fs/write_text_file", "--mode", "read-only", path=path, content="no")
    has(denied["error"]["message"], "read-only")
    equal((root / "sub/new.txt").read_text(), "fresh")
    equal(request(root, "fs/write_text_file", "--mode", "read-only",
                  path=str(root / ".vault/x"), content="yes")["result"], {})


def terminals(root, *steps, args=()):
    return json.loads(answer(root, "script " + json.dumps(steps), *args))


@case
def commands_run_in_terminals(root):
    define(root)
    told = terminals(
        root, ["terminal/create", {"command": "sh", "args": ["-c", "echo $X; pwd; exit 3"],
                                   "env": [{"name": "X", "value": "y"}], "cwd": str(root)}],
        ["terminal/wait_for_exit", {"terminalId": "$T"}],
        ["terminal/output", {"terminalId": "$T"}], ["terminal/release", {"terminalId": "$T"}],
        ["terminal/output", {"terminalId": "$T"}])
    ended = {"exitCode": 3, "signal": None}
    equal(told[1:], [ended, {"output": f"y\n{os.path.realpath(root)}\n", "truncated": False,
                             "exitStatus": ended}, {},
                     {"code": -32002, "message": "there is no such terminal"}])


@case
def output_is_cut_in_front_between_characters(root):
    define(root)
    command = {"command": "printf", "args": ["abc\u00e4\u00f6\u00fc"], "outputByteLimit": 5}
    told = terminals(root, ["terminal/create", command],
                     ["terminal/wait_for_exit", {"terminalId": "$T"}],
                     ["terminal/output", {"terminalId": "$T"}])
    equal((told[2]["output"], told[2]["truncated"]), ("\u00f6\u00fc", True))
    define(root, config="[limits]\nacp_terminal_bytes = 1000\n")
    told = terminals(root, ["terminal/create", {"command": "seq", "args": ["9999"]}],
                     ["terminal/wait_for_exit", {"terminalId": "$T"}],
                     ["terminal/output", {"terminalId": "$T"}])
    equal((len(told[2]["output"]), told[2]["output"][-5:]), (1000, "9999\n"))


@case
def a_terminal_is_killed_and_ends_with_the_agent(root):
    define(root)
    sleep = ["terminal/create", {"command": "sleep", "args": ["1000"]}]
    told = terminals(root, sleep, ["terminal/kill", {"terminalId": "$T"}],
                     ["terminal/wait_for_exit", {"terminalId": "$T"}])
    equal(told[2], {"exitCode": None, "signal": "SIGKILL"})
    terminals(root, sleep, sleep)


@case
def bad_requests_for_terminals_are_refused(root):
    define(root, config="[limits]\nacp_terminals = 1\n")
    sleep = ["terminal/create", {"command": "sleep", "args": ["1000"]}]
    told = terminals(root, ["terminal/create", {}], ["terminal/create", {"command": "a\0b"}],
                     ["terminal/create", {"command": "x", "cwd": "relative"}],
                     ["terminal/create", {"command": "x", "args": [1]}],
                     ["terminal/create", {"command": "x", "cwd": "/etc"}],
                     ["terminal/output", {"terminalId": "terminal-99"}],
                     ["terminal/kill", {}], sleep, sleep)
    assert all("code" in t for t in told[:-2] + told[-1:]), told
    has(told[-1]["message"], "acp_terminals")


@case
def a_read_only_agent_starts_no_command(root):
    define(root)
    denied = request(root, "terminal/create", "--mode", "read-only", command="touch", args=["x"])
    has(denied["error"]["message"], "read-only")


# ---- the sandbox -----------------------------------------------------------------------------


@case
def its_own_tools_write_the_root_only_if_it_may(root):
    define(root)
    path, outside = root / "w.txt", pathlib.Path("/usr/share/written-by-an-agent")
    has(answer(root, f"write {path}", "--mode", "read-only"), "could not write")
    assert not path.exists()
    has(answer(root, f"write {outside}"), "could not write")
    assert not outside.exists()
    equal(answer(root, f"write {path}"), "wrote it")
    equal(path.read_text(), "written\n")


@case
def without_a_sandbox_a_read_only_agent_does_not_start(root):
    define(root, config='[sandbox]\ndefault = "off"\n')
    told, done = play(root, "hello", "--mode", "read-only")
    equal(done.returncode, 1)
    has(told[-1]["text"], "sandbox")


@case
def it_has_a_home_of_its_own_for_each_session(root):
    define(root)
    homes = {json.loads(answer(root, "env HOME"))["HOME"] for _ in range(2)}
    equal(len(homes), 2)
    for home in homes:
        assert home.startswith(str(state_dir(root))), home
    again = json.loads(answer(root, "env HOME", "-c"))["HOME"]
    assert again in homes


@case
def a_home_is_deleted_with_its_session(root):
    define(root)
    session = play(root, "hello")[0][0]["session"]
    home = state_dir(root) / "homes" / session
    (home / "folder").mkdir()
    (home / "folder/link").symlink_to(root)
    equal(run("sessions", "delete", session, root=root).returncode, 0)
    assert not home.exists() and root.exists()
    play(root, "hello", "--no-save")
    equal(list((state_dir(root) / "homes").iterdir()), [])
    play(root, "hello")
    old = next((state_dir(root) / "homes").iterdir())
    os.utime(old, (1, 1))
    equal(run("gc", root=root).returncode, 0)
    assert not old.exists()


@case
def its_environment_has_no_secrets_of_ours(root):
    define(root, more='pass_env = ["PASSED"]\nenv = { GIVEN = "g" }\n')
    seen = json.loads(answer(root, "env OPENAI_API_KEY PASSED GIVEN", OPENAI_API_KEY="secret",
                             PASSED="p"))
    equal(seen, {"OPENAI_API_KEY": None, "PASSED": "p", "GIVEN": "g"})


# ---- settings of the definition --------------------------------------------------------------


FULL = '''
description = "d"
persona = "You are a fake."
model = "large"
max_turns = 7
budget = 1.5
allowed_tools = ["Read", "Bash(make:*)"]
disallowed_tools = ["Write"]
effort = "high"
output_format = "json"
fallback_model = "small"
include_dirs = ["inc"]
'''


@case
def its_settings_are_in_the_environment_under_both_names(root):
    (root / "inc").mkdir()
    define(root, more=FULL)
    names = {"ROOT_DIR": os.path.realpath(root), "AGENT_MODE": "read-write", "MODEL": "large",
             "MAX_TURNS": "7", "BUDGET_USD": "1.5", "ALLOWED_TOOLS": "Read,Bash(make:*)",
             "DISALLOWED_TOOLS": "Write", "EFFORT": "high", "OUTPUT_FORMAT": "json",
             "FALLBACK_MODEL": "small", "INCLUDE_DIRS": "inc"}
    for prefix in ("TREFOIL_", "VAULTSPEC_"):
        told, _ = play(root, "env " + " ".join(prefix + n for n in names))
        equal(json.loads(words(told)), {prefix + n: v for n, v in names.items()})
        told, _ = play(root, f"env {prefix}SYSTEM_PROMPT")
        has(words(told), "You are a fake.")


@case
def a_long_system_prompt_is_passed_in_a_file(root):
    define(root, more='persona = """' + "Be long. " * 20000 + '"""\n')
    told, _ = play(root, "blocks")
    first, second = json.loads(words(told))  # an unknown program gets it in the first prompt, too
    has(first["text"], "Be long.")
    equal(second["text"], "blocks")
    session = told[0]["session"]
    kept = state_dir(root) / "homes" / session / "system.md"
    equal(kept.read_text().count("Be long."), 20000)


@case
def model_and_effort_are_set_by_what_the_agent_offers(root):
    for flags in (("--models",), ("--options",)):
        define(root, *flags, more='model = "Large"\neffort = "high"\n')
        told, done = play(root, "echo done")
        equal((done.returncode, notices(told)), (0, ""))
    define(root, "--options", more='model = "huge"\n')
    told, _ = play(root, "echo done")
    for part in ("has no model", "huge", "small, large"):
        has(notices(told), part)


@case
def an_approval_mode_becomes_a_mode_of_the_agent(root):
    define(root, "--modes", more='approval_mode = "plan"\n')
    told, done = play(root, "echo done")
    equal((done.returncode, notices(told)), (0, ""))


@case
def a_budget_ends_the_turn(root):
    define(root, more="budget = 0.2\n")
    told, _ = play(root, "tools")
    equal(told[-1]["stop"], "budget")


# ---- definitions -----------------------------------------------------------------------------


@case
def wrong_definitions_are_explained(root):
    for text, part in (('provider = "acp"\n', "needs `command` or `preset`"),
                       ('command = ["x"]\n', "need `provider: acp`"),
                       ('provider = "acp"\ncommand = "x"\n', "list of strings"),
                       ('provider = "acp"\ncommand = []\n', "list of strings"),
                       ('provider = "acp"\ncommand = ["x"]\nenv = { A = 1 }\n', "a string"),
                       ('provider = "acp"\npreset = "nothing"\n', "claude, codex, gemini")):
        user_config(root, '[[agents]]\nname = "fake"\n' + text)
        done = run("run", "-a", "fake", "hello", root=root)
        equal((text, done.returncode), (text, 2))
        has(done.stderr.decode(), part)


@case
def a_command_of_a_project_needs_trust(root):
    command = json.dumps([sys.executable, FAKE, "--mark", str(root)])
    (root / "trefoil.toml").write_text(
        f'[[agents]]\nname = "fake"\nprovider = "acp"\ncommand = {command}\n')
    done = run("run", "-a", "fake", "hello", root=root)
    assert done.returncode != 0
    has(done.stderr.decode(), "trefoil trust")
    equal(run("run", "--trust", "-a", "fake", "hello", root=root).stdout, b"Hello there\n")


@case
def a_preset_needs_no_definition(root):
    env = {**install(root, "gemini"), **install(root, "claude-agent-acp")}
    done = run("run", "-a", "gemini", "--model", "flash", "args", root=root, **env)
    equal(json.loads(done.stdout)[2:], ["--experimental-acp", "--model", "flash"])
    done = run("run", "-a", "claude", "env ANTHROPIC_API_KEY IS_SANDBOX OPENAI_API_KEY", root=root,
               ANTHROPIC_API_KEY="k", OPENAI_API_KEY="o", **env)
    equal(json.loads(done.stdout),
          {"ANTHROPIC_API_KEY": "k", "IS_SANDBOX": "1", "OPENAI_API_KEY": None})
    unknown = run("run", "-a", "codex", "hello", root=root, PATH=f"{root}/bin:/usr/bin:/bin")
    equal(unknown.returncode, 1)
    has(unknown.stderr.decode(), "codex-acp")
    none_left(root)


@case
def claude_gets_its_options_in_meta(root):
    env = install(root, "claude-agent-acp")
    (root / "inc").mkdir()
    user_config(root, '[[agents]]\nname = "fake"\nprovider = "acp"\npreset = "claude"\n' + FULL)
    told, _ = play(root, "opened", **env)
    meta = json.loads(words(told))["_meta"]
    has(meta["systemPrompt"]["append"], "You are a fake.")
    options = meta["claudeCode"]["options"]
    equal({k: options[k] for k in ("model", "fallbackModel", "maxTurns", "maxBudgetUsd",
                                   "allowedTools", "disallowedTools")},
          {"model": "large", "fallbackModel": "small", "maxTurns": 7, "maxBudgetUsd": 1.5,
           "allowedTools": ["Read", "Bash(make:*)"], "disallowedTools": ["Write"]})


@case
def what_a_program_cannot_follow_is_warned_about(root):
    env = install(root, "gemini")
    (root / "inc").mkdir()
    user_config(root, '[[agents]]\nname = "fake"\nprovider = "acp"\npreset = "gemini"\n'
                      'approval_mode = "auto_edit"\n' + FULL)
    told, _ = play(root, "args", **env)
    equal(json.loads(words(told))[2:],
          ["--experimental-acp", "--model", "large", "--approval-mode", "auto_edit",
           "--output-format", "json", "--include-directories", "inc", "--allowed-tools", "Read",
           "--allowed-tools", "Bash(make:*)"])
    for key in ("max_turns", "budget", "disallowed_tools", "effort", "fallback_model"):
        has(notices(told), key)
    told, _ = play(root, "env GEMINI_SYSTEM_MD", **env)
    path = json.loads(words(told))["GEMINI_SYSTEM_MD"]
    has(pathlib.Path(path).read_text(), "You are a fake.")
    done = run("doctor", root=root, **env)
    has(done.stdout.decode(), "gemini (gemini fake 1.2.3)")


@case
def an_approval_mode_that_claude_cannot_follow_is_warned_about(root):
    env = install(root, "claude-agent-acp")
    user_config(root, '[[agents]]\nname = "fake"\nprovider = "acp"\npreset = "claude"\n'
                      'approval_mode = "auto_edit"\n')
    told, _ = play(root, "hello", **env)
    has(notices(told), "approval_mode")


@case
def credentials_are_lent_and_returned(root):
    """The agent gets a copy, and a renewed one comes back unless the user's has changed."""
    tools, home = root / "bin", pathlib.Path(f"{root}.state/home")  # not in the root
    tools.mkdir()
    (home / ".codex").mkdir(parents=True)
    (tools / "codex-acp").write_text(
        f'#!/bin/sh\ncat "$HOME/.codex/auth.json" >"$TREFOIL_ROOT_DIR/seen"\n'
        f'cat "$TREFOIL_ROOT_DIR/fresh" >"$HOME/.codex/auth.json"\n'
        f'exec {sys.executable} {FAKE} --mark {root} "$@"\n')
    (tools / "codex-acp").chmod(0o755)
    token = home / ".codex/auth.json"
    env = {"HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}",
           "XDG_STATE_HOME": f"{root}.state", "XDG_CONFIG_HOME": str(home / ".config")}
    for fresh, want in (('{"token":"new"}', '{"token":"new"}'), ("not JSON", '{"token":"old"}')):
        token.write_text('{"token":"old"}')
        (root / "fresh").write_text(fresh)
        done = run("run", "-a", "codex", "hello", root=root, **env)
        equal(done.stdout, b"Hello there\n")
        equal((root / "seen").read_text(), '{"token":"old"}')
        equal(token.read_text(), want)
    none_left(root)


main(4 * DEADLINE)
