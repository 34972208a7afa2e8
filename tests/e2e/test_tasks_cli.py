"""trefoil tasks, locks and agents dispatch: what agents are given to do, seen from a shell."""
import json
import os
import pty
import signal
import subprocess

from harness import (DEADLINE, TREFOIL, Serve, case, environment, equal, has, main, run, wait_for)

FAILED, USAGE, INTERRUPTED = 1, 2, 130


def dispatch(root, text, *words, agent="default"):
    return run("agents", "dispatch", agent, text, *words, root=root, TREFOIL_PROVIDER="offline")


def tasks(root, *words):
    return run("tasks", *words, root=root)


def listed(root, *words):
    return json.loads(tasks(root, "--json", "--all", *words).stdout)


def start(root, *words):
    return subprocess.Popen([TREFOIL, *words, "--root", str(root)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment(TREFOIL_PROVIDER="offline"))


def events(root, ident, *words):
    return [json.loads(line) for line in tasks(root, "events", ident, *words).stdout.splitlines()]


def sleeping(root, seconds="3600"):
    """A dispatch that runs, and the id of its task."""
    process = start(root, "agents", "dispatch", "default", f"/sleep {seconds}")
    ident = wait_for("the task works", lambda: next(
        (t["id"] for t in listed(root, "--live") if t["state"] == "working"), None))
    return process, ident


def end(process, code):
    """What is left of its output, after lines that were read; it must end like this."""
    out, err = process.stdout.read(), process.stderr.read()
    process.wait(DEADLINE)
    process.stdout.close()
    process.stderr.close()
    if process.returncode != code:
        raise AssertionError(f"ended with {process.returncode}: {err!r}")
    return out, err


@case
def a_fresh_folder_has_none_and_gets_nothing(root):
    equal(tasks(root).stdout, b"")
    equal(listed(root), [])
    equal(json.loads(run("locks", "--json", root=root).stdout), [])
    missing = tasks(root, "show", "x")
    equal(missing.returncode, FAILED)
    has(missing.stderr, b"are stored")
    equal(list(root.iterdir()), [])


@case
def a_dispatched_task_is_shown_like_a_run_and_kept(root):
    done = dispatch(root, "/echo hello")
    equal((done.returncode, done.stdout), (0, b"hello\n"))
    [task] = listed(root)
    has(done.stderr, task["id"].encode())
    equal((task["state"], task["agent"], task["task"], task["owner"]),
          ("completed", "default", "/echo hello", f"user:{os.getuid()}"))
    whole = json.loads(tasks(root, "show", task["id"], "--json").stdout)
    equal((whole["result"]["response"], whole["result"]["stop"]), ("hello", "end"))
    shown = tasks(root, "show", task["id"][:20]).stdout.decode()
    has(shown, "state      completed\n")
    has(shown, "\n\nhello\n")
    has(tasks(root).stdout.decode(), "/echo hello")


@case
def json_tells_every_event_with_its_number(root):
    lines = [json.loads(line) for line in dispatch(root, "/echo hi", "--json").stdout.splitlines()]
    equal((lines[0]["type"], lines[0]["agent"]), ("begin", "default"))
    equal([e["seq"] for e in lines[1:]], list(range(1, len(lines))))
    equal([e["body"]["state"] for e in lines[1:] if e["kind"] == "status"],
          ["submitted", "working", "completed"])
    equal(events(root, lines[0]["task"]), lines[1:])


@case
def a_failed_task_fails_the_verb(root):
    done = dispatch(root, "/fail badly")
    equal((done.returncode, done.stdout), (FAILED, b""))
    has(done.stderr, b"= failed: badly")
    equal([(t["state"], t["text"]) for t in listed(root)], [("failed", "badly")])


@case
def wrong_words_are_refused_with_what_is_accepted(root):
    unknown = dispatch(root, "/echo x", agent="nobody")
    equal(unknown.returncode, USAGE)
    has(unknown.stderr, b"nobody")
    for words, part in ((["--mode", "loud"], b"read-only or read-write"),
                        (["--max-turns", "0"], b"from 1 to"), (["--max-turns", "many"], b"from 1 to"),
                        (["--budget", "-1"], b"US dollars"), (["--budget", "x"], b"US dollars")):
        refused = dispatch(root, "/echo x", *words)
        equal(refused.returncode, USAGE)
        has(refused.stderr, part)
    equal(dispatch(root, " ").returncode, USAGE)
    equal(listed(root), [])
    for words in (["dance"], ["show"], ["show", "a", "b"], ["dance", "x"], ["events", "x", "--after", "y"]):
        equal(tasks(root, *words).returncode, USAGE)
    equal(run("locks", "all", root=root).returncode, USAGE)


@case
def mode_and_turns_reach_the_task(root):
    (root / "a").write_text("x\n")
    equal(dispatch(root, "/read a", "--mode", "read-only", "--max-turns", "1", "--wait").returncode, 4)
    [task] = listed(root)
    equal(task["mode"], "read-only")
    equal(json.loads(tasks(root, "show", task["id"], "--json").stdout)["result"]["stop"], "requests")


@case
def an_id_is_known_by_its_beginning(root):
    for i in range(3):
        dispatch(root, f"/echo {i}")
    ids = [t["id"] for t in listed(root)]
    equal(len(set(ids)), 3)
    same = os.path.commonprefix(ids)
    ambiguous = tasks(root, "show", same)
    equal(ambiguous.returncode, FAILED)
    has(ambiguous.stderr, b"several task IDs begin with")
    unknown = tasks(root, "watch", "zz")
    equal(unknown.returncode, FAILED)
    has(unknown.stderr, b"there is no task zz")
    equal(tasks(root, "show", ids[1]).returncode, 0)


@case
def the_list_is_short_filtered_or_whole(root):
    (root / ".trefoil" / "agents").mkdir(parents=True)
    (root / ".trefoil" / "agents" / "other.md").write_text("---\ndescription: x\n---\nBe brief.\n")
    for i in range(20):
        dispatch(root, f"/echo {i}")
    dispatch(root, "/echo last", agent="other")
    short = tasks(root)
    equal(len(short.stdout.splitlines()), 20)
    has(short.stdout.splitlines()[0], b"/echo last")
    has(short.stderr, b"--all")
    equal(len(listed(root)), 21)
    equal([t["task"] for t in listed(root, "--agent", "other")], ["/echo last"])
    equal(listed(root, "--live"), [])


@case
def a_task_of_another_process_is_watched_from_anywhere_and_by_many(root):
    (root / "trefoil.toml").write_text("[limits]\ntask_poll_ms = 20\n")
    process, ident = sleeping(root)
    first = start(root, "tasks", "watch", ident, "--json")
    second = start(root, "tasks", "watch", ident, "--json", "--after", "1")
    equal(json.loads(first.stdout.readline())["seq"], 1)
    equal(json.loads(second.stdout.readline())["seq"], 2)
    equal(tasks(root, "cancel", ident[:30]).returncode, 0)
    rest_of_first, _ = end(first, FAILED)
    rest_of_second, _ = end(second, FAILED)
    equal(json.loads(rest_of_first.splitlines()[-1])["body"]["state"], "canceled")
    equal(rest_of_first.splitlines()[1:], rest_of_second.splitlines())
    _, err = end(process, FAILED)
    has(err, b"= canceled")
    equal([t["state"] for t in listed(root)], ["canceled"])
    again = tasks(root, "cancel", ident)
    equal(again.returncode, FAILED)
    has(again.stderr, b"canceled")


@case
def one_that_has_ended_is_watched_to_its_end_at_once(root):
    dispatch(root, "/echo hello")
    [task] = listed(root)
    watched = tasks(root, "watch", task["id"])
    equal((watched.returncode, watched.stdout), (0, b"hello\n"))
    numbers = [e["seq"] for e in events(root, task["id"])]
    equal([e["seq"] for e in events(root, task["id"], "--after", "2")], numbers[2:])
    equal(events(root, task["id"], "--after", "1000"), [])
    dispatch(root, "/fail badly")
    failed = tasks(root, "watch", listed(root)[0]["id"])
    equal((failed.returncode, failed.stderr), (FAILED, b"= failed: badly\n"))


@case
def all_are_watched_on_one_screen(root):
    (root / "trefoil.toml").write_text("[limits]\ntask_poll_ms = 20\n")
    process, ident = sleeping(root)
    watcher = start(root, "tasks", "watch")
    equal(watcher.stdout.readline(), f"{ident}  default  status working\n".encode())
    dispatch(root, "/echo hello")
    [other] = [t["id"] for t in listed(root) if t["id"] != ident]
    for state in ("submitted", "working", "completed"):
        equal(watcher.stdout.readline(), f"{other}  default  status {state}\n".encode())
    watcher.send_signal(signal.SIGINT)
    end(watcher, INTERRUPTED)
    watcher = start(root, "tasks", "watch", "--json", "--after", "0")
    told = [json.loads(watcher.stdout.readline()) for _ in range(5)]
    equal([(e["task"], e["body"]["state"]) for e in told],
          [(ident, "submitted"), (ident, "working"), (other, "submitted"), (other, "working"),
           (other, "completed")])
    watcher.send_signal(signal.SIGINT)
    end(watcher, INTERRUPTED)
    tasks(root, "cancel", ident)
    end(process, FAILED)


@case
def an_interrupt_stops_watching_and_nothing_else(root):
    process, ident = sleeping(root)
    watcher = start(root, "tasks", "watch", ident, "--json")
    watcher.stdout.readline()
    watcher.send_signal(signal.SIGINT)
    end(watcher, INTERRUPTED)
    equal([t["state"] for t in listed(root)], ["working"])
    tasks(root, "cancel", ident)
    end(process, FAILED)


@case
def an_interrupt_of_dispatch_cancels_its_task(root):
    process, ident = sleeping(root)
    process.send_signal(signal.SIGINT)
    end(process, INTERRUPTED)
    equal([(t["id"], t["state"]) for t in listed(root)], [(ident, "canceled")])


@case
def one_whose_process_was_killed_is_said_to_be_idle_and_can_be_canceled(root):
    process, ident = sleeping(root)
    process.kill()
    end(process, -signal.SIGKILL)
    watcher = start(root, "tasks", "watch", ident)
    has(watcher.stderr.readline(), b"the task is not running")
    equal(tasks(root, "cancel", ident).returncode, 0)
    end(watcher, FAILED)
    equal([t["state"] for t in listed(root)], ["canceled"])


@case
def a_locked_path_is_listed_while_its_task_runs(root):
    process = start(root, "agents", "dispatch", "default", "/sleep 3600", "--mode", "read-only")
    [lock] = wait_for("the lock", lambda: json.loads(run("locks", "--json", root=root).stdout))
    equal((lock["agent"], [p.rstrip("/") for p in lock["paths"]]), ("default", [".vault"]))
    line = run("locks", root=root).stdout
    has(line, lock["task"][-8:].encode())
    has(line, b".vault")
    process.send_signal(signal.SIGINT)
    end(process, INTERRUPTED)
    equal(json.loads(run("locks", "--json", root=root).stdout), [])


@case
def a_question_that_nobody_can_answer_is_answered_with_no(root):
    (root / "trefoil.toml").write_text('[guard.permission]\nread = "ask"\n')
    (root / "a").write_text("x\n")
    refused = dispatch(root, "/read a")
    equal(refused.returncode, 3)
    has(refused.stderr, b"the question is declined")
    allowed = dispatch(root, "/read a", "--yes")
    equal((allowed.returncode, allowed.stdout), (0, b"x\n"))


@case
def a_terminal_shows_that_something_is_waited_for(root):
    process, ident = sleeping(root)
    parent, child = pty.openpty()
    with subprocess.Popen([TREFOIL, "tasks", "watch", ident, "--root", str(root)], stdin=child,
                          stdout=child, stderr=child,
                          env=environment(TERM="xterm")) as watcher:
        os.close(child)
        seen = b""
        while b" s" not in seen:
            seen += os.read(parent, 4096)
        watcher.send_signal(signal.SIGINT)
        equal(watcher.wait(DEADLINE), INTERRUPTED)
    os.close(parent)
    tasks(root, "cancel", ident)
    end(process, FAILED)


@case
def tasks_of_a_server_are_seen_and_canceled_from_a_shell(root):
    with Serve(root=root, TREFOIL_PROVIDER="offline") as server:
        body = json.dumps({"task": "/sleep 3600"}).encode()
        made = server.request("POST", "/api/tasks", body, content_type="application/json")
        ident = made.json()["id"]
        wait_for("it works", lambda: listed(root)[0]["state"] == "working")
        equal(tasks(root, "cancel", ident).returncode, 0)
        equal(server.request("GET", f"/api/tasks/{ident}").json()["state"], "canceled")


main()
