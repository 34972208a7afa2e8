"""Using MCP servers: the real binary between a client and servers that misbehave."""
import json
import os
import pathlib
import signal
import threading

from harness import NOWHERE, Process, Serve, alive, case, equal, has, main, run, wait_for
from upstream import (Gateway, HttpServer, StdioGateway, command, configure, remote, server,
                      text_of)


def in_background(function, *args, **kwargs):
    """Run it in a thread; result() waits for what it returned, or the error it ended with."""
    result = []

    def work():
        try:
            result.append(function(*args, **kwargs))
        except (OSError, ValueError) as e:  # the other end left
            result.append(e)
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.result = lambda: (thread.join(), result[0])[1]
    return thread


def calls_seen(gate, prefix, tool):
    messages = json.loads(gate.text(f"{prefix}_seen"))
    return [m for m in messages if m.get("method") == "tools/call" and m["params"]["name"] == tool]


@case
def tools_of_all_servers_are_listed_beside_the_built_in_ones(root):
    configure(root, server("a"), server("My-Server", "modern"), server("dead", "die-in-handshake"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "My-Server")
        tools = gate.tools()
        for name in ("file_read", "system_time", "mcp_a_add", "mcp_my_server_add"):
            has(tools, name)
        equal(len(tools), len(set(tools)))
        equal(gate.text("mcp_a_add", a=1, b=2), "3")
        equal(gate.text("mcp_my_server_add", a=3, b=4), "7")


@case
def the_first_list_waits_for_servers_that_are_being_connected(root):
    configure(root, server("a"), server("dead", "die-in-handshake"))
    with StdioGateway(root=root) as gate:
        gate.initialize()
        has([t["name"] for t in gate.ask("tools/list", ident=2)["result"]["tools"]], "mcp_a_add")


@case
def the_api_tells_what_is_configured_and_connected(root):
    configure(root, server("a", env='{ TOKEN = "hush hush" }', timeout_secs=7),
              server("dead", "die-in-handshake"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        wait_for("a failure", lambda: "last_error" in gate.configured("dead"))
        body = gate.request("GET", "/api/mcp/servers").body
        a, dead = json.loads(body)["configured"]
        equal([a["name"], a["timeout_secs"], a["env"], a["transport"]["type"], a["trusted"]],
              ["a", 7, ["TOKEN"], "stdio", True])
        has(a["origin"], "trefoil.toml")
        assert b"hush" not in body
        has(dead["last_error"], "exited with code 3")
        wait_for("last words", lambda: gate.configured("dead")["stderr_tail"][-1:]
                 == ["bad_server: last words, line three"])
        connected, = [s for s in json.loads(body)["connected"]]
        equal([connected["name"], connected["connected"], connected["tools_count"]],
              ["a", True, len(connected["tools"])])
        has(connected["tools"], {"name": "mcp_a_echo", "description": "[MCP:a] Return the text."})
        equal([connected["era"], connected["version"]], ["legacy", "2025-11-25"])
        assert connected["rss_kb"] > 1000, connected


@case
def the_servers_are_a_resource_that_can_be_followed(root):
    configure(root, server("a"))
    with StdioGateway(root=root) as gate:
        offered = gate.initialize("2024-11-05")["capabilities"]
        equal([offered["tools"], offered["resources"]],
              [{"listChanged": True}, {"listChanged": True, "subscribe": True}])
        listed, = gate.ask("resources/list")["result"]["resources"]
        equal([listed["uri"], listed["mimeType"]], ["trefoil://servers", "application/json"])
        gate.wait_tool("mcp_a_add_tool")
        gate.ask("resources/subscribe", {"uri": "trefoil://servers"})
        gate.ask("tools/call", {"name": "mcp_a_add_tool"})
        equal(gate.note("notifications/resources/updated")["params"],
              {"uri": "trefoil://servers"})
        content, = gate.ask("resources/read", {"uri": "trefoil://servers"})["result"]["contents"]
        equal(json.loads(content["text"])["connected"][0]["name"], "a")


@case
def the_number_of_tools_is_logged_when_all_were_tried(root):
    configure(root, server("a", allowed_tools='["echo", "add"]'),
              server("dead", "die-in-handshake"))
    with Gateway("--log-level", "info", root=root) as gate:
        line = ""
        while "MCP servers have been connected" not in line:
            line = gate.process.stderr.readline().decode()
        has(line, "servers=2 ready=1 tools=2")


@case
def without_servers_the_lists_are_empty(root):
    with Gateway(root=root) as gate:
        equal(gate.servers(), {"configured": [], "connected": []})


@case
def values_cross_byte_for_byte(root):
    configure(root, server("a"), server("lone", "lone-surrogate"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "lone")
        big = 123456789012345678901234567890
        answer = gate.call("mcp_a_add", a=big, b=0)["result"]
        equal(answer["structuredContent"], {"sum": big})
        equal(gate.text("mcp_a_echo", text="half \ud800 of a pair, and \u0000"),
              "half \ud800 of a pair, and \u0000")
        raw = gate.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                         "params": {"name": "mcp_lone_echo", "arguments": {}}})
        has(raw.body, b"cut \\ud800 here")


@case
def failures_and_errors_of_a_tool_are_its_own(root):
    configure(root, server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        answer = gate.call("mcp_a_fail")["result"]
        equal([answer["isError"], answer["content"][0]["text"]], [True, "this tool always fails"])
        equal(gate.call("mcp_a_reject")["error"],
              {"code": -32011, "message": "this call is refused", "data": {"why": "always"}})


@case
def allowed_tools_has_three_states(root):
    configure(root, server("all"), server("none", allowed_tools="[]"),
              server("some", allowed_tools='["echo", "add"]'))
    with Gateway(root=root) as gate:
        gate.wait_ready("all", "none", "some")
        tools = gate.tools()
        assert len([t for t in tools if t.startswith("mcp_all_")]) > 10
        equal([t for t in tools if t.startswith("mcp_none_")], [])
        equal([t for t in tools if t.startswith("mcp_some_")], ["mcp_some_echo", "mcp_some_add"])
        has(text_of(gate.call("mcp_some_env")), "mcp_some_env")
        equal(calls_seen(gate, "mcp_all", "env"), [])


@case
def private_tools_are_not_offered(root):
    configure(root, server("a"),
              head='[mcp]\nprivate_tools = ["mcp_a_crash", "a:env", "file_read"]\n')
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        tools = gate.tools()
        has(tools, "mcp_a_echo")
        for name in ("mcp_a_crash", "mcp_a_env", "file_read"):
            assert name not in tools, tools
            assert "error" in gate.call(name) or gate.call(name)["result"]["isError"]


@case
def five_calls_to_one_server_overlap_and_delay_no_other(root):
    configure(root, server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        threads = [in_background(gate.text, "mcp_a_slow", seconds=50) for _ in range(5)]
        wait_for("five open calls", lambda: len(calls_seen(gate, "mcp_a", "slow")) == 5)
        assert all(t.is_alive() for t in threads)
        equal(gate.text("mcp_a_echo", text="in between"), "in between")
        gate.process.send_signal(signal.SIGTERM)  # twice: nobody waits for them
        wait_for("the drain", lambda: gate.process.poll() is not None or
                 gate.process.send_signal(signal.SIGTERM))


@case
def more_calls_than_allowed_wait_for_their_turn(root):
    configure(root, server("a", concurrency=2))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        threads = [in_background(gate.text, "mcp_a_slow", seconds=0.3) for _ in range(5)]
        wait_for("a queue", lambda: gate.connected("a")["calls_waiting"] == 3)
        equal(gate.connected("a")["calls_running"], 2)
        equal([t.result() for t in threads], ["slept"] * 5)


@case
def progress_crosses(root):
    configure(root, server("a"))
    with StdioGateway(root=root) as gate:
        gate.initialize()
        gate.wait_tool("mcp_a_progress")
        gate.ask("tools/call", {"name": "mcp_a_progress", "arguments": {"n": 3},
                                "_meta": {"progressToken": "mine"}})
        told = [n["params"] for n in gate.notes if n["method"] == "notifications/progress"]
        equal([(p["progressToken"], p["progress"], p["total"]) for p in told],
              [("mine", 1, 3), ("mine", 2, 3), ("mine", 3, 3)])


@case
def a_cancel_crosses(root):
    configure(root, server("a"))
    with StdioGateway(root=root) as gate:
        gate.initialize()
        gate.wait_tool("mcp_a_slow")
        gate.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call",
                   "params": {"name": "mcp_a_slow", "arguments": {"seconds": 50}}})

        def seen(method):
            text = text_of(gate.ask("tools/call", {"name": "mcp_a_seen", "arguments": {}}, "seen"))
            return [m for m in json.loads(text) if m["method"] == method]
        wait_for("the call", lambda: [m for m in seen("tools/call")
                                      if m["params"]["name"] == "slow"])
        call = [m for m in seen("tools/call") if m["params"]["name"] == "slow"][0]
        gate.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                   "params": {"requestId": "long"}})
        told = wait_for("the cancel", lambda: seen("notifications/cancelled"))
        equal(told[0]["params"]["requestId"], call["id"])


@case
def a_client_that_hangs_up_cancels_too(root):
    configure(root, server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "mcp_a_slow", "arguments": {"seconds": 50}}}).encode()
        with gate.connect() as s:
            s.sendall(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n"
                      b"content-type: application/json\r\n"
                      b"content-length: %d\r\n\r\n%s" % (len(body), body))
            wait_for("the call", lambda: gate.connected("a")["calls_running"] == 1)
        wait_for("its end", lambda: gate.connected("a")["calls_running"] == 0)


@case
def a_new_tool_is_told_and_usable(root):
    configure(root, server("a"))
    with StdioGateway(root=root) as gate:
        gate.initialize()
        gate.wait_tool("mcp_a_add_tool")
        gate.notes.clear()
        gate.ask("tools/call", {"name": "mcp_a_add_tool", "arguments": {"name": "fresh"}})
        gate.note("notifications/tools/list_changed")
        gate.wait_tool("mcp_a_fresh")
        equal(text_of(gate.ask("tools/call", {"name": "mcp_a_fresh",
                                              "arguments": {"text": "works"}})), "works")


@case
def a_server_killed_in_mid_call_is_told_and_comes_back(root):
    configure(root, server("a"), server("b"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "b")
        call = in_background(gate.call, "mcp_a_slow", seconds=50)
        wait_for("the call", lambda: gate.connected("a")["calls_running"] == 1)
        os.kill(gate.connected("a")["pid"], signal.SIGKILL)
        answer = call.result()
        has(text_of(answer), "killed by signal 9")
        equal(gate.text("mcp_b_echo", text="b is well"), "b is well")
        has(gate.tools(), "mcp_a_echo")
        equal(gate.text("mcp_a_echo", text="back again"), "back again")
        equal(gate.configured("a")["restarts"], 1)


@case
def a_server_that_crashes_on_every_call_is_left_alone_after_a_while(root):
    configure(root, server("a"), head="[limits]\nmcp_retry_min_ms = 10\nmcp_failures = 2\n")
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        gate.call("mcp_a_crash")
        gate.call("mcp_a_crash")
        wait_for("the circuit", lambda: gate.configured("a")["state"] == "broken")
        has(gate.text("mcp_a_echo", text="x"), "next retry in")
        has(gate.tools(), "mcp_a_echo")


@case
def an_answer_that_is_too_large_is_refused_and_the_server_goes_on(root):
    configure(root, server("huge", "huge"), server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("huge", "a")
        answer = gate.call("mcp_huge_echo", text="x")
        assert "error" in answer or answer["result"]["isError"], str(answer)[:300]
        has(text_of(answer), "limits.message_bytes")
        has(gate.text("mcp_a_big", bytes=5 << 20), "[truncated: 5192880 more characters]")


@case
def an_unused_server_is_stopped_and_started_by_a_call(root):
    configure(root, server("a", idle_stop_secs=1))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        pid = gate.connected("a")["pid"]
        wait_for("its stop", lambda: gate.configured("a")["state"] == "stopped")
        assert not alive(pid)
        has(gate.tools(), "mcp_a_echo")
        equal(gate.text("mcp_a_echo", text="awake"), "awake")


@case
def killing_trefoil_leaves_no_child(root):
    configure(root, server("a"), server("stays", "ignore-eof"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "stays")
        pids = [gate.connected(name)["pid"] for name in ("a", "stays")]
        gate.process.kill()
        gate.expect = -signal.SIGKILL
        gate.process.wait()
        for pid in pids:
            wait_for(f"the end of {pid}", lambda p=pid: not alive(p))


@case
def leaving_takes_all_servers_along(root):
    configure(root, server("a"), server("stays", "ignore-eof"),
              head="[limits]\nchild_polite_ms = 50\nchild_term_ms = 50\n")
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "stays")
        pids = [gate.connected(name)["pid"] for name in ("a", "stays")]
    for pid in pids:
        assert not alive(pid), pid


@case
def a_child_sees_the_base_set_and_what_is_listed(root):
    configure(root, server("a", env='{ GIVEN = "by config" }'),
              command("b", *json.loads(server("x").split("command = ")[1]), env='["WANTED"]'),
              server("strict", env_base='"strict"'))
    with Gateway(root=root, WANTED="yes", SECRET_TOKEN="hush", LC_ALL="C") as gate:
        gate.wait_ready("a", "b", "strict")
        a, b, strict = (json.loads(gate.text(f"mcp_{n}_env")) for n in ("a", "b", "strict"))
        equal([a.get("GIVEN"), a.get("WANTED"), a.get("SECRET_TOKEN")], ["by config", None, None])
        equal([b.get("GIVEN"), b.get("WANTED"), b.get("SECRET_TOKEN")], [None, "yes", None])
        equal([a["HOME"], a["LC_ALL"]], [NOWHERE, "C"])
        has(strict, "PATH")
        assert "HOME" not in strict, strict


@case
def children_get_the_descriptor_limit_that_we_were_started_with(root):
    configure(root, server("a"))
    with Gateway(root=root, descriptors="300:4000") as gate:
        gate.wait_ready("a")
        pid = gate.connected("a")["pid"]  # of the sandbox's init, if there is one: the server is its child
        inside = next((p.parent.name for p in pathlib.Path("/proc").glob("[0-9]*/stat")
                       if p.read_text().rpartition(")")[2].split()[1] == str(pid)), pid)
        text = pathlib.Path(f"/proc/{inside}/limits").read_text()
        line, = [x for x in text.splitlines() if x.startswith("Max open files")]
        equal(line.split()[3], "300")
        has(pathlib.Path(f"/proc/{gate.pid}/limits").read_text().split("Max open files")[1],
            "4000")


@case
def a_changed_configuration_is_taken_over_and_the_rest_keeps_running(root):
    configure(root, server("a"), server("b"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "b")
        a, b = gate.connected("a")["pid"], gate.connected("b")["pid"]
        configure(root, server("a"), server("c"))
        gate.process.send_signal(signal.SIGHUP)
        gate.wait_ready("c")
        equal(gate.connected("a")["pid"], a)
        equal(gate.connected("b"), None)
        wait_for("the end of b", lambda: not alive(b))
        configure(root, server("a", allowed_tools='["echo"]'), server("c"))  # noticed unasked
        wait_for("a new a", lambda: (gate.connected("a") or {}).get("tools_count") == 1)
        assert gate.connected("a")["pid"] != a


@case
def a_broken_configuration_changes_nothing(root):
    configure(root, server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        pid = gate.connected("a")["pid"]
        (root / "trefoil.toml").write_text("[[mcp.servers]]\nnam = 1\n")
        gate.process.send_signal(signal.SIGHUP)
        has(gate.process.stderr.readline().decode() + gate.process.stderr.readline().decode(),
            "stays in use")
        equal(gate.connected("a")["pid"], pid)
        equal(gate.text("mcp_a_echo", text="still"), "still")


@case
def a_project_that_is_not_trusted_starts_nothing(root):
    configure(root, server("a"))
    with Serve(root=root) as plain:
        body = plain.request("GET", "/api/mcp/servers").json()
        equal([body["configured"][0]["state"], body["configured"][0]["trusted"]],
              ["untrusted", False])
        equal(body["connected"], [])


@case
def a_server_behind_a_url_is_used_like_any_other(root):
    with HttpServer() as url:
        configure(root, remote("web", f"{url}/mcp"), remote("new", f"{url}/modern"),
                  remote("old", f"{url}/sse", type='"sse"'),
                  remote("gone", "http://127.0.0.1:1/mcp"))
        with Gateway(root=root) as gate:
            gate.wait_ready("web", "new", "old")
            for name in ("web", "new", "old"):
                equal(gate.text(f"mcp_{name}_add", a=20, b=3), "23")
            wait_for("a failure", lambda: "last_error" in gate.configured("gone"))
            equal([gate.connected(n)["era"] for n in ("web", "new", "old")],
                  ["legacy", "modern", "legacy"])
            equal(gate.configured("web")["transport"]["url"], f"{url}/mcp")


@case
def leaving_says_goodbye_also_to_a_server_that_is_gone(root):
    web = HttpServer()
    with web as url:
        configure(root, remote("web", f"{url}/mcp"))
        with Gateway(root=root) as gate:
            gate.wait_ready("web")
            equal(gate.text("mcp_web_echo", text="x"), "x")
            web.process.kill()  # the stream of its news is to be opened again, later
            web.process.wait()
            has(gate.text("mcp_web_echo", text="x"), "refused")


# ---- verbs

@case
def servers_lists_and_tests(root):
    configure(root, server("a"), server("dead", "die-in-handshake"))
    listed = run("servers", "--trust", root=root)
    equal(listed.returncode, 1)
    lines = listed.stdout.decode().splitlines()
    equal(lines[1].split()[:4], ["a", "ready", "legacy", "2025-11-25"])
    assert int(lines[1].split()[4]) > 10, lines[1]
    has(listed.stdout, b"exited with code 3")
    as_json = json.loads(run("servers", "list", "--trust", "--json", root=root).stdout)
    equal([s["name"] for s in as_json["configured"]], ["a", "dead"])
    good = run("servers", "test", "a", "--trust", root=root)
    equal(good.returncode, 0)
    has(good.stdout, b"mcp_a_echo")
    bad = run("servers", "test", "dead", "--trust", root=root)
    equal(bad.returncode, 1)
    has(bad.stdout, b"stderr: bad_server: last words, line two")
    equal(run("servers", "test", "nobody", "--trust", root=root).returncode, 2)


@case
def tools_lists_and_calls(root):
    configure(root, server("a"), server("dead", "die-in-handshake"))
    listed = run("tools", "--trust", root=root)
    equal(listed.returncode, 0)
    names = [line.split()[0] for line in listed.stdout.decode().splitlines()]
    has(names, "file_read")
    has(names, "mcp_a_add")
    has(listed.stderr, b"server dead exited with code 3")
    full = json.loads(run("tools", "--trust", "--json", root=root).stdout)
    equal([t["inputSchema"]["type"] for t in full if t["name"] == "mcp_a_add"], ["object"])
    good = run("tools", "call", "mcp_a_add", '{"a": 1, "b": 41}', "--trust", root=root)
    equal([good.returncode, good.stdout, good.stderr], [0, b"42\n", b""])
    piped = run("tools", "call", "a:echo", "-", "--trust", "--json", root=root,
                stdin=b'{"text": "piped"}')
    equal(json.loads(piped.stdout)["content"], [{"type": "text", "text": "piped"}])
    equal(run("tools", "call", "mcp_a_fail", "--trust", root=root).returncode, 1)
    wrong = run("tools", "call", "nothing", "--trust", root=root)
    equal(wrong.returncode, 2)
    has(wrong.stderr, b"unknown tool nothing; list all tools with: trefoil tools")
    for word in ("add", "mcp_a_ad", "MCP_A_ADD"):
        has(run("tools", "call", word, "--trust", root=root).stderr,
            f'unknown tool {word}; did you mean "mcp_a_add"?'.encode())
    equal(run("tools", "call", "mcp_a_add", "[1]", "--trust", root=root).returncode, 2)
    has(run("tools", "call", "system_time", root=root).stdout, b"unixMs")


@case
def a_private_tool_cannot_be_called_from_a_terminal_either(root):
    configure(root, server("a"), head='[mcp]\nprivate_tools = ["a:add"]\n')
    for name in ("mcp_a_add", "a:add"):
        done = run("tools", "call", name, '{"a": 2, "b": 5}', "--trust", root=root)
        equal([done.returncode, done.stdout], [1, b""])
        has(done.stderr, f"{name} is private".encode())


@case
def an_interrupt_ends_a_call_and_its_server(root):
    configure(root, server("a"))
    process = Process("tools", "call", "mcp_a_slow", '{"seconds": 50}', "--trust", root=root)
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    with process:
        pids = wait_for("the keeper", lambda: children.read_text().split())
        process.process.send_signal(signal.SIGINT)
        process.expect = 1
        process.process.wait()
    for pid in pids:
        assert not alive(pid)


main()
