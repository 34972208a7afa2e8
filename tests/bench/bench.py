#!/usr/bin/env python3
"""Measure trefoil beside references in one run, and print ratios.

usage: bench.py BUILD_FOLDER [ROUNDS [SECTION...]]        (start memory stdio attached http proxies store
turns acp events a2a sandbox binary)

Absolute numbers move with the machine; ratios inside one run and CPU time per request hold.
Contestants take turns (ABAB), medians count, server and load sit on different cores. The last
column says whether the target is met. Exit code 1 when one is not.
"""
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import acp
import agents
import events
import proxies
import sandboxes
import stores
import turns
from common import (LOAD_CORE, ROUNDS, SECONDS, SERVER_CORE, TOOLS, TREFOIL, cpu_seconds, fields,
                    missed, pinned, print_table, row, status)

BODY = ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"system_time",'
        '"arguments":{},"_meta":{"pad":"%s"}}}' % ("x" * 180))


class Server:
    """One HTTP server on core 0."""

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Trefoil(Server):
    def __init__(self, folder, **more):
        self.process = pinned(SERVER_CORE, TREFOIL, "serve", "--listen", "127.0.0.1:0", "--root",
                              str(folder), stdout=subprocess.PIPE, text=True, **more)
        self.process.stdout.readline()
        self.url = self.process.stdout.readline().split()[1]
        self.port = int(self.url.rpartition(":")[2].partition("/")[0])
        self.pid = self.process.pid


class Nginx(Server):
    """`return 200` with a body of the same size as ours, one worker."""

    def __init__(self, folder, body):
        import socket
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        conf = folder / "nginx.conf"
        conf.write_text(f"""
            worker_processes 1; daemon off; master_process off; pid {folder}/pid;
            error_log {folder}/error.log crit;
            events {{ worker_connections 4096; }}
            http {{
                access_log off; keepalive_requests 1000000; keepalive_timeout 300s;
                default_type application/json; client_body_temp_path {folder}/body;
                server {{ listen 127.0.0.1:{port} backlog=4096;
                          location / {{ return 200 '{body}'; }} }}
            }}""")
        self.process = pinned(SERVER_CORE, "nginx", "-p", str(folder), "-c", str(conf),
                              stderr=subprocess.DEVNULL)
        self.url, self.pid = f"http://127.0.0.1:{port}/mcp", self.process.pid
        for _ in range(200):
            try:
                urllib.request.urlopen(self.url).read()
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit("nginx did not start")


def wrk(server, script, connections):
    """Requests per second, and microseconds of the server's CPU per request."""
    before, begin = cpu_seconds(server.pid), time.monotonic()
    out = subprocess.run(["taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{connections}",
                          f"-d{SECONDS}s", "-s", str(script), server.url],
                         capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out or "Socket errors" in out:
        raise SystemExit(f"errors under load:\n{out}")
    done = int(re.search(r"(\d+) requests in", out).group(1))
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)),
            (cpu_seconds(server.pid) - before) * 1e6 / done, time.monotonic() - begin)


def http(folder):
    script = folder / "post.lua"
    script.write_text(f"wrk.method = 'POST'\nwrk.body = [[{BODY}]]\n"
                      "wrk.headers['Content-Type'] = 'application/json'\n"
                      "wrk.headers['Accept'] = 'application/json, text/event-stream'\n"
                      "wrk.headers['MCP-Protocol-Version'] = '2025-11-25'\n")
    ours = Trefoil(folder)
    request = urllib.request.Request(ours.url, BODY.encode(), {
        "content-type": "application/json", "mcp-protocol-version": "2025-11-25"})
    answer = urllib.request.urlopen(request).read().decode()
    nginx = Nginx(folder, answer)
    for connections in (1, 16, 128):
        got = {"ours": [], "nginx": []}
        for _ in range(ROUNDS):
            got["ours"].append(wrk(ours, script, connections))
            got["nginx"].append(wrk(nginx, script, connections))
        rate = {k: statistics.median(x[0] for x in v) for k, v in got.items()}
        cpu = {k: statistics.median(x[1] for x in v) for k, v in got.items()}
        gate = connections == 16
        row(f"HTTP POST tools/call, {connections} connections, requests/s",
            f"{rate['ours']:.0f}", f"nginx {rate['nginx']:.0f}",
            f"{rate['ours'] / rate['nginx']:.2f}", ">= 0.50" if gate else "-",
            not gate or rate["ours"] >= 0.5 * rate["nginx"])
        row(f"HTTP POST tools/call, {connections} connections, CPU us/request",
            f"{cpu['ours']:.2f}", f"nginx {cpu['nginx']:.2f}", f"{cpu['ours'] / cpu['nginx']:.2f}",
            "<= 2.00" if gate else "-", not gate or cpu["ours"] <= 2 * cpu["nginx"])
    nginx.stop()
    ours.stop()


def stdio(folder):
    ours = [TREFOIL, "mcp", "--scope", "tools", "--root", str(folder)]
    for in_flight in (1, 32):
        got = {"ours": [], "echo": []}
        for _ in range(ROUNDS):
            for name, command in (("ours", ours), ("echo", [str(TOOLS / "pipe_echo")])):
                out = subprocess.run(["taskset", "-c", LOAD_CORE, str(TOOLS / "stdio_load"), "calls",
                                      str(in_flight), str(SECONDS), "taskset", "-c", SERVER_CORE,
                                      *command], capture_output=True, text=True, check=True).stdout
                got[name].append(fields(out))
        rate = {k: statistics.median(x["rate"] for x in v) for k, v in got.items()}
        cpu = {k: statistics.median(x["cpu_us"] for x in v) for k, v in got.items()}
        gate = in_flight == 32
        row(f"stdio tools/call, {in_flight} in flight, calls/s", f"{rate['ours']:.0f}",
            f"pipe_echo {rate['echo']:.0f}", f"{rate['ours'] / rate['echo']:.2f}",
            ">= 0.60" if gate else "-", not gate or rate["ours"] >= 0.6 * rate["echo"])
        row(f"stdio tools/call, {in_flight} in flight, CPU us/call", f"{cpu['ours']:.2f}",
            f"pipe_echo {cpu['echo']:.2f}", f"{cpu['ours'] / cpu['echo']:.2f}", "-", True)


def attached(folder):
    """Calls one after the other: by the daemon of the root, and in process. Short rounds, many of
    them: what else the machine does falls on both alike."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder)}
    daemon = Trefoil(folder, env=environment)
    command = [TREFOIL, "mcp", "--scope", "tools", "--root", str(folder)]
    got = {"attached": [], "alone": []}
    for _ in range(4 * ROUNDS):
        for name, more in (("attached", []), ("alone", ["--no-attach"])):
            out = subprocess.run(["taskset", "-c", LOAD_CORE, str(TOOLS / "stdio_load"), "trips",
                                  "2000", "taskset", "-c", SERVER_CORE, *command, *more],
                                 capture_output=True, text=True, check=True, env=environment).stdout
            got[name].append(fields(out))
    daemon.stop()
    us = {k: {p: statistics.median(x[p] for x in v) for p in v[0]} for k, v in got.items()}
    more = us["attached"]["p50_us"] - us["alone"]["p50_us"]
    row("mcp attached, us per call, p50", f"{us['attached']['p50_us']:.1f}",
        f"in process {us['alone']['p50_us']:.1f}", f"{more:+.1f}", "<= +20", more <= 20)
    row("mcp attached, us per call, p99", f"{us['attached']['p99_us']:.1f}",
        f"in process {us['alone']['p99_us']:.1f}",
        f"{us['attached']['p99_us'] / us['alone']['p99_us']:.2f}")


def cold_start(folder):
    command = [TREFOIL, "mcp", "--scope", "tools", "--root", str(folder)]
    out = subprocess.run([str(TOOLS / "stdio_load"), "starts", "50", *command],
                         capture_output=True, text=True, check=True).stdout
    got = fields(out)
    row("start of `trefoil mcp` to its first answer, ms, median of 50", f"{got['median_ms']:.2f}",
        f"p90 {got['p90_ms']:.2f}", "-", "<= 5.00", got["median_ms"] <= 5)
    mcp = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    mcp.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    mcp.stdin.flush()
    mcp.stdout.readline()
    rss = status(mcp.pid, "VmRSS")
    mcp.stdin.close()
    mcp.wait()
    row("`trefoil mcp` idle, RSS KB", str(rss), "-", "-", "<= 6144", rss <= 6144)


def memory(folder):
    count = 5000
    ours = Trefoil(folder)
    urllib.request.urlopen(f"http://127.0.0.1:{ours.port}/health").read()
    anon, rss = status(ours.pid, "RssAnon"), status(ours.pid, "VmRSS")
    row("`trefoil serve` idle, RssAnon KB", str(anon), "-", "-", "<= 2048", anon <= 2048)
    row("`trefoil serve` idle, RSS KB", str(rss), "-", "-", "<= 8192", rss <= 8192)
    holder = subprocess.Popen([str(TOOLS / "sse_hold"), str(ours.port), "/mcp", str(count)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if holder.stdout.readline() != "ready\n":
        raise SystemExit("the event streams did not open")
    each = (status(ours.pid, "RssAnon") - anon) * 1024 / count
    row(f"idle event stream, bytes (RssAnon with {count})", f"{each:.0f}", "-", "-", "<= 2048",
        each <= 2048)
    row(f"`trefoil serve` with {count} streams, RSS KB", str(status(ours.pid, "VmRSS")), "-", "-",
        "-", True)
    holder.stdin.close()
    holder.wait()
    ours.stop()


def binary(_folder):
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, TREFOIL], check=True)
        size = pathlib.Path(stripped.name).stat().st_size
    row("binary, stripped, KB", str(size // 1024), "-", "-", "<= 2048", size <= 2 << 20)


SECTIONS = {"start": cold_start, "memory": memory, "stdio": stdio, "attached": attached,
            "http": http,
            "proxies": proxies.measure,
            "store": stores.measure, "turns": turns.measure, "acp": acp.measure,
             "events": events.measure,
             "a2a": agents.measure, "sandbox": sandboxes.measure, "binary": binary}


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="trefoil-bench-"))
    try:
        for name in sys.argv[3:] or SECTIONS:
            SECTIONS[name](folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print_table()
    if missed:
        print("missed: " + "; ".join(missed))
    return bool(missed)


sys.exit(main())
