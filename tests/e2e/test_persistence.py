"""What outlives a process: sessions in SQLite and their logs, notes of agents, turns that were cut off."""
import json
import signal

from harness import Process, case, equal, has, main, run, wait_for
from task_client import OFFLINE, Local, Remote


class Place:
    """A project and the state of its user, side by side."""

    def __init__(self, folder):
        self.root, self.folder = folder / "project", folder
        self.root.mkdir()
        self.env = {"XDG_STATE_HOME": str(folder / "state"), **OFFLINE}

    def run(self, *words):
        done = run("run", *words, root=self.root, **self.env)
        equal((done.returncode, done.stderr if done.returncode else b""), (0, b""))
        return done.stdout.decode()

    def sessions(self):
        return json.loads(run("sessions", "--json", root=self.root, **self.env).stdout)

    def shown(self, ident):
        return run("sessions", "show", ident, root=self.root, **self.env).stdout.decode()


@case
def sessions_are_kept_in_sqlite_by_default(folder):
    place = Place(folder)
    place.run("/echo one")
    place.run("-c", "/echo two")
    session, = place.sessions()
    equal(place.shown(session["id"]), "> /echo one\none\n> /echo two\ntwo\n")
    databases = [path for path in folder.rglob("*.db") if path.is_file()]
    equal([path.read_bytes()[:15] for path in databases], [b"SQLite format 3"])


@case
def a_session_survives_a_process_that_is_killed(folder):
    place = Place(folder)
    place.run("/echo before")
    ident = place.sessions()[0]["id"]
    with Process("run", "--json", "-c", "/sleep 3600", root=place.root, **place.env) as process:
        equal(json.loads(process.process.stdout.readline())["session"], ident)
        wait_for("its prompt", lambda: "/sleep 3600" in place.shown(ident))
        process.process.kill()
        process.expect = -signal.SIGKILL
        process.process.wait()
    has(place.shown(ident), "> /echo before\nbefore\n> /sleep 3600\n")
    equal([s["id"] for s in place.sessions()], [ident])


@case
def notes_of_an_agent_are_there_in_the_next_session(folder):
    place = Place(folder)

    def memory(**arguments):
        return place.run("/call memory " + json.dumps(arguments))
    memory(action="set", key="colour", value="blue as the sea")
    has(memory(action="get", key="colour"), "blue as the sea")
    has(memory(action="list"), "colour")
    memory(action="delete", key="colour")
    equal("blue" in memory(action="list"), False)


@case
def the_log_of_a_session_keeps_every_task_of_it(folder):
    place = Place(folder)
    for kind in (Local, Remote):
        with kind(root=place.root, **place.env) as t:
            ident = t.end(t.dispatch("/echo one"))["session_id"]
            t.end(t.dispatch("/fail two", session_id=ident))
            t.end(t.dispatch("/echo three", session_id=ident))
            path = place.root / f".trefoil/logs/{ident}.log"
            wait_for("three ends", lambda p=path: p.exists() and p.read_text().count('"type":"end"') == 3)
            events = [json.loads(line)["event"] for line in path.read_text().splitlines()]
            equal([e["text"] for e in events if e["type"] == "prompt" and e["text"].startswith("/")],
                  ["/echo one", "/fail two", "/echo three"])
            equal([e["stop"] for e in events if e["type"] == "end"], ["end", "failed", "end"])


main()
