"""Answers that hold longer than one call: for a session, or for a project until they are revoked."""
import json
import os
import stat

from asked_client import OFFLINE, Asked, definition, own
from harness import Serve, case, equal, has, main, run, state_dir, wait_for
from task_client import agent
from terminal import Terminal
from upstream import configure, server, text_of

FAILED, USAGE, DENIED = 1, 2, 3
ECHO = {"argv": ["echo", "made it"]}


def first_reaction(client):
    """The question about the call that was begun, or its answer if there is no question."""
    message = client.receive()
    while "method" in message and message["method"] != "elicitation/create":
        message = client.receive()
    return message


def call(client, answer, tool="shell_exec", want="made it", **arguments):
    """A call that is asked about, and answered with an option."""
    client.begin(tool, **(arguments or ECHO))
    question = first_reaction(client)
    equal(question.get("method"), "elicitation/create")
    client.reply(question, "accept", option=answer)
    has(text_of(client.answer_to(7)), want)


def silent(client, tool="shell_exec", want="made it", **arguments):
    """A call that is not asked about: its answer is the next message."""
    client.begin(tool, **(arguments or ECHO))
    message = first_reaction(client)
    equal(message.get("id"), 7)
    has(json.dumps(message), want)


def answers(root):
    return json.loads(run("trust", "answers", "--json", root=root).stdout)


# ---- sessions -----------------------------------------------------------------------------------

@case
def an_answer_for_the_session_holds_for_one_of_two_clients(root):
    words = own(root)
    with Asked(*words, root=root) as a, Asked(*words, root=root) as b:
        call(a, "allow_session")
        silent(a)
        silent(a, **{"argv": ["echo", "made it"]})
        call(a, "allow_once", argv=["echo", "made it", "again"])  # another command
        call(a, "reject_once", argv=["echo", "made it"], cwd=".", want="not approved")
        call(b, "reject_session", want="not approved")
        silent(b, want="was rejected earlier, and that answer is remembered (for this session)")
        call(b, "allow_once", argv=["echo", "made it", "again"])
        silent(a)
    equal(answers(root), [])


@case
def an_edit_is_remembered_for_the_session_by_its_path(root):
    with Asked(*own(root), root=root) as t:
        call(t, "allow_session", "file_write", "a.txt", path="a.txt", content="two\n")
        silent(t, "file_write", "a.txt", path="a.txt", content="three\n")
        call(t, "reject_once", "file_write", "not approved", path="b.txt", content="two\n")
    equal((root / "a.txt").read_text(), "three\n")


def asks_again_after_a_change(root, option):
    """An answer holds for the definition of the tool that was shown."""
    configure(root, server("calc"), head='[mcp.permission]\nexecute = "ask"\n')
    with Asked(root=root) as t:
        t.wait_tool("mcp_calc_echo")
        call(t, option, "mcp_calc_echo", "hello", text="hello")
        silent(t, "mcp_calc_echo", "hello", text="hello")
        call(t, "allow_once", "mcp_calc_add_tool", "added echo", name="echo")
        wait_for("the new list", lambda: definition(t, "mcp_calc_echo") == "Was added.")
        call(t, "allow_once", "mcp_calc_echo", "hello", text="hello")


@case
def a_session_asks_again_about_a_changed_definition(root):
    asks_again_after_a_change(root, "allow_session")


@case
def the_answers_of_before_still_count(root):
    with Asked(*own(root), root=root) as t:
        t.begin("shell_exec", **ECHO)
        t.reply(t.question(), "accept")
        has(text_of(t.answer_to(7)), "made it")
        t.begin("shell_exec", **ECHO)
        t.reply(t.question(), "accept", option="allow_everything")
        has(text_of(t.answer_to(7)), "is not an option of this question")
        t.begin("shell_exec", **ECHO)
        t.reply(t.question(), "accept", always=True)
        has(text_of(t.answer_to(7)), "made it")
        silent(t)


# ---- projects -----------------------------------------------------------------------------------

@case
def an_answer_for_the_project_holds_for_the_same_call_only(root):
    here, there = root / "here", root / "there"
    here.mkdir()
    there.mkdir()
    words = own(root)
    agent(here, "helper")
    with Asked(*words, root=here) as first:
        call(first, "allow_project")
    with Asked(*words, "--scope", "all", root=here) as a, Asked(*words, root=there) as b:
        silent(a)
        silent(a, **{"argv": ["echo", "made it"]})
        call(b, "allow_once")                                     # another root
        call(a, "allow_once", argv=["echo", "made it", "too"])    # another argument
        call(a, "allow_once", argv=["echo", "made it"], cwd=".")
        a.begin("trefoil_agent_helper", message="/call shell_exec " + json.dumps(ECHO))
        a.reply(a.question(), "accept", option="allow_once")      # another agent
        has(text_of(a.answer_to(7)), "made it")
    [kept] = answers(here)
    equal((kept["verdict"], kept["principal"], kept["agent"], kept["tool"], kept["arguments"]),
          ("allow", f"user:{os.getuid()}", "mcp", "shell_exec", ECHO))
    equal(answers(there), [])
    path = state_dir(here) / "answers.json"
    equal(stat.S_IMODE(path.stat().st_mode), 0o600)
    equal(list(here.rglob("answers*")), [])


@case
def two_clients_at_once_keep_both_answers_and_revoked_ones_ask_again(root):
    words = own(root)
    with Asked(*words, root=root) as a, Asked(*words, root=root) as b:
        a.begin("shell_exec", **ECHO)
        b.begin("shell_exec", argv=["echo", "other"])
        first, second = a.question(), b.question()
        a.reply(first, "accept", option="allow_project")
        b.reply(second, "accept", option="reject_project")
        has(text_of(a.answer_to(7)), "made it")
        has(text_of(b.answer_to(7)), "not approved")
        ids = {x["verdict"]: x["id"] for x in answers(root)}
        equal(sorted(ids), ["allow", "deny"])
        silent(b)
        silent(a, argv=["echo", "other"], want=f"trefoil trust forget {ids['deny']}")
        found = json.loads(run("explain", "shell_exec", json.dumps(ECHO), "--json", *words,
                               root=root).stdout)
        equal((found["verdict"], found["by"], found["answer"]),
              ("allow", "a remembered answer", ids["allow"]))
        has(run("trust", "answers", root=root).stdout.decode(), ids["deny"] + "  reject mcp  shell_exec")
        equal(run("trust", "forget", "ffffffffffffffff", root=root).returncode, FAILED)
        gone = run("trust", "forget", ids["allow"][:12], "--json", root=root)
        equal(json.loads(gone.stdout), {"revoked": 1})
        call(b, "allow_once")
        has(run("trust", "forget", "all", root=root).stdout, b"revoked 1 remembered answer\n")
        call(a, "reject_once", argv=["echo", "other"], want="not approved")
    equal(answers(root), [])


@case
def an_edit_is_remembered_by_its_path(root):
    (root / "a.txt").write_text("one\n")
    with Asked(*own(root), root=root) as t:
        call(t, "allow_project", "file_write", "a.txt", path="a.txt", content="two\n")
        silent(t, "file_write", "a.txt", path="a.txt", content="three\n")
        call(t, "reject_once", "file_write", "not approved", path="b.txt", content="two\n")
        # What controls trefoil is asked about each time.
        for _ in range(2):
            call(t, "allow_project", "file_write", "trefoil.toml", path="trefoil.toml", content="")
    equal((root / "a.txt").read_text(), "three\n")


@case
def a_changed_definition_asks_again(root):
    asks_again_after_a_change(root, "allow_project")


# ---- other faces --------------------------------------------------------------------------------

@case
def a_terminal_has_a_key_for_each_option(root):
    words = own(root)
    prompt = "/call shell_exec " + json.dumps(ECHO)
    with Terminal(root, *words, prompt) as t:
        t.wait_for("Allow it?")
        for part in ("p  Always allow this call in this project", "r  Always reject this call in this session",
                     "x  Always reject this call in this project"):
            has(t.shown, part)
        t.type("p\n")
        t.wait_for("made it")
        t.leave()
    done = run("run", *words, prompt, root=root, **OFFLINE)
    has(done.stdout, b"made it")
    equal([(x["agent"], x["tool"]) for x in answers(root)], [("default", "shell_exec")])


def post(server, path, body, **headers):
    return server.request("POST", path, json.dumps(body).encode(), content_type="application/json",
                          **headers)


def question_of(server, text, **headers):
    ident = post(server, "/api/tasks", {"task": text}, **headers).json()["id"]

    def asks():
        return [x for x in server.request("GET", "/api/approvals", **headers).json()["approvals"]
                if x["task"] == ident]
    wait_for("the question", asks)
    return ident, asks()[0]


@case
def approvals_name_an_option(root):
    text = "/call shell_exec " + json.dumps(ECHO)
    with Serve(*own(root), root=root, listen=f"unix:{root}/socket", **OFFLINE) as t:
        ident, ask = question_of(t, text)
        equal([(x["id"], x["kind"]) for x in ask["options"]],
              [("allow_once", "allow_once"), ("allow_session", "allow_always"),
               ("allow_project", "allow_always"), ("reject_once", "reject_once"),
               ("reject_session", "reject_always"), ("reject_project", "reject_always")])
        has(run("approvals", "show", ident, root=root).stdout, b"option     allow_project: Always allow")
        wrong = post(t, f"/api/tasks/{ident}/answer", {"answer": {"option": "nope"}})
        equal(wrong.status, 400)
        has(wrong.json()["error"]["message"], "is not an option of this question")
        equal(run("approvals", "deny", ident, "--option", "allow_once", root=root).returncode, USAGE)
        equal(run("approvals", "allow", ident, "--option", "allow_project", root=root).returncode, 0)
        wait_for("the answer", lambda: len(answers(root)) == 1)
        done = post(t, "/api/tasks", {"task": text}).json()["id"]  # nothing is asked
        wait_for("its end", lambda: t.request("GET", f"/api/tasks/{done}").json()["state"] == "completed")
        ident, _ = question_of(t, '/call shell_exec {"argv":["echo","more"]}')
        equal(post(t, f"/api/tasks/{ident}/answer", {"answer": {"option": "allow_once"}}).status, 200)


@case
def a_client_with_a_key_is_refused_the_project(root):
    keys = ('[[serve.keys]]\nname = "ann"\nkey = "key-of-ann"\n[mcp]\nmode = "read-write"\n'
            '[guard.permission]\nexecute = "ask"\n')
    ann = {"authorization": "Bearer key-of-ann"}
    with Serve(*own(root, keys), root=root, **OFFLINE) as t:
        ident, ask = question_of(t, "/call shell_exec " + json.dumps(ECHO), **ann)
        equal([x["id"] for x in ask["options"] if "project" in x["id"]], [])
        for option in ("allow_project", "reject_project"):
            refused = post(t, f"/api/tasks/{ident}/answer", {"answer": {"option": option}}, **ann)
            equal(refused.status, 400)
            has(refused.json()["error"]["message"], "is not an option of this question")
        equal(run("approvals", "allow", ident, "--option", "allow_project", root=root).returncode, USAGE)
        equal(post(t, f"/api/tasks/{ident}/answer", {"answer": {"option": "allow_session"}}, **ann).status, 200)
    equal(answers(root), [])


main()
