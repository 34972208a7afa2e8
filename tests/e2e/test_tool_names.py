"""Names of tools of MCP servers: what clients and agents see, what the servers are called with, and
that no two are ever the same."""
import json
import re

from harness import case, equal, has, main, wait_for
from upstream import Gateway, StdioGateway, command, configure, program, text_of


def place(root, servers, **keys):
    """A project with servers of these names, which have these tools."""
    entries = []
    for n, (name, tools) in enumerate(servers.items()):
        entries.append(command(name, program(root / "bin", f"server{n}", *tools), **keys))
    configure(root, *entries)
    return root


def listed_again(gate):
    """Names of MCP tools on tools/list, over stdio; not those that every server has."""
    tools = gate.ask("tools/list", ident="again")["result"]["tools"]
    return [t["name"] for t in tools if t["name"].startswith("mcp_") and "_seen" not in t["name"]]


def listed(gate, *wanted):
    """The same of a gate that nobody has talked to, once these are there."""
    gate.initialize()
    for name in wanted:
        gate.wait_tool(name)
    return listed_again(gate)


def use(gate, name, **arguments):
    return text_of(gate.ask("tools/call", {"name": name, "arguments": arguments}, "use"))


def called(gate, name):
    """Under which names the server behind this tool was called."""
    sent = json.loads(use(gate, name))
    return [m["params"]["name"] for m in sent if m["method"] == "tools/call" and
            m["params"]["name"] != "seen"]


@case
def a_name_is_made_of_server_and_tool(root):
    place(root, {"github": ["create_issue", "search_repos"], "my-server": ["do_thing"]})
    with StdioGateway(root=root) as gate:
        equal(listed(gate, "mcp_github_create_issue", "mcp_my_server_do_thing"),
              ["mcp_github_create_issue", "mcp_github_search_repos", "mcp_my_server_do_thing"])


@case
def letters_become_small_and_hyphens_underscores(root):
    place(root, {"My-Big-Server": ["Do-It", "CamelCase", "with.dot"]})
    with StdioGateway(root=root) as gate:
        names = listed(gate, "mcp_my_big_server_do_it")
        equal(names[:2], ["mcp_my_big_server_do_it", "mcp_my_big_server_camelcase"])
        equal([n for n in names if not re.fullmatch(r"[a-z0-9_.]{1,128}", n)], [])


@case
def the_server_is_called_by_its_own_name_for_the_tool(root):
    place(root, {"My-Server": ["Do-It", "do_that", "A_b-C"], "other": ["Do-It"]})
    with StdioGateway(root=root) as gate:
        listed(gate, "mcp_my_server_do_it", "mcp_other_do_it")
        for name in ("mcp_my_server_do_it", "mcp_my_server_a_b_c", "mcp_my_server_do_that",
                     "My-Server:Do-It"):
            json.loads(use(gate, name, text="x"))
        equal(called(gate, "mcp_my_server_seen"), ["Do-It", "A_b-C", "do_that", "Do-It"])
        equal(called(gate, "mcp_other_seen"), [])


@case
def names_with_underscores_find_their_server(root):
    """git_hub + issue, git + hub_issue: no cut at an underscore tells them apart."""
    servers = {"git": ["hub_issue", "pull"], "git_hub": ["issue"], "a_b_c": ["d_e_f"]}
    place(root, servers)
    with StdioGateway(root=root) as gate:
        listed(gate, "mcp_git_pull", "mcp_a_b_c_d_e_f")
        wait_for("all", lambda: len(listed_again(gate)) == 4)
        names = listed_again(gate)
        met = [n for n in names if n.startswith("mcp_git_hub_issue")]
        equal((len(met), len(set(names))), (2, 4))
        for name in (*met, "mcp_a_b_c_d_e_f"):
            json.loads(use(gate, name))
        equal(called(gate, "mcp_a_b_c_seen"), ["d_e_f"])
        equal((called(gate, "git:seen"), called(gate, "git_hub:seen")), (["hub_issue"], ["issue"]))


@case
def names_that_meet_get_a_suffix_that_stays(root):
    place(root, {"my-server": ["run"], "my_server": ["run"], "x": ["Do-It", "do_it"]})
    seen = []
    for _ in range(2):
        with StdioGateway(root=root) as gate:
            gate.initialize()
            wait_for("all", lambda g=gate: len(listed_again(g)) == 4)
            seen.append(sorted(listed_again(gate)))
            for name in seen[-1]:
                json.loads(use(gate, name))
            equal(sorted(called(gate, "x:seen")), ["Do-It", "do_it"])
    equal(seen[0], seen[1])
    equal(len(set(seen[0])), 4)
    for name in seen[0]:
        equal(bool(re.fullmatch(r"mcp_(my_server_run|x_do_it)_[0-9a-f]{8}", name)), True)


@case
def no_tool_of_a_server_hides_a_built_in_one_or_another_servers(root):
    place(root, {"a": ["file_read", "mcp_b_run"], "b": ["file_read", "run"]})
    (root / "note.txt").write_text("the file itself")
    with StdioGateway(root=root) as gate:
        names = listed(gate, "mcp_a_file_read", "mcp_b_file_read")
        equal(names, ["mcp_a_file_read", "mcp_a_mcp_b_run", "mcp_b_file_read", "mcp_b_run"])
        equal(use(gate, "file_read", path="note.txt"), "the file itself")
        use(gate, "mcp_a_mcp_b_run")
        use(gate, "mcp_b_file_read")
        equal((called(gate, "mcp_a_seen"), called(gate, "mcp_b_seen")),
              (["mcp_b_run"], ["file_read"]))


@case
def a_name_that_only_looks_like_one_is_unknown(root):
    place(root, {"a": ["run"]})
    with StdioGateway(root=root) as gate:
        listed(gate, "mcp_a_run")
        for name in ("mcp_", "mcp_a_", "mcp_a_walk", "mcp_b_run", "mcp__a_run", "a_run", "a:", ":run",
                     "MCP_A_RUN"):
            answer = gate.ask("tools/call", {"name": name}, "x")
            has(json.dumps(answer), "Unknown tool")
        equal(called(gate, "mcp_a_seen"), [])


@case
def an_agent_publishes_under_the_names_that_it_lists(root):
    place(root, {"fs": ["read_file"], "git": ["status", "log"]})
    folder = root / "agents/coder"
    folder.mkdir(parents=True)
    (folder / "agent.json").write_text(
        '{"mcp": {"expose_tools": ["fs:read_file", "git:status", "mcp_git_log"]}}')
    with StdioGateway("--agent", "coder", root=root) as gate:
        gate.initialize()
        for name in ("fs:read_file", "git:status", "mcp_git_log"):
            gate.wait_tool(name)
            json.loads(use(gate, name))
        names = [t["name"] for t in gate.ask("tools/list", ident="n")["result"]["tools"]]
        equal(sorted(names), ["fs:read_file", "git:status", "mcp_git_log"])


@case
def a_tool_may_be_renamed(root):
    place(root, {"git": ["status", "log"]},
          tools='{ status = { rename = "state_of_git" }, log = { hide = true } }')
    with StdioGateway(root=root) as gate:
        gate.initialize()
        gate.wait_tool("state_of_git")
        equal(listed_again(gate), [])
        json.loads(use(gate, "state_of_git"))
        equal(called(gate, "git:seen"), ["status"])


@case
def who_serves_a_tool_is_told(root):
    place(root, {"my-server": ["do_thing"]})
    with Gateway(root=root) as gate:
        gate.wait_ready("my-server")
        entry = gate.connected("my-server")
        equal(entry["tools"][0], {"name": "mcp_my_server_do_thing",
                                  "description": "[MCP:my-server] Says how it was started."})


main()
