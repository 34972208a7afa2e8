"""A project's agents and its trefoil.toml restrict; they loosen nothing before the user trusts them."""
import json
import pathlib

from harness import Serve, Stdio, case, equal, has, main, run, user_config

OFFLINE = {"TREFOIL_PROVIDER": "offline"}


def state(root):
    return {"XDG_STATE_HOME": str(root / ".state"), **OFFLINE}


def agent(root, path, head, body="You work."):
    """Write a Markdown agent, or an agent.json."""
    file = pathlib.Path(root) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if path.endswith(".json"):
        file.write_text(json.dumps({**head, "persona": body}))
    else:
        lines = [f"{k}: {json.dumps(v)}" for k, v in head.items()]
        file.write_text("---\n" + "\n".join(lines) + f"\n---\n{body}\n")


def offered(root, name, *args):
    with Stdio("--agent", name, *args, root=root, scope="agents", **state(root)) as t:
        t.initialize()
        return sorted(tool["name"] for tool in t.call("tools/list")["result"]["tools"])


def trust(root, *args):
    done = run("trust", *args, root=root, **state(root))
    equal((done.returncode, done.stderr), (0, b""))
    return done.stdout


def origin(root, name, *args):
    done = run("agents", "show", name, "--json", *args, root=root, **state(root))
    return json.loads(done.stdout)


EXPOSES = {"description": "x", "mcp": {"expose_tools": ["file_read", "system_time"]}}


@case
def an_agent_offers_no_tool_that_the_user_does_not_offer(root):
    user_config(root, '[mcp]\nexpose_tools = ["file_read"]\n')
    agent(root, ".trefoil/agents/a.md", EXPOSES)
    agent(root, ".claude/agents/b.md", EXPOSES)
    agent(root, "agents/c/agent.json", EXPOSES)
    for name in "abc":
        equal(offered(root, name), ["file_read"])
        equal(offered(root, name, "--trust"), ["file_read", "system_time"])
        equal(offered(root, name), ["file_read"])
    shown = trust(root, "--yes")
    for name in ("a.md", "b.md", "c/agent.json"):
        has(shown, name.encode())
    has(shown, b"expose_tools system_time")
    for name in "abc":
        equal(offered(root, name), ["file_read", "system_time"])


@case
def a_tool_that_is_not_offered_cannot_be_called(root):
    user_config(root, '[mcp]\nexpose_tools = ["file_read"]\n')
    agent(root, ".trefoil/agents/a.md", EXPOSES)
    with Serve(root=root, **state(root)) as server:
        call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"name": "system_time", "arguments": {}}}).encode()
        answer = server.request("POST", "/mcp/a", call, content_type="application/json").json()
        equal("result" in answer, False)


@case
def any_change_of_an_agent_asks_anew(root):
    user_config(root, '[mcp]\nexpose_tools = ["file_read"]\n')
    agent(root, ".trefoil/agents/a.md", EXPOSES)
    trust(root, "--yes")
    equal(len(offered(root, "a")), 2)
    agent(root, ".trefoil/agents/a.md", EXPOSES, "Do something else.")
    equal(offered(root, "a"), ["file_read"])
    equal(json.loads(trust(root, "--yes", "--json"))["trusted_agents"], ["a"])
    equal(len(offered(root, "a")), 2)
    trust(root, "--revoke")
    equal(offered(root, "a"), ["file_read"])


@case
def trust_in_servers_and_in_agents_do_not_erase_each_other(root):
    user_config(root, '[mcp]\nexpose_tools = ["file_read"]\n')
    agent(root, ".trefoil/agents/a.md", EXPOSES)
    trust(root, "--yes")
    done = run("servers", "add", "s", "--root", str(root), "--", "true", **state(root),
               XDG_CONFIG_HOME=str(root / ".user"))
    equal(done.returncode, 0)
    equal(len(offered(root, "a")), 2)
    got = json.loads(trust(root, "--json"))
    equal((got["trusted"], got["trusted_agents"]), (["s"], ["a"]))


USERS = '[[agents]]\nname = "careful"\nmode = "read-only"\npersona = "Look only."\n'


@case
def an_agent_of_a_project_does_not_replace_one_of_the_user(root):
    user_config(root, USERS)
    for path in (".trefoil/agents/careful.md", ".claude/agents/careful.md"):
        agent(root, path, {"description": "x", "mode": "read-write"})
        got = origin(root, "careful")
        has(got["origin"], "config.toml")
        has(got["inert"], "replaces the agent of")
        equal(got["mode"], "read-only")
        done = run("run", "--agent", "careful", '/call file_write {"path":"made","content":"x"}',
                   root=root, **state(root))
        equal((root / "made").exists(), False)
        has(done.stdout + done.stderr, b"read-only")
    equal(origin(root, "careful", "--trust")["origin"], ".trefoil/agents/careful.md:1")
    trust(root, "--yes")
    equal(origin(root, "careful")["origin"], ".trefoil/agents/careful.md:1")


@case
def what_is_without_effect_is_said(root):
    agent(root, ".trefoil/agents/wild.md", {"description": "x", "approval_mode": "yolo",
                                            "allowed_tools": ["Bash(rm:*)", "Edit(docs)", "Read"]})
    agent(root, ".trefoil/agents/tame.md", {"description": "x", "allowed_tools": ["Edit(docs)"]})
    inert = "approval_mode yolo, allowed_tools Bash(rm:*)"
    has(origin(root, "wild")["inert"], inert)
    has(run("agents", "show", "wild", root=root, **state(root)).stdout, inert.encode())
    equal("inert" in origin(root, "tame"), False)
    said = json.loads(run("config", "check", "--json", root=root, **state(root)).stdout)["warnings"]
    equal([inert in w and "wild.md:1" in w for w in said if "not trusted" in w], [True])
    has(run("doctor", root=root, **state(root)).stdout, b"without effect")
    trust(root, "--yes")
    equal("inert" in origin(root, "wild"), False)
    equal(b"without effect" in run("doctor", root=root, **state(root)).stdout, False)


def runs_unasked(root, name, program, *args):
    """Does an agent run `touch` or `mkdir` where no one can be asked?"""
    words = "/call shell_exec " + json.dumps({"argv": [program, "made"], "sandbox": "off"})
    run("run", "--agent", name, *args, words, root=root, **state(root))
    made = root / "made"
    if made.is_dir():
        made.rmdir()
    elif made.exists():
        made.unlink()
    else:
        return False
    return True


@case
def an_agent_waives_questions_only_once_it_is_trusted(root):
    agent(root, ".trefoil/agents/wild.md", {"description": "x", "approval_mode": "yolo"})
    agent(root, ".claude/agents/foreign.md", {"name": "foreign", "description": "x",
                                              "tools": "Bash(touch:*), Bash(ls)"})
    agent(root, "agents/json/agent.json", {"approval_mode": "yolo"})
    for name in ("wild", "foreign", "json"):
        equal((name, runs_unasked(root, name, "touch")), (name, False))
        equal((name, runs_unasked(root, name, "touch", "--trust")), (name, True))
    trust(root, "--yes")
    for name in ("wild", "foreign", "json"):
        equal((name, runs_unasked(root, name, "touch")), (name, True))
    equal(runs_unasked(root, "foreign", "mkdir"), False)
    agent(root, ".trefoil/agents/wild.md", {"description": "y", "approval_mode": "yolo"})
    equal(runs_unasked(root, "wild", "touch"), False)


@case
def a_trefoil_toml_loosens_nothing(root):
    user_config(root, '[serve]\nlisten = "unix:/nonexistent/s"\n[store]\ndurability = "power"\n'
                '[tasks]\nlock_conflict = "wait"\nisolate = true\n'
                '[mcp]\nexpose_tools = ["file_read"]\n'
                '[guard]\nmode = "read-only"\ntaint = "deny"\n[guard.permission]\nread = "ask"\n')
    (root / "trefoil.toml").write_text(
        '[serve]\nlisten = "127.0.0.1:0"\n[store]\ndurability = "process"\n'
        '[tasks]\nlock_conflict = "warn"\nisolate = false\n'
        '[mcp]\nexpose_tools = ["file_read", "file_list"]\n'
        '[guard]\nmode = "read-write"\ntaint = "ask"\naudit = false\n'
        '[guard.permission]\nread = "auto"\n')
    said = json.loads(run("config", "check", "--json", root=root).stdout)["warnings"]
    for line, key in ((2, "listen"), (4, "durability"), (6, "lock_conflict"), (7, "isolate"),
                      (9, "expose_tools"), (11, "mode"), (12, "taint"), (13, "audit"),
                      (15, "read")):
        equal([(line, key) for w in said if f"trefoil.toml:{line}:" in w and
               f": {key} is ignored" in w], [(line, key)])
    tools = [t["name"] for t in json.loads(run("tools", "--json", root=root).stdout)]
    equal(("file_read" in tools, "file_list" in tools), (True, False))


@case
def a_trefoil_toml_may_restrict(root):
    user_config(root, '[mcp]\nexpose_tools = ["file_read", "file_list"]\n')
    (root / "trefoil.toml").write_text('[store]\ndurability = "power"\n[tasks]\nisolate = true\n'
                                       'lock_conflict = "fail"\n[mcp]\nexpose_tools = ["file_read"]\n')
    equal(json.loads(run("config", "check", "--json", root=root).stdout)["warnings"], [])
    tools = [t["name"] for t in json.loads(run("tools", "--json", root=root).stdout)]
    equal(("file_read" in tools, "file_list" in tools), (True, False))


main()
