"""The life of MCP servers behind trefoil: connected while it serves, greeted once, asked only for what
is needed, never waited for without end, and gone with it however it ends."""
import json
import os
import pathlib
import signal

from harness import Stdio, alive, case, equal, has, main, run, wait_for
from mcp_http import begin
from upstream import (Gateway, HttpServer, StdioGateway, command, configure, program, remote, server,
                      text_of)

CHANGES = ("initialize", "notifications/initialized", "tools/list", "tools/call")


def seen(gate, name, methods=CHANGES):
    """What a server was sent, of these methods; the call that asks for it is the last."""
    return [m for m in json.loads(gate.text(f"mcp_{name}_seen")) if m.get("method") in methods]


def parents(pid):
    """A process and all it descends from."""
    while pid > 1:
        yield pid
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        pid = int(stat.rpartition(")")[2].split()[1])


# ---- connecting ----------------------------------------------------------------------------------

@case
def every_server_is_started_greeted_and_listed(root):
    names = ["a", "b", "old"]
    configure(root, server("a"), server("b"), server("old", "old-version"))
    with Gateway(root=root) as gate:
        gate.wait_ready(*names)
        pids = {name: gate.connected(name)["pid"] for name in names}
        equal(len(set(pids.values())), 3)
        for name in names:
            has(list(parents(pids[name])), gate.pid)
            sent = seen(gate, name)
            equal([m["method"] for m in sent], list(CHANGES))
            equal({m["jsonrpc"] for m in sent}, {"2.0"})
            greeting = sent[0]["params"]
            equal(sorted(greeting["clientInfo"])[:2], ["name", "version"])
            equal(greeting["clientInfo"]["name"], "trefoil")
            equal(isinstance(greeting["capabilities"], dict), True)
            equal(bool(greeting["protocolVersion"]), True)
            assert "id" in sent[0] and "id" in sent[2] and "id" not in sent[1], sent
        equal([gate.connected(n)["version"] for n in names], ["2025-11-25"] * 2 + ["2024-11-05"])


@case
def a_server_behind_a_url_is_posted_the_same(root):
    with HttpServer() as url:
        configure(root, remote("web", f"{url}/mcp"), remote("old", f"{url}/sse", type='"sse"'))
        with Gateway(root=root) as gate:
            gate.wait_ready("web", "old")
            for name in ("web", "old"):
                sent = [m["method"] for m in seen(gate, name)]
                equal((sent[0], sorted(sent)), ("initialize", sorted(CHANGES)))


@case
def serving_begins_before_the_servers_are_there(root):
    configure(root, server("never", "silent"), server("a"))
    with Gateway(root=root) as gate:
        equal(gate.request("GET", "/health").status, 200)
        gate.wait_ready("a")
        equal(gate.connected("never"), None)
        assert gate.configured("never")["state"] not in ("ready", "untrusted"), gate.servers()
        equal(gate.text("mcp_a_add", a=1, b=2), "3")


@case
def nothing_is_called_before_it_is_needed(root):
    program(root, "one", "first", "second")
    configure(root, command("one", str(root / "one")))
    with Gateway(root=root) as gate:
        gate.wait_ready("one")
        for _ in range(3):
            gate.tools()
        equal([m["params"]["name"] for m in seen(gate, "one", ["tools/call"])], ["seen"])
        gate.call("mcp_one_second", text="now")
        calls = seen(gate, "one", ["tools/call"])
        equal([c["params"]["name"] for c in calls], ["seen", "second", "seen"])
        equal(calls[1]["params"]["arguments"], {"text": "now"})


# ---- connected -----------------------------------------------------------------------------------

@case
def one_connection_and_one_list_serve_all_calls(root):
    program(root, "one", "which")
    configure(root, command("one", str(root / "one")))
    with Gateway(root=root) as gate:
        gate.wait_ready("one")
        lists = [gate.tools() for _ in range(3)]
        equal([lists[0]] * 3, lists)
        pids = {json.loads(gate.text("mcp_one_which"))["pid"] for _ in range(5)}
        equal(len(pids), 1)
        sent = seen(gate, "one")
        equal([m["method"] for m in sent], list(CHANGES[:3]) + ["tools/call"] * 6)
        ids = [m["id"] for m in sent if "id" in m]
        equal(len(set(ids)), len(ids))
        entry = gate.connected("one")
        equal(([t["name"] for t in entry["tools"]], entry["connected"]),
              (["mcp_one_which", "mcp_one_seen"], True))
        equal(gate.configured("one")["transport"]["type"], "stdio")


@case
def definitions_are_kept_while_a_server_is_away(root):
    def definitions():
        tools = gate.rpc("tools/list")["result"]["tools"]
        return [t for t in tools if t["name"].startswith("mcp_a_")]
    configure(root, server("a"), head="[limits]\nmcp_retry_min_ms = 60_000\n")
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        before = definitions()
        equal(len(before) > 10, True)
        os.kill(gate.connected("a")["pid"], signal.SIGKILL)
        wait_for("its death", lambda: gate.configured("a")["state"] != "ready")
        equal(definitions(), before)


@case
def only_a_server_that_is_told_to_stops_when_it_is_not_used(root):
    configure(root, server("stops", idle_stop_secs=1), server("stays"))
    with Gateway(root=root) as gate:
        gate.wait_ready("stops", "stays")
        pid = gate.connected("stays")["pid"]
        wait_for("its stop", lambda: gate.configured("stops")["state"] == "stopped")
        has(gate.tools(), "mcp_stops_echo")
        equal((gate.connected("stays")["pid"], gate.configured("stays")["state"]), (pid, "ready"))
        equal(gate.text("mcp_stops_echo", text="awake"), "awake")


@case
def servers_are_shared_by_all_clients_and_by_every_agent(root):
    program(root, "one", "which")
    configure(root, command("one", str(root / "one"), allowed_tools='["which"]'), head="")
    (root / ".trefoil/agents").mkdir(parents=True)
    (root / ".trefoil/agents/reader.md").write_text("---\ndescription: d\n---\nYou read.\n")
    (root / "agents/coder").mkdir(parents=True)
    (root / "agents/coder/agent.json").write_text("{}")
    with open(root / "trefoil.toml", "a", encoding="utf-8") as f:
        f.write('[mcp]\nmode = "read-write"\n[[agents]]\nname = "small"\n')
    with Gateway(root=root, TREFOIL_PROVIDER="offline") as gate:
        gate.wait_ready("one")
        pids = set()
        for session in (begin(gate), begin(gate)):
            answer = gate.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                "params": {"name": "mcp_one_which"}}, mcp_session_id=session).json()
            pids.add(json.loads(text_of(answer))["pid"])
        for name in ("default", "reader", "coder", "small"):
            text = gate.text(f"trefoil_agent_{name}", message="/call mcp_one_which {}")
            pids.add(int(text.partition('"pid": ')[2].partition("}")[0]))
        equal(len(pids), 1)


# ---- time ----------------------------------------------------------------------------------------

@case
def every_request_to_a_server_ends_in_time(root):
    entries = []
    for method in ("initialize", "tools/list", "tools/call"):
        name = method.replace("/", "-")
        path = program(root, name, "run", silent_on=method)
        entries.append(command(name, path, timeout_secs=1, era='"legacy"'))
    configure(root, *entries, server("usual"))
    with Gateway(root=root) as gate:
        equal({s["name"]: s["timeout_secs"] for s in gate.servers()["configured"]},
              {"initialize": 1, "tools-list": 1, "tools-call": 1, "usual": 30})
        for name in ("initialize", "tools-list"):
            wait_for(f"its failure: {name}",
                     lambda n=name: "in time" in gate.configured(n).get("last_error", ""))
        gate.wait_ready("tools-call")
        has(gate.text("mcp_tools_call_run"), "in time")


@case
def a_call_that_takes_too_long_is_cancelled_at_its_server(root):
    configure(root, server("a", timeout_secs=1))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        has(gate.text("mcp_a_slow", seconds=50), "in time")
        sent = seen(gate, "a", ["tools/call", "notifications/cancelled"])
        equal([m["method"] for m in sent], ["tools/call", "notifications/cancelled", "tools/call"])
        equal(sent[1]["params"]["requestId"], sent[0]["id"])


@case
def a_tool_may_have_a_time_of_its_own(root):
    configure(root, server("a", timeout_secs=1, tools="{ slow = { timeout_secs = 60 } }"),
              server("b", tools="{ slow = { timeout_secs = 1 } }"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "b")
        equal(gate.text("mcp_a_slow", seconds=1.5), "slept")
        has(gate.text("mcp_b_slow", seconds=50), "mcp_b_slow in time (1")


@case
def progress_extends_the_time_of_a_call(root):
    configure(root, server("a", timeout_secs=1), server("b", timeout_secs=1, timeout_max_secs=2))
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "b")
        equal(gate.text("mcp_a_steps", seconds=0.4, n=5), "stepped")
        has(gate.text("mcp_b_steps", seconds=0.4, n=50), "took longer than 2000 ms")


@case
def no_tool_runs_longer_than_a_minute_unless_it_has_a_limit_of_its_own(root):
    limits = json.loads(run("config", "limits", "--json", root=root).stdout)
    equal(limits["tool_ms"], 60000)
    own = root / "own.toml"
    own.write_text('[mcp]\nmode = "read-write"\n[guard.permission]\nexecute = "auto"\n'
                   '[limits]\ntool_ms = 1000\n')
    with Stdio("--config", str(own), root=root, TREFOIL_PROVIDER="offline") as t:
        t.initialize()

        def use(name, **arguments):
            return t.call("tools/call", {"name": name, "arguments": arguments})["result"]
        started = use("process_start", command="exec cat", shell=True)["structuredContent"]["id"]
        late = use("process_poll", id=started, wait_ms=30000)
        equal(late["isError"], True)
        has(late["content"][0]["text"], "took longer than 1000 ms (limits.tool_ms)")
        has(use("agent_send", message="/sleep 1500ms")["content"][0]["text"], "Slept")


# ---- the end -------------------------------------------------------------------------------------

def children_of_gate(gate):
    gate.wait_ready("a", "stays")
    return [gate.connected(name)["pid"] for name in ("a", "stays")]


@case
def no_server_outlives_trefoil_however_it_ends(root):
    configure(root, server("a"), server("stays", "ignore-eof"),
              head="[limits]\nchild_polite_ms = 50\nchild_term_ms = 50\n")
    for signum in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGABRT):
        with Gateway(root=root) as gate:
            pids = children_of_gate(gate)
            gate.expect = 0 if signum in (signal.SIGTERM, signal.SIGINT) else -signum
            gate.process.send_signal(signum)
            gate.process.wait()
        for pid in pids:
            wait_for(f"the end of {pid} after {signum}", lambda p=pid: not alive(p))


def child_of_stdio(gate):
    gate.initialize()
    gate.wait_tool("mcp_one_which")
    return json.loads(text_of(gate.ask("tools/call", {"name": "mcp_one_which"})))["pid"]


@case
def no_server_outlives_a_client_that_leaves_or_breaks(root):
    program(root, "one", "which")
    configure(root, command("one", str(root / "one"), sandbox='"off"'))  # its pid is the machine's
    with StdioGateway(root=root) as gate:  # stdin ends: a normal end
        pid = child_of_stdio(gate)
    wait_for("its end", lambda: not alive(pid))
    with StdioGateway(root=root) as gate:  # stdout cannot be written: an error
        pid = child_of_stdio(gate)
        gate.process.stdout.close()
        gate.process.stdout = None
        gate.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        gate.process.wait()
        gate.expect = 1
    wait_for("its end", lambda: not alive(pid))


@case
def a_connection_that_is_dropped_takes_its_child_along(root):
    configure(root, server("a"), server("b"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "b")
        a, b = gate.connected("a")["pid"], gate.connected("b")["pid"]
        configure(root, server("a"))
        gate.process.send_signal(signal.SIGHUP)
        wait_for("the end of b", lambda: not alive(b))
        equal((alive(a), gate.connected("b")), (True, None))


main()
