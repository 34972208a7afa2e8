"""Tools that end in time: expensive expressions, files that are none, cancelling and stopping."""
import os
import pathlib

from harness import Serve, Stdio, case, equal, has, main, request

POOL = 4  # threads that work for all tools
EXPENSIVE = "(a+)+$"


def own_config(root, text):
    path = pathlib.Path(root) / "own.toml"
    path.write_text(text)
    return str(path)


def endless(root):
    """A configuration and a file with which a search does not end by itself."""
    (root / "big").write_text(("a" * 200000 + "b\n") * 50)
    return own_config(root, "[limits]\ngrep_line_ms = 10000\ngrep_expensive_lines = 100000\n")


def call(ident, name, **arguments):
    return {"jsonrpc": "2.0", "id": ident, "method": "tools/call",
            "params": {"name": name, "arguments": arguments}}


def text(answer):
    return answer["result"]["content"][0]["text"]


@case
def an_expensive_line_is_reported_and_the_search_goes_on(root):
    (root / "big.txt").write_bytes(b"\xff\xfe aaa\n" + b"a" * 200000 + b"b\nat the end: aaa\n")
    with Stdio(root=root) as t:
        t.initialize()
        for ident in range(POOL):
            t.send(call(ident, "grep", pattern=EXPENSIVE))
        t.send(call(POOL, "file_list"))
        answers = {}
        while len(answers) <= POOL:
            answer = t.receive()
            answers[answer["id"]] = text(answer)
        has(answers[POOL], "big.txt")
        for ident in range(POOL):
            has(answers[ident], "big.txt:1:")
            has(answers[ident], "big.txt:3:at the end: aaa")
            has(answers[ident], "[big.txt:2: pattern too expensive")
        equal(text(t.call("tools/call", {"name": "grep", "arguments": {
            "pattern": r"\bend(?=:\s)"}})), "big.txt:3:at the end: aaa")


@case
def a_cancelled_search_gives_its_thread_back(root):
    with Stdio("--config", endless(root), root=root) as t:
        t.initialize()
        for ident in range(1, POOL + 1):
            t.send(call(ident, "grep", pattern=EXPENSIVE))
        for ident in range(1, POOL + 1):
            t.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": ident}})
        t.send(call(9, "file_list"))
        answer = t.receive()
        equal(answer["id"], 9)
        has(text(answer), "big")


@case
def a_search_ends_at_its_deadline(root):
    config = endless(root)
    with open(config, "a") as f:
        f.write("tool_ms = 100\n")
    with Stdio("--config", config, root=root) as t:
        t.initialize()
        for ident in range(1, POOL + 1):
            t.send(call(ident, "grep", pattern=EXPENSIVE))
        for _ in range(POOL):
            has(text(t.receive()), "tool_ms")
        has(text(t.call("tools/call", {"name": "grep", "arguments": {
            "pattern": "tool_ms", "literal": True}})), "own.toml:4:tool_ms")


@case
def a_daemon_stops_while_searches_run(root):
    with Serve("--config", endless(root), root=root) as s:
        body = (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
                b'{"name":"grep","arguments":{"pattern":"(a+)+$"}}}')
        clients = [s.connect() for _ in range(POOL)]
        for c in clients:
            c.sendall(request("POST", "/mcp", body, content_type="application/json"))
        equal(s.request("GET", "/health").status, 200)
        s.leave()
        equal(s.process.wait(50), 0)
        for c in clients:
            c.close()


def odd_files(root):
    """Name and what opening or reading it without care would do."""
    os.mkfifo(root / "fifo")  # waits for a writer
    os.symlink("fifo", root / "link")
    os.symlink("/dev/zero", root / "zero")  # has no end, and is outside
    try:
        os.mknod(root / "tty", 0o020666, os.makedev(5, 0))
    except PermissionError:  # only root makes devices
        return ["fifo", "link", "zero"]
    return ["fifo", "link", "zero", "tty"]


@case
def no_tool_waits_for_a_fifo_or_a_device(root):
    names = odd_files(root)
    (root / "plain").write_text("plain\n")
    with Stdio("--config", own_config(root, '[mcp]\nmode = "read-write"\n'), root=root) as t:
        t.initialize()
        for name in names:
            for answer in [
                    t.call("tools/call", {"name": "file_read", "arguments": {"path": name}}),
                    t.call("tools/call", {"name": "grep", "arguments": {"path": name, "pattern": "p"}}),
                    t.call("tools/call", {"name": "file_write", "arguments": {
                        "path": name, "content": "x"}}),
                    t.call("tools/call", {"name": "file_edit", "arguments": {
                        "path": name, "old_text": "x", "new_text": "y"}})]:
                equal(answer["result"]["isError"], True)
        for tool, arguments in [("grep", {"pattern": "p", "files": "{plain,fifo,link,zero,tty}"}),
                                ("glob", {"pattern": "*"}), ("file_list", {})]:
            has(text(t.call("tools/call", {"name": tool, "arguments": arguments})), "plain")


main()
