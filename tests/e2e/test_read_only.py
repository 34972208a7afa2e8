"""Agents and folders: in read-only mode nothing is written but inside .vault/ and no command runs, by
whatever name a tool is called; and in no mode does a path lead out of the root."""
import json
import shutil

from harness import case, equal, has, main
from task_client import Local

WRITE_TOOLS = {  # as other programs call them, too: arguments for a path
    "file_write": lambda path: {"path": path, "content": "new"},
    "Write": lambda path: {"path": path, "content": "new"},
    "file_edit": lambda path: {"path": path, "old_text": "old", "new_text": "new"},
    "Edit": lambda path: {"path": path, "old_text": "old", "new_text": "new"},
    "MultiEdit": lambda path: {"path": path, "old_text": "old", "new_text": "new"},
    "NotebookEdit": lambda path: {"path": path, "old_text": "old", "new_text": "new"},
    "file_move": lambda path: {"from": path, "to": path + ".moved"},
    "file_delete": lambda path: {"path": path},
    "dir_make": lambda path: {"path": path + ".d"},
}
SHELL_TOOLS = ("shell_exec", "Bash", "process_start")
# Every argument of a tool that is a path.
PATHS = (("file_read", {}, "path"), ("file_list", {}, "path"), ("file_write", {"content": "x"}, "path"),
         ("file_edit", {"old_text": "old", "new_text": "x"}, "path"), ("file_delete", {}, "path"),
         ("file_move", {"to": "here"}, "from"), ("file_move", {"from": "in.txt"}, "to"),
         ("dir_make", {}, "path"), ("glob", {"pattern": "*"}, "path"), ("grep", {"pattern": "old"}, "path"),
         ("shell_exec", {"argv": ["touch", "ran"]}, "cwd"), ("process_start", {"argv": ["touch", "ran"]}, "cwd"))
ALLOWED = '[mcp]\nmode = "read-write"\n[guard.permission]\nexecute = "auto"\ndelete = "auto"\n'


class Agent(Local):
    """An agent in a project of its own, which does what it is told."""

    def __init__(self, folder, mode, rules="", project=""):
        self.root, self.outside, self.mode = folder / "project", folder / "out.txt", mode
        own = folder / "own.toml"
        own.write_text(ALLOWED + rules)
        self.reset()
        if project:
            (self.root / "trefoil.toml").write_text(project)
        super().__init__("--config", str(own), root=self.root)

    def reset(self):
        """The project as it was at first."""
        for path in self.root.iterdir() if self.root.exists() else ():
            if path.is_dir() and not path.is_symlink() and path.name != ".trefoil":
                shutil.rmtree(path)
            elif path.name != ".trefoil":
                path.unlink()
        (self.root / ".vault").mkdir(parents=True)
        for path in ("in.txt", ".vault/in.txt", ".vaults.txt"):
            (self.root / path).write_text("old")
        self.outside.write_text("old")
        (self.root / "link").symlink_to(self.root.parent)
        self.before = self.files()

    def files(self):
        """What every file and link holds, but for trefoil's own."""
        paths = [p for p in self.root.rglob("*") if ".trefoil" not in p.parts] + [self.outside]
        return {str(p.relative_to(self.outside.parent)): p.readlink() if p.is_symlink() else p.read_text()
                for p in paths if p.is_symlink() or p.is_file()}

    def changed(self):
        now = self.files()
        return sorted(k for k in self.before.keys() | now.keys() if self.before.get(k) != now.get(k))

    def does(self, name, arguments):
        """What it is told of a call."""
        result = self.result("trefoil_agent_default", {
            "message": f"/call {name} {json.dumps(arguments)}", "mode": self.mode})
        return result["content"][0]["text"]


@case
def no_write_tool_writes_outside_the_vault(folder):
    with Agent(folder, "read-only") as agent:
        for name, arguments in WRITE_TOOLS.items():
            for path in ("in.txt", "new.txt", ".vault/../in.txt", ".vaults.txt", ".vault.txt", "sub/.vault/x"):
                has(agent.does(name, arguments(path)), "read-only")
        equal(agent.changed(), [])


@case
def every_write_tool_writes_inside_the_vault(folder):
    with Agent(folder, "read-only") as agent:
        for name, arguments in WRITE_TOOLS.items():
            agent.reset()
            assert "read-only" not in agent.does(name, arguments(".vault/in.txt")), name
            if name == "dir_make":
                equal((agent.root / ".vault/in.txt.d").is_dir(), True)
            else:
                equal((name, agent.changed()[0]), (name, "project/.vault/in.txt"))
            equal([path for path in agent.changed() if not path.startswith("project/.vault/")], [])


@case
def no_command_runs(folder):
    with Agent(folder, "read-only") as agent:
        for name in SHELL_TOOLS:
            for words in ({"argv": ["touch", "ran"]}, {"command": "touch .vault/ran", "shell": True}):
                has(agent.does(name, words), f"Failed: unknown tool {name}; available tools: file_read")
        equal(agent.changed(), [])


@case
def a_command_that_the_user_names_runs_but_cannot_write(folder):
    rules = '[guard]\nreadonly_shell = ["Bash(cat:*)", "Bash(touch:*)", "Bash(sleep:*)"]\n'
    with Agent(folder, "read-only", rules) as agent:
        has(agent.does("shell_exec", {"argv": ["cat", "in.txt"]}), "old")
        has(agent.does("shell_exec", {"argv": ["touch", "ran"]}), "blocked by sandbox profile read-only: write to ran")
        has(agent.does("shell_exec", {"argv": ["touch", "ran"], "sandbox": "off"}), "read-only")
        has(agent.does("shell_exec", {"argv": ["ls"]}), "runs commands, and the mode is read-only")
        has(agent.does("shell_exec", {"command": "cat in.txt; ls", "shell": True}), "read-only")
        equal(agent.changed(), [])


@case
def a_project_cannot_name_such_commands(folder):
    with Agent(folder, "read-only", project='[guard]\nreadonly_shell = ["Bash(cat:*)"]\n') as agent:
        has(agent.does("shell_exec", {"argv": ["cat", "in.txt"]}), "unknown tool shell_exec")


@case
def in_read_write_mode_all_of_it_is_done(folder):
    with Agent(folder, "read-write") as agent:
        for name, arguments in WRITE_TOOLS.items():
            agent.reset()
            agent.does(name, arguments("in.txt"))
            if name == "dir_make":
                equal((agent.root / "in.txt.d").is_dir(), True)
            else:
                equal((name, agent.changed()[0]), (name, "project/in.txt"))
        for name in SHELL_TOOLS:  # a background process may end with the session before it does anything
            agent.does(name, {"argv": ["touch", f"{name}.ran"]})
        equal((agent.root / "shell_exec.ran").exists(), True)


@case
def no_path_of_any_tool_leads_out_of_the_root(folder):
    with Agent(folder, "read-write") as agent:
        for name, arguments, key in PATHS:
            for path in ("../out.txt", "../", str(folder / "out.txt"), "link/out.txt", "link/project/in.txt", "/etc"):
                said = agent.does(name, {**arguments, key: path})
                assert "is outside the root" in said, (name, key, path, said)
        equal(agent.changed(), [])


main()
