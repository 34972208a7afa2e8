"""trefoil run, as people and scripts use it: without a model, by the offline provider."""
import json
import signal
import subprocess

from harness import (DEADLINE, TREFOIL, case, environment, equal, has, main, make_state, run,
                     state_dir, user_config, wait_for)
from terminal import (ASK, DENIED, FAILED, INTERRUPTED, LIMIT, SHELL, USAGE, Terminal, sessions)


def agent(root, *words, **more):
    return run("run", *words, root=root, TREFOIL_PROVIDER="offline", **more)


# ---- a fresh machine ----------------------------------------------------------------------------

@case
def it_works_on_a_fresh_machine(root):
    answer = agent(root, "/help")
    equal(answer.returncode, 0)
    has(answer.stdout, b"/call NAME {JSON}")
    equal(answer.stderr, b"")
    answer = agent(root, "/echo", "what", "is", "this?")
    equal((answer.returncode, answer.stdout), (0, b"what is this?\n"))
    equal([s["title"] for s in sessions(root)], ["/echo what is this?", "/help"])


@case
def a_pipe_gets_the_answer_and_stderr_the_calls(root):
    (root / "README.md").write_text("all of it\n")
    answer = agent(root, '/call file_read {"path":"README.md"}')
    equal(answer.returncode, 0)
    equal(answer.stdout, b"all of it\n")
    has(answer.stderr, b"* file_read README.md ... done ")


@case
def the_prompt_may_come_from_stdin(root):
    equal(agent(root, "-", stdin=b"/echo from there\n").stdout, b"from there\n")
    both = agent(root, "/echo", "first", "-", stdin=b"then")
    equal(both.stdout, b"first\n\nthen\n")
    equal(agent(root, "-", stdin=b"  \n").returncode, USAGE)
    bad = agent(root, "-", stdin=b"\xff\xfe")
    equal(bad.returncode, USAGE)
    has(bad.stderr, b"UTF-8")


@case
def a_prompt_that_is_too_long_is_refused(root):
    (root / "trefoil.toml").write_text("[limits]\nmessage_bytes = 2000\n")
    answer = agent(root, "-", stdin=b"x" * 3000)
    equal(answer.returncode, USAGE)
    has(answer.stderr, b"more than 2000 bytes")


@case
def json_is_one_event_per_line(root):
    (root / "a").write_text("x\n")
    answer = agent(root, "--json", "/read a")
    events = [json.loads(line) for line in answer.stdout.splitlines()]
    equal(events[0]["type"], "begin")
    equal(events[0]["session"], sessions(root)[0]["id"])
    equal([e["status"] for e in events if e["type"] == "tool"], ["pending", "pending", "running", "done"])
    equal(events[-1], {"type": "end", "stop": "end"})
    equal(answer.stderr, b"")


# ---- how it ends --------------------------------------------------------------------------------

@case
def the_exit_code_says_how_it_ended(root):
    failed = agent(root, "/fail no reason")
    equal(failed.returncode, FAILED)
    equal(failed.stdout, b"")
    has(failed.stderr, b"failed: no reason")
    late = agent(root, "--timeout", "1", "/sleep 600")
    equal(late.returncode, LIMIT)
    has(late.stderr, b"--timeout of 1 seconds has passed")


@case
def the_command_line_is_checked(root):
    for words, why in ((("",), b"empty"), ((), b"expected a prompt"),
                       (("-x", "hi"), b"unknown option -x"),
                       (("--mode", "mad", "hi"), b"read-only or read-write"),
                       (("--timeout", "soon", "hi"), b"seconds"),
                       (("--no-save", "-c", "hi"), b"--no-save"),
                       (("-c", "--session", "x", "hi"), b"cannot be combined"),
                       (("-a", "nobody", "hi"), b"there is no agent nobody"),
                       (("--session", "zzz", "hi"), b"there is no session zzz"),
                       (("-c", "hi"), b"no session to resume")):
        answer = agent(root, *words)
        equal((words, answer.returncode), (words, USAGE))
        has(answer.stderr, why)


@case
def help_tells_the_exit_codes(root):
    answer = agent(root, "--help")
    equal(answer.returncode, 0)
    for part in (b"-a, --agent NAME", b"-c, --continue", b"  130  interrupted", b"  3  "):
        has(answer.stdout, part)


@case
def an_interrupt_ends_it_soon_and_keeps_the_session(root):
    process = subprocess.Popen(
        [TREFOIL, "run", "--json", "/sleep 600", "--root", str(root)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=environment(TREFOIL_PROVIDER="offline"))
    begun = json.loads(process.stdout.readline())
    titled = json.loads(process.stdout.readline())
    equal(titled["title"], "/sleep 600")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=DEADLINE)
    equal(process.returncode, INTERRUPTED)
    equal(json.loads(out)["stop"], "canceled")
    has(err, b"trefoil run -c")
    equal(sessions(root)[0]["id"], begun["session"])
    again = agent(root, "-c", "/echo here again")
    equal(again.stdout, b"here again\n")
    equal(len(sessions(root)), 1)


@case
def a_turn_that_was_broken_off_is_gone_on_with(root):
    process = subprocess.Popen(
        [TREFOIL, "run", "--json", "/sleep 2", "--root", str(root)], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=environment(TREFOIL_PROVIDER="offline"))
    process.stdout.readline()
    process.stdout.readline()
    process.kill()
    process.wait()
    process.stdout.close()
    answer = agent(root, "-c")
    equal(answer.returncode, 0)
    equal(answer.stdout, b"Slept 2000 ms.\n")
    has(answer.stderr, b"interrupted")
    nothing = agent(root, "-c")
    equal(nothing.returncode, USAGE)
    has(nothing.stderr, b"give a prompt")


@case
def a_reader_that_leaves_ends_it_quietly(root):
    process = subprocess.Popen(
        [TREFOIL, "run", "/echo " + "word " * 20000, "--root", str(root)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=environment(TREFOIL_PROVIDER="offline"))
    process.stdout.read(10)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    equal(process.wait(DEADLINE), FAILED)
    equal(err.replace(b"= canceled\n", b""), b"")


@case
def a_reader_that_is_slow_holds_up_nothing_and_loses_nothing(root):
    text = "word " * 20000
    process = subprocess.Popen(
        [TREFOIL, "run", "/echo " + text, "--root", str(root)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=environment(TREFOIL_PROVIDER="offline"))
    wait_for("the session to be left", lambda: [s for s in sessions(root)
                                                if s["records"] == 3 and not s["in_use"]])
    out, err = process.communicate(timeout=DEADLINE)
    equal(process.returncode, 0)
    equal(out.decode(), text.strip() + "\n")
    equal(err, b"")


@case
def a_reader_that_never_reads_is_given_up(root):
    (root / "trefoil.toml").write_text("[limits]\noutput_backlog_bytes = 65536\n")
    process = subprocess.Popen(
        [TREFOIL, "run", "--json", "/echo " + "word " * 20000, "--root", str(root)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(TREFOIL_PROVIDER="offline"))
    err = process.stderr.read()
    equal(process.wait(DEADLINE), FAILED)
    process.stdout.close()
    process.stderr.close()
    has(err, b"trefoil: the peer does not read")


@case
def time_that_passes_while_servers_connect_counts(root):
    (root / "mute.toml").write_text(
        '[[mcp.servers]]\nname = "mute"\ncommand = ["sleep", "600"]\n')
    answer = agent(root, "--config", str(root / "mute.toml"), "--timeout", "1", "/echo hi")
    equal(answer.returncode, LIMIT)
    equal(answer.stdout, b"")
    has(answer.stderr, b"--timeout of 1 seconds has passed")


# ---- sessions -----------------------------------------------------------------------------------

@case
def sessions_are_continued_by_their_beginning(root):
    agent(root, "/echo one")
    first = sessions(root)[0]["id"]
    agent(root, "/echo two")
    agent(root, "--session", first[:20], "/echo three")
    said = run("sessions", "show", first, root=root).stdout
    equal(said, b"> /echo one\none\n> /echo three\nthree\n")
    agent(root, "-c", "/echo four")
    has(run("sessions", "show", first, root=root).stdout, b"> /echo four\n")


@case
def nothing_is_kept_when_told_so(root):
    equal(agent(root, "--no-save", "/echo psst").stdout, b"psst\n")
    equal(sessions(root), [])
    equal([p.name for p in (root / ".trefoil").glob("**/*.log")] if (root / ".trefoil").exists()
          else [], [])


@case
def a_session_has_a_log_for_its_user_alone(root):
    agent(root, "/echo written down")
    log = root / ".trefoil/logs" / (sessions(root)[0]["id"] + ".log")
    equal(log.stat().st_mode & 0o777, 0o600)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    equal(lines[0]["event"]["type"], "prompt")
    equal("".join(e["event"].get("text", "") for e in lines if e["event"]["type"] == "text"),
          "written down")
    equal(lines[-1]["event"], {"type": "end", "stop": "end"})
    equal(all(line["time"].endswith("Z") for line in lines), True)


@case
def a_log_begins_a_new_file_when_it_is_full(root):
    user_config(root, "[limits]\nsession_log_bytes = 4096\n")
    for _ in range(3):
        agent(root, "-c" if sessions(root) else "--thoughts", "/echo " + "x" * 1500)
    logs = root / ".trefoil/logs"
    name = sessions(root)[0]["id"]
    equal((logs / (name + ".1.log")).exists(), True)
    equal((logs / (name + ".log")).stat().st_size <= 4096, True)


@case
def a_log_that_cannot_be_written_stops_nothing(root):
    (root / ".trefoil").mkdir()
    (root / ".trefoil/logs").write_text("in the way")
    (make_state(root) / "logs").rename(state_dir(root) / "away")
    (state_dir(root) / "logs").write_text("in the way, too")
    answer = agent(root, "/echo still here")
    equal(answer.returncode, 0)
    equal(answer.stdout, b"still here\n")
    equal(answer.stderr.count(b"the log of the session has gaps: "), 1)


@case
def read_only_is_kept(root):
    folder = root / ".trefoil" / "agents"
    folder.mkdir(parents=True)
    (folder / "reader.md").write_text("---\ndescription: one\nmode: read-only\n---\nRead.\n")
    wrong = agent(root, "-a", "reader", "--mode", "read-write", "/echo x")
    equal(wrong.returncode, USAGE)
    has(wrong.stderr, b"read-only by its definition")
    answer = agent(root, "--mode", "read-only", '/call file_write {"path":"a","content":"x"}')
    has(answer.stdout, b"Failed: file_write was denied")
    equal((root / "a").exists(), False)
    answer = agent(root, '/call file_write {"path":"a","content":"x"}')
    equal(answer.returncode, 0)
    equal((root / "a").read_text(), "x")


# ---- permission ---------------------------------------------------------------------------------

@case
def without_a_terminal_what_must_be_asked_is_denied(root):
    (root / "trefoil.toml").write_text(ASK)
    answer = agent(root, SHELL)
    equal(answer.returncode, DENIED)
    has(answer.stdout, b"no terminal is available to ask")
    answer = agent(root, "--yes", SHELL)
    equal(answer.returncode, 0)
    has(answer.stdout, b"made it")


@case
def on_a_terminal_somebody_is_asked(root):
    (root / "trefoil.toml").write_text(ASK)
    for typed, want in (("y\n", "made it"), ("a\n", "made it"), ("\n", "not approved"),
                        ("\x04", "not approved")):
        with Terminal(root, SHELL) as t:
            t.wait_for("[y/N/a(lways)] ")
            has(t.shown, "shell_exec")
            has(t.shown, '["echo","made it"]')
            t.type(typed)
            equal(t.leave(), 0)
            has(t.shown.rpartition("lways)]")[2], want)


@case
def a_question_of_the_agent_is_answered_by_a_line(root):
    with Terminal(root, "/ask which colour?") as t:
        t.wait_for("Answer: ")
        has(t.shown, "which colour?")
        t.type("green\n")
        equal(t.leave(), 0)
        equal(t.shown.splitlines()[-1], "green")
    has(agent(root, "/ask which colour?").stdout, b"no user is available")


@case
def an_agent_that_is_called_shows_its_calls(root):
    (root / "a").write_text("x\n")
    answer = agent(root, '/call agent_send {"agent":"default","message":"/read a"}')
    equal(answer.stdout, b"x\n")
    lines = answer.stderr.decode().splitlines()
    has(lines[0], "  * file_read a ... done")
    has(lines[1], "* agent_send default ... done")


@case
def an_interrupt_takes_the_question_back(root):
    (root / "trefoil.toml").write_text(ASK)
    with Terminal(root, SHELL) as t:
        t.wait_for("[y/N/a(lways)] ")
        t.type("\x03")
        equal(t.leave(), INTERRUPTED)
        has(t.shown, "canceled")


# ---- the terminal -------------------------------------------------------------------------------

@case
def a_terminal_sees_that_something_is_going_on(root):
    with Terminal(root, "/sleep 1") as t:
        t.wait_for("\r\x1b[K")
        equal(t.leave(), 0)
        last = t.shown.rpartition("\x1b[K")[2]
        equal(last, "Slept 1000 ms.\r\n")


@case
def colours_are_left_out_where_nobody_wants_them(root):
    (root / "a").write_text("x\n")
    with Terminal(root, "/read a") as t:
        equal(t.leave(), 0)
        has(t.shown, "\x1b[32m* \x1b[0mfile_read a")
    with Terminal(root, "/read a", NO_COLOR="1") as t:
        equal(t.leave(), 0)
        equal("\x1b[3" in t.shown, False)
    with Terminal(root, "/read a", TERM="dumb") as t:
        equal(t.leave(), 0)
        equal("\x1b" in t.shown, False)


@case
def what_a_model_says_cannot_command_a_terminal(root):
    with Terminal(root, "/echo a\x1b]0;owned\x07b") as t:
        equal(t.leave(), 0)
        has(t.shown, "a\\u{1b}]0;owned\\u{7}b\r\n")


@case
def thoughts_are_shown_when_asked_for(root):
    equal(b"deep" in agent(root, "/think deep").stderr, False)
    has(agent(root, "--thoughts", "/think deep").stderr, b"deep")


main()
