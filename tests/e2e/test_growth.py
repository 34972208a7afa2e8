"""What clients make the daemon keep is bounded in total: events of MCP sessions in memory, sessions and
tasks in the database, logs on disk, and the number of MCP sessions."""
import json
import os
import pathlib
import threading

from harness import TREFOIL, Serve, Stdio, case, database, equal, has, main, run, wait_for
from mcp_http import BOTH, INITIALIZED, PING, Client, begin, initialize
from task_api import complaint, ended, post, state

MB = 1 << 20
EVENTS = 64 * MB  # limits.mcp_events_bytes unless a file says otherwise
SLACK = 64 * MB   # of memory: what is under way, and what the allocator keeps
# What is freed leaves the process, also under a sanitizer.
OFFLINE = {"TREFOIL_PROVIDER": "offline",
           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"}


def sanitized():
    return b"__asan_init" in pathlib.Path(TREFOIL).read_bytes()


def limits(root, **values):
    """A file of the user's own, as words of the command line."""
    lines = "".join(f"{name} = {value}\n" for name, value in values.items())
    (root / "mine.toml").write_text(f"[limits]\n{lines}")
    return "--config", str(root / "mine.toml")


def memory(t):
    """Resident memory, in bytes."""
    for line in pathlib.Path(f"/proc/{t.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def size(folder, pattern):
    total = 0
    for path in folder.rglob(pattern):
        try:
            total += path.stat().st_size
        except FileNotFoundError:  # deleted meanwhile
            pass
    return total


def echo(client, text):
    """Call the agent, whose answer comes as events."""
    call = client.begin("tools/call", {"name": "trefoil_agent_default", "_meta": {"progressToken": 1},
                                       "arguments": {"message": f"/echo {text}"}})
    answer = call.answer()
    assert not answer["result"].get("isError"), str(answer)[:500]


def flood(clients, length):
    """Answers of so many characters for all of them, four at once."""
    failures = []

    def work(part):
        try:
            for n, client in enumerate(part):
                echo(client, f"{n}" + "x" * length)
        except Exception as e:  # pylint: disable=broad-except
            failures.append(e)

    threads = [threading.Thread(target=work, args=(clients[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(failures, [])


def sessions_of(root):
    listed = run("sessions", "--json", root=root)
    equal(listed.returncode, 0)
    return json.loads(listed.stdout)


# ---- events of MCP sessions ------------------------------------------------------------------------

@case
def events_of_many_sessions_do_not_fill_the_memory(root):
    with Serve(root=root, **OFFLINE) as t:
        before = memory(t)
        flood([Client(t) for _ in range(160)], 900000)  # each session may keep 1 MB
        grown = memory(t) - before
        assert grown < EVENTS + SLACK or sanitized(), f"{grown >> 20} MB"


@case
def what_the_newest_session_kept_is_still_there(root):
    own = limits(root, mcp_events_bytes=2 * MB)
    with Serve(*own, root=root, **OFFLINE) as t:
        flood([Client(t) for _ in range(8)], 900000)
        last = Client(t)
        call = last.begin("tools/call", {"name": "trefoil_agent_default", "_meta": {"progressToken": 1},
                                         "arguments": {"message": "/echo " + "y" * 900000}})
        call.stream.read_head()
        first = call.stream.event()
        call.stream.close()  # the client is cut off, and comes back
        again = t.connect()
        again.sendall((f"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                       f"Mcp-Session-Id: {last.session}\r\nLast-Event-ID: {first['id']}\r\n\r\n").encode())
        with again, again.makefile("rb") as file:
            wait_for("the answer", lambda: b"yyyyyyyy" in file.readline())


# ---- the store and the logs ------------------------------------------------------------------------

@case
def the_database_and_the_logs_stay_near_their_limits(root):
    own = limits(root, store_bytes=8 * MB, log_keep_bytes=4 * MB)
    with Serve(*own, root=root, **OFFLINE) as t:
        flood([Client(t) for _ in range(60)], 900000)
        stored = size(database(root).parent, "trefoil.db*")  # with the log of the database
        assert stored < 4 * 8 * MB, f"{stored >> 20} MB"
        wait_for("old logs to go", lambda: size(root, "logs/*.log") < 2 * 4 * MB)
        left = sessions_of(root)
        assert 0 < len(left) < 60, len(left)


@case
def old_sessions_and_logs_go_while_the_daemon_serves(root):
    own = limits(root, session_keep_ms=1000, log_keep_ms=1000, gc_interval_ms=100)
    with Serve(*own, root=root, **OFFLINE) as t:
        echo(Client(t), "hello")
        wait_for("the session to go", lambda: sessions_of(root) == [])
        wait_for("its log to go", lambda: not list(root.rglob("logs/*.log")))


@case
def old_sessions_go_while_a_client_is_served_on_stdio(root):
    own = limits(root, session_keep_ms=1000, log_keep_ms=1000, gc_interval_ms=100)
    with Stdio(*own, root=root, scope="agents", **OFFLINE) as t:
        t.initialize()
        t.call("tools/call", {"name": "trefoil_agent_default", "arguments": {"message": "/echo hello"}})
        wait_for("the session to go", lambda: sessions_of(root) == [])
        wait_for("its log to go", lambda: not list(root.rglob("logs/*.log")))


@case
def when_all_that_is_stored_is_live_new_tasks_are_refused(root):
    own = limits(root, store_bytes=4 * MB)
    question = "/ask well? " + "z" * 100000
    with Serve(*own, root=root, **OFFLINE) as t:
        live = []
        for _ in range(40):
            made = post(t, "/api/tasks", {"task": question})
            if made.status != 201:
                break
            live.append(made.json()["id"])
            ended(t, live[-1], "input_required")
        has(complaint(made), "limits.store_bytes")
        has(complaint(made), "in use")
        equal([state(t, ident) for ident in live], ["input_required"] * len(live))
        for ident in live[:4]:
            equal(post(t, f"/api/tasks/{ident}/cancel").status, 200)
            equal(state(t, ident), "canceled")  # what has just ended can be looked at
        made = wait_for("room", lambda: (r := post(t, "/api/tasks", {"task": "/echo room"})).status == 201 and r)
        ended(t, made.json()["id"], "completed")
        equal([state(t, ident) for ident in live[4:]], ["input_required"] * (len(live) - 4))


# ---- how many MCP sessions -------------------------------------------------------------------------

def ping(t, session, **headers):
    return t.post(PING, mcp_session_id=session, accept=BOTH, **headers).status


def begin_many(t, count, requests, **headers):
    """Sessions that are begun and used so often, and then left."""
    for _ in range(count):
        session = t.post(initialize(), accept=BOTH, **headers).headers["mcp-session-id"]
        for _ in range(requests):
            equal(t.post(INITIALIZED, mcp_session_id=session, **headers).status, 202)


@case
def a_client_in_use_keeps_its_session_while_another_begins_thousands(root):
    with Serve(root=root) as t:
        used = begin(t)
        for _ in range(3):
            equal(ping(t, used), 200)
        begin_many(t, 1100, 0)
        begin_many(t, 1100, 1)
        equal(ping(t, used), 200)
        equal(json.loads(t.request("GET", "/health").body)["status"], "ok")


@case
def a_key_evicts_its_own_sessions_first(root):
    keys = '\n[[serve.keys]]\nname = "ann"\nkey = "a1"\n[[serve.keys]]\nname = "bob"\nkey = "b1"\n'
    (root / "mine.toml").write_text("[limits]\nmcp_sessions = 16\n" + keys)
    ann, bob = {"authorization": "Bearer a1"}, {"authorization": "Bearer b1"}
    with Serve("--config", str(root / "mine.toml"), root=root) as t:
        fresh = t.post(initialize(), accept=BOTH, **bob).headers["mcp-session-id"]
        begin_many(t, 40, 10, **ann)
        equal(ping(t, fresh, **bob), 200)
        begin_many(t, 40, 0, **bob)  # bob takes from ann until both have the same
        equal(ping(t, fresh, **bob), 200)


main()
