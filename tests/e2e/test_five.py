"""Five sub-agents of one client at once, over stdio and HTTP: they work side by side, write into the
scratch folder one at a time, hand over what is theirs, and one that is cancelled takes nobody along.

That they work at the same time is not concluded from clocks: each waits at a gate (a file, or a turn
to write that the test holds) until all five were seen there."""
import ctypes
import json
import os
import re
import struct

from harness import AUTO, alive, case, equal, has, main, run, wait_for
from lock_rows import Database
from model_mock import FORMATS, Mock, calls, environment_for, says
from task_client import Local, Remote, allowing

FIVE = ["ant", "bee", "cat", "dog", "elk"]
KINDS = (Local, Remote)


# ---- what happens in a folder, as the kernel tells it ----------------------------------------------

IN_CREATE, IN_MOVED_TO, IN_CLOEXEC, IN_NONBLOCK = 0x100, 0x80, 0o2000000, 0o4000
FRESH = re.compile(r"\.trefoil-.*\.tmp$")  # what becomes the file, once it is whole


class Writes:
    """Files of a folder as they are made and put in place, in the order of the kernel."""

    def __init__(self, folder):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(IN_CLOEXEC | IN_NONBLOCK)
        if self.fd < 0 or libc.inotify_add_watch(self.fd, os.fsencode(folder),
                                                 IN_CREATE | IN_MOVED_TO) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def steps(self):
        """("begins", None) and ("ends", NAME), as they came."""
        data, steps = os.read(self.fd, 1 << 20), []
        while data:
            _, mask, _, size = struct.unpack_from("iIII", data)
            name = data[16:16 + size].rstrip(b"\0").decode()
            data = data[16 + size:]
            if mask & IN_CREATE and FRESH.match(name):
                steps.append(("begins", None))
            elif mask & IN_MOVED_TO:
                steps.append(("ends", name))
        os.close(self.fd)
        return steps


def one_at_a_time(steps):
    """The names of the files, in order. Each was whole before the next was begun."""
    equal([what for what, _ in steps], ["begins", "ends"] * (len(steps) // 2))
    return [name for what, name in steps if what == "ends"]


# ---- gates ----------------------------------------------------------------------------------------

def at_the_gate(name, then):
    """A command that says it is there and goes on when the gate is open."""
    return {"command": f"touch {name}.here; until [ -e open ]; do sleep 0.01; done; {then}",
            "shell": True}


def all_are_here(t, root, idents):
    """Each has begun and none has ended: all five work at once."""
    wait_for("all five", lambda: all((root / f"{name}.here").exists() for name in FIVE))
    equal([t.status(ident)["status"] for ident in idents], ["working"] * 5)
    equal(t.use("list_tasks", live=True)["count"], 5)


def fresh(root, kind):
    folder = root / kind.__name__
    (folder / ".vault").mkdir(parents=True)
    return folder


class Turn:
    """The turn to write into the scratch folder, which another process (we) has until we give it back."""

    def __init__(self, t, root):
        self.db = Database(root)
        wait_for("the store", self.db.is_there)
        t.use("get_locks")
        self.db.put("turn/another", ".vault/theirs")

    def wanted_by(self, n):
        return wait_for("claims", lambda: len(self.db.waiting()) == n)

    def give(self):
        self.db.drop("turn/another")


# ---- side by side -----------------------------------------------------------------------------------

@case
def five_work_at_the_same_time_and_each_hands_over_its_own(root):
    for kind in KINDS:
        folder = fresh(root, kind)
        with kind(*allowing(), root=folder) as t:
            idents = t.dispatch_all([
                "/call shell_exec " + json.dumps(at_the_gate(
                    name, f"mkdir -p src; touch src/{name}.c {name}.md; echo wrote src/{name}.c, {name}.md"))
                for name in FIVE])
            equal(len(set(idents)), 5)
            all_are_here(t, folder, idents)
            (folder / "open").touch()
            for name, ident in zip(FIVE, idents):
                done = t.end(ident)
                equal(done["status"], "completed")
                has(done["result"]["response"], f"wrote src/{name}.c")
                equal(done["result"]["artifacts"], [f"{name}.md", f"src/{name}.c"])
            equal(t.use("list_tasks", live=True)["count"], 0)


@case
def five_that_take_long_are_all_working_and_all_listed(root):
    for kind in KINDS:
        with kind(root=fresh(root, kind)) as t:
            idents = t.dispatch_all(["/sleep 3000"] * 5, mode="read-only")
            wait_for("five locks", lambda: t.use("get_locks")["count"] == 5)
            equal([t.status(ident)["status"] for ident in idents], ["working"] * 5)
            equal({lock["taskId"] for lock in t.use("get_locks")["locks"]}, set(idents))
            for ident in idents:
                equal(t.use("cancel_task", task_id=ident)["status"], "cancelled")
            equal(t.use("get_locks")["count"], 0)


def told(root, ident):
    """All that happened to a task: (kind, body)."""
    lines = run("tasks", "watch", ident, "--json", root=root).stdout.splitlines()
    return [(event["kind"], event["body"]) for event in map(json.loads, lines)]


@case
def five_artifacts_are_kept_apart(root):
    for kind in KINDS:
        folder = fresh(root, kind)
        with kind(root=folder) as t:
            idents = t.dispatch_all([f"/artifact {name}.md words of the {name}" for name in FIVE])
            for name, ident in zip(FIVE, idents):
                equal(t.end(ident)["result"]["artifacts"], [f"{name}.md"])
                made = [body for what, body in told(folder, ident) if what == "artifact"]
                equal([(a["name"], a["parts"][0]["text"]) for a in made], [(f"{name}.md", f"words of the {name}")])


# ---- writing into the scratch folder ----------------------------------------------------------------

@case
def five_write_into_the_vault_one_at_a_time(root):
    long = "x" * 300_000  # it takes a moment to write
    for kind in KINDS:
        folder = fresh(root, kind)
        with kind(*allowing(), root=folder) as t:
            turn, seen = Turn(t, folder), Writes(folder / ".vault")
            idents = t.dispatch_all([
                "/call file_write " + json.dumps({"path": f".vault/{name}.txt", "content": long + name})
                for name in FIVE], mode="read-only")
            turn.wanted_by(5)
            equal([t.status(ident)["status"] for ident in idents], ["working"] * 5)
            equal({lock["taskId"] for lock in t.use("get_locks")["locks"]}, set(idents))
            equal(list((folder / ".vault").iterdir()), [])
            turn.give()
            for name, ident in zip(FIVE, idents):
                done = t.end(ident)
                equal((done["status"], done["mode"]), ("completed", "read-only"))
                equal(done["result"]["artifacts"], [f".vault/{name}.txt"])
                equal((folder / ".vault" / f"{name}.txt").read_text(), long + name)
            equal(sorted(one_at_a_time(seen.steps())), [f"{name}.txt" for name in FIVE])
            equal(t.use("get_locks")["count"], 0)


@case
def with_wait_they_run_one_after_the_other(root):
    config = '[tasks]\nlock_conflict = "wait"\n'
    for kind in KINDS:
        folder = fresh(root, kind)
        with kind(*allowing(config), root=folder) as t:
            seen = Writes(folder / ".vault")
            first = t.dispatch("/sleep 3000", mode="read-only")
            wait_for("its lock", lambda: t.use("get_locks")["count"] == 1)
            idents = [t.dispatch(f'/call file_write {{"path":".vault/{name}.txt","content":"{name}"}}',
                                 mode="read-only") for name in FIVE]
            equal([t.status(ident)["status"] for ident in idents], ["working"] * 5)
            equal([lock["taskId"] for lock in t.use("get_locks")["locks"]], [first])
            equal(list((folder / ".vault").iterdir()), [])
            t.use("cancel_task", task_id=first)
            equal([t.end(ident)["status"] for ident in idents], ["completed"] * 5)
            equal(one_at_a_time(seen.steps()), [f"{name}.txt" for name in FIVE])


# ---- cancelling one ---------------------------------------------------------------------------------

def family(folder):
    """The ids that a program and all it started have written down."""
    pids = [folder / name for name in ("child.pid", "grandchild.pid", "stray.pid")]
    wait_for("the family", lambda: all(p.exists() and p.read_text().endswith("\n") for p in pids))
    return [int(p.read_text()) for p in pids]


@case
def one_is_cancelled_with_all_its_processes_and_the_other_four_complete(root):
    deep = ("echo $$ >child.pid; (sh -c 'echo $$ >grandchild.pid; exec sleep 3000' &); "
            "setsid sh -c 'echo $$ >stray.pid; exec sleep 3000' & touch ant.here; wait")
    for kind in KINDS:
        folder = fresh(root, kind)
        with kind(*allowing(), root=folder) as t:
            commands = [{"command": deep, "shell": True}]
            commands += [at_the_gate(name, f"echo {name} is done") for name in FIVE[1:]]
            idents = t.dispatch_all(["/call shell_exec " + json.dumps(c) for c in commands])
            all_are_here(t, folder, idents)
            pids = family(folder)
            equal([alive(pid) for pid in pids], [True] * 3)
            equal(t.use("cancel_task", task_id=idents[0])["status"], "cancelled")
            wait_for("the end of all three", lambda: not any(alive(pid) for pid in pids))
            equal([t.status(ident)["status"] for ident in idents], ["cancelled"] + ["working"] * 4)
            (folder / "open").touch()
            for name, ident in zip(FIVE[1:], idents[1:]):
                done = t.end(ident)
                equal(done["status"], "completed")
                has(done["result"]["response"], f"{name} is done")


# ---- with a model -----------------------------------------------------------------------------------

MOCK = Mock()
READ_ONLY = "PERMISSION: this task is read-only."


def with_model(folder, kind, fmt):
    env = environment_for(MOCK, fmt, folder.with_name(folder.name + ".user"), '[mcp]\nmode = "read-write"\n' + AUTO)
    provider = "mock" if fmt == "openai responses" else fmt.split()[0]
    return kind(root=folder, TREFOIL_PROVIDER=provider, **env)


@case
def five_on_a_model_work_at_the_same_time(root):
    for kind, fmt in zip(KINDS, FORMATS):
        folder = fresh(root, kind)
        with with_model(folder, kind, fmt) as t:
            parts = [MOCK.play(f"work like the {name}",
                               calls(("shell_exec", at_the_gate(name, "echo through"))),
                               calls(("file_write", {"path": f"{name}.txt", "content": name})),
                               says(f"It is in `{name}.txt`, and the plan in docs/{name}.md."))
                     for name in FIVE]
            idents = t.dispatch_all(parts)
            all_are_here(t, folder, idents)
            (folder / "open").touch()
            for name, ident in zip(FIVE, idents):
                done = t.end(ident)
                equal((done["status"], done["model"] != "offline"), ("completed", True))
                equal(done["result"]["artifacts"], [f"{name}.txt"])
                equal((folder / f"{name}.txt").read_text(), name)
                equal(READ_ONLY in json.dumps(MOCK.asked(parts[FIVE.index(name)])), False)


@case
def five_on_a_model_write_into_the_vault_one_at_a_time(root):
    for kind, fmt in zip(KINDS, FORMATS[2:]):
        folder = fresh(root, kind)
        with with_model(folder, kind, fmt) as t:
            turn, seen = Turn(t, folder), Writes(folder / ".vault")
            parts = []
            for name in FIVE:
                pages = [("file_write", {"path": f".vault/{name}-{n}.md", "content": f"{name} {n}\n" * 9999})
                         for n in range(3)]
                parts.append(MOCK.play(f"write like the {name}", calls(*pages[:2]), calls(pages[2]),
                                       says("All is written.")))
            idents = t.dispatch_all(parts, mode="read-only")
            turn.wanted_by(10)
            equal([t.status(ident)["status"] for ident in idents], ["working"] * 5)
            equal(t.use("get_locks")["count"], 5)
            turn.give()
            for name, ident in zip(FIVE, idents):
                done = t.end(ident)
                equal(done["status"], "completed")
                equal(done["result"]["artifacts"], [f".vault/{name}-{n}.md" for n in range(3)])
                has(json.dumps(MOCK.asked(parts[FIVE.index(name)])[0]), READ_ONLY)
            written = one_at_a_time(seen.steps())
            equal(sorted(written), sorted(f"{name}-{n}.md" for name in FIVE for n in range(3)))


main()
