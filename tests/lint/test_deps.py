"""scripts/check-deps notices what is used without being listed, and what is listed without being used.

The lists lack a package here: that is what a header, library or program of an unlisted package looks like.
usage: test_deps.py BUILD_FOLDER
"""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
from harness import case, equal, has, main  # noqa: E402  pylint: disable=wrong-import-position

BUILD = sys.argv[1]
LISTS = ROOT / "deps/debian-12"


def check(*lists):
    """(exit code, lines) of scripts/check-deps"""
    done = subprocess.run([ROOT / "scripts/check-deps", BUILD, *lists], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    equal(done.stderr, "")
    return done.returncode, done.stdout.splitlines()


def changed(folder, name, drop=(), add=()):
    """A copy of the lists, with packages more or less in one of them."""
    lists = folder / "lists"
    shutil.copytree(LISTS, lists)
    lines = [line for line in (lists / name).read_text().splitlines() if line not in drop]
    (lists / name).write_text("\n".join([*lines, *add]) + "\n")
    return lists


@case
def every_file_that_is_used_belongs_to_a_listed_package(_folder):
    code, lines = check()
    equal((code, len(lines)), (0, 1))


@case
def headers_libraries_and_programs_of_unlisted_packages_are_named(folder):
    code, lines = check(changed(folder, "build", drop=("libyaml-dev", "curl", "pkg-config")))
    text = "\n".join(lines)
    equal(code, 1)
    has(text, "/usr/include/yaml.h of libyaml-dev, which is not among build")
    has(text, "trefoil uses /usr/lib/x86_64-linux-gnu/libyaml.so of libyaml-dev")
    has(text, "meson uses /usr/bin/pkg-config of ")
    has(text, "README.md uses /usr/bin/curl of curl")


@case
def a_library_that_is_opened_at_run_time_must_be_listed(folder):
    code, lines = check(changed(folder, "build", drop=("libcurl4-openssl-dev", "curl")))
    equal(code, 1)
    has("\n".join(lines), "libcurl.so.4 of libcurl4, which is not among build")


@case
def what_only_tests_use_must_be_in_their_list(folder):
    code, lines = check(changed(folder, "check", drop=("libhttp-parser-dev",)))
    equal(code, 1)
    has("\n".join(lines), "http_parser.h of libhttp-parser-dev, which is not among build + check")


@case
def a_package_that_nothing_uses_is_named(folder):
    code, lines = check(changed(folder, "build", add=("libhttp-parser-dev",)))
    equal((code, lines[:-1]), (1, ["nothing uses libhttp-parser-dev, which is in the list build"]))


main()
