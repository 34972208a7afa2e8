"""The sandbox in use: what commands, servers and agents may do without being asked, what they are
refused, and what the user is told.

usage: test_sandbox_use.py TREFOIL ATTACKS REFUSE
"""
import json
import os
import pathlib
import signal
import subprocess
import sys

from harness import (DEADLINE, TREFOIL, Serve, alive, case, environment_at, equal, has, main, needs_namespaces,
                     own_config, run, state_dir, wait_for)
from task_client import Remote, read_write
from upstream import SERVERS

REFUSE = os.path.abspath(sys.argv[3])
DENIED = 3
REFUSED = ("Read-only file system", "Permission denied")  # by mounts, by Landlock
OFFLINE = {"TREFOIL_PROVIDER": "offline"}


def call(tool, **arguments):
    return f"/call {tool} {json.dumps(arguments)}"


def shell(text, **more):
    return call("shell_exec", argv=["sh", "-c", text], **more)


def agent(root, *words, **env):
    return run("run", *words, root=root, **{**OFFLINE, **env})


def said(answer):
    return answer.stdout.decode() + answer.stderr.decode()


def processes(mark):
    """The processes of this machine that have a word in their command line."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words and alive(entry.name):
            found.append(entry.name)
    return found


def outside_of(root):
    """A file in the build folder: /tmp is private in a sandbox."""
    return pathlib.Path.cwd() / f"{root.name}.out"


def place(folder):
    """A home folder with a secret, and a project in it."""
    (folder / "home/.ssh").mkdir(parents=True)
    (folder / "home/.ssh/id_rsa").write_text("THE KEY\n")
    root = folder / "home/project"
    root.mkdir()
    return root, {"HOME": str(folder / "home")}


# ---- commands -----------------------------------------------------------------------------------

@case
def a_command_works_in_the_root_and_is_refused_the_rest_without_asking(folder):
    root, home = place(folder)
    with Serve(root=root, **home) as server:
        address = f"http://127.0.0.1:{server.address[1]}/health"
        equal(server.request("GET", "/health").status, 200)
        answer = agent(root, shell(f"cat ~/.ssh/id_rsa; curl -m 2 {address}; echo x > ../x; "
                                   "echo y > inside.txt"), **home)
    equal(answer.returncode, 0)
    equal((root / "inside.txt").read_text(), "y\n")
    equal((folder / "home/x").exists(), False)
    text = said(answer)
    for hidden in ("THE KEY", '"status"'):
        equal(hidden in text, False)
    has(text, "[blocked by sandbox profile workspace: ")
    for what in (f"access to {folder}/home/.ssh/id_rsa", "the network", "write to ../x",
                 'to allow it, use the argument "sandbox": "off"'):
        has(text, what)


@case
def a_command_that_is_refused_nothing_is_told_nothing(root):
    text = said(agent(root, shell("cat missing; ls /nowhere; exit 2")))
    has(text, "exited with code 2")
    equal("blocked" in text, False)


@case
def the_network_is_one_step_and_no_sandbox_another(root):
    text = said(agent(root, shell("curl -sS -m 2 http://example.invalid/; exit 1")))
    has(text, 'the network; to allow it, use the argument "sandbox": "network"')
    outside = outside_of(root)
    answer = agent(root, "--yes", shell(f"touch {outside}", sandbox="network"))
    has(said(answer), "blocked by sandbox profile network: ")
    equal(outside.exists(), False)
    equal(agent(root, "--yes", shell(f"touch {outside}", sandbox="off")).returncode, 0)
    outside.unlink()


@case
def a_command_with_a_network_does_not_reach_other_ports(root):
    with Serve(root=root) as server:
        ask = f"curl -sS -m 2 http://127.0.0.1:{server.address[1]}/health"
        has(said(agent(root, "--yes", shell(ask, sandbox="network"))), "blocked by sandbox profile")
        has(said(agent(root, "--yes", shell(ask, sandbox="off"))), "status")
        env = own_config(root, f'[sandbox]\ndefault = "network"\nconnect = [{server.address[1]}]\n')
        has(said(agent(root, shell(ask), **env)), "status")


@case
def an_unknown_profile_is_an_error(root):
    for word in ("workspace", "none", ""):
        has(said(agent(root, "--yes", shell("true", sandbox=word))), "expected default, network or off")


@case
def explain_shows_the_profile_and_why(root):
    def explain(*words, **env):
        return json.loads(run("explain", "shell_exec", *words, "--json", root=root, **env).stdout)

    def check(verdict):
        return next(c for c in verdict["checks"] if c["check"] == "sandbox")

    plain = explain('{"argv":["ls"]}')
    equal((plain["verdict"], plain["sandbox"]), ("allow", "workspace"))
    has(check(plain)["why"], "it runs in sandbox profile workspace")
    off = explain('{"argv":["ls"],"sandbox":"off"}')
    equal((off["verdict"], off["sandbox"], off["by"]), ("ask", "off", "sandbox"))
    has(check(off)["why"], "it asks for sandbox profile off instead of workspace")
    env = own_config(root, '[sandbox]\ndefault = "off"\n')
    off = explain('{"argv":["ls"]}', **env)
    equal((off["verdict"], off["sandbox"]), ("ask", "off"))
    has(check(off)["why"], "[sandbox] default is off")
    text = run("explain", "shell_exec", '{"argv":["ls"]}', root=root).stdout.decode()
    has(text, "  profile     workspace\n")


# ---- configuration ------------------------------------------------------------------------------

@case
def a_project_only_makes_it_stricter(root):
    (root / "trefoil.toml").write_text('[sandbox]\ndefault = "off"\nmode = "best-effort"\nconnect = [99]\n')
    answer = run("explain", "shell_exec", '{"argv":["ls"]}', "--json", root=root)
    equal(json.loads(answer.stdout)["sandbox"], "workspace")
    checked = said(run("config", "check", root=root))
    for key in ("default", "mode", "connect"):
        has(checked, f"{key} is ignored: a project cannot loosen")
    env = own_config(root, '[sandbox]\ndefault = "network"\n')
    (root / "trefoil.toml").write_text('[sandbox]\ndefault = "read-only"\n')
    answer = agent(root, shell("echo x > file; mkdir -p .vault; echo y > .vault/file"), **env)
    has(said(answer), "blocked by sandbox profile read-only: write to file")
    equal((root / "file").exists(), False)
    for wrong in ('default = "server"', 'mode = "maybe"', "connect = [0]", "profile = 1"):
        (root / "trefoil.toml").write_text(f"[sandbox]\n{wrong}\n")
        equal(run("config", "check", root=root).returncode == 0, False)


@case
def a_rule_matches_whole_argument_vectors(root):
    env = own_config(root, '[guard]\nallow = ["Bash(echo hello:*)"]\n')
    off = {"sandbox": "off", "reason": "to try"}
    equal(agent(root, call("shell_exec", argv=["echo", "hello", "you"], **off), **env).returncode, 0)
    equal(agent(root, call("shell_exec", command="echo hello you", shell=True, **off), **env).returncode, 0)
    for arguments in ({"argv": ["echo", "helloyou"]}, {"argv": ["sh", "-c", "echo hello; touch made"]},
                      {"argv": ["./echo", "hello"]}, {"argv": ["echo", "hello; touch made"]},
                      {"command": "echo hello; touch made", "shell": True},
                      {"command": "echo hello $(touch made)", "shell": True},
                      {"command": "echo hello > made", "shell": True},
                      {"argv": ["echo", "hello"], "env": {"PATH": "."}}):
        equal(agent(root, call("shell_exec", **arguments, **off), **env).returncode, DENIED)
    equal((root / "made").exists(), False)


@case
def a_rule_of_a_project_counts_once_it_is_trusted(root):
    (root / "trefoil.toml").write_text('[guard]\nallow = ["Bash(echo hello:*)"]\n')
    hello = call("shell_exec", argv=["echo", "hello"], sandbox="off")
    answer = agent(root, hello)
    equal(answer.returncode, DENIED)
    has(said(run("config", "check", root=root)), "1 of the project's rules in [guard] allow")
    shown = run("trust", root=root, stdin=b"")
    has(said(shown), "Bash(echo hello:*)")
    equal(run("trust", "--yes", root=root).returncode, 0)
    equal(agent(root, hello).returncode, 0)
    has(said(run("trust", root=root)), "Bash(echo hello:*), trusted")
    equal(run("trust", "--revoke", root=root).returncode, 0)
    equal(agent(root, hello).returncode, DENIED)
    equal(agent(root, "--trust", hello).returncode, 0)
    run("trust", "--yes", root=root)
    (root / "trefoil.toml").write_text('[guard]\nallow = ["Bash(echo:*)"]\n')
    equal(agent(root, hello).returncode, DENIED)


# ---- an agent against trefoil -------------------------------------------------------------------

@case
def an_agent_cannot_approve_its_own_questions_nor_see_the_state(root):
    with Remote(*read_write(), root=root) as server:
        asking = server.dispatch(call("shell_exec", argv=["touch", "made"], sandbox="off"))
        server.reaches(asking, "input_required")
        state = state_dir(root)
        tries = [f"'{TREFOIL}' approvals allow {asking} --root '{root}'",
                 f"XDG_STATE_HOME='{state.parents[2]}' '{TREFOIL}' approvals allow {asking} --root '{root}'",
                 f"'{TREFOIL}' trust --yes --root '{root}'",
                 f"ls '{state}'; cat '{state}/trefoil.db'; echo x > '{state}/answers.json'",
                 f"curl -sS -m 2 http://127.0.0.1:{server.address[1]}/api/approvals"]
        for text in tries:
            server.end(server.dispatch(shell(text)))
            equal(server.status(asking)["status"], "input_required")
        equal((state / "answers.json").exists(), False)
        answer = run("run", "--yes", shell(tries[-1], sandbox="network"), root=root, **OFFLINE)
        has(said(answer), "blocked by sandbox profile network")
        body = json.dumps({"answer": {"action": "accept"}}).encode()
        refused = server.request("POST", f"/api/tasks/{asking}/answer", body,
                                 content_type="application/json")
        equal(refused.status in (403, 404), True)
        equal(server.status(asking)["status"], "input_required")
        equal(run("approvals", "deny", asking, root=root).returncode, 0)
    equal((root / "made").exists(), False)


@case
def nothing_outlives_its_command_its_task_or_trefoil(root):
    mark = f"mark-{root.name}"
    daemon = f"setsid sh -c 'sleep 1000; : {mark}' {mark} >/dev/null 2>&1 & "
    agent(root, shell(daemon + "echo started"))
    wait_for("the end of what a command left", lambda: not processes(mark))
    with Remote(*read_write(), root=root) as server:
        started = server.dispatch(call("process_start", argv=["sh", "-c", "sleep 1000", mark]))
        server.end(started)
        wait_for("the end of what a task left", lambda: not processes(mark))
        running = server.dispatch(shell("sleep 1000", timeout_ms=500000).replace('"sleep 1000"', f'"sleep 1000", "{mark}"'))
        wait_for("its command", lambda: processes(mark))
        server.use("cancel_task", task_id=running)
        wait_for("the end of a cancelled task", lambda: not processes(mark))
        running = server.dispatch(call("shell_exec", argv=["sh", "-c", "sleep 1000", mark]))
        wait_for("its command", lambda: processes(mark))
        server.process.send_signal(signal.SIGKILL)
        server.expect = -signal.SIGKILL
        wait_for("the end with trefoil", lambda: not processes(mark))


@case
def input_of_a_process_is_asked_for_if_the_process_left_the_sandbox(root):
    words = read_write('[guard]\nallow = ["process_start"]\n')
    with Remote(*words, root=root) as server:
        def use(name, **arguments):
            return server.ask("tools/call", {"name": name, "arguments": arguments})

        inside = use("process_start", argv=["cat"])["structuredContent"]["id"]
        equal(use("process_write", id=inside, text="x").get("isError"), None)
        off = use("process_start", argv=["cat"], sandbox="off")
        refused = use("process_write", id=off["structuredContent"]["id"], text="x")
        has(refused["content"][0]["text"], "it asks for sandbox profile off instead of workspace")


# ---- a kernel that has less -----------------------------------------------------------------------

def reduced(root, *words, **env):
    command = [REFUSE, "namespaces", "landlock", "--", TREFOIL, *words, "--root", str(root)]
    return subprocess.run(command, capture_output=True, timeout=DEADLINE, check=False,
                          env=environment_at(root, {**OFFLINE, **env}))


@case
def without_the_kernel_every_command_is_asked_for_naming_what_is_missing(root):
    touch = call("shell_exec", argv=["touch", "made"])
    answer = reduced(root, "run", touch)
    equal(answer.returncode, DENIED)
    has(said(answer), "this system cannot confine files")
    for missing in ("Landlock", "namespaces (create a user namespace: Operation not permitted)"):
        has(said(answer), missing)
    equal((root / "made").exists(), False)
    verdict = json.loads(reduced(root, "explain", "shell_exec", '{"argv":["ls"]}', "--json").stdout)
    equal((verdict["verdict"], verdict["by"]), ("ask", "sandbox"))
    has(json.dumps(verdict), "Landlock")
    equal(reduced(root, "run", call("file_delete", path="x")).returncode, DENIED)
    env = own_config(root, '[sandbox]\nmode = "best-effort"\n')
    answer = reduced(root, "run", touch, **env)
    equal(answer.returncode, 0)
    equal((root / "made").exists(), True)
    has(said(answer), "best-effort")


@case
def what_landlock_refuses_is_named(root):
    """Without mounts the kernel refuses with another error, also for a file that does not exist."""
    outside = pathlib.Path.cwd() / f"{root.name}.new"
    command = [REFUSE, "namespaces", "--", TREFOIL, "run", shell(f"echo x > {outside}"), "--root", str(root)]
    answer = subprocess.run(command, capture_output=True, timeout=DEADLINE, check=False,
                            env=environment_at(root, OFFLINE))
    equal((answer.returncode, outside.exists()), (0, False))
    has(said(answer), f"[blocked by sandbox profile workspace: write to {outside}; ")


# ---- MCP servers ----------------------------------------------------------------------------------

WRITER = """#!{python}
import json, os, sys
sys.path.insert(0, {servers!r})
import bad_server
from bad_server import STRING, Ok, described, text

def attempt(path):
    try:
        with open(os.path.expanduser(path), "w") as f:
            f.write("x")
        return "written"
    except OSError as e:
        return e.strerror

def put(_call, args):
    return text(json.dumps({{"path": attempt(args["path"]), "pid": os.getpid(), "env": dict(os.environ),
                             "cache": attempt(os.environ.get("XDG_CACHE_HOME", "/") + "/../kept")}}))

def hinted(tools):
    listed = described(tools)
    for tool in listed:
        tool["annotations"] = {{"readOnlyHint": tool["name"] == "look"}}
    return listed

bad_server.described = hinted
server = Ok()
server.tools = {{name: ("Writes a file.", {{"path": STRING}}, put) for name in ("put", "look")}}
server.run()
"""


def writer(root, **keys):
    path = root / "writer.py"
    path.write_text(WRITER.format(python=sys.executable, servers=str(SERVERS)))
    path.chmod(0o755)
    entry = f'[[mcp.servers]]\nname = "w"\ncommand = ["{path}"]\nallowed_tools = ["put", "look"]\n'
    return own_config(root, entry + "".join(f"{k} = {json.dumps(v)}\n" for k, v in keys.items()))


def put(root, env, path, *words, tool="put"):
    text = agent(root, "--yes", *words, call(f"mcp_w_{tool}", path=str(path)), **env).stdout.decode()
    return json.loads(text[text.index("{"):text.rindex("}") + 1])


@case
def a_server_writes_the_root_by_the_mode_of_its_caller(root):
    env = writer(root)
    equal(put(root, env, root / "made")["path"], "written")
    equal(put(root, env, outside_of(root))["path"] in REFUSED, True)
    read_only = ("--mode", "read-only")
    equal(put(root, env, root / "not", *read_only, tool="look")["path"] in REFUSED, True)
    equal((root / "not").exists(), False)
    equal(put(root, env, root / "approved", *read_only)["path"], "written")  # by --yes
    shared = writer(root, share=True)
    equal(put(root, shared, root / "not", *read_only, tool="look")["path"], "written")
    equal(put(root, writer(root, sandbox="read-only"), root / "no")["path"] in REFUSED, True)
    outside = outside_of(root)
    equal(put(root, writer(root, sandbox="off"), outside)["path"], "written")
    outside.unlink()


@case
@needs_namespaces
def a_server_keeps_its_caches_in_the_state(root):
    env = writer(root)
    how = put(root, env, root / "made")
    has(how["env"]["npm_config_cache"], str(state_dir(root)))
    kept = state_dir(root) / "caches/w"
    equal(kept.is_dir(), True)
    has(said(agent(root, shell(f"ls {kept}"))), "No such file or directory")


@case
def a_server_is_not_started_where_its_files_cannot_be_confined(root):
    env = writer(root)
    shown = reduced(root, "servers", **env)
    has(said(shown), "this system cannot confine files")
    equal(reduced(root, "servers", **writer(root, sandbox="off")).returncode, 0)


main()
