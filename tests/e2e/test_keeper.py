#!/usr/bin/env python3
"""Whoever is killed, nobody of the tree is left.

usage: test_keeper.py DRIVER KEEPER CHILD

This process is a subreaper: all that outlives a driver comes to it, so that "nobody is left" is
the kernel's word (waitpid knows of no child) and not only a look at /proc. TEST_SEED repeats
the random rounds of an earlier run.
"""
import ctypes
import os
import random
import select
import signal
import subprocess
import sys
import time
import uuid

DRIVER, KEEPER, CHILD = sys.argv[1:4]
PATIENCE = 60.0  # met only by a bug
ROUNDS = 20
PR_SET_CHILD_SUBREAPER = 36

# A grandchild, one in its own session, a daemon, a stopped one, one in its own group; all deaf.
FAMILY = ("spawn deaf say member hang end "
          "spawn setsid deaf say member hang end "
          "spawn spawn setsid spawn deaf say member hang end end end "
          "spawn deaf say member stop hang end "
          "spawn setpgid deaf spawn setsid deaf say member hang end say member hang end "
          "deaf say member hang").split()
MEMBERS = FAMILY.count("member")


def poll(what, condition):
    """Wait for a condition, however long a loaded machine takes."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not in {PATIENCE:.0f} s: {what}"
        time.sleep(0.002)


def processes_with(mark):
    """Living processes started with the mark in their environment, keepers included."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                entries = f.read().split(b"\0")
        except OSError:
            continue
        if mark in entries or b"@" + mark in entries:
            found.append(int(pid))
    return found


def no_child_left():
    """Reap what came to us; true when there is nobody any more, dead or alive."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


class Tree:
    """A driver with children, and all that came from them."""

    marks = []

    def __init__(self, count, words):
        mark = f"TEST_TREE={uuid.uuid4()}"
        self.mark = mark.encode()
        self.text = b""
        self.count = count
        env = dict(os.environ, TEST_TREE=mark.split("=")[1])
        self.driver = subprocess.Popen([DRIVER, KEEPER, CHILD, str(count), *words], env=env,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       start_new_session=True)
        os.set_blocking(self.driver.stdout.fileno(), False)
        Tree.marks.append(self.mark)

    def read(self):
        """What the driver has said so far."""
        if select.select([self.driver.stdout], [], [], 0.002)[0]:
            self.text += self.driver.stdout.read() or b""
        return self.text.decode().split("\n")

    def said(self, line):
        return self.read().count(line)

    def keepers(self):
        return [int(line.split()[1]) for line in self.read() if line.startswith("keeper ")]

    def exits(self):
        return [line[5:] for line in self.read() if line.startswith("exit ")]

    def wait_for_family(self):
        poll("the family is complete", lambda: self.said("member") >= self.count * MEMBERS)
        assert len(processes_with(self.mark)) >= self.count * MEMBERS

    def kill(self, signum):
        os.kill(self.driver.pid, signum)

    def wait_for_driver(self):
        poll("the driver has left", lambda: self.driver.poll() is not None)
        return self.driver.returncode

    def nobody_left(self):
        self.wait_for_driver()
        poll("nobody is left", no_child_left)
        assert processes_with(self.mark) == [], processes_with(self.mark)
        self.driver.stdout.close()
        Tree.marks.remove(self.mark)

    @staticmethod
    def clean_up():
        """After a failure: nobody of ours may disturb the next test."""
        for mark in Tree.marks:
            for pid in processes_with(mark):
                os.kill(pid, signal.SIGKILL)
        Tree.marks.clear()


def test_the_tree_is_found_by_its_mark():
    tree = Tree(1, FAMILY)
    tree.wait_for_family()
    assert len(processes_with(tree.mark)) >= MEMBERS + 1  # and the driver
    tree.kill(signal.SIGKILL)
    tree.nobody_left()


def test_sigkill_of_the_driver_leaves_nobody():
    tree = Tree(3, FAMILY)
    tree.wait_for_family()
    tree.kill(signal.SIGKILL)
    assert tree.wait_for_driver() == -signal.SIGKILL
    tree.nobody_left()


def test_sigterm_of_the_driver_stops_all_and_it_leaves_in_order():
    tree = Tree(3, FAMILY)
    tree.wait_for_family()
    tree.kill(signal.SIGTERM)
    assert tree.wait_for_driver() == 0
    assert processes_with(tree.mark) == []  # already when it has left
    tree.nobody_left()


def test_sigkill_of_the_drivers_group_leaves_nobody():
    tree = Tree(2, FAMILY)
    tree.wait_for_family()
    os.killpg(tree.driver.pid, signal.SIGKILL)
    tree.nobody_left()


def test_sigkill_of_a_keeper_is_noticed_and_its_tree_killed():
    tree = Tree(2, FAMILY)
    tree.wait_for_family()
    victim = tree.keepers()[0]
    os.kill(victim, signal.SIGKILL)
    poll("the loss is told", lambda: len(tree.exits()) == 1)
    assert tree.exits()[0].startswith("was lost: its keeper was killed by signal 9"), tree.exits()
    assert len(processes_with(tree.mark)) >= MEMBERS  # the other child's tree is untouched
    tree.kill(signal.SIGTERM)
    assert tree.wait_for_driver() == 0
    tree.nobody_left()


def test_a_stopped_keeper_goes_on_when_the_driver_is_killed():
    tree = Tree(1, FAMILY)
    tree.wait_for_family()
    os.kill(tree.keepers()[0], signal.SIGSTOP)
    tree.kill(signal.SIGKILL)
    tree.nobody_left()


def test_a_stopped_driver_that_is_killed_leaves_nobody():
    tree = Tree(1, FAMILY)
    tree.wait_for_family()
    tree.kill(signal.SIGSTOP)
    tree.kill(signal.SIGKILL)
    tree.nobody_left()


def storm(words):
    tree = Tree(1, words.split())
    poll("the storm begins", lambda: tree.said("go"))
    tree.kill(signal.SIGKILL)
    tree.nobody_left()


def test_sigkill_in_a_storm_of_forks():
    storm("say go storm 300 1500")


def test_sigkill_in_a_storm_of_sessions():
    storm("say go session-storm 300 1500")


def test_sigkill_in_a_storm_that_fills_every_gap():
    storm("crowd 60 say go session-storm 600000 1000000000")


def test_sigkill_under_a_process_that_is_always_a_new_one():
    storm("spawn say go comet 500 end hang")


def one_random_round(dice):
    """Somebody is killed at some moment, as early as while the keepers start."""
    tree = Tree(dice.randint(1, 3), FAMILY)
    when = time.monotonic() + dice.choice([0, 0.002, 0.01, 0.05]) * dice.random()
    whom = dice.choice(["driver", "driver", "driver politely", "keeper"])
    while time.monotonic() < when:
        tree.read()
    if whom == "keeper" and tree.keepers():
        os.kill(dice.choice(tree.keepers()), signal.SIGKILL)
        poll("the loss is told", lambda: len(tree.exits()) >= 1)
    tree.kill(signal.SIGTERM if whom == "driver politely" else signal.SIGKILL)
    tree.nobody_left()


def test_whoever_is_killed_at_whatever_moment():
    seed = int(os.environ.get("TEST_SEED", random.SystemRandom().randint(0, 10 ** 9)))
    print(f"# TEST_SEED={seed}")
    dice = random.Random(seed)
    for _ in range(ROUNDS):
        one_random_round(dice)


def main():
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    assert prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    tests = [(name, f) for name, f in globals().items() if name.startswith("test_")]
    bad = 0
    for number, (name, run) in enumerate(tests, 1):
        try:
            run()
            print(f"ok {number} - {name[5:]}")
        except Exception as e:  # a failed test must not hide the others
            bad += 1
            Tree.clean_up()
            print(f"# {type(e).__name__}: {e}\nnot ok {number} - {name[5:]}")
        sys.stdout.flush()
    print(f"1..{len(tests)}")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
