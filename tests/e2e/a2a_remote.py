"""What the tests of remote A2A agents share: an agent `remote` that leads to a fake server."""
import json

from harness import run, user_config


def remote(root, server, more="", url=None, limits="", extra=""):
    """The user's configuration with the agent, and short pauses between retries."""
    user_config(root, f'[limits]\na2a_retry_min_ms = 20\na2a_poll_ms = 20\n'
                      f'a2a_retry_max_ms = 200\n{limits}\n'
                      f'[mcp]\nmode = "read-write"\n{extra}\n'
                      f'[[agents]]\nname = "remote"\nprovider = "a2a"\n'
                      f'description = "An agent elsewhere"\nurl = "{url or server.url}"\n{more}\n')


def ask(root, prompt, *more, **env):
    """One prompt. Returns the finished process and its events."""
    done = run("run", "--json", "-a", "remote", *more, prompt, root=root, **env)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def text_of(events):
    return "".join(e["text"] for e in events if e["type"] == "text")


def end_of(events):
    return events[-1]["stop"]
