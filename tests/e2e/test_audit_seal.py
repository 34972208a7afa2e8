"""`trefoil doctor` notices every change of the audit log, and takes no crash and no rotation for one."""
import json
import os
import stat

from harness import case, equal, has, main, run, state_dir, user_config


def record(root, times=1):
    for _ in range(times):
        equal(run("tools", "call", "system_time", root=root).returncode, 0)


def log(root):
    return state_dir(root) / "logs/audit.jsonl"


def batches(root):
    """Lines of the log, in batches that end with their seal."""
    found, open_lines = [], []
    for line in log(root).read_bytes().splitlines(keepends=True):
        open_lines.append(line)
        if b'"hash"' in line:
            found.append(open_lines)
            open_lines = []
    equal(open_lines, [])
    return found


def write(root, parts):
    log(root).write_bytes(b"".join(line for part in parts for line in part))


def verdict(root):
    rows = json.loads(run("doctor", "--json", root=root).stdout)
    return next((r["health"], r["text"]) for r in rows if r["check"] == "audit")


def is_sound(root):
    health, text = verdict(root)
    equal((health in ("ok", "note"), text if health == "bad" else ""), (True, ""))


def is_noticed(root, what):
    """Now, and still after further calls."""
    for _ in range(2):
        health, text = verdict(root)
        equal((what, health, text if health != "bad" else ""), (what, "bad", ""))
        has(text, "modified")
        record(root)


def tail_cut(root, b):
    write(root, b[:-1])


def head_cut(root, b):
    write(root, b[1:])


def emptied(root, b):
    log(root).write_bytes(b"")


def deleted(root, b):
    log(root).unlink()


def changed(root, b):
    write(root, [[b[0][0].replace(b"system_time", b"system_tide"), *b[0][1:]], *b[1:]])


def inserted(root, b):
    write(root, [b[0], [b[1][0], *b[1]], *b[2:]])


def reordered(root, b):
    write(root, [b[1], b[0], *b[2:]])


def middle_cut(root, b):
    write(root, [b[0], *b[2:]])


def key_gone(root, b):
    (state_dir(root) / "audit.json").unlink()


@case
def every_change_is_noticed(root):
    for n, change in enumerate((tail_cut, head_cut, emptied, deleted, changed, inserted, reordered,
                                middle_cut, key_gone)):
        project = root / str(n)
        project.mkdir()
        record(project, 4)
        is_sound(project)
        change(project, batches(project))
        is_noticed(project, change.__name__)


@case
def the_key_is_secret_and_of_this_root_alone(root):
    keys = []
    for name in ("a", "b"):
        (root / name).mkdir()
        record(root / name)
        head = state_dir(root / name) / "audit.json"
        equal(stat.S_IMODE(head.stat().st_mode), 0o600)
        keys.append(json.loads(head.read_text())["key"])
    equal(len(set(keys)), 2)
    other = batches(root / "b")
    write(root / "a", other)
    is_noticed(root / "a", "the log of another root")


@case
def a_crash_between_writing_and_sealing_is_no_change(root):
    record(root, 2)
    head = state_dir(root) / "audit.json"
    before = head.read_bytes()
    whole = log(root).read_bytes()
    record(root)
    after = log(root).read_bytes()
    for cut in (len(whole) + 10, len(after) - 20, len(after) - 1, len(after)):
        log(root).write_bytes(after[:cut])  # killed there, before the head was written
        head.write_bytes(before)
        is_sound(root)
        record(root)
        is_sound(root)


@case
def rotation_and_gc_are_no_change(root):
    for files in (3, 2, 1):
        user_config(root, f"[limits]\naudit_bytes = 4096\naudit_files = {files}\nlog_keep_ms = 1000000\n")
        for _ in range(12):
            record(root, 3)
            is_sound(root)
        equal(len(list((state_dir(root) / "logs").glob("audit*"))), files)
    user_config(root, "[limits]\naudit_bytes = 4096\naudit_files = 5\nlog_keep_ms = 1000000\n")
    record(root, 60)
    files = sorted((state_dir(root) / "logs").glob("audit.*.jsonl"))
    equal(len(files) > 2, True)
    for path in files[1:]:
        os.utime(path, (1, 1))
    equal(run("gc", root=root).returncode, 0)
    equal(sorted((state_dir(root) / "logs").glob("audit.*.jsonl")), files[:1])
    is_sound(root)
    record(root)
    is_sound(root)


main()
