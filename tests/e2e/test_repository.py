"""A cloned repository is input: whatever it brings starts, grants and loosens nothing."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys

LIBRARY = os.path.abspath(sys.argv.pop(2))
# pylint: disable=wrong-import-position
from harness import (DEADLINE, TREFOIL, Serve, Stdio, case, database, environment,  # noqa: E402
                     equal, has, main, make_state, run, state_dir, wait_for)

OFFLINE = {"TREFOIL_PROVIDER": "offline"}
ALLOWED = ('[mcp]\nmode = "read-write"\n[guard.permission]\nexecute = "auto"\n'
           '[mcp.permission]\nexecute = "auto"\n[sandbox]\ndefault = "off"\n')


def git(*args, cwd):
    done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *args], cwd=cwd,
                          capture_output=True, timeout=DEADLINE, env=environment(), check=False)
    equal((done.returncode, done.stderr if done.returncode else b""), (0, b""))


def sessions(root):
    return [s["title"] for s in json.loads(run("sessions", "--json", root=root).stdout)]


def hostile_database(folder, command):
    """What a trefoil leaves that was killed before it began a task: rights, and a command to run."""
    root = folder / "author"
    root.mkdir()
    done = run("agents", "dispatch", "default", "/echo hello", root=root, **OFFLINE)
    equal(done.returncode, 0)
    path = database(root)
    db = sqlite3.connect(path)
    with db:
        [spec] = db.execute("SELECT spec FROM tasks").fetchone()
        text = "/call shell_exec " + json.dumps({"argv": ["sh", "-c", command]})
        db.execute("UPDATE tasks SET state = 'submitted', final = 0, ended = 0, expires = 0,"
                   " session = '', result = '', last_seq = 1, mode = 'read-write', spec = ?",
                   [json.dumps({**json.loads(spec), "text": text, "new_session": ""})])
        db.execute("DELETE FROM task_events WHERE place & 0xffffffff > 1")
        db.execute("DELETE FROM task_feed WHERE n > 1")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.execute("PRAGMA journal_mode = DELETE")
    db.close()
    return path


def clone_hostile(folder, command):
    """A clone of a repository that has such a database committed."""
    repository, clone = folder / "repository", folder / "clone"
    (repository / ".trefoil").mkdir(parents=True)
    shutil.copy(hostile_database(folder, command), repository / ".trefoil/trefoil.db")
    git("init", "-q", cwd=repository)
    git("add", "-A", "-f", cwd=repository)
    git("commit", "-q", "-m", "all", cwd=repository)
    git("clone", "-q", str(repository), str(clone), cwd=folder)
    equal((clone / ".trefoil/trefoil.db").exists(), True)
    return clone


def own_config(folder):
    own = folder / "own.toml"
    own.write_text(ALLOWED)
    return "--config", str(own)


def mcp_task(t, **arguments):
    """A task of our own, to its end: then the task engine has looked at all that it has."""
    answer = t.call("tools/call", {"name": "dispatch_agent", "arguments": {
        "agent": "default", "task": "/echo done", "wait": DEADLINE, **arguments}})
    while "result" not in answer:
        answer = t.receive()
    equal(json.loads(answer["result"]["content"][0]["text"])["status"], "completed")


# ---- a database in the repository ------------------------------------------------------------

@case
def a_database_in_a_repository_runs_nothing(folder):
    mark = folder / "ran"
    clone = clone_hostile(folder, f"echo x >> {mark}")
    notice = f"ignoring {clone}/.trefoil/trefoil.db".encode()
    with Serve(*own_config(folder), root=clone, **OFFLINE) as serve:
        answer = serve.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "dispatch_agent", "arguments": {"agent": "default", "task": "/echo done",
                                                    "wait": DEADLINE}}},
                            accept="application/json, text/event-stream")
        has(answer.body, b"completed")
        has(serve.process.stderr.readline(), notice)
        listed = json.loads(run("tasks", "--json", "--all", root=clone).stdout)
        equal(len(listed), 1)
    with Stdio(*own_config(folder), root=clone, scope="agents", **OFFLINE) as t:
        t.initialize()
        mcp_task(t)
        has(t.process.stderr.readline(), notice)
    done = run("run", "/echo hi", *own_config(folder), root=clone, **OFFLINE)
    equal((done.returncode, done.stdout), (0, b"hi\n"))
    equal(done.stderr.count(notice), 1)
    equal(mark.exists(), False)


@case
def the_same_database_runs_its_task_as_state_of_the_user(folder):
    """The control: what the repository brought is what a trefoil works on where it trusts it."""
    mark, root = folder / "ran", folder / "project"
    root.mkdir()
    state = make_state(root)
    shutil.copy(hostile_database(folder, f"echo x >> {mark}"), state / "trefoil.db")
    with Serve(*own_config(folder), root=root, **OFFLINE):
        wait_for("the command", mark.exists)


@case
def what_is_kept_is_in_the_users_state_and_for_the_user_alone(folder):
    root, state = folder / "project", folder / "own state"
    root.mkdir()
    umask = os.umask(0o022)
    try:
        for words in (("run", "/echo hi"), ("tools", "call", "system_time")):
            equal(run(*words, root=root, TREFOIL_STATE_DIR=str(state), **OFFLINE).returncode, 0)
        with Stdio("--config", own_config(folder)[1], root=root, TREFOIL_STATE_DIR=str(state),
                   **OFFLINE) as t:
            t.initialize()
            t.call("tools/call", {"name": "memory", "arguments": {
                "action": "set", "key": "a", "value": "b"}})
    finally:
        os.umask(umask)
    kept = state_dir(root, TREFOIL_STATE_DIR=str(state))
    equal(kept.parent, state / "roots")
    names = {str(p.relative_to(kept)) for p in kept.rglob("*")}
    for name in ("root.json", "trefoil.db", "memory.json", "logs/audit.jsonl"):
        equal((name, name in names), (name, True))
    for path in [*state.rglob("*"), *(root / ".trefoil/logs").rglob("*"), root / ".trefoil/logs"]:
        equal((path, path.stat().st_mode & 0o777), (path, 0o700 if path.is_dir() else 0o600))
    equal({p.name for p in (root / ".trefoil").iterdir()}, {".gitignore", "logs"})


# ---- importing ------------------------------------------------------------------------------

def left_behind(folder, change=None):
    """A project with a database as older versions left it, and what was done to it since."""
    mark, root = folder / "ran", folder / "project"
    (root / ".trefoil").mkdir(parents=True)
    path = root / ".trefoil/trefoil.db"
    shutil.copy(hostile_database(folder, f"echo x >> {mark}"), path)
    if change:
        db = sqlite3.connect(path)
        with db:
            db.executescript(change)
        db.close()
    return root


def imported(root, *words):
    done = run("state", "import", "--json", *words, root=root)
    equal((done.returncode, done.stderr), (0, b""))
    return json.loads(done.stdout)


@case
def an_import_shows_what_it_finds_and_takes_conversations_alone(folder):
    root = left_behind(folder, """
        UPDATE sessions SET settings = '{"model":"x"}', process = 'p', owner = 'key:x', cwd = '/';
        INSERT INTO locks VALUES (1, 't', 'a', '["x"]', 1, 1, 'p', 9e18);
        INSERT INTO memory VALUES ('s', 'k', 'v', 1, 1);
        INSERT INTO task_answers VALUES (1, 1, 'k', '{}', 'user:0');
        INSERT INTO images VALUES (1, 1, 't', 'a.txt', 420, x'00');""")
    before = (root / ".trefoil/trefoil.db").read_bytes()
    shown = imported(root, "--dry-run")
    equal([shown[k] for k in ("sessions", "records", "tasks", "unfinished_tasks", "answers", "locks",
                              "notes", "imported_sessions")], [1, 3, 1, 1, 1, 1, 1, 0])
    equal(sessions(root), [])
    done = imported(root)
    equal((done["imported_sessions"], done["imported_records"]), (1, 3))
    equal(imported(root)["imported_sessions"], 0)
    has(run("state", "import", root=root).stdout, b"holds 1 sessions (3 records), 1 tasks (1 unfinished)")
    equal((root / ".trefoil/trefoil.db").read_bytes(), before)
    equal(sorted(p.name for p in (root / ".trefoil").iterdir()), ["trefoil.db"])
    equal(sessions(root), ["/echo hello"])
    [session] = json.loads(run("sessions", "--json", root=root).stdout)
    has(run("sessions", "show", session["id"], root=root).stdout, b"hello")
    db = sqlite3.connect(database(root))
    equal(db.execute("SELECT cwd, model, mode, settings, process, owner FROM sessions").fetchall(),
          [("", "", "read-write", "", "", f"user:{os.getuid()}")])
    for table in ("tasks", "locks", "memory", "task_answers", "images", "turns"):
        equal((table, db.execute(f"SELECT count(*) FROM {table}").fetchone()), (table, (0,)))
    [prompt] = db.execute("SELECT body FROM events WHERE kind = 'prompt'").fetchone()
    equal(json.loads(prompt)["from"], "import")
    db.close()
    with Serve(*own_config(folder), root=root, **OFFLINE) as serve:
        equal(serve.request("GET", "/api/tasks").json()["tasks"], [])
        done = run("run", "--session", session["id"], "/echo next", root=root, **OFFLINE)
        equal((done.returncode, done.stdout), (0, b"next\n"))
    equal((folder / "ran").exists(), False)
    (root / ".trefoil/trefoil.db").unlink()
    equal(run("sessions", root=root).stderr, b"")


@case
def what_was_under_way_and_odd_names_are_not_imported(folder):
    root = left_behind(folder, """
        INSERT INTO events VALUES ((1 << 32) + 4, 1, 'prompt', '{"id":"a","turn":"b","blocks":[]}');
        INSERT INTO sessions SELECT 2, '../../../../../../../../tmp/trefoil-x', agent, cwd, model,
         mode, title, settings, created, updated, last_seq, bytes, version, fence, process, lease,
         owner FROM sessions;
        INSERT INTO sessions SELECT 3, replace(id, '-', '0'), agent, cwd, model, mode, 'no turn',
         settings, created, updated, last_seq, bytes, version, fence, process, lease, owner
         FROM sessions WHERE n = 1;
        INSERT INTO events SELECT (2 << 32) + (place & 0xffffffff), at, kind, body FROM events;""")
    done = imported(root)
    equal((done["sessions"], done["imported_sessions"], done["imported_records"]), (3, 1, 3))
    equal(sessions(root), ["/echo hello"])
    done = run("run", "-c", root=root, **OFFLINE)
    has(done.stderr, b"the last turn of this session has ended")


@case
def a_file_that_is_no_database_of_ours_is_refused(folder):
    root = left_behind(folder)
    file = root / ".trefoil/trefoil.db"
    good = file.read_bytes()

    def refused(why, code=2):
        done = run("state", "import", root=root)
        equal((done.returncode, done.stdout), (code, b""))
        has(done.stderr, why)
        equal([p.name for p in state_dir(root).iterdir() if p.name.startswith("import")], [])

    for change, why in (
            ("CREATE TRIGGER t AFTER UPDATE ON events BEGIN DELETE FROM tasks; END", b"its schema is not"),
            ("CREATE VIEW v AS SELECT * FROM sessions", b"its schema is not"),
            ("ALTER TABLE sessions ADD COLUMN x TEXT", b"its schema is not"),
            ("DROP TABLE events; CREATE VIEW events AS SELECT 1 AS place", b"its schema is not"),
            ("PRAGMA user_version = 999", b"it has schema 999; this program imports"),
            ("PRAGMA user_version = 0", b"it has schema 0")):
        file.write_bytes(good)
        db = sqlite3.connect(file)
        db.executescript(change)
        db.close()
        refused(why)
    file.write_bytes(b"no database" * 1000)
    refused(b"file is not a database")
    file.write_bytes(good[:len(good) // 2])
    refused(b"")
    (root / "trefoil.toml").write_text("[limits]\nstate_import_bytes = 65_536\n")
    file.write_bytes(good)
    refused(b"limits.state_import_bytes", 1)
    for make in (file.mkdir, lambda: os.mkfifo(file), lambda: file.symlink_to("/etc/passwd")):
        shutil.rmtree(file) if file.is_dir() else file.unlink()
        make()
        done = run("state", "import", root=root)
        equal((done.returncode in (1, 2), done.stdout), (True, b""))
    file.unlink()
    refused(b"No such file or directory")
    equal(sessions(root), [])


# ---- links, and folders of others ------------------------------------------------------------

def logs_in_state(root):
    return [p.name for p in (state_dir(root) / "logs").glob("*.log")]


def check_nothing_written(outside, root):
    """A run and an init leave what is behind a link as it was; the log is in the user's state."""
    done = run("run", "/echo hi", root=root, **OFFLINE)
    equal((done.returncode, done.stdout), (0, b"hi\n"))
    run("init", root=root)
    run("gc", root=root)
    equal(sorted(p.name for p in outside.rglob("*")), ["old.log"])
    equal((outside / "old.log").read_text(), "x")
    [session] = json.loads(run("sessions", "--json", root=root).stdout)
    equal(logs_in_state(root), [session["id"] + ".log"])
    equal(run("sessions", "delete", session["id"], root=root).returncode, 0)
    equal(logs_in_state(root), [])


@case
def nothing_is_written_through_links_of_a_repository(folder):
    outside = folder / "outside"
    outside.mkdir()
    (outside / "old.log").write_text("x")
    os.utime(outside / "old.log", (1, 1))
    for name, link in (("a", ".trefoil"), ("b", ".trefoil/logs")):
        path = folder / name / link
        path.parent.mkdir(parents=True)
        path.symlink_to(outside)
        check_nothing_written(outside, folder / name)
    done = run("init", root=folder / "a")
    equal(done.returncode, 1)
    has(done.stderr, b"is a symbolic link; trefoil does not write through links")


@case
def a_link_in_the_place_of_state_is_refused(folder):
    root, outside = folder / "project", folder / "outside"
    root.mkdir()
    outside.mkdir()
    state = state_dir(root)
    state.parent.mkdir(parents=True)
    state.symlink_to(outside)
    done = run("serve", "--listen", "127.0.0.1:0", root=root)
    equal(done.returncode, 1)
    has(done.stderr, b"is not a directory")
    state.unlink()
    make_state(root)
    (state / "memory.json").symlink_to(outside / "memory.json")
    with Stdio(*own_config(folder), root=root, **OFFLINE) as t:
        t.initialize()
        answer = t.call("tools/call", {"name": "memory", "arguments": {
            "action": "set", "key": "a", "value": "b"}})
        equal(answer["result"]["isError"], True)
    equal(list(outside.iterdir()), [])


@case
def logs_of_another_user_are_left_alone(folder):
    root = folder / "project"
    (root / ".trefoil/logs").mkdir(parents=True)
    if os.geteuid() != 0:
        (root / ".trefoil/logs").chmod(0o500)  # nobody else's, but not to be written either
    else:
        os.chown(root / ".trefoil/logs", 65534, 65534)
    equal(run("run", "/echo hi", root=root, **OFFLINE).returncode, 0)
    equal(list((root / ".trefoil/logs").iterdir()), [])
    equal(len(logs_in_state(root)), 1)
    (root / ".trefoil/logs").chmod(0o700)


@case
def logs_of_a_clone_are_made_private(folder):
    root = folder / "project"
    (root / ".trefoil/logs").mkdir(parents=True)
    (root / ".trefoil/logs").chmod(0o755)
    equal(run("run", "/echo hi", root=root, **OFFLINE).returncode, 0)
    equal((root / ".trefoil/logs").stat().st_mode & 0o777, 0o700)
    [log] = (root / ".trefoil/logs").iterdir()
    equal(log.stat().st_mode & 0o777, 0o600)


@case
def logs_are_never_read_back(folder):
    root = folder / "project"
    root.mkdir()
    run("run", "/echo hi", root=root, **OFFLINE)
    [log] = (root / ".trefoil/logs").iterdir()
    log.write_text(log.read_text().replace("hi", "another answer"))
    [session] = json.loads(run("sessions", "--json", root=root).stdout)
    for words in (("show", session["id"]), ("export", session["id"])):
        done = run("sessions", *words, root=root)
        equal((done.returncode, b"another answer" in done.stdout), (0, False))
    done = run("run", "-c", "/echo next", root=root, **OFFLINE)
    equal((done.returncode, done.stdout), (0, b"next\n"))


# ---- another folder at the same path ---------------------------------------------------------

@case
def a_new_clone_at_the_same_path_starts_with_fresh_state(folder):
    repository, clone = folder / "repository", folder / "clone"
    repository.mkdir()
    git("init", "-q", cwd=repository)
    (repository / "a.txt").write_text("a")
    git("add", "-A", cwd=repository)
    git("commit", "-q", "-m", "all", cwd=repository)
    git("clone", "-q", str(repository), str(clone), cwd=folder)
    run("run", "/echo first", root=clone, **OFFLINE)
    equal(sessions(clone), ["/echo first"])
    shutil.rmtree(clone)
    git("clone", "-q", str(repository), str(clone), cwd=folder)
    equal(sessions(clone), [])
    done = run("run", "/echo second", root=clone, **OFFLINE)
    has(done.stderr, b"is not the folder for which its state was created")
    has(done.stderr, b"starting with fresh state; `trefoil state adopt ")
    equal(sessions(clone), ["/echo second"])
    equal(run("run", "/echo third", root=clone, **OFFLINE).stderr, b"")
    states = json.loads(run("state", "list", "--json", root=clone).stdout)
    equal(sorted((s["status"], s["this_root"]) for s in states), [("other", False), ("usable", True)])
    equal({s["root"] for s in states}, {str(clone)})
    done = run("state", "adopt", root=clone)
    equal(done.returncode, 0)
    has(done.stderr, b"the previous state of this root is kept as ")
    equal(sessions(clone), ["/echo first"])
    kept = done.stderr.split()[-1].decode()
    equal(run("state", "adopt", kept, root=clone).returncode, 0)
    equal(sessions(clone), ["/echo third", "/echo second"])


@case
def the_identity_is_checked_field_by_field(folder):
    root = folder / "project"
    root.mkdir()
    file = make_state(root) / "root.json"
    told = json.loads(file.read_text())
    equal(sorted(told), ["born", "device", "inode", "machine", "path"])
    for field in ("machine", "device", "inode", "path"):
        file.write_text(json.dumps({**told, field: "x"}))
        done = run("run", "/echo hi", root=root, **OFFLINE)
        has(done.stderr, f"(different {field}): starting with fresh state".encode())
        equal(json.loads(file.read_text()), told)
    file.write_text("{")
    has(run("run", "/echo hi", root=root, **OFFLINE).stderr, b"starting with fresh state")


@case
def state_in_use_is_neither_moved_nor_deleted(folder):
    root, other = folder / "project", folder / "moved"
    root.mkdir()
    run("run", "/echo hi", root=root, **OFFLINE)
    name = state_dir(root).name
    with Serve(root=root, **OFFLINE):
        done = run("state", "delete", name, root=root)
        equal(done.returncode, 1)
        has(done.stderr, b"is in use by another process")
    root.rename(other)
    equal(run("state", "adopt", name, root=other).returncode, 0)
    equal(sessions(other), ["/echo hi"])
    equal(run("state", "delete", state_dir(other).name, root=other).returncode, 0)
    equal((sessions(other), state_dir(other).exists()), ([], False))
    done = run("state", "delete", "nonsense", root=other)
    equal(done.returncode, 2)
    has(done.stderr, b"there is no state nonsense")


@case
def gc_deletes_the_state_of_folders_that_are_gone(folder):
    here, gone = folder / "here", folder / "gone"
    for root in (here, gone):
        root.mkdir()
        run("run", "/echo hi", root=root, **OFFLINE)
    there = state_dir(gone)
    unmounted = json.loads((there / "root.json").read_text())
    shutil.rmtree(gone)
    (there / "root.json").write_text(json.dumps({**unmounted, "device": "77:77"}))
    equal(json.loads(run("gc", "--json", root=here).stdout)["states"], 0)  # its disk may come back
    (there / "root.json").write_text(json.dumps(unmounted))
    equal(json.loads(run("gc", "--json", root=here).stdout)["states"], 1)
    equal((there.exists(), sessions(here)), (False, ["/echo hi"]))


# ---- a state directory that cannot be used ---------------------------------------------------

def on_read_only_state(folder, *words, stdin=b""):
    """Run trefoil with a state directory on a file system that is mounted read-only."""
    state = folder / "state"
    state.mkdir(exist_ok=True)
    script = 'mount -t tmpfs -o ro,mode=700 none "$0" && exec "$@"'
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return subprocess.run(
        ["unshare", *user, "--mount", "sh", "-c", script, str(state), TREFOIL, *words, "--root",
         str(folder)], input=stdin, capture_output=True, timeout=DEADLINE, check=False,
        env=environment(TREFOIL_STATE_DIR=str(state), **OFFLINE))


@case
def without_writable_state_serve_refuses_and_the_others_keep_nothing(folder):
    where = f"{folder}/state/roots cannot be created: Read-only file system (EROFS)".encode()
    done = on_read_only_state(folder, "serve", "--listen", "127.0.0.1:0")
    equal((done.returncode, done.stdout), (1, b""))
    has(done.stderr, where)
    notice = b"trefoil: no state is stored: directory " + where
    done = on_read_only_state(folder, "run", "/echo hi")
    equal((done.returncode, done.stdout), (0, b"hi\n"))
    has(done.stderr, notice)
    equal(on_read_only_state(folder, "run", "-c", "/echo hi").returncode, 1)
    done = on_read_only_state(folder, "chat", stdin=b"/echo hi\n/sessions\n/resume 0\n/undo\n/echo ho\n")
    equal((done.returncode, done.stdout), (0, b"hi\nNo sessions are stored: there is no state directory.\nho\n"))
    has(done.stderr, notice)
    ask = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "trefoil_agent_default", "arguments": {"message": "/echo hi"}}}
    done = on_read_only_state(folder, "mcp", stdin=json.dumps(ask).encode() + b"\n")
    equal(done.returncode, 0)
    has(done.stdout, b'"hi"')
    has(done.stderr, notice)
    equal((folder / ".trefoil").exists(), False)


@case
def a_network_file_system_is_refused(folder):
    for number, name in (("0x6969", "nfs"), ("0xff534d42", "cifs"), ("0x01021997", "9p")):
        env = {"LD_PRELOAD": LIBRARY, "SHIM_FS": number, **OFFLINE}
        env["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        for words in (("serve", "--listen", "127.0.0.1:0"), ("run", "/echo hi"), ("chat",), ("mcp",)):
            done = run(*words, root=folder, stdin=b"", **env)
            equal((words, done.returncode, done.stdout), (words, 1, b""))
            has(done.stderr, f"is on a network file system ({name})".encode())
            has(done.stderr, b"set TREFOIL_STATE_DIR to a local directory")
    equal(run("run", "--no-save", "/echo hi", root=folder, **env).stdout, b"hi\n")


@case
def the_state_directory_must_be_ours_and_absolute(folder):
    done = run("serve", "--listen", "127.0.0.1:0", root=folder, TREFOIL_STATE_DIR="state")
    equal(done.returncode, 1)
    has(done.stderr, b"expected an absolute path")
    if os.geteuid() == 0:
        (folder / "other").mkdir()
        os.chown(folder / "other", 65534, 65534)
        done = run("serve", "--listen", "127.0.0.1:0", root=folder,
                   TREFOIL_STATE_DIR=str(folder / "other"))
        equal(done.returncode, 1)
        has(done.stderr, b"belongs to another user (uid 65534)")
    first = folder / "systemd"
    equal(run("run", "/echo hi", root=folder, HOME="/proc/nonexistent",
              STATE_DIRECTORY=f"{first}:/elsewhere", **OFFLINE).stderr, b"")
    equal((first / "roots").is_dir(), True)


main()
