"""MCP over HTTP with the real binary: sessions, streams, both eras, HTTP+SSE."""
import json
import os

from harness import Response, Serve, case, equal, has, main, read_all, request, wait_for
from mcp_http import BOTH, INITIALIZED, META, PING, Stream, begin, initialize, modern


@case
def sessions_begin_and_end(root):
    with Serve(root=root) as t:
        for version in ("2025-03-26", "2025-06-18", "2025-11-25"):
            session = begin(t, version)
            equal(len(session), 32)
            answer = t.post(PING, mcp_session_id=session, mcp_protocol_version=version)
            equal((answer.status, answer.json()), (200, {"jsonrpc": "2.0", "id": 1, "result": {}}))
            equal(t.post(PING, mcp_session_id=session, mcp_protocol_version="2024-11-05").status, 400)
            equal(t.request("DELETE", "/mcp", mcp_session_id=session).status, 204)
            gone = t.post(PING, mcp_session_id=session)
            equal((gone.status, gone.json()["error"]["code"]), (404, -32001))
            equal(t.request("DELETE", "/mcp", mcp_session_id=session).status, 404)
        equal(t.post(PING).status, 200)
        equal(t.post({"jsonrpc": "2.0", "id": 1, "result": {}}).status, 400)


@case
def an_unused_session_expires(root):
    (root / "trefoil.toml").write_text("[limits]\nmcp_session_idle_ms = 2000\n")
    with Serve(root=root) as t:
        session = begin(t)
        stream = Stream(t, "/mcp", mcp_session_id=session)
        equal(stream.status, 200)
        other = begin(t)
        wait_for("the end of the other",
                 lambda: t.request("GET", "/health").json()["sessions"] == 1)
        equal(t.post(PING, mcp_session_id=other).status, 404)
        equal(t.post(PING, mcp_session_id=session).status, 200)
        stream.close()
        wait_for("its end", lambda: t.request("GET", "/health").json()["sessions"] == 0)


@case
def a_session_has_one_stream_of_its_own(root):
    with Serve(root=root) as t:
        session = begin(t)
        stream = Stream(t, "/mcp", mcp_session_id=session)
        first = stream.event()
        equal((first["data"], first["retry"]), ("", "1000"))
        again = Stream(t, "/mcp", mcp_session_id=session)
        equal(again.status, 409)
        again.close()
        other = begin(t)
        for bad in (first["id"], "nonsense", "0-0-0"):
            answer = Stream(t, "/mcp", mcp_session_id=other, last_event_id=bad)
            equal(answer.status, 400)
            answer.close()
        back = Stream(t, "/mcp", mcp_session_id=session, last_event_id=first["id"])
        equal(back.status, 200)
        equal(stream.event(), None)  # the newer has taken over
        stream.close()
        equal(t.request("DELETE", "/mcp", mcp_session_id=session).status, 204)
        equal(back.event(), None)
        back.close()


@case
def modern_requests_have_their_status(root):
    (root / "a.txt").write_text("text")
    with Serve(root=root) as t:
        answer = modern(t, "server/discover")
        equal(answer.status, 200)
        has(answer.json()["result"]["supportedVersions"], "2026-07-28")
        for answer, status, code in (
                (modern(t, "server/discover", mcp_protocol_version=None), 400, -32020),
                (modern(t, "server/discover", mcp_protocol_version="2025-11-25"), 400, -32020),
                (modern(t, "server/discover", mcp_method=None), 400, -32020),
                (modern(t, "server/discover", mcp_method="SERVER/DISCOVER"), 400, -32020),
                (modern(t, "server/discover", {"_meta": {}}), 400, -32602),
                (modern(t, "server/discover", {"_meta": {**META,
                 "io.modelcontextprotocol/protocolVersion": "v999.0.0"}}), 400, -32020),
                (modern(t, "server/discover", {"_meta": {**META,
                 "io.modelcontextprotocol/protocolVersion": "v999.0.0"}},
                        mcp_protocol_version="v999.0.0"), 400, -32022),
                (modern(t, "initialize"), 404, -32601),
                (modern(t, "ping"), 404, -32601),
                (modern(t, "unknown/method"), 404, -32601),
                (modern(t, "tools/call", {"name": "system_time"}), 400, -32020),
                (modern(t, "tools/call", {"name": "system_time"}, "file_read"), 400, -32020),
                (modern(t, "tools/call", {"name": "none"}, "none"), 200, -32602)):
            equal((answer.status, answer.json()["error"]["code"], answer.json()["id"]),
                  (status, code, 7))
        call = modern(t, "tools/call", {"name": "file_read", "arguments": {"path": "a.txt"}},
                      "  file_read  ", mcp_session_id="ignored")
        equal((call.status, call.json()["result"]["content"][0]["text"]), (200, "text"))


@case
def a_listen_ends_with_a_result_when_we_leave(root):
    with Serve(root=root) as t:
        s = t.connect()
        body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen", "params": {
            "_meta": META, "notifications": {"toolsListChanged": True}}}).encode()
        s.sendall(request("POST", "/mcp", body, content_type="application/json", accept=BOTH,
                          mcp_protocol_version="2026-07-28", mcp_method="subscriptions/listen"))
        data = b""
        while b"acknowledged" not in data:
            data += s.recv(65536)
        t.leave()
        data += read_all(s)
        s.close()
        equal(Response(data).status, 200)
        has(data, b'"id":7,"result"')


@case
def http_and_sse_is_served(root):
    (root / "a.txt").write_text("text")
    with Serve(root=root) as t:
        stream = Stream(t, "/sse")
        first = stream.event()
        equal(first["event"], "endpoint")
        where = first["data"]
        has(where, "/messages?sessionId=")

        def post(message):
            answer = t.request("POST", where, json.dumps(message).encode(),
                               content_type="application/json")
            equal((answer.status, answer.body), (202, b"Accepted"))

        post(initialize("2024-11-05"))
        answer = stream.event()
        equal(answer["event"], "message")
        equal(json.loads(answer["data"])["result"]["protocolVersion"], "2024-11-05")
        post(INITIALIZED)
        post({"jsonrpc": "2.0", "id": "c", "method": "tools/call",
              "params": {"name": "file_read", "arguments": {"path": "a.txt"}}})
        answer = json.loads(stream.event()["data"])
        equal((answer["id"], answer["result"]["content"][0]["text"]), ("c", "text"))
        stream.close()
        wait_for("the end of the session", lambda: t.request(
            "POST", where, json.dumps(PING).encode(), content_type="application/json").status == 404)
        equal(t.request("POST", "/messages", b"{}").status, 400)


@case
def a_foreign_name_gets_in_nowhere(root):
    with Serve(root=root) as t:
        port = t.address[1]
        for version in ({"mcp_protocol_version": "2025-11-25", "mcp_method": "initialize"}, {}):
            bad = t.post(initialize(), host="evil.example.com", origin="http://evil.example.com",
                         accept=BOTH, **version)
            equal(bad.status, 403)
            good = t.post(initialize(), host=f"127.0.0.1:{port}",
                          origin=f"http://127.0.0.1:{port}", accept=BOTH, **version)
            equal(good.status, 200)
        equal(modern(t, "server/discover", host="evil.example.com").status, 403)
        equal(modern(t, "server/discover", origin="http://evil.example.com").status, 403)
        equal(t.request("GET", "/sse", origin="http://evil.example.com").status, 403)
        equal(t.request("POST", "/messages?sessionId=1", b"{}", host="evil.example.com").status, 403)


@case
def a_key_opens_everything_but_health(root):
    (root / "trefoil.toml").write_text('[serve]\napi_key = "env:SERVE_KEY"\n')
    good = {"authorization": "Bearer s3cret"}
    with Serve("--trust", root=root, listen="0.0.0.0:0", SERVE_KEY="s3cret") as t:
        equal(t.request("GET", "/health").status, 200)
        for method, path, body in (("POST", "/mcp", b"{}"), ("GET", "/mcp", None),
                                   ("DELETE", "/mcp", None), ("GET", "/sse", None),
                                   ("POST", "/messages?sessionId=1", b"{}"), ("GET", "/none", None)):
            answer = t.request(method, path, body)
            equal((answer.status, answer.headers["www-authenticate"]),
                  (401, 'Bearer realm="trefoil"'))
            equal(answer.json()["error"]["code"], 401)
        for bad in ({"authorization": "Bearer s3cre"}, {"authorization": "Basic s3cret"},
                    {"x_api_key": "S3CRET"}, {"x_api_key": "s3cret, s3cret"},
                    {"x_api_key": "other", **good}):
            equal(t.post(PING, **bad).status, 401)
        for right in (good, {"x_api_key": "s3cret"}, {"x_api_key": "s3cret", **good}):
            equal(t.post(PING, **right).status, 200)
        session = begin(t, **good)
        equal(t.post(PING, mcp_session_id=session, **good).status, 200)
        equal(t.post(PING, mcp_session_id=session).status, 401)
        equal(t.post(PING, host="evil.example", **good).status, 403)


@case
def no_route_but_health_answers_without_the_key(root):
    (root / "agents/coder").mkdir(parents=True)
    (root / "agents/coder/agent.json").write_text('{"mcp": {"expose_tools": ["file_read"]}}')
    (root / "trefoil.toml").write_text('[serve]\napi_key = "env:SERVE_KEY"\n')
    key = {"authorization": "Bearer s3cret"}
    routes = [("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("POST", "/mcp/coder"),
              ("GET", "/mcp/coder"), ("DELETE", "/mcp/coder"), ("GET", "/sse"), ("POST", "/messages"),
              ("GET", "/api/mcp/servers"), ("GET", "/api/tasks"), ("POST", "/api/tasks"),
              ("GET", "/api/tasks/x"), ("GET", "/api/tasks/x/events"), ("POST", "/api/tasks/x/cancel"),
              ("POST", "/api/tasks/x/answer"), ("GET", "/api/locks"), ("GET", "/api/events"),
              ("GET", "/api/approvals"), ("GET", "/"), ("POST", "/"), ("GET", "/none")]
    with Serve("--trust", root=root, SERVE_KEY="s3cret") as t:
        for method, path in routes:
            body = b"{}" if method == "POST" else None
            without = t.request(method, path, body, content_type="application/json")
            equal((method, path, without.status), (method, path, 401))
            wrong = t.request(method, path, body, authorization="Bearer s3cre", content_type="application/json")
            equal((method, path, wrong.status), (method, path, 401))
        for path in ("/api/mcp/servers", "/api/tasks", "/api/locks", "/api/approvals"):
            equal((path, t.request("GET", path, **key).status), (path, 200))
        equal(t.request("GET", "/health").status, 200)


def resident(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@case
def sessions_that_come_and_go_leave_nothing(root):
    (root / "trefoil.toml").write_text("[limits]\nmcp_sessions = 50\n")
    frees = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"  # where there is one
    with Serve(root=root, ASAN_OPTIONS=frees) as t:
        def storm():
            for i in range(200):
                session = begin(t)
                if i % 2:
                    stream = Stream(t, "/mcp", mcp_session_id=session)
                    equal(stream.status, 200)
                    stream.close()
                if i % 3 == 0:
                    equal(t.request("DELETE", "/mcp", mcp_session_id=session).status, 204)
        storm()
        before = resident(t.pid)
        storm()
        storm()
        if resident(t.pid) > before + (1 << 20):
            raise AssertionError(f"{before} bytes became {resident(t.pid)}")


main()
