"""Sessions beside a process that holds them: lease, list with filters and pages, read, fork."""
import contextlib
import json
import signal
import sqlite3
import subprocess

from harness import DEADLINE, TREFOIL, case, environment, equal, has, main, make_state, run

USAGE = 2


def agent(root, *words):
    return run("run", *words, root=root, TREFOIL_PROVIDER="offline")


def sessions(root, *words):
    return run("sessions", *words, root=root)


def listed(root, *words):
    return json.loads(sessions(root, "list", "--json", *words).stdout)


@contextlib.contextmanager
def running(root, *words):
    """A second process with a turn under way; yields it and its session."""
    process = subprocess.Popen(
        [TREFOIL, "run", "--json", *words, "/sleep 600", "--root", str(root)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=environment(TREFOIL_PROVIDER="offline"))
    try:
        yield process, json.loads(process.stdout.readline())["session"]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=DEADLINE)


@case
def a_fork_copies_the_finished_turns_while_another_process_runs_the_next(root):
    agent(root, "/echo one")
    agent(root, "-c", "/echo two")
    with running(root, "-c") as (process, ident):
        done = sessions(root, "fork", ident)
        equal(done.returncode, 0)
        fork = done.stdout.decode().strip()
        equal(sessions(root, "show", fork).stdout, b"> /echo one\none\n> /echo two\ntwo\n")
        has(sessions(root, "show", ident).stdout, b"/sleep 600")
        has(sessions(root, "export", ident, "--format", "markdown").stdout, b"/sleep 600")
        by_id = {s["id"]: s for s in listed(root)}
        equal((by_id[ident]["in_use"], by_id[fork]["in_use"]), (True, False))
        equal(by_id[fork]["owner"], by_id[ident]["owner"])
        equal(by_id[fork]["cwd"], by_id[ident]["cwd"])
        equal(agent(root, "--session", fork, "/echo three").stdout, b"three\n")
    has(sessions(root, "show", fork).stdout, b"> /echo three\nthree\n")
    equal(b"three" in sessions(root, "show", ident).stdout, False)


@case
def a_fork_without_a_finished_turn_is_empty(root):
    with running(root) as (process, ident):
        done = json.loads(sessions(root, "fork", ident, "--json").stdout)
        equal((done["from"], done["records"]), (ident, 0))
        equal(sessions(root, "show", done["id"]).stdout, b"")


@case
def a_session_of_another_principal_is_not_forked(root):
    agent(root, "/echo secret")
    [session] = listed(root)
    db = sqlite3.connect(make_state(root) / "trefoil.db")
    db.execute("UPDATE sessions SET owner = 'key:other'")
    db.commit()
    db.close()
    done = sessions(root, "fork", session["id"])
    equal(done.returncode, 1)
    has(done.stderr, b"belongs to key:other")
    equal(len(listed(root)), 1)


@case
def a_refused_lease_names_the_holder_and_a_dead_holder_loses_it_at_once(root):
    with running(root) as (process, ident):
        refused = agent(root, "--session", ident, "/echo hi")
        equal(refused.returncode, 1)
        has(refused.stderr, b"in use by process %d (trefoil run)" % process.pid)
        process.send_signal(signal.SIGSTOP)  # alive, though it does not answer
        refused = agent(root, "--session", ident, "/echo hi")
        process.send_signal(signal.SIGCONT)
        has(refused.stderr, b"in use by process %d" % process.pid)
        process.kill()
        process.wait(DEADLINE)
    with running(root, "--session", ident) as (process, taken):  # it resumes the turn
        equal(taken, ident)


@case
def pages_follow_each_other_to_the_end(root):
    for i in range(5):
        agent(root, f"/echo {i}")
    titles, words = [], ["--limit", "2"]
    for _ in range(3):
        page = listed(root, *words)
        titles += [s["title"] for s in page["sessions"]]
        words = ["--limit", "2", "--cursor", page.get("next_cursor", "")]
    equal("next_cursor" in page, False)
    equal(titles, [f"/echo {i}" for i in (4, 3, 2, 1, 0)])


@case
def filters_select_by_agent_and_folder(root):
    agent(root, "/echo here")
    equal(len(listed(root, "--agent", "default")), 1)
    equal(listed(root, "--agent", "other"), [])
    equal(len(listed(root, "--cwd", str(root))), 1)
    equal(listed(root, "--cwd", "/"), [])


@case
def a_bad_cursor_or_limit_is_an_error(root):
    for words in (("--cursor", "x"), ("--cursor", "1-"), ("--cursor", ""), ("--limit", "0"),
                  ("--limit", "x"), ("--limit", "100000"), ("--limit", "1", "--all")):
        done = sessions(root, "list", *words)
        equal((words, done.returncode), (words, USAGE))
        has(done.stderr, words[0].encode() if words[0] == "--limit" else b"cursor")


main()
