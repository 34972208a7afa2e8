"""What the sections of bench.py share: where things are, the table, looking at processes."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
SOURCE = pathlib.Path(__file__).resolve().parent.parent
TREFOIL = str(BUILD / "trefoil")
TOOLS = BUILD / "tests/bench"
SECONDS = 2
SERVER_CORE, LOAD_CORE = "0", "1"

rows, missed = [], []
state = tempfile.TemporaryDirectory(prefix="trefoil-bench-")  # nothing is left in the user's
os.environ["XDG_STATE_HOME"] = state.name


def row(what, ours, reference, ratio, target="-", met=True):
    """`met` is None where nothing could be judged."""
    rows.append((what, ours, reference, ratio, target, {None: "-", True: "yes"}.get(met, "NO")))
    if met is False:
        missed.append(what)


def print_table():
    rows.insert(0, ("work", "trefoil", "reference", "ratio", "target", "met"))
    widths = [max(len(r[i]) for r in rows) for i in range(6)]
    for n, r in enumerate(rows):
        print("| " + " | ".join(x.ljust(w) for x, w in zip(r, widths)) + " |")
        if n == 0:
            print("|" + "|".join("-" * (w + 2) for w in widths) + "|")


def fields(text):
    return {k: float(v) for k, v in (pair.split("=") for pair in text.split())}


def status(pid, key):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"^{key}:\s+(\d+)", text, re.M).group(1))


def cpu_seconds(pid):
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def descendants(pid):
    """Children, and theirs."""
    found = []
    for tasks in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in tasks.read_text().split():
            found += [int(child), *descendants(child)]
    return found


def pinned(core, *command, **more):
    return subprocess.Popen(["taskset", "-c", core, *command], **more)
