"""scripts/requirements tells tests that drive the binary from others, and notices what is wrong with a row.

usage: test_requirements.py BUILD_FOLDER
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
from harness import case, equal, has, main  # noqa: E402  pylint: disable=wrong-import-position

BUILD = pathlib.Path(sys.argv[1]).resolve()
E2E = "tests/e2e/test_agents.py::agents_of_all_files_are_listed"
UNIT = "tests/unit/proto/test_tool_name.c::a_name_is_server_and_tool_in_small_letters"
ALL = "S0-1..52 S1-1..34 S2-1..252 S3-1..66 S4-1..145 C-1..56".split()


def others(*ids):
    """All ids but these, one by one."""
    spread = []
    for word in ALL:
        seed, _, last = word.partition("..")
        seed = seed.partition("-")[0]
        spread += [f"{seed}-{n}" for n in range(1, int(last) + 1)]
    return " ".join(ident for ident in spread if ident not in ids)


def requirements(folder, *rows, left=None, build=BUILD):
    """(exit code, lines) of scripts/requirements with these rows; all other ids are open."""
    ids = [row.partition("\t")[0] for row in rows]
    (folder / "requirements.tsv").write_text("\n".join(rows) + "\n")
    (folder / "requirements.open").write_text(f"later\t{left or others(*ids)}\n")
    done = subprocess.run([ROOT / "scripts/requirements", build, folder], capture_output=True, text=True,
                          check=False)
    equal(done.stderr, "")
    return done.returncode, done.stdout.splitlines()


def complaint(folder, row, **more):
    """What is said of the one row that is wrong."""
    code, lines = requirements(folder, row, **more)
    equal(code, 1)
    return lines[0]


@case
def what_drives_the_binary_shows_and_what_does_not_is_unit_only(folder):
    code, lines = requirements(folder, f"S0-1\t{E2E}", f"S0-2\t{UNIT}", "S0-3\ttests/talk/mcp-stdio.talk",
                               "S0-4\ttests/e2e/test_mcp_client.py", "S0-5\ttests/conformance/server.c",
                               "S0-6\tn/a: nobody has that", "C-1\ttests/peers/agents.mjs::over stdio")
    equal((code, lines[-1]), (0, "2 shown, 4 unit only, 598 open, 1 not applicable of 605 requirements"))
    has("\n".join(lines), "unit only (4): S0-2..5\n")


@case
def an_id_about_code_needs_both_kinds(folder):
    has(complaint(folder, f"S4-19\t{E2E}"), "about code, so a unit test is needed besides: S4-19")
    code, lines = requirements(folder, f"S4-19\t{E2E}", f"S4-19\t{UNIT}")
    equal((code, lines[-1].split(",")[0]), (0, "1 shown"))


@case
def a_test_that_is_not_there_is_noticed(folder):
    for row, says in (("S0-1\ttests/e2e/test_nothing.py", "there is no file tests/e2e/test_nothing.py"),
                      ("S0-1\ttests/e2e/test_agents.py::nothing", "has no case nothing"),
                      ("S0-1\ttests/e2e/test_agents.py::put", "has no case put"),
                      ("S0-1\ttests/peers/upstreams.mjs", "no test of the build runs tests/peers/upstreams.mjs"),
                      ("S0-99\t" + E2E, "no such id"), ("S0-1 " + E2E, "no TAB")):
        has(complaint(folder, row), says)


def copy_of_build(folder):
    """A build folder of the same tests, where something may be written."""
    build = folder / "build"
    (build / "meson-logs").mkdir(parents=True)
    (build / "meson-info").mkdir()
    for name in ("intro-tests.json", "intro-targets.json"):
        (build / "meson-info" / name).write_text((BUILD / "meson-info" / name).read_text())
    return build


@case
def code_that_is_not_linked_is_noticed(folder):
    build = copy_of_build(folder)
    info = build / "meson-info/intro-targets.json"
    targets = json.loads(info.read_text())
    small = next(t for t in targets if t["name"] == "test_base64")
    next(t for t in targets if t["name"] == "trefoil")["filename"] = small["filename"]
    info.write_text(json.dumps(targets))
    has(complaint(folder, f"S0-1\t{UNIT}", build=build), "tests what is not linked into trefoil: ")
    has(complaint(folder, f"S0-1\t{UNIT}", build=build), "src/proto/mcp/tool_name.c")
    linked = "tests/unit/base/test_base64.c"
    equal(requirements(folder, f"S0-1\t{linked}", build=build)[0], 0)


@case
def a_case_that_the_last_run_skipped_is_noticed(folder):
    build = copy_of_build(folder)
    (build / "meson-logs/testlog.junit.xml").write_text(
        """<testsuites><testsuite name="trefoil.trefoil:e2e / e2e-agents">
        <testcase name="3 - agents of all files are listed"><skipped/></testcase>
        <testcase name="4 - one agent is shown with its prompt"/></testsuite></testsuites>""")
    has(complaint(folder, f"S0-1\t{E2E}", build=build), f"the last run skipped {E2E}")
    has(complaint(folder, "S0-1\ttests/e2e/test_agents.py", build=build), "the last run skipped")
    other = "tests/e2e/test_agents.py::one_agent_is_shown_with_its_prompt"
    equal(requirements(folder, f"S0-1\t{other}", build=build)[0], 0)


@case
def what_is_open_has_no_test_and_all_is_somewhere(folder):
    code, lines = requirements(folder, f"S0-1\t{E2E}", left=" ".join(ALL))
    equal((code, lines[0].partition(": ")[2]), (1, "S0-1: has a test"))
    has(complaint(folder, f"S0-1\t{E2E}", left="S0-2"), "in neither file: S0-3..52 S1-1..34")
    has("\n".join(requirements(folder, f"S0-1\t{E2E}", f"S0-1\t{E2E}")[1]), "this row stands here twice")


main()
