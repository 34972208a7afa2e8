"""What one agent exports as an MCP server when its file says nothing of it, whatever kind of file it is."""
import json

from harness import Serve, Stdio, case, equal, has, main
from task_client import agent
from upstream import text_of

TOOLS = ("file_read", "system_time", "grep", "agent_send", "dispatch_agent", "trefoil_agent_default")


def agents(root):
    """Agents of all kinds of files that list no tools to export; their names."""
    agent(root, "markdown")
    agent(root, "listed", "tools: [file_read, grep]\n")  # what it may use itself
    for name, text in (("empty", "{}"), ("none", '{"mcp": {"expose_tools": []}}'),
                       ("private", '{"mcp": {"private_tools": ["grep"]}}')):
        (root / "agents" / name).mkdir(parents=True)
        (root / "agents" / name / "agent.json").write_text(text)
    (root / "trefoil.toml").write_text('[[agents]]\nname = "toml"\n')
    return ("markdown", "listed", "empty", "none", "private", "toml", "default")


@case
def an_agent_that_lists_nothing_exports_nothing_over_stdio(root):
    for name in agents(root):
        with Stdio("--trust", "--agent", name, root=root) as t:
            t.initialize()
            equal((name, t.call("tools/list")["result"]["tools"]), (name, []))
            for tool in TOOLS:
                has(text_of(t.call("tools/call", {"name": tool, "arguments": {}})), "Unknown tool")


@case
def an_agent_that_lists_nothing_exports_nothing_over_http(root):
    names = agents(root)
    with Serve("--trust", root=root) as server:
        for name in names:
            def ask(method, params, path=f"/mcp/{name}"):
                body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
                return server.request("POST", path, json.dumps(body).encode(),
                                      content_type="application/json").json()
            equal((name, ask("tools/list", {})["result"]["tools"]), (name, []))
            for tool in TOOLS:
                has(text_of(ask("tools/call", {"name": tool, "arguments": {}})), "Unknown tool")


main()
