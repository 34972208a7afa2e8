"""Tools change no file that steers trefoil unasked, and read no logs for others than the operator."""
import json
import os

from harness import Serve, Stdio, case, equal, has, main, run, user_config

AUTO = "".join(f'{k} = "auto"\n' for k in ("edit", "delete", "move", "execute", "fetch"))
OFFLINE = {"TREFOIL_PROVIDER": "offline"}


def make_root(root):
    """A root in read-write mode where nothing is asked for; links lead into .trefoil."""
    user_config(root, '[mcp]\nmode = "read-write"\n[guard.permission]\n' + AUTO)
    for folder in ("agents", "logs", "skills/s"):
        (root / ".trefoil" / folder).mkdir(parents=True)
    (root / ".trefoil/agents/a.md").write_text("---\nmode: read-only\n---\nLook.\n")
    (root / ".trefoil/logs/old.log").write_text("a secret\n")
    (root / ".trefoil/notes.json").write_text("{}")
    (root / "trefoil.toml").write_text("")
    (root / ".mcp.json").write_text("{}")
    (root / "link").symlink_to(".trefoil")
    (root / "agents-link").symlink_to(".trefoil/agents")
    (root / ".git").mkdir()
    (root / "git-link").symlink_to(".git")
    (root / "file-link").symlink_to(".trefoil/notes.json")
    (root / "plain.txt").write_text("x")


def state(root):
    """All files below the root but those of the user and of logs that trefoil writes."""
    files = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if "/.user" not in path and "/.state" not in path and "/.trefoil/logs" not in path:
                with open(path, "rb") as f:
                    files[path] = f.read()
    return files


class Client(Stdio):
    """A client that can be asked, and says what `answer` is; None: it cannot be asked."""

    def __init__(self, root, answer):
        super().__init__(root=root, **OFFLINE)
        self.answer, self.asked = answer, []
        offers = {} if answer is None else {"elicitation": {}}
        self.call("initialize", {"protocolVersion": "2025-11-25", "capabilities": offers,
                                 "clientInfo": {"name": "e2e", "version": "1"}}, 0)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tool(self, tool, **arguments):
        """Did the call work, and what was said?"""
        self.send({"jsonrpc": "2.0", "id": "t", "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments}})
        while True:
            message = self.receive()
            if message.get("method") == "elicitation/create":
                self.asked.append(message["params"]["message"])
                self.send({"jsonrpc": "2.0", "id": message["id"],
                           "result": {"action": self.answer, "content": {}}})
            elif message.get("id") == "t":
                result = message.get("result")
                if not result:
                    return False, message["error"]["message"]
                return not result.get("isError", False), result["content"][0]["text"]


def changes(below):
    """A call of each tool that changes files, below a folder."""
    return [("file_write", {"path": below + "/new", "content": "y"}),
            ("file_write", {"path": below + "/deep/new", "content": "y", "parents": True}),
            ("dir_make", {"path": below + "/folder"}),
            ("file_move", {"from": "plain.txt", "to": below + "/moved"})]


@case
def nothing_is_written_below_trefoil(root):
    make_root(root)
    before = state(root)
    with Client(root, "accept") as t:
        for way in (".trefoil", "./.trefoil", "src/../.trefoil", ".trefoil/agents/..", "link",
                    str(root / ".trefoil"), ".trefoil/logs"):
            for tool, arguments in changes(way):
                ok, said = t.tool(tool, **arguments)
                equal((way, tool, ok), (way, tool, False))
                equal((way, tool, state(root) == before), (way, tool, True))
        for tool, arguments in (("file_delete", {"path": ".trefoil/notes.json"}),
                                ("file_delete", {"path": "link/notes.json"}),
                                ("file_delete", {"path": ".trefoil", "recursive": True}),
                                ("file_move", {"from": ".trefoil", "to": "elsewhere"}),
                                ("file_move", {"from": ".trefoil/notes.json", "to": "stolen"}),
                                ("file_write", {"path": "file-link", "content": "y"}),
                                ("file_edit", {"path": ".trefoil/notes.json", "old_text": "{}",
                                               "new_text": "[]"}),
                                ("file_write", {"path": ".TREFOIL/new", "content": "y",
                                                "parents": True})):
            ok, said = t.tool(tool, **arguments)
            equal((tool, arguments, ok), (tool, arguments, False))
            equal((tool, state(root) == before), (tool, True))
        equal(t.asked, [])
        equal(t.tool("file_write", path="plain.txt", content="z")[0], True)


DEFINITIONS = (".trefoil/agents/a.md", "agents-link/a.md", ".trefoil/skills/s/SKILL.md", "trefoil.toml",
               ".mcp.json", ".claude/agents/b.md", "agents/c/agent.json", ".claude/settings.json",
               ".codex/config.toml", ".gemini/settings.json", ".cursor/mcp.json", ".vscode/tasks.json",
               ".zed/tasks.json", ".envrc", ".git/config", ".git/hooks/pre-commit", ".git/commondir",
               ".GIT/config.worktree", "sub/.git", "sub/deep/.git/hooks/pre-commit", "git-link/config")


def define(t, path):
    return t.tool("file_write", path=path, content="---\nmode: read-write\n---\nx\n", parents=True)


@case
def definitions_are_changed_only_after_an_approval(root):
    make_root(root)
    before = state(root)
    with Client(root, None) as t:
        for path in DEFINITIONS:
            ok, said = define(t, path)
            equal((path, ok), (path, False))
        equal(state(root), before)
    with Client(root, "decline") as t:
        for path in DEFINITIONS:
            equal((path, define(t, path)[0]), (path, False))
        equal(len(t.asked), len(DEFINITIONS))
        equal(state(root), before)
    with Client(root, "accept") as t:
        for path in DEFINITIONS:
            equal((path, define(t, path)[0]), (path, True))
        equal(len(t.asked), len(DEFINITIONS))
        has(t.asked[0], "definition of an agent")
        equal(t.tool("file_move", **{"from": ".claude", "to": "elsewhere"})[0], True)
        equal(len(t.asked), len(DEFINITIONS) + 1)
        for tool, arguments in (("file_delete", {"path": ".git", "recursive": True}),
                                ("file_move", {"from": ".vscode", "to": "b"}),
                                ("file_edit", {"path": ".envrc", "old_text": "x", "new_text": "y"})):
            t.asked.clear()
            equal((tool, t.tool(tool, **arguments)[0], len(t.asked)), (tool, True, 1))
        has(t.asked[0], "or a file that controls trefoil, git, an editor or a shell")
        t.asked.clear()
        for path in (".gitignore", ".github/workflows/ci.yml", "git/config", ".envrc.example"):
            equal((path, define(t, path)[0], t.asked), (path, True, []))


@case
def an_agent_does_not_change_its_own_definition_unasked(root):
    make_root(root)
    agent = root / ".trefoil/agents/free.md"
    agent.write_text("---\napproval_mode: default\n---\nWork.\n")
    text = agent.read_text()
    write = json.dumps({"path": ".trefoil/agents/free.md", "content": "---\napproval_mode: yolo\n---\n"})
    for name in ("free", "default"):
        done = run("run", "--agent", name, "/call file_write " + write, root=root, **OFFLINE)
        equal((name, done.returncode, agent.read_text()), (name, 3, text))
    done = run("run", "--yes", "/call file_write " + write, root=root, **OFFLINE)
    equal((done.returncode, "yolo" in agent.read_text()), (0, True))


# ---- logs ---------------------------------------------------------------------------------------

KEYS = '[[serve.keys]]\nname = "ann"\nkey = "one"\n[[serve.keys]]\nname = "bob"\nkey = "two"\n'


def over_http(server, key, tool, **arguments):
    headers = {"authorization": f"Bearer {key}"} if key else {}
    answer = server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": {"name": tool, "arguments": arguments}}, **headers).json()
    return json.dumps(answer)


LOOKS = (("file_read", {"path": ".trefoil/logs/old.log"}), ("file_read", {"path": "link/logs/old.log"}),
         ("grep", {"pattern": "secret", "path": ".trefoil", "ignored": True}),
         ("grep", {"pattern": "secret", "path": ".trefoil/logs/old.log"}),
         ("grep", {"pattern": "secret", "path": "link/logs"}),
         ("glob", {"pattern": "**/*.log", "path": ".trefoil"}),
         ("glob", {"pattern": "*.log", "path": ".trefoil/logs"}),
         ("file_list", {"path": ".trefoil/logs"}), ("file_list", {"path": ".trefoil", "depth": 3}))


def looks(schema_of):
    """With the arguments that the tools have."""
    for tool, arguments in LOOKS:
        yield tool, {k: v for k, v in arguments.items() if k in schema_of[tool]}


@case
def logs_are_not_read_for_other_principals(root):
    make_root(root)
    with Client(root, None) as t:
        tools = t.call("tools/list", ident="l")["result"]["tools"]
        schema = {x["name"]: x["inputSchema"].get("properties", {}) for x in tools}
        for tool, arguments in looks(schema):  # the operator may
            ok, said = t.tool(tool, **arguments)
            equal((tool, arguments, ok and ("secret" in said or "old.log" in said)),
                  (tool, arguments, True))
    user_config(root, KEYS)
    with Serve(root=root, **OFFLINE) as server:
        for key in ("one", "two"):
            has(over_http(server, key, "file_read", path="plain.txt"), "x")
            for tool, arguments in looks(schema):
                said = over_http(server, key, tool, **arguments)
                equal((tool, arguments, "a secret" in said or "old.log\\n" in said or
                       "old.log\"" in said), (tool, arguments, False))
    user_config(root, "")
    with Serve(root=root, **OFFLINE) as server:
        said = over_http(server, None, "file_read", path=".trefoil/logs/old.log")
        has(said, "operator")


main()
