"""`trefoil serve` as HTTP clients, good and bad, see it."""
import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import threading

from harness import (DEADLINE, HTTP_TOOLS, TREFOIL, Response, Serve, case, database, environment,
                     equal, has, main, read_all, request, run, wait_for)

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}


def initialize(version):
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": version, "capabilities": {},
                       "clientInfo": {"name": "e2e", "version": "1"}}}


@case
def health_says_how_it_is(root):
    with Serve(root=root) as t:
        answer = t.request("GET", "/health")
        equal(answer.status, 200)
        equal(answer.json()["status"], "ok")
        with sqlite3.connect(database(root)) as db:
            [schema] = db.execute("PRAGMA user_version").fetchone()
        equal(answer.json()["storeSchema"], schema)
        head = t.request("HEAD", "/health")
        equal((head.status, head.body), (200, b""))
    with Serve(root=root, listen="[::1]:0") as t:
        equal(t.request("GET", "/health").status, 200)


@case
def mcp_is_served_in_every_version(root):
    (root / "a.txt").write_text("text")
    with Serve(root=root) as t:
        for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
            answer = t.post(initialize(version))
            equal(answer.json()["result"]["protocolVersion"], version)
            has(answer.headers["content-type"], "application/json")
            note = t.post({"jsonrpc": "2.0", "method": "notifications/initialized"},
                          mcp_protocol_version=version)
            equal((note.status, note.body), (202, b""))
            tools = t.post({"jsonrpc": "2.0", "id": "l", "method": "tools/list"},
                           mcp_protocol_version=version).json()["result"]["tools"]
            equal([x["name"] for x in tools], HTTP_TOOLS)
            equal("title" in tools[0], version >= "2025-06-18")
            equal("annotations" in tools[0], version >= "2025-03-26")
            call = t.post({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params":
                           {"name": "file_read", "arguments": {"path": "a.txt"}}},
                          mcp_protocol_version=version)
            equal(call.json()["result"]["content"][0]["text"], "text")
        equal(t.post(initialize("2031-01-01")).json()["result"]["protocolVersion"], "2025-11-25")


@case
def refusals_have_their_status(root):
    with Serve(root=root) as t:
        for answer, status, part in (
                (t.request("GET", "/none"), 404, "/none"),
                (t.request("PUT", "/mcp", b"{}"), 405, "PUT"),
                (t.request("DELETE", "/mcp"), 400, "Mcp-Session-Id"),
                (t.post(PING, content_type="text/plain"), 415, "application/json"),
                (t.post(PING, accept="text/html"), 406, "application/json"),
                (t.request("GET", "/mcp", accept="text/html"), 406, "text/event-stream"),
                (t.post(PING, mcp_protocol_version="1900-01-01"), 400, "MCP-Protocol-Version"),
                (t.post(b"{"), 400, "-32700"),
                (t.post(b"\xff\xfe"), 400, "-32700"),
                (t.post(b"[" * 200 + b"]" * 200), 400, "nested too deeply"),
                (t.post({"jsonrpc": "1.0", "id": 1, "method": "ping"}), 400, "-32600"),
                (t.post(PING, host="evil.example"), 403, "evil.example"),
                (t.post(PING, origin="http://evil.example"), 403, "evil.example"),
                (t.post(PING, origin="null"), 403, "null")):
            equal(answer.status, status)
            has(answer.body.decode(), part)
        equal(t.request("PUT", "/mcp", b"{}").headers["allow"], "POST, GET, HEAD, DELETE")
        for good in ("localhost", "localhost:1234", "127.0.0.1", "[::1]:9"):
            equal(t.post(PING, host=good).json(), PONG)
        equal(t.post(PING, origin="http://localhost:3000").json(), PONG)
        equal(t.post({"jsonrpc": "2.0", "id": 1, "method": "none"}).json()["error"]["code"], -32601)


@case
def batches_are_answered_where_the_version_has_them(root):
    with Serve(root=root) as t:
        equal(t.post([PING, {**PING, "id": 2}], mcp_protocol_version="2025-03-26").json(),
              [PONG, {**PONG, "id": 2}])
        has(t.post([PING], mcp_protocol_version="2025-06-18").body.decode(), "batches are not part")


@case
def configured_hosts_are_accepted(root):
    (root / "trefoil.toml").write_text('[serve]\nhosts = ["good.example"]\n')
    done = run("serve", "--listen", "127.0.0.1:0", root=root)
    equal(done.returncode, 1)
    has(done.stderr, b"trefoil.toml:2:9, a file of the project, would let other machines connect")
    with Serve("--trust", root=root) as t:
        equal(t.post(PING, host="good.example", origin="https://good.example").json(), PONG)
        equal(t.post(PING, host="bad.example").status, 403)


@case
def many_requests_on_one_connection_also_pipelined(root):
    with Serve(root=root) as t, t.connect() as s:
        body = json.dumps(PING).encode()
        s.sendall(request("POST", "/mcp", body, content_type="application/json") * 500 +
                  request("POST", "/mcp", body, content_type="application/json", close=True))
        data = read_all(s)
        equal(data.count(b"HTTP/1.1 200 OK"), 501)
        equal(data.count(json.dumps(PONG, separators=(",", ":")).encode()), 501)


@case
def a_body_too_large_is_refused_before_it_is_sent(root):
    with Serve(root=root) as t, t.connect() as s:
        s.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  b"Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n")
        answer = Response(read_all(s))
        equal(answer.status, 413)
        has(answer.body.decode(), "10485760")
        equal(t.post(PING).json(), PONG)


@case
def a_request_that_never_ends_is_cut_off(root):
    (root / "trefoil.toml").write_text("[limits]\nhttp_head_ms = 200\nhttp_body_ms = 200\n"
                                       "http_idle_ms = 200\n")
    with Serve(root=root) as t:
        equal(Response(t.raw(b"POST /mcp HTTP/1.1\r\nHost: loc")).status, 408)
        equal(Response(t.raw(request("POST", "/mcp", b"{}", content_type="application/json",
                                     )[:-1])).status, 408)
        equal(t.raw(b""), b"")
        equal(t.post(PING).json(), PONG)


@case
def a_client_that_never_reads_does_not_hinder_the_others(root):
    (root / "big").write_text("x" * 45000)
    (root / "trefoil.toml").write_text("[limits]\nhttp_write_ms = 500\n")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
                       {"name": "file_read", "arguments": {"path": "big"}}}).encode()
    with Serve(root=root) as t, t.connect() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.setblocking(False)
        wish = request("POST", "/mcp", body, content_type="application/json")

        def pushed_back_or_cut():
            try:
                s.send(wish)
            except BlockingIOError:
                return True
            except (ConnectionResetError, BrokenPipeError):
                return True
            return False

        wait_for("back-pressure", pushed_back_or_cut)
        equal(t.post(PING).json(), PONG)
        wait_for("its end", lambda: t.request("GET", "/health").json()["connections"] == 1)


@case
def the_servers_stream_stays_open_and_ends_with_it(root):
    (root / "trefoil.toml").write_text("[limits]\nsse_keepalive_ms = 50\n")
    with Serve(root=root) as t, t.connect() as s:
        s.sendall(request("GET", "/mcp", accept="text/event-stream"))
        data = b""
        while data.count(b": keepalive") < 2:
            data += s.recv(4096)
        has(data, b"text/event-stream")
        has(data.lower(), b"x-accel-buffering: no")
        t.leave()
        has(read_all(s), b"0\r\n\r\n")


def refused(server):
    try:
        server.connect().close()
    except (ConnectionRefusedError, ConnectionResetError):
        return True
    return False


@case
def a_call_under_way_is_finished_before_leaving(root):
    with Serve(root=root) as t, t.connect() as s:
        body = json.dumps(PING).encode()
        whole = request("POST", "/mcp", body, content_type="application/json")
        s.sendall(whole[:-5])
        wait_for("the connection", lambda: t.request("GET", "/health").json()["connections"] == 2)
        t.leave()
        wait_for("the door to close", lambda: refused(t))
        s.sendall(whole[-5:])
        answer = Response(read_all(s))
        equal(answer.json(), PONG)
        equal(answer.headers["connection"], "close")


@case
def ten_thousand_connections_and_it_still_serves(root):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(10000, hard - 200)
    if count < 10000:
        raise AssertionError(f"this machine allows {hard} descriptors; the test needs 10200")
    with Serve(root=root) as t:
        first = t.connect()
        crowd = []
        try:
            for _ in range(count):
                crowd.append(t.connect())
            first.sendall(request("GET", "/health"))
            has(first.recv(4096), b"200 OK")
            refused = crowd[-1]
            has(read_all(refused), b"503")
        finally:
            for s in crowd:
                s.close()
            first.close()
        wait_for("room", lambda: t.request("GET", "/health").status == 200)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@case
def descriptors_that_run_out_do_not_end_it(root):
    with Serve(root=root, descriptors=64) as t:
        crowd = [t.connect() for _ in range(100)]
        for s in crowd:
            s.close()
        wait_for("room", lambda: t.request("GET", "/health").status == 200)


@case
def a_unix_socket_is_private_and_gone_afterwards(root):
    path = root / "t.sock"
    with Serve(root=root, listen=f"unix:{path}") as t:
        equal(os.stat(path).st_mode & 0o777, 0o600)
        equal(t.post(PING, host="anything").json(), PONG)
        done = run("serve", "--listen", f"unix:{path}", root=root)
        equal(done.returncode, 1)
        has(done.stderr, b"in use")
    equal(path.exists(), False)
    done = run("serve", "--listen", f"unix:{root}/{'x' * 120}", root=root)
    equal(done.returncode, 1)
    has(done.stderr, b"107")


@case
def addresses_that_cannot_be_are_refused(root):
    with Serve(root=root) as t:
        taken = f"127.0.0.1:{t.address[1]}"
        done = run("serve", "--listen", taken, root=root)
        equal(done.returncode, 1)
        has(done.stderr, b"in use")
    for bad in ("127.0.0.1", "127.0.0.1:99999", "example.com:80", "127.0.0.1:x", ":1", ""):
        done = run("serve", "--listen", bad, root=root)
        equal(done.returncode, 1)
        has(done.stderr, b"listen")


@case
def only_this_machine_is_served_as_long_as_there_are_no_keys(root):
    for wide in ("0.0.0.0:0", "[::]:0", "192.0.2.1:80"):
        done = run("serve", "--listen", wide, root=root)
        equal(done.returncode, 1)
        has(done.stderr, b"without an API key only loopback addresses")
    for near in ("localhost:0", "127.0.0.2:0"):
        with Serve(root=root, listen=near) as t:
            equal(t.post(PING).json(), PONG)


@case
def the_welcome_can_be_json(root):
    process = subprocess.Popen([TREFOIL, "serve", "--listen", "127.0.0.1:0", "--json", "--root",
                                str(root)], stdout=subprocess.PIPE, env=environment())
    welcome = json.loads(process.stdout.readline())
    equal(welcome["root"], str(root))
    has(welcome["address"], "http://127.0.0.1:")
    process.terminate()
    equal(process.wait(DEADLINE), 0)
    process.stdout.close()


@case
def clients_that_vanish_leave_nothing(root):
    with Serve(root=root) as t:
        body = json.dumps(PING).encode()
        whole = request("POST", "/mcp", body, content_type="application/json")
        for cut in range(1, len(whole), 7):
            with t.connect() as s:
                s.sendall(whole[:cut])
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        wait_for("quiet", lambda: t.request("GET", "/health").json()["connections"] == 1)


@case
def parallel_clients_get_their_own_answers(root):
    with Serve(root=root) as t:
        wrong = []

        def client(k):
            with t.connect() as s:
                for n in range(50):
                    body = json.dumps({"jsonrpc": "2.0", "id": f"{k}-{n}", "method": "ping"}).encode()
                    s.sendall(request("POST", "/mcp", body, content_type="application/json"))
                    data = b""
                    while b"}}" not in data:
                        data += s.recv(4096)
                    if f'"id":"{k}-{n}"'.encode() not in data:
                        wrong.append(data)

        threads = [threading.Thread(target=client, args=(k,)) for k in range(20)]
        for x in threads:
            x.start()
        for x in threads:
            x.join(DEADLINE)
        equal(wrong, [])


@case
def a_request_that_does_not_end_in_time_is_cut_off_on_leaving(root):
    (root / "trefoil.toml").write_text("[limits]\nshutdown_ms = 100\n")
    with Serve(root=root) as t, t.connect() as s:
        s.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12")
        wait_for("the connection", lambda: t.request("GET", "/health").json()["connections"] == 2)
        t.leave()
        wait_for("the end", lambda: t.process.poll() is not None)
        has(t.process.stderr.read(), b"requests were aborted")


@case
def a_second_signal_does_not_wait(root):
    with Serve(root=root) as t, t.connect() as s:
        s.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12")
        wait_for("the connection", lambda: t.request("GET", "/health").json()["connections"] == 2)
        t.process.send_signal(signal.SIGINT)
        t.process.send_signal(signal.SIGTERM)
        t.process.send_signal(signal.SIGTERM)
        wait_for("the end", lambda: t.process.poll() is not None)


main()
