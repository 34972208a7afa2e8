"""Clients that have said their last word and wait: they get all answers. Clients that are gone are not worked
for. And bodies that come packed."""
import gzip
import json
import socket
import struct

from harness import Process, Response, Serve, case, equal, has, main, read_all, request, wait_for
from mcp_http import BOTH, PING

OFFLINE = {"TREFOIL_PROVIDER": "offline"}


def call(text, ident=1):
    return {"jsonrpc": "2.0", "id": ident, "method": "tools/call",
            "params": {"name": "trefoil_agent_default", "arguments": {"message": text}}}


def post(message, **headers):
    headers.setdefault("content_type", "application/json")
    return request("POST", "/mcp", json.dumps(message).encode(), **headers)


def send_and_shut(t, data):
    """Everything that comes back after our last word."""
    with t.connect() as s:
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        return read_all(s)


def final(data):
    """The answer, without what may come before it."""
    while data.startswith(b"HTTP/1.1 100 "):
        data = data.partition(b"\r\n\r\n")[2]
    return Response(data)


# ---- HTTP --------------------------------------------------------------------------------------------

@case
def a_client_that_has_shut_its_side_gets_the_answer_of_a_slow_call(root):
    with Serve(root=root, **OFFLINE) as t:
        for accept in ("application/json", None):
            answer = final(send_and_shut(t, post(call("/sleep 1"), accept=accept)))
            equal(answer.status, 200)
            has(answer.json()["result"]["content"][0]["text"], "Slept")


@case
def it_gets_an_event_stream_to_its_end(root):
    with Serve(root=root, **OFFLINE) as t:
        message = call("/sleep 1")
        message["params"]["_meta"] = {"progressToken": "p"}
        data = send_and_shut(t, post(message, accept=BOTH)).decode()
        has(data, "notifications/progress")
        has(data, "Slept")


@case
def it_gets_the_answers_of_all_requests_it_has_sent(root):
    with Serve(root=root, **OFFLINE) as t:
        data = send_and_shut(t, b"".join(
            post(call(f"/echo answer {i}", i), accept="application/json") for i in range(5)))
        equal(data.count(b"HTTP/1.1 200 OK"), 5)
        for i in range(5):
            has(data, f"answer {i}".encode())


@case
def half_a_request_is_not_waited_for(root):
    with Serve(root=root) as t:
        equal(send_and_shut(t, b"POST /mcp HTTP/1.1\r\nHost: lo"), b"")
        whole = post(PING, accept="application/json")
        data = send_and_shut(t, whole + whole[:40])
        equal(data.count(b"HTTP/1.1 200 OK"), 1)


@case
def a_client_that_has_closed_its_connection_is_not_worked_for(root):
    """By FIN and by RST; the call of the agent ends, which the log of its session tells."""
    with Serve(root=root, **OFFLINE) as t:
        for accept in ("application/json", BOTH):
            for reset in (False, True):
                seen = set(root.rglob("logs/*.log"))
                s = t.connect()
                s.sendall(post(call("/sleep 3000"), accept=accept))
                log, = wait_for("its log", lambda: set(root.rglob("logs/*.log")) - seen)
                if reset:
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                s.close()
                wait_for("its end", lambda: b'"type":"end"' in log.read_bytes())


# ---- stdio -------------------------------------------------------------------------------------------

def check_end_of_stdin(root, **env):
    """All that was asked before the end of stdin is answered."""
    with Process("mcp", "--scope", "agents", root=root, **OFFLINE, **env) as t:
        lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize",
                  "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                             "clientInfo": {"name": "e2e", "version": "1"}}},
                 {"jsonrpc": "2.0", "method": "notifications/initialized"},
                 call("/sleep 1", 1), call("/echo quick", 2), call("/sleep 1", 3)]
        t.process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        t.process.stdin.close()
        t.process.stdin = None
        answers = {m["id"]: m for m in map(json.loads, t.process.stdout.read().splitlines()) if "id" in m}
        equal(sorted(answers), [0, 1, 2, 3])
        has(answers[1]["result"]["content"][0]["text"], "Slept")
        has(answers[3]["result"]["content"][0]["text"], "Slept")


@case
def after_the_end_of_stdin_all_answers_come(root):
    check_end_of_stdin(root)


@case
def they_come_from_a_daemon_too(root):
    run_dir = root / "run"
    run_dir.mkdir()
    env = {"XDG_RUNTIME_DIR": str(run_dir)}
    with Serve(root=root, **OFFLINE, **env):
        equal(len(list(run_dir.rglob("*.sock"))), 1)
        check_end_of_stdin(root, **env)


# ---- packed bodies -----------------------------------------------------------------------------------

@case
def a_packed_body_is_answered_415(root):
    packed = gzip.compress(json.dumps(PING).encode())
    with Serve(root=root) as t:
        for path in ("/mcp", "/api/tasks"):
            for encoding in ("gzip", "br", "deflate, gzip", "identity, gzip"):
                answer = t.request("POST", path, packed, content_type="application/json",
                                   content_encoding=encoding)
                equal((path, encoding, answer.status), (path, encoding, 415))
                has(answer.body, b"Content-Encoding: only identity is accepted")
        for encoding in ("identity", "Identity "):
            equal(t.post(PING, accept="application/json", content_encoding=encoding).status, 200)


main()
