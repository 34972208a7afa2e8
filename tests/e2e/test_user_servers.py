"""Servers of the user's own config.toml, which needs no trust; and servers whose list of tools has pages."""
import json
import os
import sys

from harness import Serve, Stdio, case, equal, has, main, run, wait_for
from upstream import SERVERS, Gateway, StdioGateway, command, configure, program

ENTRY = """[[mcp_servers]]
name = "github"
env = ["GITHUB_PERSONAL_ACCESS_TOKEN"]

[mcp_servers.transport]
type = "stdio"
command = "npx"
args = ["-y", "@modelcontextprotocol/server-github"]
"""


def user(root):
    """A user whose config.toml has that entry; the environment."""
    for name in ("one", "two"):  # in the projects: the rest of /tmp is hidden from servers
        (root / name).mkdir()
        program(root / name / "bin", "npx", "create_issue")
    path = root / "config/trefoil/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(ENTRY + '\n[mcp]\nmode = "read-write"\n')
    return {"XDG_CONFIG_HOME": str(root / "config"), "PATH": f"{root}/one/bin:{root}/two/bin:{os.environ['PATH']}",
            "GITHUB_PERSONAL_ACCESS_TOKEN": "hush", "TREFOIL_PROVIDER": "offline"}


@case
def an_entry_of_config_toml_is_used_in_every_project(root):
    env = user(root)
    for name in ("one", "two"):
        with Serve(root=root / name, **env) as server:
            def ask(method, params):
                return server.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).json()
            wait_for("its tool", lambda: "mcp_github_create_issue" in json.dumps(ask("tools/list", {})))
            how = json.loads(ask("tools/call", {"name": "mcp_github_create_issue"})
                             ["result"]["content"][0]["text"])
            equal(how["argv"][1:], ["-y", "@modelcontextprotocol/server-github"])
            equal(how["env"]["GITHUB_PERSONAL_ACCESS_TOKEN"], "hush")
            configured, = server.request("GET", "/api/mcp/servers").json()["configured"]
            equal((configured["trusted"], configured["timeout_secs"]), (True, 30))
            has(configured["origin"], "config.toml:1")
        done = run("run", "/call mcp_github_create_issue {}", root=root / name, **env)
        has(done.stdout, b"server-github")
    with Stdio(root=root / "one", **env) as t:
        t.initialize()
        has(t.process.stderr.readline(), b"no allowed_tools")


PAGES = """#!{python}
import sys
sys.path.insert(0, {servers!r})
from bad_server import Ok, described, echo

class Pages(Ok):
    def list_tools(self, call):
        at = int(call.params.get("cursor", "page 0").split()[1])
        names = list(self.tools)[at:at + 7]
        page = {{"tools": described({{name: self.tools[name] for name in names}})}}
        return {{**page, "nextCursor": f"page {{at + 7}}"}} if at + 7 < len(self.tools) else page

    methods = {{**Ok.methods, "tools/list": list_tools}}

server = Pages()
server.tools = {{f"tool{{n}}": ("One of many.", {{}}, echo) for n in range(40)}}
server.run()
"""


@case
def all_tools_of_a_list_with_pages_are_there(root):
    path = root / "pages"
    path.write_text(PAGES.format(python=sys.executable, servers=str(SERVERS)))
    path.chmod(0o755)
    configure(root, command("many", str(path)))
    want = [f"mcp_many_tool{n}" for n in range(40)]
    with Gateway(root=root) as gate:
        gate.wait_ready("many")
        equal([n for n in gate.tools() if n.startswith("mcp_many_")], want)
        equal(gate.connected("many")["tools_count"], 40)
        equal(gate.text("mcp_many_tool39", text="the last"), "the last")
    with StdioGateway(root=root) as gate:
        gate.initialize()
        gate.wait_tool("mcp_many_tool39")


main()
