"""Which files a task is said to have made: what its tools wrote, and what its answer names and really changed."""
import json
import os
import signal
import time

from harness import case, equal, main, wait_for
from task_client import Local, Remote, read_write

ALLOWED = '[guard.permission]\nexecute = "auto"\ndelete = "auto"\n'


def work(t, script):
    """Run it in a task whose answer is what it prints; the artifacts of that task."""
    done = t.end(t.dispatch("/call shell_exec " + json.dumps({"command": script, "shell": True})))
    equal(done["status"], "completed")
    return done["result"]["artifacts"]


def grow_old(path):
    """Until nothing that happens from now on can have the same time as the file."""
    wait_for(f"{path} to grow old", lambda: time.time() - os.stat(path).st_ctime > 0.1)


@case
def files_that_the_answer_names_count_when_they_have_changed(root):
    (root / "old.md").write_text("as it was\n")
    (root / "moved.md").write_text("elsewhere\n")
    (root / "changed.py").write_text("1\n")
    grow_old(root / "changed.py")
    for kind in (Local, Remote):
        with kind(*read_write(ALLOWED), root=root) as t:
            equal(work(t, "echo I read old.md, changed.py and missing.md; see src/nothing.c"), [])
            equal(work(t, "echo 2 > changed.py; echo 'I changed `changed.py`, not old.md.'"), ["changed.py"])
            equal(work(t, "mkdir -p src/dir.py; touch src/new.c; echo src/new.c src/dir.py"), ["src/new.c"])
            equal(work(t, f"touch here.md; echo {root}/here.md, ./here.md, here.md"), ["here.md"])
    with Local(*read_write(ALLOWED), root=root) as t:
        equal(work(t, "mv moved.md kept.md; echo It is kept.md now, and not moved.md."), ["kept.md"])


@case
def links_do_not_lead_out_of_the_root(root):
    outside = root / "outside.md"
    inner = root / "root"
    inner.mkdir()
    outside.write_text("out\n")
    os.symlink("../outside.md", inner / "out.md")
    os.symlink("..", inner / "src")
    os.symlink("made.txt", inner / "in.md")
    with Local(*read_write(ALLOWED), root=inner) as t:
        equal(work(t, "touch ../outside.md made.txt; echo out.md in.md src/outside.md ../outside.md"), ["in.md"])


@case
def what_tools_wrote_counts_without_being_named(root):
    with Local(*read_write(ALLOWED), root=root) as t:
        done = t.end(t.dispatch('/call file_write {"path":"notes.txt","content":"x"}'))
        equal(done["result"]["artifacts"], ["notes.txt"])
        done = t.end(t.dispatch("/artifact report.txt words"))
        equal(done["result"]["artifacts"], ["report.txt"])


@case
def the_task_has_begun_when_it_was_created_also_after_a_restart(root):
    (root / "old.md").write_text("as it was\n")
    grow_old(root / "old.md")
    own = read_write('[tasks]\nlock_conflict = "wait"\n[limits]\ntask_look_ms = 20\n')
    with Remote(*own, root=root) as t:
        first = t.dispatch("/sleep 3000", mode="read-only")
        wait_for("its lock", lambda: t.use("get_locks")["count"] == 1)
        second = t.dispatch("/echo early.md old.md", mode="read-only")
        t.expect = -signal.SIGKILL
        t.process.kill()
        t.process.wait()
    (root / "early.md").write_text("while nobody worked\n")
    grow_old(root / "early.md")
    with Remote(*own, root=root) as t:
        t.use("cancel_task", task_id=first)
        equal(t.end(second)["result"]["artifacts"], ["early.md"])


main()
