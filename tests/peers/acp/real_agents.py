"""Real programs that speak ACP, controlled by trefoil: a prompt, a change of a file, a read-only run,
a cancel, a session that is resumed, and one that is resumed after a kill of trefoil; by `trefoil run`
here; if FACES is set, also by an editor, by an MCP client and as tasks (faces.py).

usage: real_agents.py TREFOIL [AGENT...]
"""
import json
import pathlib
import shutil
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "e2e"))
only = sys.argv[2:]
del sys.argv[2:]
from harness import Process, case, equal, has, main, run, use_state_home, wait_for  # noqa: E402
import faces  # noqa: E402
from home import (COMMANDS, ENV, FACES, HOME, MADE, RESUMES, ROOT, left, none_left,  # noqa: E402
                  words_for)


def say(agent, *words):
    done = run("run", "--json", "-a", agent, *words, root=ROOT, **ENV)
    none_left()
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def text(told):
    return "".join(e["text"] for e in told if e["type"] == "text")


def stop(agent, number, code):
    """Send a signal to trefoil in the middle of a turn."""
    with Process("run", "--json", "-a", agent, words_for(agent, "SLOWLY"), root=ROOT, **ENV) as p:
        wait_for("the agent", left)
        p.process.stdout.readline()
        wait_for("its session", lambda: json.loads(run(
            "sessions", "list", "--json", root=ROOT, **ENV).stdout or "[]"))
        p.process.send_signal(number)
        p.expect = code
        p.told = True
        p.process.stdout.read()
    none_left()


def answers(agent):
    done, told = say(agent, "PLAIN")
    equal((done.returncode, told[-1]["stop"]), (0, "end"))
    has(text(told), "Hello")


def changes_a_file(agent):
    MADE.unlink(missing_ok=True)
    done, told = say(agent, "--yes", words_for(agent, "WRITE_IT"))
    equal((done.returncode, MADE.exists() and MADE.read_text()), (0, "made\n"))
    assert any(e["type"] == "tool" and e["status"] == "done" for e in told), told
    has(text(told), "FINAL")


def read_only_changes_nothing(agent):
    MADE.unlink(missing_ok=True)
    say(agent, "--yes", "--mode", "read-only", words_for(agent, "WRITE_IT"))
    assert not MADE.exists()


def is_resumed(agent):
    say(agent, "PLAIN")
    done, told = say(agent, "-c", "PLAIN again")
    equal(done.returncode, 0)
    has(text(told), "Hello")
    new = any("starts a new session" in e["text"] for e in told if e["type"] == "notice")
    assert not (new and agent in RESUMES), told


def is_cancelled(agent):
    stop(agent, signal.SIGINT, 130)
    has(text(say(agent, "-c", "PLAIN")[1]), "Hello")


def survives_a_kill(agent):
    stop(agent, signal.SIGKILL, -9)
    has(text(say(agent, "-c", "PLAIN")[1]), "Hello")


for name in COMMANDS:
    for claim in (answers, changes_a_file, read_only_changes_nothing, is_resumed, is_cancelled,
                  survives_a_kill, *(faces.CLAIMS if FACES else ())):
        def test(_, claim=claim, name=name):
            use_state_home(HOME / "state")
            claim(name)

        test.__name__ = f"{name}_{claim.__name__}"
        if not only or name in only:
            case(test)

try:
    main(300)
finally:
    shutil.rmtree(HOME, ignore_errors=True)
    shutil.rmtree(ROOT, ignore_errors=True)
