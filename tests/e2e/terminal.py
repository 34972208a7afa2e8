"""What the tests of `trefoil run` share: a terminal, sessions, exit codes."""
import errno
import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import termios
import time

from harness import DEADLINE, TREFOIL, environment, run

FAILED, USAGE, DENIED, LIMIT, INTERRUPTED = 1, 2, 3, 4, 130
ASK = '[guard.permission]\nexecute = "ask"\n'
SHELL = '/call shell_exec {"argv":["echo","made it"]}'


def sessions(root):
    return json.loads(run("sessions", "--json", "--all", root=root).stdout)


class Terminal:
    """trefoil run, or another verb, in a terminal of its own; keeps all that was shown."""

    def __init__(self, root, *words, verb="run", **env):
        self.master, side = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        env.setdefault("TERM", "xterm")
        self.process = subprocess.Popen(
            [TREFOIL, verb, *words, "--root", str(root)], stdin=side, stdout=side, stderr=side,
            env=environment(TREFOIL_PROVIDER="offline", **env), start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(side)
        self.shown = ""

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    def read(self):
        """More of what it shows; False once it has left."""
        try:
            piece = os.read(self.master, 65536)
        except OSError as e:
            if e.errno != errno.EIO:
                raise
            return False
        self.shown += piece.decode(errors="replace")
        return bool(piece)

    def wait_for(self, part):
        end = time.monotonic() + DEADLINE
        while part not in self.shown:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            if not ready or not self.read():
                raise AssertionError(f"{part!r} is not in {self.shown!r}")

    def type(self, text):
        os.write(self.master, text.encode())

    def leave(self):
        """All that it shows until its end, and its exit code."""
        while self.read():
            pass
        return self.process.wait(DEADLINE)
