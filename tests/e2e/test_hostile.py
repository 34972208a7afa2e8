"""Hostile requests against every route (tests/hostile/): no 5xx, no hang, no data of another caller, and
the server works after each."""
import json
import pathlib
import re
import socket
import time

from harness import Serve, case, equal, has, main, own_config, request, state_dir, wait_for

HOSTILE = pathlib.Path(__file__).resolve().parent.parent / "hostile"
SECRET = "the-secret-of-ann"
LEAST = 300
SLOW = 20  # seconds in which each answer begins and ends; sanitizers on a busy machine are slow
ALLOWED = (501, 503, 505)  # a coding or version that is not supported, and too much at once
KEYS = """
[serve]
[[serve.keys]]
name = "ann"
key = "key-of-ann"
[[serve.keys]]
name = "bob"
key = "key-of-bob"
"""


def data_lines(name):
    return [line for line in (HOSTILE / name).read_text().splitlines() if not line.startswith("#")]


def filled(text, values):
    """The bytes of a template."""
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    out = b""
    for match in re.finditer(r"\{([^{}\s]{1,5})\*(\d+)\}|\\x([0-9a-f]{2})|\\([rnt0\\])|(.)", text, re.S):
        piece, count, byte, escape, plain = match.groups()
        if piece:
            out += piece.encode() * int(count)
        elif byte:
            out += bytes([int(byte, 16)])
        elif escape:
            out += {"r": b"\r", "n": b"\n", "t": b"\t", "0": b"\0", "\\": b"\\"}[escape]
        else:
            out += plain.encode()
    return out


def routes():
    return [tuple(line.split("\t")) for line in data_lines("routes.tsv")]


def http_templates():
    """Name -> text, its lines ended as HTTP wants it."""
    blocks = "\n".join(data_lines("http.txt")).split("=== ")[1:]
    out = {}
    for block in blocks:
        head, _, text = block.partition("\n")
        text = text[:-1] if text.endswith("\n") else text
        out[head.partition(":")[0]] = text.replace("\\\n", "").removesuffix("\\").replace("\n", "\r\n") + (
            "" if text.endswith("\\") else "\r\n")
    return out


class Victim:
    """A server on which ann has a task with a secret, and a session; all requests come from bob."""

    def __init__(self, server, root):
        self.server, self.root = server, root
        ann = {"authorization": "Bearer key-of-ann", "content_type": "application/json"}
        made = server.request("POST", "/api/tasks", json.dumps({"task": f"/echo {SECRET}"}).encode(), **ann)
        def read():
            self.task = server.request("GET", f"/api/tasks/{made.json()['id']}", **ann).json()
            return self.task["state"] == "completed"
        wait_for("ann's task", read)
        self.session = self.greet("key-of-ann")
        self.values = {"task": self.task["id"], "work": self.task["session"], "session": self.session,
                       "auth": "Authorization: Bearer key-of-bob", "state": str(state_dir(root))}

    def greet(self, key):
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize",
                 "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                            "clientInfo": {"name": "hostile", "version": "1"}}}
        answer = self.server.post(hello, authorization=f"Bearer {key}",
                                  accept="application/json, text/event-stream")
        return answer.headers["mcp-session-id"]

    def exchange(self, data, cut):
        """All that comes back until the end, or the head of an event stream and what is there by then."""
        got, end = b"", time.monotonic() + SLOW
        with self.server.connect() as s:
            try:
                s.sendall(data)
                if cut:
                    s.shutdown(socket.SHUT_WR)  # a promised body does not follow
            except OSError:
                pass  # it was refused before all was sent
            while True:
                s.settimeout(max(0.01, min(end - time.monotonic(), 0.3 if b"event-stream" in got else SLOW)))
                try:
                    piece = s.recv(65536)
                except ConnectionResetError:
                    return got
                except TimeoutError:
                    if b"event-stream" not in got:
                        raise
                    return got
                if not piece:
                    return got
                got += piece

    def attack(self, name, data, cut=False):
        try:
            answer = self.exchange(data, cut)
        except TimeoutError as late:
            raise AssertionError(f"{name}: no answer") from late
        statuses = [int(n) for n in re.findall(rb"(?:^|\n)HTTP/1\.1 (\d{3})", answer)]
        bad = [n for n in statuses if n >= 500 and n not in ALLOWED]
        equal((name, bad), (name, []))
        for part in (SECRET, str(state_dir(self.root)), "root:x:0", "sqlite", "trefoil.db", "key-of-ann"):
            if part.encode() not in data:  # an answer may repeat what it was sent
                equal((name, part, part.encode() in answer), (name, part, False))
        equal((name, self.server.request("GET", "/health").status), (name, 200))

    def is_unharmed(self):
        """Ann still has what she had."""
        ann = {"authorization": "Bearer key-of-ann"}
        has(self.server.request("GET", f"/api/tasks/{self.task['id']}", **ann).body.decode(), SECRET)
        listed = self.server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, mcp_session_id=self.session,
                                  accept="application/json, text/event-stream", **ann)
        equal(listed.status, 200)


def serve(root):
    return Serve(root=root, TREFOIL_PROVIDER="offline", **own_config(root, KEYS))


@case
def the_list_is_long_enough_and_names_every_route(root):
    source = (HOSTILE.parent.parent / "src/runtime/service_http.c").read_text()
    ours = {(m, re.sub(r"[?{].*|default|/[^/]*\}.*", "", p).rstrip("/")) for m, p, _ in routes()}
    for method, path in re.findall(r'\{ "([A-Z]+)", "([^"]+)", \w+ \}', source):
        equal(((method, path), (method, path.removesuffix("*").rstrip("/")) in ours), ((method, path), True))
    count = len(routes()) * len(http_templates()) + 3 * len(data_lines("rpc.txt"))
    equal(count >= LEAST, True)


@case
def hostile_http_requests_are_refused(root):
    with serve(root) as server:
        victim = Victim(server, root)
        for method, path, body in routes():
            values = {**victim.values, "method": method, "path": filled(path, victim.values).decode(),
                      "body": body, "length": str(len(body))}
            for name, template in http_templates().items():
                victim.attack(f"{name} {method} {path}", filled(template, values), cut=True)
        victim.is_unharmed()


@case
def hostile_messages_are_refused(root):
    with serve(root) as server:
        victim = Victim(server, root)
        own = victim.greet("key-of-bob")
        for line in data_lines("rpc.txt"):
            name, _, text = line.partition("\t")
            body = filled(text, victim.values)
            for path, session in (("/mcp", None), ("/mcp/default", None), ("/mcp", own)):
                victim.attack(f"{name} {path} {session}", request(
                    "POST", path, body, close=True, authorization="Bearer key-of-bob",
                    content_type="application/json", accept="application/json, text/event-stream",
                    mcp_session_id=session))
        victim.is_unharmed()


main(600)
