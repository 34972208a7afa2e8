"""Questions of tasks, answered from elsewhere: trefoil approvals, /api/approvals, answer_task, tasks watch."""
import json
import os
import pty
import signal
import sqlite3
import subprocess

from harness import (DEADLINE, TREFOIL, Serve, case, database, environment, equal, has, main, run,
                     wait_for)
from upstream import Gateway, StdioGateway, server

FAILED, USAGE, DENIED = 1, 2, 3
OFFLINE = {"TREFOIL_PROVIDER": "offline"}
ASKING = '[guard.permission]\nread = "ask"\n'
FAST = "[limits]\ntask_look_ms = 20\ntask_poll_ms = 20\n"


def configure(root, more=""):
    (root / "trefoil.toml").write_text(FAST + more)
    (root / "a").write_text("x\n")


def serve(root):
    """On a Unix socket: a client over TCP without a key approves nothing."""
    return Serve(root=root, listen=f"unix:{root}/socket", **OFFLINE)


def post(server, path, body):
    return server.request("POST", path, json.dumps(body).encode(), content_type="application/json")


def dispatch(server, text):
    made = post(server, "/api/tasks", {"task": text})
    equal(made.status, 201)
    return made.json()["id"]


def approvals(root, *words):
    return run("approvals", *words, root=root)


def is_open(root):
    return json.loads(approvals(root, "--json").stdout)


def asked(root, n=1):
    """What is open, once there is as much."""
    wait_for("questions", lambda: len(is_open(root)) == n)
    return is_open(root)


def task(root, ident):
    return json.loads(run("tasks", "show", ident, "--json", root=root).stdout)


def ended(root, ident, state="completed"):
    wait_for("its end", lambda: task(root, ident).get("ended"))
    equal(task(root, ident)["state"], state)
    return task(root, ident)["result"]["response"]


def events(root, ident, kind):
    lines = run("tasks", "events", ident, root=root).stdout.splitlines()
    return [e["body"] for e in map(json.loads, lines) if e["kind"] == kind]


def start(root, *words, **more):
    return subprocess.Popen([TREFOIL, *words, "--root", str(root)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment(**OFFLINE), **more)


def end(process):
    out, err = process.communicate(timeout=DEADLINE)
    if b"Sanitizer" in err or b"runtime error" in err:
        raise AssertionError(err)
    return process.returncode, out, err


def complaint(response, status):
    equal(response.status, status)
    return response.json()["error"]["message"]


# ---- a daemon, and a shell ----------------------------------------------------------------------

@case
def a_fresh_folder_has_none(root):
    equal((approvals(root).stdout, approvals(root).stderr), (b"", b""))
    equal(is_open(root), [])
    missing = approvals(root, "allow", "x")
    equal(missing.returncode, FAILED)
    has(missing.stderr, b"are stored")
    equal(list(root.iterdir()), [])


@case
def what_a_daemon_asks_is_allowed_from_a_shell_once(root):
    configure(root, ASKING)
    with serve(root) as server:
        ident = dispatch(server, "/read a")
        [ask] = asked(root)
        equal((ask["task"], ask["agent"], ask["kind"], ask["tool"], ask["arguments"], ask["open"]),
              (ident, "default", "permission", "file_read", {"path": "a"}, True))
        has(ask["message"], "permission for tools of kind read is ask in [guard]")
        equal(task(root, ident)["state"], "input_required")
        line = approvals(root).stdout.decode()
        for part in (ident[-8:], ask["key"], "waits ", 'file_read {"path":"a"}', *ask["message"].split("\n")):
            has(line, part)
        has(approvals(root, "show", ident[:30]).stdout.decode(), ask["message"] + "\n")
        wrong = approvals(root, "allow", ident, "ask_9")
        equal(wrong.returncode, FAILED)
        has(wrong.stderr, b"no open question ask_9")
        done = approvals(root, "allow", ident[:30], ask["key"])
        equal(done.returncode, 0)
        has(done.stdout, b"allowed ask_1 of task " + ident.encode())
        equal(ended(root, ident), "x\n")
        again = approvals(root, "allow", ident, ask["key"])
        equal(again.returncode, FAILED)
        equal(is_open(root), [])
    equal(events(root, ident, "answered"), [{"key": "ask_1", "by": f"user:{os.getuid()}"}])


@case
def who_is_denied_is_told_why(root):
    configure(root, ASKING)
    with serve(root) as server:
        ident = dispatch(server, "/read a")
        asked(root)
        equal(approvals(root, "deny", ident, "--reason", "not today").returncode, 0)
        has(ended(root, ident), "file_read was not approved: the user declined: not today")


@case
def what_is_allowed_always_is_not_asked_again(root):
    configure(root, ASKING)
    with serve(root) as server:
        ident = dispatch(server, "/read a")
        asked(root)
        equal(approvals(root, "allow", ident, "--always", "--json").returncode, 0)
        ended(root, ident)


@case
def of_many_answers_at_once_one_counts(root):
    configure(root, ASKING)
    with serve(root) as server:
        ident = dispatch(server, "/read a")
        asked(root)
        several = [start(root, "approvals", "allow" if i % 2 else "deny", ident) for i in range(6)]
        ends = [end(p) for p in several]
        equal(sorted(code for code, _, _ in ends), [0] + [FAILED] * 5)
        said = ended(root, ident)
        allowed = next(i for i, (code, _, _) in enumerate(ends) if code == 0) % 2
        equal(said, "x\n" if allowed else said)
        has(said, "x\n" if allowed else "not approved")
    equal(len(events(root, ident, "answered")), 1)


@case
def questions_of_several_tasks_are_told_apart(root):
    configure(root, ASKING)
    with serve(root) as server:
        ids = [dispatch(server, "/read a") for _ in range(3)]
        equal({a["task"] for a in asked(root, 3)}, set(ids))
        same = os.path.commonprefix(ids)
        has(approvals(root, "allow", same).stderr, b"several task IDs begin with")
        equal(approvals(root, "allow", ids[1]).returncode, 0)
        equal(ended(root, ids[1]), "x\n")
        equal({a["task"] for a in is_open(root)}, {ids[0], ids[2]})


@case
def a_form_is_answered_by_its_values(root):
    configure(root)
    with serve(root) as server:
        ident = dispatch(server, "/ask Which colour?")
        [ask] = asked(root)
        equal((ask["kind"], ask["message"], list(ask["schema"]["properties"])),
              ("form", "Which colour?", ["answer"]))
        for words, part in ((["allow", ident], b"the question asks for values"),
                            (["answer", ident], b"expected JSON or name=value"),
                            (["answer", ident, "shoe=red"], b"the question has no field shoe"),
                            (["answer", ident, "{"], b""), (["answer", ident, "{}"], b"missing the required field answer"),
                            (["answer", ident, "a=b", "--always"], b"--always is not accepted here"),
                            (["allow", ident, "--reason", "x"], b"--reason is not accepted here"),
                            (["dance", ident], b"available commands: list"), (["allow"], b"missing ID")):
            refused = approvals(root, *words)
            equal((words, refused.returncode), (words, USAGE))
            has(refused.stderr, part)
        equal(approvals(root, "answer", ident, "answer=red").returncode, 0)
        equal(ended(root, ident), "red")
        ident = dispatch(server, "/ask Which colour?")
        [ask] = asked(root)
        equal(approvals(root, "answer", ident, ask["key"], '{"answer":"blue"}').returncode, 0)
        equal(ended(root, ident), "blue")
        ident = dispatch(server, "/ask Which colour?")
        asked(root)
        equal(approvals(root, "deny", ident).returncode, 0)
        has(ended(root, ident), "declined")
        none = approvals(root, "show", ident)
        equal((none.returncode, none.stdout), (FAILED, b""))
        has(none.stderr, f"task {ident} has no open question; its state is completed".encode())


@case
def a_question_of_a_sub_agent_shows_what_that_would_run(root):
    configure(root, ASKING)
    with serve(root) as server:
        ident = dispatch(server, '/call agent_send {"message":"/read a"}')
        [ask] = asked(root)
        equal((ask["task"], ask["tool"], ask["arguments"]), (ident, "file_read", {"path": "a"}))
        equal(approvals(root, "allow", ident).returncode, 0)
        has(ended(root, ident), "x")


@case
def secrets_are_not_shown(root):
    configure(root, ASKING)
    with serve(root) as server:
        long = "y" * 5000
        ident = dispatch(server, "/call file_read " + json.dumps(
            {"path": "a", "api_key": "hunter2", "in": [{"password": "hunter2"}], "long": long}))
        [ask] = asked(root)
        equal(ask["arguments"]["api_key"], "***")
        equal(ask["arguments"]["in"], [{"password": "***"}])
        has(ask["arguments"]["long"], "bytes more")
        equal(ask["cut"], True)  # of the list alone
        for text in (approvals(root).stdout, approvals(root, "show", ident).stdout,
                     approvals(root, "--json").stdout, server.request("GET", "/api/approvals").body,
                     json.dumps(task(root, ident)["asks"]).encode()):
            has(text, b"***")
            if b"hunter2" in text:
                raise AssertionError(text)


LATER = "x" * 20000 + "and what comes behind it"


@case
def what_stands_behind_a_long_text_is_shown_to_who_decides(root):
    configure(root, ASKING)
    with serve(root) as server:
        deep = [LATER]
        for _ in range(20):
            deep = [deep]
        ident = dispatch(server, "/call file_read " + json.dumps(
            {"path": "a", "pad": LATER, "many": list(range(300)), "deep": deep}))
        [ask] = asked(root)
        if LATER in json.dumps(ask) or "cut" not in ask:
            raise AssertionError(ask)
        [whole] = json.loads(approvals(root, "show", ident, "--json").stdout)
        equal((whole["arguments"]["pad"], whole["arguments"]["deep"], len(whole["arguments"]["many"]),
               "cut" in whole), (LATER, deep, 300, False))
        equal(approvals(root, "show", ident).stdout.count(LATER.encode()), 2)
        equal(task(root, ident)["asks"][ask["key"]]["args"], whole["arguments"])
        terminal = Terminal(root, "tasks", "watch", ident)
        terminal.until(b"Allow it?")
        has(terminal.seen.replace(b"\r\n", b""), LATER.encode())
        terminal.type(b"n\n")
        equal(terminal.end(), 0)


@case
def what_cannot_be_shown_is_not_agreed_to_from_elsewhere(root):
    configure(root, ASKING)
    call = "/call file_read " + json.dumps({"path": "a", "pad": "x" * 70000})
    with serve(root) as server:
        ident = dispatch(server, call)
        [ask] = asked(root)
        equal(ask["cut"], True)
        has(approvals(root, "show", ident).stdout, b"too long to show")
        refused = approvals(root, "allow", ident)
        equal(refused.returncode, USAGE)
        has(refused.stderr, b"the arguments of the call are too long to show; deny the call, or allow it at the terminal where the task runs")
        accept = {"answer": {"action": "accept"}}
        has(complaint(post(server, f"/api/tasks/{ident}/answer", accept), 400), "too long to show")
        terminal = Terminal(root, "tasks", "watch", ident)
        terminal.until(b"Allow it?")
        terminal.type(b"y\n")
        terminal.until(b"too long to show; deny the call")
        terminal.seen = terminal.seen.rpartition(b"too long to show; deny the call")[2]
        terminal.until(b"Allow it?")
        terminal.type(b"n\n")
        equal(terminal.end(), 0)
        has(ended(root, ident), "not approved")
    done = run("agents", "dispatch", "default", call, "--yes", root=root, **OFFLINE)
    equal((done.returncode, b"not approved" in done.stdout), (0, False))  # where it runs


# ---- a dispatch in one process, answers in another ---------------------------------------------

@case
def a_dispatch_waits_for_an_answer_from_elsewhere(root):
    configure(root, ASKING)
    process = start(root, "agents", "dispatch", "default", "/read a", "--ask")
    [ask] = asked(root)
    equal(approvals(root, "allow", ask["task"]).returncode, 0)
    code, out, err = end(process)
    equal((code, out), (0, b"x\n"))
    has(err, b"the task waits for an answer: trefoil approvals allow|deny|answer " + ask["task"].encode())
    process = start(root, "agents", "dispatch", "default", "/read a", "--ask")
    [ask] = asked(root)
    equal(approvals(root, "deny", ask["task"]).returncode, 0)
    code, out, _ = end(process)
    equal(code, 0)  # a person has decided, and the agent has answered
    has(out, b"not approved")


@case
def what_nobody_answers_in_time_is_denied(root):
    configure(root, "task_ask_ms = 100\n" + ASKING)
    code, out, _ = end(start(root, "agents", "dispatch", "default", "/read a", "--ask"))
    equal(code, DENIED)
    has(out, b"no answer within 0 s (limits.task_ask_ms)")
    equal(is_open(root), [])


# ---- kill -9 -----------------------------------------------------------------------------------

@case
def what_a_killed_daemon_asked_cannot_be_answered_and_is_never_run(root):
    configure(root)
    own = root / "own.toml"  # a project cannot let clients write
    own.write_text('[mcp]\nmode = "read-write"\n[guard.permission]\nedit = "ask"\n')
    with Serve("--config", str(own), root=root, **OFFLINE) as server:
        server.expect = -signal.SIGKILL
        ident = dispatch(server, '/call file_write {"path":"b","content":"x"}')
        [ask] = asked(root)
        server.process.kill()
        server.process.wait(DEADLINE)
    [left] = is_open(root)
    equal(left["open"], False)
    has(approvals(root).stdout, b"the task is not running")
    late = approvals(root, "allow", ident)
    equal(late.returncode, FAILED)
    has(late.stderr, b"the process that worked on the task")
    with Serve("--config", str(own), root=root, **OFFLINE):
        has(ended(root, ident), "interrupted")
        late = approvals(root, "allow", ident, ask["key"])
        equal(late.returncode, FAILED)
    equal((root / "b").exists(), False)


def stored(root):
    db = sqlite3.connect(database(root), timeout=DEADLINE)
    try:
        return db.execute("SELECT count(*) FROM task_answers").fetchone()[0]
    finally:
        db.close()


@case
def an_answer_that_a_killed_daemon_did_not_take_is_reported(root):
    configure(root, ASKING)
    slow = root / "slow.toml"
    slow.write_text("[limits]\ntask_look_ms = 600000\n" + ASKING)
    with Serve("--config", str(slow), root=root, **OFFLINE) as server:
        server.expect = -signal.SIGKILL
        ident = dispatch(server, "/read a")
        asked(root)
        shell = start(root, "approvals", "allow", ident)
        wait_for("the answer to be stored", lambda: stored(root))
        has(approvals(root, "deny", ident).stderr, b"answered already")
        equal(shell.poll(), None)
        has(shell.stderr.readline(), b"stored; waiting for the task to receive it")
        server.process.kill()
        server.process.wait(DEADLINE)
        code, _, err = end(shell)
        equal(code, FAILED)
        has(err, b"before it received the answer")
    with serve(root):
        has(ended(root, ident), "interrupted")


# ---- HTTP and MCP ------------------------------------------------------------------------------

@case
def over_http_questions_are_listed_and_answered(root):
    configure(root, ASKING)
    with serve(root) as server:
        ident = dispatch(server, "/read a")
        asked(root)
        [ask] = server.request("GET", "/api/approvals").json()["approvals"]
        equal((ask["task"], ask["key"]), (ident, "ask_1"))
        path = f"/api/tasks/{ident}/answer"
        for body, part in (({}, "answer"), ({"answer": "yes"}, "answer"), ({"answer": {}}, "action"),
                           ({"answer": {"action": "dance"}}, "action"), ({"answer": {}, "shoe": 1}, "shoe"),
                           ({"answer": {"action": "accept", "content": 1}}, "content")):
            has(complaint(post(server, path, body), 400), part)
        accept = {"answer": {"action": "accept"}}
        equal(server.request("POST", path, b"{}", content_type="text/plain").status, 415)
        complaint(post(server, "/api/tasks/nobody/answer", accept), 404)
        complaint(post(server, path, {"key": "ask_7", **accept}), 409)
        done = post(server, path, {"key": "ask_1", **accept})
        equal((done.status, done.json()["id"]), (200, ident))
        equal(ended(root, ident), "x\n")
        complaint(post(server, path, {"key": "ask_1", **accept}), 409)
        equal(server.request("GET", "/api/approvals").json(), {"approvals": []})
        complaint(server.request("GET", "/api/approvals?cursor=x"), 400)


def answer(gate, ask, action):
    """By the tool of MCP clients; what it says."""
    done = gate.ask("tools/call", {"name": "answer_task",
                                   "arguments": {"task_id": ask["task"], "action": action}})
    return done["result"]["content"][0]["text"]


@case
def clients_do_not_agree_to_what_was_begun_at_the_command_line(root):
    configure(root, ASKING)
    with serve(root) as server:
        one = start(root, "agents", "dispatch", "--ask", "default", "/read a")
        [ask] = asked(root)
        path = f"/api/tasks/{ask['task']}/answer"
        with StdioGateway(root=root, scope="all", **OFFLINE) as gate:
            gate.initialize()
            has(answer(gate, ask, "accept"), "command line")
            answer(gate, ask, "decline")
        end(one)


@case
def mcp_clients_answer_and_agents_do_not(root):
    configure(root, '[guard.permission]\nsearch = "ask"\n')
    with Gateway(root=root, listen=f"unix:{root}/socket", **OFFLINE) as gate:
        ident = dispatch(gate, "/grep x a")
        asked(root)
        status = json.loads(gate.text("get_task_status", task_id=ident))
        equal((status["status"], list(status["asks"])), ("input_required", ["ask_1"]))
        wrong = gate.call("answer_task", task_id=ident, key="ask_7", action="accept")["result"]
        equal(wrong["isError"], True)
        has(wrong["content"][0]["text"], "ask_7")
        has(gate.text("answer_task", task_id="nobody", action="accept"), "there is no task nobody")
        equal(json.loads(gate.text("answer_task", task_id=ident, action="accept"))["taskId"], ident)
        has(ended(root, ident), "a:1")
        listed = ended(root, dispatch(gate, "/tools"))
        has(listed, "get_task_status")
        if "answer_task" in listed:
            raise AssertionError(listed)


@case
def the_result_of_a_task_hands_on_what_it_is_made_of(root):
    (root / "trefoil.toml").write_text(FAST + server("calc"))

    def work(text):
        done = run("--trust", "agents", "dispatch", "default", text, "--json", "--yes", root=root, **OFFLINE)
        ident = json.loads(done.stdout.splitlines()[0])["task"]
        return ident, ended(root, ident)

    ident, _ = work('/call mcp_calc_echo {"text":"hello"}')
    equal(task(root, ident)["result"]["trust"], {"level": "untrusted", "from": ["calc:echo"]})
    parent, said = work("/call task_get " + json.dumps({"task_id": ident}))
    has(said, "[untrusted data from calc:echo")
    equal([t["trust"] for t in events(root, parent, "tool") if t["status"] == "done"], ["untrusted"])
    equal(task(root, parent)["result"]["trust"]["level"], "untrusted")
    plain, _ = work("/echo hello")
    equal(task(root, plain)["result"]["trust"], {"level": "trusted", "from": []})
    _, said = work("/call task_get " + json.dumps({"task_id": plain}))
    if "not trusted" in said:
        raise AssertionError(said)


# ---- terminals ---------------------------------------------------------------------------------

class Terminal:
    """A verb on a terminal of its own."""

    def __init__(self, root, *words):
        self.parent, child = pty.openpty()
        self.process = subprocess.Popen([TREFOIL, *words, "--root", str(root)], stdin=child, stdout=child,
                                        stderr=child, env=environment(TERM="dumb", **OFFLINE))
        os.close(child)
        self.seen = b""

    def until(self, part):
        while part not in self.seen:
            self.seen += os.read(self.parent, 4096)

    def type(self, text):
        os.write(self.parent, text)

    def end(self):
        try:
            while piece := os.read(self.parent, 4096):
                self.seen += piece
        except OSError:
            pass
        os.close(self.parent)
        return self.process.wait(DEADLINE)


@case
def who_watches_at_a_terminal_is_asked(root):
    configure(root, ASKING)
    with serve(root) as server:
        for typed, said in ((b"y\n", "x\n"), (b"n\n", "Failed: file_read was not approved")):
            ident = dispatch(server, "/read a")
            terminal = Terminal(root, "tasks", "watch", ident)
            terminal.until(b"Allow it?")
            has(terminal.seen, b"path: a")
            terminal.type(typed)
            equal(terminal.end(), 0)
            has(ended(root, ident), said)


@case
def a_question_at_a_terminal_is_taken_back_when_somebody_else_answers(root):
    configure(root, ASKING)
    with serve(root) as server:
        ident = dispatch(server, "/read a")
        terminal = Terminal(root, "tasks", "watch", ident)
        terminal.until(b"Allow it?")
        equal(approvals(root, "allow", ident).returncode, 0)
        equal(terminal.end(), 0)
        ident = dispatch(server, "/read a")
        terminal = Terminal(root, "tasks", "watch", ident)
        terminal.until(b"Allow it?")
        terminal.process.send_signal(signal.SIGINT)
        equal(terminal.end(), 130)
        equal([a["task"] for a in is_open(root)], [ident])  # to stop watching answers nothing


@case
def a_terminal_that_is_lost_answers_nothing(root):
    configure(root, ASKING)
    with serve(root) as server:
        ident = dispatch(server, "/read a")
        keys, stdin = pty.openpty()
        screen, stderr = pty.openpty()
        watcher = subprocess.Popen([TREFOIL, "tasks", "watch", ident, "--root", str(root)], stdin=stdin,
                                   stdout=subprocess.PIPE, stderr=stderr,
                                   env=environment(TERM="dumb", **OFFLINE), start_new_session=True)
        os.close(stdin)
        os.close(stderr)
        seen = b""
        while b"Allow it?" not in seen:
            seen += os.read(screen, 4096)
        os.close(keys)
        while b"the terminal was closed; the questions of the task stay open" not in seen:
            seen += os.read(screen, 4096)
        equal([a["task"] for a in is_open(root)], [ident])
        equal(approvals(root, "allow", ident).returncode, 0)
        equal((watcher.communicate(timeout=DEADLINE)[0], watcher.returncode), (b"x\n", 0))
        os.close(screen)
        equal([e["by"] for e in events(root, ident, "answered")], [f"user:{os.getuid()}"])


@case
def without_a_terminal_a_question_is_only_told(root):
    configure(root, ASKING)
    with serve(root) as server:
        ident = dispatch(server, "/read a")
        asked(root)
        watcher = start(root, "tasks", "watch", ident, stdin=subprocess.DEVNULL)
        told = wait_for("the question", watcher.stderr.readline)
        while b"Allow default to run file_read?" not in told:
            told = wait_for("the question", watcher.stderr.readline)
        equal(approvals(root, "allow", ident).returncode, 0)
        equal(end(watcher)[:2], (0, b"x\n"))


@case
def who_dispatches_at_a_terminal_is_asked_there(root):
    configure(root, ASKING)
    terminal = Terminal(root, "agents", "dispatch", "default", "/read a")
    terminal.until(b"Allow it?")
    terminal.type(b"y\n")
    equal(terminal.end(), 0)
    has(terminal.seen, b"x\r\n")
    terminal = Terminal(root, "agents", "dispatch", "default", "/read a")
    terminal.until(b"Allow it?")
    [ask] = asked(root)
    equal(approvals(root, "allow", ask["task"]).returncode, 0)
    equal(terminal.end(), 0)


main()
