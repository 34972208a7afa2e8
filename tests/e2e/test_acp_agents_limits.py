"""Agents that speak ACP keep their limits, and lose nothing when something ends early."""
import json
import os
import pathlib
import sys

from acp_client import Acp
from acp_fake import FAKE, answer, define, install, kinds, none_left, notices, play, words
from harness import Process, case, equal, has, main, run, state_dir, user_config, wait_for


# ---- limits ----------------------------------------------------------------------------------


@case
def what_permission_requests_report_counts(root):
    define(root, config="[limits]\nacp_turn_bytes = 5000\n")
    told, done = play(root, "nag 100")
    equal((told[-1]["stop"], done.returncode), ("failed", 1))
    has(notices(told), "acp_turn_bytes")


@case
def output_of_terminals_that_updates_name_counts(root):
    define(root, config="[limits]\nacp_turn_bytes = 200000\n")
    told, done = play(root, "show 100")
    equal((told[-1]["stop"], done.returncode), ("failed", 1))
    has(notices(told), "acp_turn_bytes")
    assert sum(len(e.get("text", "")) for e in kinds(told, "tool")) < 300000


@case
def terminals_that_are_created_at_the_same_time_keep_the_limit(root):
    define(root, config="[limits]\nacp_terminals = 2\n")
    equal(answer(root, "burst 8"), "2")


@case
def all_variables_of_a_definition_reach_the_agent(root):
    names = [f"GIVEN_{n}" for n in range(200)]
    table = ", ".join(f'{name} = "{name}"' for name in names)
    define(root, more=f"env = {{ {table} }}\n")
    equal(json.loads(answer(root, "env " + " ".join(names))), {name: name for name in names})


@case
def a_budget_is_for_one_turn_also_if_the_agent_counts_anew(root):
    """A new process of the agent begins to count at 0."""
    define(root, more="budget = 0.5\n")
    with Acp("--agent", "fake", root=root) as acp:
        session = acp.new()["sessionId"]
        for cost, over in ((0.4, False), (0.8, False), (0.6, True)):
            acp.forget()
            acp.prompt(session, f"cost {cost}")
            equal((cost, "budget" in acp.text(session)), (cost, over))
    none_left(root)


# ---- early ends ------------------------------------------------------------------------------


@case
def an_agent_can_die_while_its_terminals_start(root):
    define(root)
    for seconds in (0, 0.005, 0.02, 0.05):
        told, done = play(root, f"vanish {seconds}")
        equal((told[-1]["stop"], done.returncode), ("failed", 1))


@case
def a_prompt_that_is_sent_again_after_a_login_is_complete(root):
    env = {**install(root, "codex-acp"), "FAKE_LOGIN": "api-key"}
    command = json.dumps([sys.executable, FAKE, "--mark", str(root), "--needs-login",
                          "--login-late"])
    user_config(root, f'[[agents]]\nname = "fake"\nprovider = "acp"\npreset = "codex"\n'
                f'command = {command}\npersona = "Be brief."\npass_env = ["FAKE_LOGIN"]\n')
    told, done = play(root, "login blocks", **env)
    equal((done.returncode, told[-1].get("text")), (0, None))
    has(words(told), "Be brief.")


@case
def a_renewed_credential_survives_a_kill_of_trefoil(root):
    tools, home = root / "bin", pathlib.Path(f"{root}.state/home")  # not in the root
    tools.mkdir()
    (home / ".codex").mkdir(parents=True)
    (tools / "codex-acp").write_text(
        f'#!/bin/sh\ncat "$HOME/.codex/auth.json" >"$TREFOIL_ROOT_DIR/seen"\n'
        f'echo \'{{"token":"new"}}\' >"$HOME/.codex/auth.json"\n'
        f'exec {sys.executable} {FAKE} --mark {root} "$@"\n')
    (tools / "codex-acp").chmod(0o755)
    token = home / ".codex/auth.json"
    token.write_text('{"token":"old"}')
    env = {"HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}",
           "XDG_STATE_HOME": f"{root}.state", "XDG_CONFIG_HOME": str(home / ".config")}
    with Process("run", "--json", "-a", "codex", "wait", root=root, **env) as p:
        while json.loads(p.process.stdout.readline())["type"] != "tool":
            pass
        p.process.kill()
        p.expect = -9
        p.told = True
    none_left(root)
    equal((token.read_text(), (root / "seen").read_text()), ('{"token":"old"}',) * 2)
    equal(run("run", "-a", "codex", "-c", "hello", root=root, **env).returncode, 0)
    equal((token.read_text(), (root / "seen").read_text()), ('{"token":"new"}\n',) * 2)
    none_left(root)


# ---- the client of trefoil -------------------------------------------------------------------


@case
def a_session_that_an_editor_deletes_leaves_no_files(root):
    define(root)
    with Acp("--agent", "fake", root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, "hello")
        home = state_dir(root) / "homes" / session
        assert home.exists()
        equal(acp.call("session/delete", sessionId=session), {})
        assert not home.exists()
        left = [p for folder in (root, state_dir(root)) for p in folder.rglob(f"*{session}*")]
        equal(left, [])
    none_left(root)


@case
def a_session_is_opened_again_only_once_at_a_time(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, "/echo x")
        load = {"sessionId": session, "cwd": str(root), "mcpServers": []}
        both = [acp.start("session/load", **load) for _ in range(2)]
        wait_for("the responses", lambda: acp.pump() and all(n in acp.results for n in both))
        equal(sorted("error" in acp.results[n] for n in both), [False, True])
        has(next(acp.results[n]["error"]["message"] for n in both if "error" in acp.results[n]),
            "is in use on this connection")
        equal(acp.call("session/close", sessionId=session), {})
        equal(acp.fails("session/close", sessionId=session).code, -32002)


@case
def a_session_has_a_limited_number_of_servers(root):
    server = {"command": "/bin/true", "args": [], "env": []}
    with Acp(root=root) as acp:
        error = acp.fails("session/new", cwd=str(root), mcpServers=[
            {"name": f"s{n}", **server} for n in range(101)])
        has(error.message, "at most 100 MCP servers")
        acp.new()


main()
