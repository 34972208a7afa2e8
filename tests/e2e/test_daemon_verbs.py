"""Verbs beside a daemon of the same root: it does the work, and no server or agent is started twice."""
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess

from harness import (DEADLINE, TREFOIL, Serve, case, environment_at, equal, has, main, run,
                     user_config, wait_for)
from terminal import ASK
from upstream import command, program

ECHO = '{"text":"hi"}'
SLEEP = f"sleep 1{os.getpid():07}"  # no other test has the same
DENIED = 3


class Place:
    """A root with an MCP server that records its own starts."""

    def __init__(self, folder, config=""):
        self.root, self.runtime = folder / "root", folder / "run"
        self.starts = self.root / "starts"  # in the root, as the program: servers see no more of /tmp
        self.root.mkdir()
        self.runtime.mkdir(mode=0o700)
        server = program(self.root / "bin", "calc", "add")
        script = f'echo start >> "{self.starts}"; exec "{server}"'
        user_config(self.root, f"{config}\n{command('calc', '/bin/sh', '-c', script)}\n"
                               "[limits]\nattach_ms = 30000\nlook_ms = 30000\n")
        self.env = {"XDG_RUNTIME_DIR": str(self.runtime), "TREFOIL_PROVIDER": "offline"}

    def serve(self, *args):
        return Serve(*args, root=self.root, **self.env)

    def run(self, *words, **more):
        return run(*words, root=self.root, **{**self.env, **more})

    def alone(self, *words):
        return self.run(*words, TREFOIL_NO_ATTACH="1")

    def start(self, *words):
        return subprocess.Popen(
            [TREFOIL, *words, "--root", str(self.root)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment_at(self.root, self.env))

    def started(self):
        return len(self.starts.read_text().split()) if self.starts.exists() else 0

    def socket(self):
        return next(self.runtime.rglob("*.sock"))


def request(path, method, target, body=None, **header):
    """An HTTP request on the daemon's Unix socket: status and JSON."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(DEADLINE)
        s.connect(str(path))
        conn = http.client.HTTPConnection("localhost")
        conn.sock = s
        conn.request(method, target, body=None if body is None else json.dumps(body),
                     headers={"Content-Type": "application/json", **header})
        answer = conn.getresponse()
        return answer.status, json.loads(answer.read())


def same(place, *words):
    """Run by the daemon and in process: nobody sees a difference. The result."""
    there, here = place.run(*words), place.alone(*words)
    equal((words, there.returncode, there.stdout, there.stderr),
          (words, here.returncode, here.stdout, here.stderr))
    return there


@case
def a_tool_call_does_not_start_its_server_again(folder):
    place = Place(folder)
    with place.serve():
        wait_for("the server", lambda: place.started() == 1)
        pids = set()
        for _ in range(2):
            done = place.run("tools", "call", "mcp_calc_add", ECHO)
            equal((done.returncode, done.stderr), (0, b""))
            pids.add(json.loads(done.stdout)["pid"])
        both = [place.start("tools", "call", "mcp_calc_add", ECHO) for _ in range(2)]
        for p in both:
            out, _ = p.communicate(timeout=DEADLINE)
            equal(p.returncode, 0)
            pids.add(json.loads(out)["pid"])
        has(place.run("tools").stdout.decode(), "mcp_calc_add")
        equal(place.run("servers").returncode, 0)
        equal((len(pids), place.started()), (1, 1))
        equal(place.alone("tools", "call", "mcp_calc_add", ECHO).returncode, 0)
        equal(place.started(), 2)


@case
def tools_and_their_results_are_the_same(folder):
    place = Place(folder, ASK)
    (place.root / "a").write_text("x\n")
    with place.serve():
        for json_flag in ((), ("--json",)):
            same(place, "tools", *json_flag)
            for words, code in ((("file_read", '{"path":"a"}'), 0), (("file_read", '{"path":"b"}'), 1),
                                (("file_raed", "{}"), 2), (("nothing_like_it",), 2),
                                (("shell_exec", '{"argv":["echo","made it"]}'), DENIED),
                                (("shell_exec", '{"argv":["echo","made it"]}', "--yes"), 0)):
                equal((words, same(place, "tools", "call", *words, *json_flag).returncode),
                      (words, code))


@case
def an_interrupt_ends_the_call_in_the_daemon(folder):
    place = Place(folder)
    with place.serve():
        call = ("tools", "call", "shell_exec", f'{{"shell":true,"command":"echo >begun; exec {SLEEP}"}}', "--yes")
        for signum in (signal.SIGINT, signal.SIGKILL):
            p = place.start(*call)
            wait_for("the call", (place.root / "begun").exists)
            p.send_signal(signum)
            p.communicate(timeout=DEADLINE)
            (place.root / "begun").unlink()
            wait_for("the shell to be gone", lambda: not shells())


def shells():
    """Our processes that sleep."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path] if path.read_bytes() == SLEEP.replace(" ", "\0").encode() + b"\0" else []
        except OSError:
            pass  # it has just ended
    return found


@case
def a_dispatched_task_is_worked_on_by_the_daemon(folder):
    place = Place(folder)
    with place.serve():
        wait_for("the server", lambda: place.started() == 1)
        done = place.run("agents", "dispatch", "default", "/echo done there")
        equal(done.returncode, 0)
        has(done.stdout, b"done there")
        equal(place.run("agents", "dispatch", "nobody", "hi").returncode,
              place.alone("agents", "dispatch", "nobody", "hi").returncode)
        begun = place.run("agents", "dispatch", "--detach", "default", "/sleep 600")
        ident = begun.stdout.decode().strip()
        equal(begun.returncode, 0)
        has(place.run("tasks", "cancel", ident).stdout.decode(), "cancelled")
        task = json.loads(place.run("tasks", "show", ident, "--json").stdout)
        equal((task["state"], place.started()), ("canceled", 2))  # 2: the one that ran alone
    has(place.run("agents", "dispatch", "--detach", "default", "hi").stderr, b"trefoil serve")


@case
def the_socket_serves_http_to_the_operator(folder):
    place = Place(folder)
    with place.serve():
        path = place.socket()
        equal(request(path, "GET", "/health")[1]["status"], "ok")
        equal(request(path, "GET", "/api/tasks"), (200, {"tasks": []}))
        status, answer = request(path, "GET", "/api/tools")
        equal(status, 409)
        has(answer["error"]["message"], "version")
        equal(request(path, "POST", "/api/streams/nothing/cancel", {})[0], 404)
        equal(request(path, "POST", "/api/run", {}, **{"Trefoil-Version": "0"})[0], 409)


main()
