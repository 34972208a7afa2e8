"""An agent that plays a script looks like any other agent, in every face."""
import json
import os
import select
import signal
import sqlite3

from harness import DEADLINE, Process, case, database, equal, has, main, run, wait_for
from task_client import Local, Remote, agent, read_write

PLAY = '''
[[rule]]
text = "all"
event = [
  { type = "thought", text = "hm" },
  { type = "text", text = "Hello there", pieces = 3 },
  { type = "tool", id = "t1", name = "own", kind = "read", status = "running", args = { path = "x" } },
  { type = "tool", id = "t1", status = "done", text = "what it read" },
  { type = "plan", entries = [{ content = "look", priority = "high", status = "pending" }] },
  { type = "artifact", id = "a1", name = "note", text = "one, ", more = true },
  { type = "artifact", id = "a1", text = "two", append = true },
  { type = "artifact", id = "a2", name = "bytes", media_type = "image/png", data = "AAEC" },
  { type = "usage", input = 3, output = 4 },
  { type = "text", text = "Done." },
]
[[rule]]
text = "fail"
event = [{ type = "end", stop = "failed", text = "it broke" }]
[[rule]]
text = "refuse"
event = [{ type = "end", stop = "refused" }]
[[rule]]
text = "ask"
event = [
  { type = "tool", id = "q", name = "danger", status = "running" },
  { type = "form", id = "q", text = "Which?", options = ["red", "blue"], refused = "No answer." },
  { type = "tool", id = "q", status = "done", text = "painted" },
  { type = "text", text = "You said {answer}" },
]
[[rule]]
text = "wait"
event = [{ type = "tool", id = "w", name = "slow", status = "running" }, { type = "wait" }]
[[rule]]
text = "delay"
event = [{ type = "delay", delay_ms = 600000 }]
[[rule]]
text = "twice"
event = [
  { type = "tool", id = "first", name = "once", text = "done once" },
  { type = "form", text = "Go on?" },
  { type = "text", text = "Went on." },
]
'''


def actor(root, play=PLAY):
    (root / "play.toml").write_text(play)
    agent(root, "actor", "provider: script\nscript: play.toml\n")


def events(root, prompt):
    result = run("run", "--json", "-a", "actor", prompt, root=root)
    return result, [json.loads(line) for line in result.stdout.splitlines()]


@case
def run_shows_what_a_script_does_as_of_any_agent(root):
    actor(root)
    shown = run("run", "-a", "actor", "all", root=root)
    equal(shown.returncode, 0)
    equal(shown.stdout.decode(), "Hello there\nDone.\n")
    for part in ("own", "plan:", "[ ] look", "a1"):
        has(shown.stderr.decode(), part)
    _, told = events(root, "all")
    equal([e["type"] for e in told],
          ["begin", "session", "thought", "text", "text", "text", "tool", "tool", "plan",
           "artifact", "artifact", "artifact", "usage", "text", "end"])
    equal([e["text"] for e in told if e["type"] == "text"], ["Hel", "lo t", "here", "Done."])
    equal(told[7]["text"], "what it read")


@case
def ends_have_their_exit_codes_and_sentences(root):
    actor(root)
    failed = run("run", "-a", "actor", "fail", root=root)
    equal(failed.returncode, 1)
    has(failed.stderr.decode(), "it broke")
    equal(run("run", "-a", "actor", "refuse", root=root).returncode, 5)
    unknown = run("run", "-a", "actor", "unheard of", root=root)
    equal(unknown.returncode, 1)
    has(unknown.stderr.decode(), "no rule of the script matches")


@case
def its_session_is_kept_and_shown(root):
    actor(root)
    _, told = events(root, "all")
    shown = run("sessions", "show", told[0]["session"], "--json", root=root).stdout.decode()
    for part in ("what it read", "one, two", "AAEC", "Done."):
        has(shown, part)


@case
def a_cancel_ends_open_calls_first(root):
    actor(root)
    for prompt in ("wait", "delay"):
        with Process("run", "--json", "-a", "actor", prompt, root=root) as p:
            p.expect = 130
            first = "tool" if prompt == "wait" else "session"
            told = []
            while not told or told[-1]["type"] != first:
                told.append(json.loads(p.process.stdout.readline()))
            p.process.send_signal(signal.SIGINT)
            p.told = True
            told = [json.loads(line) for line in p.process.stdout]
        if prompt == "wait":
            equal(told[0]["status"], "canceled")
        equal(told[-1]["stop"], "canceled")


@case
def a_wrong_script_says_where_and_what_is_accepted(root):
    for play, part in (("[[rule]]\nevent = [{ type = \"txt\" }]\n", "play.toml:2:"),
                       ("[[rule]]\nevent = [{ type = \"txt\" }]\n", "expected text"),
                       ("[[rule]]\nevent = []\nevnt = 1\n", "play.toml:3:"),
                       ("[[rule]]\nevent = [{ type = \"text\" }]\n", "needs text"),
                       ("rule = 1\n", "play.toml:1:"),
                       ("[[rule]]\nevent = [{ type = \"delay\", delay_ms = 600001 }]\n", "600000")):
        actor(root, play)
        bad = run("run", "-a", "actor", "all", root=root)
        equal(bad.returncode, 2)
        has(bad.stderr.decode(), part)


@case
def it_is_a_tool_over_stdio_and_http_for_two_clients_at_once(root):
    actor(root)
    with Local(root=root) as local, Remote(root=root) as remote:
        for client in (local, remote):
            results = client.results([("trefoil_agent_actor", {"message": "all"})] * 2)
            for result in results:
                equal(result.get("isError", False), False)
                equal(result["structuredContent"]["answer"], "Done.")
                equal(result["structuredContent"]["usage"]["output"], 4)
                made = [b["resource"] for b in result["content"] if b["type"] == "resource"]
                equal([m.get("text", m.get("blob")) for m in made], ["one, two", "AAEC"])
            failed = client.result("trefoil_agent_actor", {"message": "fail"})
            equal(failed["isError"], True)


@case
def a_task_is_answered_cancelled_and_completed(root):
    actor(root)
    with Remote(*read_write(), root=root) as client:
        ident = client.dispatch("all", "actor")
        equal(client.end(ident)["status"], "completed")
        asks = client.dispatch("ask", "actor")
        client.reaches(asks, "input_required")
        client.use("answer_task", task_id=asks, action="accept", content={"option": "blue"})
        done = client.end(asks)
        equal(done["status"], "completed")
        has(json.dumps(done), "blue")
        for prompt, state in (("wait", "working"), ("delay", "working"), ("ask", "input_required")):
            ident = client.dispatch(prompt, "actor")
            client.reaches(ident, state)
            client.use("cancel_task", task_id=ident)
            equal(client.end(ident)["status"], "cancelled")


@case
def a_task_resumes_after_a_kill_without_playing_again_what_was_stored(root):
    actor(root)
    with Remote(*read_write(), root=root) as client:
        ident = client.dispatch("twice", "actor")
        client.reaches(ident, "input_required")
        client.process.kill()
        client.expect = -9
        client.told = True
    with Remote(*read_write(), root=root) as client:
        answer = {"task_id": ident, "action": "accept", "content": {}}
        wait_for("the question again",
                 lambda: not client.result("answer_task", answer).get("isError"))
        done = client.end(ident)
        equal(done["status"], "completed")
        has(json.dumps(done), "Went on.")


STEPS = {
    "tool_runs": '{ type = "tool", id = "t", name = "own", status = "running" }',
    "tool": '{ type = "tool", id = "t", name = "own", text = "read it" }',
    "plan": '{ type = "plan", entries = [{ content = "look", priority = "high", status = "pending" }] }',
    "artifact": '{ type = "artifact", id = "a", name = "note", text = "made it" }',
    "end": '{ type = "end" }',
}


class Lines:
    """The events of a `run --json`, one by one."""

    def __init__(self, process):
        self.fd, self.rest = process.stdout.fileno(), b""

    def next(self, seconds=DEADLINE):
        """None when there is none for so long, or none any more."""
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.fd], [], [], seconds)
            more = os.read(self.fd, 65536) if ready else b""
            if not more:
                return None
            self.rest += more
        line, _, self.rest = self.rest.partition(b"\n")
        return json.loads(line)

    def until(self, kind):
        told = self.next()
        while told["type"] != kind:
            told = self.next()
        return told


@case
def nothing_but_words_is_told_before_it_is_stored(root):
    for name, step in STEPS.items():
        actor(root, f'[[rule]]\nevent = [{{ type = "text", text = "Now" }},'
                    f'{{ type = "delay", delay_ms = 500 }}, {step}, {{ type = "wait" }}]\n')
        with Process("run", "--json", "-a", "actor", "go", root=root) as p:
            lines = Lines(p.process)
            session = lines.until("begin")["session"]
            lines.until("text")
            store = sqlite3.connect(database(root), isolation_level=None)
            store.execute("BEGIN IMMEDIATE")  # until it ends, nobody else can store anything
            equal((name, lines.next(1.5)), (name, None))
            store.execute("ROLLBACK")
            store.close()
            told = lines.next()
            equal(told["type"], name.partition("_")[0])
            p.process.kill()
            p.expect = p.process.wait()
        shown = run("sessions", "show", session, "--json", root=root).stdout.decode()
        has(shown, '"type":"' + told["type"] + '"')


@case
def a_call_that_runs_when_trefoil_is_killed_is_in_the_history(root):
    actor(root)
    with Process("run", "--json", "-a", "actor", "wait", root=root) as p:
        lines = Lines(p.process)
        session = lines.until("begin")["session"]
        lines.until("tool")
        p.process.kill()
        p.expect = -signal.SIGKILL
        p.told = True
    shown = run("sessions", "show", session, "--json", root=root).stdout.decode()
    has(shown, '"name":"slow"')
    has(shown, "interrupted")


@case
def a_question_of_a_task_is_asked_again_after_a_kill_and_its_call_ends_once(root):
    actor(root)
    with Remote(*read_write(), root=root) as client:
        ident = client.dispatch("ask", "actor")
        client.reaches(ident, "input_required")
        client.process.kill()
        client.expect = -9
        client.told = True
    with Remote(*read_write(), root=root) as client:
        answer = {"task_id": ident, "action": "accept", "content": {"option": "blue"}}
        wait_for("the question again",
                 lambda: not client.result("answer_task", answer).get("isError"))
        done = client.end(ident)
        equal(done["status"], "completed")
        has(json.dumps(done), "blue")
    ident = json.loads(run("sessions", "list", "--json", root=root).stdout)[0]["id"]
    shown = [json.loads(line) for line in
             run("sessions", "show", ident, "--json", root=root).stdout.splitlines()]
    ends = [e for e in shown if e["type"] == "tool" and e["status"] == "done"]
    equal([(e["name"], e["text"]) for e in ends], [("danger", "painted")])


main()
