"""One agent as an MCP server: over stdio, and behind /mcp/NAME."""
import json

from harness import ALL_TOOLS, case, equal, has, main, run
from upstream import Gateway, StdioGateway, configure, server, text_of

AGENT = """{
  // what the coder lets others use
  "name": "trefoil-coder",
  "mcp": {
    "expose_tools": ["file_read", "calc:add", "mcp_calc_echo", "calc:seen", "system_time"],
    "private_tools": ["calc:seen"], /* private wins */
  },
}
"""


def agent(root, name="coder", text=AGENT):
    folder = root / "agents" / name
    folder.mkdir(parents=True)
    (folder / "agent.json").write_text(text)


def initialize(version="2024-11-05"):
    return {"protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}


@case
def an_agent_exports_what_its_file_lists_and_nothing_else(root):
    configure(root, server("calc"), head='[mcp]\nprivate_tools = ["system_time"]\n')
    agent(root)
    with StdioGateway("--agent", "coder", root=root) as gate:
        hello = gate.ask("initialize", initialize())["result"]
        equal(hello["serverInfo"]["name"], "trefoil-coder")
        gate.wait_tool("calc:add")
        tools = gate.ask("tools/list")["result"]["tools"]
        equal(sorted(t["name"] for t in tools), ["calc:add", "file_read", "mcp_calc_echo"])
        equal(text_of(gate.ask("tools/call", {"name": "calc:add", "arguments": {"a": 2, "b": 3}})),
              "5")
        for name in ("calc:seen", "mcp_calc_seen", "mcp_calc_add", "system_time", "calc:env"):
            has(text_of(gate.ask("tools/call", {"name": name})), "Unknown tool")


@case
def an_agent_without_a_list_exports_nothing(root):
    configure(root)
    agent(root, "shy", "{}")
    with StdioGateway("--agent", "shy", root=root) as gate:
        equal(gate.ask("initialize", initialize())["result"]["serverInfo"]["name"], "shy")
        equal(gate.ask("tools/list")["result"]["tools"], [])
        has(text_of(gate.ask("tools/call", {"name": "file_read"})), "Unknown tool")


@case
def the_same_agent_is_served_over_http(root):
    configure(root, server("calc"))
    agent(root)
    with Gateway(root=root) as gate:
        gate.wait_ready("calc")

        def ask(method, params, path="/mcp/coder"):
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            return gate.request("POST", path, body.encode(), content_type="application/json")
        hello = ask("initialize", initialize("2025-11-25"))
        equal(hello.json()["result"]["serverInfo"]["name"], "trefoil-coder")
        names = [t["name"] for t in ask("tools/list", {}).json()["result"]["tools"]]
        equal(names, ["file_read", "system_time", "mcp_calc_echo", "calc:add"])
        equal(text_of(ask("tools/call", {"name": "calc:add",
                                         "arguments": {"a": 20, "b": 3}}).json()), "23")
        has(text_of(ask("tools/call", {"name": "mcp_calc_crash"}).json()), "Unknown tool")
        equal(ask("tools/list", {}, "/mcp/nobody").status, 404)
        equal(ask("tools/list", {}, "/mcp/..%2f..%2fetc").status, 404)
        equal(ask("tools/list", {}, "/mcp/.hidden").status, 404)


def card(gate):
    """What agents://coder holds."""
    [content] = gate.ask("resources/read", {"uri": "agents://coder"})["result"]["contents"]
    equal((content["uri"], content["mimeType"]), ("agents://coder", "application/json"))
    return json.loads(content["text"])


@case
def it_has_its_card_as_a_resource(root):
    configure(root)
    agent(root)
    with StdioGateway("--agent", "coder", root=root) as gate:
        able = gate.ask("initialize", initialize())["result"]["capabilities"]
        equal((able["tools"]["listChanged"], able["resources"]["listChanged"]), (True, True))
        [listed] = gate.ask("resources/list")["result"]["resources"]
        equal((listed["uri"], listed["name"]), ("agents://coder", "coder"))
        equal(card(gate)["card"]["name"], "coder")
        equal(card(gate)["tools"], ["file_read", "system_time"])
        equal("persona" in json.dumps(card(gate)), False)
        has(json.dumps(gate.ask("resources/read", {"uri": "agents://default"})), "error")
    with Gateway(root=root) as gate:
        def ask(method, params):
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
            return gate.request("POST", "/mcp/coder", body.encode(), content_type="application/json").json()
        able = ask("initialize", initialize("2025-11-25"))["result"]["capabilities"]
        equal(able["resources"]["listChanged"], True)
        equal([r["uri"] for r in ask("resources/list", {})["result"]["resources"]], ["agents://coder"])


@case
def clients_hear_when_its_file_changes(root):
    configure(root)
    agent(root)
    path = root / "agents" / "coder" / "agent.json"
    with StdioGateway("--agent", "coder", root=root) as gate:
        gate.ask("initialize", initialize())
        gate.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        equal(gate.ask("resources/list")["result"]["resources"][0].get("description", ""), "")
        path.write_text('{"description": "Writes code.", "mcp": {"expose_tools": ["glob", "grep"]}}')
        gate.note("notifications/tools/list_changed")
        gate.note("notifications/resources/list_changed")
        [listed] = gate.ask("resources/list")["result"]["resources"]
        equal(listed["description"], "Writes code.")
        equal([t["name"] for t in gate.ask("tools/list")["result"]["tools"]], ["glob", "grep"])
        has(text_of(gate.ask("tools/call", {"name": "file_read", "arguments": {"path": "a"}})), "Unknown tool")
        equal(card(gate)["tools"], ["glob", "grep"])
        path.write_text('{"description": "Writes code.", "mcp": {"expose_tools": ["glob", "file_read"]}}')
        gate.note("notifications/tools/list_changed")
        equal([t["name"] for t in gate.ask("tools/list")["result"]["tools"]], ["file_read", "glob"])
        path.unlink()
        gate.note("notifications/resources/list_changed")
        equal(gate.ask("resources/list")["result"]["resources"], [])
        equal(gate.ask("tools/list")["result"]["tools"], [])
        agent_again = '{"mcp": {"expose_tools": ["glob"]}}'
        path.write_text(agent_again)
        gate.note("notifications/resources/list_changed")
        equal([t["name"] for t in gate.ask("tools/list")["result"]["tools"]], ["glob"])


@case
def a_file_that_is_wrong_says_where(root):
    configure(root)
    agent(root, "odd", '{\n  "mcp": { "expose_tools": "file_read" }\n}')
    done = run("mcp", "--agent", "odd", root=root, stdin=b"")
    equal(done.returncode, 2)
    has(done.stderr, b"agents/odd/agent.json:2:")
    has(run("mcp", "--agent", "nobody", root=root, stdin=b"").stderr, b"there is no agent nobody")


@case
def what_is_private_is_so_from_the_first_moment(root):
    configure(root, head='[mcp]\nprivate_tools = ["system_time"]\n')
    for _ in range(5):
        with StdioGateway(root=root) as gate:
            gate.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize()})
            equal([t["name"] for t in gate.ask("tools/list", ident=2)["result"]["tools"]],
                  [n for n in ALL_TOOLS if n != "system_time"])


main()
