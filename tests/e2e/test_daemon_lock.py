"""Several processes of one root: one daemon owns the socket, and whoever stops lets go of its own locks only."""
import fcntl
import json
import pathlib
import signal
import socket
import subprocess

from harness import DEADLINE, TREFOIL, Serve, Stdio, case, environment, equal, has, main, wait_for

OFFLINE = {"TREFOIL_PROVIDER": "offline"}


def listening(path):
    """How many sockets listen at this path, also those whose file is gone."""
    lines = pathlib.Path("/proc/net/unix").read_text().splitlines()
    return sum(line.endswith(" " + str(path)) and line.split()[3] == "00010000" for line in lines)


def leave_stale(path):
    """What a daemon that was killed leaves."""
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(path))


def socket_of(root, run):
    """Where the daemon of this root listens."""
    with Serve(root=root, XDG_RUNTIME_DIR=str(run)):
        path, = (run / "trefoil").glob("*.sock")
    return path


class Daemons:
    """Several of one root, started at once."""

    def __init__(self, count, root, run):
        command = [TREFOIL, "serve", "--listen", "127.0.0.1:0", "--json", "--root", str(root)]
        self.all = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     env=environment(XDG_RUNTIME_DIR=str(run))) for _ in range(count)]

    def welcomes(self):
        return [json.loads(p.stdout.readline()) for p in self.all]

    def stop(self):
        for process in self.all:
            process.send_signal(signal.SIGTERM)
        return [process.communicate(timeout=DEADLINE)[1].decode() for process in self.all]


@case
def of_daemons_that_start_over_a_stale_socket_one_listens(root):
    run = root / "run"
    run.mkdir()
    path = socket_of(root, run)
    for _ in range(5):
        leave_stale(path)
        daemons = Daemons(5, root, run)
        owners = [w for w in daemons.welcomes() if w.get("socket")]
        count = listening(path)
        daemons.stop()
        equal((len(owners), count), (1, 1))
    equal(listening(path), 0)


@case
def a_daemon_whose_socket_file_was_deleted_still_owns_it(root):
    run = root / "run"
    run.mkdir()
    with Serve(root=root, XDG_RUNTIME_DIR=str(run)):
        path, = (run / "trefoil").glob("*.sock")
        path.unlink()
        second = Daemons(1, root, run)
        equal([w.get("socket") for w in second.welcomes()], [None])
        has(second.stop()[0], f"in use by a server, which holds {path}.lock")
        equal(path.with_name(path.name + ".lock").exists(), True)


@case
def who_holds_the_lock_keeps_others_out(root):
    run = root / "run"
    run.mkdir()
    path = socket_of(root, run)
    leave_stale(path)
    with open(f"{path}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        daemons = Daemons(1, root, run)
        equal([w.get("socket") for w in daemons.welcomes()], [None])
        daemons.stop()
    with Serve(root=root, XDG_RUNTIME_DIR=str(run)):
        equal(listening(path), 1)


# ---- locks of tasks --------------------------------------------------------------------------------

def use(t, tool, **arguments):
    """What a tool says; notifications before it are passed over."""
    t.send({"jsonrpc": "2.0", "id": tool, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}})
    while (answer := t.receive()).get("id") != tool:
        pass
    assert not answer["result"].get("isError"), answer
    return answer["result"]["structuredContent"]


def dispatch(t):
    """A task of this process that holds the lock of read-only tasks until it is answered; its id."""
    return use(t, "dispatch_agent", agent="default", task="/ask well?", mode="read-only")["taskId"]


def locks(t):
    return {lock["taskId"]: (lock["paths"], lock["acquired_at"]) for lock in use(t, "get_locks")["locks"]}


@case
def a_process_that_stops_lets_go_of_its_own_locks_only(root):
    with Stdio(root=root, scope="agents", **OFFLINE) as stays:
        stays.initialize()
        kept = dispatch(stays)
        wait_for("its lock", lambda: kept in locks(stays))
        before = locks(stays)[kept]
        with Stdio(root=root, scope="agents", **OFFLINE) as leaves:
            leaves.initialize()
            other = dispatch(leaves)
            wait_for("both locks", lambda: {kept, other} <= set(locks(leaves)))
            use(leaves, "cancel_task", task_id=other)
            wait_for("its lock to go", lambda: other not in locks(leaves))
            again = dispatch(leaves)
            wait_for("both locks again", lambda: {kept, again} <= set(locks(leaves)))
            leaves.process.send_signal(signal.SIGTERM)
            leaves.told = True
            leaves.process.wait(DEADLINE)
        equal(locks(stays)[kept], before)


main()
