"""./check itself: it stops when an install step fails, and does not depend on how it is started.

The steps are played by scripts that write down that they were run.
"""
import pathlib
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
from harness import case, equal, has, main  # noqa: E402  pylint: disable=wrong-import-position

STEPS = ("scripts/install-deps", "tests/peers/install", "scripts/build", "scripts/test",
         "scripts/count-tests")


def steps(folder, **bodies):
    """A copy of ./check whose steps only write down their names, or do what their body says."""
    shutil.copy(ROOT / "check", folder / "check")
    for step in STEPS:
        path = folder / step
        path.parent.mkdir(parents=True, exist_ok=True)
        body = bodies.get(path.name.replace("-", "_"), "exit 0")
        path.write_text(f"#!/bin/sh\necho {step} >>{folder}/log\n{body}\n")
        path.chmod(0o755)


def check(folder, wrap=()):
    """Run ./check: its exit code, its stderr, the steps that were run."""
    done = subprocess.run([*wrap, folder / "check"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stderr, (folder / "log").read_text().split()


@case
def an_install_step_that_fails_stops_it_with_the_reason(folder):
    for name, ran in (("install_deps", 1), ("install", 2)):
        place = folder / name
        place.mkdir()
        steps(place, **{name: "echo no network >&2; exit 1"})
        code, said, log = check(place)
        equal((code, log), (1, list(STEPS[:ran])))
        has(said, "no network\n./check stops: ")


@case
def a_build_that_fails_stops_it_before_the_tests(folder):
    steps(folder, build="exit 1", count_tests='echo "$@" >&2; exit 1')
    code, said, log = check(folder)
    equal((code, "scripts/test" in log), (1, False))
    has(said, "2 build build-clang")


@case
def its_steps_never_read_what_it_is_given(folder):
    look = 'readlink /proc/self/fd/0 >&2'
    steps(folder, build=look)
    for wrap in ((), ("sh", "-c", 'exec "$@" <&-', "sh"), ("setsid", "-w")):
        code, said, _ = check(folder, wrap)
        equal((code, said.count("/dev/null\n")), (0, 2))


@case
def programs_that_tests_start_inherit_no_ignored_signal(folder):
    """nohup ignores SIGHUP, and a shell's & ignores SIGINT and SIGQUIT."""
    script = folder / "script.py"
    script.write_text("import subprocess, sys\nimport harness\n"
                      "subprocess.run(['grep', '-E', 'Sig(Ign|Blk)', '/proc/self/status'])\n")
    ignored = "trap '' HUP INT QUIT TERM USR1; exec \"$@\""
    done = subprocess.run(["sh", "-c", ignored, "sh", sys.executable, script], check=True,
                          capture_output=True, text=True, env={"PYTHONPATH": str(ROOT / "tests/e2e"),
                                                               "PYTHONDONTWRITEBYTECODE": "1"})
    ours = sum(1 << number - 1 for number in signal.valid_signals())  # not those of the C library
    masks = {line.split()[0]: int(line.split()[1], 16) & ours for line in done.stdout.splitlines()}
    equal(masks, {"SigBlk:": 0, "SigIgn:": 0})
    equal(signal.getsignal(signal.SIGHUP), signal.SIG_DFL)


main()
