"""`trefoil connect`: the files of other programs, and that what they would start works."""
import json
import subprocess

from harness import DEADLINE, TREFOIL, case, environment, equal, has, main, run


def place(root):
    project, home = root / "p", root / "home"
    project.mkdir()
    home.mkdir()
    return project, {"HOME": str(home)}


def answers(entry, *methods):
    """Start what an entry names, as the other program would; the results of what it is asked."""
    asked = [("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                             "clientInfo": {"name": "e2e", "version": "1"}}), *methods]
    lines = [json.dumps({"jsonrpc": "2.0", "id": n, "method": method, "params": params}) + "\n"
             for n, (method, params) in enumerate(asked)]
    done = subprocess.run([entry["command"], *entry["args"]], capture_output=True, timeout=DEADLINE,
                          input="".join(lines).encode(), check=True,
                          env={**environment(), **entry.get("env", {})})
    got = {m.get("id"): m for m in map(json.loads, done.stdout.splitlines())}
    return [got[n]["result"] for n in range(len(asked))]


def initialize(entry):
    return answers(entry)[0]["serverInfo"]["name"]


@case
def each_program_gets_its_file_and_it_works(root):
    project, env = place(root)
    for name, path, key in (("claude", project / ".mcp.json", "mcpServers"),
                            ("cursor", project / ".cursor/mcp.json", "mcpServers"),
                            ("vscode", project / ".vscode/mcp.json", "servers"),
                            ("claude-desktop", root / "home/.config/Claude/claude_desktop_config.json",
                             "mcpServers")):
        done = run("connect", name, root=project, **env)
        equal((done.returncode, done.stderr), (0, b""))
        has(done.stdout, f"wrote trefoil in {path}".encode())
        entry = json.loads(path.read_text())[key]["trefoil"]
        equal(entry["command"], TREFOIL)
        equal(entry["args"], ["mcp", "--scope", "all", "--root", str(project)])
        equal(entry.get("type"), "stdio" if name in ("claude", "vscode") else None)
        equal(entry.get("env"), {} if name == "claude-desktop" else None)
        equal(initialize(entry), "trefoil")
        before = path.read_bytes()
        has(run("connect", name, root=project, **env).stdout, b"already there")
        equal(path.read_bytes(), before)
    equal(json.loads(run("config", "check", "--json", root=project, **env).stdout)["servers"], [])


@case
def all_agents_appear_as_tools(root):
    project, env = place(root)
    folder = project / ".claude" / "agents"
    folder.mkdir(parents=True)
    for name in ("code-reviewer", "planner"):
        (folder / f"{name}.md").write_text(f"---\ndescription: {name}.\n---\nYou help.\n")
    equal(run("connect", "cursor", root=project, **env).returncode, 0)
    entry = json.loads((project / ".cursor/mcp.json").read_text())["mcpServers"]["trefoil"]
    names = [t["name"] for t in answers(entry, ("tools/list", {}))[1]["tools"]]
    equal([n for n in names if n.startswith("trefoil_agent_")],
          ["trefoil_agent_code_reviewer", "trefoil_agent_default", "trefoil_agent_planner"])


@case
def an_entry_under_another_name_serves_the_agents_of_its_root(root):
    project, _ = place(root)
    (project / ".vaultspec" / "agents").mkdir(parents=True)
    (project / ".vaultspec" / "agents" / "planner.md").write_text("---\ntier: HIGH\n---\nYou plan.\n")
    entry = {"command": TREFOIL, "args": ["mcp", "--root", str(project)],
             "env": {"TREFOIL_PROVIDER": "offline"}}
    (root / "mcp.json").write_text(json.dumps({"mcpServers": {"vs-subagent-mcp": entry}}))
    read = json.loads((root / "mcp.json").read_text())["mcpServers"]["vs-subagent-mcp"]
    _, listed, done = answers(
        read, ("tools/call", {"name": "list_agents", "arguments": {}}),
        ("tools/call", {"name": "dispatch_agent",
                        "arguments": {"agent": "planner", "task": "/echo planned", "wait": 60}}))
    has([(a["name"], a.get("tier")) for a in listed["structuredContent"]["agents"]], ("planner", "high"))
    equal(done["structuredContent"]["result"]["response"], "planned")
    # The same entry in a file of ours: trefoil is the host that starts it.
    config = root / "own.toml"
    config.write_text(f'[[mcp.servers]]\nname = "vs-subagent-mcp"\ncommand = {json.dumps([TREFOIL, *entry["args"]])}\n'
                      'env = { TREFOIL_PROVIDER = "offline" }\n')
    host = root / "host"
    host.mkdir()
    called = run("tools", "call", "mcp_vs_subagent_mcp_list_agents", "{}", "--config", str(config), root=host)
    has(called.stdout, b"planner")


@case
def print_writes_nothing(root):
    project, env = place(root)
    done = run("connect", "vscode", "--print", root=project, **env)
    equal(json.loads(done.stdout)["servers"]["trefoil"]["type"], "stdio")
    equal(list(project.iterdir()), [])


@case
def for_all_projects_of_the_user(root):
    project, env = place(root)
    for name, path in (("cursor", ".cursor/mcp.json"), ("vscode", ".config/Code/User/mcp.json")):
        equal(run("connect", name, "--user", root=project, **env).returncode, 0)
        has((root / "home" / path).read_text(), '"trefoil"')
    equal(list(project.iterdir()), [])
    done = run("connect", "claude", "--user", root=project, **env)
    equal(done.returncode, 2)
    has(done.stderr, b"leave --user")


@case
def a_running_server_by_its_url(root):
    project, env = place(root)
    url = "http://127.0.0.1:8733/mcp"
    equal(run("connect", "claude", "--http", url, root=project, **env).returncode, 0)
    equal(json.loads((project / ".mcp.json").read_text()),
          {"mcpServers": {"trefoil": {"type": "http", "url": url}}})
    equal(run("connect", "cursor", "--http", url, root=project, **env).returncode, 0)
    equal(json.loads((project / ".cursor/mcp.json").read_text())["mcpServers"]["trefoil"], {"url": url})
    for args, text in ((("claude-desktop", "--http", url), b"takes no URL"),
                       (("claude", "--http", "localhost"), b"--http needs a URL"),
                       (("emacs",), b'unknown client "emacs"; accepted are: claude'),
                       ((), b"missing CLIENT")):
        done = run("connect", *args, root=project, **env)
        equal(done.returncode, 2)
        has(done.stderr, text)


@case
def what_is_there_keeps_its_bytes(root):
    project, env = place(root)
    path = project / ".mcp.json"
    old = '{\n    // ours\n    "mcpServers": {\n        "gh": {"command":"npx"}, // one\n    },\n' \
          '    "x" : [ 1,2 ]\n}\n'
    path.write_text(old)
    path.chmod(0o640)
    equal(run("connect", "claude", root=project, **env).returncode, 0)
    new = path.read_text()
    for line in old.splitlines():
        has(new, line + "\n")
    has(new, '        "trefoil": {\n            "type": "stdio",\n')
    equal(path.stat().st_mode & 0o777, 0o640)
    changed = new.replace("--scope", "--scoop")
    path.write_text(changed)
    done = run("connect", "claude", root=project, **env)
    equal(done.returncode, 1)
    has(done.stderr, b"has another entry trefoil; --force replaces it")
    equal(path.read_text(), changed)
    equal(run("connect", "claude", "--force", root=project, **env).returncode, 0)
    equal(path.read_text(), new)


@case
def a_file_that_is_not_understood_is_left_alone(root):
    project, env = place(root)
    path = project / ".mcp.json"
    for text in ("{", "[]", '{"mcpServers": 1}', '{"mcpServers": {}, "mcpServers": {}}'):
        path.write_text(text)
        done = run("connect", "claude", root=project, **env)
        equal(done.returncode, 1)
        has(done.stderr, b".mcp.json:1:")
        equal(path.read_text(), text)
    equal([p.name for p in project.iterdir()], [".mcp.json"])


main()
