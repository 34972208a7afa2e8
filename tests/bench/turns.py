"""The section `turns`: how fast words of a model are passed on, and what a turn at work holds."""
import http.server
import json
import os
import pathlib
import re
import statistics
import subprocess
import threading
import time

from common import ROUNDS, TOOLS, TREFOIL, fields, row

WORDS, PAUSE_S = 200, 0.003
STAMP = re.compile(rb"t(\d{9,}) ")


class Model(http.server.BaseHTTPRequestHandler):
    """Anthropic's API: an answer of many small words, each saying when it was sent."""

    protocol_version = "HTTP/1.1"
    words, pause_s = WORDS, PAUSE_S

    def log_message(self, *_args):
        pass

    def send(self, kind, **data):
        body = f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
        self.wfile.flush()

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.send("message_start", message={"id": "m", "type": "message", "role": "assistant",
                                            "model": "bench", "content": [],
                                            "usage": {"input_tokens": 1, "output_tokens": 1}})
        self.send("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for _ in range(self.words):
            time.sleep(self.pause_s)
            self.send("content_block_delta", index=0,
                      delta={"type": "text_delta", "text": f"t{time.monotonic_ns()} "})
        self.send("content_block_stop", index=0)
        self.send("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 9})
        self.send("message_stop")
        self.wfile.write(b"0\r\n\r\n")


def delays(command, environment):
    """Milliseconds from sending a word to reading it, for each word."""
    got, seen = [], b""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env=environment)
    while piece := os.read(process.stdout.fileno(), 1 << 16):
        now = time.monotonic_ns()
        seen += piece
        for stamp in STAMP.findall(seen[:seen.rfind(b" ") + 1]):
            got.append((now - int(stamp)) / 1e6)
        seen = seen[seen.rfind(b" ") + 1:]
    process.wait()
    if len(got) != WORDS:
        raise SystemExit(f"{command[0]}: {len(got)} of {WORDS} words arrived")
    return got


def passing_on(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    here = dict(os.environ, ANTHROPIC_API_KEY="bench", ANTHROPIC_BASE_URL=url,
                TREFOIL_PROVIDER="anthropic", HOME=str(folder.parent))
    commands = {"trefoil": [TREFOIL, "run", "--root", str(folder), "--no-save", "go"],
                "curl": ["curl", "-sN", "-d", "{}", f"{url}/v1/messages"]}
    got = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            got[name] += delays(command, here)
    server.shutdown()
    for name, at in (("p50", 0.50), ("p99", 0.99)):
        ours, raw = (sorted(got[who])[int(at * len(got[who]))] for who in ("trefoil", "curl"))
        row(f"a model's word passed on, {name}, ms from its sending", f"{ours:.3f}",
            f"raw curl {raw:.3f}", f"+{ours - raw:.3f}", "<= +1", ours - raw <= 1)


def holding(folder):
    count = 1000
    runs = [fields(subprocess.run([str(TOOLS / "turns_hold"), str(folder), str(count)],
                                  capture_output=True, text=True, check=True).stdout)
            for _ in range(ROUNDS)]
    each = statistics.median(x["bytes"] for x in runs)
    row(f"a turn that streams, KB (RssAnon with {count})", f"{each / 1024:.1f}", "-", "-", "<= 40",
        each <= 40 << 10)


def guarding():
    runs = [subprocess.run([str(TOOLS / "guard_bench")], capture_output=True, text=True,
                           check=True).stdout for _ in range(ROUNDS)]
    each = statistics.median(int(re.search(r"(\d+) ns", out).group(1)) for out in runs)
    row("a decision of the guard, CPU us", f"{each / 1000:.2f}", "-", "-", "<= 3", each <= 3000)


def auditing(folder):
    runs = [fields(subprocess.run([str(TOOLS / "audit_bench"), str(folder)], check=True,
                                  capture_output=True, text=True).stdout) for _ in range(ROUNDS)]
    each = statistics.median(x["record_ns"] for x in runs)
    every = statistics.median(x["all_ns"] for x in runs)
    row("a record of the audit log, CPU us", f"{each / 1000:.2f}", f"all threads {every / 1000:.2f}",
        "-", "<= 1", each <= 1000)


def measure(folder):
    place = pathlib.Path(folder) / "turns"
    place.mkdir(exist_ok=True)
    (place / "trefoil.toml").write_text("")
    passing_on(place)
    holding(place)
    guarding()
    auditing(place)
