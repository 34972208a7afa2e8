"""trefoil sessions and gc: what is kept, and how it leaves."""
import json
import os
import signal
import subprocess
import time

from harness import (DEADLINE, TREFOIL, case, environment, equal, has, main, make_state, run,
                     user_config)

USAGE = 2


def agent(root, *words):
    return run("run", *words, root=root, TREFOIL_PROVIDER="offline")


def sessions(root, *words):
    return run("sessions", *words, root=root)


def ids(root):
    return [s["id"] for s in json.loads(sessions(root, "--json", "--all").stdout)]


@case
def a_fresh_folder_has_none_and_gets_nothing(root):
    equal(sessions(root).stdout, b"")
    equal(json.loads(sessions(root, "--json").stdout), [])
    missing = sessions(root, "show", "x")
    equal(missing.returncode, 1)
    has(missing.stderr, b"are stored")
    equal(run("gc", root=root).returncode, 0)
    equal(list(root.iterdir()), [])


@case
def the_list_has_the_last_twenty_or_all(root):
    for i in range(22):
        agent(root, f"/echo {i}")
    short = sessions(root)
    equal(len(short.stdout.splitlines()), 20)
    has(short.stdout.splitlines()[0], b"/echo 21")
    has(short.stderr, b"--all")
    equal(len(sessions(root, "list", "--all").stdout.splitlines()), 22)


@case
def a_transcript_is_rendered_like_the_run_was(root):
    (root / "a").write_text("x\n")
    agent(root, "/read a")
    agent(root, "-c", "/fail badly")
    [ident] = ids(root)
    equal(sessions(root, "show", ident[:10]).stdout,
          b"> /read a\n* file_read a ... done\nx\n> /fail badly\n= failed: badly\n")
    events = [json.loads(line) for line in sessions(root, "show", ident, "--json").stdout.splitlines()]
    equal([e["type"] for e in events],
          ["prompt", "tool", "tool", "text", "end", "prompt", "end"])


@case
def a_session_is_exported_as_records_or_markdown(root):
    agent(root, "/echo hello")
    [ident] = ids(root)
    lines = [json.loads(line) for line in sessions(root, "export", ident).stdout.splitlines()]
    equal([line["kind"] for line in lines], ["session", "prompt", "answer", "end"])
    equal(lines[0]["id"], ident)
    markdown = sessions(root, "export", ident, "--format", "markdown").stdout
    equal(markdown, b"# /echo hello\n\n## You\n\n/echo hello\n\n## default\n\nhello\n\n")
    target = root / "out.md"
    equal(sessions(root, "export", ident, str(target), "--format", "markdown").returncode, 0)
    equal(target.read_bytes(), markdown)
    equal(target.stat().st_mode & 0o777, 0o600)
    again = sessions(root, "export", ident, str(target))
    equal(again.returncode, 1)
    has(again.stderr, b"already exists")
    equal(sessions(root, "export", ident, "--format", "pdf").returncode, USAGE)


@case
def a_deleted_session_takes_its_log_along(root):
    agent(root, "/echo one")
    agent(root, "/echo two")
    first, second = ids(root)
    equal(len(list((root / ".trefoil/logs").glob("*.log"))), 2)
    answer = sessions(root, "delete", first, second, "nonsense")
    equal(answer.returncode, 1)
    has(answer.stderr, b"there is no session nonsense")
    equal(ids(root), [])
    equal(list((root / ".trefoil/logs").glob("*.log")), [])


@case
def an_id_must_be_the_only_one_that_begins_so(root):
    agent(root, "/echo one")
    agent(root, "/echo two")
    answer = sessions(root, "show", "0")
    equal(answer.returncode, 1)
    has(answer.stderr, b"several session IDs begin with 0")


@case
def a_session_that_is_open_elsewhere_is_left_alone(root):
    process = subprocess.Popen(
        [TREFOIL, "run", "--json", "/sleep 600", "--root", str(root)], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=environment(TREFOIL_PROVIDER="offline"))
    ident = json.loads(process.stdout.readline())["session"]
    try:
        has(sessions(root).stdout, b"(open)")
        for answer in (sessions(root, "delete", ident), agent(root, "--session", ident, "hi")):
            equal(answer.returncode, 1)
            has(answer.stderr, b"in use by process %d" % process.pid)
        last = agent(root, "-c", "hi")
        equal(last.returncode, USAGE)
        has(last.stderr, b"is in use, and there is no other to resume")
        equal(sessions(root, "show", ident).returncode, 0)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=DEADLINE)
    equal(sessions(root, "delete", ident).returncode, 0)


@case
def gc_deletes_what_is_old(root):
    agent(root, "/echo old")
    [ident] = ids(root)
    logs, audit = root / ".trefoil/logs", make_state(root) / "logs"
    (audit / "audit.1.jsonl").write_text("{}\n")
    (logs / "notes.txt").write_text("not ours")
    answer = run("gc", "--json", root=root)
    equal(json.loads(answer.stdout),
          {"sessions": 0, "session_bytes": 0, "logs": 0, "log_bytes": 0, "states": 0,
           "state_bytes": 0})
    past = time.time() - 3600
    for path in [*logs.iterdir(), *audit.iterdir()]:
        os.utime(path, (past, past))
    user_config(root, "[limits]\nlog_keep_ms = 1_000_000\nsession_keep_ms = 1000\n")
    equal(ids(root), [ident])
    wait = time.monotonic() + DEADLINE
    while ids(root) and time.monotonic() < wait:  # a session is old after a second
        done = json.loads(run("gc", "--json", root=root).stdout)
    equal(ids(root), [])
    equal([p.name for p in logs.iterdir()], ["notes.txt"])
    equal([p.name for p in audit.iterdir()], ["audit.jsonl"])
    equal(done["sessions"], 1)


@case
def gc_deletes_the_oldest_logs_past_a_size(root):
    logs = root / ".trefoil/logs"
    logs.mkdir(parents=True)
    user_config(root, "[limits]\nlog_keep_bytes = 5000\n")
    for i, name in enumerate(("c.log", "a.log", "b.1.log")):
        (logs / name).write_text("x" * 2000)
        os.utime(logs / name, (time.time() - 100 + i, time.time() - 100 + i))
    answer = run("gc", root=root)
    has(answer.stdout, b"and 1 logs (2000 bytes)")
    equal(sorted(p.name for p in logs.iterdir()), ["a.log", "b.1.log"])


@case
def wrong_words_are_told(root):
    for words, part in ((("dance",), b"available commands: list, show, export, fork, delete"), (("show",), b"missing ID"),
                        (("delete",), b"missing ID..."), (("export",), b"usage: trefoil sessions export ID"),
                        (("list", "more"), b'unexpected argument "more"')):
        answer = sessions(root, *words)
        equal((words, answer.returncode), (words, USAGE))
        has(answer.stderr, part)
    equal(run("gc", "now", root=root).returncode, USAGE)


main()
