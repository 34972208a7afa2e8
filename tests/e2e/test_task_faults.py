"""What goes wrong around tasks: a flood of them, a disk that is full or takes nothing, a clock that
jumps, a reader that never reads, programs that want the same work. Wrong words of a dispatch are
refused in test_orchestration.py and test_tasks_api.py, a damaged database in test_store.py, a daemon
is killed under its client in test_daemon.py, and anything at any instant in tests/chaos."""
import errno
import json
import os
import select
import signal
import sqlite3
import sys
import threading

LIBRARY = sys.argv.pop(2)
# pylint: disable=wrong-import-position
from harness import (AUTO, DEADLINE, Process, Serve, Stdio, case, database, equal,  # noqa: E402
                     has, main, read_all, request, run, wait_for)
from mcp_http import BOTH, begin  # noqa: E402
from model_mock import Mock, calls, says  # noqa: E402
import upstream  # noqa: E402
from shim import Shim  # noqa: E402

DAY = 24 * 3600 * 1000
KILLED = -signal.SIGKILL
# What is freed is free, also under a sanitizer.
FREES = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"}


class Server(Serve):
    """trefoil serve without a model, and its tasks over REST."""

    def __init__(self, *args, root, shim=None, **more):
        super().__init__(*args, root=root, TREFOIL_PROVIDER="offline", **(shim.env() if shim else {}),
                         **more)

    def post_json(self, path, body):
        return self.request("POST", path, json.dumps(body).encode(), content_type="application/json")

    def dispatch(self, text, **more):
        made = self.post_json("/api/tasks", {"task": text, **more})
        if made.status != 201:
            raise AssertionError(made.body)
        return made.json()["id"]

    def get(self, path):
        got = self.request("GET", path)
        equal(got.status, 200)
        return got.json()

    def task(self, ident):
        return self.get(f"/api/tasks/{ident}")

    def ended(self, ident):
        """The task, once it has ended."""
        return wait_for(f"the end of {ident}", lambda: (lambda t: "ended" in t and t)(self.task(ident)))

    def working(self, ident):
        wait_for(f"{ident} to be worked on", lambda: self.task(ident)["state"] == "working")

    def tasks(self):
        """All of them, the newest first."""
        found, query = [], "?limit=100"
        while query:
            page = self.get(f"/api/tasks{query}")
            found += page["tasks"]
            query = page.get("next_cursor") and f"?limit=100&cursor={page['next_cursor']}"
        return found

    def kill(self):
        self.expect = KILLED
        self.process.kill()
        self.process.wait()


def configure(root, head="", **limits):
    """Words that make trefoil use these."""
    own = root / "own.toml"
    own.write_text(head + "[limits]\n" + "".join(f"{k} = {v}\n" for k, v in limits.items()))
    return "--config", str(own)


def stored(root, sql, *values):
    """Rows of the database, read beside whoever works with it."""
    db = sqlite3.connect(f"file:{database(root)}?mode=ro", uri=True, timeout=DEADLINE)
    try:
        return db.execute(sql, values).fetchall()
    finally:
        db.close()


def events_of(root, ident):
    return [(seq, at, kind, json.loads(body)) for seq, at, kind, body in stored(
        root, "SELECT place & 0xffffffff, at, kind, body FROM task_events e, tasks t"
        " WHERE t.id = ? AND place >> 32 = t.n ORDER BY place", ident)]


def check_events(root, ident):
    """They are numbered without a gap, and none is before the one it follows."""
    events = events_of(root, ident)
    equal([e[0] for e in events], list(range(1, len(events) + 1)))
    times = [e[1] for e in events]
    equal(times, sorted(times))
    return events


# ---- a flood -------------------------------------------------------------------------------------

CONNECTIONS, EACH, PLACES = 100, 100, 1000


def flood(server, session, answers):
    """Everything is sent before the first answer is read."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "dispatch_agent", "arguments": {"agent": "default", "task": "/sleep 3600"}}}
    one = request("POST", "/mcp", json.dumps(call).encode(), content_type="application/json", accept=BOTH,
                  mcp_session_id=session)
    with server.connect() as s:
        s.sendall(one * EACH)
        file = s.makefile("rb")
        for _ in range(EACH):
            equal(file.readline().split()[1], b"200")
            size = 0
            while line := file.readline().strip().lower():
                name, _, value = line.partition(b":")
                size = int(value) if name == b"content-length" else size
            answers.append(json.loads(file.read(size))["result"])


def memory(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@case
def ten_thousand_dispatches_at_once_are_taken_or_refused_and_none_is_lost(root):
    with Server(root=root, **FREES) as server:
        session, answers = begin(server), []
        threads = [threading.Thread(target=flood, args=(server, session, answers), daemon=True)
                   for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            equal(server.get("/health")["status"], "ok")
        equal(len(answers), CONNECTIONS * EACH)
        taken = [a["structuredContent"]["taskId"] for a in answers if not a.get("isError")]
        refused = {a["content"][0]["text"] for a in answers if a.get("isError")}
        equal((len(taken), len(set(taken))), (PLACES, PLACES))
        equal(len(refused), 1)
        has(refused.pop(), f"limits.tasks is {PLACES}: wait for one, or cancel one")
        equal({t["id"] for t in server.tasks()}, set(taken))
        print(f"# {memory(server.pid) >> 20} MiB with {PLACES} live tasks", flush=True)
        equal(memory(server.pid) < 512 << 20, True)
        server.kill()
    with Server(root=root) as server:
        equal({t["id"] for t in server.tasks()}, set(taken))
        pid = str(server.pid)
        wait_for("all to be worked on", lambda: {p.split("/")[-2] for (p,) in stored(
            root, "SELECT process FROM tasks")} == {pid})
        server.kill()


# ---- a disk that takes nothing -------------------------------------------------------------------

def weather(root, server, stop, go_on, says):
    """While nothing can be stored all that needs no storing works; then it goes on as if nothing was."""
    done = server.dispatch("/echo before")
    server.ended(done)
    kept = server.task(done)
    asleep, busy = server.dispatch("/sleep 3600"), server.dispatch("/sleep 100ms")
    server.working(asleep)
    server.working(busy)
    stop()
    refused = server.post_json("/api/tasks", {"task": "/echo never"})
    equal(refused.status >= 500, True)
    has(refused.json()["error"]["message"], says)
    equal(server.get("/health")["status"], "ok")
    equal(server.task(done), kept)
    wait_for("a word about it", lambda: b"cannot be stored yet" in server.process.stderr.readline())
    equal(server.task(busy)["state"], "working")
    go_on()
    equal(server.ended(busy)["result"]["response"], "Slept 100 ms.")
    equal(server.ended(server.dispatch("/echo after"))["result"]["response"], "after")
    equal((server.task(asleep)["state"], server.task(done)), ("working", kept))
    equal(server.post_json(f"/api/tasks/{asleep}/cancel", {}).json()["state"], "canceled")
    equal([t["state"] for t in server.tasks()], ["completed", "completed", "canceled", "completed"])


@case
def a_store_that_becomes_read_only_is_waited_for(root):
    own, shim = configure(root, task_look_ms=50), Shim(LIBRARY, root / "page")
    with Server(*own, root=root, shim=shim) as server:
        weather(root, server, lambda: setattr(shim, "error", errno.EROFS),
                lambda: setattr(shim, "error", 0), "Read-only file system")
        for task in server.tasks():
            check_events(root, task["id"])


@case
def a_full_disk_is_waited_for(root):
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    mount = 'mount -t tmpfs -o size=4m none "$0" || exit; exec "$@"'
    home = root / "small"
    home.mkdir()
    with Server(*configure(root, task_look_ms=50), root=home, XDG_STATE_HOME=str(home / "state"),
                wrap=["unshare", *user, "--mount", "sh", "-c", mount, str(home)]) as server:
        ballast = f"/proc/{server.pid}/root{home}/ballast"

        def fill():
            with open(ballast, "wb", buffering=0) as f:
                for size in (1 << 16, 1 << 12):
                    try:
                        while True:
                            f.write(b"x" * size)
                    except OSError as e:
                        equal(e.errno, errno.ENOSPC)

        weather(home, server, fill, lambda: os.unlink(ballast), "the disk is full")


@case
def cancelling_ends_in_time_also_when_nothing_can_be_stored(root):
    own, shim = configure(root, task_look_ms=50, task_cancel_ms=100), Shim(LIBRARY, root / "page")
    with Server(*own, root=root, shim=shim) as server:
        asleep = server.dispatch("/sleep 3600")
        server.working(asleep)
        shim.error = errno.ENOSPC
        late = server.post_json(f"/api/tasks/{asleep}/cancel", {})
        equal(late.status, 504)
        has(late.json()["error"]["message"], "is being cancelled, but that cannot be stored yet: ")
        has(late.json()["error"]["message"], "the disk is full")
        equal(server.task(asleep)["state"], "working")
        shim.error = 0
        equal(server.ended(asleep)["state"], "canceled")


# ---- questions that are too large ----------------------------------------------------------------

class Asking(Server):
    """With an MCP server whose tool asks much."""

    def __init__(self, root, **limits):
        own = upstream.server("a") + '[mcp]\nmode = "read-write"\n'
        super().__init__(*configure(root, own, task_look_ms=50, **limits), root=root)
        wait_for("server a", lambda: any(s.get("connected") for s in self.get("/api/mcp/servers")["connected"]))

    def ask(self, questions, size):
        return self.dispatch(f'/call mcp_a_ask_much {{"n":{questions},"bytes":{size}}}')


@case
def a_question_that_is_too_large_is_refused_and_harms_nobody(root):
    with Asking(root) as server:
        flooded = server.ask(8, 9000000)
        other = server.dispatch("/ask Which color?")
        said = server.ended(flooded)["result"]["response"]
        equal(said.count("limits.task_ask_bytes"), 8)
        [question] = wait_for("a question", lambda: server.get("/api/approvals")["approvals"])
        equal((question["task"], question["message"]), (other, "Which color?"))
        server.post_json(f"/api/tasks/{other}/cancel", {})


@case
def questions_are_bounded_together_and_lists_of_them_stay_short(root):
    with Asking(root) as server:
        ident = server.ask(8, 900000)
        found = wait_for("four questions", lambda: (lambda a: len(a) == 4 and a)(
            server.get("/api/approvals")["approvals"]))
        for question in found:
            equal((question["cut"], len(question["message"])), (True, 4096))
        whole = server.task(ident)
        equal(whole["state"], "input_required")
        equal(sorted(len(q["params"]["message"]) for q in whole["asks"].values()), [900011] * 4)
        equal(server.post_json(f"/api/tasks/{ident}/cancel", {}).json()["state"], "canceled")
        equal(server.get("/api/approvals")["approvals"], [])


@case
def a_question_without_room_in_a_list_is_named_and_hides_no_other(root):
    with Asking(root, output_backlog_bytes=1 << 16) as server:
        ident = server.ask(20, 5000)
        found = wait_for("all questions", lambda: (lambda a: len(a) == 20 and a)(
            server.get("/api/approvals")["approvals"]))
        equal({q["task"] for q in found}, {ident})
        equal(all(q["cut"] for q in found), True)
        equal("message" in found[0], True)
        equal("message" in found[-1], False)
        server.post_json(f"/api/tasks/{ident}/cancel", {})


# ---- a clock that jumps --------------------------------------------------------------------------

def holder(root, ident):
    """Who works on it, and with which token."""
    [(process, fence)] = stored(root, "SELECT process, fence FROM tasks WHERE id = ?", ident)
    return process, fence


class Other(Stdio):
    """A second program on the same root, that would go on with what nobody works on."""

    def __init__(self, *args, root, **more):
        super().__init__("--no-attach", *args, root=root, scope="agents", TREFOIL_PROVIDER="offline", **more)
        self.initialize()

    def tasks(self):
        told = self.call("tools/call", {"name": "list_tasks", "arguments": {}})
        while "result" not in told:
            told = self.receive()
        return told["result"]["structuredContent"]["tasks"]

    def dispatch(self, text):
        self.send({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                   "params": {"name": "dispatch_agent",
                              "arguments": {"agent": "default", "task": text, "wait": 60}}})
        while (told := self.receive()).get("id") != 9:
            pass
        return told["result"]["structuredContent"]


def elsewhere():
    """Words for a program that sees no process of ours, and cannot know whether one lives."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--pid", "--fork", "--kill-child", "--mount-proc"]


@case
def a_clock_that_jumps_lets_nobody_steal_a_task(root):
    own, shim = configure(root, task_look_ms=20), Shim(LIBRARY, root / "page")
    with Server(*own, root=root, shim=shim) as server:
        ident = server.dispatch("/sleep 3600")
        server.working(ident)
        held = holder(root, ident)
        with Other(*own, root=root, wrap=elsewhere(), **shim.env()) as other:
            for jump in (0, DAY, -DAY, 2 * DAY):
                shim.clock_ms = jump
                for n in range(3):  # by then it has looked for lost ones
                    equal(other.dispatch(f"/sleep {n}0ms")["status"], "completed")
                equal((server.task(ident)["state"], holder(root, ident)), ("working", held))
        shim.clock_ms = 3 * DAY
        with Other(*own, root=root, wrap=elsewhere(), **shim.env()) as other:
            equal(other.dispatch("/echo late")["status"], "completed")
            equal(holder(root, ident), held)
        equal(server.post_json(f"/api/tasks/{ident}/cancel", {}).json()["state"], "canceled")


@case
def a_clock_that_jumps_breaks_no_task(root):
    own, shim = configure(root, task_look_ms=20), Shim(LIBRARY, root / "page")
    with Server(*own, root=root, shim=shim) as server:
        ident, done = server.dispatch("/sleep 3600"), server.dispatch("/echo done")
        server.working(ident)
        server.ended(done)
        held = holder(root, ident)
        for jump in (DAY, -DAY, 0):
            shim.clock_ms = jump
            with Other(*own, root=root, **shim.env()) as other:  # looks for lost tasks as it begins, and again
                equal(other.dispatch("/echo other")["status"], "completed")
                fresh = server.ended(server.dispatch(f"/echo {jump}"))
                equal((fresh["state"], fresh["result"]["response"]), ("completed", str(jump)))
                equal(fresh["result"]["duration_seconds"] >= 0, True)
                equal(fresh["ended"] >= fresh["created"], True)
                equal(server.tasks()[0]["id"], fresh["id"])
                equal(holder(root, ident), held)
            check_events(root, fresh["id"])
        # Which task is gone is the clock's to say; which is there is whole.
        equal(server.post_json(f"/api/tasks/{ident}/cancel", {}).json()["state"], "canceled")
        check_events(root, ident)


@case
def one_day_later_what_has_ended_is_forgotten_and_what_works_is_not(root):
    shim = Shim(LIBRARY, root / "page")
    with Server(root=root, shim=shim) as server:
        ident, done = server.dispatch("/sleep 3600"), server.dispatch("/echo done")
        server.ended(done)
        shim.clock_ms = DAY
        equal(server.request("GET", f"/api/tasks/{done}").status, 404)
        equal([t["id"] for t in server.tasks()], [ident])
        shim.clock_ms = -DAY
        late = server.dispatch("/echo late")
        server.ended(late)
        shim.clock_ms = -DAY + 3_000_000  # its hour is counted by the clock that it ended by
        equal(server.task(late)["state"], "completed")
        shim.clock_ms = -DAY + 4_000_000
        equal(server.request("GET", f"/api/tasks/{late}").status, 404)
        equal(server.post_json(f"/api/tasks/{ident}/cancel", {}).json()["state"], "canceled")


# ---- a reader that never reads -------------------------------------------------------------------

class Events:
    """An event stream that is read when we like."""

    def __init__(self, server, ident, after=0):
        self.socket = server.connect()
        self.socket.sendall(request("GET", f"/api/tasks/{ident}/events", close=True, last_event_id=after))

    def rest(self):
        """The events until it ends as it should."""
        body, text = read_all(self.socket).partition(b"\r\n\r\n")[2], b""
        self.socket.close()
        while True:
            size, _, body = body.partition(b"\r\n")
            if not int(size, 16):
                break
            text, body = text + body[:int(size, 16)], body[int(size, 16) + 2:]
        return [json.loads(line[6:]) for line in text.split(b"\n") if line.startswith(b"data: ")]


READERS = 20
MODEL = AUTO + """[mcp]
mode = "read-write"
[providers.mock]
kind = "openai"
base_url = "{url}/v1"
api_key = "env:MOCK_KEY"
model = "gpt-5"
"""


@case
def a_subscriber_that_never_reads_is_let_go_and_may_come_again(root):
    mock, gate, words = Mock(), root / "gate", "word " * 400_000
    own = configure(root, MODEL.format(url=mock.url), task_watch_events=5, http_write_ms=600000)
    waits = {"command": f"until test -e {gate}; do sleep 0.01; done", "shell": True}
    prompt = mock.play("talk and wait", {**calls(("shell_exec", waits), text=words),
                                         "chunkSize": 50_000}, says("Done."))
    with Serve(*own, root=root, listen=f"unix:{root}/socket", MOCK_KEY="sk-test", **FREES) as server:
        made = server.request("POST", "/api/tasks", json.dumps({"task": prompt}).encode(),
                              content_type="application/json")
        ident = made.json()["id"]
        streams = [Events(server, ident) for _ in range(READERS)]
        has_begun = '"status":"running"'
        wait_for("the call", lambda: any(has_begun in body for (body,) in stored(
            root, "SELECT body FROM task_events WHERE kind = 'tool'")))
        before, good = memory(server.pid), Events(server, ident)
        gate.touch()
        told = good.rest()
        equal([e["seq"] for e in told], list(range(1, len(told) + 1)))
        equal(told[-1]["body"]["state"], "completed")
        print(f"# {memory(server.pid) >> 20} MiB with {READERS} who do not read", flush=True)
        equal(memory(server.pid) - before < READERS * len(words), True)
        for stream in streams:
            begun = stream.rest()
            equal((begun, len(begun) < len(told)), (told[:len(begun)], True))
            equal(Events(server, ident, after=len(begun)).rest(), told[len(begun):])


# ---- a first start that is killed ----------------------------------------------------------------

@case
def killed_while_it_makes_its_database_the_next_one_serves(root):
    shim = Shim(LIBRARY, root / "page")
    killed = 0
    for at in (*range(1, 12), *range(12, 300, 29)):
        home = root / str(at)
        home.mkdir()
        shim.clear()
        shim.kill_at = at
        with Process("serve", "--listen", "127.0.0.1:0", root=home, **shim.env()) as first:
            first.expect = KILLED
            wait_for("its death, or that it serves", lambda p=first.process: shim.died or
                     p.poll() is not None or select.select([p.stdout], [], [], 0)[0])
            first.process.kill()
        killed += bool(shim.died)
        if at % 2:
            equal(run("doctor", root=home).returncode, 0)
        with Server(root=home) as server:
            equal(server.ended(server.dispatch("/echo hi"))["state"], "completed")
    equal(killed > 15, True)


# ---- programs that want the same work ------------------------------------------------------------

@case
def of_two_programs_that_recover_exactly_one_goes_on_with_a_task(root):
    own = configure(root, '[mcp]\nmode = "read-write"\n' + AUTO, task_look_ms=10)
    side = root / "side.txt"
    with Server(*own, root=root) as server:
        asleep = [server.dispatch("/sleep 3600") for _ in range(10)]
        cut = [server.dispatch("/call shell_exec " + json.dumps(
            {"command": f"echo {n} >> {side}; sleep 600", "shell": True})) for n in range(5)]
        wait_for("all of them", lambda: side.exists() and len(side.read_text().split()) == 5)
        for ident in asleep:
            server.working(ident)
        server.kill()
    with Server(*own, root=root) as one, Other(*own, root=root) as two, Other(*own, root=root) as three:
        equal(len(two.tasks()), 15)
        for ident in cut:
            has(one.ended(ident)["result"]["response"], "interrupted")
        for ident in asleep:
            wait_for("it goes on", lambda i=ident: holder(root, i)[1] == 2)
        equal(len(three.tasks()), 15)
        runners = {holder(root, i)[0].split("/")[-2] for i in asleep}
        equal(runners <= {str(p.pid) for p in (one, two, three)}, True)
        for ident in asleep + cut:
            events = check_events(root, ident)
            equal(sum(e[3].get("text") == "continues after a restart" for e in events), 1)
        equal(sorted(side.read_text().split()), list("01234"))
        equal({holder(root, i)[1] for i in asleep}, {2})
        for ident in asleep:
            equal(one.post_json(f"/api/tasks/{ident}/cancel", {}).json()["state"], "canceled")


main()
