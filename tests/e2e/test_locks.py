"""Calls that write wait while another process of the root writes into a locked path."""
import pathlib
import subprocess
import tempfile

from harness import DEADLINE, TREFOIL, Stdio, case, environment, equal, has, main, wait_for
from lock_rows import Database


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
        wait_for("the client's claim", db.waiting)
        elsewhere = t.call("tools/call", {"name": "file_write", "arguments": {
            "path": "elsewhere", "content": "e"}})
        equal("isError" in elsewhere["result"] and elsewhere["result"]["isError"], False)
        equal((vault / "client").exists(), False)
        db.drop("turn/another")
        equal(t.receive()["id"], 7)
        equal((vault / "client").read_text(), "c")
        wait_for("the end of its turn", lambda: not db.waiting())

        db.put("turn/another", ".vault/theirs")
        with subprocess.Popen([TREFOIL, "tools", "call", "file_write",
                               '{"path":".vault/line","content":"l"}', "--root", str(root),
                               "--config", own],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment()) as line:
            wait_for("the claim of the command line", db.waiting)
            equal((vault / "line").exists(), False)
            db.drop("turn/another")
            out, err = line.communicate(timeout=DEADLINE)
            equal(line.returncode, 0)
            equal(err, b"")
            has(out.decode(), "line")
        equal((vault / "line").read_text(), "l")
        equal(db.waiting(), [])
        db.drop("task-of-another")


main()
