"""What the end-to-end tests share: the real binary, real sockets and pipes, TAP on stdout.

A test file holds functions marked with @case and ends with main(). Each case gets a fresh
folder. Nothing here sleeps for a fixed time: wait_for() polls for a condition, with a deadline
that is only ever reached when something is wrong.
"""
import functools
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

TREFOIL = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "build/trefoil"
NOWHERE = "/proc/nonexistent"  # not even root can create it
DEADLINE = 60  # seconds; sanitizers on a busy machine are slow

# The built-in tools, as clients are offered them that are proved to be the user: on stdio, by a
# Unix socket.
ALL_TOOLS = ["file_read", "file_list", "file_write", "file_edit", "file_move", "file_delete",
             "dir_make", "glob", "grep", "shell_exec", "process_start", "process_poll",
             "process_write", "process_kill", "web_fetch", "memory", "plan_update", "system_time",
             "list_agents", "agent_send", "dispatch_agent", "get_task_status", "cancel_task",
             "ask_user", "artifact_write"]
# The same while A2A is on: without a configuration file, or with [a2a] enabled = true.
ALL_WITH_A2A = ALL_TOOLS[:-2] + ["a2a_discover", "a2a_send"] + ALL_TOOLS[-2:]
# What is offered of them over TCP, unless [mcp] mode says otherwise.
READ_ONLY_TOOLS = ["file_read", "file_list", "glob", "grep", "plan_update", "system_time",
                   "list_agents", "agent_send", "dispatch_agent", "get_task_status", "cancel_task",
                   "ask_user", "artifact_write"]
# What clients that dispatch agents have beside them.
CLIENT_TOOLS = ["answer_task", "list_tasks", "get_locks"]
# Over HTTP agents are tools, too; without files there is one.
HTTP_TOOLS = READ_ONLY_TOOLS + CLIENT_TOOLS + ["trefoil_agent_default"]

# In the user's own configuration: commands, deletions and fetches are not asked for. Commands run
# without a sandbox, because many tests look at their processes, whose ids differ in a sandbox.
AUTO = ('[guard.permission]\nexecute = "auto"\ndelete = "auto"\nfetch = "auto"\n'
        '[sandbox]\ndefault = "off"\n')

cases = []
state_dirs = {}
state_home = tempfile.gettempdir()  # of the case that runs: where its trefoils keep their state


def reset_signals():
    """Undo what we have inherited: nohup ignores SIGHUP, a shell's & ignores SIGINT and SIGQUIT.

    What is ignored or blocked stays so in every program that we start.
    """
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:  # ignored by Python
        if signal.getsignal(number) == signal.SIG_IGN:
            usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, usual)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


reset_signals()

# Cases have sockets in their folders, and the path of a socket has at most 107 bytes.
if len(os.path.realpath(tempfile.gettempdir())) > 30:
    tempfile.tempdir = "/tmp"


def case(function):
    cases.append(function)
    return function


class Skipped(Exception):
    """The case cannot run on this machine. Its text is the reason."""


def missing_namespaces():
    """Why commands do not run in namespaces of their own on this machine; "": they do."""
    if not hasattr(missing_namespaces, "known"):
        with tempfile.TemporaryDirectory() as root:
            done = subprocess.run([TREFOIL, "sandbox", "--root", root, "--best-effort", "--", "true"],
                                  capture_output=True, text=True, env=environment(), timeout=DEADLINE,
                                  check=False)
        missing_namespaces.known = done.stderr.strip() if "namespaces" in done.stderr else ""
    return missing_namespaces.known


def needs_namespaces(function):
    """Skip the case where the kernel refuses namespaces (in a chroot, in most containers)."""
    @functools.wraps(function)
    def run_or_skip(*args):
        if missing_namespaces():
            raise Skipped(missing_namespaces())
        function(*args)
    return run_or_skip


def too_late(signum, frame):
    raise TimeoutError("this case takes too long")


def main(seconds=3 * DEADLINE):
    """Run all cases; none may take longer than that."""
    failed = 0
    signal.signal(signal.SIGALRM, too_late)
    print(f"1..{len(cases)}")
    for n, function in enumerate(cases, 1):
        name = function.__name__.replace("_", " ")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="trefoil-"))
        use_state_home(f"{folder}.state")
        try:
            signal.alarm(seconds)
            function(folder)
            print(f"ok {n} - {name}", flush=True)
        except Skipped as why:
            print(f"ok {n} - {name} # SKIP {why}", flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"not ok {n} - {name}")
            for line in traceback.format_exc().splitlines():
                print(f"# {line}", flush=True)
        finally:
            signal.alarm(0)
            shutil.rmtree(folder, ignore_errors=True)
            shutil.rmtree(state_home, ignore_errors=True)
    sys.exit(failed != 0)


def equal(got, want):
    if got != want:
        raise AssertionError(f"\n  got  {got!r}\n  want {want!r}")


def has(text, part):
    if part not in text:
        raise AssertionError(f"\n  {part!r} is not in\n  {text!r}")


def hints(tool):
    """The annotations of a listed tool, with the defaults of MCP where it says nothing."""
    return {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False,
            "openWorldHint": True, **tool.get("annotations", {})}


def wait_for(what, condition):
    """Poll until condition() is true, and return what it gave."""
    end = time.monotonic() + DEADLINE
    while True:
        got = condition()
        if got:
            return got
        if time.monotonic() > end:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.005)


def use_state_home(path):
    """From now on trefoil is started with this XDG_STATE_HOME, unless a test names another."""
    global state_home  # pylint: disable=global-statement
    state_home = str(path)


def state_dir(root, **env):
    """The state directory of a root, whether or not it exists: trefoil.db, memory.json, logs/."""
    key = (str(root), state_home, *sorted(env.items()))
    if key not in state_dirs:
        done = run("state", "path", root=root, **env)
        equal(done.returncode, 0)
        state_dirs[key] = pathlib.Path(done.stdout.decode().strip())
    return state_dirs[key]


def database(root, **env):
    return state_dir(root, **env) / "trefoil.db"


def make_state(root, **env):
    """The same, created by trefoil for this root, so that a test may put files into it."""
    run("tools", "call", "system_time", root=root, **env)
    return state_dir(root, **env)


def environment(**more):
    """Nothing of the caller's configuration; what the sanitizers need stays."""
    keep = {k: v for k, v in os.environ.items()
            if k in ("PATH", "LANG", "TMPDIR") or k.endswith("SAN_OPTIONS")}
    keep["HOME"] = keep["XDG_RUNTIME_DIR"] = NOWHERE
    if not {"HOME", "XDG_STATE_HOME", "TREFOIL_STATE_DIR"} & set(more):
        keep["XDG_STATE_HOME"] = state_home
    keep.update(more)
    return keep


def user_config(root, text):
    """Write the user's configuration for all commands with this root (an own HOME hides it)."""
    path = pathlib.Path(root) / ".user/trefoil/config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def environment_at(root, env):
    """The environment of a command with this root."""
    user = pathlib.Path(root or NOWHERE) / ".user"
    if user.is_dir() and "HOME" not in env:
        env = {"XDG_CONFIG_HOME": str(user), **env}
    return environment(**env)


def own_config(folder, text=AUTO):
    """A configuration of the user's own, as variables; folder is not the project."""
    home = pathlib.Path(folder) / "user"
    (home / "trefoil").mkdir(parents=True, exist_ok=True)
    (home / "trefoil/config.toml").write_text(text)
    return {"XDG_CONFIG_HOME": str(home)}


def run(*args, root=None, cwd=None, stdin=None, **env):
    """Run a verb to its end."""
    command = [TREFOIL, *args] + (["--root", str(root)] if root else [])
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, timeout=DEADLINE,
                          env=environment_at(root, env), check=False)


def alive(pid):
    """Is there such a process that is more than a zombie?"""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def catches(pid, number):
    """Does this process handle the signal? Before that, it would only end by it."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return int(mask, 16) >> (number - 1) & 1


class Process:
    """A trefoil that runs while we talk to it. Leaving the `with` ends it and checks how."""

    def __init__(self, *args, root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, descriptors=None,
                 wrap=(), **env):
        """wrap: words of a command that becomes trefoil."""
        limit = ["prlimit", f"--nofile={descriptors}"] if descriptors else []
        self.process = subprocess.Popen(
            [*wrap, *limit, TREFOIL, *args, "--root", str(root)], stdin=stdin, stdout=stdout,
            stderr=subprocess.PIPE, env=environment_at(root, env))
        self.pid = self.process.pid
        self.expect = 0
        self.told = False

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            self.process.kill()
        elif self.process.poll() is None:
            self.leave()
        try:
            code = self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        text = self.process.stderr.read().decode(errors="replace")
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
        if kind is None and code != self.expect:
            raise AssertionError(f"trefoil ended with {code}: {text}")
        if "Sanitizer" in text or "runtime error" in text:
            raise AssertionError(text)

    def leave(self):
        """Once: a second signal while it ends would end it otherwise."""
        if not self.told:
            self.process.send_signal(signal.SIGTERM)
        self.told = True


class Stdio(Process):
    """`trefoil mcp` on pipes, one JSON message per line."""

    def __init__(self, *args, root, scope="tools", **more):
        super().__init__("mcp", "--scope", scope, *args, root=root, **more)

    def leave(self):
        if self.process.stdin:
            self.process.stdin.close()

    def send(self, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("trefoil closed its stdout")
        return json.loads(line)

    def call(self, method, params=None, ident=1):
        self.send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params or {}})
        return self.receive()

    def initialize(self, version="2025-11-25"):
        answer = self.call("initialize", {"protocolVersion": version, "capabilities": {},
                                          "clientInfo": {"name": "e2e", "version": "1"}}, 0)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]


class Serve(Process):
    """`trefoil serve` on a port that the kernel chose."""

    def __init__(self, *args, root, listen="127.0.0.1:0", **more):
        super().__init__("serve", "--listen", listen, *args, root=root, **more)
        first = self.process.stdout.readline().decode()
        if "serves" not in first:
            self.process.wait(DEADLINE)
            raise AssertionError(f"no welcome: {first!r} {self.process.stderr.read().decode()}")
        if listen.startswith("unix:"):
            self.address = listen[5:]
            return
        url = self.process.stdout.readline().decode().split()[1]
        host, _, port = url[len("http://"):].partition("/")[0].rpartition(":")
        self.address = (host.strip("[]"), int(port))

    def connect(self):
        if isinstance(self.address, str):
            s = socket.socket(socket.AF_UNIX)
        else:
            s = socket.socket(socket.AF_INET6 if ":" in self.address[0] else socket.AF_INET)
        s.settimeout(DEADLINE)
        s.connect(self.address)
        return s

    def raw(self, data):
        """Send bytes on a new connection; everything that comes back until it closes."""
        with self.connect() as s:
            s.sendall(data)
            return read_all(s)

    def request(self, method, path, body=None, **headers):
        with self.connect() as s:
            s.sendall(request(method, path, body, close=True, **headers))
            return Response(read_all(s))

    def post(self, message, **headers):
        headers.setdefault("content_type", "application/json")
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return self.request("POST", "/mcp", body, **headers)


def read_all(s):
    data = b""
    while True:
        try:
            piece = s.recv(65536)
        except ConnectionResetError:
            return data
        if not piece:
            return data
        data += piece


def request(method, path, body=None, close=False, **headers):
    """The bytes of a request; header names with underscores for hyphens."""
    lines = [f"{method} {path} HTTP/1.1"]
    headers.setdefault("host", "localhost")
    if close:
        headers["connection"] = "close"
    if body is not None:
        headers["content_length"] = str(len(body))
    lines += [f"{k.replace('_', '-')}: {v}" for k, v in headers.items() if v is not None]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


class Response:
    """One response, taken apart."""

    def __init__(self, data):
        head, _, self.body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1]) if lines[0] else 0
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()

    def json(self):
        return json.loads(self.body)
