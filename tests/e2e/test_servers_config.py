"""Servers in configuration files: what check says of them, trust, and the verbs that edit."""
import json
import os
import pty
import stat
import subprocess
import tomllib

from harness import DEADLINE, TREFOIL, Serve, Stdio, case, environment, equal, has, main, run

TOML = """# what we use
[[mcp.servers]]
name = "filesystem"
command = ["mcp-server-filesystem", "/workspace"]

[[mcp.servers]]
name = "database"
command = ["mcp-server-postgres"]
env = { DATABASE_URL = "postgres://localhost/mydb", DB_TOKEN = "sesame-1" }
allowed_tools = ["query", "list_tables"]

# away
[[mcp_servers]]
name = "remote"
[mcp_servers.transport]
type = "sse"
url = "https://mcp.example.com/events?key=sesame-2"
"""


def place(root, toml=TOML):
    """A project and a home of its own."""
    project, home = root / "p", root / "home"
    project.mkdir()
    home.mkdir()
    (project / "trefoil.toml").write_text(toml)
    return project, {"HOME": str(home)}


def trefoil(project, *args, **env):
    return run("--root", str(project), *args, **env)


def check(project, **env):
    done = trefoil(project, "config", "check", "--json", **env)
    equal(done.returncode, 0)
    return json.loads(done.stdout)


def states(project, **env):
    return {s["name"]: s["trusted"] for s in check(project, **env)["servers"]}


@case
def check_shows_servers_and_what_is_to_be_said(root):
    project, env = place(root)
    done = trefoil(project, "config", "check", **env)
    equal(done.returncode, 0)
    has(done.stdout, b"server filesystem (trefoil.toml:2, stdio): mcp-server-filesystem /workspace; "
                     b"not trusted; run trefoil trust\n")
    has(done.stdout, b"server remote (trefoil.toml:13, sse): https://mcp.example.com/events?***;")
    has(done.stdout, b"warn trefoil.toml:2: server filesystem has no allowed_tools: all its tools are "
                     b"available\n")
    has(done.stdout, b"trefoil.toml:9:64: the secret DB_TOKEN is stored in the file")
    if b"database has no allowed_tools" in done.stdout or b"sesame" in done.stdout + done.stderr:
        raise AssertionError(done.stdout)
    got = check(project, **env)
    equal([s["transport"] for s in got["servers"]], ["stdio", "stdio", "sse"])
    equal([s["trusted"] for s in got["servers"]], [False] * 3)
    equal(len(got["warnings"]), 4)
    equal(got["warnings"][3], "these servers are not trusted and not started: filesystem, database, remote; `trefoil trust` "
                              "shows and accepts them")


@case
def a_server_verb_logs_what_is_amiss(root):
    project, env = place(root)
    with Stdio(root=project, **env) as mcp:
        mcp.initialize()
        has(mcp.process.stderr.readline(), b"no allowed_tools")


@case
def mistakes_are_said_with_their_place(root):
    project, env = place(root, "[[mcp.servers]]\nname = 'x'\ncomand = 'y'\n")
    for verb in (("config", "check"), ("trust", "--yes"), ("servers", "remove", "x")):
        done = trefoil(project, *verb, **env)
        equal(done.returncode, 2)
        has(done.stderr, b'trefoil.toml:3:1: mcp.servers[0].comand: unknown key; did you mean "command"?')
    (project / "trefoil.toml").write_text("")
    (project / ".mcp.json").write_text('{"mcpServers": {"x": {"command": "y", "odd": 1}, "z": 3}}')
    done = trefoil(project, "config", "check", **env)
    equal(done.returncode, 0)
    has(done.stdout, b".mcp.json:1:39: unknown key mcpServers.x.odd is ignored")
    has(done.stdout, b"mcpServers.z: expected an object, found a number; this server is skipped")


@case
def trust_is_given_shown_and_lost_by_a_change(root):
    project, env = place(root)
    done = trefoil(project, "trust", stdin=b"", **env)
    equal(done.returncode, 2)
    has(done.stderr, b"--yes accepts what is shown")
    equal(set(states(project, **env).values()), {False})
    done = trefoil(project, "trust", "--yes", **env)
    equal(done.returncode, 0)
    for part in (b"filesystem  (trefoil.toml:2)", b"mcp-server-filesystem /workspace",
                 b"DATABASE_URL DB_TOKEN", b"https://mcp.example.com/events?***"):
        has(done.stdout, part)
    if b"sesame" in done.stdout or b"mydb" in done.stdout:
        raise AssertionError(done.stdout)
    equal(set(states(project, **env).values()), {True})
    store = root / "home/.local/state/trefoil/trust.json"
    equal(stat.S_IMODE(store.stat().st_mode), 0o600)
    if "sesame" in store.read_text():
        raise AssertionError(store.read_text())
    (project / "trefoil.toml").write_text("\n" + TOML.replace('"/workspace"', '"/"'))
    equal(states(project, **env), {"filesystem": False, "database": True, "remote": True})
    has(trefoil(project, "servers", "approve", "--yes", **env).stdout, b"accepted")
    equal(set(states(project, **env).values()), {True})
    equal(trefoil(project, "trust", "--revoke", **env).returncode, 0)
    equal(set(states(project, **env).values()), {False})
    done = trefoil(project, "trust", "--json", **env)
    equal((done.returncode, done.stdout), (2, b""))
    equal(json.loads(trefoil(project, "trust", "--json", "--yes", **env).stdout),
          {"trusted": ["filesystem", "database", "remote"], "waiting": [],
           "trusted_agents": [], "waiting_agents": [], "trusted_rules": [], "waiting_rules": []})
    equal(json.loads(trefoil(project, "trust", "--json", "--revoke", **env).stdout),
          {"trusted": [], "waiting": ["filesystem", "database", "remote"],
           "trusted_agents": [], "waiting_agents": [], "trusted_rules": [], "waiting_rules": []})
    done = trefoil(project, "config", "check", "--json", "--trust", **env)
    equal({s["trusted"] for s in json.loads(done.stdout)["servers"]}, {True})
    equal(set(states(project, **env).values()), {False})


@case
def trust_asks_on_a_terminal(root):
    project, env = place(root)
    for answer, code, trusted in ((b"n\n", 1, False), (b"\n", 1, False), (b"y\n", 0, True)):
        ours, theirs = pty.openpty()
        with subprocess.Popen([TREFOIL, "trust", "--root", str(project)], stdin=theirs, stdout=theirs,
                              stderr=theirs, env=environment(**env)) as p:
            os.write(ours, answer)
            equal(p.wait(DEADLINE), code)
        os.close(theirs)
        os.close(ours)
        equal(set(states(project, **env).values()), {trusted})


@case
def what_is_shown_cannot_hide_anything(root):
    project, env = place(root, '[[mcp.servers]]\nname="x"\ncommand=["sh","-c","evil\\u001b[2K\\rnice"]\n'
                               'env={"A\\u202eB"="c"}\n')
    done = trefoil(project, "trust", "--yes", **env)
    has(done.stdout, rb"sh -c 'evil\u{1b}[2K\u{d}nice'")
    has(done.stdout, rb"A\u{202e}B")
    (project / "trefoil.toml").write_text('[mcp]\n"\\u001b[2J" = 1\n')
    done = trefoil(project, "config", "check", **env)
    has(done.stderr, rb"mcp.\u{1b}[2J: unknown key")
    (project / "trefoil.toml").write_text("")
    (project / ".mcp.json").write_text('{"mcpServers": {"x": {"command": {"\\u001b[2J": 1}}, "\\u001b": {}}}')
    done = trefoil(project, "config", "check", **env)
    if b"\x1b" in done.stdout + done.stderr:
        raise AssertionError(done)


@case
def the_users_own_servers_need_no_trust(root):
    project, env = place(root, "")
    own = root / "home/.config/trefoil"
    own.mkdir(parents=True)
    (own / "config.toml").write_text("[[mcp.servers]]\nname = 'mine'\ncommand = 'x'\n")
    equal(states(project, **env), {"mine": True})
    has(trefoil(project, "trust", **env).stdout, b"the files of this project define no MCP server")


@case
def servers_of_other_agents_are_imported_when_named(root):
    project, env = place(root, "")
    home = root / "home"
    for path, text in ((project / ".gemini/settings.json", '{"mcpServers": {"ge": {"command": "x"}}}'),
                       (project / "opencode.json", '{"mcp": {"op": {"type": "local", "command": ["x", "y"]}}}'),
                       (home / ".gemini/settings.json", '{"mcpServers": {"ge-user": {"httpUrl": "http://h/"}}}'),
                       (home / ".config/opencode/opencode.jsonc",
                        '{"mcp": { // mine\n"op-user": {"type": "remote", "url": "http://h/"}}}'),
                       (home / ".codex/config.toml", '[mcp_servers.co]\ncommand = "x"\n'),
                       (home / ".config/goose/config.yaml", "extensions:\n  go:\n    type: stdio\n    cmd: x\n"
                        "    args: []\n    enabled: true\n    name: go\n")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    equal(states(project, **env), {})
    own = home / ".config/trefoil/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[mcp]\nimport = ["gemini", "opencode", "gemini-user", "opencode-user", "codex", "goose"]\n')
    equal(states(project, **env), {"ge": False, "op": False, "ge-user": True, "op-user": True, "co": True,
                                   "go": True})
    own.unlink()
    (project / "trefoil.toml").write_text('[mcp]\nimport = ["codex"]\n')
    equal(states(project, **env), {"co": False})
    (project / "trefoil.toml").write_text('[mcp]\nimport = ["codx"]\n')
    done = trefoil(project, "config", "check", **env)
    equal(done.returncode, 2)
    has(done.stderr, b'unknown source "codx"; did you mean "codex"?')


@case
def add_enable_disable_remove(root):
    project, env = place(root)
    done = trefoil(project, "servers", "add", "--env", "A=b c", "--env", "PASSED", "new", "--", "npx",
                   "-y", "pkg", "--flag", **env)
    equal((done.returncode, done.stderr), (0, b""))
    added = '\n[[mcp.servers]]\nname = "new"\ncommand = ["npx", "-y", "pkg", "--flag"]\n' \
            'env = ["A=b c", "PASSED"]\n'
    equal((project / "trefoil.toml").read_text(), TOML + added)
    equal(states(project, **env), {"filesystem": False, "database": False, "remote": False,
                                   "new": True})
    done = trefoil(project, "servers", "disable", "new", **env)
    equal(done.returncode, 0)
    has((project / "trefoil.toml").read_text(), '[[mcp.servers]]\nenabled = false\nname = "new"')
    equal(states(project, **env)["new"], True)
    has(trefoil(project, "config", "check", **env).stdout, b"--flag; disabled\n")
    has(trefoil(project, "servers", "disable", "new", **env).stdout, b"already disabled: new in ")
    equal(trefoil(project, "servers", "enable", "new", **env).returncode, 0)
    equal(states(project, **env)["new"], True)
    equal(trefoil(project, "servers", "disable", "remote", **env).returncode, 0)
    equal(states(project, **env)["remote"], False)
    equal(trefoil(project, "servers", "enable", "remote", **env).returncode, 0)
    equal(trefoil(project, "servers", "remove", "new", **env).returncode, 0)
    text = (project / "trefoil.toml").read_text()
    equal(text.replace("enabled = true\n", ""), TOML + "\n")
    equal(sorted(states(project, **env)), ["database", "filesystem", "remote"])


@case
def add_to_nothing_and_to_the_users_file(root):
    project, env = place(root)
    (project / "trefoil.toml").unlink()
    done = trefoil(project, "servers", "add", "web", "--url", "https://h.example/mcp", "--header",
                   "Authorization: env:HOME", "--header", "X-B:  c ", **env)
    equal((done.returncode, done.stderr), (0, b""))
    equal((project / "trefoil.toml").read_text(),
          '[a2a]\nenabled = true\n\n[[mcp.servers]]\nname = "web"\nurl = "https://h.example/mcp"\n'
          'headers = { Authorization = "env:HOME", X-B = "c" }\n')
    done = trefoil(project, "servers", "add", "mine", "--user", "--", "x", **env)
    equal((done.returncode, done.stderr), (0, b""))
    own = root / "home/.config/trefoil/config.toml"
    equal(own.read_text(), '[[mcp.servers]]\nname = "mine"\ncommand = ["x"]\n')
    equal(stat.S_IMODE(own.stat().st_mode), 0o600)
    equal(states(project, **env), {"web": True, "mine": True})
    done = trefoil(project, "servers", "remove", "mine", **env)
    equal(done.returncode, 2)
    has(done.stderr, b"trefoil.toml has no server mine; it is defined in ")
    has(done.stderr, b"use --user")
    equal(trefoil(project, "servers", "remove", "mine", "--user", **env).returncode, 0)
    equal(own.read_text(), "")


@case
def what_is_refused_writes_nothing(root):
    project, env = place(root)
    (project / ".mcp.json").write_text('{"mcpServers": {"theirs": {"command": "x"}}}')
    for args, text in ((("add",), b"servers add: missing NAME\nusage: trefoil servers add NAME URL"),
                       (("add", "x"), b'the server "x" needs a URL or a command'),
                       (("add", "x", "--url", "http://h/", "--", "y"), b'argument "y" after the URL'),
                       (("add", "database", "--", "y"), b"named database already exists in trefoil.toml:6"),
                       (("add", "theirs", "--", "y"), b"named theirs already exists in .mcp.json:1"),
                       (("add", "a b", "--", "y"), b"the name of a server has 1 to 64"),
                       (("add", "x", "--", "../y"), b"must not contain .."),
                       (("add", "x", "--url", "http://169.254.169.254/"), b"metadata service"),
                       (("add", "x", "--url", "http://h/", "--env", "A=1"), b"not with a URL"),
                       (("add", "x", "--header", "A: 1", "--", "y"), b"not with a command"),
                       (("add", "x", "--url", "http://h/", "--header", "A"), b'"Name: value"'),
                       (("add", "x", "--env", "A=env:TREFOIL_NOT_SET", "--", "y"), b"is not set"),
                       (("remove", "nobody"), b"trefoil.toml has no server nobody"),
                       (("remove", "databse"), b'has no server databse; did you mean "database"?'),
                       (("test", "databse"), b'there is no server databse; did you mean "database"?'),
                       (("disable", "theirs"), b"it is defined in .mcp.json:1, a file of another program"),
                       (("enable",), b"missing NAME"),
                       (("list", "--url", "http://h/"), b"--url is not accepted here"),
                       (("frob",), b'unknown command "frob"; available commands: list, test, add, remove')):
        done = trefoil(project, "servers", *args, **env)
        if done.returncode not in (1, 2):
            raise AssertionError((args, done))
        has(done.stderr, text)
        equal(done.stdout, b"")
    equal((project / "trefoil.toml").read_text(), TOML)
    equal(sorted(p.name for p in project.iterdir()), [".mcp.json", "trefoil.toml"])


@case
def a_url_is_never_stored_as_a_command(root):
    project, env = place(root, "")
    web = "https://h.example/mcp"

    def entry(*args):
        """What `servers add` writes; the options may stand anywhere before a --."""
        (project / "trefoil.toml").write_text("")
        done = trefoil(project, "servers", *args, **env)
        equal((args, done.returncode, done.stderr), (args, 0, b""))
        return tomllib.loads((project / "trefoil.toml").read_text())["mcp"]["servers"]

    plain = {"name": "web", "url": web}
    for args in (("add", "web", web), ("add", "web", "--", web), ("add", "--transport", "auto", "web", web),
                 ("add", "web", "--url", web), ("add", "-t", "auto", "--url=" + web, "web")):
        equal(entry(*args), [plain])
    equal(entry("add", "web", web, "-t", "sse", "-H", "X-A: b:c"),
          [{**plain, "type": "sse", "headers": {"X-A": "b:c"}}])
    equal(entry("--header", "X-A: b", "add", "--transport=http", "web", web),
          [{**plain, "type": "http", "headers": {"X-A": "b"}}])
    equal(entry("add", "web", "HTTP://localhost:1/mcp"), [{"name": "web", "url": "HTTP://localhost:1/mcp"}])
    equal(entry("add", "-e", "A=1", "cmd", "-eHOME", "--", "npx", "-e", "https://h.example", "-h"),
          [{"name": "cmd", "command": ["npx", "-e", "https://h.example", "-h"], "env": ["A=1", "HOME"]}])
    equal(entry("add", "cmd", "-t", "stdio", "server.py", "x"), [{"name": "cmd", "command": ["server.py", "x"]}])
    (project / "trefoil.toml").write_text("")
    for args, text in ((("web", "ws://h.example/mcp"), b"ws:// is not supported; use an http://"),
                       (("web", "--url", "file:///x"), b"file:// is not supported"),
                       (("web", "localhost:3000/mcp"), b'did you mean "http://localhost:3000/mcp"?'),
                       (("web", "--url", "h.example"), b'did you mean "http://h.example"?'),
                       (("web", web, "more"), b'unexpected argument "more" after the URL'),
                       (("web", web, "-t", "stdio"), b"expected auto, http or sse for a URL"),
                       (("web", "-t", "sse", "--", "x"), b"expected stdio for a command"),
                       (("web", "-e", "=x", "--", "x"), b"--env needs NAME=VALUE or NAME"),
                       (("web", "https://user:pw@h.example/"), b"must not contain a user or password"),
                       (("web", "npx", "-y", "x"), b"unknown option -y; see: trefoil servers add --help "
                        b"(write -- before a command that has options)")):
        done = trefoil(project, "servers", "add", *args, **env)
        if done.returncode not in (1, 2):
            raise AssertionError((args, done))
        has(done.stderr, text)
        equal(((project / "trefoil.toml").read_text(), done.stdout), ("", b""))


@case
def a_chosen_file_is_the_one_that_is_edited(root):
    project, env = place(root)
    other = root / "other.toml"
    other.write_text("# mine\n")
    done = trefoil(project, "--config", str(other), "servers", "add", "x", "--", "y", **env)
    equal((done.returncode, done.stderr), (0, b""))
    done = trefoil(project, "--config", str(other), "--json", "servers", "disable", "x", **env)
    equal(json.loads(done.stdout), {"done": "disabled", "name": "x", "file": str(other)})
    equal(trefoil(project, "--config", str(other), "servers", "enable", "x", **env).returncode, 0)
    equal(other.read_text().replace("enabled = true\n", ""), '# mine\n\n[[mcp.servers]]\nname = "x"\ncommand = ["y"]\n')
    equal((project / "trefoil.toml").read_text(), TOML)


@case
def a_missing_key_is_an_error_that_names_it(root):
    project, env = place(root, "[serve]\napi_key = 'env:TREFOIL_KEY'\n")
    done = run("serve", "--listen", "127.0.0.1:0", root=project, **env)
    equal(done.returncode, 2)
    has(done.stderr, b"trefoil.toml:2:11: serve.api_key: the variable TREFOIL_KEY is not set")
    with Serve(root=project, TREFOIL_KEY="k", **env):
        pass


main()
