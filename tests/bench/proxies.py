"""HTTP in front of a stdio server: trefoil, the C floor (floor_proxy.c) and mcp-proxy from npm
take turns before the same echo server, under a load that checks every answer (http_load.c)."""
import concurrent.futures
import itertools
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from common import (LOAD_CORE, ROUNDS, SECONDS, SERVER_CORE, SOURCE, TOOLS, TREFOIL, cpu_seconds,
                    descendants, fields, pinned, row, status)

CONNECTIONS = (1, 16, 64)
GATED = (16, 64)
START = 20  # seconds until a contestant must answer
ECHO = [str(TOOLS / "echo_server")]
MANY = [sys.executable, str(SOURCE / "servers/bad_server.py"), "ok"]
VERSION = "2025-11-25"
SLOW, SLOW_CALLS, BIG = 0.5, 5, 4 << 20
IDS = itertools.count(1)


class Missing(Exception):
    """The contestant runs, but does not offer the tool; the text says so."""


class Proxy:
    """A front for one stdio server, running. `tool` is how it calls a tool of that server."""

    def tool(self, name):
        return name

    def greet(self):
        """Wait until it answers, shake hands, and see that the tools are there."""
        self.headers = {}
        end = time.monotonic() + START
        while True:
            try:
                self.shake_hands()
                return self
            except (OSError, Missing) as e:
                if self.process.poll() is None and time.monotonic() < end:
                    time.sleep(0.05)
                    continue
                self.stop()
                if isinstance(e, Missing):
                    raise
                raise SystemExit(f"{self.name} does not answer: {e}") from e

    def shake_hands(self):
        self.headers = {}
        answer = self.post("initialize", {
            "protocolVersion": VERSION, "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}})
        self.headers = {"MCP-Protocol-Version": VERSION}
        if answer.headers.get("mcp-session-id"):
            self.headers["Mcp-Session-Id"] = answer.headers["mcp-session-id"]
        self.post("notifications/initialized", notify=True)
        listed = [t["name"] for t in message_of(self.post("tools/list"))["result"]["tools"]]
        for name in self.wanted:
            if self.tool(name) not in listed:
                raise Missing(f"{self.tool(name)} is not listed")

    def post(self, method, params=None, notify=False):
        message = {"jsonrpc": "2.0", "method": method, "params": params or {},
                   **({} if notify else {"id": next(IDS)})}
        answer = urllib.request.urlopen(urllib.request.Request(
            self.url, json.dumps(message).encode(), {
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream", **self.headers}), timeout=START)
        answer.text = answer.read().decode()
        return answer

    def call(self, name, **arguments):
        answer = message_of(self.post("tools/call", {"name": self.tool(name),
                                                     "arguments": arguments}))
        if "result" not in answer:
            raise Missing(answer["error"]["message"])
        return answer["result"]["content"][0]["text"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def message_of(answer):
    """The last message of a JSON body or an event stream."""
    if not answer.headers["content-type"].startswith("text/event-stream"):
        return json.loads(answer.text)
    return json.loads([line[5:] for line in answer.text.splitlines()
                       if line.startswith("data:") and line[5:].strip()][-1])


class Trefoil(Proxy):
    """Its server comes from the configuration of the user, which needs no trust."""
    name = "trefoil"

    def __init__(self, folder, command, wanted):
        self.wanted = wanted
        config = folder / "config/trefoil/config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text('[mcp]\nmode = "read-write"\n[limits]\ntool_result_chars = 10000000\n'
                          f'[[mcp.servers]]\nname = "echo"\ncommand = {json.dumps(command)}\n')
        root = folder / "root"
        root.mkdir(exist_ok=True)
        self.process = pinned(
            SERVER_CORE, TREFOIL, "serve", "--listen", "127.0.0.1:0", "--root", str(root),
            stdout=subprocess.PIPE, stderr=(folder / "errors").open("w"), text=True,
            env={**os.environ, "XDG_CONFIG_HOME": str(folder / "config")})
        lines = [self.process.stdout.readline() for _ in range(2)]
        if not lines[1]:
            self.process.wait()
            said = (folder / "errors").read_text().strip()
            raise Missing(said) if "unknown key" in said else SystemExit(f"trefoil: {said}")
        self.url = lines[1].split()[1]

    def tool(self, name):
        return f"mcp_echo_{name}"


class Floor(Proxy):
    name = "floor"

    def __init__(self, _folder, command, wanted):
        self.wanted = wanted
        self.process = pinned(SERVER_CORE, str(TOOLS / "floor_proxy"), *command,
                              stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()


class McpProxy(Proxy):
    name = "mcp-proxy"

    def __init__(self, _folder, command, wanted):
        self.wanted = wanted
        node = subprocess.run([SOURCE / "peers/install", "all"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.strip()
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.process = pinned(
            SERVER_CORE, node, str(SOURCE / "peers/node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs"),
            "--host", "127.0.0.1", "--port", str(port), "--server", "stream", "--", *command,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}/mcp"


def start_all(folder, command, wanted):
    """The contestants by name. Only a trefoil that offers no such tool may be absent."""
    running = {}
    for kind in (Trefoil, Floor, McpProxy):
        try:
            running[kind.name] = kind(folder, command, wanted).greet()
        except Missing as e:
            if kind is not Trefoil:
                raise SystemExit(f"{kind.name}: {e}") from e
            print(f"trefoil does not take part: {e}", file=sys.stderr)
    return running


def stop_all(running):
    for proxy in running.values():
        proxy.stop()


def load(proxy, connections):
    """Rate, latency, and CPU microseconds per call of the proxy and of what it started."""
    parts = urllib.parse.urlsplit(proxy.url)
    children = descendants(proxy.process.pid)
    before = [cpu_seconds(proxy.process.pid), sum(map(cpu_seconds, children))]
    done = subprocess.run(
        ["taskset", "-c", LOAD_CORE, str(TOOLS / "http_load"), str(parts.port), parts.path,
         proxy.tool("echo"), str(connections), str(SECONDS),
         *(f"{name}: {value}" for name, value in proxy.headers.items())],
        capture_output=True, text=True, check=False)
    if done.returncode or fields(done.stdout)["bad"]:
        raise SystemExit(f"{proxy.name} under load: {done.stdout}{done.stderr[:2000]}")
    got = fields(done.stdout)
    got["cpu"] = (cpu_seconds(proxy.process.pid) - before[0]) * 1e6 / got["done"]
    got["cpu_children"] = (sum(map(cpu_seconds, children)) - before[1]) * 1e6 / got["done"]
    return got


def medians(running, connections):
    got = {name: [] for name in running}
    for _ in range(ROUNDS):
        for name, proxy in running.items():
            got[name].append(load(proxy, connections))
    return {name: {key: statistics.median(x[key] for x in list_) for key in list_[0]}
            for name, list_ in got.items()}


def compare(what, got, key, other, target=None, fewer=False, form="{:.0f}"):
    """A row for trefoil against one other; `target` bounds the ratio."""
    theirs = got[other][key]
    reference = f"{other} {form.format(theirs)}"
    bound = "-" if target is None else f"{'<=' if fewer else '>='} {target:.2f}"
    if "trefoil" not in got:
        row(what, "not available yet", reference, "-", bound, None)
        return
    ours = got["trefoil"][key]
    ratio = ours / theirs if theirs else float("inf")
    met = target is None or (ratio <= target if fewer else ratio >= target)
    row(what, form.format(ours), reference, f"{ratio:.2f}", bound, met)


def report_load(connections, got):
    gate = connections in GATED
    what = f"HTTP -> stdio, {connections} connections, "
    compare(what + "calls/s", got, "rate", "floor", 0.5 if gate else None)
    compare(what + "calls/s", got, "rate", "mcp-proxy", 20 if gate else None)
    for other in ("floor", "mcp-proxy"):
        for key, unit in (("p50_ms", "p50 ms"), ("p99_ms", "p99 ms")):
            compare(what + unit, got, key, other, form="{:.3f}")
    compare(what + "CPU us/call of the proxy", got, "cpu", "floor", 2.5 if gate else None, True,
            "{:.2f}")
    compare(what + "CPU us/call of the proxy", got, "cpu", "mcp-proxy", form="{:.2f}")
    compare(what + "CPU us/call of its children", got, "cpu_children", "floor", form="{:.2f}")


def slow_calls(proxy):
    """Seconds for some slow calls at once: the slowest one, not their sum."""
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(SLOW_CALLS) as pool:
        calls = [pool.submit(proxy.call, "slow", seconds=SLOW) for _ in range(SLOW_CALLS)]
        if [c.result() for c in calls] != ["slept"] * SLOW_CALLS:
            raise SystemExit(f"{proxy.name}: wrong answers to slow calls")
    return time.monotonic() - begin


def big_result(proxy):
    """Milliseconds for a result of 4 MB, and the most memory the proxy ever had after it."""
    begin = time.monotonic()
    try:
        got = len(proxy.call("big", bytes=BIG))
    except (Missing, urllib.error.HTTPError) as e:
        raise SystemExit(f"{proxy.name}: a result of 4 MB is refused: {e}") from e
    if got != BIG:
        raise SystemExit(f"{proxy.name}: {got} bytes of {BIG} came")
    return (time.monotonic() - begin) * 1e3, status(proxy.process.pid, "VmHWM")


def shapes(folder):
    """Calls that are long, and results that are large."""
    running = start_all(folder, MANY, ("slow", "big"))
    got = {name: {"slow": statistics.median(slow_calls(p) for _ in range(3)),
                  "big_ms": statistics.median(big_result(p)[0] for _ in range(ROUNDS)),
                  "big_kb": big_result(p)[1]} for name, p in running.items()}
    stop_all(running)
    for other in ("floor", "mcp-proxy"):
        compare(f"{SLOW_CALLS} calls of {SLOW} s at once to one server, s", got, "slow", other,
                form="{:.2f}")
        compare("a result of 4 MB through the proxy, ms", got, "big_ms", other, form="{:.1f}")
        compare("a result of 4 MB through the proxy, max RSS KB", got, "big_kb", other)


def measure(folder):
    folder = pathlib.Path(folder)
    running = start_all(folder, ECHO, ("echo",))
    for proxy in running.values():
        load(proxy, 1)  # warms up
    for connections in CONNECTIONS:
        report_load(connections, medians(running, connections))
    stop_all(running)
    shapes(folder)
