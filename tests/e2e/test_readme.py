"""The shell blocks of README.md, pasted in order into one shell of a fresh user in a fresh clone.

The blocks become one script, on the same lines as in README.md, so that a failure names its line. The
daemon of `./run` is one on a port of the kernel's choice, npx is a small MCP server, and what needs a
model talks to the mock. readme.py tells which blocks are left out and why.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import readme
from harness import DEADLINE, TREFOIL, Serve, case, environment, equal, main
from model_mock import Mock, says

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text()
MODEL = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
# A server as npx would start it, with the tool that README.md calls.
NPX = """#!{python}
import sys
sys.path.insert(0, {servers!r})
import bad_server
bad_server.TOOLS["list_directory"] = ("List a folder.", {{"path": bad_server.STRING}},
                                      lambda call, args: bad_server.text("[FILE] README.md"))
bad_server.MODES["ok"]().run()
"""
# A command that fails, also in a pipe or a function, ends the script and names its line.
PROLOGUE = ("set -eE -o pipefail; "
            "trap 'echo \"README.md:$LINENO: exit code $?: $BASH_COMMAND\" >&2' ERR")


def script(url):
    """Every line of README.md is empty or a line of a block."""
    lines = [""] * (README.count("\n") + 1)
    for block in readme.blocks(README):
        if block.reason:
            continue
        body = block.text.splitlines()
        lines[block.line - 1:block.line - 1 + len(body)] = body
        if block.model:
            lines[block.line - 2] = f"export {MODEL[0]}=sk-test {MODEL[1]}={url}"
            lines[block.line - 1 + len(body)] = f"unset {' '.join(MODEL)}"
    lines[0] = PROLOGUE
    return "\n".join(lines) + "\n"


def git(folder, *words):
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", *words], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)


def clone(folder):
    """What a reader has after `git clone` and `./run`, with a change of their own."""
    root = folder / "trefoil"
    (root / "src").mkdir(parents=True)
    (root / "build").mkdir()
    (root / "build/trefoil").symlink_to(TREFOIL)
    (root / ".gitignore").write_text("/build\n")
    (root / "src/main.c").write_text("int main(void) { return 1; }\n")
    shutil.copy(ROOT / "README.md", root)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "all of it")
    (root / "src/main.c").write_text("int main(void) { return 0; }\n")
    return root


def person(folder):
    """The environment of a new user; npx is ours, in the clone: the rest of /tmp is hidden from it."""
    for name in ("home", "run", "trefoil/bin"):
        (folder / name).mkdir(mode=0o700)
    npx = folder / "trefoil/bin/npx"
    npx.write_text(NPX.format(python=sys.executable, servers=str(ROOT / "tests/servers")))
    npx.chmod(0o755)
    return {"HOME": str(folder / "home"), "XDG_RUNTIME_DIR": str(folder / "run"),
            "XDG_STATE_HOME": f"{folder}.state",
            "PATH": f"{folder}/trefoil/bin:{os.environ['PATH']}"}


@case
def its_blocks_can_be_pasted_in_order(folder):
    root, env, mock = clone(folder), person(folder), Mock()
    mock.control("fixtures", {"fixtures": [{"match": {"userMessage": word}, **says("Here it is.")}
                                           for word in "etaoin"]})
    with Serve(root=root, **env) as daemon:
        text = script(mock.url).replace("127.0.0.1:8733", f"127.0.0.1:{daemon.address[1]}")
        (folder / "script").write_text(text)
        done = subprocess.run(["bash", folder / "script"], cwd=root, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=2 * DEADLINE, check=False,
                              env=environment(**env))
    if done.returncode:
        raise AssertionError(f"exit code {done.returncode}:\n{done.stdout}\n{done.stderr}")
    equal(re.findall(r'.*(?:"isError":true|"error":\{|Sanitizer).*', done.stdout + done.stderr), [])


@case
def few_blocks_are_left_out(_folder):
    found = readme.blocks(README)
    left_out = [f"{block.line}: {block.reason}" for block in found if block.reason]
    if len(left_out) > 3 or len(found) - len(left_out) < 8:
        raise AssertionError(f"of {len(found)} blocks these are not run: {left_out}")


main()
