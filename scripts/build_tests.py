"""What a build folder says about tests: which test runs a file, which programs that test starts,
which sources are linked into them, and which cases the last run skipped.

All of it is read from what meson, the compiler and the last run have written. Nothing is listed by hand.
"""
import functools
import json
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree as xml

# How a case looks in a test file, by the file's suffix.
CASE = {".py": r"^@\w+\ndef {0}\(|for_all_formats\({0}\b", ".c": r"^TEST\({0}\)", ".mjs": r"'[^'\n]*{0}"}


def has_case(path, case):
    """Does this test file define a case of this name?"""
    pattern = CASE.get(path.suffix)
    return bool(pattern and re.search(pattern.format(re.escape(case)), path.read_text(), re.MULTILINE))


@functools.cache
def sources_of(program):
    """The C files of src/ that are linked into a program: the names of its compile units (DWARF)."""
    units = subprocess.run(["readelf", "--debug-dump=info", "--dwarf-depth=1", program], check=True,
                           capture_output=True, text=True).stdout
    names = re.findall(r"DW_AT_name\s*:.*\s(\S+)$", units, re.MULTILINE)
    return {name[name.index("src/"):] for name in names if re.search(r"(^|/)src/.*\.c$", name)}


class Build:
    """A build folder in which everything has been built."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        try:
            self.tests = self.read("intro-tests.json")
            targets = self.read("intro-targets.json")
        except OSError as e:
            raise SystemExit(f"{folder} is not a build folder ({e}); `make all` makes one") from e
        self.programs = {t["id"]: t for t in targets if t["type"] == "executable"}
        self.trefoil = next(t["id"] for t in self.programs.values() if t["name"] == "trefoil")
        self.skipped = self.skipped_cases()

    def read(self, name):
        return json.loads((self.folder / "meson-info" / name).read_text())

    def programs_of(self, test):
        return [self.programs[ident] for ident in test["depends"] if ident in self.programs]

    @functools.cache
    def files_of(self, name):
        """The files and program sources of the test of this name."""
        test = next(t for t in self.tests if t["name"] == name)
        given = [word for word in test["cmd"] if os.path.isabs(word)]
        compiled = [source for program in self.programs_of(test)
                    for part in program["target_sources"] for source in part.get("sources", [])]
        return {os.path.normpath(path) for path in given + compiled}

    def tests_of(self, path):
        """The tests that run a file of tests/."""
        return [t for t in self.tests if str(path) in self.files_of(t["name"])]

    def drives_trefoil(self, test):
        """Is trefoil the only program of the build that this test starts?"""
        return [p["id"] for p in self.programs_of(test)] == [self.trefoil]

    def not_linked(self, test):
        """Sources that the programs of a test have and trefoil has not."""
        binary = self.programs[self.trefoil]["filename"][0]
        ours = sources_of(binary)
        if not ours:
            raise SystemExit(f"{binary} has no debug information: build it with -Ddebug=true")
        return {source for program in self.programs_of(test)
                for source in sources_of(program["filename"][0]) - ours}

    def skipped_cases(self):
        """(name of a test, its case) of all that the last run skipped, if there was one."""
        try:
            suites = xml.parse(self.folder / "meson-logs/testlog.junit.xml").iter("testsuite")
        except (OSError, xml.ParseError):
            return set()
        return {(suite.get("name").rpartition(" / ")[2], re.sub(r"^\d+ - ", "", case.get("name")))
                for suite in suites for case in suite.iter("testcase")
                if case.find("skipped") is not None}

    def was_skipped(self, test, case):
        """Was this case skipped, or without a case anything of the test?"""
        spoken = case.replace("_", " ")
        return any(name == test["name"] and (spoken in skipped or case in skipped)
                   for name, skipped in self.skipped)
