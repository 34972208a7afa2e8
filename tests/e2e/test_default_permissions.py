"""What is asked for where nobody has configured anything: commands that leave the sandbox, deletions
outside the root and fetches; in every face, and by which rules that is waived."""
import json
import os

from harness import Stdio, case, equal, has, main, own_config, run
from task_client import Remote, read_write
from terminal import DENIED, SHELL, Terminal
from upstream import text_of

OFFLINE = {"TREFOIL_PROVIDER": "offline"}
AUTO = '[guard.permission]\n{} = "auto"\n'


def call(tool, **arguments):
    return f"/call {tool} {json.dumps(arguments)}"


INSIDE = call("shell_exec", argv=["touch", "made"])
ARGS = {"argv": ["touch", "made"], "sandbox": "off", "reason": "to try"}
TOUCH = call("shell_exec", **ARGS)  # it leaves the sandbox


def agent(root, *words, **env):
    return run("run", *words, root=root, **{**OFFLINE, **env})


def project(root):
    (root / "p").mkdir()
    (root / "p/kept").write_text("text\n")
    return root / "p"


def define(root, name, **keys):
    """An agent of the project."""
    (root / ".trefoil/agents").mkdir(parents=True, exist_ok=True)
    (root / f".trefoil/agents/{name}.md").write_text("\n".join(
        ["---", f"name: {name}", "description: tries", *(f"{k}: {json.dumps(v)}" for k, v in keys.items()),
         "---", "You try."]) + "\n")


def of_user(root, *agents, more=""):
    """The user's own agents: (name, keys)."""
    text = more
    for name, keys in agents:
        text += f'[[agents]]\nname = "{name}"\ndescription = "tries"\n'
        text += "".join(f"{k} = {json.dumps(v)}\n" for k, v in keys.items())
    return own_config(root, text)


# ---- run ----------------------------------------------------------------------------------------

@case
def without_a_terminal_what_leaves_the_sandbox_is_denied(root):
    p = project(root)
    for prompt, kind in ((TOUCH, "execute"), (call("file_delete", path="../kept"), "delete"),
                         (call("shell_exec", argv=["touch", "made"], sandbox="network"), "execute"),
                         (call("process_start", **ARGS), "execute"),
                         (call("web_fetch", url="http://127.0.0.1:1/"), "fetch")):
        answer = agent(p, prompt)
        equal(answer.returncode, DENIED)
        has(answer.stdout.decode(), "was not approved: no terminal is available to ask")  # the model is told
        equal(sorted(os.listdir(p) + [".trefoil"])[-1], "kept")
        verdict = json.loads(run("explain", "--json", *prompt.split(" ", 2)[1:], root=p).stdout)
        sandbox = next(c for c in verdict["checks"] if c["check"] == "sandbox")
        equal(sandbox["verdict"], "ask")
        has(sandbox["why"], f'[guard.permission] {kind} = "auto"')
    equal((p / "made").exists(), False)
    equal(agent(p, "--yes", TOUCH).returncode, 0)
    equal((p / "made").exists(), True)


@case
def inside_the_sandbox_commands_and_deletions_run_unasked(root):
    p = project(root)
    for prompt in (INSIDE, call("process_start", argv=["touch", "made"]),
                   call("shell_exec", argv=["touch", "made"], sandbox="default")):
        answer = agent(p, prompt)
        equal(answer.returncode, 0)
    equal((p / "made").exists(), True)
    equal(agent(p, call("file_delete", path="kept")).returncode, 0)
    equal((p / "kept").exists(), False)


@case
def writing_is_not_asked_for(root):
    p = project(root)
    for prompt in (call("file_write", path="kept", content="new"),
                   call("file_move", **{"from": "kept", "to": "moved"}),
                   call("file_read", path="moved"), call("dir_make", path="folder")):
        equal(agent(p, prompt).returncode, 0)
    equal((p / "moved").read_text(), "new")


@case
def the_user_waives_or_forbids_by_kind(root):
    p = project(root)
    env = own_config(root, AUTO.format("execute"))
    equal(agent(p, TOUCH, **env).returncode, 0)
    equal((p / "made").exists(), True)
    equal(agent(p, call("web_fetch", url="http://127.0.0.1:1/"), **env).returncode, DENIED)
    env = own_config(root, '[guard.permission]\nexecute = "deny"\n')
    has(agent(p, "--yes", TOUCH, **env).stdout, b"unknown tool shell_exec")
    equal((p / "kept").exists(), True)


@case
def a_project_waives_nothing(root):
    p = project(root)
    (p / "trefoil.toml").write_text(AUTO.format("execute") + "[mcp.permission]\nexecute = 'auto'\n")
    define(p, "wild", approval_mode="yolo")
    define(p, "listed", tools=["Bash(touch made)"])
    for words in ((TOUCH,), ("-a", "wild", TOUCH), ("-a", "listed", TOUCH)):
        equal(agent(p, *words).returncode, DENIED)
        equal((p / "made").exists(), False)
    equal(agent(p, "--trust", "-a", "wild", TOUCH).returncode, 0)
    (p / "made").unlink()
    equal(agent(p, "--trust", "-a", "listed", TOUCH).returncode, 0)
    (p / "made").unlink()
    equal(agent(p, "--trust", TOUCH).returncode, DENIED)


@case
def the_users_own_agents_may_waive_it(root):
    p = project(root)
    env = of_user(root, ("wild", {"approval_mode": "yolo"}), ("plain", {"tools": ["shell_exec", "agent_send"]}),
                  ("listed", {"tools": ["Bash(touch made)", "Bash(git status)", "file_read"]}))
    equal(agent(p, "-a", "wild", TOUCH, **env).returncode, 0)
    (p / "made").unlink()
    equal(agent(p, "-a", "listed", TOUCH, **env).returncode, 0)
    (p / "made").unlink()
    has(agent(p, "-a", "listed", call("shell_exec", argv=["touch", "other"]), **env).stdout, b"was denied")
    # that it has a tool does not say which of its calls may run
    equal(agent(p, "-a", "plain", TOUCH, **env).returncode, DENIED)
    # what another agent waives holds for that one's own work, not for whom it works
    by = call("agent_send", agent="wild", message=TOUCH)
    equal(agent(p, "-a", "plain", by, **env).returncode, DENIED)
    equal((p / "made").exists(), False)
    equal(agent(p, "--yes", "-a", "plain", by, **env).returncode, 0)
    equal((p / "made").exists(), True)


@case
def at_a_terminal_somebody_is_asked(root):
    for typed, made in (("\n", False), ("y\n", True)):
        p = root / typed.strip()
        p.mkdir(exist_ok=True)
        with Terminal(p, TOUCH) as t:
            t.wait_for("[y/N/a(lways)] ")
            has(t.shown.replace("\r\n", "\n"), "it asks for sandbox profile off instead of workspace")
            has(t.shown, "reason: to try")
            t.type(typed)
            equal(t.leave(), 0)
        equal((p / "made").exists(), made)


@case
def a_call_from_the_command_line_is_asked_for_as_well(root):
    p = project(root)
    words = ("tools", "call", "shell_exec", json.dumps(ARGS))
    answer = run(*words, root=p)
    equal(answer.returncode, DENIED)
    has(answer.stderr, b'[guard.permission] execute = "auto" in the user')
    equal((p / "made").exists(), False)
    equal(run(*words, "--yes", root=p).returncode, 0)
    equal((p / "made").exists(), True)
    (p / "made").unlink()
    env = own_config(root, AUTO.format("execute"))
    equal(run(*words, root=p, **env).returncode, 0)
    equal((p / "made").exists(), True)


# ---- tasks --------------------------------------------------------------------------------------

@case
def a_task_waits_and_is_answered_from_elsewhere(root):
    p = project(root)
    with Remote(*read_write(), root=p) as t:
        ident = t.dispatch(TOUCH)
        t.reaches(ident, "input_required")
        equal((p / "made").exists(), False)
        shown = json.loads(run("approvals", "--json", root=p).stdout)
        has(json.dumps(shown), "it asks for sandbox profile off")
        equal(run("approvals", "allow", ident, root=p).returncode, 0)
        t.reaches(ident, "completed")
        equal((p / "made").exists(), True)
        (p / "made").unlink()
        ident = t.dispatch(TOUCH)
        t.reaches(ident, "input_required")
        equal(run("approvals", "deny", ident, root=p).returncode, 0)
        t.reaches(ident, "completed")
        equal((p / "made").exists(), False)
        ident = t.dispatch(INSIDE)
        t.reaches(ident, "completed")
        equal((p / "made").exists(), True)


@case
def a_dispatch_without_a_terminal_is_denied(root):
    p = project(root)
    answer = run("agents", "dispatch", "default", TOUCH, root=p, **OFFLINE)
    equal(answer.returncode, DENIED)
    equal((p / "made").exists(), False)
    equal(run("agents", "dispatch", "--yes", "default", TOUCH, root=p, **OFFLINE).returncode, 0)
    equal((p / "made").exists(), True)


# ---- MCP ----------------------------------------------------------------------------------------

@case
def an_mcp_client_that_cannot_be_asked_is_told_which_setting_allows_it(root):
    p = project(root)
    with Stdio(root=p, **OFFLINE) as t:
        t.initialize()
        for tool, arguments, kind in (("shell_exec", ARGS, "execute"),
                                      ("file_delete", {"path": "../kept"}, "delete"),
                                      ("web_fetch", {"url": "http://127.0.0.1:1/"}, "fetch")):
            said = text_of(t.call("tools/call", {"name": tool, "arguments": arguments}))
            has(said, f'{tool} needs approval, and no one is available to approve it')
            has(said, f'[guard.permission] {kind} = "auto" in the user\'s config.toml')
        equal(sorted(x for x in os.listdir(p) if x[0] != "."), ["kept"])


@case
def an_mcp_client_is_asked(root):
    p = project(root)
    with Stdio(root=p, **OFFLINE) as t:
        t.call("initialize", {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
                              "clientInfo": {"name": "e2e", "version": "1"}}, 0)
        for action, made in (("decline", False), ("accept", True)):
            question = t.call("tools/call", {"name": "shell_exec", "arguments": ARGS}, 5)
            equal(question["method"], "elicitation/create")
            has(question["params"]["message"], "it asks for sandbox profile off")
            t.send({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action, "content": {}}})
            equal(t.receive()["id"], 5)
            equal((p / "made").exists(), made)


@case
def mcp_permission_waives_it_for_mcp_clients_only(root):
    p = project(root)
    words = read_write('permission = { execute = "auto" }\n')
    with Stdio(*words, root=p, **OFFLINE) as t:
        t.initialize()
        t.call("tools/call", {"name": "shell_exec", "arguments": ARGS})
        equal((p / "made").exists(), True)
        (p / "made").unlink()
    equal(agent(p, *words, TOUCH).returncode, DENIED)
    equal((p / "made").exists(), False)


# ---- the first files ----------------------------------------------------------------------------

@case
def the_template_shows_the_setting(root):
    equal(run("init", root=root).returncode, 0)
    text = (root / "trefoil.toml").read_text()
    has(text, "[guard.permission]\n# execute = \"ask\"")
    (root / "trefoil.toml").write_text(text.replace('# execute = "ask"', 'execute = "deny"'))
    equal(run("config", "check", root=root).returncode, 0)
    has(agent(root, "--yes", SHELL).stdout, b"unknown tool shell_exec")


main()
