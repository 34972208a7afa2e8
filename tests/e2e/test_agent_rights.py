"""What an agent may use: the tools that its file lists, folders below the root, no call again and
again, and nothing of another task; as its model sees it (model_mock.py)."""
import json
import os

from harness import case, equal, has, main, run
from model_mock import Mock, calls, environment_for, offered, results, says
from task_client import Local, agent
from upstream import FAST, configure, server

MOCK = Mock()


def turn(root, name, *steps, code=0):
    """A turn of an agent whose model does this: its first request, and what it was told at last."""
    env = environment_for(MOCK, "anthropic", root.with_name(root.name + ".home"),
                          '[guard.permission]\nexecute = "auto"\n')
    words = MOCK.play("go on", *steps, says("Done."))
    done = run("run", "--trust", "-a", name, words, root=root, **env)
    equal(done.returncode, code)
    bodies = MOCK.requests(words)
    return bodies[0], results(bodies[-1]["messages"])


# ---- tools ---------------------------------------------------------------------------------------

@case
def an_agent_is_offered_what_its_list_allows(root):
    (root / "a.txt").write_text("text")
    configure(root, server("calc"), server("other"))
    for name, keys, built_in, servers in (
            ("all", "", {"file_read", "file_write", "shell_exec"}, {"mcp_calc_add", "mcp_other_add"}),
            ("none", "tools: []\n", set(), set()),
            ("reader", "tools: [file_read, grep]\n", {"file_read", "grep"}, set()),
            ("foreign", "tools: Read, Grep, Glob\n", {"file_read", "grep", "glob"}, set()),
            ("calculator", 'tools: ["calc:*"]\n', set(), {"mcp_calc_add", "mcp_calc_echo"}),
            ("one", "tools: [mcp_other_add]\n", set(), {"mcp_other_add"}),
            ("less", "disallowed_tools: [shell_exec, mcp_calc_add]\n", {"file_read"}, {"mcp_other_add"})):
        agent(root, name, keys)
        body, told = turn(root, name, calls(("system_time", {}), ("mcp_calc_fail", {}), ("shell_exec", {})))
        names = set(offered(body))
        equal((name, (built_in | servers) - names), (name, set()))
        mcp = {n for n in names if n.startswith("mcp_")}
        if not servers:
            equal((name, mcp), (name, set()))
        if name in ("none", "reader", "foreign", "calculator", "one"):
            equal((name, names - mcp), (name, built_in))
            has(told[0], "unknown tool system_time")
            has(told[2], "unknown tool shell_exec")
        equal((name, "always fails" in told[1]), (name, name in ("all", "calculator", "less")))
    body, _ = turn(root, "less")
    equal({"shell_exec", "mcp_calc_add"} & set(offered(body)), set())


@case
def a_child_is_offered_no_more_than_its_parent(root):
    agent(root, "reader", "tools: [file_read, agent_send]\n")
    agent(root, "writer")
    ask = calls(("agent_send", {"agent": "writer", "message": "write it, child"}))
    write = calls(("file_write", {"path": "made.txt", "content": "x"}))
    MOCK.control("fixtures", {"fixtures": [
        {"match": {"userMessage": "write it, child", "sequenceIndex": 0}, **write},
        {"match": {"userMessage": "write it, child", "sequenceIndex": 1}, **says("I may not.")}]})
    turn(root, "reader", ask)
    equal((root / "made.txt").exists(), False)
    child = MOCK.requests("write it, child")[0]
    equal(set(offered(child)) - {"file_read", "agent_send"}, set())


# ---- folders -------------------------------------------------------------------------------------

@case
def folders_of_an_agent_lie_below_the_root(root):
    (root / "docs").mkdir()
    (root / "out").symlink_to("/etc")
    agent(root, "good", "include_dirs: [docs, ./docs]\n")
    equal(run("config", "check", root=root).returncode, 0)
    for folder in ("../x", "/etc", "out", "docs/../../x", "out/ssl"):
        agent(root, "bad", f"include_dirs: [docs, {folder}]\n")
        checked = run("config", "check", root=root)
        equal(checked.returncode, 2)
        has(checked.stdout.decode(), "agent bad (.trefoil/agents/bad.md:1): skipped")
        done = run("run", "-a", "bad", "/echo x", root=root, TREFOIL_PROVIDER="offline")
        equal((folder, done.returncode, done.stdout), (folder, 2, b""))
        has(done.stderr.decode(), "include_dirs")


@case
def a_folder_that_becomes_a_link_out_of_the_root_is_refused(root):
    (root / "docs").mkdir()
    agent(root, "one", "include_dirs: [docs]\n")
    with Local(root=root) as t:
        equal(t.end(t.dispatch("/echo x", "one"))["status"], "completed")
        (root / "docs").rmdir()
        os.symlink("/etc", root / "docs")
        result = t.result("dispatch_agent", {"agent": "one", "task": "/echo y", "wait": 60})
        text = result["content"][0]["text"]
        has(text, "include_dirs")
        assert result.get("isError") or json.loads(text)["status"] == "failed", text


# ---- repetition ----------------------------------------------------------------------------------

@case
def calls_that_take_turns_without_end_are_stopped(root):
    for name in "abc":
        (root / name).write_text("nothing new\n")
    for names in ("ab", "abc"):
        steps = [calls(("file_read", {"path": name})) for _ in range(9) for name in names]
        _, told = turn(root, "default", *steps, code=4)
        equal(len(told) < len(steps), True)
        has(" ".join(told), "same")


# ---- other tasks ---------------------------------------------------------------------------------

@case
def tasks_know_nothing_of_each_other(root):
    (root / "trefoil.toml").write_text(FAST)
    env = environment_for(MOCK, "anthropic", root.with_name(root.name + ".home"))
    with Local(root=root, **{**env, "TREFOIL_PROVIDER": "anthropic"}) as t:
        parts = {name: MOCK.play(f"remember the {name}", calls(("plan_update", {"entries": [
            {"content": f"keep the {name}", "status": "pending"}]})), says(f"The {name} is kept."))
            for name in ("ant", "bee", "cat")}
        idents = t.dispatch_all(list(parts.values()))
        equal(len({t.end(ident)["session_id"] for ident in idents}), 3)
    for name, words in parts.items():
        text = json.dumps(MOCK.asked(words))
        has(text, f"keep the {name}")
        equal([other for other in parts if other != name and f"the {other}" in text], [])


main()
