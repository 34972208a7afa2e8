"""`trefoil audit`: show, verify and export the record of tool calls."""
import json

from harness import Stdio, case, equal, has, main, run, state_dir, user_config


def call(root, tool, args="{}", **env):
    return run("tools", "call", tool, args, root=root, **env)


def log(root):
    return state_dir(root) / "logs/audit.jsonl"


def audit(root, *words, code=0):
    done = run("audit", *words, root=root)
    equal((words, done.returncode, done.stderr if code == 0 else b""), (words, code, b""))
    return done.stdout.decode()


def rows(root, *words):
    return json.loads(audit(root, "show", "--json", *words))


def three_calls(root):
    """allow, deny, allow."""
    user_config(root, '[guard.permission]\ndelete = "deny"\n')
    equal(call(root, "system_time").returncode, 0)
    equal(call(root, "file_delete", '{"path":"x"}').returncode, 3)
    equal(call(root, "glob", '{"pattern":"*"}').returncode, 0)


@case
def show_lists_the_calls_with_their_decision(root):
    equal(audit(root, "show"), "")
    equal(rows(root), [])
    three_calls(root)
    lines = audit(root).splitlines()  # show is the default
    equal([line.split()[0] for line in lines], ["1", "2", "3"])
    for part in ("deny", "file_delete", "cli", "user:", "denied", "by permission"):
        has(lines[1], part)
    equal([(r["number"], r["file"], r["line"], r["record"]["tool"], r["record"]["verdict"]) for r in rows(root)],
          [(1, "audit.jsonl", 1, "system_time", "allow"), (2, "audit.jsonl", 3, "file_delete", "deny"),
           (3, "audit.jsonl", 5, "glob", "allow")])


@case
def filters_select_records(root):
    three_calls(root)
    run("run", "/call system_time", root=root, TREFOIL_PROVIDER="offline")
    for words, numbers in ((("--last", "2"), [3, 4]), (("--tool", "system_time"), [1, 4]),
                           (("--decision", "deny"), [2]), (("--who", "cli"), [1, 2, 3]),
                           (("--tool", "system_time", "--last", "1"), [4]), (("--last", "0"), [1, 2, 3, 4]),
                           (("--tool", "nothing"), [])):
        equal((words, [r["number"] for r in rows(root, *words)]), (words, numbers))
    session = json.loads(run("sessions", "--json", "--all", root=root).stdout)[0]["id"]
    for words in (("--work", session), ("--work", session[-8:])):
        equal([r["number"] for r in rows(root, *words)], [4])
    for words, part in ((("--last", "x"), "expected a number"), (("--decision", "dney"), 'did you mean "deny"')):
        done = run("audit", "show", *words, root=root)
        equal(done.returncode, 2)
        has(done.stderr.decode(), part)


@case
def show_has_fifty_records_unless_told_otherwise(root):
    with Stdio(root=root) as client:
        client.initialize()
        for n in range(60):
            client.call("tools/call", {"name": "system_time", "arguments": {}}, n + 1)
    equal([r["number"] for r in rows(root)], list(range(11, 61)))
    equal(len(audit(root, "export").splitlines()), 60)


@case
def export_writes_the_records_as_they_are(root):
    three_calls(root)
    kept = [line for line in log(root).read_text().splitlines() if '"hash"' not in line]
    equal(audit(root, "export").splitlines(), kept)
    equal(audit(root, "export", "--decision", "deny").splitlines(), kept[1:2])
    equal(audit(root, "export", str(root / "out.jsonl")), "")
    equal((root / "out.jsonl").read_text().splitlines(), kept)
    equal((root / "out.jsonl").stat().st_mode & 0o777, 0o600)


def problems(root):
    verdict = json.loads(audit(root, "verify", "--json", code=1))
    equal(verdict["sound"], False)
    return [(p["file"], p["line"], p.get("first_record"), p.get("last_record")) for p in verdict["problems"]]


@case
def verify_names_the_place_of_each_change(root):
    equal(audit(root, "verify"), "no calls are recorded yet\n")
    three_calls(root)
    equal(audit(root, "verify"), "3 records in 1 files; all seals valid\n")
    lines = log(root).read_bytes().splitlines(keepends=True)  # record, seal, record, seal, ...
    changes = {
        "changed": ([lines[0], lines[1], lines[2].replace(b"deny", b"okay"), *lines[3:]],
                    [("audit.jsonl", 4, 2, 2)]),
        "deleted": ([lines[0], lines[1], *lines[3:]], [("audit.jsonl", 3, None, None)]),
        "inserted": ([lines[0], *lines], [("audit.jsonl", 3, 1, 2)]),
        "batch deleted": ([lines[0], lines[1], *lines[4:]], [("audit.jsonl", 4, 2, 2)]),
        "beginning deleted": (lines[2:], [("audit.jsonl", 0, None, None)]),
        "end deleted": (lines[:4], [("audit.jsonl", 0, None, None)]),
        "two changed": ([lines[0].replace(b"allow", b"alloy"), *lines[1:4],
                         lines[4].replace(b"glob", b"grep"), lines[5]],
                        [("audit.jsonl", 2, 1, 1), ("audit.jsonl", 6, 3, 3)]),
        "emptied": ([], [("audit.jsonl", 0, None, None)]),
    }
    for what, (text, want) in changes.items():
        log(root).write_bytes(b"".join(text))
        equal((what, problems(root)), (what, want))
        has(audit(root, "verify", code=1), "the audit log was modified")
    log(root).write_bytes(b"".join(changes["changed"][0]))
    has(audit(root, "verify", code=1), "audit.jsonl:4  record 2  the lines before this seal were modified")
    done = run("audit", root=root)
    equal(done.returncode, 0)
    has(done.stderr.decode(), "the audit log was modified: audit.jsonl:4")
    log(root).write_bytes(b"".join(lines))
    equal(audit(root, "verify"), "3 records in 1 files; all seals valid\n")


@case
def the_rest_after_a_crash_is_shown_and_no_change(root):
    three_calls(root)
    with log(root).open("ab") as file:
        file.write(b'{"time":"2026-01-01T00:00:00.000Z","wh')
    equal(audit(root, "verify"),
          "3 records in 1 files; all seals valid; some lines have no seal, which is normal after a crash\n")
    has(audit(root).splitlines()[3], '4  {"time":')
    equal(rows(root)[3]["text"], '{"time":"2026-01-01T00:00:00.000Z","wh')


@case
def nothing_is_created_by_looking(root):
    for words in (("show",), ("verify",), ("export",)):
        audit(root, *words)
    equal(state_dir(root).exists(), False)


main()
