"""Agents as files define them: the verbs agents and init, config check and doctor."""
import json
import os

from harness import case, equal, has, main, run
from upstream import StdioGateway

CLAUDE = """---
name: reviewer
description: Use this agent when: code changed. Examples: <example>Context: a diff</example>
tools: Read, Grep, Bash(git diff:*)
model: sonnet
color: red
---
You review changes.

@style.md
"""


def put(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@case
def init_writes_what_works_and_never_overwrites(root):
    done = run("init", root=root)
    equal(done.returncode, 0)
    files = ["trefoil.toml", ".trefoil/agents/helper.md", ".trefoil/.gitignore"]
    for name in files:
        has(done.stdout, f"wrote {root}/{name}".encode())
    equal(run("config", "check", root=root).returncode, 0)
    agents = json.loads(run("agents", "--json", root=root).stdout)
    equal([a["name"] for a in agents], ["default", "helper"])
    (root / "trefoil.toml").write_text("# mine\n")
    os.remove(root / ".trefoil/.gitignore")
    again = json.loads(run("init", "--json", root=root).stdout)
    equal([f["written"] for f in again], [False, False, True])
    equal((root / "trefoil.toml").read_text(), "# mine\n")


@case
def what_init_shows_as_an_example_is_right(root):
    run("init", root=root)
    for name, mark in (("trefoil.toml", "# "), (".trefoil/agents/helper.md", "# ")):
        lines = (root / name).read_text().splitlines()
        keep = [line[2:] if line.startswith(("# [", "# name", "# command", "# allowed", "# desc",
                                             "# mode", "# persona", "# execute", "# delete", "# fetch", "# edit", "# listen", "# level", "# tier",
                                             "# tools", "# max_turns")) else line for line in lines]
        (root / name).write_text("\n".join(keep) + "\n")
    done = run("config", "check", root=root)
    equal(done.returncode, 0)
    has(done.stdout, b"agent reviewer (")
    helper = json.loads(run("agents", "show", "helper", "--json", root=root).stdout)
    equal(helper["mode"], "read-only")
    equal(helper["allowed_tools"], ["file_read", "grep", "Bash(git diff:*)"])


@case
def agents_of_all_files_are_listed(root):
    put(root, ".claude/agents/reviewer.md", CLAUDE)
    put(root, ".claude/agents/style.md", "Be brief.")
    put(root, ".vaultspec/agents/planner.md", "---\ntier: HIGH\nmode: read-only\n---\nYou plan.\n")
    put(root, "agents/coder/agent.json", '{ // its tools\n "mcp": {"expose_tools": ["file_read"]} }')
    put(root, "trefoil.toml", '[[agents]]\nname = "small"\ndescription = "A small one"\n')
    done = run("agents", "--json", root=root)
    agents = {a["name"]: a for a in json.loads(done.stdout)}
    equal(sorted(agents), ["coder", "default", "planner", "reviewer", "small"])
    equal(agents["planner"]["tier"], "high")
    equal(agents["planner"]["mode"], "read-only")
    equal(agents["reviewer"]["model"], "sonnet")
    equal(agents["reviewer"]["origin"], ".claude/agents/reviewer.md:1")
    has(agents["reviewer"]["description"], "<example>Context: a diff</example>")
    has(done.stderr, b"reviewer.md:3:")
    has(done.stderr, b"read line by line instead")
    text = run("agents", root=root).stdout
    has(text, b"small                read-write -")
    has(text, b"A small one")


@case
def other_files_are_no_agents(root):
    put(root, ".trefoil/agents/bare.yaml", "name: bare\ndescription: d\npersona: You help.\n")
    put(root, ".claude/agents/bare.yml", "name: bare\ndescription: d\n")
    put(root, "agents/bare/agent.yaml", "name: bare\n")
    put(root, ".trefoil/agents/real.md", "You help.")
    names = [a["name"] for a in json.loads(run("agents", "--json", root=root).stdout)]
    equal(("real" in names, "bare" in names), (True, False))


@case
def one_agent_is_shown_with_its_prompt(root):
    put(root, ".claude/agents/reviewer.md", CLAUDE)
    put(root, ".claude/agents/style.md", "Be brief.")
    put(root, ".claude/CLAUDE.md", "Use make.")
    put(root, ".claude/rules/kind.md", "Be kind.")
    put(root, "AGENTS.md", "Run the tests.")
    shown = json.loads(run("agents", "show", "reviewer", "--json", root=root).stdout)
    equal(shown["allowed_tools"], ["Read", "Grep", "Bash(git diff:*)"])
    equal(shown["tier"], "medium")
    equal(shown["persona"], "You review changes.\n\nBe brief.")
    has(run("agents", "show", "reviewer", root=root).stdout, b"allowed_tools     Read, Grep, Bash(git")
    prompt = run("agents", "show", "reviewer", "--prompt", root=root).stdout.decode()
    order = ["You review changes.", "Be brief.", "Be kind.", "Run the tests.", "Use make."]
    equal(sorted(order, key=prompt.index), order)
    equal(json.loads(run("agents", "show", "reviewer", "--prompt", "--json", root=root).stdout),
          {"prompt": prompt[:-1]})


@case
def a_wrong_definition_is_left_out_and_said(root):
    put(root, ".trefoil/agents/good.md", "You are good.")
    put(root, ".trefoil/agents/odd.md", "---\ntier: huge\n---\n")
    put(root, ".claude/agents/odd.md", "---\nname: odd\n---\nWeaker.\n")
    done = run("agents", root=root)
    equal(done.returncode, 0)
    has(done.stdout, b"good ")
    has(done.stdout, b"skipped: .trefoil/agents/odd.md:2:7: tier: expected low, medium or high")
    done = run("config", "check", root=root)
    equal(done.returncode, 2)
    has(done.stdout, b"agent odd (.trefoil/agents/odd.md:1): skipped")
    check = json.loads(run("config", "check", "--json", root=root).stdout)
    equal(check["ok"], False)
    equal([a["name"] for a in check["agents"] if "error" in a], ["odd"])
    has(run("doctor", root=root).stdout, b"1 agents, 1 skipped")
    done = run("agents", "show", "odd", root=root)
    equal(done.returncode, 2)
    has(done.stderr, b"odd.md:2:7: tier")
    has(run("agents", "show", "nobody", root=root).stderr, b"there is no agent nobody")
    equal(run("agents", "frob", root=root).returncode, 2)


@case
def what_a_file_says_cannot_play_tricks_on_the_terminal(root):
    put(root, ".trefoil/agents/a.md", '---\ndescription: "x\\e[31mred"\nmodel: "m\\u202e"\n---\n')
    text = run("agents", root=root).stdout + run("agents", "show", "a", root=root).stdout
    equal(b"\x1b" in text, False)
    has(text, b"\\u{1b}[31mred")


@case
def an_agent_in_markdown_exports_tools_too(root):
    put(root, ".trefoil/agents/clock.md",
        "---\nmcp:\n  expose_tools: [system_time]\n---\nYou tell the time.\n")
    with StdioGateway("--agent", "clock", root=root) as gate:
        hello = gate.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                        "clientInfo": {"name": "t", "version": "1"}})
        equal(hello["result"]["serverInfo"]["name"], "clock")
        tools = gate.ask("tools/list")["result"]["tools"]
        equal([t["name"] for t in tools], ["system_time"])


@case
def the_default_agent_is_shown_like_the_others(root):
    listed = json.loads(run("agents", "--json", root=root).stdout)
    equal([(a["name"], a["origin"]) for a in listed], [("default", "built in")])
    has(run("agents", root=root).stdout, b"default ")
    shown = json.loads(run("agents", "show", "default", "--json", root=root).stdout)
    equal((shown["name"], shown["origin"]), ("default", "built in"))
    has(run("agents", "show", "default", "--prompt", root=root).stdout, b"You are an experienced engineer")
    equal(run("agents", "show", "nobody", root=root).returncode, 2)
    folder = root / ".trefoil" / "agents"
    folder.mkdir(parents=True)
    (folder / "default.md").write_text("---\ndescription: Ours.\n---\nYou help.\n")
    [shown] = json.loads(run("agents", "--json", root=root).stdout)
    equal(shown["description"], "Ours.")


main()
