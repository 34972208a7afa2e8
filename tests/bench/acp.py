"""The section `acp`: `trefoil acp` as an editor sees it: its start, its updates, its sessions."""
import http.server
import json
import os
import pathlib
import statistics
import subprocess
import threading
import time

from common import ROUNDS, TREFOIL, row

STARTS, UPDATES, SESSIONS = 50, 50000, 200


def request(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method,
                       "params": params}).encode() + b"\n"


HELLO = request(0, "initialize", protocolVersion=1)


class Editor:
    """The least that a client needs."""

    def __init__(self, environment):
        self.process = subprocess.Popen([TREFOIL, "acp"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=environment, cwd="/")
        self.number = 0

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def call(self, method, **params):
        """The result. Notifications before it are skipped."""
        self.number += 1
        self.send(request(self.number, method, **params))
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number:
                return message["result"]

    def anonymous_kb(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss_Anon:"):
                return int(line.split()[1])
        raise SystemExit("smaps_rollup has no Pss_Anon")

    def cpu_us(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) * 1e6 / os.sysconf("SC_CLK_TCK")

    def leave(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()


def starting(environment):
    took = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        editor = Editor(environment)
        editor.send(HELLO)
        editor.process.stdout.readline()
        took.append((time.perf_counter() - begin) * 1000)
        editor.leave()
    median = statistics.median(took)
    row("start to the response to initialize, ms", f"{median:.1f}", "-", "-", "<= 5", median <= 5)


class Model(http.server.BaseHTTPRequestHandler):
    """Anthropic's API: one answer of many words, sent as fast as they are read."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def do_POST(self):
        def event(kind, **data):
            return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"
        word = event("content_block_delta", index=0, delta={"type": "text_delta", "text": "word "})
        body = (event("message_start", message={"id": "m", "type": "message", "role": "assistant",
                                                "model": "bench", "content": [],
                                                "usage": {"input_tokens": 1, "output_tokens": 1}}) +
                event("content_block_start", index=0, content_block={"type": "text", "text": ""}) +
                word * UPDATES + event("content_block_stop", index=0) +
                event("message_delta", delta={"stop_reason": "end_turn"},
                      usage={"output_tokens": 9}) + event("message_stop")).encode()
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def stream(folder, environment):
    """Updates per second of one prompt, and the CPU time of one update in microseconds."""
    editor = Editor(environment)
    editor.send(HELLO)
    editor.process.stdout.readline()
    session = editor.call("session/new", cwd=str(folder), mcpServers=[])["sessionId"]
    cpu, begin, count, tail = editor.cpu_us(), time.perf_counter(), 0, b""
    editor.send(request("p", "session/prompt", sessionId=session,
                        prompt=[{"type": "text", "text": "go"}]))
    while b'"stopReason"' not in tail:
        piece = os.read(editor.process.stdout.fileno(), 1 << 20)
        count += piece.count(b"\n")
        tail = tail[-4096:] + piece
    took = time.perf_counter() - begin
    cpu = editor.cpu_us() - cpu
    editor.leave()
    if count < UPDATES:
        raise SystemExit(f"only {count} of {UPDATES} updates have arrived")
    return count / took, cpu / count


def streaming(folder, environment):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = dict(environment, ANTHROPIC_API_KEY="bench", TREFOIL_PROVIDER="anthropic",
                       ANTHROPIC_BASE_URL=f"http://127.0.0.1:{server.server_port}")
    runs = [stream(folder, environment) for _ in range(ROUNDS)]
    server.shutdown()
    rate, cpu = (statistics.median(run[i] for run in runs) for i in (0, 1))
    row("updates of one prompt per second, store and log included", f"{rate:.0f}", "-", "-",
        ">= 50000", rate >= 50000)
    row("one update, with reading it from the model, CPU us", f"{cpu:.1f}", "-", "-", "<= 20",
        cpu <= 20)


def idling(folder, environment):
    editor = Editor(environment)
    editor.send(HELLO)
    editor.process.stdout.readline()
    for _ in range(10):
        editor.call("session/new", cwd=str(folder), mcpServers=[])
    before = editor.anonymous_kb()
    for _ in range(SESSIONS):
        editor.call("session/new", cwd=str(folder), mcpServers=[])
    each = (editor.anonymous_kb() - before) / SESSIONS
    editor.leave()
    row(f"an idle session, KB (anonymous memory with {SESSIONS})", f"{each:.1f}", "-", "-", "<= 30",
        each <= 30)


def measure(folder):
    place = pathlib.Path(folder) / "acp"
    (place / ".git").mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, HOME=str(place.parent), TREFOIL_PROVIDER="offline")
    starting(environment)
    streaming(place, environment)
    idling(place, environment)
