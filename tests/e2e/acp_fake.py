"""What the tests of agents that speak ACP share: the fake agent, its processes and its runs."""
import json
import os
import pathlib
import sys

from harness import equal, run, user_config, wait_for

FAKE = str(pathlib.Path(__file__).parent / "acp_fake_agent.py")


def definition(root, *flags, more=""):
    """An agent whose processes can be found by its root."""
    command = json.dumps([sys.executable, FAKE, "--mark", str(root), *flags])
    return f'[[agents]]\nname = "fake"\nprovider = "acp"\ncommand = {command}\n{more}\n'


def define(root, *flags, more="", config=""):
    """Define the agent in the user's own configuration."""
    user_config(root, f"{config}\n{definition(root, *flags, more=more)}")


def processes(root):
    """The processes of fake agents of this root, and of their children."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(root).encode() in words and FAKE.encode() in words:
            found.append(int(folder.name))
    return found


def none_left(root):
    wait_for("the end of all processes of the agent", lambda: not processes(root))


def play(root, prompt, *args, **env):
    """The events of a run, and its exit code."""
    done = run("run", "--json", "-a", "fake", *args, prompt, root=root, **env)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    none_left(root)
    return told, done


def kinds(told, kind):
    return [e for e in told if e["type"] == kind]


def words(told):
    return "".join(e["text"] for e in kinds(told, "text"))


def answer(root, prompt, *args, **env):
    """What the agent says; the run must succeed."""
    told, done = play(root, prompt, *args, **env)
    equal((done.returncode, done.stderr.decode() if done.returncode else ""), (0, ""))
    return words(told)


def notices(told):
    return " | ".join(e["text"] for e in kinds(told, "notice"))


def install(root, name):
    """Put the fake agent on PATH under the name of a real program; returns the environment."""
    tools = root / "bin"
    tools.mkdir(exist_ok=True)
    (tools / name).write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} --mark {root} "$@"\n')
    (tools / name).chmod(0o755)
    return {"PATH": f"{tools}:{os.environ['PATH']}"}
