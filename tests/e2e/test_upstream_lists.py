"""Lists while MCP servers are slow: the client gets what is there and what the last run knew."""
import json
import pathlib

from harness import case, equal, has, main, run
from upstream import Gateway, StdioGateway, configure, server, text_of

# Whoever waits for a server to be connected waits longer than any test.
PATIENT = "[limits]\ngather_ms = 600000\nmcp_connect_ms = 600000\n"


def home_of(root):
    return {"XDG_STATE_HOME": f"{root}.state/own"}


def names(gate, ident="list"):
    return [t["name"] for t in gate.ask("tools/list", ident=ident)["result"]["tools"]]


def client(root):
    return StdioGateway(root=root, **home_of(root))


def let_go(root, gate):
    """The server goes on; its client is told."""
    gate.notes.clear()
    (root / "hold").unlink()
    gate.note("notifications/tools/list_changed")


def learn(root, tool):
    """A run that sees the tools of all servers."""
    with client(root) as gate:
        gate.initialize()
        gate.wait_tool(tool)


@case
def a_server_that_hangs_delays_no_list(root):
    configure(root, server("hang", "silent"), head=PATIENT)
    with client(root) as gate:
        gate.initialize()
        has(names(gate), "file_read")
        uris = [r["uri"] for r in gate.ask("resources/list")["result"]["resources"]]
        has(uris, "trefoil://servers")
    with Gateway(root=root, **home_of(root)) as gate:
        has(gate.tools(), "file_read")
        equal(gate.configured("hang")["state"], "connecting")


@case
def a_server_that_comes_late_is_announced(root):
    (root / "hold").touch()
    configure(root, server("late", "hold"), head=PATIENT)
    with client(root) as gate:
        gate.initialize()
        assert "mcp_late_echo" not in names(gate)
        let_go(root, gate)
        has(names(gate), "mcp_late_echo")


@case
def tools_of_the_last_run_are_listed_before_their_server_is_there(root):
    configure(root, server("late", "hold"), head=PATIENT)
    learn(root, "mcp_late_echo")
    (root / "hold").touch()
    with client(root) as gate:
        gate.initialize()
        has(names(gate), "mcp_late_echo")
        read = gate.ask("resources/read", {"uri": "trefoil://servers"})["result"]["contents"][0]
        equal(json.loads(read["text"])["configured"][0]["state"], "connecting")
        gate.send({"jsonrpc": "2.0", "id": "early", "method": "tools/call",
                   "params": {"name": "mcp_late_echo", "arguments": {"text": "at last"}}})
        has(names(gate), "mcp_late_echo")  # the call waits, nothing else does
        (root / "hold").unlink()
        equal(text_of(gate.answer_to("early")), "at last")


@case
def two_http_clients_see_the_tools_of_the_last_run_too(root):
    configure(root, server("late", "hold"), server("here"), head=PATIENT)
    learn(root, "mcp_late_echo")
    (root / "hold").touch()
    with Gateway(root=root, **home_of(root)) as gate:
        for _ in range(2):
            has(gate.tools(), "mcp_late_echo")
        equal(gate.configured("late")["state"], "connecting")
        gate.wait_ready("here")
        equal(gate.text("mcp_here_echo", text="not held up"), "not held up")


@case
def a_tool_that_is_gone_since_is_refused(root):
    configure(root, server("late", "hold"), head=PATIENT)
    learn(root, "mcp_late_echo")
    (root / "fewer").touch()
    (root / "hold").touch()
    with client(root) as gate:
        gate.initialize()
        has(names(gate), "mcp_late_echo")
        gate.send({"jsonrpc": "2.0", "id": "early", "method": "tools/call",
                   "params": {"name": "mcp_late_echo", "arguments": {"text": "x"}}})
        (root / "hold").unlink()
        has(text_of(gate.answer_to("early")), "no longer offers the tool echo")
        gate.note("notifications/tools/list_changed")
        assert "mcp_late_echo" not in names(gate)


@case
def a_changed_entry_begins_with_nothing(root):
    configure(root, server("late", "hold"), head=PATIENT)
    learn(root, "mcp_late_echo")
    (root / "hold").touch()
    configure(root, server("late", "hold", env='{ OTHER = "1" }'), head=PATIENT)
    with client(root) as gate:
        gate.initialize()
        assert "mcp_late_echo" not in names(gate)


def kept_files(root):
    own = pathlib.Path(f"{root}.state/own")
    return [p for p in own.rglob("tool-definitions/*.json") if "echo" in p.read_text()]


@case
def definitions_are_kept_in_the_state_of_the_user_alone(root):
    configure(root, server("late", "hold"), head=PATIENT)
    learn(root, "mcp_late_echo")
    kept, = kept_files(root)
    equal(kept.stat().st_mode & 0o777, 0o600)
    equal(kept.parent.stat().st_mode & 0o777, 0o700)
    project = [p for p in root.rglob("*") if p.is_file() and pathlib.Path(f"{root}.state/own") not in p.parents]
    assert not [p for p in project if "Return the text" in p.read_text(errors="replace")]
    (root / "hold").touch()
    kept.write_text('{"tools": [{"name": "echo"')  # broken: as good as none
    with client(root) as gate:
        gate.initialize()
        assert "mcp_late_echo" not in names(gate)
        let_go(root, gate)
    json.loads(kept.read_text())


@case
def servers_and_tools_do_not_wait_for_one_that_hangs(root):
    configure(root, server("hang", "silent"), server("late", "hold"), head=PATIENT)
    learn(root, "mcp_late_echo")
    (root / "hold").touch()
    done = run("servers", "--trust", root=root, **home_of(root))
    rows = {line.split()[0]: line.split()[1] for line in done.stdout.decode().splitlines()[1:]}
    equal((rows["hang"], rows["late"], done.returncode), ("connecting", "connecting", 1))
    done = run("tools", "--trust", root=root, **home_of(root))
    has(done.stdout.decode(), "mcp_late_echo")
    has(done.stdout.decode(), "file_read")
    has(done.stderr.decode(), "MCP server hang is not connected (it is connecting)")


@case
def a_call_from_the_terminal_does_not_wait_for_other_servers(root):
    # Both names fit the tool's: all servers are connected, and one hangs.
    configure(root, server("a", "silent"), server("a_b"), head=PATIENT)
    done = run("tools", "call", "mcp_a_b_echo", '{"text": "mine"}', "--trust", root=root,
               **home_of(root))
    equal(done.stdout.decode(), "mine\n")


@case
def definitions_have_a_limit(root):
    configure(root, server("fat", "fat"))
    with Gateway(root=root, **home_of(root)) as gate:
        gate.wait_ready("fat")
        tools = gate.tools()
        has(tools, "mcp_fat_echo")
        assert "mcp_fat_fat" not in tools
        large = [t for t in tools if t.startswith("mcp_fat_large_")]
        assert 0 < len(large) < 60, len(large)
        facts = gate.connected("fat")
        equal(facts["tools_left_out"], 61 - len(large))
        has(facts["left_out_because"], 'tool "fat": its definition has 5242')
        has(facts["left_out_because"], "limits.mcp_tool_bytes")
    configure(root, server("fat", "fat"), head="[limits]\nmcp_tools_bytes = 2048\n")
    done = run("servers", "--trust", "--json", root=root, **home_of(root))
    few, = json.loads(done.stdout)["connected"]
    assert 0 < few["tools_count"] < 17, few["tools_count"]
    has(few["left_out_because"], "exceed 2048 bytes (limits.mcp_tools_bytes)")
    configure(root, server("fat", "fat"))
    done = run("servers", "--trust", root=root, **home_of(root))
    has(done.stdout.decode(), f'{61 - len(large)} tools are skipped; tool "fat": its definition')


@case
def silence_says_nothing_about_the_era(root):
    head = "[limits]\nmcp_probe_ms = 10\n"
    configure(root, server("new", "dual-late"), server("old", "dual-late-legacy"), head=head)
    with Gateway(root=root, **home_of(root)) as gate:
        gate.wait_ready("new", "old")
        equal([gate.connected("new")["era"], gate.connected("old")["era"]], ["modern", "legacy"])
        equal(gate.text("mcp_new_echo", text="x"), "x")
        sent = [m["method"] for m in json.loads(gate.text("mcp_new_seen"))]
        equal(sent[:2], ["server/discover", "initialize"])
        assert "notifications/initialized" not in sent, sent


if __name__ == "__main__":
    main()
