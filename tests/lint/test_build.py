"""scripts/build: the product needs no library of the tests, and a folder is configured once.

A compiler that finds no library that only the tests need stands for a machine without the packages
of deps/debian-12/check, and a ninja that builds nothing saves the time of a build.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
from harness import case, equal, has, main  # noqa: E402  pylint: disable=wrong-import-position

# What the build files of the tests look up.
LOOK_UP = r"(?:dependency|find_library)\('([^']+)'"
TEST_LIBRARIES = sorted({name for file in (ROOT / "tests").glob("**/meson.build")
                         for name in re.findall(LOOK_UP, file.read_text())})


def tool(folder, name, text):
    """A program that is found before the one of the same name."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def bare_machine(folder):
    """A compiler without the tests' libraries, and a ninja that only regenerates."""
    missing = "|".join(f"*' -l{name} '*" for name in TEST_LIBRARIES)
    compiler, ninja = shutil.which("gcc"), shutil.which("ninja")
    tool(folder, "gcc-without-tests",
         f"case \" $* \" in {missing}) exit 1;;\n"
         "*' --print-search-dirs '*) echo 'libraries: =/nonexistent'; exit;;\n"  # meson looks itself
         f"esac\nexec {compiler} \"$@\"")
    tool(folder, "ninja", f"case \" $* \" in *' --version '*|*' build.ninja '*|*' -t '*) "
                          f"exec {ninja} \"$@\";; esac\necho \"$*\" >>{folder}/built")


def build(folder, target, *options, compiler="gcc-without-tests"):
    """Run scripts/build for folder/build; its exit code and what it wrote to stderr."""
    env = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "CC": compiler}
    done = subprocess.run([ROOT / "scripts/build", folder / "build", target, *options], env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    equal(done.stdout, "")
    return done.returncode, done.stderr


def value(folder, option):
    rows = json.loads((folder / "build/meson-info/intro-buildoptions.json").read_text())
    return next(row["value"] for row in rows if row["name"] == option)


@case
def the_product_looks_up_no_library_of_the_tests(folder):
    bare_machine(folder)
    code, said = build(folder, "trefoil")
    equal((code, said.splitlines()), (0, [f"building trefoil in {folder}/build ..."]))
    equal(value(folder, "tests"), False)
    log = (folder / "build/meson-logs/meson-log.txt").read_text()
    has(log, "Run-time dependency libuv found: YES")
    equal([name for name in TEST_LIBRARIES if name in log], [])
    equal((folder / "built").read_text().split()[-1], "trefoil")
    # Nobody may take a folder without tests for one whose tests pass.
    for suites in ([], ["--suite", "unit", "--suite", "lint"]):
        done = subprocess.run(["meson", "test", "-C", folder / "build", "--no-rebuild", *suites],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        equal(done.returncode, 1)


@case
def a_setup_that_fails_says_why_and_leaves_no_log(folder):
    bare_machine(folder)
    code, said = build(folder, "trefoil", compiler="no-such-compiler")
    equal(code, 1)
    has(said, "no-such-compiler")
    equal(sorted(path.name for path in folder.iterdir()), ["bin", "build"])
    equal(build(folder, "trefoil")[0], 0)  # and is no obstacle to the next one


@case
def tests_that_lack_a_library_do_not_stop_the_product(folder):
    bare_machine(folder)
    code, said = build(folder, "")
    equal(code, 1)
    has(said, "http_parser")
    equal(build(folder, "trefoil")[0], 0)
    equal(value(folder, "tests"), False)


@case
def other_options_reconfigure_the_folder_once(folder):
    bare_machine(folder)
    build(folder, "trefoil")
    ninja_file = folder / "build/build.ninja"
    equal(build(folder, "trefoil", "-Doptimization=1")[0], 0)
    equal(value(folder, "optimization"), "1")
    before = ninja_file.stat().st_mtime_ns
    equal(build(folder, "trefoil", "-Doptimization=1")[0], 0)
    equal(ninja_file.stat().st_mtime_ns, before)


@case
def a_folder_of_an_older_version_is_brought_up_to_date(folder):
    bare_machine(folder)
    build(folder, "trefoil", compiler="gcc")
    (folder / "build/options").unlink()
    equal(build(folder, "", compiler="gcc")[0], 0)
    equal(value(folder, "tests"), True)
    equal(build(folder, "trefoil")[0], 0)
    equal(value(folder, "tests"), True)  # a developer's folder keeps its tests


main()
