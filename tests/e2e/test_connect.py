"""`trefoil connect`: the files of other programs, and that what they would start works."""
import json
import subprocess
import tomllib

from harness import DEADLINE, TREFOIL, case, environment, equal, has, main, run


def place(root):
    project, home = root / "p", root / "home"
    project.mkdir()
    home.mkdir()
    return project, {"HOME": str(home)}


def answers(entry, *methods, cwd=None):
    """Start what an entry names, as the other program would; the results of what it is asked."""
    asked = [("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                             "clientInfo": {"name": "e2e", "version": "1"}}), *methods]
    lines = [json.dumps({"jsonrpc": "2.0", "id": n, "method": method, "params": params}) + "\n"
             for n, (method, params) in enumerate(asked)]
    done = subprocess.run([entry["command"], *entry["args"]], capture_output=True, timeout=DEADLINE, cwd=cwd,
                          input="".join(lines).encode(), check=True,
                          env={**environment(), **entry.get("env", {})})
    got = {m.get("id"): m for m in map(json.loads, done.stdout.splitlines())}
    return [got[n]["result"] for n in range(len(asked))]


def initialize(entry):
    return answers(entry)[0]["serverInfo"]["name"]


JSON_CLIENTS = (("claude", ".mcp.json", None, "mcpServers"),
                ("cursor", ".cursor/mcp.json", ".cursor/mcp.json", "mcpServers"),
                ("gemini", ".gemini/settings.json", ".gemini/settings.json", "mcpServers"),
                ("vscode", ".vscode/mcp.json", ".config/Code/User/mcp.json", "servers"),
                ("zed", ".zed/settings.json", ".config/zed/settings.json", "context_servers"),
                ("opencode", "opencode.json", ".config/opencode/opencode.json", "mcp"),
                ("claude-desktop", None, ".config/Claude/claude_desktop_config.json", "mcpServers"))


def as_mcp(name):
    """The arguments of `connect` that register an MCP server; Zed can also start an ACP agent."""
    return ("connect", name, "--as", "mcp") if name == "zed" else ("connect", name)


def launched(entry):
    """The entry in the words of most programs; opencode and goose have others."""
    if isinstance(entry.get("command"), list):
        return {"command": entry["command"][0], "args": entry["command"][1:]}
    return {"command": entry.get("command") or entry["cmd"], "args": entry["args"]}


@case
def each_program_gets_its_file_and_it_works(root):
    project, env = place(root)
    for name, path, _, key in JSON_CLIENTS:
        if not path:
            continue
        path = project / path
        done = run(*as_mcp(name), root=project, **env)
        equal((done.returncode, done.stderr), (0, b""))
        has(done.stdout, f"wrote trefoil in {path}".encode())
        entry = json.loads(path.read_text())[key]["trefoil"]
        equal(launched(entry), {"command": TREFOIL, "args": ["mcp", "--root", str(project)]})
        equal(entry.get("type"), {"claude": "stdio", "vscode": "stdio", "opencode": "local"}.get(name))
        equal(initialize(launched(entry)), "trefoil")
        before = path.read_bytes()
        has(run(*as_mcp(name), root=project, **env).stdout, b"already present")
        equal(path.read_bytes(), before)
    equal(json.loads(run("config", "check", "--json", root=project, **env).stdout)["servers"], [])


def user_entry(home, name, path, key):
    text = (home / path).read_text()
    if name == "codex":
        return tomllib.loads(text)[key]["trefoil"]
    if name == "goose":  # no YAML in the standard library: what is written is plain enough
        lines = [line.strip() for line in text[text.index("trefoil:"):].splitlines()]
        pairs = dict(line.split(": ", 1) for line in lines if ": " in line)
        return {**pairs, "args": [line[2:].strip('"') for line in lines if line.startswith("- ")]}
    return json.loads(text)[key]["trefoil"]


@case
def the_users_file_names_no_project(root):
    """One entry serves all projects: trefoil takes the folder that it is started in."""
    project, env = place(root)
    home, other = root / "home", root / "other"
    other.mkdir()
    (other / "trefoil.toml").write_text("")
    for folder, words in ((project, "one"), (other, "two")):
        (folder / ".trefoil" / "agents").mkdir(parents=True)
        (folder / ".trefoil" / "agents" / f"{words}.md").write_text("---\ndescription: x.\n---\nYou help.\n")
    rows = [(name, user, key) for name, _, user, key in JSON_CLIENTS if user]
    rows += [("codex", ".codex/config.toml", "mcp_servers"), ("goose", ".config/goose/config.yaml", "extensions")]
    for name, path, key in rows:
        has_project = name not in ("claude-desktop", "codex", "goose")
        done = run(*as_mcp(name), *(["--user"] if has_project else []), cwd=project, **env)
        equal((name, done.returncode, done.stderr), (name, 0, b""))
        has(done.stdout, f"trefoil serves the folder in which {name} starts it".encode())
        entry = launched(user_entry(home, name, path, key))
        equal(entry, {"command": TREFOIL, "args": ["mcp"]})
        for folder, agent in ((project, "one"), (other, "two")):
            names = [t["name"] for t in answers(entry, ("tools/list", {}), cwd=folder)[1]["tools"]]
            has(names, f"trefoil_agent_{agent}")
        chosen = [*as_mcp(name), "--user", "--force"]
        equal(run(*chosen, root=other, **env).returncode, 0)
        equal(launched(user_entry(home, name, path, key))["args"], ["mcp", "--root", str(other)])
    equal([p.name for p in project.iterdir()], [".trefoil"])
    done = run("connect", "claude", "--user", root=project, **env)
    equal(done.returncode, 2)
    has(done.stderr, b"run: claude mcp add --scope user trefoil -- trefoil mcp")


@case
def where_the_environment_says_the_files_are(root):
    project, env = place(root)
    env.update(XDG_CONFIG_HOME=str(root / "xdg"), CODEX_HOME=str(root / "cx"))
    for name in ("codex", "goose", "opencode", "zed"):
        equal(run("connect", name, "--user", cwd=project, **env).returncode, 0)
    equal(sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()),
          ["cx/config.toml", "xdg/goose/config.yaml", "xdg/opencode/opencode.json", "xdg/zed/settings.json"])
    (project / "opencode.jsonc").write_text('{ // mine\n  "theme": "x"\n}\n')
    equal(run("connect", "opencode", root=project, **env).returncode, 0)
    equal([p.name for p in project.iterdir()], ["opencode.jsonc"])
    has((project / "opencode.jsonc").read_text(), "{ // mine\n")
    done = run("connect", "codex", cwd=project, HOME="", XDG_CONFIG_HOME="")
    equal(done.returncode, 2)
    has(done.stderr, b"HOME is not set")


@case
def the_default_scope_is_that_of_mcp(root):
    project, env = place(root)
    equal(run("connect", "cursor", root=project, **env).returncode, 0)
    entry = json.loads((project / ".cursor/mcp.json").read_text())["mcpServers"]["trefoil"]
    names = [t["name"] for t in answers(entry, ("tools/list", {}))[1]["tools"]]
    equal({"trefoil_agent_default", "list_agents", "file_read"} & set(names),
          {"trefoil_agent_default", "list_agents"})
    equal(run("connect", "cursor", "--scope", "tools", "--force", root=project, **env).returncode, 0)
    entry = json.loads((project / ".cursor/mcp.json").read_text())["mcpServers"]["trefoil"]
    equal(entry["args"], ["mcp", "--scope", "tools", "--root", str(project)])
    has([t["name"] for t in answers(entry, ("tools/list", {}))[1]["tools"]], "file_read")
    for args, text in ((("--scope", "everything"), b"expected agents, tools or all"),
                       (("--scope", "all", "--http", "http://h/mcp"), b"--scope cannot be combined")):
        done = run("connect", "cursor", *args, root=project, **env)
        equal(done.returncode, 2)
        has(done.stderr, text)


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
                      'env = { TREFOIL_PROVIDER = "offline" }\nsandbox = "off"\n')  # it has a state of its own
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
def a_running_server_by_its_url(root):
    project, env = place(root)
    url = "http://127.0.0.1:8733/mcp"
    equal(run("connect", "claude", "--http", url, root=project, **env).returncode, 0)
    equal(json.loads((project / ".mcp.json").read_text()),
          {"mcpServers": {"trefoil": {"type": "http", "url": url}}})
    equal(run("connect", "cursor", "--http", url, root=project, **env).returncode, 0)
    equal(json.loads((project / ".cursor/mcp.json").read_text())["mcpServers"]["trefoil"], {"url": url})
    for name, path, want in (("opencode", project / "opencode.json", {"type": "remote", "url": url, "enabled": True}),
                             ("gemini", project / ".gemini/settings.json", {"type": "http", "url": url}),
                             ("zed", project / ".zed/settings.json", {"url": url})):
        equal(run(*as_mcp(name), "--http", url, root=project, **env).returncode, 0)
        [entries] = json.loads(path.read_text()).values()
        equal(entries["trefoil"], want)
    equal(run("connect", "codex", "--http", url, root=project, **env).returncode, 0)
    equal(user_entry(root / "home", "codex", ".codex/config.toml", "mcp_servers"), {"url": url})
    equal(run("connect", "goose", "--http", url, root=project, **env).returncode, 0)
    has((root / "home/.config/goose/config.yaml").read_text(), f'type: streamable_http\n    name: trefoil\n')
    has((root / "home/.config/goose/config.yaml").read_text(), f'    uri: "{url}"\n')
    for args, text in ((("claude-desktop", "--http", url), b"does not support a URL"),
                       (("claude", "--http", "localhost"), b"--http needs a URL"),
                       (("nano",), b'unknown client "nano"; supported clients: claude'),
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
    changed = new.replace("--root", "--rooot")
    path.write_text(changed)
    done = run("connect", "claude", root=project, **env)
    equal(done.returncode, 1)
    has(done.stderr, b"has a different entry trefoil; --force replaces it")
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


@case
def toml_and_yaml_files_keep_their_bytes(root):
    project, env = place(root)
    home = root / "home"
    for name, path, old in (
            ("codex", ".codex/config.toml", '# my codex\nmodel = "o3" # best\n\n[mcp_servers.gh]\ncommand = "npx"\n'),
            ("goose", ".config/goose/config.yaml", "# my goose\nGOOSE_MODEL: x\nextensions:\n  # the developer\n"
             "  developer:\n    enabled: true\n    type: builtin\n\n# end\n")):
        path = home / path
        path.parent.mkdir(parents=True)
        path.write_text(old)
        path.chmod(0o600)
        equal(run("connect", name, cwd=project, **env).returncode, 0)
        new = path.read_text()
        for line in old.splitlines():
            has(new, line + "\n")
        has(new.replace('"', ""), "args = [mcp]" if name == "codex" else "    args:\n      - mcp\n")
        equal(path.stat().st_mode & 0o777, 0o600)
        has(run("connect", name, cwd=project, **env).stdout, b"already present")
        path.write_text(new.replace(TREFOIL, "/elsewhere"))
        done = run("connect", name, cwd=project, **env)
        equal(done.returncode, 1)
        has(done.stderr, b"has a different entry trefoil; --force replaces it")
        equal(run("connect", name, "--force", cwd=project, **env).returncode, 0)
        equal(path.read_text(), new)


@case
def what_cannot_be_edited_is_left_alone_and_shown(root):
    project, env = place(root)
    home = root / "home"
    for name, path, text in (("codex", ".codex/config.toml", "model = \n"),
                             ("codex", ".codex/config.toml", "mcp_servers = { x = {} }\n"),
                             ("goose", ".config/goose/config.yaml", "extensions: [\n"),
                             ("goose", ".config/goose/config.yaml", "extensions: {developer: {enabled: true}}\n"),
                             ("goose", ".config/goose/config.yaml", "a: &x 1\nb: *x\n")):
        path = home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        done = run("connect", name, cwd=project, **env)
        equal((text, done.returncode, done.stdout), (text, 1, b""))
        has(done.stderr, path.name.encode() + b":")
        has(done.stderr, f"to add the entry by hand, see: trefoil connect {name} --print\n".encode())
        equal(([p.name for p in path.parent.iterdir()], path.read_text()), ([path.name], text))
    shown = run("connect", "codex", "--print", cwd=project, **env)
    equal(tomllib.loads(shown.stdout.decode()), {"mcp_servers": {"trefoil": {"command": TREFOIL, "args": ["mcp"]}}})
    has(shown.stderr, f"add this entry to {home}/.codex/config.toml".encode())


@case
def the_users_links_are_followed(root):
    """Dotfile managers keep the files elsewhere and link them."""
    project, env = place(root)
    dots = root / "dots"
    dots.mkdir()
    (dots / "codex.toml").write_text("model = 'x'\n")
    (root / "home/.codex").mkdir()
    link = root / "home/.codex/config.toml"
    link.symlink_to(dots / "codex.toml")
    equal(run("connect", "codex", cwd=project, **env).returncode, 0)
    equal(link.is_symlink(), True)
    has((dots / "codex.toml").read_text(), "model = 'x'\n\n[mcp_servers.trefoil]\n")
    link.unlink()
    link.symlink_to(dots / "none.toml")
    done = run("connect", "codex", cwd=project, **env)
    equal((done.returncode, link.is_symlink()), (1, True))
    has(done.stderr, b"is a symbolic link to a file that does not exist")


@case
def links_of_a_project_are_not_written_through(root):
    """A cloned repository brings links; what they lead to is not its to change."""
    project, env = place(root)
    victim, folder = root / "victim", root / "folder"
    folder.mkdir()
    for name, link, target in (("claude", ".mcp.json", victim), ("cursor", ".cursor", folder),
                               ("vscode", ".vscode/mcp.json", victim), ("opencode", "opencode.json", victim)):
        for text in ("{}", None):
            victim.write_text(text) if text else victim.unlink()
            path = project / link
            path.parent.mkdir(exist_ok=True)
            path.symlink_to(target)
            done = run("connect", name, root=project, **env)
            equal((name, text, done.returncode, done.stdout), (name, text, 1, b""))
            has(done.stderr, b"trefoil: ")
            equal((path.is_symlink(), list(folder.iterdir())), (True, []))
            equal(victim.read_text() if victim.exists() else None, text)
            path.unlink()
    inner = project / "real.json"
    inner.write_text("{}")
    (project / ".mcp.json").symlink_to("real.json")
    done = run("connect", "claude", root=project, **env)
    equal(done.returncode, 1)
    has(done.stderr, b".mcp.json is a symbolic link; trefoil does not write through links")
    equal(inner.read_text(), "{}")
    (project / "trefoil.toml").symlink_to(victim)
    victim.write_text("# mine\n")
    done = run("servers", "add", "x", "http://h.example/", root=project, **env)
    equal((done.returncode, victim.read_text()), (1, "# mine\n"))
    has(done.stderr, b"trefoil.toml is a symbolic link")
    (project / "trefoil.toml").unlink()
    (project / ".trefoil").symlink_to(folder)
    done = run("init", root=project, **env)
    equal((done.returncode, list(folder.iterdir())), (1, []))


@case
def outside_of_a_project_there_is_no_file_of_it(root):
    _, env = place(root)
    done = run("connect", "cursor", cwd=root / "home", **env)
    equal(done.returncode, 2)
    has(done.stderr, b"this folder is not a project; use --user or --root DIR")
    equal(run("connect", "cursor", "--user", cwd=root / "home", **env).returncode, 0)


# ---- as an ACP agent ----------------------------------------------------------------------------

@case
def zed_and_jetbrains_start_an_agent(root):
    """One entry for all projects: the editor names the folder of each session."""
    project, env = place(root)
    for name, path in (("zed", ".config/zed/settings.json"), ("jetbrains", ".jetbrains/acp.json")):
        path = root / "home" / path
        path.parent.mkdir(parents=True)
        path.write_text('{\n  // mine\n  "agent_servers": {"other": {"command": "x"}},\n}\n')
        done = run("connect", name, cwd=project, **env)
        equal((name, done.returncode, done.stderr), (name, 0, b""))
        has(done.stdout, f"wrote trefoil in {path}".encode())
        text = path.read_text()
        has(text, "// mine\n")
        has(run("connect", name, cwd=project, **env).stdout, b"already present")
        equal(path.read_text(), text)
        shown = json.loads(run("connect", name, "--print", "--agent", "planner", cwd=project, **env).stdout)
        want = {"command": TREFOIL, "args": ["acp", "--agent", "planner"], "env": {}}
        if name == "zed":
            want["type"] = "custom"
        equal(shown, {"agent_servers": {"trefoil": want}})
    equal(list(project.iterdir()), [])


@case
def emacs_and_neovim_get_code_to_paste(root):
    project, env = place(root)
    for name, words in (("emacs", ("agent-shell-make-agent-config", f':command "{TREFOIL}"',
                                   """:command-params '("acp")""")),
                        ("neovim", (f'commands = {{ default = {{ "{TREFOIL}", "acp" }} }}',
                                    f'trefoil = {{ command = "{TREFOIL}", args = {{ "acp" }} }}'))):
        done = run("connect", name, cwd=project, **env)
        equal((name, done.returncode), (name, 0))
        for text in words:
            has(done.stdout.decode(), text)
        for one, other in ("()", "{}"):
            equal(done.stdout.count(one.encode()), done.stdout.count(other.encode()))
        has(done.stderr, f"to your {name.capitalize()} configuration".encode())
    equal((list(project.iterdir()), list((root / "home").iterdir())), ([], []))


@case
def options_of_the_other_role_are_refused(root):
    project, env = place(root)
    for args, text in ((("zed", "--as", "lsp"), b"--as lsp: expected acp or mcp"),
                       (("cursor", "--as", "acp"), b"cursor cannot start trefoil as an ACP agent"),
                       (("emacs", "--as", "mcp"), b"emacs cannot start trefoil as an MCP server"),
                       (("cursor", "--agent", "x"), b"--agent is only for a client that starts trefoil as an agent"),
                       (("zed", "--scope", "all"), b"--http and --scope are only for MCP servers"),
                       (("zed", "--http", "http://h/"), b"--http and --scope are only for MCP servers")):
        done = run("connect", *args, cwd=project, **env)
        equal((args, done.returncode), (args, 2))
        has(done.stderr, text)
    done = run("connect", "zed", root=project, **env)
    equal(done.returncode, 2)
    has(done.stderr, b"--root cannot be used here: zed names the folder of each session")
    equal((list(project.iterdir()), list((root / "home").iterdir())), ([], []))


main()
