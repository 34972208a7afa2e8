"""Messages of MCP on their way through trefoil: what is said first, what is answered to what, how they
may be written, how large they may be, and which trace they carry."""
import itertools
import json

from harness import Serve, Stdio, case, equal, has, main, run
from upstream import (SERVERS, Gateway, HttpServer, StdioGateway, command, configure, remote, server,
                      text_of)

MEGABYTES_10 = 10 * 1024 * 1024
TRACES = ("X-Trefoil-Trace-ID", "X-OpenStarry-Trace-ID")


# A server whose answers have their members in another order each time.
ODD = """#!/usr/bin/env python3
import itertools, sys
sys.path.insert(0, %r)
from bad_server import Ok, text

class Odd(Ok):
    n = 0

    def write(self, message):
        Odd.n += 1
        order = list(itertools.permutations(message.items()))
        super().write(dict(order[Odd.n %% len(order)]))

server = Odd()
server.tools = {"run": ("Runs.", {}, lambda call, args: text("ran"))}
server.run()
""" % str(SERVERS)


def orders(members):
    """An object with its members in every order, as JSON text."""
    for order in itertools.permutations(members.items()):
        yield json.dumps(dict(order)).encode()


# ---- what is said first --------------------------------------------------------------------------

@case
def a_server_says_its_name_and_version(root):
    version = run("version", root=root).stdout.decode().split()[1]
    (root / "agents/coder").mkdir(parents=True)
    (root / "agents/coder/agent.json").write_text('{"name": "trefoil-coder"}')
    for words, name in (((), "trefoil"), (("--agent", "coder"), "trefoil-coder")):
        for asked in ("2024-11-05", "2025-11-25"):
            with Stdio(*words, root=root) as t:
                hello = t.initialize(asked)
                equal((hello["protocolVersion"], hello["serverInfo"]["name"]), (asked, name))
                equal(hello["serverInfo"]["version"], version)
                equal(hello["capabilities"]["tools"], {"listChanged": True})


@case
def notifications_are_not_answered(root):
    with Stdio(root=root) as t:
        t.initialize()
        for method in ("notifications/initialized", "notifications/cancelled", "notifications/unknown"):
            t.send({"jsonrpc": "2.0", "method": method, "params": {"requestId": 99}})
        equal(t.call("ping", ident="next"), {"jsonrpc": "2.0", "id": "next", "result": {}})


@case
def unknown_methods_are_not_found(root):
    want = {"code": -32601, "message": "Method not found"}
    message = {"jsonrpc": "2.0", "id": 4, "method": "tools/destroy"}
    with Stdio(root=root) as t:
        t.initialize()
        t.send(message)
        answer = t.receive()
        equal((answer["id"], answer["error"]["code"]), (4, want["code"]))
        has(answer["error"]["message"], want["message"])
    with Serve(root=root) as t:
        answer = t.post(message).json()
        equal((answer["id"], answer["error"]["code"]), (4, want["code"]))
        has(answer["error"]["message"], want["message"])


# ---- calls ---------------------------------------------------------------------------------------

@case
def the_order_of_members_does_not_matter(root):
    (root / "a.txt").write_text("text")
    params = list(orders({"name": "file_read", "arguments": {"path": "a.txt"}}))
    with Stdio(root=root) as t:
        t.initialize()
        for n, inner in enumerate(params * 12):
            fields = {"jsonrpc": '"2.0"', "id": str(n), "method": '"tools/call"', "params": inner.decode()}
            order = list(itertools.permutations(fields))[n]
            t.send(("{" + ",".join(f'"{key}":{fields[key]}' for key in order) + "}\n").encode())
            answer = t.receive()
            equal((answer["id"], answer["result"]["content"]), (n, [{"type": "text", "text": "text"}]))


@case
def nor_does_it_in_what_a_server_answers(root):
    path = root / "odd"
    path.write_text(ODD)
    path.chmod(0o755)
    configure(root, command("odd", str(path)))
    with StdioGateway(root=root) as gate:
        gate.initialize()
        gate.wait_tool("mcp_odd_run")
        for n in range(24):
            answer = gate.ask("tools/call", {"name": "mcp_odd_run"}, f"call {n}")
            equal(answer["result"]["content"], [{"type": "text", "text": "ran"}])


# ---- size ----------------------------------------------------------------------------------------

def ping_of(size, ident):
    head, tail = b'{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"a":"' % ident, b'"}}'
    return head + b"x" * (size - len(head) - len(tail)) + tail


@case
def ten_megabytes_pass_and_a_byte_more_does_not(root):
    with Stdio(root=root) as t:
        t.send(ping_of(MEGABYTES_10, 1) + b"\n")
        equal(t.receive(), {"jsonrpc": "2.0", "id": 1, "result": {}})
        t.send(ping_of(MEGABYTES_10 + 1, 2) + b"\n")
        has(t.receive()["error"]["message"], "larger than 10485760 bytes")
        equal(t.call("ping", ident=3)["result"], {})
        for size, part in ((MEGABYTES_10, b'"result":{}'), (MEGABYTES_10 + 1, b"larger than"),
                           (100, b'"result":{}')):
            t.send(b"Content-Length: %d\r\n\r\n%s" % (size, ping_of(size, 4)))
            length = int(t.process.stdout.readline().split()[1])
            t.process.stdout.readline()
            has(t.process.stdout.read(length), part)


# ---- traces --------------------------------------------------------------------------------------

@case
def calls_carry_a_trace_in_headers_and_in_meta(root):
    with HttpServer() as url:
        configure(root, server("child"), remote("web", f"{url}/mcp"))
        with Gateway(root=root) as gate:
            gate.wait_ready("child", "web")
            sent = json.loads(gate.text("mcp_web_headers"))
            for name in TRACES:
                equal(bool(sent.get(name.lower())), True)
            call = json.loads(gate.text("mcp_child_seen"))[-1]
            for name in TRACES:
                equal(bool(call["params"]["_meta"].get(name)), True)
            given = gate.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                               "params": {"name": "mcp_web_headers"}}, X_OpenStarry_Trace_ID="given")
            equal(json.loads(text_of(given.json()))["x-openstarry-trace-id"], "given")


main()
