"""Entries of MCP servers as their documents write them: loaded unchanged, with real children behind
them, which say what arguments and variables they got."""
import json
import os
import subprocess

from harness import DEADLINE, TREFOIL, case, environment, equal, has, main, run
from upstream import Gateway, HttpServer, configure, program, remote, server, text_of

# The blocks of [[mcp.servers]], word for word.
FILESYSTEM = """[[mcp.servers]]
name = "filesystem"
command = ["mcp-server-filesystem", "/workspace"]
"""
DATABASE = """[[mcp.servers]]
name = "database"
command = ["mcp-server-postgres"]
env = { DATABASE_URL = "postgres://..." }
allowed_tools = ["query", "list_tables"]
"""

# The six examples of [[mcp_servers]], word for word.
GITHUB = """[[mcp_servers]]
name = "github"
timeout_secs = 30
env = ["GITHUB_PERSONAL_ACCESS_TOKEN"]

[mcp_servers.transport]
type = "stdio"
command = "npx"
args = ["-y", "@modelcontextprotocol/server-github"]
"""
PROJECTS = """[[mcp_servers]]
name = "filesystem"
timeout_secs = 10
env = []

[mcp_servers.transport]
type = "stdio"
command = "npx"
args = ["-y", "@modelcontextprotocol/server-filesystem", "/home/user/projects"]
"""
POSTGRES = """[[mcp_servers]]
name = "postgres"
timeout_secs = 30
env = ["DATABASE_URL"]

[mcp_servers.transport]
type = "stdio"
command = "npx"
args = ["-y", "@modelcontextprotocol/server-postgres"]
"""
PUPPETEER = """[[mcp_servers]]
name = "puppeteer"
timeout_secs = 60

[mcp_servers.transport]
type = "stdio"
command = "npx"
args = ["-y", "@modelcontextprotocol/server-puppeteer"]
"""
REMOTE = """[[mcp_servers]]
name = "remote-tools"
timeout_secs = 30

[mcp_servers.transport]
type = "sse"
url = "https://tools.example.com/mcp"
"""
MULTIPLE = """[[mcp_servers]]
name = "github"
env = ["GITHUB_PERSONAL_ACCESS_TOKEN"]
[mcp_servers.transport]
type = "stdio"
command = "npx"
args = ["-y", "@modelcontextprotocol/server-github"]

[[mcp_servers]]
name = "filesystem"
[mcp_servers.transport]
type = "stdio"
command = "npx"
args = ["-y", "@modelcontextprotocol/server-filesystem", "/home/user/projects"]

[[mcp_servers]]
name = "postgres"
env = ["DATABASE_URL"]
[mcp_servers.transport]
type = "stdio"
command = "npx"
args = ["-y", "@modelcontextprotocol/server-postgres"]
"""

# What of our environment a child may see unless its entry names more.
BASE = {"PATH", "HOME", "TMPDIR", "TMP", "TEMP", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ",
        "SSL_CERT_FILE", "SSL_CERT_DIR"}


def projects(root, *texts):
    """A project for each text, whose PATH has the programs that the entries name."""
    for n, text in enumerate(texts):
        project = root / f"p{n}"
        programs = project / "bin"  # in the project: the rest of /tmp is hidden from servers
        project.mkdir()
        for name in ("npx", "mcp-server-filesystem", "mcp-server-postgres"):
            program(programs, name, "query", "list_tables", "drop_table")
        (project / "trefoil.toml").write_text(text)
        yield Gateway(root=project, PATH=f"{programs}:{os.environ['PATH']}", DATABASE_URL="db://ours",
                      GITHUB_PERSONAL_ACCESS_TOKEN="hush", SECRET="never")


def started(gate, name, tool="query"):
    """How the child of an entry was started: (arguments, environment)."""
    gate.wait_ready(name)
    how = json.loads(gate.text(f"mcp_{name}_{tool}"))
    return how["argv"][1:], how["env"]


def tools_of(gate, name):
    return [t for t in gate.tools() if t.startswith(f"mcp_{name}_")]


# ---- [[mcp.servers]] -----------------------------------------------------------------------------

@case
def the_blocks_of_mcp_servers_load_unchanged_in_one_file(root):
    gate, = projects(root, FILESYSTEM + "\n" + DATABASE)
    with gate:
        args, env = started(gate, "filesystem")
        equal((args, env.get("DATABASE_URL")), (["/workspace"], None))
        args, env = started(gate, "database")
        equal((args, env["DATABASE_URL"]), ([], "postgres://..."))
        equal(len(tools_of(gate, "filesystem")), 4)
        equal(tools_of(gate, "database"), ["mcp_database_query", "mcp_database_list_tables"])


@case
def each_block_of_mcp_servers_loads_alone(root):
    for name, gate in zip(("filesystem", "database"), projects(root, FILESYSTEM, DATABASE)):
        with gate:
            started(gate, name)
            equal([s["name"] for s in gate.servers()["configured"]], [name])


@case
def what_is_not_allowed_is_neither_listed_nor_called(root):
    configure(root, server("none", allowed_tools="[]"), server("some", allowed_tools='["seen"]'))
    with Gateway(root=root) as gate:
        gate.wait_ready("none", "some")
        equal(tools_of(gate, "none"), [])
        equal(tools_of(gate, "some"), ["mcp_some_seen"])
        for name in ("mcp_none_echo", "none:echo", "mcp_some_echo", "some:echo"):
            answer = gate.call(name, text="x")
            assert "error" in answer or answer["result"]["isError"], answer
            has(text_of(answer), name)
        calls = [m["params"]["name"] for m in json.loads(gate.text("mcp_some_seen"))
                 if m["method"] == "tools/call"]
        equal(calls, ["seen"])


# ---- [[mcp_servers]] -----------------------------------------------------------------------------

@case
def the_examples_of_mcp_servers_with_npx_load_unchanged(root):
    package = "@modelcontextprotocol/server-"
    wanted = {"github": (["-y", package + "github"], 30, "GITHUB_PERSONAL_ACCESS_TOKEN"),
              "filesystem": (["-y", package + "filesystem", "/home/user/projects"], 10, None),
              "postgres": (["-y", package + "postgres"], 30, "DATABASE_URL"),
              "puppeteer": (["-y", package + "puppeteer"], 60, None)}
    passed = {"GITHUB_PERSONAL_ACCESS_TOKEN": "hush", "DATABASE_URL": "db://ours"}
    gates = projects(root, GITHUB, PROJECTS, POSTGRES, PUPPETEER)
    for gate, (name, (argv, seconds, variable)) in zip(gates, wanted.items()):
        with gate:
            args, env = started(gate, name)
            equal(args, argv)
            equal({k: v for k, v in env.items() if k in (*passed, "SECRET")},
                  {variable: passed[variable]} if variable else {})
            entry = gate.configured(name)
            equal((entry["timeout_secs"], entry["env"]), (seconds, [variable] if variable else []))
            equal(entry["transport"]["type"], "stdio")


@case
def the_example_of_several_servers_loads_unchanged(root):
    gate, = projects(root, MULTIPLE)
    with gate:
        for name, last in (("github", "@modelcontextprotocol/server-github"),
                           ("filesystem", "/home/user/projects"),
                           ("postgres", "@modelcontextprotocol/server-postgres")):
            equal(started(gate, name)[0][-1], last)
            equal(gate.configured(name)["timeout_secs"], 30)  # nothing is said
        equal([s["env"] for s in gate.servers()["configured"]],
              [["GITHUB_PERSONAL_ACCESS_TOKEN"], [], ["DATABASE_URL"]])


@case
def the_example_of_a_remote_server_loads_unchanged(root):
    (root / "trefoil.toml").write_text(REMOTE)
    checked = json.loads(run("config", "check", "--json", root=root).stdout)["servers"]
    equal([(s["name"], s["transport"]) for s in checked], [("remote-tools", "sse")])
    listed = json.loads(run("servers", "--json", root=root).stdout)["configured"]
    equal([(s["transport"], s["timeout_secs"]) for s in listed],
          [({"type": "sse", "url": "https://tools.example.com/mcp"}, 30)])


@case
def a_remote_server_of_that_shape_is_used(root):
    with HttpServer() as url:
        for path in ("/sse", "/mcp"):
            (root / "trefoil.toml").write_text(
                REMOTE.replace("https://tools.example.com/mcp", url + path))
            with Gateway(root=root) as gate:
                gate.wait_ready("remote-tools")
                equal(gate.text("mcp_remote_tools_add", a=40, b=2), "42")


@case
def name_and_transport_are_required(root):
    for text, says in ((GITHUB.replace('name = "github"\n', ""), "name"),
                       ('[[mcp_servers]]\nname = "x"\n', "command"),
                       (GITHUB.replace('command = "npx"\n', ""), "command"),
                       (REMOTE.replace('url = "https://tools.example.com/mcp"\n', ""), "url")):
        (root / "trefoil.toml").write_text(text)
        done = run("config", "check", root=root)
        equal(done.returncode, 2)
        has(done.stderr.decode(), "trefoil.toml:")
        has(done.stderr.decode(), says)


# ---- all shapes ----------------------------------------------------------------------------------

@case
def both_tables_and_the_maps_of_other_programs_become_the_same(root):
    program(root / "bin", "one", "run")
    maps = {".mcp.json": "mcpServers", ".cursor/mcp.json": "mcpServers", ".vscode/mcp.json": "servers",
            ".zed/settings.json": "context_servers"}
    for n, (path, key) in enumerate(maps.items()):
        file = root / path
        file.parent.mkdir(exist_ok=True)
        entry = {"command": "one", "args": ["a", "b"], "env": {"GIVEN": "x"}}
        file.write_text(json.dumps({key: {f"json{n}": entry}}))
    (root / "trefoil.toml").write_text(
        '[[mcp.servers]]\nname = "array"\ncommand = ["one", "a", "b"]\nenv = { GIVEN = "x" }\n'
        '[[mcp.servers]]\nname = "string"\ncommand = "one"\nargs = ["a", "b"]\nenv = ["GIVEN=x"]\n'
        '[[mcp_servers]]\nname = "table"\nenv = ["GIVEN=x"]\n'
        '[mcp_servers.transport]\ntype = "stdio"\ncommand = "one"\nargs = ["a", "b"]\n')
    with Gateway(root=root, PATH=f"{root}/bin:{os.environ['PATH']}") as gate:
        for name in ("array", "string", "table", "json0", "json1", "json2", "json3"):
            args, env = started(gate, name, "run")
            equal((name, args, env["GIVEN"]), (name, ["a", "b"], "x"))


@case
def one_name_twice_is_an_error_that_names_both_places(root):
    (root / "trefoil.toml").write_text(FILESYSTEM + "\n" + PROJECTS)
    done = run("config", "check", root=root)
    equal(done.returncode, 2)
    for place in (b"trefoil.toml:1", b"trefoil.toml:5"):
        has(done.stderr, place)


@case
def variables_have_three_shapes_and_their_values_are_never_listed(root):
    programs = root / "bin"
    program(programs, "one", "run")
    shapes = {"literal": '{ A = "hush1" }', "names": '["B"]', "mixed": '["B", "A=hush1"]',
              "pairs": '[{ name = "A", value = "hush1" }]'}
    (root / "trefoil.toml").write_text("".join(
        f'[[mcp.servers]]\nname = "{name}"\ncommand = "one"\nenv = {env}\n'
        for name, env in shapes.items()))
    with Gateway(root=root, PATH=f"{programs}:{os.environ['PATH']}", B="hush2") as gate:
        got = {name: {k: v for k, v in started(gate, name, "run")[1].items() if k in "AB"}
               for name in shapes}
        equal(got, {"literal": {"A": "hush1"}, "names": {"B": "hush2"},
                    "mixed": {"A": "hush1", "B": "hush2"}, "pairs": {"A": "hush1"}})
        body = gate.request("GET", "/api/mcp/servers").body
        assert b"hush" not in body, body
        equal([s["env"] for s in json.loads(body)["configured"]], [["A"], ["B"], ["B", "A"], ["A"]])


@case
def a_child_gets_the_base_set_and_nothing_else(root):
    home, root = root / "home", root / "project"  # no sandbox for a root that contains the home
    root.mkdir()
    program(root / "bin", "one", "run")
    (root / "trefoil.toml").write_text(
        '[mcp]\nmode = "read-write"\n[[mcp.servers]]\nname = "usual"\ncommand = "one"\nsandbox = "off"\n'
        '[[mcp.servers]]\nname = "strict"\ncommand = "one"\nenv_base = "strict"\nenv = ["MORE"]\n'
        'sandbox = "off"\n[[mcp.servers]]\nname = "inside"\ncommand = "one"\nenv_base = "strict"\n')
    ours = {name: str(home) for name in BASE - {"PATH"}}
    with Gateway(root=root, **{**ours, "PATH": f"{root}/bin:{os.environ['PATH']}"}, LC_ALL="C",
                 MORE="1", AWS_SECRET_ACCESS_KEY="hush", LD_LIBRARY_PATH="", PYTHONPATH="",
                 TREFOIL_LOG="", ANTHROPIC_API_KEY="hush",
                 XDG_STATE_HOME=environment()["XDG_STATE_HOME"]) as gate:
        added = {"LC_CTYPE"}  # by Python itself
        equal(set(started(gate, "usual", "run")[1]) - added, BASE | {"LC_ALL"})
        equal(set(started(gate, "strict", "run")[1]) - added, {"PATH", "MORE"})
        equal(set(started(gate, "inside", "run")[1]) - added,
              {"PATH", "TMPDIR", "XDG_CACHE_HOME", "TREFOIL_SANDBOX"} |
              {f"npm_config_{x}" for x in ("cache", "update_notifier")})


@case
def every_type_of_a_url_finds_what_is_spoken_there(root):
    with HttpServer() as url:
        types = {"http": '"http"', "sse": '"sse"', "auto": '"auto"', "nothing": None}
        entries, names = [], []
        for path in ("mcp", "sse", "modern"):
            for name, word in types.items():
                names.append(f"{path}-{name}")
                entries.append(remote(names[-1], f"{url}/{path}", **({"type": word} if word else {})))
        configure(root, *entries)
        with Gateway(root=root) as gate:
            gate.wait_ready(*names)
            for name in names:
                tool = "mcp_" + name.replace("-", "_") + "_add"
                equal((name, gate.text(tool, a=1, b=2)), (name, "3"))


@case
def headers_have_three_shapes(root):
    with HttpServer() as url:
        shapes = {"words": '["X-One: 1", "X-Two: 2"]', "object": '{ X-One = "1", X-Two = "2" }',
                  "pairs": '[{ name = "X-One", value = "1" }, { name = "X-Two", value = "2" }]'}
        configure(root, *(remote(name, f"{url}/mcp", headers=h) for name, h in shapes.items()))
        with Gateway(root=root) as gate:
            gate.wait_ready(*shapes)
            for name in shapes:
                sent = json.loads(gate.text(f"mcp_{name}_headers"))
                equal((name, sent.get("x-one"), sent.get("x-two")), (name, "1", "2"))


@case
def a_command_that_goes_up_and_a_metadata_service_are_refused(root):
    for text, says in ((FILESYSTEM.replace("mcp-server-filesystem", "../evil"), ".."),
                       (FILESYSTEM.replace("mcp-server-filesystem", "/opt/../evil"), ".."),
                       (GITHUB.replace('"npx"', '"bin/../../npx"'), ".."),
                       (REMOTE.replace("tools.example.com", "169.254.169.254"), "metadata"),
                       (REMOTE.replace("tools.example.com", "metadata.google.internal"), "metadata"),
                       (REMOTE.replace("tools.example.com", "metadata.google"), "metadata"),
                       (REMOTE.replace("tools.example.com", "[::ffff:169.254.169.254]"), "metadata")):
        (root / "trefoil.toml").write_text(text)
        for words in (("config", "check"), ("servers", "--trust")):
            done = run(*words, root=root)
            assert done.returncode != 0, (text, words, done.stdout)
            has((done.stdout + done.stderr).decode(), says)


# ---- what editors write --------------------------------------------------------------------------

@case
def the_entries_that_editors_are_given_work_as_they_are(root):
    """{"command": "trefoil", "args": ["mcp"]}, with and without "env": {}."""
    for name in ("code-reviewer", "planner"):
        path = root / f".trefoil/agents/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ndescription: {name}.\n---\nYou help.\n")
    ask = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": "2024-11-05", "capabilities": {},
                       "clientInfo": {"name": "cursor", "version": "1.0"}}},
           {"jsonrpc": "2.0", "method": "notifications/initialized"},
           {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
           {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
               "name": "trefoil_agent_code_reviewer", "arguments": {"message": "/echo reviewed"}}}]
    (root / "bin").mkdir()
    (root / "bin/trefoil").symlink_to(TREFOIL)
    for entry in ({"command": "trefoil", "args": ["mcp"]},
                  {"command": "trefoil", "args": ["mcp"], "env": {}}):
        env = environment(**entry.get("env", {}), TREFOIL_PROVIDER="offline",
                          PATH=f"{root}/bin:{os.environ['PATH']}")
        done = subprocess.run([entry["command"], *entry["args"]], cwd=root, env=env, check=True,
                              input="".join(json.dumps(m) + "\n" for m in ask).encode(),
                              capture_output=True, timeout=DEADLINE)
        got = {m["id"]: m["result"] for m in map(json.loads, done.stdout.splitlines()) if "id" in m}
        equal(sorted(got), [1, 2, 3])
        equal((got[1]["protocolVersion"], got[1]["serverInfo"]["name"]), ("2024-11-05", "trefoil"))
        equal([t["name"] for t in got[2]["tools"] if t["name"].startswith("trefoil_agent_")],
              ["trefoil_agent_code_reviewer", "trefoil_agent_default", "trefoil_agent_planner"])
        equal([t["name"] for t in got[2]["tools"] if t["name"] in ("file_read", "grep")], [])
        equal(got[3]["content"], [{"type": "text", "text": "reviewed"}])


main()
