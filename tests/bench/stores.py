"""The section `store`: durable appends to sessions beside bare SQLite, and readers beside writers."""
import shutil
import statistics
import subprocess
import tempfile

from common import ROUNDS, SECONDS, TOOLS, fields, row

BENCH = str(TOOLS / "store_bench")


def once(who, writers, durability, reader="none"):
    """One run on a fresh database; for bare SQLite it is made by the store as well."""
    folder = tempfile.mkdtemp(prefix="trefoil-bench-store-")
    try:
        def run(name, ms):
            return subprocess.run([BENCH, name, f"{folder}/t.db", str(writers), str(ms), durability,
                                   reader], capture_output=True, text=True, check=True).stdout
        if who == "bare":
            run("ours", 1)
        return fields(run(who, SECONDS * 1000))
    finally:
        shutil.rmtree(folder)


def appends(writers, durability):
    got = {"ours": [], "bare": []}
    for _ in range(ROUNDS):
        for who, runs in got.items():
            runs.append(once(who, writers, durability))
    middle = {(who, key): statistics.median(x[key] for x in runs)
              for who, runs in got.items() for key in ("rate", "p99_us")}
    ours, bare = middle["ours", "rate"], middle["bare", "rate"]
    what = f"session appends, {writers} writers, survive {durability}"
    row(f"{what}, events/s", f"{ours:.0f}", f"bare SQLite {bare:.0f}", f"{ours / bare:.2f}",
        ">= 0.50", ours >= 0.5 * bare)
    row(f"{what}, p99 us", f"{middle['ours', 'p99_us']:.0f}",
        f"bare SQLite {middle['bare', 'p99_us']:.0f}",
        f"{middle['ours', 'p99_us'] / middle['bare', 'p99_us']:.2f}")


def readers():
    """What a reader of whole pages costs those who append: through the store, or beside it."""
    for reader in ("none", "inside", "beside"):
        runs = [once("ours", 16, "process", reader) for _ in range(ROUNDS)]
        rate, p99, pages = (statistics.median(x[k] for x in runs) for k in ("rate", "p99_us", "pages"))
        row(f"16 writers, reader: {reader}, events/s", f"{rate:.0f}", f"p99 {p99:.0f} us",
            f"{pages:.0f} pages/s")


def measure(_folder):
    for durability in ("power", "process"):
        for writers in (1, 16, 64):
            appends(writers, durability)
    readers()
