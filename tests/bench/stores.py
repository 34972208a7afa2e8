"""The section `store`: durable appends and tasks beside bare SQLite, readers beside writers, look-ups
among many tasks."""
import shutil
import statistics
import subprocess
import tempfile

from common import ROUNDS, SECONDS, TOOLS, fields, row

BENCH, TASK_BENCH = str(TOOLS / "store_bench"), str(TOOLS / "task_bench")
TASK_ROUNDS = min(ROUNDS, 3)
FEW, MANY = 1000, 1000000


def once(who, writers, durability, reader="none"):
    """One run on a fresh database; for bare SQLite it is made by the store as well."""
    folder = tempfile.mkdtemp(prefix="trefoil-bench-store-")
    try:
        def run(name, ms):
            return subprocess.run([BENCH, name, f"{folder}/t.db", str(writers), str(ms), durability,
                                   reader], capture_output=True, text=True, check=True).stdout
        if who == "bare":
            run("ours", 100)
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


def task_run(*args):
    return subprocess.run([TASK_BENCH, *map(str, args)], capture_output=True, text=True,
                          check=True).stdout


def task_once(who, clients):
    with tempfile.TemporaryDirectory(prefix="trefoil-bench-store-") as folder:
        return fields(task_run(who, f"{folder}/t.db", clients, 1000))


def tasks(clients):
    """Each task: created, updated twice, completed; each step survives a power cut."""
    got = {"ours": [], "bare": []}
    for _ in range(TASK_ROUNDS):
        for who, runs in got.items():
            runs.append(task_once(who, clients))
    ours, bare = (statistics.median(x["rate"] for x in got[who]) for who in ("ours", "bare"))
    row(f"tasks of 4 steps, {clients} clients, survive power, tasks/s", f"{ours:.0f}",
        f"bare SQLite {bare:.0f}", f"{ours / bare:.2f}", ">= 0.50", ours >= 0.5 * bare)


def look_ups():
    """With a thousand times as many tasks nothing takes more than twice as long."""
    with tempfile.TemporaryDirectory(prefix="trefoil-bench-store-") as folder:
        for count in (FEW, MANY):
            task_run("fill", f"{folder}/{count}.db", count)
        for what, said in (("load", "look-up of a task"), ("page", "first page of tasks"),
                           ("owner", "first page of an owner"), ("live", "first page of live ones")):
            runs = {FEW: [], MANY: []}
            for _ in range(TASK_ROUNDS):
                for count, of in runs.items():
                    of.append(fields(task_run(what, f"{folder}/{count}.db", count, 500))["p99_us"])
            few, many = (statistics.median(runs[count]) for count in (FEW, MANY))
            row(f"{said} among {MANY}, p99 us", f"{many:.0f}", f"among {FEW}: {few:.0f}",
                f"{many / few:.2f}", "<= 2.00", many <= 2 * few)


def measure(_folder):
    for durability in ("power", "process"):
        for writers in (1, 16, 64):
            appends(writers, durability)
    readers()
    for clients in (1, 16, 64):
        tasks(clients)
    look_ups()
