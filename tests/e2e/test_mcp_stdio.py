"""`trefoil mcp --scope tools` as a client on pipes sees it."""
import json
import os
import signal

from harness import ALL_WITH_A2A, Stdio, alive, case, equal, has, main, run, wait_for

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@case
def every_version_is_agreed_to_and_an_unknown_one_gets_the_newest(root):
    for version in VERSIONS:
        with Stdio(root=root) as t:
            equal(t.initialize(version)["protocolVersion"], version)
    with Stdio(root=root) as t:
        equal(t.initialize("2031-01-01")["protocolVersion"], VERSIONS[-1])


@case
def the_tools_are_listed_and_called(root):
    (root / "hello.txt").write_text("one\ntwo\nthree\n")
    with Stdio(root=root) as t:
        t.initialize()
        tools = t.call("tools/list")["result"]["tools"]
        equal([x["name"] for x in tools], ALL_WITH_A2A)
        answer = t.call("tools/call", {"name": "file_read", "arguments": {"path": "hello.txt"}})
        equal(answer["result"]["content"], [{"type": "text", "text": "one\ntwo\nthree\n"}])
        answer = t.call("tools/call", {"name": "system_time"})
        has(answer["result"]["structuredContent"]["utc"], "T")
        equal(json.loads(answer["result"]["content"][0]["text"]),
              answer["result"]["structuredContent"])


@case
def content_length_framing_is_answered_in_kind(root):
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    with Stdio(root=root) as t:
        t.send(b"content-length : %d\r\n\r\n%s" % (len(body), body))
        equal(t.process.stdout.readline(), b"Content-Length: 36\r\n")
        equal(t.process.stdout.readline(), b"\r\n")
        equal(t.process.stdout.read(36), b'{"jsonrpc":"2.0","id":1,"result":{}}')
        t.send(body + b"\n")
        equal(t.receive(), {"jsonrpc": "2.0", "id": 1, "result": {}})


@case
def framing_can_be_forced(root):
    with Stdio("--framing", "header", root=root) as t:
        t.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        has(t.process.stdout.readline(), b"Content-Length")
    equal(run("mcp", "--scope", "tools", "--framing", "x", root=root).returncode, 2)


@case
def an_oversized_message_is_refused_and_the_connection_goes_on(root):
    big = b"x" * (10 * 1024 * 1024)
    with Stdio(root=root) as t:
        t.send(b'{"jsonrpc":"2.0","id":77,"method":"ping","params":{"a":"' + big + b'"}}\n')
        answer = t.receive()
        equal(answer["id"], 77)
        equal(answer["error"]["code"], -32600)
        has(answer["error"]["message"], "larger than 10485760 bytes")
        equal(t.call("ping", ident=2)["result"], {})
        t.send(b"Content-Length: 10485761\r\n\r\n" + big + b"x")
        length = int(t.process.stdout.readline().split()[1])
        t.process.stdout.readline()
        has(t.process.stdout.read(length), b"larger than")


@case
def bad_input_gets_its_error_and_nothing_ends(root):
    deep = b"[" * 200 + b"]" * 200
    with Stdio(root=root) as t:
        for bytes_in, code in ((b'{"jsonrpc":"2.0","id":1,"meth\n', -32700),
                               (b"\x00\xff\xfe binary junk\x01\n", -32700),
                               (b'{"jsonrpc":"2.0","id":1,"method":"a\xffb"}\n', -32700),
                               (deep + b"\n", -32600),
                               (b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n', -32600),
                               (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}\n', -32602),
                               (b'{"jsonrpc":"2.0","id":1,"method":"nope"}\n', -32601),
                               (b'[{"jsonrpc":"2.0","id":1}]\n', None)):
            t.send(bytes_in)
            answer = t.receive()
            if code:
                equal(answer["error"]["code"], code)
        equal(t.call("ping", ident="after")["id"], "after")


@case
def wrong_arguments_and_files_are_results_the_model_can_read(root):
    (root / "binary").write_bytes(b"a\x00\xff")
    (root / "folder").mkdir()
    os.symlink("/etc/passwd", root / "out")
    os.mkfifo(root / "fifo")
    with Stdio(root=root) as t:
        t.initialize()
        for arguments, text in (({}, "missing required key \"path\" (a string)"),
                                ({"path": 5}, "params.arguments.path: expected a string"),
                                ({"path": "a", "more": 1}, "unknown key"),
                                ({"path": "a", "line": 0}, "out of range"),
                                ({"path": "none"}, "No such file"),
                                ({"path": "folder"}, "is a folder"),
                                ({"path": "fifo"}, "is not a regular file"),
                                ({"path": "binary"}, "is not UTF-8 text"),
                                ({"path": "out"}, "is outside the root"),
                                ({"path": "../x"}, "is outside the root"),
                                ({"path": "/etc/passwd"}, "is outside the root"),
                                ({"path": "/proc/self/environ"}, "is outside the root")):
            result = t.call("tools/call", {"name": "file_read", "arguments": arguments})["result"]
            equal(result["isError"], True)
            has(result["content"][0]["text"], text)
        equal(t.call("tools/call", {"name": "none"})["error"]["code"], -32602)


@case
def some_lines_of_a_file_and_a_long_one_that_is_cut(root):
    (root / "lines").write_text("".join(f"{n}\n" for n in range(1, 101)))
    (root / "long").write_text("é" * 60000)
    with Stdio(root=root) as t:
        answer = t.call("tools/call", {"name": "file_read",
                                       "arguments": {"path": "lines", "line": 99, "lines": 5}})
        equal(answer["result"]["content"][0]["text"], "99\n100\n")
        answer = t.call("tools/call", {"name": "file_read",
                                       "arguments": {"path": str(root / "long")}})
        text = answer["result"]["content"][0]["text"]
        equal(text, "é" * 50000 + "\n[truncated: 10000 more characters]")


@case
def answers_under_way_are_written_after_stdin_ends(root):
    (root / "f").write_text("x" * 1000)
    lines = b"".join(b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"file_read",'
                     b'"arguments":{"path":"f"}}}\n' % n for n in range(200))
    done = run("mcp", "--scope", "tools", root=root, stdin=lines)
    equal(done.returncode, 0)
    ids = sorted(json.loads(line)["id"] for line in done.stdout.splitlines())
    equal(ids, list(range(200)))


@case
def a_last_line_without_newline_counts(root):
    done = run("mcp", "--scope", "tools", root=root,
               stdin=b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    equal(done.stdout, b'{"jsonrpc":"2.0","id":1,"result":{}}\n')


@case
def stdin_may_be_a_file_or_nothing(root):
    (root / "in").write_bytes(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 30000)
    with open(root / "in", "rb") as f, Stdio(root=root, stdin=f) as t:
        equal(t.process.stdout.read(), b'{"jsonrpc":"2.0","id":1,"result":{}}\n' * 30000)
    with open(os.devnull, "rb") as f, Stdio(root=root, stdin=f) as t:
        equal(t.process.stdout.read(), b"")


@case
def a_client_that_does_not_read_is_not_served_without_end(root):
    """It sends without reading: we stop reading too, and all is answered once it reads."""
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"%s"}}\n' % (b"x" * 900)
    with Stdio(root=root) as t:
        pipe = t.process.stdin.fileno()
        os.set_blocking(pipe, False)
        sent = refused = 0

        def stays_full():
            nonlocal sent, refused
            try:
                sent += os.write(pipe, (ping * 64)[sent % len(ping):])
                refused = 0
            except BlockingIOError:
                refused += 1
            return refused > 100

        wait_for("back-pressure", stays_full)
        if sent > 64 << 20:
            raise AssertionError(f"took {sent} bytes without being read from")
        for _ in range(sent // len(ping)):
            t.receive()
        os.set_blocking(pipe, True)
        os.write(pipe, ping[sent % len(ping):])
        t.receive()


@case
def a_reader_that_left_ends_us_quietly(root):
    t = Stdio(root=root)
    t.initialize()
    t.process.stdout.close()
    t.expect = 1
    with t:
        t.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        wait_for("the end", lambda: t.process.poll() is not None)


@case
def signals_end_it_in_good_order(root):
    for signum in (signal.SIGTERM, signal.SIGINT):
        with Stdio(root=root) as t:
            t.initialize()
            t.process.send_signal(signum)
            wait_for("the end", lambda: t.process.poll() is not None)
            equal(t.process.returncode, 0)


@case
def stderr_that_nobody_reads_does_not_stop_it(root):
    with Stdio("--log-level", "trace", root=root) as t:
        for n in range(20000):
            t.send(b'{"jsonrpc":"2.0","id":%d,"result":1}\n' % n)
        equal(t.call("ping")["result"], {})


@case
def stdout_is_the_protocols_alone(root):
    done = run("mcp", "--scope", "tools", root=root, stdin=b"junk\n")
    for line in done.stdout.splitlines():
        json.loads(line)
    equal(done.stderr, b"")


@case
def a_scope_that_is_none_is_refused(root):
    done = run("mcp", "--scope", "everything", root=root)
    equal(done.returncode, 2)
    has(done.stderr, b"expected agents, tools or all")
    equal(done.stdout, b"")


@case
def the_terminal_it_shares_keeps_its_mode(root):
    """Our non-blocking mode must not leak into a description that others hold."""
    read, write = os.pipe()
    os.write(write, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    with Stdio(root=root, stdin=read) as t:
        t.receive()
        equal(os.get_blocking(read), True)
        os.close(write)
        wait_for("the end", lambda: not alive(t.pid))
    os.close(read)


main()
