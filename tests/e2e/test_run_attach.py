"""trefoil run with a daemon of the same root: the turn runs there, and nobody sees a difference."""
import json
import os
import pathlib
import re
import signal
import subprocess

from harness import (DEADLINE, TREFOIL, Serve, case, environment_at, equal, has, main, run,
                     user_config, wait_for)
from terminal import ASK, FAILED, INTERRUPTED, SHELL, Terminal, sessions


class Place:
    """A root, a folder for the socket, and the environment that both sides have."""

    def __init__(self, folder, config=""):
        self.root, self.runtime = folder / "root", folder / "run"
        self.root.mkdir()
        self.runtime.mkdir(mode=0o700)
        # A busy machine may take its time to answer; who waits for it is not the point here.
        (self.root / "trefoil.toml").write_text(f"{config}\n[limits]\n")
        user_config(self.root, "[limits]\nattach_ms = 30000\n")
        self.env = {"XDG_RUNTIME_DIR": str(self.runtime), "TREFOIL_PROVIDER": "offline"}

    def serve(self, *args, **env):
        daemon = Serve(*args, root=self.root, **{**self.env, **env})
        return daemon

    def run(self, *words, **more):
        return run("run", *words, root=self.root, **{**self.env, **more})

    def start(self, *words, **env):
        return subprocess.Popen(
            [TREFOIL, "run", *words, "--root", str(self.root)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment_at(self.root, {**self.env, **env}))

    def terminal(self, *words):
        return Terminal(self.root, *words, XDG_RUNTIME_DIR=str(self.runtime),
                        XDG_CONFIG_HOME=str(self.root / ".user"))


def where(place, *words, **env):
    """The process that works on a prompt."""
    wait_for("the last shell to be gone", lambda: not shells(place.daemon))
    p = place.start(*words, '--yes', '/call shell_exec {"shell":true,"command":"exec sleep 600"}', **env)
    pid = wait_for("the shell", lambda: busy_below(p.pid, place))
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=DEADLINE)
    equal(p.returncode, INTERRUPTED)
    return pid


def descendants(pid):
    """The processes below a process, at any depth."""
    for file in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            below = [int(n) for n in file.read_text().split()]
        except OSError:  # the thread has ended
            continue
        for child in below:
            yield child
            yield from descendants(child)


def shells(pid):
    """The shells of the prompts, and no other child, such as git or a check of the sandbox."""
    def is_shell(child):
        try:
            return pathlib.Path(f"/proc/{child}/cmdline").read_bytes() == b"sleep\x00600\x00"
        except OSError:  # the process has ended
            return False
    return [child for child in descendants(pid) if is_shell(child)]


def busy_below(run_pid, place):
    """The process, `run` itself or the daemon, in which the shell of the prompt runs."""
    for pid in (run_pid, place.daemon):
        if shells(pid):
            return pid
    return None


# ---- the same as without a daemon ---------------------------------------------------------------

def plain(text):
    """Without what is different each time: ids and durations."""
    text = re.sub(rb"[0-9a-f]{8}-[0-9a-f-]{27}", b"ID", text)
    text = re.sub(rb"\"[A-Za-z0-9_-]{20,}\"", b'"ID"', text)
    return re.sub(rb"\d+ ms", b"N ms", text)


@case
def the_output_and_the_exit_code_are_the_same(folder):
    place = Place(folder, ASK)
    (place.root / "a").write_text("x\n")
    prompts = (("/echo hi",), ("/read a",), ("/think deep", "--thoughts"), ("/fail no reason",),
               ('/call plan_update {"entries":[{"content":"one","status":"pending",'
                '"priority":"low"}]}',),
               (SHELL,), ("--yes", SHELL), ("--mode", "read-only", SHELL), ("--no-save", "/echo x"),
               ("-c", "/echo again"), ("-a", "nobody", "hi"), ("--session", "zzz", "hi"),
               ("--model", "nowhere/none", "hi"), ("--timeout", "1", "/sleep 600"),
               ('/call agent_send {"agent":"default","message":"/read a"}',), ("-c",), ("/help",),
               ("/ask which colour?",))
    both = []
    for json_flag in ((), ("--json",)):
        for words in prompts:
            here = place.run("--no-attach", *json_flag, *words)
            with place.serve():
                there = place.run(*json_flag, *words)
            both.append((here, there))
            equal((words, there.returncode), (words, here.returncode))
            equal((words, plain(there.stdout)), (words, plain(here.stdout)))
            equal((words, plain(there.stderr)), (words, plain(here.stderr)))
    equal({here.returncode for here, _ in both}, {0, 1, 2, 3, 4})


@case
def the_prompt_may_come_from_stdin(folder):
    place = Place(folder)
    with place.serve():
        equal(place.run("-", stdin=b"/echo from there\n").stdout, b"from there\n")


@case
def the_turn_runs_in_the_daemon(folder):
    place = Place(folder)
    with place.serve() as d:
        place.daemon = d.pid
        pid = where(place)
        equal(pid, d.pid)
        wait_for("the shell to be gone", lambda: not shells(d.pid))


# ---- when it stays in process -------------------------------------------------------------------

@case
def what_the_daemon_cannot_know_keeps_it_in_process(folder):
    place = Place(folder)
    other = folder / "other.toml"
    other.write_text("[limits]\nattach_ms = 30000\n")
    with place.serve(ANTHROPIC_API_KEY="one") as d:
        place.daemon = d.pid
        equal(where(place), d.pid)  # what we do not have is the daemon's
        equal(where(place, ANTHROPIC_API_KEY="one"), d.pid)
        for words, env in (((), {"ANTHROPIC_API_KEY": "two"}), ((), {"OPENAI_API_KEY": "new"}),
                           (("--config", str(other)), {}), (("--no-attach",), {}),
                           (("--log-level", "error"), {}), ((), {"TREFOIL_NO_ATTACH": "1"})):
            pid = where(place, *words, **env)
            equal((words, env, pid == d.pid), (words, env, False))


@case
def a_configuration_that_is_not_in_force_there_keeps_it_in_process(folder):
    place = Place(folder)
    file = place.root / "trefoil.toml"
    with place.serve() as d:
        place.daemon = d.pid
        equal(where(place), d.pid)
        file.write_text(file.read_text() + "task_look_ms = 123\n")  # limits need a restart
        equal(where(place) == d.pid, False)


# ---- questions ----------------------------------------------------------------------------------

@case
def questions_come_to_the_terminal_and_answers_go_back(folder):
    place = Place(folder, ASK)
    with place.serve():
        for typed, want in (("y\n", "made it"), ("a\n", "made it"), ("\n", "not approved"),
                            ("\x04", "not approved")):
            with place.terminal(SHELL) as t:
                t.wait_for("[y/N/a(lways)] ")
                has(t.shown, '["echo","made it"]')
                t.type(typed)
                equal(t.leave(), 0)
                has(t.shown.rpartition("lways)]")[2], want)
        with place.terminal("/ask which colour?") as t:
            t.wait_for("Answer: ")
            t.type("green\n")
            equal(t.leave(), 0)
            equal(t.shown.splitlines()[-1], "green")


@case
def an_interrupt_takes_the_question_back(folder):
    place = Place(folder, ASK)
    with place.serve():
        with place.terminal(SHELL) as t:
            t.wait_for("[y/N/a(lways)] ")
            t.type("\x03")
            equal(t.leave(), INTERRUPTED)
            has(t.shown, "canceled")
            has(t.shown, "trefoil run -c")


# ---- ends ---------------------------------------------------------------------------------------

@case
def an_interrupt_ends_the_turn_and_keeps_the_session(folder):
    place = Place(folder)
    with place.serve():
        p = place.start("--json", "/sleep 600")
        begun = json.loads(p.stdout.readline())
        p.stdout.readline()
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=DEADLINE)
        equal(p.returncode, INTERRUPTED)
        equal(json.loads(out)["stop"], "canceled")
        has(err, b"trefoil run -c")
        equal(sessions(place.root)[0]["id"], begun["session"])
        equal(place.run("-c", "/echo here again").stdout, b"here again\n")
        equal(len(sessions(place.root)), 1)


@case
def two_interrupts_leave_at_once(folder):
    place = Place(folder)
    with place.serve() as d:
        p = place.start("--json", "/sleep 600")
        p.stdout.readline()
        p.stdout.readline()
        os.kill(d.pid, signal.SIGSTOP)  # nobody answers the first one
        try:
            p.send_signal(signal.SIGINT)
            wait_for("the first to be taken", lambda: not pending(p.pid, signal.SIGINT))
            p.send_signal(signal.SIGINT)
            p.communicate(timeout=DEADLINE)
            equal(p.returncode, INTERRUPTED)
        finally:
            os.kill(d.pid, signal.SIGCONT)
        wait_for("the session to be left", lambda: not sessions(place.root)[0]["in_use"])


@case
def a_daemon_that_hangs_is_not_waited_for(folder):
    place = Place(folder)
    file = place.root / "trefoil.toml"
    file.write_text(file.read_text() + "shutdown_ms = 200\n")
    for words in ((), ("--timeout", "1")):
        with place.serve() as d:
            p = place.start("--json", *words, "/sleep 600")
            p.stdout.readline()
            p.stdout.readline()
            os.kill(d.pid, signal.SIGSTOP)
            try:
                if not words:
                    p.send_signal(signal.SIGINT)
                _, err = p.communicate(timeout=DEADLINE)
            finally:
                os.kill(d.pid, signal.SIGCONT)
            equal(p.returncode, FAILED)
            has(err, f"the daemon (process {d.pid}) does not answer the cancel request".encode())
            wait_for("the session to be left", lambda: not sessions(place.root)[0]["in_use"])


def pending(pid, signum):
    """Has a signal been sent that its process has not taken yet?"""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("ShdPnd:"):
            return int(line.split()[1], 16) >> (signum - 1) & 1
    return 0


@case
def who_dies_ends_its_turn(folder):
    place = Place(folder)
    with place.serve() as d:
        p = place.start("--json", "--yes", '/call shell_exec {"shell":true,"command":"exec sleep 600"}')
        wait_for("the shell", lambda: shells(d.pid))
        p.kill()
        p.communicate()
        wait_for("the shell to be gone", lambda: not shells(d.pid))
        wait_for("the session to be left", lambda: not sessions(place.root)[0]["in_use"])
        equal(place.run("-c", "/echo again").stdout, b"again\n")


@case
def a_daemon_that_dies_is_told(folder):
    place = Place(folder)
    d = place.serve()
    with d:
        p = place.start("--json", "/sleep 2")
        p.stdout.readline()
        p.stdout.readline()
        d.process.kill()
        d.expect = -signal.SIGKILL
        _, err = p.communicate(timeout=DEADLINE)
        equal(p.returncode, FAILED)
        has(err, f"the daemon (process {d.pid}) disconnected".encode())
    again = place.run("-c", "/echo here")  # the turn that was broken off goes on, in process
    has(again.stderr, b"interrupted")


@case
def a_daemon_that_is_told_to_stop_ends_its_turns(folder):
    place = Place(folder)
    file = place.root / "trefoil.toml"
    file.write_text(file.read_text() + "shutdown_ms = 1000\n")
    with place.serve() as d:
        p = place.start("/sleep 600")
        wait_for("the session", lambda: [s for s in sessions(place.root) if s["in_use"]])
        d.leave()
        _, err = p.communicate(timeout=DEADLINE)
        equal(p.returncode, FAILED)
        has(err, b"the daemon is shutting down")


@case
def many_at_once_share_one_daemon(folder):
    place = Place(folder)
    with place.serve():
        all_of_them = [place.start(f"/echo number {n}") for n in range(8)]
        for n, p in enumerate(all_of_them):
            out, err = p.communicate(timeout=DEADLINE)
            equal((p.returncode, out, err), (0, f"number {n}\n".encode(), b""))
    equal(len(sessions(place.root)), 8)


@case
def a_long_answer_and_a_long_prompt_come_through(folder):
    place = Place(folder)
    text = "word " * 200000
    with place.serve():
        answer = place.run("-", stdin=("/echo " + text).encode())
        equal(answer.stdout.decode(), text.strip() + "\n")


@case
def a_reader_that_leaves_ends_it_quietly(folder):
    place = Place(folder)
    with place.serve():
        p = place.start("/echo " + "word " * 20000)
        p.stdout.read(10)
        p.stdout.close()
        err = p.stderr.read()
        p.stderr.close()
        equal(p.wait(DEADLINE), FAILED)
        equal(err.replace(b"= canceled\n", b""), b"")


main()
