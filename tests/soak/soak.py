#!/usr/bin/env python3
"""Time and bad luck: MCP clients of every kind come and vanish, the servers behind trefoil are
killed at random, and so is trefoil itself. Nothing may be left behind, and everything must work
again without a helping hand.

usage: soak.py TREFOIL [short | full] [SEED]

The seed fixes what each client does and which servers it kills; the kernel decides the order.
"""
import json
import os
import pathlib
import queue
import random
import signal
import subprocess
import sys
import threading
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
# pylint: disable=wrong-import-position
from harness import case, equal, has, main, read_all, request, wait_for  # noqa: E402
from mcp_http import (BOTH, INITIALIZED, META, Stream, begin, initialize,  # noqa: E402
                      modern)
from upstream import SERVERS, Gateway, command, configure, remote, server, text_of  # noqa: E402

SIZE = sys.argv[2] if len(sys.argv) > 2 else "full"
SEED = sys.argv[3] if len(sys.argv) > 3 else str(random.SystemRandom().randrange(1 << 32))
LIVES, ROUNDS, SESSIONS = {"short": (2, 3, 40), "full": (10, 30, 200)}[SIZE]
CLIENTS = 8  # at once
KILLS_IN = 6  # one client in so many kills a server
KEPT = 8  # idle connections to servers that are kept for the next request; one leaked each session would be dozens
MARK = "TREFOIL_SOAK"  # in the environment of all that a trefoil starts
# Sessions end and servers come back while we look; the circuit opens and closes as well.
LIMITS = """[limits]
mcp_session_idle_ms = 1000
fetch_kept_connections = 3
mcp_retry_min_ms = 20
mcp_retry_max_ms = 400
mcp_broken_ms = 400
child_polite_ms = 200
child_term_ms = 200
"""
NAMES = ("plain", "modern", "stubborn", "parent", "web")


# ---- what is behind trefoil

class Web:
    """An HTTP server that can be killed and is back at once, at the same address."""

    def __init__(self):
        self.lock, self.process = threading.Lock(), None
        self.url = self.start("0")

    def start(self, port):
        self.process = subprocess.Popen([sys.executable, str(SERVERS / "bad_http.py"), port],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self.process.stdout.readline().decode().strip()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def kill(self):
        with self.lock:
            self.stop()
            port = self.url.rpartition(":")[2]
            wait_for("the port to be free again", lambda: self.start(port) == self.url)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def configured(root, web, mark):
    """A server of each kind; `parent` has a child that left its process group."""
    env = {"env": f'{{ {MARK} = "{mark}" }}'}
    behind = f"setsid sleep 600 & exec {sys.executable} {SERVERS / 'bad_server.py'} ok"
    configure(root, server("plain", **env), server("modern", "modern", **env),
              server("stubborn", "ignore-eof", **env), command("parent", "sh", "-c", behind, **env),
              remote("web", web.url + "/mcp"), head=LIMITS)


def marked(mark):
    """All processes, zombies included, that a trefoil with this mark has started, and itself."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if f"{MARK}={mark}\0".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except (OSError, ValueError):
            pass
    return found


def zombies_of(pid):
    """Dead children that a process has not buried."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = entry.read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state == "Z" and int(parent) == pid:
            found.append(entry.parent.name)
    return found


# ---- what clients do: each gets trefoil, its luck, and the name of a server

def judge(answer, text):
    """A call has an answer: what was asked for, or a sentence why not. Nothing in between."""
    result = answer.get("result")
    if result and not result.get("isError"):
        equal(text_of(answer), text)
    elif not text_of(answer):
        raise AssertionError(f"a failure without a word: {answer}")


def tool_call(name, tool, ident, **arguments):
    return {"jsonrpc": "2.0", "id": ident, "method": "tools/call",
            "params": {"name": f"mcp_{name}_{tool}", "arguments": arguments}}


def post(t, message, **headers):
    """Begin a POST and do not wait; the socket."""
    s = t.connect()
    s.sendall(request("POST", "/mcp", json.dumps(message).encode(),
                      content_type="application/json", accept=BOTH, **headers))
    return s


def echoes(t, luck, name, **headers):
    for i in range(luck.randrange(1, 4)):
        text = f"{name} {i} " + "x" * luck.choice((0, 100, 40000))
        judge(t.post(tool_call(name, "echo", i, text=text), accept=BOTH, **headers).json(), text)


def vanish_in_mid_call(t, name, **headers):
    s = post(t, tool_call(name, "slow", "gone", seconds=30), **headers)
    t.request("GET", "/health")  # answered after the call was read
    s.close()


def polite(t, luck, name):
    session = begin(t, luck.choice(("2025-03-26", "2025-06-18", "2025-11-25")))
    has(t.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, mcp_session_id=session,
               accept=BOTH).body, b"mcp_plain_echo")
    echoes(t, luck, name, mcp_session_id=session)
    equal(t.request("DELETE", "/mcp", mcp_session_id=session).status, 204)


def forgetful(t, luck, name):
    echoes(t, luck, name, mcp_session_id=begin(t))


def vanishing(t, luck, name):
    session = begin(t)
    echoes(t, luck, name, mcp_session_id=session)
    vanish_in_mid_call(t, name, mcp_session_id=session)


def listening(t, luck, name):
    session = begin(t)
    stream = Stream(t, "/mcp", mcp_session_id=session)
    equal(stream.status, 200)
    echoes(t, luck, name, mcp_session_id=session)
    if luck.random() < 0.5:
        equal(t.request("DELETE", "/mcp", mcp_session_id=session).status, 204)
    stream.close()


def deleting_in_mid_call(t, _luck, name):
    session = begin(t)
    stream = Stream(t, "/mcp", mcp_session_id=session)
    s = post(t, tool_call(name, "slow", 1, seconds=30), mcp_session_id=session, connection="close")
    t.request("GET", "/health")
    equal(t.request("DELETE", "/mcp", mcp_session_id=session).status, 204)
    read_all(s)
    s.close()
    while stream.event():
        pass
    stream.close()


def modern_calls(t, luck, name):
    has(modern(t, "server/discover").json()["result"]["supportedVersions"], "2026-07-28")
    for i in range(luck.randrange(1, 4)):
        tool, text = f"mcp_{name}_echo", f"modern {i}"
        answer = modern(t, "tools/call", {"name": tool, "arguments": {"text": text}}, tool)
        judge(answer.json(), text)


def modern_stream(t, method, params, name=None):
    """An answer that comes as events; the socket, once the first bytes are there."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    s = post(t, message, mcp_protocol_version="2026-07-28", mcp_method=method, mcp_name=name)
    return s, s.recv(1 << 16)


def modern_vanishing(t, _luck, name):
    tool = f"mcp_{name}_progress"
    s, _ = modern_stream(t, "tools/call", {"name": tool, "arguments": {"n": 50},
                                           "_meta": {**META, "progressToken": "p"}}, tool)
    s.close()


def modern_listening(t, luck, name):
    s, data = modern_stream(t, "subscriptions/listen",
                            {"_meta": META, "notifications": {"toolsListChanged": True}})
    has(data, b"200 OK")
    echoes(t, luck, name)
    s.close()


def old(t, luck, name):
    """HTTP+SSE of 2024-11-05; leaves in mid-call, or not."""
    stream = Stream(t, "/sse")
    where = stream.event()["data"]

    def say(message):
        equal(t.request("POST", where, json.dumps(message).encode(),
                        content_type="application/json").status, 202)
    say(initialize("2024-11-05"))
    equal(json.loads(stream.event()["data"])["id"], 0)
    say(INITIALIZED)
    say(tool_call(name, "echo", 1, text="old"))
    answer = {"id": None}
    while answer.get("id") != 1:  # news of tools that come and go may be first
        answer = json.loads(stream.event()["data"])
    judge(answer, "old")
    if luck.random() < 0.5:
        say(tool_call(name, "slow", 2, seconds=30))
    stream.close()


KINDS = (polite, forgetful, vanishing, listening, deleting_in_mid_call, modern_calls,
         modern_vanishing, modern_listening, old)


# ---- storms

class Storm:
    """Clients at work, CLIENTS at a time. Which one does what follows from the seed alone."""

    def __init__(self, t, web, label, sessions):
        self.t, self.web, self.label = t, web, label
        self.left, self.errors, self.kills, self.over = queue.Queue(), [], 0, False
        self.done, self.enough = 0, threading.Event()
        for i in range(sessions):
            self.left.put(i)
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def kill(self, name):
        if name == "web":
            self.web.kill()
        else:
            pid = (self.t.connected(name) or {}).get("pid")
            if not pid:
                return  # it is on its way back already
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return
        self.kills += 1

    def client(self, i):
        luck = random.Random(f"{SEED} {self.label} {i}")
        kind, name = luck.choice(KINDS), luck.choice(NAMES)
        try:
            if luck.randrange(KILLS_IN) == 0:
                self.kill(luck.choice(NAMES))
            kind(self.t, luck, name)
        except Exception as e:  # pylint: disable=broad-except
            if not self.over:
                self.errors.append(f"{self.label}, client {i}, {kind.__name__} of {name}: {e!r}")

    def work(self):
        while not self.over:
            try:
                i = self.left.get_nowait()
            except queue.Empty:
                return
            self.client(i)
            self.done += 1
            if self.left.qsize() < self.done:
                self.enough.set()

    def join(self):
        for thread in self.threads:
            thread.join()
        equal(self.errors, [])


def settled(t):
    """Wait until nobody is connected but we, and all servers are idle and there."""
    def quiet():
        health, state = t.request("GET", "/health").json(), t.servers()
        busy = [s for s in state["connected"] if s["calls_running"] + s["calls_waiting"]]
        ready = [s["name"] for s in state["configured"] if s["state"] == "ready"]
        return health["sessions"] == 0 and health["connections"] == 1 and not busy and \
            sorted(ready) == sorted(NAMES)
    wait_for("quiet", quiet)


def all_answer(t):
    for name in NAMES:
        equal(t.text(f"mcp_{name}_echo", text=f"{name} is well"), f"{name} is well")
        equal(t.text(f"mcp_{name}_add", a=1, b=2), "3")


class Sample:
    """What a trefoil at rest holds."""

    def __init__(self, t, mark):
        settled(t)
        wait_for("the burial of dead children", lambda: not zombies_of(t.pid))
        with open(f"/proc/{t.pid}/statm", encoding="ascii") as f:
            self.bytes = int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self.descriptors = len(os.listdir(f"/proc/{t.pid}/fd"))
        self.processes = len(marked(mark))

    def __str__(self):
        return f"{self.bytes >> 10} KiB, {self.descriptors} descriptors, {self.processes} processes"


def gateway(root, mark):
    frees = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"  # where there is one
    return Gateway(root=root, ASAN_OPTIONS=frees, **{MARK: mark})


@case
def a_killed_trefoil_leaves_nobody_and_the_next_one_works(root):
    with Web() as web:
        for life in range(LIVES):
            mark = uuid.uuid4().hex
            configured(root, web, mark)
            with gateway(root, mark) as t:
                t.wait_ready(*NAMES)
                all_answer(t)
                storm = Storm(t, web, f"life {life}", SESSIONS)
                storm.enough.wait()
                storm.over = True
                assert len(marked(mark)) > 1, "the mark marks nobody"
                t.process.kill()
                t.expect = -signal.SIGKILL
                t.process.wait()
                storm.join()
                wait_for("the end of all it started", lambda m=mark: not marked(m))


@case
def storms_leave_nothing_and_break_nothing(root):
    mark, samples, kills = uuid.uuid4().hex, [], 0
    with Web() as web:
        configured(root, web, mark)
        with gateway(root, mark) as t:
            t.wait_ready(*NAMES)
            for n in range(ROUNDS + 1):  # the first one warms up
                storm = Storm(t, web, f"round {n}", SESSIONS)
                storm.join()
                kills += storm.kills
                samples.append(Sample(t, mark))
                print(f"# round {n}: {samples[-1]}, {storm.kills} servers killed", flush=True)
            all_answer(t)
            compare(samples[1:])
            assert kills > ROUNDS, f"only {kills} servers were killed"
        wait_for("the end of all it started", lambda: not marked(mark))


def compare(samples):
    """The end against the first third."""
    first, last = samples[:len(samples) // 3], samples[-1]
    most = max(s.bytes for s in first)
    if last.bytes > most * 1.1:
        raise AssertionError(f"{most} bytes became {last.bytes}")
    most = max(s.descriptors for s in first) + KEPT
    if last.descriptors > most:
        raise AssertionError(f"{most} descriptors became {last.descriptors}")
    equal({s.processes for s in samples}, {last.processes})


print(f"# {SIZE}, seed {SEED}", flush=True)
main(seconds=900)
