"""What the tests of agents that speak ACP share: the definition of the fake agent, and its processes."""
import json
import pathlib
import sys

from harness import user_config, wait_for

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
