"""Tasks in processes of their own: isolate = true."""
import json
import os
import pathlib
import signal

from harness import AUTO, Serve, alive, case, equal, has, main, wait_for

SLEEP = '/call shell_exec {"shell":true,"command":"exec sleep 600"}'


def agent(root, name, more=""):
    folder = root / ".trefoil" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(f"---\ndescription: one\n{more}---\nWork.\n")


def serve(root, config="", limits=""):
    own = root / "own.toml"
    own.write_text('[mcp]\nmode = "read-write"\n' + config + AUTO + "[limits]\ntask_look_ms = 100\n" + limits)
    return Serve("--config", str(own), root=root, TREFOIL_PROVIDER="offline")


def dispatch(t, text, **more):
    answer = t.request("POST", "/api/tasks", json.dumps({"task": text, **more}).encode(),
                       content_type="application/json")
    equal(answer.status, 201)
    return answer.json()["id"]


def task(t, ident):
    return t.request("GET", f"/api/tasks/{ident}").json()


def ended(t, ident):
    def look():
        got = task(t, ident)
        return got if got["state"] in ("completed", "failed", "canceled", "rejected") else None
    return wait_for("the task to end", look)


def below(pid):
    """All processes that came from it."""
    try:
        kids = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [k for kid in kids for k in (int(kid), *below(int(kid)))]


def words(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return []


def worker(t, ident):
    """The process that works on a task, under its keeper."""
    for pid in below(t.pid):
        if words(pid)[1:4] == [b"tasks", b"work", ident.encode()]:
            return pid
    return None


def sleeper(t):
    """The program that its agent runs."""
    return next((pid for pid in below(t.pid) if words(pid)[:1] == [b"sleep"]), None)


def busy(t, ident):
    """The task's process, once its agent runs a program."""
    wait_for("its program", lambda: sleeper(t))
    return worker(t, ident)


@case
def an_agent_may_want_a_process_of_its_own(root):
    agent(root, "apart", "isolate: true\n")
    with serve(root) as t:
        ident = dispatch(t, SLEEP, agent="apart")
        pid = busy(t, ident)
        equal((pid is not None, pid == t.pid), (True, False))
        equal(sleeper(t) in below(pid), True)
        t.request("POST", f"/api/tasks/{ident}/cancel")
        equal(ended(t, ident)["state"], "canceled")
        wait_for("all of it to be gone", lambda: not below(t.pid))


@case
def it_works_like_any_other_and_its_process_leaves(root):
    with serve(root, "[tasks]\nisolate = true\n") as t:
        ident = dispatch(t, "/echo from there")
        got = ended(t, ident)
        equal((got["state"], got["result"]["response"]), ("completed", "from there"))
        wait_for("its process to leave", lambda: not below(t.pid))
        stream = t.request("GET", f"/api/tasks/{ident}/events")
        has(stream.body, b"completed")


@case
def one_task_may_ask_for_it(root):
    with serve(root) as t:
        ident = dispatch(t, SLEEP, isolate=True)
        equal(busy(t, ident) is not None, True)
        other = dispatch(t, "/echo here")
        equal(ended(t, other)["state"], "completed")
        equal(worker(t, other), None)


@case
def a_process_that_is_killed_fails_its_task(root):
    with serve(root, "[tasks]\nisolate = true\n") as t:
        ident = dispatch(t, SLEEP)
        os.kill(busy(t, ident), signal.SIGKILL)
        got = ended(t, ident)
        equal(got["state"], "failed")
        has(got["text"], "the process that worked on the task has ended: was killed by signal 9")
        wait_for("all of it to be gone", lambda: not below(t.pid))
        equal(ended(t, dispatch(t, "/echo next"))["state"], "completed")


@case
def a_process_that_hangs_is_ended_when_its_task_is_cancelled(root):
    with serve(root, "[tasks]\nisolate = true\n", "child_polite_ms = 100\nchild_term_ms = 100\n") as t:
        ident = dispatch(t, SLEEP)
        os.kill(busy(t, ident), signal.SIGSTOP)
        t.request("POST", f"/api/tasks/{ident}/cancel")
        equal(ended(t, ident)["state"], "canceled")
        wait_for("all of it to be gone", lambda: not below(t.pid))


@case
def a_process_that_fails_says_why(root):
    with serve(root, "[tasks]\nisolate = true\n") as t:
        (root / "own.toml").write_text("[limits]\nno_such_limit = 1\n")  # read by the next process
        got = ended(t, dispatch(t, "/echo x"))
        equal(got["state"], "failed")
        has(got["text"], "the process that worked on the task has ended: exited with code 2; its last output: trefoil: ")
        has(got["text"], "no_such_limit")


@case
def nothing_outlives_a_daemon_that_is_killed_and_the_next_goes_on(root):
    with serve(root, "[tasks]\nisolate = true\n") as t:
        ident = dispatch(t, SLEEP)
        busy(t, ident)
        tree = below(t.pid)
        t.process.kill()
        t.expect = -signal.SIGKILL
        wait_for("all of it to be gone", lambda: not any(alive(pid) for pid in tree))
    with serve(root, "[tasks]\nisolate = true\n") as t:
        equal(ended(t, ident)["state"], "completed")


@case
def a_daemon_that_stops_takes_its_processes_along(root):
    with serve(root, "[tasks]\nisolate = true\n") as t:
        ident = dispatch(t, SLEEP)
        busy(t, ident)
        tree = below(t.pid)
        t.leave()
        t.process.wait(60)
        equal([pid for pid in tree if alive(pid)], [])


main()
