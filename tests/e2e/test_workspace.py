"""A whole trefoil whose files another program holds (tests/workspace), through every face."""
import json
import pathlib

from harness import Serve, Stdio, case, equal, has, main, run

BUFFER = "unsaved one\nunsaved two\nunsaved three\n"


def read_write(root):
    """A configuration of the user's own that lets clients write and run commands."""
    path = pathlib.Path(f"{root}.own.toml")
    path.write_text('[mcp]\nmode = "read-write"\n[guard.permission]\nexecute = "auto"\n')
    return str(path)


def check_client(root, use):
    """What a client sees; use(name, **arguments) calls a tool and returns its result."""
    (root / "buffer.txt").write_text("saved\n")
    equal(use("file_read", path="buffer.txt")["content"][0]["text"], BUFFER)
    has(use("file_edit", path="buffer.txt", old_text="two", new_text="2")["content"][0]["text"],
        "+unsaved 2")
    equal(use("file_read", path="buffer.txt", line=2, lines=1)["content"][0]["text"], "unsaved 2\n")
    has(use("file_edit", path="moving.txt", old_text="here", new_text="x")["content"][0]["text"],
        "was changed by another program")
    broken = use("file_read", path="broken.txt")
    equal(broken["isError"], True)
    has(broken["content"][0]["text"], "closed the connection")
    equal(use("file_write", path=".trefoil/x", content="")["isError"], True)
    equal(use("file_read", path="../secret")["isError"], True)
    equal((root / "buffer.txt").read_text(), "saved\n")
    check_terminals(use)


def check_terminals(use):
    """Commands that exist in no terminal of this machine."""
    said = use("shell_exec", argv=["say", "hello"])
    equal(said["content"][0]["text"], "hello\n[the program exited with code 3]")
    equal(said["structuredContent"]["exitCode"], 3)
    flood = use("shell_exec", argv=["flood"])["content"][0]["text"]
    has(flood, "bytes omitted]\n\u00e9")
    equal("\ufffd" in flood or len(flood) > 60000, False)
    has(use("shell_exec", argv=["slow"], timeout_ms=5)["content"][0]["text"], "begun\n[the program took")
    broken = use("shell_exec", argv=["broken"])
    equal(broken["isError"], True)
    has(broken["content"][0]["text"], "no terminals left")
    equal(use("shell_exec", argv=["say", "x"], cwd="..")["isError"], True)
    process = use("process_start", argv=["slow"])["structuredContent"]["id"]
    has(use("process_poll", id=process, wait_ms=1000)["content"][0]["text"], "begun")
    equal(use("process_kill", id=process)["structuredContent"]["signal"], 9)


@case
def mcp_on_stdio_works_on_the_buffers(root):
    with Stdio("--config", read_write(root), root=root) as t:
        t.initialize()
        check_client(root, lambda name, **arguments: t.call(
            "tools/call", {"name": name, "arguments": arguments})["result"])


@case
def mcp_over_http_works_on_the_buffers(root):
    with Serve("--config", read_write(root), root=root) as s:
        check_client(root, lambda name, **arguments: s.post(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {"name": name, "arguments": arguments}},
            mcp_protocol_version="2025-06-18").json()["result"])


@case
def a_slow_file_can_be_cancelled_and_the_connection_goes_on(root):
    with Stdio("--config", read_write(root), root=root) as t:
        t.initialize()
        t.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                "params": {"name": "file_read", "arguments": {"path": "slow.txt"}}})
        t.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
        answer = t.call("tools/call", {"name": "file_read", "arguments": {"path": "buffer.txt"}}, 8)
        equal(answer["id"], 8)
        equal(answer["result"]["content"][0]["text"], BUFFER)


@case
def a_slow_command_can_be_cancelled(root):
    with Stdio("--config", read_write(root), root=root) as t:
        t.initialize()
        for number, command in enumerate(("slow", "late"), 20):
            t.send({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                    "params": {"name": "shell_exec", "arguments": {"argv": [command]}}})
            t.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": number}})
        answer = t.call("tools/call", {"name": "shell_exec", "arguments": {"argv": ["say", "x"]}}, 8)
        has(answer["result"]["content"][0]["text"], "x\n[the program exited")


@case
def commands_need_approval_as_on_this_machine(root):
    with Stdio(root=root) as t:
        t.initialize()
        answer = t.call("tools/call", {"name": "shell_exec", "arguments": {"argv": ["say", "x"]}}, 8)
        has(answer["result"]["content"][0]["text"], "needs approval")


@case
def an_agent_reads_and_edits_the_buffers(root):
    (root / "buffer.txt").write_text("saved\n")
    for name, arguments, want in (
            ("file_read", {"path": "buffer.txt"}, b"unsaved two"),
            ("file_edit", {"path": "buffer.txt", "old_text": "two", "new_text": "2"}, b"+unsaved 2"),
            ("file_read", {"path": "broken.txt"}, b"closed the connection")):
        done = run("run", f"/call {name} {json.dumps(arguments)}", root=root,
                   TREFOIL_PROVIDER="offline")
        has(done.stdout, want)
    equal((root / "buffer.txt").read_text(), "saved\n")


main()
