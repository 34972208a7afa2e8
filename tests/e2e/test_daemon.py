"""`trefoil serve` as a daemon, and `trefoil mcp` attached to it."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys

from harness import (AUTO, DEADLINE, TREFOIL, Process, Serve, Stdio, alive, case, environment, equal,
                     has, main, read_all, run, wait_for)

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": {"name": "e2e", "version": "1"},
          "io.modelcontextprotocol/clientCapabilities": {}}


class Place:
    """A root, a folder for the socket, and a configuration that allows everything."""

    def __init__(self, folder, limits=""):
        self.root, self.runtime = folder / "root", folder / "run"
        self.root.mkdir()
        self.runtime.mkdir(mode=0o700)
        self.config = folder / "own.toml"
        # A busy machine may take its time to answer; who waits for it is not the point here.
        self.config.write_text(f'[mcp]\nmode = "read-write"\n{AUTO}[limits]\nattach_ms = 30000\n{limits}')
        self.common = ("--config", str(self.config))
        self.env = {"XDG_RUNTIME_DIR": str(self.runtime)}

    def serve(self, *args, **env):
        return Serve(*self.common, *args, root=self.root, **{**self.env, **env})

    def mcp(self, *args, scope="tools", **env):
        return Stdio(*self.common, *args, root=self.root, scope=scope, **{**self.env, **env})

    def sockets(self):
        return sorted((self.runtime / "trefoil").glob("*.sock"))


def use(t, name, **arguments):
    return t.call("tools/call", {"name": name, "arguments": arguments})["result"]


def start(t):
    """A background process; its id, which only the engine that runs it knows."""
    return use(t, "process_start", command="exec cat", shell=True)["structuredContent"]["id"]


def knows(daemon, ident):
    """Does the daemon itself, asked over HTTP, run this process?"""
    answer = daemon.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": {"name": "process_poll", "arguments": {"id": ident}}})
    return not answer.json()["result"].get("isError", False)


def ask(t, method):
    """The result, whatever is told before it."""
    answer = t.call(method)
    while "method" in answer:
        answer = t.receive()
    return answer.get("result", answer.get("error"))


def greet(path, **hello):
    """What is answered to a line at the door, until it closes."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(DEADLINE)
        s.connect(str(path))
        s.sendall(json.dumps(hello).encode() + b"\n")
        s.shutdown(socket.SHUT_WR)
        return read_all(s)


# ---- attached -------------------------------------------------------------------------------

@case
def a_client_is_served_by_the_daemon_in_both_eras(folder):
    place = Place(folder)
    (place.root / "hello.txt").write_text("one\n")
    with place.serve() as daemon, place.mcp() as t:
        equal(t.initialize("2025-06-18")["protocolVersion"], "2025-06-18")
        has([x["name"] for x in t.call("tools/list")["result"]["tools"]], "process_start")
        equal(use(t, "file_read", path="hello.txt")["content"], [{"type": "text", "text": "one\n"}])
        equal(knows(daemon, start(t)), True)
        with place.mcp() as modern:
            listed = modern.call("tools/list", {"_meta": MODERN})["result"]
            equal(listed["resultType"], "complete")
            called = modern.call("tools/call", {"name": "file_read", "_meta": MODERN,
                                                "arguments": {"path": "hello.txt"}})["result"]
            equal(called["content"][0]["text"], "one\n")


@case
def content_length_framing_passes(folder):
    place = Place(folder)
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    with place.serve() as daemon, place.mcp() as t, place.mcp("--framing", "header") as forced:
        t.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        equal(t.process.stdout.readline(), b"Content-Length: 36\r\n")
        equal(t.process.stdout.readline(), b"\r\n")
        equal(t.process.stdout.read(36), b'{"jsonrpc":"2.0","id":1,"result":{}}')
        t.initialize()  # the next message is a line, and so is its answer
        equal(knows(daemon, start(t)), True)
        forced.send(body + b"\n")
        has(forced.process.stdout.readline(), b"Content-Length")


@case
def each_scope_shows_what_it_shows_in_process(folder):
    place = Place(folder)
    agent = place.root / "agents" / "coder"
    agent.mkdir(parents=True)
    (agent / "agent.json").write_text('{"name":"coder","mcp":{"expose_tools":["file_read"]}}')
    with place.serve():
        for args in (("agents",), ("tools",), ("all",), ("tools", "--agent", "coder")):
            seen = []
            for more in ((), ("--no-attach",)):
                with place.mcp(*args[1:], *more, scope=args[0]) as t:
                    hello = t.initialize()
                    seen.append((hello, ask(t, "tools/list"), ask(t, "resources/list")))
            equal(seen[0], seen[1])


@case
def two_clients_share_one_engine(folder):
    place = Place(folder)
    with place.serve(), place.mcp() as one, place.mcp(scope="all") as two:
        one.initialize()
        two.initialize()
        ident = start(one)
        use(two, "process_write", id=ident, text="hello\n")
        has(use(one, "process_poll", id=ident, wait_ms=30000)["content"][0]["text"], "hello")
        equal(use(two, "process_kill", id=ident).get("isError", False), False)


@case
def what_a_client_started_stays_when_it_leaves(folder):
    place = Place(folder)
    with place.serve():
        with place.mcp() as one:
            one.initialize()
            ident = start(one)
        with place.mcp() as two:
            two.initialize()
            equal(use(two, "process_poll", id=ident)["structuredContent"]["running"], True)


@case
def clients_hear_of_changes(folder):
    place = Place(folder)
    with place.serve(), place.mcp() as tools, place.mcp(scope="agents") as agents:
        tools.initialize()
        agents.initialize()
        has([x["name"] for x in tools.call("tools/list")["result"]["tools"]], "list_agents")
        has([x["name"] for x in agents.call("tools/list")["result"]["tools"]], "list_agents")
        place.config.write_text(place.config.read_text().replace(
            '"read-write"\n', '"read-write"\nprivate_tools = ["list_agents"]\n'))
        for t in (tools, agents):
            equal(t.receive()["method"], "notifications/tools/list_changed")
            names = [x["name"] for x in t.call("tools/list")["result"]["tools"]]
            equal("list_agents" in names, False)


@case
def a_pile_of_requests_is_answered_although_stdin_has_ended(folder):
    """More than all buffers between us hold, and nobody reads until all is sent."""
    place = Place(folder)
    (place.root / "big.txt").write_text(("x" * 99 + "\n") * 200)
    count = 1000
    call = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"file_read",' \
           b'"arguments":{"path":"big.txt"},"_meta":{"pad":"%s"}}}\n'
    text = b"".join(call % (i, b"p" * 3000) for i in range(count))
    with place.serve():
        done = run("mcp", "--scope", "tools", *place.common, root=place.root, stdin=text,
                   **place.env)
    equal((done.returncode, done.stderr), (0, b""))
    answers = [json.loads(x) for x in done.stdout.splitlines()]
    equal(sorted(x["id"] for x in answers if "result" in x), list(range(count)))


def descriptors(daemon):
    return len(os.listdir(f"/proc/{daemon.pid}/fd"))


@case
def stdin_and_stdout_are_the_daemons_and_no_bytes_pass_through_the_client(folder):
    """A client that is stopped cannot pass anything on; also where stdin and stdout are sockets."""
    place = Place(folder)
    command = [TREFOIL, "mcp", "--scope", "tools", *place.common, "--root", str(place.root)]
    with place.serve() as daemon:
        before = descriptors(daemon)
        for kind in ("pipes", "a socket"):
            ours, theirs = socket.socketpair()
            end = theirs if kind == "a socket" else subprocess.PIPE
            client = subprocess.Popen(command, stdin=end, stdout=end, env=environment(**place.env))
            theirs.close()
            ours.settimeout(DEADLINE)
            to, back = ((ours.makefile("wb"), ours.makefile("rb")) if kind == "a socket" else
                        (client.stdin, client.stdout))
            for count in range(2):
                to.write(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n' % count)
                to.flush()
                equal((kind, json.loads(back.readline())["id"]), (kind, count))
                client.send_signal(signal.SIGSTOP)
            client.send_signal(signal.SIGCONT)
            to.close()
            if kind == "a socket":
                ours.shutdown(socket.SHUT_WR)
            equal((kind, client.wait(DEADLINE)), (kind, 0))
            equal(back.read(), b"")
            back.close()
            ours.close()
        wait_for("all descriptors to be closed", lambda: descriptors(daemon) <= before)


# ---- leaving --------------------------------------------------------------------------------

@case
def a_daemon_that_is_killed_ends_its_clients_with_a_clear_word(folder):
    place = Place(folder)
    daemon = place.serve()
    with place.mcp() as t:
        t.initialize()
        equal(knows(daemon, start(t)), True)
        t.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                "params": {"name": "shell_exec",
                           "arguments": {"command": "touch under-way; exec sleep 1000",
                                         "shell": True}}})
        wait_for("the call", (place.root / "under-way").exists)
        daemon.process.kill()
        daemon.process.wait()
        equal(t.process.wait(DEADLINE), 1)
        equal(t.process.stdout.read(), b"")
        text = t.process.stderr.peek().decode()
        has(text, f"the daemon (process {daemon.pid}) disconnected")
        t.expect = 1
    daemon.expect = -signal.SIGKILL
    daemon.__exit__(None, None, None)


@case
def a_daemon_that_is_told_to_stop_answers_first(folder):
    place = Place(folder)
    with place.serve() as daemon, place.mcp() as t:
        t.initialize()
        ident = start(t)
        t.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                "params": {"name": "shell_exec",
                           "arguments": {"command": "touch under-way; while [ ! -e go ]; do :; done; "
                                         "echo done", "shell": True}}})
        wait_for("the call", (place.root / "under-way").exists)
        equal(knows(daemon, ident), True)
        daemon.leave()
        wait_for("the door to close", lambda: not place.sockets())
        (place.root / "go").touch()
        has(t.receive()["result"]["content"][0]["text"], "done")
        equal(t.process.wait(DEADLINE), 1)
        t.expect = 1


@case
def a_client_that_is_told_to_stop_gets_its_answers(folder):
    place = Place(folder)
    with place.serve() as daemon, place.mcp() as t:
        t.initialize()
        equal(knows(daemon, start(t)), True)
        t.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                "params": {"name": "shell_exec",
                           "arguments": {"command": "touch under-way; while [ ! -e go ]; do :; done; "
                                         "echo done", "shell": True}}})
        wait_for("the call", (place.root / "under-way").exists)
        t.process.send_signal(signal.SIGTERM)
        (place.root / "go").touch()
        has(t.receive()["result"]["content"][0]["text"], "done")
        equal(t.process.wait(DEADLINE), 0)
        equal(alive(daemon.pid), True)


@case
def a_client_that_vanishes_stops_what_was_done_for_it(folder):
    place = Place(folder)
    with place.serve(), place.mcp() as t:
        t.initialize()
        t.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                "params": {"name": "shell_exec",
                           "arguments": {"command": "echo $$ > pid; exec sleep 1000", "shell": True}}})
        pid = wait_for("the call", lambda: (place.root / "pid").exists()
                       and (place.root / "pid").read_text().strip())
        t.process.kill()
        t.expect = -signal.SIGKILL
        wait_for("the program to end", lambda: not alive(int(pid)))


# ---- not attached ---------------------------------------------------------------------------

def works_alone(place, daemon, *args, **env):
    """What it starts is its own: the daemon runs no process of any such name."""
    with place.mcp(*args, **env) as t:
        t.initialize()
        ident = start(t)
        equal(knows(daemon, ident), False)


@case
def whoever_does_not_want_to_works_alone(folder):
    place = Place(folder)
    with place.serve() as daemon:
        works_alone(place, daemon, "--no-attach")
        works_alone(place, daemon, TREFOIL_NO_ATTACH="1")
        with place.mcp(TREFOIL_NO_ATTACH="0") as t:
            t.initialize()
            equal(knows(daemon, start(t)), True)


@case
def without_a_daemon_a_client_works_alone(folder):
    place = Place(folder)
    with place.mcp() as t:
        t.initialize()
        equal(use(t, "process_poll", id=start(t))["structuredContent"]["running"], True)
    equal((place.runtime / "trefoil").exists(), False)


@case
def who_is_set_up_differently_works_alone(folder):
    place = Place(folder)
    with place.serve() as daemon:
        works_alone(place, daemon, "--trust")
        works_alone(place, daemon, TREFOIL_PROVIDER="offline")
        other = folder / "other.toml"
        other.write_text(place.config.read_text())
        works_alone(place, daemon, "--config", str(other))
        link = folder / "link.toml"
        link.symlink_to(place.config)
        with place.mcp("--config", str(link)) as t:
            t.initialize()
            equal(knows(daemon, start(t)), True)


@case
def the_daemon_of_another_root_is_not_used(folder):
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    here, there = Place(folder / "a"), Place(folder / "b")
    there.env = here.env
    there.common = here.common
    with here.serve() as daemon, there.serve() as other, there.mcp() as t:
        t.initialize()
        ident = start(t)
        equal((knows(daemon, ident), knows(other, ident)), (False, True))
        equal(len(here.sockets()), 2)


@case
def a_daemon_that_does_not_answer_is_not_waited_for(folder):
    place = Place(folder)
    place.config.write_text(f'[mcp]\nmode = "read-write"\n{AUTO}[limits]\nattach_ms = 1\n')
    with place.serve() as daemon:
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            with place.mcp("--log-level", "debug") as t:
                t.initialize()
                equal(len(t.call("tools/list")["result"]["tools"]) > 0, True)
                has(t.process.stderr.peek().decode(), "the daemon sent no answer")
        finally:
            daemon.process.send_signal(signal.SIGCONT)


@case
def who_says_nothing_at_the_door_is_shown_out(folder):
    place = Place(folder)
    place.config.write_text("[limits]\nattach_ms = 1\n")
    with place.serve(), socket.socket(socket.AF_UNIX) as s:
        s.settimeout(DEADLINE)
        s.connect(str(place.sockets()[0]))
        equal(read_all(s), b"")


@case
def an_agent_that_is_not_there_is_named_as_without_a_daemon(folder):
    place = Place(folder)
    with place.serve():
        done = run("mcp", "--agent", "nobody", *place.common, root=place.root, **place.env)
        alone = run("mcp", "--agent", "nobody", "--no-attach", *place.common, root=place.root,
                    **place.env)
    equal((done.returncode, done.stdout, done.stderr), (2, b"", alone.stderr))
    has(done.stderr, b"nobody")


@case
def one_program_too_many_works_alone(folder):
    place = Place(folder, limits="attached_programs = 1\n")
    with place.serve() as daemon, place.mcp() as first:
        first.initialize()
        equal(knows(daemon, start(first)), True)
        works_alone(place, daemon)


# ---- the door -------------------------------------------------------------------------------

@case
def the_socket_is_ours_alone_and_goes_with_the_daemon(folder):
    place = Place(folder)
    with Process("serve", "--listen", "127.0.0.1:0", "--json", *place.common, root=place.root,
                 **place.env) as daemon:
        said = json.loads(daemon.process.stdout.readline())
        path = pathlib.Path(said["socket"])
        equal([path], place.sockets())
        equal(path.stat().st_mode & 0o777, 0o600)
        equal(path.parent.stat().st_mode & 0o777, 0o700)
    equal(place.sockets(), [])


@case
def without_a_runtime_folder_the_socket_is_in_the_users_state(folder):
    place = Place(folder)
    place.env = {"XDG_STATE_HOME": str(folder / "state"), "XDG_RUNTIME_DIR": ""}
    with place.serve() as daemon, place.mcp() as t:
        t.initialize()
        equal(knows(daemon, start(t)), True)
        equal(len(list((folder / "state/trefoil").glob("*.sock"))), 1)


@case
def a_stale_socket_is_replaced(folder):
    place = Place(folder)
    first = place.serve()
    first.process.kill()
    first.expect = -signal.SIGKILL
    first.__exit__(None, None, None)
    equal(len(place.sockets()), 1)
    with place.mcp() as t:
        t.initialize()
    with place.serve() as daemon, place.mcp() as t:
        t.initialize()
        equal(knows(daemon, start(t)), True)


@case
def a_second_daemon_says_who_serves_and_serves_http(folder):
    place = Place(folder)
    with place.serve() as first, place.serve() as second:
        line = wait_for("its word", lambda: second.process.stderr.readline().decode())
        has(line, f"pid={first.pid}")
        equal(second.request("GET", "/health").status, 200)
        with place.mcp() as t:
            t.initialize()
            ident = start(t)
            equal((knows(first, ident), knows(second, ident)), (True, False))
        second.leave()
        equal(second.process.wait(DEADLINE), 0)
        equal(len(place.sockets()), 1)


OTHER_USER = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
s = socket.socket(socket.AF_UNIX)
s.settimeout(60)
s.connect(sys.argv[1])
try:
    s.sendall(b'{"trefoil":1}\\n')
    print(len(s.recv(100)))
except (BrokenPipeError, ConnectionResetError):
    print(0)
"""


@case
def another_user_is_not_let_in(folder):
    if os.geteuid() != 0:
        return
    place = Place(folder)
    with place.serve() as daemon:
        path = place.sockets()[0]
        for p in (folder, place.runtime, path.parent):
            p.chmod(0o755)
        path.chmod(0o666)
        done = subprocess.run([sys.executable, "-c", OTHER_USER, str(path)], capture_output=True,
                              check=True, timeout=DEADLINE)
        equal(done.stdout, b"0\n")
        has(daemon.process.stderr.readline().decode(), "another user")


@case
def what_is_said_at_the_door_is_checked(folder):
    place = Place(folder)
    with place.serve():
        path = place.sockets()[0]
        version = run("version", "--json").stdout
        right = {"trefoil": 4, "version": json.loads(version)["version"], "digest": "x",
                 "scope": "tools", "framing": "auto"}
        for wrong, why in (({}, "--config"), ({"trefoil": 1}, "protocol"), ({"version": "9"}, "9"),
                           ({"version": None}, "version"), ({"trefoil": "1"}, "trefoil")):
            answer = json.loads(greet(path, **{**right, **wrong}))
            if wrong.get("version") != "9":
                has(answer["error"], why)
            else:
                has(answer["error"], "only clients of the same version")
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(str(path))
            s.sendall(b"{" * 5000)
            has(read_all(s), b"too long")
        with place.mcp() as t:
            t.initialize()


def hello_of(place, path):
    """What a program says at the door, heard by somebody who stands where the daemon would."""
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(DEADLINE)
        door.bind(str(path))
        door.listen()
        with place.mcp():
            with door.accept()[0] as s:
                line = s.recv(5000)
    path.unlink()
    return line


@case
def stdin_is_not_read_before_its_program_has_heard_that_it_is_let_in(folder):
    place = Place(folder)
    with place.serve():
        path = place.sockets()[0]
    line = hello_of(place, path)
    with place.serve() as daemon:
        before, (mine, theirs) = descriptors(daemon), os.pipe()
        os.write(theirs, b"mine")
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(DEADLINE)
            s.connect(str(path))
            socket.send_fds(s, [line], [mine, theirs])
            equal(json.loads(s.recv(100)), {"ok": True})
        wait_for("all descriptors to be closed", lambda: descriptors(daemon) <= before)
        equal(os.read(mine, 100), b"mine")
        os.close(mine)
        os.close(theirs)


# ---- who wants to know ----------------------------------------------------------------------

@case
def doctor_says_which_process_serves(folder):
    place = Place(folder)
    has(run("doctor", root=place.root, **place.env).stdout.decode(), "no daemon runs for this root")
    with place.serve() as daemon:
        has(run("doctor", root=place.root, **place.env).stdout.decode(),
            f"process {daemon.pid} serves this root")


@case
def systemd_is_told(folder):
    place = Place(folder)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.settimeout(DEADLINE)
        s.bind(str(folder / "notify"))
        with place.serve(NOTIFY_SOCKET=str(folder / "notify")):
            equal(s.recv(100), b"READY=1")
        equal(s.recv(100), b"STOPPING=1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.settimeout(DEADLINE)
        s.bind(f"\0trefoil-{os.getpid()}")
        with place.serve(NOTIFY_SOCKET=f"@trefoil-{os.getpid()}"):
            equal(s.recv(100), b"READY=1")


main()
