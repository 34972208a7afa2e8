#!/usr/bin/env python3
"""The store under processes that die, meet, and run out of disk."""
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys

DRIVER = sys.argv.pop(2)
from harness import (Serve, case, database, environment, equal, has, main,  # noqa: E402
                     make_state, run, user_config)

KILLS = int(os.environ.get("TREFOIL_KILLS", "12"))


def driver(db, *args, **more):
    return subprocess.Popen([DRIVER, str(db), *map(str, args)], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, text=True, env=environment(), **more)


def finish(process):
    out, _ = process.communicate(timeout=60)
    return process.returncode, out.splitlines()


def dump(db, session):
    """seq -> (writer, number) of all that is stored."""
    code, lines = finish(driver(db, "dump", session))
    equal((code, [x for x in lines if x.startswith("failed")]), (0, []))
    found = {}
    for line in lines:
        seq, _, body = line.partition(" ")
        event = json.loads(body)
        found[int(seq)] = (event["writer"], event["number"])
    equal(len(found), len(lines))
    return found


def check_acknowledged(db, session, acknowledged):
    stored = dump(db, session)
    for writer, number, seq in acknowledged:
        equal(stored.get(seq), (writer, number))
    equal(sorted(stored), list(range(1, len(stored) + 1)))
    return stored


def acknowledgements(lines):
    return [tuple(map(int, x.split())) for x in lines if x and x[0].isdigit()]


@case
def what_was_acknowledged_survives_kill_9(root):
    """Each round a new process takes the session from the dead one and dies at a random point."""
    db, acknowledged, offset = root / "t.db", [], 0
    rng = random.Random(5)
    for turn in range(KILLS):
        process = driver(db, "append", "s", rng.choice((1, 7, 64)), 0,
                         rng.choice(("power", "process")))
        lines = [process.stdout.readline() for _ in range(rng.randrange(1, 300))]
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
        whole = rest[:rest.rfind("\n") + 1].splitlines()
        got = acknowledgements([x.strip() for x in lines] + whole)
        if len(got) < len(lines):
            raise AssertionError(f"round {turn}: {lines}")
        acknowledged += got
        offset = len(check_acknowledged(db, "s", acknowledged))
    if offset < len(acknowledged):
        raise AssertionError("fewer events than acknowledgements")


@case
def a_second_process_is_refused_and_a_dead_one_is_succeeded(root):
    db = root / "t.db"
    first = driver(db, "own", "s")
    equal(first.stdout.readline(), "owned 1\n")
    code, lines = finish(driver(db, "append", "s", 1, 1))
    equal(code, 1)
    has(lines[0], f"failed: session s is in use by process {first.pid}")
    first.send_signal(signal.SIGSTOP)
    code, lines = finish(driver(db, "append", "s", 1, 1))
    equal(code, 1)
    first.send_signal(signal.SIGKILL)
    first.wait()
    second = driver(db, "own", "s")
    equal(second.stdout.readline(), "owned 2\n")
    equal(finish(second), (0, []))
    code, lines = finish(driver(db, "append", "s", 1, 1))
    equal((code, lines), (0, ["0 0 1"]))


@case
def processes_write_to_one_database_at_once(root):
    db = root / "t.db"
    processes = [driver(db, "append", f"s{i}", 8, 25, "power") for i in range(3)]
    for i, process in enumerate(processes):
        code, lines = finish(process)
        equal((code, len(lines)), (0, 200))
        equal(len(check_acknowledged(db, f"s{i}", acknowledgements(lines))), 200)


FULL = """
mount -t tmpfs -o size=1200k none "$1" || exit 9
head -c 100000 /dev/zero > "$1/ballast"
"$2" "$1/t.db" append s 8 0 "$3"; echo code $?
"$2" "$1/t.db" dump s; echo dumped $?
rm "$1/ballast"
"$2" "$1/t.db" append s 1 3 "$3"; echo code $?
mount -o remount,bind,ro "$1"
"$2" "$1/t.db" append s 1 1 "$3"; echo code $?
"""


@case
def a_full_disk_loses_nothing_and_writing_goes_on_when_there_is_room(root):
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    for durability in ("power", "process"):
        done = subprocess.run(["unshare", *user, "--mount", "sh", "-c", FULL, "sh", str(root), DRIVER,
                               durability], capture_output=True, env=environment(), text=True,
                              timeout=60, check=False)
        parts = done.stdout.split("failed: store: the disk is full\n")
        equal(len(parts), 2)
        acknowledged = acknowledgements(parts[0].splitlines())
        stored, _, rest = parts[1].partition("dumped 0\n")
        stored = dict(x.split(" ", 1) for x in stored.splitlines() if x[0].isdigit())
        for writer, number, seq in acknowledged:
            has(stored[str(seq)], f'"writer":{writer},"number":{number},')
        equal(len(stored), len(acknowledged))
        lines = rest.splitlines()
        equal([x.split()[1] for x in lines[:3]], ["0", "1", "2"])
        equal(lines[3], "code 0")
        has(lines[4], "failed: ")
        has(lines[4], "t.db: Read-only file system (EROFS)")
        equal(lines[5], "code 1")


@case
def a_backup_is_whole_while_others_write(root):
    with Serve(root=root):
        process = driver(database(root), "append", "s", 4, 0)
        first = [process.stdout.readline() for _ in range(200)]
        done = run("backup", str(root / "copy.db"), root=root)
        equal((done.returncode, done.stderr), (0, b""))
        has(done.stdout, b"saved")
        process.kill()
        process.communicate()
    check_acknowledged(root / "copy.db", "s", acknowledgements([x.strip() for x in first]))
    done = run("backup", str(root / "copy.db"), root=root)
    equal(done.returncode, 1)
    has(done.stderr, b"exists; name a file that does not")
    equal(run("backup", root=root).returncode, 2)
    (root / "empty").mkdir()
    done = run("backup", str(root / "other.db"), root=root / "empty")
    equal(done.returncode, 1)
    has(done.stderr, b"nothing to back up")


def damage(db):
    """Write over pages of events, behind the tables' first ones."""
    finish(driver(db, "append", "s", 10, 100))
    with sqlite3.connect(db) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.close()
    data = bytearray(db.read_bytes())
    data[(pages - 6) * 4096:(pages - 2) * 4096] = b"\xa5" * (4 * 4096)
    db.write_bytes(data)
    return bytes(data)


@case
def a_damaged_database_is_refused_before_serving_or_noticed_meanwhile(root):
    db = make_state(root) / "trefoil.db"
    data = damage(db)
    done = run("serve", "--listen", "127.0.0.1:0", root=root)
    equal((done.returncode, done.stdout), (1, b""))
    has(done.stderr, b"was not changed: restore a backup")
    equal(db.read_bytes(), data)
    equal(run("doctor", root=root).returncode, 1)
    user_config(root, "[limits]\nstore_check_bytes = 0\n")
    with Serve(root=root) as serve:
        line = serve.process.stderr.readline()
        has(line, b"the database check found damage")
        equal(serve.request("GET", "/health").status, 200)


main()
