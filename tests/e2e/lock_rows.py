"""Locks of another process, as the store has them: the test is that process."""
import os
import pathlib
import sqlite3

from harness import DEADLINE, database


def our_name():
    """How the store names a process that lives: this one."""
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    stat = pathlib.Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    return f"{boot}/{os.readlink('/proc/self/ns/pid')}/{os.getpid()}/{stat[19]}"


class Database:
    """We are the other process: rows of our own among the locks."""

    def __init__(self, root):
        self.path = database(root)

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

    def waiting(self):
        """Calls of others that have claimed a turn to write, and have not ended."""
        return self.ask("SELECT task FROM locks WHERE task LIKE 'turn/%' AND agent <> 'other'")
