"""Patterns in an agent's lists of tools: what is compared is the command that would run and the
file that would be opened, not the way somebody writes them."""
import json
import os
import subprocess

from harness import case, equal, has, main, run

SOURCE = "secret source\n"


def agent(root, name, **lists):
    """An agent that may use what its lists say."""
    lines = [f"{key}: {json.dumps(value)}" for key, value in lists.items()]
    (root / ".trefoil/agents").mkdir(parents=True, exist_ok=True)
    (root / f".trefoil/agents/{name}.md").write_text(
        "\n".join(["---", f"name: {name}", "description: tries", *lines, "---", "You try."]) + "\n")


def call(root, name, tool, **arguments):
    """One call by the agent. --yes: whatever could be agreed to is agreed to."""
    prompt = f"/call {tool} {json.dumps(arguments)}"
    answer = run("run", "--yes", "-a", name, prompt, root=root, TREFOIL_PROVIDER="offline")
    return (answer.stdout + answer.stderr).decode()


def make_repository(root):
    (root / "file").write_text("one\n")
    for words in (["init", "-q"], ["add", "file"],
                  ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=root, check=True, stdout=subprocess.DEVNULL)
    (root / "file").write_text("two\n")


@case
def a_command_pattern_lets_the_command_through(root):
    make_repository(root)
    agent(root, "reviewer", tools=["Bash(git diff:*)"])
    has(call(root, "reviewer", "shell_exec", argv=["git", "diff"]), "+two")
    has(call(root, "reviewer", "shell_exec", command="git diff --stat 'file'", shell=True),
        "1 insertion")
    has(call(root, "reviewer", "shell_exec", argv=["git", "diff"], env={}), "+two")


@case
def no_environment_goes_with_a_command_pattern(root):
    make_repository(root)
    agent(root, "reviewer", tools=["Bash(git diff:*)"])
    agent(root, "careful", disallowed_tools=["Bash(rm:*)"])
    program = root / "bin/git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {root}/made\n")
    program.chmod(0o755)
    for env in ({"GIT_EXTERNAL_DIFF": str(program)}, {"PATH": f"{root}/bin"},
                {"LD_PRELOAD": str(program)}, {"A": "b"}):
        for name in ("reviewer", "careful"):
            said = call(root, name, "shell_exec", argv=["git", "diff"], env=env)
            has(said, "command patterns do not match calls that set env")
    equal((root / "made").exists(), False)


@case
def nothing_rides_along_with_an_allowed_command(root):
    make_repository(root)
    agent(root, "reviewer", tools=["Bash(git diff:*)"])
    for command in ("git diff; touch made", "git diff\ntouch made", "git diff && touch made",
                    "git diff | touch made", "git diff & touch made", "git diff $(touch made)",
                    "git diff `touch made`", "git diff \"$(touch made)\"", "git diff > made",
                    "git diff 2>made", "git diff <(touch made)", "(git diff; touch made)",
                    "git diff || touch made", "git diff \\; touch made", "git diff '\ntouch made",
                    "A=b git diff; touch made", "touch made; git diff", "git difftool",
                    "git diff ${x:=$(touch made)}"):
        said = call(root, "reviewer", "shell_exec", command=command, shell=True)
        has(said, "not in the allowed_tools")
    said = call(root, "reviewer", "shell_exec", argv=["git diff", "; touch made"])
    has(said, "not in the allowed_tools")
    equal((root / "made").exists(), False)


@case
def a_denied_command_is_found_wherever_it_stands(root):
    agent(root, "careful", disallowed_tools=["Bash(touch:*)"])
    for command in ("touch made", "true; touch made", "true && touch made", "echo $(touch made)",
                    "echo `touch made`", "echo \"$(touch made)\"", "t'ou'ch made", "to\\uch made",
                    "\"touch\" made", "sh -c 'touch made'", "eval \"touch made\"", "A=b touch made",
                    "env touch made", "if true; then touch made; fi", "{ touch made; }", "(touch made)",
                    "x=touch; $x made", "/usr/bin/touch made", ">log touch made", "true\ntouch made",
                    "echo made | xargs touch", "sh <<END\ntouch made\nEND", "/usr/bin/tou?h made"):
        has(call(root, "careful", "shell_exec", command=command, shell=True), "disallowed_tools")
    has(call(root, "careful", "shell_exec", argv=["sh", "-c", "touch made"]), "disallowed_tools")
    has(call(root, "careful", "shell_exec", argv=["sh"], input="touch made"), "disallowed_tools")
    has(call(root, "careful", "process_start", argv=["touch", "made"]), "disallowed_tools")
    equal((root / "made").exists(), False)
    has(call(root, "careful", "shell_exec", command="echo fine $HOME | cat", shell=True), "fine")


def make_links(root):
    (root / "src").mkdir()
    (root / "src/main.c").write_text(SOURCE)
    (root / "docs/deep").mkdir(parents=True)
    (root / "docs/guide.md").write_text("guide\n")
    (root / "docs/folder").symlink_to("../src")
    (root / "docs/file").symlink_to("../src/main.c")
    (root / "docs/same").symlink_to("deep/../guide.md")
    (root / "docs/up").symlink_to("..")


def source_is_untouched(root):
    equal(os.listdir(root / "src"), ["main.c"])
    equal((root / "src/main.c").read_text(), SOURCE)


@case
def a_path_pattern_is_about_what_is_opened(root):
    make_links(root)
    agent(root, "writer", tools=[f"{tool}(docs/**)" for tool in (
        "Read", "Write", "Edit", "Grep", "Glob", "LS", "file_move", "file_delete", "dir_make")])
    for tool, more in (("file_read", {}), ("file_write", {"content": "x"}), ("grep", {"pattern": "source"}),
                       ("file_edit", {"old_text": "secret", "new_text": "x"})):
        for path in ("docs/file", "docs/folder/main.c", "docs/up/src/main.c"):
            said = call(root, "writer", tool, path=path, **more)
            has(said, "allowed_tools of writer")
            equal("source" in said.replace('"source"', ""), False)
    for tool, arguments in (
            ("file_write", {"path": "docs/folder/new.c", "content": "x"}),
            ("file_write", {"path": "docs/folder/a/new.c", "content": "x", "parents": True}),
            ("file_list", {"path": "docs/folder"}), ("glob", {"path": "docs/folder", "pattern": "*"}),
            ("dir_make", {"path": "docs/folder/made"}),
            ("file_delete", {"path": "docs/folder/main.c"}),
            ("file_move", {"from": "docs/folder/main.c", "to": "docs/stolen"}),
            ("file_move", {"from": "docs/guide.md", "to": "docs/folder/new.c"})):
        has(call(root, "writer", tool, **arguments), "not allowed by the allowed_tools of writer")
    source_is_untouched(root)
    # A link that stays among what is allowed is followed.
    has(call(root, "writer", "file_read", path="docs/same"), "guide")
    call(root, "writer", "file_write", path="docs/new/a/b.md", content="x", parents=True)
    equal((root / "docs/new/a/b.md").read_text(), "x")


@case
def a_denied_path_is_denied_by_every_way_to_it(root):
    make_links(root)
    agent(root, "careful", disallowed_tools=[f"{tool}(src)" for tool in (
        "Read", "Write", "Edit", "Grep", "Glob", "LS", "file_move", "file_delete", "dir_make")])
    for path in ("src/main.c", "docs/file", "docs/folder/main.c", "docs/up/src/main.c"):
        for tool, more in (("file_read", {}), ("grep", {"pattern": "source"}),
                           ("file_write", {"content": "x"})):
            has(call(root, "careful", tool, path=path, **more), "disallowed_tools of careful")
    said = call(root, "careful", "grep", pattern="secret|guide", path=".")
    has(said, "docs/guide.md:1")
    equal("main.c" in said, False)
    equal("main.c" in call(root, "careful", "glob", pattern="**"), False)
    equal("main.c" in call(root, "careful", "file_list", path="docs/up", depth=3), False)
    source_is_untouched(root)


main()
