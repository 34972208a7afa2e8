"""The section `events`: what happens in a task, told to a thousand who follow it over HTTP.

A model's words come one by one; each is an event that is stored and then told to all. The floor
writes the same bytes to as many sockets. Both are read by the same program on the other core, so
how long it takes until the last one has an event is partly that program's time, for both alike.
"""
import http.server
import json
import os
import pathlib
import signal
import statistics
import subprocess
import threading
import time
import urllib.request

import turns
from common import (LOAD_CORE, ROUNDS, SERVER_CORE, TOOLS, TREFOIL, cpu_seconds, fields, pinned,
                    row, status)

FOLLOWERS, WORDS, PAUSE_S = 1000, 60, 0.05


class Model(turns.Model):
    """Words come once there is somebody to hear them."""

    go = threading.Event()
    words, pause_s = WORDS, PAUSE_S

    def do_POST(self):
        self.go.wait()
        super().do_POST()


def follow(port, path):
    reader = subprocess.Popen(["taskset", "-c", LOAD_CORE, str(TOOLS / "sse_hold"), str(port), path,
                               str(FOLLOWERS), "follow"], stdout=subprocess.PIPE, text=True)
    if reader.stdout.readline() != "ready\n":
        raise SystemExit("the event streams did not open")
    return reader


def found(reader, pid, before):
    got = fields(reader.stdout.readline())
    got["cpu_us"] = (cpu_seconds(pid) - before) * 1e6 / got["deliveries"]
    reader.wait()
    return got


def floor():
    process = pinned(SERVER_CORE, str(TOOLS / "fan_floor"), str(FOLLOWERS), str(WORDS),
                     str(int(PAUSE_S * 1000)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    reader = follow(int(process.stdout.readline()), "/")
    before = cpu_seconds(process.pid)
    process.stdin.write("go")
    process.stdin.flush()
    got = found(reader, process.pid, before)
    process.stdin.close()
    process.wait()
    return got


def ours(folder, url):
    environment = dict(os.environ, ANTHROPIC_API_KEY="bench", ANTHROPIC_BASE_URL=url,
                       TREFOIL_PROVIDER="anthropic", HOME=str(folder.parent))
    process = pinned(SERVER_CORE, TREFOIL, "serve", "--listen", "127.0.0.1:0", "--root", str(folder),
                     stdout=subprocess.PIPE, text=True, env=environment)
    process.stdout.readline()
    port = int(process.stdout.readline().split()[1].rpartition(":")[2].partition("/")[0])
    Model.go.clear()
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/tasks", b'{"task":"go"}',
                                     {"content-type": "application/json"})
    ident = json.loads(urllib.request.urlopen(request).read())["id"]
    time.sleep(0.5)  # the request to the model has begun: what it loads is not the followers'
    anon = status(process.pid, "RssAnon")
    reader = follow(port, f"/api/tasks/{ident}/events")
    time.sleep(0.5)  # they have been told what was before
    held = (status(process.pid, "RssAnon") - anon) * 1024 / FOLLOWERS
    before = cpu_seconds(process.pid)
    Model.go.set()
    got = {**found(reader, process.pid, before), "held": held}
    process.send_signal(signal.SIGTERM)
    process.wait()
    return got


def measure(folder):
    place = pathlib.Path(folder) / "events"
    place.mkdir(exist_ok=True)
    (place / "trefoil.toml").write_text("[limits]\ntask_gather_ms = 0\n")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    got = {"ours": [], "floor": []}
    for _ in range(ROUNDS):
        got["ours"].append(ours(place, f"http://127.0.0.1:{server.server_port}"))
        got["floor"].append(floor())
    server.shutdown()
    mid = {who: {k: statistics.median(x[k] for x in v) for k in v[0]} for who, v in got.items()}
    if mid["ours"]["events"] < WORDS / 2:
        raise SystemExit(f"only {mid['ours']['events']:.0f} events reached all who follow")
    us, them = mid["ours"], mid["floor"]
    rate = {who: FOLLOWERS * 1e6 / x["spread_p50_us"] for who, x in mid.items()}
    row(f"events to {FOLLOWERS} followers, deliveries/s", f"{rate['ours']:.0f}",
        f"bare writes {rate['floor']:.0f}", f"{rate['ours'] / rate['floor']:.2f}", ">= 0.50",
        rate["ours"] >= 0.5 * rate["floor"])
    row(f"events to {FOLLOWERS} followers, CPU us per delivery", f"{us['cpu_us']:.2f}",
        f"bare writes {them['cpu_us']:.2f}", f"{us['cpu_us'] / them['cpu_us']:.2f}", "<= 2.00",
        us["cpu_us"] <= 2 * them["cpu_us"])
    for at in ("p50", "p99"):
        row(f"from a model's word, stored, to the last of {FOLLOWERS} followers, {at}, ms",
            f"{us[f'sent_{at}_us'] / 1000:.2f}", f"bare writes {them[f'sent_{at}_us'] / 1000:.2f}",
            f"{us[f'sent_{at}_us'] / them[f'sent_{at}_us']:.2f}")
    row(f"a follower, bytes (RssAnon with {FOLLOWERS})", f"{us['held']:.0f}", "-", "-", "<= 2048",
        us["held"] <= 2048)
