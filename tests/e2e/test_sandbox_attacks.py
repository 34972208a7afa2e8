#!/usr/bin/env python3
"""A hostile program fails in every profile, as root and as an ordinary user.

usage: test_sandbox_attacks.py TREFOIL ATTACKS REFUSE
"""
import os
import sys

from sandbox_place import REFUSE, Place, users

PROFILES = {
    "read-only": ["read-only", "offline"],
    "workspace": ["writable", "offline"],
    "network": ["writable"],
    "server": ["writable"],
    "agent": ["writable"],
}
# A test that no attack succeeds says nothing if none could: so many do without a sandbox.
WITHOUT_SANDBOX = 60

count = failed = 0


def report(ok, name, lines=()):
    global count, failed  # pylint: disable=global-statement
    count += 1
    failed += not ok
    print(f"{'ok' if ok else 'not ok'} {count} - {name}", flush=True)
    for line in lines:
        print(f"# {line}")


def skip(name, why):
    global count  # pylint: disable=global-statement
    count += 1
    print(f"ok {count} - {name} # SKIP {why}", flush=True)


def attack(place, profile, words, name, before=(), options=()):
    done = place.attack(profile, *words, before=before, options=options)
    lines = done.stdout.splitlines()
    bad = [line for line in lines if line.startswith("not ok")]
    run = [line for line in lines if line.startswith("ok") and "SKIP" not in line]
    complete = done.returncode == 0 and lines and lines[-1].startswith("1..")
    report(complete and not bad and len(run) >= 50, f"{name}: {len(run)} attacks fail",
           [*bad, *(done.stderr.splitlines() if not complete else [])])


def support(uid):
    """Whether there are namespaces, and what is missing."""
    place = Place(uid)
    try:
        done = place.run("workspace", "true", options=["--best-effort"])
        return "namespaces" not in done.stderr, done.stderr.strip()
    finally:
        place.close()


def control(uid):
    """The attacks do succeed without a sandbox. Never as root: they would harm this machine."""
    if uid == 0:
        return
    place = Place(uid)
    try:
        place.start_victim()
        done = place.attack("off", "mounts", "scopes", "offline")
        succeeded = done.stdout.count("not ok")
        report(succeeded >= WITHOUT_SANDBOX, f"a user without sandbox: {succeeded} succeed",
               done.stderr.splitlines())
    finally:
        place.close()


def as_one(uid):
    who = "root" if uid == 0 else "a user"
    control(uid)
    namespaces, missing = support(uid)
    for profile, words in PROFILES.items():
        place = Place(uid)
        try:
            place.start_victim()
            if namespaces:
                attack(place, profile, ["mounts", "scopes", *words], f"{who}, {profile}")
            else:
                skip(f"{who}, {profile}", missing)
            attack(place, profile, ["scopes", *words], f"{who}, {profile}, reduced",
                   before=[REFUSE, "namespaces", "--"])
        finally:
            place.close()


os.umask(0o022)
for one in users():
    as_one(one)
print(f"1..{count}")
sys.exit(failed != 0)
