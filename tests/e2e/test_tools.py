"""The built-in tools as a client sees them: which are offered, and a few at work."""
import json
import pathlib
import tempfile

from harness import (ALL_TOOLS, AUTO, HTTP_TOOLS, READ_ONLY_TOOLS, Serve, Stdio, alive, case, equal, has,
                     hints, main, run, state_dir, wait_for)

ONLY_LOOK = ["file_read", "file_list", "glob", "grep", "web_fetch", "plan_update", "system_time",
             "list_agents", "get_task_status", "ask_user", "artifact_write"]


def read_write(folder):
    """A configuration of the user's own that allows everything."""
    path = pathlib.Path(folder) / "own.toml"
    path.write_text('[mcp]\nmode = "read-write"\n' + AUTO)
    return str(path)


def listed(t):
    return t.call("tools/list")["result"]["tools"]


def use(t, name, **arguments):
    return t.call("tools/call", {"name": name, "arguments": arguments})["result"]


def text(result):
    return result["content"][0]["text"]


@case
def by_default_nothing_can_be_changed_run_or_reached_over_tcp(root):
    with Serve(root=root) as s:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        equal([x["name"] for x in s.post(body).json()["result"]["tools"]], HTTP_TOOLS)
        for name in set(ALL_TOOLS) - set(READ_ONLY_TOOLS):
            answer = s.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                             "params": {"name": name, "arguments": {"path": "x"}}})
            has(json.dumps(answer.json()), "Unknown tool")


@case
def read_write_offers_all_with_schema_title_and_hints(root):
    with Stdio("--config", read_write(root), root=root) as t:
        t.initialize()
        tools = listed(t)
        equal([x["name"] for x in tools], ALL_TOOLS)
        for tool in tools:
            equal(tool["inputSchema"]["type"], "object")
            equal(bool(tool["title"] and tool["description"]), True)
            equal(hints(tool)["readOnlyHint"], tool["name"] in ONLY_LOOK)
        said = {x["name"]: hints(x) for x in tools}
        equal([n for n in ALL_TOOLS if not said[n]["destructiveHint"]], ["dir_make", "dispatch_agent"])
        equal(said["dir_make"]["idempotentHint"], True)


@case
def a_project_cannot_allow_itself_more(root):
    (root / "trefoil.toml").write_text('[mcp]\nmode = "read-write"\n')
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for words, want in (((), HTTP_TOOLS[:5]), (("--trust",), ALL_TOOLS[:5])):
        with Serve(*words, root=root) as s:
            equal([x["name"] for x in s.post(body).json()["result"]["tools"]][:5], want)
    (root / "trefoil.toml").write_text('[mcp]\nmode = "read-only"\n')
    with Stdio(root=root) as t:
        t.initialize()
        equal([x["name"] for x in listed(t)], READ_ONLY_TOOLS)
    (root / "trefoil.toml").write_text('[mcp]\nmode = "read-write"\n')
    has(run("config", "check", root=root).stdout + run("config", "check", root=root).stderr,
        b"cannot give itself mode read-write")


@case
def files_are_written_edited_and_tested(root):
    with Stdio("--config", read_write(root), root=root) as t:
        t.initialize()
        use(t, "file_write", path="src/sum.sh", content="echo $((1 + 1))\n", parents=True)
        has(text(use(t, "file_edit", path="src/sum.sh", old_text="1 + 1", new_text="2 + 3")),
            "-echo $((1 + 1))\n+echo $((2 + 3))")
        result = use(t, "shell_exec", argv=["sh", "sum.sh"], cwd="src")
        equal(text(result), "5\n[the program exited with code 0]")
        equal(result["structuredContent"]["exitCode"], 0)
        equal(text(use(t, "grep", pattern="echo")), "src/sum.sh:1:echo $((2 + 3))")
        equal(use(t, "file_write", path="../out", content="x")["isError"], True)
        use(t, "memory", action="set", key="a", value="b")
        equal(json.loads((state_dir(root) / "memory.json").read_text()), {"a": "b"})


@case
def leaving_takes_background_processes_along(root):
    with Stdio("--config", read_write(root), root=root) as t:
        t.initialize()
        started = use(t, "process_start", command="echo $$; exec cat", shell=True)
        ident = started["structuredContent"]["id"]
        pid = int(text(use(t, "process_poll", id=ident, wait_ms=30000)).split()[0])
        equal(alive(pid), True)
    wait_for("the process to end", lambda: not alive(pid))


@case
def a_call_from_the_terminal_ends_with_what_it_started(root):
    with tempfile.TemporaryDirectory() as folder:
        done = run("tools", "call", "process_start", '{"command":"echo $$ > pid; exec cat","shell":true}',
                   "--config", read_write(folder), root=root)
        has(done.stdout, b"Started as")
        if (root / "pid").exists() and (root / "pid").read_text().strip():
            pid = int((root / "pid").read_text())
            wait_for("the process to end", lambda: not alive(pid))

main()
