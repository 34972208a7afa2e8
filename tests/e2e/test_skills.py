"""The tool `skill` as clients of MCP see it: there while there are skills, and told of changes."""
import json
import pathlib

from harness import ALL_TOOLS, ALL_WITH_A2A, READ_ONLY_TOOLS, Serve, Stdio, case, equal, has, main

SERVER = pathlib.Path(__file__).resolve().parent.parent / "servers/bad_server.py"


def put(root, name, description, body="Do it.", folder=".trefoil"):
    path = root / folder / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(f"---\ndescription: {description}\n---\n{body}\n")
    fresh.rename(path)  # nobody sees half of it
    return path


def listed(t):
    return {x["name"]: x for x in t.call("tools/list")["result"]["tools"]}


def load(t, name):
    return t.call("tools/call", {"name": "skill", "arguments": {"name": name}})["result"]


def wait_changed(t):
    equal(t.receive()["method"], "notifications/tools/list_changed")


@case
def skills_are_listed_and_loaded(root):
    put(root, "pdf", "Reads PDF files", "Use pdftotext.\n@more.md", folder=".claude")
    (root / ".claude/skills/pdf/more.md").write_text("Twice.")
    put(root, "build", "How to build this")
    with Stdio(root=root) as t:
        t.initialize()
        tools = listed(t)
        equal(list(tools), ALL_WITH_A2A + ["skill"])
        has(tools["skill"]["description"],
            "Available skills:\n- build: How to build this\n- pdf: Reads PDF files")
        equal(tools["skill"]["annotations"]["readOnlyHint"], True)
        result = load(t, "pdf")
        equal(result["content"][0]["text"], "Use pdftotext.\nTwice.")
        has(result["content"][1]["text"], ".claude/skills/pdf/")
        result = load(t, "pfd")
        equal(result["isError"], True)
        has(result["content"][0]["text"], "unknown skill pfd; available skills: build, pdf")


@case
def without_skills_there_is_no_such_tool(root):
    with Stdio(root=root) as t:
        t.initialize()
        equal(list(listed(t)), ALL_WITH_A2A)
        has(json.dumps(t.call("tools/call", {"name": "skill", "arguments": {"name": "x"}})),
            "Unknown tool")


@case
def what_is_private_stays_so(root):
    put(root, "a", "A")
    (root / "trefoil.toml").write_text('[mcp]\nprivate_tools = ["skill"]\n')
    with Stdio(root=root) as t:
        t.initialize()
        equal(list(listed(t)), ALL_TOOLS)


@case
def an_agent_exports_it_like_any_other_tool(root):
    folder = root / "agents/helper"
    folder.mkdir(parents=True)
    (folder / "agent.json").write_text('{"mcp": {"expose_tools": ["skill", "grep"]}}')
    put(root, "a", "A")
    with Stdio("--agent", "helper", root=root) as t:
        t.initialize()
        equal(list(listed(t)), ["grep", "skill"])
        equal(load(t, "a")["content"][0]["text"], "Do it.")


@case
def clients_are_told_when_skills_come_change_and_go(root):
    with Stdio(root=root) as t:
        t.initialize()
        equal(list(listed(t)), ALL_WITH_A2A)
        t.call("ping")
        path = put(root, "a", "First")
        wait_changed(t)
        has(listed(t)["skill"]["description"], "- a: First")
        put(root, "a", "Second", "Do it better.")
        wait_changed(t)
        has(listed(t)["skill"]["description"], "- a: Second")
        equal(load(t, "a")["content"][0]["text"], "Do it better.")
        path.unlink()
        wait_changed(t)
        equal(list(listed(t)), ALL_WITH_A2A)


@case
def over_http_built_in_tools_skills_and_servers_are_one_list(root):
    put(root, "a", "A")
    own = root / "own.toml"
    own.write_text(f'[[mcp.servers]]\nname = "ok"\ncommand = ["python3", "{SERVER}", "ok"]\n')
    with Serve("--config", str(own), root=root) as s:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        names = [x["name"] for x in s.post(body).json()["result"]["tools"]]
        built_in = READ_ONLY_TOOLS + ["skill"]
        equal(names[:len(built_in)], built_in)
        has(names[len(built_in):], "mcp_ok_env")
        body = {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": {"name": "skill", "arguments": {"name": "a"}}}
        equal(s.post(body).json()["result"]["content"][0]["text"], "Do it.")


main()
