"""What lists of sessions, tasks, approvals and locks say: short ids, titles, unclean ends."""
import json

from harness import AUTO, case, equal, has, main, run, wait_for
from task_client import OFFLINE, Remote, read_write

PARTS = 8  # characters of a short id


def listed(root, verb, *words):
    """The lines of a list, each as its words."""
    done = run(verb, *words, root=root)
    equal(done.returncode, 0)
    return [line.split() for line in done.stdout.decode().splitlines()]


def whole(root, verb):
    return [entry["id"] for entry in json.loads(run(verb, "--json", root=root).stdout)]


def show(root, verb, ident):
    return run(verb, "show", ident, root=root)


@case
def short_ids_tell_apart_what_was_made_in_the_same_second(root):
    for n in range(6):
        equal(run("agents", "dispatch", "default", f"/echo {n}", root=root, **OFFLINE).returncode, 0)
    for verb in ("tasks", "sessions"):
        ids = whole(root, verb)
        shorts = [line[0] for line in listed(root, verb)]
        equal(shorts, [i[-PARTS:] for i in ids])
        equal(len(set(shorts)), 6)
        for short, ident in zip(shorts, ids):
            equal(show(root, verb, short).stdout, show(root, verb, ident).stdout)
            equal(show(root, verb, ident[:-1]).stdout, show(root, verb, ident).stdout)
            equal(show(root, verb, short[:-1]).returncode, 0)
        has(show(root, verb, ids[0][:6]).stderr.decode(), f"several {verb[:-1]} IDs begin with")
        has(show(root, verb, "zzzzzzzz").stderr.decode(), f"there is no {verb[:-1]} zzzzzzzz")
    session = listed(root, "sessions")[0][0]
    done = run("run", "--session", session, "/echo again", root=root, **OFFLINE)
    equal(done.stdout, b"again\n")


@case
def approvals_and_locks_have_short_ids(root):
    with Remote(root=root) as server:
        task = server.dispatch("/ask which colour?", mode="read-only")
        wait_for("the question", lambda: server.status(task)["status"] == "input_required")
        equal(listed(root, "approvals")[0][0], task[-PARTS:])
        equal(listed(root, "locks")[0][0], task[-PARTS:])
        has(run("approvals", "show", task[-PARTS:], root=root).stdout.decode(), task)
        equal(run("tasks", "cancel", task[-PARTS:], root=root).returncode, 0)


@case
def the_session_of_a_task_is_titled_by_what_was_asked(root):
    with Remote(root=root) as server:
        for mode in ("read-only", "read-write"):
            server.end(server.dispatch(f"/echo the {mode} task\nmore", mode=mode))
    titles = [s["title"] for s in json.loads(run("sessions", "--json", root=root).stdout)]
    equal(sorted(titles), ["/echo the read-only task", "/echo the read-write task"])


@case
def an_end_after_an_interrupted_call_is_shown_apart(root):
    own = read_write(AUTO)
    side = root / "side.txt"
    with Remote(*own, root=root) as server:
        clean = server.dispatch("/echo clean")
        equal(server.end(clean)["status"], "completed")
        cut = server.dispatch("/call shell_exec " + json.dumps(
            {"command": f"echo x >> {side}; sleep 600", "shell": True}), mode="read-write")
        wait_for("the command", side.exists)
        server.expect = -9
        server.process.kill()
    with Remote(*own, root=root) as server:
        end = server.end(cut)
        equal((end["status"], end["interrupted"], end["result"]["interrupted"]), ("completed", 1, 1))
        equal("interrupted" in server.end(clean), False)
        answer = server.request("GET", f"/api/tasks/{cut}").json()
        equal(answer["interrupted"], 1)
    states = {line[0]: line[3:6] for line in listed(root, "tasks")}
    equal(states[cut[-PARTS:]], ["completed,", "1", "interrupted"])
    equal(states[clean[-PARTS:]][0], "completed")
    has(show(root, "tasks", cut).stdout.decode(), "completed, 1 interrupted")
    tasks = {t["id"]: t for t in json.loads(run("tasks", "--json", root=root).stdout)}
    equal((tasks[cut].get("interrupted"), tasks[clean].get("interrupted")), (1, None))


main()
