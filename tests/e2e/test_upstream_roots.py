"""Which folders MCP servers are told of, and tools that can only be called as tasks."""
import json

from harness import case, equal, has, main, wait_for
from mcp_http import Client
from upstream import Gateway, StdioGateway, configure, server, text_of

MINE = [{"uri": "file:///srv/mine", "name": "mine"}]


class WithRoots(StdioGateway):
    """A client that answers roots/list with MINE, and every form with a name."""

    def initialize(self, version="2025-11-25"):
        answer = self.call("initialize", {
            "protocolVersion": version, "clientInfo": {"name": "e2e", "version": "1"},
            "capabilities": {"roots": {"listChanged": True}, "elicitation": {}}}, 0)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def receive(self):
        message = super().receive()
        answers = {"roots/list": {"roots": MINE},
                   "elicitation/create": {"action": "accept", "content": {"name": "Ann"}}}
        if message.get("method") in answers:
            self.send({"jsonrpc": "2.0", "id": message["id"],
                       "result": answers[message["method"]]})
        return message


def tool(gate, name, ident="call", **arguments):
    return text_of(gate.ask("tools/call", {"name": name, "arguments": arguments}, ident))


@case
def the_only_client_answers_for_its_roots(root):
    configure(root, server("a"), server("new", "modern"), server("start", "ask-roots"))
    with WithRoots(root=root) as gate:
        gate.initialize()
        for name in ("mcp_a_roots", "mcp_new_roots", "mcp_start_known_roots"):
            gate.wait_tool(name)
            equal(json.loads(tool(gate, name)), {"roots": MINE})
        # Once it is known, nothing is asked again.
        gate.notes.clear()
        equal(json.loads(tool(gate, "mcp_start_known_roots")), {"roots": MINE})
        equal([n for n in gate.notes if n.get("method") == "roots/list"], [])


def ask_for_roots(client):
    """What the server was told during a call, and how often the client was asked for it."""
    call, asked = client.call("mcp_a_roots"), 0
    while message := call.message():
        if message.get("method") == "roots/list":
            asked += 1
            client.send({"id": message["id"], "result": {"roots": MINE}})
        elif message.get("id") == call.ident:
            return json.loads(text_of(message))["roots"], asked
    raise AssertionError("no answer")


@case
def two_clients_have_the_roots_of_trefoil(root):
    configure(root, server("a"))
    ours = [{"uri": f"file://{root}", "name": "root"}]
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        one, two = Client(gate, roots={}), Client(gate, roots={})
        equal(ask_for_roots(one), (MINE, 1))
        equal(ask_for_roots(two), (ours, 0))
        equal(ask_for_roots(one), (ours, 0))


@case
def a_client_without_roots_leaves_it_to_us(root):
    folder = root / "a folder \u00e4"
    folder.mkdir()
    configure(folder, server("a"), server("start", "ask-roots"))
    with StdioGateway(root=folder) as gate:
        gate.initialize()
        uri = "file://" + str(root) + "/a%20folder%20%C3%A4"
        for name in ("mcp_a_roots", "mcp_start_known_roots"):
            gate.wait_tool(name)
            wait_for("our root", lambda n=name: json.loads(tool(gate, n)) == {
                "roots": [{"uri": uri, "name": "root"}]})


@case
def a_server_can_be_told_of_no_folder(root):
    configure(root, server("a", roots="false"), server("new", "modern", roots="false"))
    with WithRoots(root=root) as gate:
        gate.initialize()
        gate.wait_tool("mcp_a_roots")
        gate.wait_tool("mcp_new_roots")
        has(tool(gate, "mcp_a_roots"), "Method not found")
        has(tool(gate, "mcp_new_roots"), "unknown")
        for name in ("mcp_a_seen", "mcp_new_seen"):
            assert '"roots": {' not in tool(gate, name), name


@case
def a_tool_that_must_be_a_task_is_called_as_one(root):
    configure(root, server("t", "tasks"))
    with WithRoots(root=root) as gate:
        gate.initialize()
        gate.wait_tool("mcp_t_research")
        listed = gate.ask("tools/list", ident="list")["result"]["tools"]
        assert not [t for t in listed if "execution" in t], listed
        gate.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": {
            "name": "mcp_t_research", "arguments": {"about": "ants"}}})

        def looks():
            seen = json.loads(tool(gate, "mcp_t_seen", "seen"))
            return [m for m in seen if m.get("method") == "tasks/get"]
        wait_for("two looks", lambda: len(looks()) > 1)
        (root / "done").touch()
        answer = gate.answer_to("long")
        equal(text_of(answer), "researched {'about': 'ants'}")
        equal(answer["result"]["_meta"], {"trefoil/trust": "untrusted", "trefoil/type": "data"})
        has(tool(gate, "mcp_t_research", ask=1), "Ann")
        has(tool(gate, "mcp_t_research", fail=1), "the research failed")


@case
def a_canceled_call_cancels_its_task(root):
    configure(root, server("t", "tasks"))
    with StdioGateway(root=root) as gate:
        gate.initialize()
        gate.wait_tool("mcp_t_research")
        gate.send({"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": {
            "name": "mcp_t_research", "arguments": {}}})

        def methods():
            return [m.get("method") for m in json.loads(tool(gate, "mcp_t_seen", "seen"))]
        wait_for("a look", lambda: "tasks/get" in methods())
        gate.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                   "params": {"requestId": "long"}})
        wait_for("its cancel", lambda: "tasks/cancel" in methods())


if __name__ == "__main__":
    main()
