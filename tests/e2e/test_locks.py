"""Calls that write wait while another process of the root writes into a locked path."""
import os
import pathlib
import sqlite3
import subprocess
import tempfile

from harness import DEADLINE, TREFOIL, Stdio, case, environment, equal, has, main, wait_for


def our_name():
    """How the store names a process that lives: this one."""
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    stat = pathlib.Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    return f"{boot}/{os.readlink('/proc/self/ns/pid')}/{os.getpid()}/{stat[19]}"


class Database:
    """We are the other process: rows of our own among the locks."""

    def __init__(self, root):
        self.path = pathlib.Path(root) / ".trefoil" / "trefoil.db"

    def ask(self, sql, *values):
        db = sqlite3.connect(self.path, timeout=DEADLINE)
        try:
            with db:
                return db.execute(sql, values).fetchall()
        finally:
            db.close()

    def is_there(self):
        if not self.path.exists():
            return False
        return bool(self.ask("SELECT name FROM sqlite_master WHERE name = 'locks_by_task'"))

    def put(self, task, path):
        self.ask("INSERT INTO locks (task, agent, paths, exclusive, acquired, process, lease)"
                 " VALUES (?, 'other', ?, 1, 1, ?, 0)", task, f'["{path}"]', our_name())

    def drop(self, task):
        self.ask("DELETE FROM locks WHERE task = ?", task)

    def someone_waits(self):
        return self.ask("SELECT 1 FROM locks WHERE task LIKE 'turn/%' AND agent <> 'other'")


def read_write(folder):
    path = pathlib.Path(folder) / "own.toml"
    path.write_text('[mcp]\nmode = "read-write"\n')
    return str(path)


@case
def a_client_and_the_command_line_wait_for_their_turn(root):
    vault = pathlib.Path(root) / ".vault"
    vault.mkdir()
    db = Database(root)
    with tempfile.TemporaryDirectory() as folder, \
            Stdio("--config", own := read_write(folder), root=root) as t:
        t.initialize()
        wait_for("the store", db.is_there)
        db.put("task-of-another", ".vault")
        db.put("turn/another", ".vault/theirs")

        t.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
            "name": "file_write", "arguments": {"path": ".vault/client", "content": "c"}}})
        wait_for("the client's claim", db.someone_waits)
        elsewhere = t.call("tools/call", {"name": "file_write", "arguments": {
            "path": "elsewhere", "content": "e"}})
        equal("isError" in elsewhere["result"] and elsewhere["result"]["isError"], False)
        equal((vault / "client").exists(), False)
        db.drop("turn/another")
        equal(t.receive()["id"], 7)
        equal((vault / "client").read_text(), "c")
        wait_for("the end of its turn", lambda: not db.someone_waits())

        db.put("turn/another", ".vault/theirs")
        with subprocess.Popen([TREFOIL, "tools", "call", "file_write",
                               '{"path":".vault/line","content":"l"}', "--root", str(root),
                               "--config", own],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment()) as line:
            wait_for("the claim of the command line", db.someone_waits)
            equal((vault / "line").exists(), False)
            db.drop("turn/another")
            out, err = line.communicate(timeout=DEADLINE)
            equal(line.returncode, 0)
            equal(err, b"")
            has(out.decode(), "line")
        equal((vault / "line").read_text(), "l")
        equal(db.someone_waits(), [])
        db.drop("task-of-another")


main()
