"""An agent at work, whole: `trefoil run` in a folder, with a model that plays a part in each of the
four formats (model_mock.py). Files really change, processes are really killed, and what the model
was told is read in the journal of its server."""
import json
import os
import pathlib
import signal
import subprocess

from harness import AUTO, DEADLINE, TREFOIL, alive, case, environment, equal, has, main, wait_for
from model_mock import FORMATS, Mock, calls, environment_for, refuses, results, says

MOCK = Mock()

FAST = "[limits]\nmodel_retry_min_ms = 1\nmodel_retry_max_ms = 5\n"  # of waits between tries


class Folder:
    """A working folder under git, and trefoil there with a model that speaks one format."""

    def __init__(self, folder, fmt="anthropic", config=FAST + AUTO):
        self.root = pathlib.Path(folder) / fmt.replace(" ", "-")
        self.root.mkdir()
        subprocess.run(["git", "init", "-q", self.root], check=True)
        self.env = environment(**environment_for(MOCK, fmt, self.root.with_name(self.root.name + ".user"), config))

    def command(self, *args):
        return [TREFOIL, "run", *args, "--root", str(self.root)]

    def run(self, *args, code=0, wrap=()):
        """Run a turn to its end: (what it said, what it told aside)."""
        done = subprocess.run([*wrap, *self.command(*args)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=DEADLINE, cwd=self.root, env=self.env, check=False)
        if done.returncode != code or "Sanitizer" in done.stderr:
            raise AssertionError(f"ended with {done.returncode}, not {code}:\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def events(self, *args, code=0):
        """The same with --json: its events. The last says why it ended, and no call is left open then."""
        events = [json.loads(line) for line in self.run("--json", *args, code=code)[0].splitlines()]
        equal(events[-1]["type"], "end")
        status = {e["id"]: e["status"] for e in of_type(events, "tool")}
        equal([i for i, s in status.items() if s not in ("done", "failed", "canceled")], [])
        return events

    def start(self, *args):
        return subprocess.Popen(self.command(*args), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.root, env=self.env)

    def read(self, name):
        return (self.root / name).read_text()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def for_all_formats(check, formats=FORMATS):
    def whole(folder):
        for fmt in formats:
            try:
                check(Folder(folder, fmt))
            except AssertionError as e:
                raise AssertionError(f"{fmt}: {e}") from e
    whole.__name__ = check.__name__
    return case(whole)


def of_type(events, kind):
    return [e for e in events if e["type"] == kind]


def text_of_events(events, kind="text"):
    return "".join(e["text"] for e in of_type(events, kind))


def stopped(events):
    return events[-1]["stop"]


def ends(process):
    out, err = process.communicate(timeout=DEADLINE)
    return process.returncode, out, err


def sh(command):
    return "shell_exec", {"command": command, "shell": True}


# ---- work ------------------------------------------------------------------------------------

@for_all_formats
def a_task_of_several_steps_is_done(f):
    f.write("greet.sh", "echo helo\n")
    prompt = MOCK.play("mend the greeting",
                       calls(("file_read", {"path": "greet.sh"}), text="Let me see."),
                       calls(("file_edit", {"path": "greet.sh", "old_text": "helo", "new_text": "hello"})),
                       calls(sh("test \"$(sh greet.sh)\" = hello && echo all is well")),
                       says("The greeting is mended."))
    out, aside = f.run(prompt)
    has(out, "The greeting is mended.")
    for tool in ("greet.sh", "all is well"):
        has(aside, tool.split()[0])
    equal(f.read("greet.sh"), "echo hello\n")
    last = MOCK.asked(prompt)[-1]
    told = results(last)
    equal(len(told), 3)
    has(told[0], "echo helo")
    has(told[2], "all is well")
    equal(len(MOCK.asked(prompt)), 4)


@for_all_formats
def what_was_said_goes_to_stdout_alone(f):
    prompt = MOCK.play("say it plainly", says("Grüße aus dem Wald: 森, 🍀."))
    equal(f.run(prompt)[0], "Grüße aus dem Wald: 森, 🍀.\n")


@for_all_formats
def tools_run_side_by_side_and_their_results_keep_the_order_of_the_calls(f):
    wait = "while [ ! -e second ]; do sleep 0.01; done; echo the first"
    prompt = MOCK.play("two at once",
                       calls(sh(wait), sh("touch second; echo the second"), text="Two."),
                       says("Both are done."))
    events = f.events(prompt)
    told = results(MOCK.asked(prompt)[-1])
    equal([("the first" in told[0]), ("the second" in told[1])], [True, True])
    equal(stopped(events), "end")
    equal({e["status"] for e in of_type(events, "tool")} >= {"pending", "running", "done"}, True)


@for_all_formats
def a_conversation_goes_on_with_c(f):
    first = MOCK.play("remember the number 42", says("I will."))
    second = MOCK.play("which number was it", says("It was 42."))
    f.run(first)
    has(f.run("-c", second)[0], "It was 42.")
    whole = json.dumps(MOCK.asked(second)[-1])
    for part in (first, "I will.", second):
        has(whole, part)


@for_all_formats
def thoughts_are_told_apart(f):
    prompt = MOCK.play("think about clover",
                       {"response": {"reasoning": "It has three leaves.", "content": "Three."}})
    events = f.events(prompt)
    equal(text_of_events(events, "thought"), "It has three leaves.")
    equal(text_of_events(events), "Three.")
    again = MOCK.play("plainly now", says("Yes."))
    equal(f.run("-c", again)[0], "Yes.\n")


@for_all_formats
def one_character_at_a_time_arrives_whole(f):
    text = "żółć 森 one at a time"
    equal(f.run(MOCK.play("tiny pieces", says(text, chunkSize=1)))[0], text + "\n")


@for_all_formats
def a_slow_model_is_waited_for(f):
    text = "it comes when it comes"
    equal(f.run(MOCK.play("slowly", says(text, chunkSize=6, latency=60)))[0], text + "\n")


# ---- killed ----------------------------------------------------------------------------------

SLOW = "echo once >> log; echo $$ > pid; while :; do sleep 1; done"


def begin_slow_call(f, *more):
    """A turn whose one call has begun and will not end: (process, pid of the shell, prompt)."""
    prompt = MOCK.play("append a line", calls(sh(SLOW)),
                       says("One line is there."))
    process = f.start(*more, prompt)
    text = wait_for("the call", lambda: (f.root / "pid").exists() and f.read("pid").strip())
    return process, int(text), prompt


@for_all_formats
def a_turn_that_was_killed_goes_on_and_runs_nothing_twice(f):
    process, pid, prompt = begin_slow_call(f)
    process.kill()
    ends(process)
    wait_for("the command's end", lambda: not alive(pid))
    has(f.run("-c")[0], "One line is there.")
    equal(f.read("log"), "once\n")
    asked = MOCK.asked(prompt)
    equal(len(asked), 2)
    told = results(asked[-1])
    equal(len(told), 1)
    has(told[0], "interrupted")


@case
def of_several_calls_those_that_had_ended_keep_their_results(folder):
    f = Folder(folder)
    prompt = MOCK.play("one of each", calls(sh("echo a quick one; touch quick"), sh(SLOW)), says("I see."))
    process = f.start("--json", prompt)
    for line in process.stdout:
        event = json.loads(line)
        if event["type"] == "tool" and event["status"] == "done":
            break
    wait_for("the other call", lambda: (f.root / "pid").exists())
    process.kill()
    ends(process)
    has(f.run("-c")[0], "I see.")
    told = results(MOCK.asked(prompt)[-1])
    has(told[0], "a quick one")
    has(told[1], "interrupted")


@case
def killed_again_and_again_it_comes_to_its_end_and_does_nothing_twice(folder):
    f = Folder(folder)
    lines = [f"line {n}" for n in range(20)]
    f.write("log", "")
    prompt = MOCK.play("many lines", *(calls(sh(f"echo {line} >> log")) for line in lines), says("All done."), forever=True)
    process = f.start(prompt)
    for kill in range(6):
        seen = f.read("log")
        wait_for("another line", lambda seen=seen: f.read("log") != seen or process.poll() is not None)
        process.kill()
        ends(process)
        process = f.start("-c")
    code, out, error = ends(process)
    equal((code, error if code else ""), (0, ""))
    has(out, "All done.")
    written = f.read("log").splitlines()
    equal(written, [line for line in lines if line in written])  # each once at most, in order
    told = results(MOCK.asked(prompt)[-1])
    equal(sum("interrupted" in text for text in told) <= 6, True)


@case
def a_turn_that_was_killed_before_the_model_answered_goes_on(folder):
    f = Folder(folder)
    prompt = MOCK.play("be patient", says("never heard", latency=30000), says("Here I am."))
    process = f.start(prompt)
    wait_for("the request", lambda: MOCK.asked(prompt) or process.poll() is not None)
    process.kill()
    ends(process)
    has(f.run("-c")[0], "Here I am.")


@case
def ctrl_c_stops_what_runs_and_keeps_what_was_said(folder):
    f = Folder(folder)
    process, pid, _ = begin_slow_call(f)
    process.send_signal(signal.SIGINT)
    equal(ends(process)[0], 130)
    wait_for("the command's end", lambda: not alive(pid))
    after = MOCK.play("what happened", says("You stopped me."))
    equal(f.run("-c", after)[0], "You stopped me.\n")
    equal(len(results(MOCK.asked(after)[-1])), 1)  # the call has its result, whatever it says
    equal(f.read("log"), "once\n")


@case
def a_session_is_open_in_one_process_at_a_time(folder):
    f = Folder(folder)
    process, _, _ = begin_slow_call(f)
    sessions = subprocess.run([TREFOIL, "sessions", "--json", "--root", str(f.root)], capture_output=True,
                              env=f.env, check=True).stdout
    _, error = f.run("--session", json.loads(sessions)[0]["id"], "and I", code=1)
    has(error, "is in use by process")
    process.send_signal(signal.SIGINT)
    equal(ends(process)[0], 130)


# ---- models that fail ------------------------------------------------------------------------

@for_all_formats
def busy_servers_are_tried_again(f):
    prompt = MOCK.play("be busy first", refuses(429, "too many", retryAfter=1), refuses(500, "a bad day"),
                       refuses(529, "overloaded"), says("Now there is time."))
    events = f.events(prompt)
    equal(text_of_events(events), "Now there is time.")
    tries = [e["text"] for e in of_type(events, "notice") if e["kind"] == "retry"]
    equal(len(tries), 3)
    has(tries[0], "429")


@for_all_formats
def what_fails_always_ends_with_a_sentence_and_a_code(f):
    prompt = MOCK.play("fail", refuses(500, "a bad day"), forever=True)
    out, error = f.run(prompt, code=1)
    equal(out, "")
    has(error, "a bad day")


@for_all_formats
def a_wrong_key_is_said(f):
    prompt = MOCK.play("lock the door", refuses(401, "who are you"), forever=True)
    _, error = f.run(prompt, code=1)
    has(error, "check the key")
    equal("sk-test" in error, False)
    equal(len(MOCK.asked(prompt)), 1)


@for_all_formats
def a_stream_that_is_cut_keeps_what_was_said(f):
    text = "this sentence will never be heard to its very end, whatever happens"
    prompt = MOCK.play("break off", says(text, chunkSize=5, latency=20, truncateAfterChunks=4), forever=True)
    events = f.events(prompt, code=1)
    equal(stopped(events), "failed")
    after = MOCK.play("once more", says("Better."))
    equal(f.run("-c", after)[0], "Better.\n")


def a_call_that_is_cut_is_not_run(f):
    part = calls(sh("touch ran; echo this is a rather long command to be cut in pieces"))
    prompt = MOCK.play("half a call", {**part, "chunkSize": 5, "latency": 20, "truncateAfterChunks": 4}, forever=True)
    f.events(prompt, code=1)
    equal((f.root / "ran").exists(), False)


for_all_formats(a_call_that_is_cut_is_not_run, FORMATS[:3])  # Gemini sends calls in one piece


@for_all_formats
def nonsense_is_no_answer(f):
    prompt = MOCK.play("speak nonsense", says("unheard", chaos={"malformedRate": 1.0}), forever=True)
    events = f.events(prompt, code=1)
    equal((stopped(events), text_of_events(events)), ("failed", ""))


@for_all_formats
def an_answer_that_is_cut_for_length_says_so(f):
    step = {"response": {"content": "and so it", "finishReason": "length"}}
    out, error = f.run(MOCK.play("run out of room", step), code=4)
    equal(out, "and so it\n")
    has(error, "max_tokens")


@case
def a_refusal_has_a_code_and_leaves_the_conversation(folder):
    f = Folder(folder)
    step = {"response": {"content": "No.", "finishReason": "refusal"}}
    prompt = MOCK.play("do something bad", step)
    f.run(prompt, code=5)
    after = MOCK.play("do something good", says("Gladly."))
    equal(f.run("-c", after)[0], "Gladly.\n")
    equal("something bad" in json.dumps(MOCK.asked(after)[-1]), False)


@case
def a_flood_of_words_ends(folder):
    f = Folder(folder, config="[limits]\nmodel_answer_bytes = 2048\nmodel_retries = 0\n")
    out, error = f.run(MOCK.play("a flood", says("drop after drop " * 4000)), code=1)
    equal(len(out) <= 2 * 2048, True)
    has(error, "model_answer_bytes")


# ---- models that call wrongly ----------------------------------------------------------------

@for_all_formats
def an_unknown_tool_is_told_to_the_model(f):
    prompt = MOCK.play("use what is not there", calls(("no_such_tool", {"a": 1})), says("A pity."))
    equal(f.run(prompt)[0], "A pity.\n")
    has(results(MOCK.asked(prompt)[-1])[0], "no_such_tool")


def broken_arguments_are_told_to_the_model(f):
    prompt = "half an object"  # of model_mock.py; the other formats have no way to send one
    equal(f.run(prompt)[0], "I will do better.\n")
    has(results(MOCK.asked(prompt)[-1])[0], "JSON")


for_all_formats(broken_arguments_are_told_to_the_model, FORMATS[1:3])


@for_all_formats
def wrong_arguments_are_told_to_the_model(f):
    prompt = MOCK.play("wrong arguments", calls(("file_read", {"file": 7})), says("Oh."))
    equal(f.run(prompt)[0], "Oh.\n")
    has(results(MOCK.asked(prompt)[-1])[0], "path")


@for_all_formats
def nothing_outside_the_root_is_read_or_written(f):
    secret = f.root.with_name("secret")
    secret.write_text("the secret\n")
    prompt = MOCK.play("look outside", calls(("file_read", {"path": "../secret"})),
                       calls(("file_read", {"path": str(secret)})),
                       calls(("file_write", {"path": "../written", "content": "x"})), says("I may not."))
    equal(f.run(prompt)[0], "I may not.\n")
    told = results(MOCK.asked(prompt)[-1])
    equal([("the secret" in text) for text in told], [False] * 3)
    equal(f.root.with_name("written").exists(), False)


@for_all_formats
def a_model_that_goes_round_in_circles_is_stopped(f):
    f.write("same.txt", "nothing new\n")
    prompt = MOCK.play("round and round", calls(("file_read", {"path": "same.txt"})), forever=True)
    events = f.events(prompt, code=4)
    equal(len(MOCK.asked(prompt)) <= 20, True)
    has(" ".join(results(MOCK.asked(prompt)[-1])), "same")
    equal(stopped(events) != "end", True)


@case
def the_number_of_requests_is_limited_by_the_definition(folder):
    f = Folder(folder)
    f.write(".trefoil/agents/brief.md", "---\nname: brief\ndescription: a short one\nmax_turns: 2\n---\nBe brief.\n")
    steps = [calls(("file_write", {"path": f"n{i}", "content": str(i)})) for i in range(9)]
    prompt = MOCK.play("count", *steps)
    equal(stopped(f.events("-a", "brief", prompt, code=4)), "requests")
    equal(len(MOCK.asked(prompt)), 2)
    has(json.dumps(MOCK.asked(prompt)[0]), "Be brief.")


@case
def what_nobody_can_be_asked_for_is_denied_and_has_a_code(folder):
    f = Folder(folder, config=FAST + '[guard.permission]\nexecute = "ask"\n')
    prompt = MOCK.play("may I", calls(sh("touch asked")), says("I may not."))
    equal(f.run(prompt, code=3)[0], "I may not.\n")
    equal((f.root / "asked").exists(), False)
    again = MOCK.play("may I now", calls(sh("touch asked")), says("I might."))
    equal(f.run("--yes", again)[0], "I might.\n")
    equal((f.root / "asked").exists(), True)


@case
def read_only_means_it(folder):
    f = Folder(folder)
    prompt = MOCK.play("write anyway", calls(("file_write", {"path": "w", "content": "x"})),
                       calls(sh("touch v")), says("I may not."))
    equal(f.run("--mode", "read-only", prompt)[0], "I may not.\n")
    equal([(f.root / name).exists() for name in "wv"], [False, False])


# ---- the world around it ---------------------------------------------------------------------

@case
def a_definition_with_a_wrong_key_is_refused_with_its_place(folder):
    f = Folder(folder)
    f.write(".trefoil/agents/odd.md", "---\nname: odd\ndescription: d\nmax_turms: 3\n---\nx\n")
    out, error = f.run("-a", "odd", "hello", code=2)
    equal(out, "")
    has(error, "odd.md")
    has(error, "max_turms")


FULL = """
mount -t tmpfs -o size=4m none "$1" || exit 9
mkdir "$1/project" && cd "$1/project" || exit 9
export XDG_STATE_HOME="$1/state"
"$2" run --root "$PWD" "$3"; echo code $?
rm fill
"$2" run --root "$PWD" -c; echo code $?
"""


@case
def a_full_disk_is_said_and_the_turn_goes_on_when_there_is_room(folder):
    f = Folder(folder)
    f.env["XDG_STATE_HOME"] = str(f.root / "state")
    fill = "dd if=/dev/zero of=fill bs=64k 2>/dev/null; cat fill fill > more; echo full >> log"
    prompt = MOCK.play("fill the disk", calls(sh(fill)), says("There is room again."))
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    done = subprocess.run(["unshare", *user, "--mount", "sh", "-c", FULL, "sh", str(f.root), TREFOIL, prompt],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE, env=f.env, check=False)
    first, _, rest = done.stdout.partition("code 1\n")
    equal((first, rest), ("", "There is room again.\ncode 0\n"))
    has(done.stderr, "the disk is full")
    told = results(MOCK.asked(prompt)[-1])
    equal(len(told), 1)
    has(told[0], "interrupted")


@case
def wrong_use_is_said(folder):
    f = Folder(folder)
    for args in ([], ["--no-such"], ["-a"], ["-a", "nobody", "hello"]):
        out, error = f.run(*args, code=2)
        equal(out, "")
        equal(bool(error.strip()), True)


@case
def without_a_model_it_says_how_to_get_one(folder):
    f = Folder(folder)
    f.env = environment()
    answer, notice = f.run("hello", code=2)
    equal(answer.strip(), "")
    has(notice, "ANTHROPIC_API_KEY")


main(600)
