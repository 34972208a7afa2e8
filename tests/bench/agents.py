"""The section `a2a`: A2A messages to an echo agent, and open subscriptions.

Beside bare SQLite doing the commits of a task, and beside @a2a-js/sdk on express, if A2A_SDK names
a folder whose node_modules has them. Every task of ours is stored; those of the SDK are not.
"""
import json
import os
import pathlib
import statistics
import subprocess
import time
import urllib.request

import stores
from common import (LOAD_CORE, ROUNDS, SECONDS, SERVER_CORE, TOOLS, TREFOIL, cpu_seconds, fields,
                    pinned, row, status)

HERE = pathlib.Path(__file__).resolve().parent
SDK = os.environ.get("A2A_SDK")
FOLLOWERS = 5000
VERSION = "A2A-Version: 1.0"


class Ours:
    path = "/a2a"

    def __init__(self, folder, durability):
        folder.mkdir(exist_ok=True)
        (folder / "trefoil.toml").write_text(
            f'[a2a]\nenabled = true\n[store]\ndurability = "{durability}"\n')
        self.process = pinned(SERVER_CORE, TREFOIL, "serve", "--listen", "127.0.0.1:0", "--root",
                              str(folder), stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, TREFOIL_PROVIDER="offline"))
        self.process.stdout.readline()
        url = self.process.stdout.readline().split()[1]
        self.port = int(url.rpartition(":")[2].partition("/")[0])

    def call(self, method, params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/a2a", body,
                                         {"content-type": "application/json"})
        return json.loads(urllib.request.urlopen(request).read())["result"]


class Sdk:
    path = "/"

    def __init__(self):
        self.process = pinned(SERVER_CORE, "node", str(HERE / "a2a_peer.mjs"), SDK,
                              stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())


def load(server, connections=16, what="a2a"):
    before = cpu_seconds(server.process.pid)
    out = subprocess.run(["taskset", "-c", LOAD_CORE, str(TOOLS / "http_load"), str(server.port),
                          server.path, what, str(connections), str(SECONDS), VERSION],
                         capture_output=True, text=True, check=True).stdout
    got = fields(out)
    if got["bad"]:
        raise SystemExit(f"bad answers: {out}")
    got["cpu_us"] = (cpu_seconds(server.process.pid) - before) * 1e6 / got["done"]
    got["rss_kb"] = status(server.process.pid, "VmRSS")
    return got


def middle(runs, key):
    return statistics.median(r[key] for r in runs)


def stop(server):
    server.process.terminate()
    server.process.wait()


def blocking(folder):
    sdk = Sdk() if SDK else None
    for durability, times in (("power", 3), ("process", 10)):
        ours, got = Ours(folder / durability, durability), {"ours": [], "bare": [], "sdk": []}
        load(ours)  # the first tasks make the database
        for _ in range(min(ROUNDS, 3)):
            got["ours"].append(load(ours))
            got["bare"].append(stores.task_once("bare", 16))
            if sdk:
                got["sdk"].append(load(sdk))
        mine, bare = middle(got["ours"], "rate"), middle(got["bare"], "rate")
        what = f"A2A blocking send, 16 connections, {durability}"
        row(f"{what}, tasks/s", f"{mine:.0f}", f"bare SQLite {bare:.0f}", f"{mine / bare:.2f}",
            ">= 0.50", mine >= 0.5 * bare)
        if sdk:
            theirs = middle(got["sdk"], "rate")
            row(f"{what}, tasks/s", f"{mine:.0f}", f"@a2a-js/sdk {theirs:.0f}",
                f"{mine / theirs:.2f}", f">= {times}", mine >= times * theirs)
            rss, their_rss = middle(got["ours"], "rss_kb"), middle(got["sdk"], "rss_kb")
            row(f"{what}, RSS MB", f"{rss / 1024:.1f}", f"@a2a-js/sdk {their_rss / 1024:.1f}",
                f"{rss / their_rss:.2f}", "<= 0.10", rss <= their_rss / 10)
        row(f"{what}, CPU us/task", f"{middle(got['ours'], 'cpu_us'):.0f}", "-", "-")
        stop(ours)
    if sdk:
        stop(sdk)


def streaming(folder):
    """Each message opens an event stream that ends with its task."""
    sdk = Sdk() if SDK else None
    for durability in ("power", "process"):
        ours, got = Ours(folder / f"streams-{durability}", durability), {"ours": [], "sdk": []}
        load(ours, what="a2a_stream")
        for _ in range(min(ROUNDS, 3)):
            got["ours"].append(load(ours, what="a2a_stream"))
            if sdk:
                got["sdk"].append(load(sdk, what="a2a_stream"))
        what, mine = f"A2A streaming, 16 connections, {durability}", middle(got["ours"], "events")
        if not sdk:
            row(f"{what}, events/s", f"{mine:.0f}", "-", "-")
        else:
            theirs = middle(got["sdk"], "events")
            row(f"{what}, events/s", f"{mine:.0f}", f"@a2a-js/sdk {theirs:.0f}",
                f"{mine / theirs:.2f}", ">= 10", mine >= 10 * theirs)
            p99, p50 = middle(got["ours"], "p99_ms"), middle(got["sdk"], "p50_ms")
            row(f"{what}, p99 ms", f"{p99:.2f}", f"@a2a-js/sdk p50 {p50:.2f}", f"{p99 / p50:.2f}",
                "<= 1", p99 <= p50)
        stop(ours)
    if sdk:
        stop(sdk)


def subscriptions(folder):
    """What an open subscription costs, while the task works."""
    server = Ours(folder / "held", "process")
    task = server.call("SendMessage", {
        "message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "/sleep 600"}]},
        "configuration": {"returnImmediately": True}})["task"]
    time.sleep(0.5)
    before = status(server.process.pid, "RssAnon")
    reader = subprocess.Popen([str(TOOLS / "sse_hold"), str(server.port),
                               f"/tasks/{task['id']}:subscribe", str(FOLLOWERS)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if reader.stdout.readline() != "ready\n":
        raise SystemExit("the event streams did not open")
    held = (status(server.process.pid, "RssAnon") - before) * 1024 / FOLLOWERS
    row(f"A2A, {FOLLOWERS} open subscriptions, bytes each", f"{held:.0f}", "-", "-", "<= 4096",
        held <= 4096)
    reader.stdin.close()
    reader.wait()
    server.call("CancelTask", {"id": task["id"]})
    stop(server)


def measure(folder):
    folder = folder / "a2a"
    folder.mkdir()
    blocking(folder)
    streaming(folder)
    subscriptions(folder)
