"""A scripted agent asks for permission: the guard decides what it can, and the client the rest."""
import json

from asked_client import ASK, OFFLINE, Asked, own
from harness import Serve, case, equal, has, main, run, wait_for
from task_client import agent
from terminal import Terminal
from upstream import text_of

PLAY = '''
[[rule]]
text = "choose"
event = [
  { type = "tool", id = "t", name = "Bash", kind = "execute", status = "running", args = { command = "rm x" } },
  { type = "permission", id = "t", text = "Remove x?", refused = "Kept it.", options = [
    { id = "go", name = "Remove it", kind = "allow_once" },
    { id = "dry", name = "Only try", kind = "allow_once" },
    { id = "keep", name = "Keep it", kind = "reject_once" },
    { id = "never", name = "Never remove it", kind = "reject_always" } ] },
  { type = "tool", id = "t", status = "done", text = "removed" },
  { type = "text", text = "Chose {answer}." },
]
[[rule]]
text = "plain"
event = [
  { type = "permission", name = "Bash", kind = "execute", args = { command = "make" }, text = "Run make?", refused = "Not run." },
  { type = "text", text = "Chose {answer}." },
]
[[rule]]
text = "twice"
event = [
  { type = "permission", name = "Bash", kind = "execute", args = { command = "make" }, text = "Run make?", refused = "Not run." },
  { type = "text", text = "First {answer}." },
  { type = "permission", name = "Bash", kind = "execute", args = { command = "make" }, text = "Run make?", refused = "Not run." },
  { type = "text", text = "Then {answer}." },
  { type = "permission", name = "Bash", kind = "execute", args = { command = "make all" }, text = "Run it all?", refused = "Not run." },
  { type = "text", text = "Last {answer}." },
]
[[rule]]
text = "read"
event = [
  { type = "permission", name = "Read", kind = "read", args = { path = "x" }, text = "Read x?", refused = "Not read." },
  { type = "text", text = "Chose {answer}." },
]
[[rule]]
text = "unknown"
event = [
  { type = "permission", name = "Teleport", kind = "teleport", text = "Beam up?", refused = "Stayed." },
  { type = "text", text = "Chose {answer}." },
]
'''
TOOL = "trefoil_agent_actor"
CHOICES = ["dry", "go", "keep", "never"]


def actor(root, play=PLAY):
    (root / "play.toml").write_text(play)
    agent(root, "actor", "provider: script\nscript: play.toml\n")


def answer(client, ident=7):
    return text_of(client.answer_to(ident))


def silent(client, want, **arguments):
    """The call ends without a question."""
    client.begin(TOOL, **arguments)
    message = client.receive()
    while "method" in message:
        equal(message["method"] == "elicitation/create", False)
        message = client.receive()
    has(json.dumps(message), want)
    return message


@case
def two_clients_choose_different_options_of_the_agent_at_once(root):
    actor(root)
    words = (*own(root), "--scope", "all")
    with Asked(*words, root=root) as a, Asked(*words, root=root) as b:
        for client in (a, b):
            client.begin(TOOL, message="choose")
        first, second = a.question(), b.question()
        for question in (first, second):
            has(question["params"]["message"], "Remove x?")
            has(question["params"]["message"], "rm x")
            form = question["params"]["requestedSchema"]["properties"]["option"]
            equal(sorted(form["enum"]), CHOICES)
        b.reply(second, "accept", option="never")
        a.reply(first, "accept", option="dry")
        has(answer(a), "Chose dry.")
        has(answer(b), "Kept it.")
        a.begin(TOOL, message="choose")
        a.reply(a.question(), "decline")
        has(answer(a), "Kept it.")
        a.begin(TOOL, message="choose")
        a.reply(a.question(), "accept", option="allow_session")
        has(answer(a), "Kept it.")  # not an option of this question


@case
def the_guard_decides_what_it_can(root):
    actor(root)
    denied = own(root, ASK.replace('execute = "ask"', 'execute = "deny"'))
    with Asked(*denied, "--scope", "all", root=root) as t:
        silent(t, "Kept it.", message="choose")
        silent(t, "Not run.", message="plain")
        silent(t, "Stayed.", message="unknown")  # an unknown kind counts as execute
        silent(t, "Chose allow_once.", message="read")
    with Asked(*own(root, ASK.replace('execute = "ask"', 'execute = "auto"')), "--scope", "all",
               root=root) as t:
        silent(t, "Chose go.", message="choose")
        silent(t, "Chose allow_once.", message="plain")


@case
def an_answer_for_the_session_is_remembered_for_our_options_only(root):
    actor(root)
    with Asked(*own(root), "--scope", "all", root=root) as t:
        t.begin(TOOL, message="twice")
        t.reply(t.question(), "accept", option="allow_session")
        question = t.question()  # the second request needs no question, the third is another command
        has(question["params"]["message"], "Run it all?")
        t.reply(question, "accept", option="allow_once")
        done = t.answer_to(7)
        session = done["result"]["structuredContent"]["session_id"]
        shown = run("sessions", "show", session, root=root).stdout.decode()
        for part in ("First allow_session.", "Then allow_once.", "Last allow_once."):
            has(shown, part)
        for option, want in (("never", "Kept it."), ("go", "Chose go.")):
            t.begin(TOOL, message="choose", session_id=session)
            t.reply(t.question(), "accept", option=option)
            has(answer(t), want)


@case
def run_asks_in_a_terminal_and_remembers_for_the_project(root):
    actor(root)
    words = (*own(root), "-a", "actor", "plain")
    with Terminal(root, *words) as t:
        t.wait_for("Allow it?")
        has(t.shown, "Run make?")
        t.type("p\n")
        t.wait_for("Chose allow_project.")
        t.leave()
    equal(run("run", *words, root=root).stdout, b"Chose allow_once.\n")
    [kept] = json.loads(run("trust", "answers", "--json", root=root).stdout)
    equal((kept["verdict"], kept["agent"], kept["arguments"]),
          ("allow", "actor", {"command": "make"}))


@case
def without_a_person_the_permission_is_rejected_and_the_reason_shown(root):
    actor(root)
    shown = run("run", *own(root), "-a", "actor", "choose", root=root)
    equal(shown.stdout, b"Kept it.\n")
    has(shown.stderr.decode(), "Bash was rejected")


@case
def a_task_waits_and_two_people_answer_their_own(root):
    actor(root)
    with Serve(*own(root), root=root, listen=f"unix:{root}/socket", **OFFLINE) as t:
        def post(path, body):
            return t.request("POST", path, json.dumps(body).encode(), content_type="application/json")

        def approvals():
            return {x["task"]: x for x in t.request("GET", "/api/approvals").json()["approvals"]}
        first, second = (post("/api/tasks", {"task": "choose", "agent": "actor"}).json()["id"]
                         for _ in range(2))
        wait_for("both questions", lambda: {first, second} <= set(approvals()))
        equal([x["id"] for x in approvals()[first]["options"]], ["go", "dry", "keep", "never"])
        wrong = post(f"/api/tasks/{first}/answer", {"answer": {"option": "allow_project"}})
        equal(wrong.status, 400)
        equal(run("approvals", "allow", first, "--option", "dry", root=root).returncode, 0)
        equal(run("approvals", "deny", second, root=root).returncode, 0)
        for ident, want in ((first, "Chose dry."), (second, "Kept it.")):
            wait_for("its end", lambda: t.request("GET", f"/api/tasks/{ident}").json()["state"] == "completed")
            has(json.dumps(t.request("GET", f"/api/tasks/{ident}").json()), want)


@case
def wrong_options_name_the_place_and_what_is_accepted(root):
    head = '[[rule]]\nevent = [{ type = "permission", text = "?", options = ['
    for option, part in (('{ id = "a", kind = "maybe" }', "reject_always"),
                         ('{ name = "a", kind = "allow_once" }', "id"),
                         ('{ id = "a", kind = "allow_once", nam = "x" }', "nam"),
                         ('1', "play.toml:2:")):
        actor(root, head + option + '] }]\n')
        bad = run("run", "-a", "actor", "go", root=root)
        equal(bad.returncode, 2)
        has(bad.stderr.decode(), part)


main()
