"""`trefoil chat` at a terminal of our own, and in a pipe. No model: the offline provider answers."""
import contextlib
import fcntl
import json
import os
import re
import resource
import select
import signal
import sqlite3
import struct
import subprocess
import termios
import time

from harness import (DEADLINE, TREFOIL, case, database, environment, equal, has, main, make_state,
                     run, wait_for)

LEFT, UP, END = "\x1b[D", "\x1b[A", "\x1b[F"
CTRL_A, CTRL_C, CTRL_D, CTRL_K, CTRL_L, CTRL_R = "\x01", "\x03", "\x04", "\x0b", "\x0c", "\x12"
CTRL_U, CTRL_W, CTRL_Y, ALT_B, ALT_ENTER = "\x15", "\x17", "\x19", "\x1bb", "\x1b\r"


def paste(text):
    return f"\x1b[200~{text}\x1b[201~"


class Terminal:
    """A chat at a terminal. What it prints is read as it comes; expect() goes on from there."""

    def __init__(self, folder, *args, columns=80, **env):
        self.root = folder / "project"
        self.home = folder / "home"
        for path in (self.root / ".trefoil", self.home):
            path.mkdir(parents=True, exist_ok=True)
        self.master, self.slave = os.openpty()
        self.resize(columns)
        self.before = termios.tcgetattr(self.slave)
        self.bytes = b""
        self.text = ""
        self.at = 0
        self.process = subprocess.Popen(
            [TREFOIL, "chat", *args, "--root", str(self.root)], stdin=self.slave, stdout=self.slave,
            stderr=self.slave, start_new_session=True, preexec_fn=self.own,
            env=environment(HOME=str(self.home), TERM="xterm", TREFOIL_PROVIDER="offline", **env))

    @staticmethod
    def own():
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(DEADLINE)
        self.read(0)
        os.close(self.master)
        os.close(self.slave)
        if kind is not None:
            print("# " + repr(self.text))
        elif "Sanitizer" in self.text or "runtime error" in self.text:
            raise AssertionError(self.text)

    def resize(self, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            self.bytes += os.read(self.master, 65536)
            self.text = self.bytes.decode(errors="replace").replace("\r\r\n", "\r\n")
            return True
        return False

    def type(self, keys):
        os.write(self.master, keys.encode())

    def expect(self, part):
        """Read until this was printed behind what was expected last; returns what came before it."""
        end = time.monotonic() + DEADLINE
        while part not in self.text[self.at:]:
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {part!r} in {self.text[self.at:]!r}")
            self.read(0.05)
        found = self.text.index(part, self.at)
        passed = self.text[self.at:found]
        self.at = found + len(part)
        return passed

    def ready(self):
        """A prompt stands there, with nothing typed; returns what was printed before it."""
        return self.expect("\x1b[?2004h\r\x1b[J> \r\x1b[2C")

    def say(self, line):
        """Type a line and return what is printed until the next prompt."""
        self.type(line + "\r")
        self.expect("\x1b[?2004l")
        return self.ready()

    def modes(self):
        return termios.tcgetattr(self.slave)

    def ended(self):
        """Wait for its end, with all it says; the terminal is as before."""
        wait_for("the end", lambda: not self.read(0.005) and self.process.poll() is not None)
        equal(self.modes(), self.before)
        return self.process.returncode


def plain(folder, lines, *args, **env):
    (folder / "project" / ".trefoil").mkdir(parents=True, exist_ok=True)
    return run("chat", *args, root=folder / "project", stdin=lines, TREFOIL_PROVIDER="offline",
               **env)


# ---- typing ------------------------------------------------------------------------------------


@case
def a_line_is_typed_and_edited_and_a_turn_answers(folder):
    with Terminal(folder) as t:
        has(t.ready(), "agent default, model offline, session ")
        t.type("/echo abd" + LEFT + "c")
        t.expect("> /echo abcd\r\x1b[11C")
        has(t.say(""), "abcd")
        t.type("wrong" + CTRL_U + "two" + CTRL_A + "/echo one " + END + " 3" + ALT_B + CTRL_K + "three")
        t.expect("> /echo one two three")
        equal(t.say("").strip(), "one two three")
        t.type("/echo x \u4f60\u597d\x7f" + CTRL_W + CTRL_Y + CTRL_L)
        t.expect("\x1b[H\x1b[2J")
        equal(t.say("").strip(), "x \u4f60")
        t.type(CTRL_D)
        equal(t.ended(), 0)


@case
def several_lines_are_one_prompt(folder):
    with Terminal(folder) as t:
        t.ready()
        t.type("/echo one" + ALT_ENTER + "two\\\rthree")
        t.expect("| three")
        equal(t.say("").split(), ["one", "two", "three"])
        t.type(paste("/echo four\rfive\x03"))
        t.expect("| five\ufffd")
        equal(t.say("").split(), ["four", "five\ufffd"])
        t.type("/quit\r")
        equal(t.ended(), 0)


@case
def what_is_typed_ahead_waits_for_its_turn(folder):
    with Terminal(folder) as t:
        t.ready()
        t.type("/echo one\r/sleep 1ms\r/echo two\r")
        t.expect("\x1b[?2004lone\r\n")
        t.expect("\x1b[?2004lSlept 1 ms.\r\n")
        t.expect("\x1b[?2004ltwo\r\n")


@case
def a_text_that_is_too_long_is_cut_and_said(folder):
    (folder / "project").mkdir()
    (folder / "project/trefoil.toml").write_text("[limits]\nchat_line_bytes = 64\n")
    with Terminal(folder) as t:
        t.ready()
        t.type(paste("/echo " + "x" * 60))
        t.expect("limits.chat_line_bytes")
        equal(t.say("").split()[-1], "x" * 58)


@case
def history_is_recalled_searched_and_kept_for_the_next_time(folder):
    with Terminal(folder) as t:
        t.ready()
        t.say("/echo first")
        t.say("/echo second")
        t.say(" /echo secret")
        t.type(UP + UP)
        t.expect("> /echo first")
        equal(t.say("").strip(), "first")
        t.type(CTRL_R + "sec")
        t.expect("(search: sec_) /echo second")
        equal(t.say("").strip(), "second")
        t.type(CTRL_D)
        equal(t.ended(), 0)
        file = t.home / ".local/state/trefoil/chat_history"
        equal(file.read_text(), "/echo first\n/echo second\n/echo first\n/echo second\n")
        equal(file.stat().st_mode & 0o777, 0o600)
    with Terminal(folder) as t:
        t.ready()
        t.type(UP + UP)
        t.expect("> /echo first")
        equal(t.say("").strip(), "first")


@case
def tab_completes_commands_agents_and_paths(folder):
    with Terminal(folder) as t:
        (t.root / "source").mkdir()
        (t.root / "source" / "main file.c").write_text("")
        (t.root / "some\nname").write_text("")
        t.ready()
        t.type("/res\t")
        t.expect("> /resume ")
        t.type(CTRL_U + "/co\t")
        t.expect("/cost  /compact  /continue")
        t.type(CTRL_U + "/echo @so\t")
        t.expect("> /echo @source/")
        t.type("\t")
        t.expect("@source/main file.c ")


@case
def a_window_of_another_size_is_painted_anew(folder):
    with Terminal(folder, columns=20) as t:
        t.ready()
        t.type("x" * 30)
        t.expect("> " + "x" * 18 + "\r\n" + "x" * 12)
        t.resize(60)
        os.killpg(t.process.pid, signal.SIGWINCH)
        t.expect("> " + "x" * 30)


# ---- ctrl-c ------------------------------------------------------------------------------------


@case
def ctrl_c_cancels_the_turn_and_the_prompt_comes_back(folder):
    with Terminal(folder) as t:
        t.ready()
        t.type("/sleep 3000\r")
        t.expect("\x1b[?2004l")
        wait_for("the turn", lambda: t.modes()[3] & termios.ISIG)
        t.type(CTRL_C)
        has(t.ready(), "canceled")
        equal(t.say("/echo still here").strip(), "still here")


@case
def ctrl_c_clears_a_line_and_twice_on_an_empty_one_leaves(folder):
    with Terminal(folder) as t:
        t.ready()
        t.type("unfinished")
        t.expect("> unfinished")
        t.type(CTRL_C)
        t.expect("\r\n\r\x1b[J> \r")
        t.type(CTRL_C)
        t.expect("ctrl-c again")
        t.type("x\x7f" + CTRL_C)
        t.expect("ctrl-c again")
        t.type(CTRL_C)
        equal(t.ended(), 0)


# ---- questions ---------------------------------------------------------------------------------

CAREFUL = """---
name: careful
description: asks before it changes anything
approval_mode: default
---
Be careful.
"""


def write_call(path, text):
    return f'/call file_write {{"path":"{path}","content":"{text}"}}'


@case
def a_command_that_leaves_the_sandbox_is_asked_for_by_default(folder):
    with Terminal(folder) as t:
        (t.root / "kept.txt").write_text("x")
        t.ready()
        t.type('/call shell_exec {"argv":["rm","kept.txt"],"sandbox":"off","reason":"to try"}\r')
        asked = t.expect("Allow it? [y/N/a(lways)] ")
        has(asked, "it asks for sandbox profile off instead of workspace")
        has(asked, "reason: to try")
        t.type("n\r")
        has(t.ready(), "not approved")
        equal((t.root / "kept.txt").exists(), True)
        t.type(CTRL_D)
        equal(t.ended(), 0)


@case
def permissions_are_asked_for(folder):
    agents = folder / "project/.trefoil/agents"
    agents.mkdir(parents=True)
    (agents / "careful.md").write_text(CAREFUL)
    with Terminal(folder, "-a", "careful") as t:
        has(t.ready(), "agent careful")
        t.type(write_call("no.txt", "x") + "\r")
        has(t.expect("Allow it? [y/N/a(lways)] "), "| +x")
        t.type("n\r")
        has(t.ready(), "not approved")
        t.type(write_call("yes.txt", "x") + "\r")
        t.expect("Allow it?")
        t.type("y\r")
        has(t.ready(), "Created yes.txt")
        t.type(write_call("always.txt", "x") + "\r")
        t.expect("Allow it?")
        t.type("a\r")
        has(t.ready(), "Created always.txt")
        has(t.say(write_call("always.txt", "y")), "always.txt")  # the same path: no question
        equal((t.root / "always.txt").read_text(), "y")
        t.type(write_call("again.txt", "x") + "\r")
        t.expect("Allow it?")
        t.type("n\r")
        t.ready()
        equal(sorted(p.name for p in t.root.glob("*.txt")), ["always.txt", "yes.txt"])
        t.type(CTRL_D)
        equal(t.ended(), 0)
        has((t.home / ".local/state/trefoil/chat_history").read_text(), "no.txt")
        if "y\n" in (t.home / ".local/state/trefoil/chat_history").read_text().splitlines(True):
            raise AssertionError("an answer went into history")


@case
def ctrl_c_at_a_question_cancels_the_turn(folder):
    agents = folder / "project/.trefoil/agents"
    agents.mkdir(parents=True)
    (agents / "careful.md").write_text(CAREFUL)
    with Terminal(folder, "-a", "careful") as t:
        t.ready()
        t.type(write_call("a.txt", "x") + "\r")
        t.expect("Allow it?")
        t.type(CTRL_C)
        has(t.ready(), "canceled")
        t.type(write_call("a.txt", "x") + "\r")
        t.expect("Allow it?")
        t.type(CTRL_D) # no answer is no
        has(t.ready(), "not approved")
        equal((t.root / "a.txt").exists(), False)


# ---- commands ----------------------------------------------------------------------------------


@case
def undo_restores_what_a_turn_wrote(folder):
    with Terminal(folder) as t:
        file = t.root / "note.txt"
        file.write_text("before\n")
        t.ready()
        has(t.say(write_call("note.txt", "after")), "note.txt")
        equal(file.read_text(), "after")
        has(t.say("/undo"), "  note.txt\r\n")
        equal(file.read_text(), "before\n")
        has(t.say("/undo"), "nothing to undo")


@case
def sessions_are_left_listed_and_gone_on_with(folder):
    with Terminal(folder) as t:
        first = re.search(r"session (\S+)", t.ready()).group(1)
        t.say("/echo one")
        second = re.search(r"session (\S+)", t.say("/new")).group(1)
        listed = t.say("/sessions")
        has(listed, first[-8:])
        has(listed, second[-8:])
        has(t.say("/resume " + first[:8]), "more than one session")
        has(t.say("/resume " + first[-8:]), "session " + first)
        has(t.say("/resume " + first), "already open")
        has(t.say("/resume nonsense"), "no session ID begins")
        t.say("/echo two")
        t.type(CTRL_D)
        equal(t.ended(), 0)
    with Terminal(folder, "-c") as t:
        has(t.ready(), "session " + first)
    with Terminal(folder, "--session", second) as t:
        has(t.ready(), "session " + second)
    with Terminal(folder, "--session", "nonsense") as t:
        equal(t.ended(), 1)
        has(t.text, "no session ID begins")


@case
def agent_model_and_mode_can_be_changed(folder):
    agents = folder / "project/.trefoil/agents"
    agents.mkdir(parents=True)
    (agents / "careful.md").write_text(CAREFUL)
    with Terminal(folder, "--mode", "read-only") as t:
        has(t.ready(), "read-only")
        has(t.say(write_call("a.txt", "x")), "denied")
        equal("read-only" in t.say("/mode read-write"), False)
        has(t.say(write_call("a.txt", "x")), "Created a.txt")
        has(t.say("/mode sometimes"), "expected read-only or read-write")
        has(t.say("/agent"), "asks before it changes")
        has(t.say("/agent nobody"), "nobody")
        has(t.say("/agent careful"), "agent careful")
        has(t.say("/model high"), "agent careful, model ")
        has(t.say("/model"), "to change it:")


@case
def help_plan_tools_cost_and_clear(folder):
    with Terminal(folder) as t:
        t.ready()
        has(t.say("/help"), "Every other line is sent to the agent")
        has(t.say("/plan"), "There is no plan")
        t.say('/call plan_update {"entries":[{"content":"dig","status":"in_progress"}]}')
        has(t.say("/plan"), "dig")
        has(t.say("/tools"), "file_write")
        has(t.say("/cost"), "cost")
        has(t.say("/compact"), "")
        has(t.say("/continue"), "No turn was interrupted")
        has(t.say("/clear"), "\x1b[2J")
        has(t.say(" /help"), "these commands need none") # to the agent


def prompts_stored(root):
    path = database(root, HOME=str(root.with_name("home")))
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute("SELECT count(*) FROM events WHERE kind = 'prompt'").fetchone()[0]


@case
def a_turn_that_was_broken_off_can_be_gone_on_with(folder):
    with Terminal(folder) as t:
        t.ready()
        t.type("/sleep 3000\r")
        wait_for("the prompt to be stored", lambda: prompts_stored(t.root))
        t.process.kill()
        t.process.wait(DEADLINE)
    with Terminal(folder, "-c") as t:
        has(t.ready(), "interrupted; /continue")
        t.type("/continue\r")
        t.expect("\x1b[?2004l")
        wait_for("the turn", lambda: t.modes()[3] & termios.ISIG)
        t.type(CTRL_C)
        has(t.ready(), "canceled")
        has(t.say("/continue"), "No turn was interrupted")
        t.type(CTRL_D)
        equal(t.ended(), 0)


# ---- ends --------------------------------------------------------------------------------------


@case
def the_terminal_is_restored_however_it_ends(folder):
    for end, code in ((signal.SIGTERM, 128 + 15), (signal.SIGHUP, 128 + 1), (signal.SIGINT, 128 + 2),
                      (signal.SIGABRT, None), (signal.SIGQUIT, None)):
        with Terminal(folder) as t:
            t.ready()
            equal(bool(t.modes()[3] & termios.ECHO), False)
            t.process.send_signal(end)
            got = t.ended()
            if code is not None:
                equal(got, code)
            has(t.text, "\x1b[?2004l")


@case
def a_signal_during_a_turn_restores_it_too(folder):
    with Terminal(folder) as t:
        t.ready()
        t.type("/sleep 3000\r")
        t.expect("\x1b[?2004l")
        wait_for("the turn", lambda: t.modes()[3] & termios.ISIG)
        t.process.send_signal(signal.SIGTERM)
        equal(t.ended(), 128 + 15)


@case
def a_terminal_that_goes_away_ends_it(folder):
    t = Terminal(folder)
    t.ready()
    os.close(t.slave)
    os.close(t.master)
    wait_for("the end", lambda: t.process.poll() is not None)


# ---- a pipe ------------------------------------------------------------------------------------


@case
def lines_of_a_pipe_are_prompts(folder):
    done = plain(folder, b"/echo one\n\n/echo two\r\n/echo \xff")
    equal(done.stdout.decode(), "one\ntwo\n\ufffd\n")
    equal(done.returncode, 0)
    has(done.stderr, b"agent default, model offline")


@case
def a_pipe_leaves_no_history_in_the_home(folder):
    equal(plain(folder, b"/echo x\n", HOME=str(folder / "home")).returncode, 0)
    equal([p.name for p in (folder / "home/.local/state/trefoil").iterdir()], ["roots"])


@case
def with_json_every_event_is_a_line(folder):
    done = plain(folder, b"/echo hi\n/help\n", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    equal(events[-1]["type"], "end")
    equal("".join(e["text"] for e in events if e["type"] == "text"), "hi")
    has(done.stderr, b"/undo")


@case
def a_store_that_is_broken_is_said(folder):
    (folder / "project/.trefoil").mkdir(parents=True)
    (make_state(folder / "project") / "trefoil.db").write_text("this is no database" * 100)
    done = plain(folder, b"/echo hi\n")
    equal(done.returncode, 1)
    has(done.stderr, b"not a database")


@case
def closed_descriptors_are_no_trouble(folder):
    for number in (0, 1, 2):
        (folder / str(number) / ".trefoil").mkdir(parents=True)
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {number}>&-', "sh", TREFOIL, "chat", "--root",
             str(folder / str(number))], input=b"/echo hi\n", capture_output=True, check=False,
            timeout=DEADLINE, env=environment(TREFOIL_PROVIDER="offline"))
        equal((number, done.returncode), (number, 0))


@case
def nobody_can_be_asked_in_a_pipe(folder):
    agents = folder / "project/.trefoil/agents"
    agents.mkdir(parents=True)
    (agents / "careful.md").write_text(CAREFUL)
    done = plain(folder, write_call("a.txt", "x").encode() + b"\n", "-a", "careful")
    has(done.stdout, b"no one is available")


@case
def a_pipe_says_whether_its_last_turn_worked(folder):
    equal(plain(folder, b"/fail because\n").returncode, 1)
    equal(plain(folder, b"/fail because\n/echo x\n").returncode, 0)


@case
def a_line_of_a_pipe_that_is_too_long_is_left_out(folder):
    (folder / "project").mkdir()
    (folder / "project/trefoil.toml").write_text("[limits]\nchat_line_bytes = 64\n")
    done = plain(folder, b"x" * 65 + b"\n/echo " + b"y" * 58 + b"\n")
    equal(done.stdout, b"y" * 58 + b"\n")
    has(done.stderr, b"longer than 64 bytes (limits.chat_line_bytes)")


@case
def what_the_command_line_may_not_say(folder):
    equal(plain(folder, b"", "word").returncode, 2)
    equal(plain(folder, b"", "--mode", "sometimes").returncode, 2)
    equal(plain(folder, b"", "-c", "--session", "x").returncode, 2)
    done = plain(folder, b"", "-a", "nobody")
    equal(done.returncode, 1)
    has(done.stderr, b"nobody")
    done = plain(folder, b"", "-c")
    equal(done.returncode, 1)
    has(done.stderr, b"no session to resume")


main()
