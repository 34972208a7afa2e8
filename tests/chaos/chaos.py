#!/usr/bin/env python3
"""Work that was accepted survives kill -9 at any instant. trefoil is killed around its commits (before,
within and after single writes and syncs of the store, by tests/e2e/shim.c), again and again on one
root, also while it recovers, while clients dispatch, follow and cancel tasks. They note what they
were told; after each kill all of it has to be there, unchanged, and nothing may have run twice.

usage: chaos.py TREFOIL SHIM [short | full]

CHAOS_ROUNDS is how often it is killed, CHAOS_SEED fixes when, and what clients do; the kernel decides
the order.
"""
import collections
import datetime
import json
import math
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
# pylint: disable=wrong-import-position
from harness import (AUTO, DEADLINE, Serve, Stdio, case, database, equal, main,  # noqa: E402
                     request, wait_for)
from mcp_http import BOTH, begin  # noqa: E402
from model_mock import Mock, calls, says  # noqa: E402
from shim import AFTER_SYNC, BEFORE_WRITE, Shim  # noqa: E402

LIBRARY = sys.argv[2]
SIZE = sys.argv[3] if len(sys.argv) > 3 else "full"
ROUNDS = int(os.environ.get("CHAOS_ROUNDS", {"short": 8, "full": 200}[SIZE]))
SEED = os.environ.get("CHAOS_SEED") or str(random.SystemRandom().randrange(1 << 32))
MARK = "TREFOIL_CHAOS"  # in the environment of all that a trefoil starts
STEPS = 12  # of each client in a round, at most
FINAL = ("completed", "failed", "canceled", "rejected")
INTERRUPTED = "interrupted"
CONFIG = AUTO + """[mcp]
mode = "read-write"
[models]
provider = "offline"
[providers.mock]
kind = "openai"
base_url = "{url}/v1"
api_key = "env:MOCK_KEY"
model = "gpt-5"
[limits]
attach_ms = 30000
task_look_ms = 50
task_gather_ms = 20
tasks = 100000
store_wal_bytes = 65536
model_retry_min_ms = 1
model_retry_max_ms = 20
"""


# ---- what was acknowledged -----------------------------------------------------------------------

class Task:
    """One that a client was given an id for."""

    def __init__(self, kind, lines=(), files=None):
        self.kind, self.lines, self.files = kind, lines, files or {}


class Ledger:
    """What clients were told, and what was found in the store since."""

    def __init__(self):
        self.lock = threading.Lock()
        self.tasks = {}   # id -> Task
        self.ended = {}   # id -> state that was told
        self.whole = {}   # id -> all that REST told of one that has ended
        self.seen = collections.defaultdict(dict)  # id -> seq -> event, as told
        self.rows, self.events = {}, {}            # as found: they may only grow

    def accept(self, ident, task):
        with self.lock:
            assert ident not in self.tasks, f"the id {ident} was given twice"
            self.tasks[ident] = task

    def end(self, ident, state):
        with self.lock:
            equal(self.ended.setdefault(ident, state), state)

    def know(self, told):
        """REST told all of one."""
        if told["state"] not in FINAL:
            return
        self.end(told["id"], told["state"])
        with self.lock:
            equal(self.whole.setdefault(told["id"], told), told)

    def see(self, ident, event):
        with self.lock:
            equal(self.seen[ident].setdefault(event["seq"], event), event)

    def live(self):
        with self.lock:
            return [i for i in self.tasks if i not in self.ended]


# ---- what clients do -----------------------------------------------------------------------------

class Gone(Exception):
    """There was no whole answer."""


def whole(answer):
    if not answer.status or len(answer.body) != int(answer.headers.get("content-length", -1)):
        raise Gone
    return answer


class Rest:
    def __init__(self, place):
        self.place, self.t = place, place.daemon

    def post(self, path, body=None):
        return whole(self.t.request("POST", path, json.dumps(body or {}).encode(),
                                    content_type="application/json"))

    def dispatch(self, text, agent, luck):
        body = {"task": text, "agent": agent}
        if luck.random() < 0.2:
            body["lock"] = [luck.choice(("src", "docs"))]
        answer = self.post("/api/tasks", body)
        equal(answer.status, 201)
        ident = answer.json()["id"]
        if luck.random() < 0.4:
            self.place.follow(ident)
        return ident

    def cancel(self, ident, ledger):
        answer = self.post(f"/api/tasks/{ident}/cancel")
        if answer.status == 200:
            equal(answer.json()["state"], "canceled")
            ledger.know(answer.json())
        else:
            equal(answer.status, 409)

    def look(self, ident, ledger):
        answer = whole(self.t.request("GET", f"/api/tasks/{ident}"))
        equal(answer.status, 200)
        ledger.know(answer.json())


class Tools:
    """The tools of MCP clients, whatever carries them."""

    def use(self, name, **arguments):
        return self.result({"name": name, "arguments": arguments})

    def dispatch(self, text, agent, _luck):
        return self.use("dispatch_agent", agent=agent, task=text)["structuredContent"]["taskId"]

    def cancel(self, ident, ledger):
        if not self.use("cancel_task", task_id=ident).get("isError"):
            ledger.end(ident, "canceled")

    def look(self, ident, ledger):
        told = self.use("get_task_status", task_id=ident)["structuredContent"]
        state = {"cancelled": "canceled"}.get(told["status"], told["status"])
        if state in FINAL:
            ledger.end(ident, state)


class Http(Tools):
    def __init__(self, place):
        self.t = place.daemon
        self.session = begin(self.t)

    def result(self, params):
        answer = self.t.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
                             accept=BOTH, mcp_session_id=self.session)
        return whole(answer).json()["result"]


class Attached(Tools):
    """By `trefoil mcp`, which passes on to the daemon what it reads."""

    def __init__(self, place):
        self.t = Stdio("--config", str(place.config), root=place.root, scope="agents", **place.env)
        place.guests.append(self.t)
        self.t.initialize()

    def result(self, params):
        self.t.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        while line := self.t.process.stdout.readline():
            answer = json.loads(line) if line.endswith(b"\n") else {}
            if answer.get("id") == 1 and "result" in answer:
                return answer["result"]
        raise Gone


CLIENTS = (Rest, Http, Attached, Rest)


class Client(threading.Thread):
    """Does this and that until its steps are done or nobody answers any more."""

    def __init__(self, place, kind, luck):
        super().__init__(daemon=True)
        self.place, self.luck, self.error, self.gone = place, luck, None, None
        self.client = kind(place)

    def step(self):
        ledger, what = self.place.ledger, self.luck.random()
        live = ledger.live()
        if what < 0.6 or not live:
            text, agent, task = self.place.invent(self.luck)
            ledger.accept(self.client.dispatch(text, agent, self.luck), task)
        elif what < 0.75:
            self.client.cancel(self.luck.choice(live), ledger)
        else:
            self.client.look(self.luck.choice(live), ledger)

    def run(self):
        try:
            for _ in range(STEPS):
                self.step()
        except (Gone, OSError) as e:
            self.gone = e
        except Exception as e:  # pylint: disable=broad-except
            self.error = e


class Follower(threading.Thread):
    """Notes the events of a task as they come."""

    def __init__(self, place, ident):
        super().__init__(daemon=True)
        self.place, self.task, self.error = place, ident, None

    def run(self):
        try:
            with self.place.daemon.connect() as s:
                s.sendall(request("GET", f"/api/tasks/{self.task}/events"))
                self.read(s.makefile("rb"))
        except OSError:
            pass
        except Exception as e:  # pylint: disable=broad-except
            self.error = e

    def read(self, file):
        while file.readline().strip():  # the head
            pass
        text = b""
        while size := int(file.readline() or b"0", 16):
            text += file.read(size)
            file.readline()
            *events, text = text.split(b"\n\n")
            for event in events:
                self.note(event.decode())

    def note(self, event):
        fields = dict(line.partition(": ")[::2] for line in event.split("\n"))
        if "data" in fields:
            told = json.loads(fields["data"])
            equal(fields["id"], str(told["seq"]))
            self.place.ledger.see(self.task, told)


# ---- where it happens ----------------------------------------------------------------------------

def shell(command):
    return {"command": command, "shell": True}


class Daemon(Serve):
    """A life. It may end before it serves."""

    def __init__(self, place):
        self.serves = True
        try:
            super().__init__("--config", str(place.config), root=place.root, listen=place.listen, **place.env,
                             **place.shim.env(), **{MARK: place.mark})
        except (AssertionError, IndexError):
            self.serves = False
            if not place.shim.died:
                raise


class Place:
    """One root with all its lives."""

    def __init__(self, folder, mock):
        self.root, runtime = folder / "root", folder / "run"
        self.root.mkdir()
        runtime.mkdir(mode=0o700)
        (self.root / "made").mkdir()
        (self.root / ".trefoil" / "agents").mkdir(parents=True)
        (self.root / ".trefoil" / "agents" / "thinker.md").write_text(
            "---\ndescription: Thinks.\nprovider: mock\n---\nYou work.\n")
        self.config = folder / "own.toml"
        self.listen = f"unix:{folder}/http.sock"  # its clients are the user who attaches, too
        self.config.write_text(CONFIG.format(url=mock.url))
        self.mark = os.urandom(16).hex()
        self.env = {"XDG_RUNTIME_DIR": str(runtime), "MOCK_KEY": "sk-test"}
        self.side = self.root / "side.txt"
        self.mock, self.shim, self.ledger = mock, Shim(LIBRARY, folder / "page"), Ledger()
        self.daemon, self.guests, self.followers, self.number = None, [], [], 0

    def start(self):
        """Serve. False: it was killed before it did."""
        self.daemon = Daemon(self)
        return self.daemon.serves

    def follow(self, ident):
        self.followers.append(Follower(self, ident))
        self.followers[-1].start()

    def line(self):
        self.number += 1
        return f"{self.number}"

    def invent(self, luck):
        """A text, an agent, and what to expect of it."""
        with self.ledger.lock:
            a, b = self.line(), self.line()
        say = f"echo {a} >> {self.side}"
        slow = f"{say}; sleep 0.0{luck.randrange(10)}; echo {b} >> {self.side}"
        kind = luck.choice(("echo", "nap", "sleep", "ask", "artifact", "fail", "append", "append", "slow",
                            "write", "think", "think"))
        if kind == "think":
            words = self.mock.play(f"work {a}", calls(("shell_exec", shell(say))),
                                   calls(("shell_exec", shell(slow.replace(say, "true"))),
                                         ("system_time", {})), says("All done."))
            return words, "thinker", Task(kind, (a, b))
        text, lines, files = {
            "echo": ("/echo " + f"word {a} " * luck.randrange(1, 50), (), None),
            "nap": (f"/sleep {luck.randrange(100)}ms", (), None),
            "sleep": ("/sleep 3600", (), None),
            "ask": (f"/ask what about {a}?", (), None),
            "artifact": (f"/artifact a{a}.md remember {a}", (), None),
            "fail": (f"/fail reason {a}", (), None),
            "append": ("/call shell_exec " + json.dumps(shell(say)), (a,), None),
            "slow": ("/call shell_exec " + json.dumps(shell(slow)), (a, b), None),
            "write": ("/call file_write " + json.dumps({"path": f"made/{a}", "content": a}), (),
                      {f"made/{a}": a}),
        }[kind]
        return text, "default", Task(kind, lines, files)

    def processes(self):
        """All that a trefoil has started here, and itself, but for dead ones."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if f"{MARK}={self.mark}\0".encode() in entry.read_bytes():
                    found.append(int(entry.parent.name))
            except OSError:
                pass
        return found

    def bury(self):
        """It was killed: wait for all that belongs to it."""
        self.daemon.process.wait(DEADLINE)
        text = self.daemon.process.stderr.read().decode(errors="replace")
        assert "Sanitizer" not in text and "runtime error" not in text, text
        for follower in self.followers:
            follower.join(DEADLINE)
        for guest in self.guests:
            guest.process.kill()
            guest.process.communicate()
        errors = [f.error for f in self.followers if f.error]
        self.followers, self.guests = [], []
        for pipe in (self.daemon.process.stdin, self.daemon.process.stdout, self.daemon.process.stderr):
            pipe.close()
        wait_for("the end of all it started", lambda: not self.processes())
        equal(errors, [])


# ---- what must hold ------------------------------------------------------------------------------

class Found:
    """What is in the store, read beside the daemon."""

    def __init__(self, root):
        db = sqlite3.connect(f"file:{database(root)}?mode=ro", uri=True, timeout=DEADLINE)
        try:
            db.execute("BEGIN")
            self.whole = db.execute("PRAGMA integrity_check").fetchall()
            self.rows = {r[1]: r for r in db.execute(
                "SELECT n, id, state, text, result, ended, last_seq, final, process, canceled,"
                " spec FROM tasks")}
            self.count = db.execute("SELECT tasks FROM task_count").fetchone()[0]
            by_n = collections.defaultdict(list)
            for place, *event in db.execute("SELECT place, at, kind, body FROM task_events ORDER BY place"):
                by_n[place >> 32].append((place & 0xffffffff, *event))
            self.events = {i: by_n[r[0]] for i, r in self.rows.items()}
        finally:
            db.close()

    def is_final(self, ident):
        return bool(self.rows[ident][7])


def moment(text):
    """Milliseconds since 1970."""
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def check_tasks(ledger, found):
    equal(found.whole, [("ok",)])
    equal(found.count, len(found.rows))
    lost = [i for i in ledger.tasks if i not in found.rows]
    equal(lost, [])
    for ident, state in ledger.ended.items():
        equal((ident, found.rows[ident][2]), (ident, state))
    for ident, told in ledger.whole.items():
        row = found.rows[ident]
        equal((told["state"], told.get("text") or "", told["events"]), (row[2], row[3], row[6]))
        equal(told.get("result"), json.loads(row[4]) if row[4] else None)
    for ident, row in ledger.rows.items():
        if row[7]:
            equal(found.rows[ident], row)


def check_events(ledger, found):
    for ident, events in found.events.items():
        row = found.rows[ident]
        equal([e[0] for e in events], list(range(1, row[6] + 1)))
        before = ledger.events.get(ident, [])
        equal(events[:len(before)], before)
        states = [json.loads(e[3])["state"] for e in events if e[2] == "status"]
        equal([s for s in states if s in FINAL], [row[2]] if row[7] else [])
    for ident, seen in ledger.seen.items():
        stored = {e[0]: e for e in found.events[ident]}
        for seq, told in seen.items():
            _, at, kind, body = stored[seq]
            equal((moment(told["time"]), told["kind"], told["body"]), (at, kind, json.loads(body)))


def ends_of_calls(events):
    """How the calls of a task ended: each once."""
    bodies = [json.loads(e[3]) for e in events if e[2] == "tool"]
    ends = [b for b in bodies if b["status"] in ("done", "failed", "canceled")]
    equal(len({b["id"] for b in ends}), len(ends))
    return ends


def check_effects(place, found):
    lines = collections.Counter(place.side.read_text().split() if place.side.exists() else ())
    equal([line for line, n in lines.items() if n > 1], [])
    for ident, task in place.ledger.tasks.items():
        ends = ends_of_calls(found.events[ident])
        for call in ends:  # nothing else goes wrong here
            assert call["status"] != "failed" or INTERRUPTED in call["text"] or \
                (call["text"] == "[cancelled]" and found.rows[ident][2] == "canceled"), call
        if not any(call["status"] == "done" for call in ends):
            continue
        if task.kind in ("append", "slow"):
            equal((ident, [lines[line] for line in task.lines]), (ident, [1] * len(task.lines)))
        for path, content in task.files.items():
            equal((place.root / path).read_text(), content)


def get(place, path):
    answer = whole(place.daemon.request("GET", path))
    equal(answer.status, 200)
    return answer.json()


def settled(place):
    """What is stored once all that can come to an end has."""
    def look():
        found = Found(place.root)
        return all(row[7] or goes_on(place, row) for row in found.rows.values()) and found
    return wait_for("all tasks to end or to go on", lambda: check_alive(place) and look())


def goes_on(place, row):
    """One that sleeps or asks, that nobody has cancelled, and that the one who lives works on."""
    return not row[9] and json.loads(row[10])["text"].startswith(("/sleep 3600", "/ask")) and \
        row[2] in ("working", "input_required") and row[8].split("/")[-2] == str(place.daemon.pid)


def check_alive(place):
    if place.daemon.process.poll() is not None:
        raise Gone
    return True


def verify(place):
    """All that was ever told still holds."""
    ledger = place.ledger
    found = settled(place)
    check_tasks(ledger, found)
    check_events(ledger, found)
    check_effects(place, found)
    for lock in get(place, "/api/locks")["locks"]:
        equal(found.is_final(lock["task"]), False)
    ledger.rows, ledger.events = found.rows, found.events
    for ident in list(ledger.tasks)[-30:]:
        ledger.know(get(place, f"/api/tasks/{ident}"))
    return found


# ---- rounds --------------------------------------------------------------------------------------

class Tally:
    def __init__(self):
        self.kills = collections.Counter()
        self.live, self.starting, self.commits = [], 0, 0

    def note(self, shim, live):
        where = ("by hand", "before a write", "within a write", "after a write", "before a sync",
                 "after a sync", "around a cut")[shim.died]
        self.kills[where] += 1
        self.kills["of an open transaction" if shim.died and shim.open else "between transactions"] += 1
        self.live.append(live)
        self.commits += shim.commits


def aim(shim, luck):
    """When to die: at some instant, or at one of a commit."""
    if luck.random() < 0.5:
        shim.kill_at = shim.instants + int(math.exp(luck.uniform(0, math.log(4000))))
    else:
        shim.kill_kind = luck.randrange(BEFORE_WRITE, AFTER_SYNC + 1)
        shim.kill_in = shim.commits + luck.randrange(1, 50)


def work(place, label):
    """Clients at work until trefoil dies, or they are done and it is killed."""
    luck = random.Random(f"{SEED} {label}")
    clients = [Client(place, kind, random.Random(f"{SEED} {label} {n}")) for n, kind in enumerate(CLIENTS)]
    aim(place.shim, luck)
    for client in clients:
        client.start()
    end = time.monotonic() + DEADLINE
    while any(c.is_alive() for c in clients) and time.monotonic() < end:
        for client in clients:
            client.join(0.01)
        if place.daemon.process.poll() is not None:
            break
    if not place.shim.died:
        place.daemon.process.kill()
        gone = [c.gone for c in clients if c.gone]
        assert place.shim.died or not gone, f"not answered, although it was not killed: {gone}"
    return clients


def live_in(place):
    try:
        return sum(not row[7] for row in Found(place.root).rows.values())
    except sqlite3.Error:
        return 0


def one_life(place, n, tally):
    """Start, look whether all is there, work, die."""
    luck = random.Random(f"{SEED} life {n}")
    place.shim.clear()
    early = luck.random() < 0.25
    if early:
        place.shim.kill_at = int(math.exp(luck.uniform(0, math.log(400))))
    clients = []
    try:
        if place.start():
            verify(place)
            place.shim.kill_at = 0
            clients = work(place, f"work {n}")
    except (Gone, OSError):
        if not place.shim.died:
            raise
    place.daemon.process.wait(DEADLINE)
    for client in clients:
        client.join(DEADLINE)
    place.bury()
    equal([repr(c.error) for c in clients if c.error], [])
    tally.starting += bool(early and not clients)
    tally.note(place.shim, live_in(place))


@case
def what_was_acknowledged_survives_every_kill(folder):
    place, tally = Place(folder, Mock()), Tally()
    for n in range(ROUNDS):
        try:
            one_life(place, n, tally)
        except Exception:
            print(f"# in round {n}", flush=True)
            raise
    place.shim.clear()
    assert place.start()
    last(place, tally)
    place.daemon.leave()
    equal(place.daemon.process.wait(DEADLINE), 0)
    place.bury()


def last(place, tally):
    """Everything ends, and nothing is left."""
    found = verify(place)
    for ident, row in found.rows.items():
        if not row[7]:
            Rest(place).cancel(ident, place.ledger)
    found = verify(place)
    equal([i for i, row in found.rows.items() if not row[7]], [])
    wait_for("no lock to be left", lambda: not get(place, "/api/locks")["locks"])
    states = collections.Counter(row[2] for row in found.rows.values())
    told = sum(any(INTERRUPTED in e[3] for e in events) for events in found.events.values())
    print(f"# {ROUNDS} kills, {tally.starting} of them while it started or recovered: {dict(tally.kills)}")
    print(f"# {tally.commits} commits; live tasks at a kill: {sum(tally.live) / len(tally.live):.1f},"
          f" at most {max(tally.live)}")
    print(f"# {len(place.ledger.tasks)} tasks acknowledged, {len(found.rows)} stored: {dict(states)};"
          f" {told} were told of an interrupted call; {sum(map(len, place.ledger.seen.values()))} events"
          " seen by followers", flush=True)


print(f"# {SIZE}, {ROUNDS} rounds, CHAOS_SEED={SEED}", flush=True)
main(seconds=7200)
