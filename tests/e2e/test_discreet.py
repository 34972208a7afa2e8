"""What answers over HTTP tell a browser, and what they do not tell about the inside."""
import sqlite3

from harness import Serve, case, database, equal, has, main, run, state_dir, user_config
from task_api import dispatch, ended, get, post, serve

SAFE = {"x-content-type-options": "nosniff", "x-frame-options": "DENY",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'"}
NO_TOOL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "none"}}


def is_safe(answer):
    equal({name: answer.headers.get(name) for name in SAFE}, SAFE)


@case
def every_answer_has_the_headers_for_browsers(root):
    with serve(root) as server:
        ident = dispatch(server, "/echo hello")
        ended(server, ident, "completed")
        for path in ("/health", "/api/tasks", f"/api/tasks/{ident}", "/api/tasks/none", "/nowhere",
                     "/api/mcp/servers", "/api/locks", "/api/approvals"):
            is_safe(get(server, path))
        is_safe(server.post(NO_TOOL))
        is_safe(post(server, "/api/tasks", b"{"))
        is_safe(server.request("PUT", "/mcp"))
        is_safe(server.request("OPTIONS", "/mcp", origin="http://localhost"))
        is_safe(server.request("GET", "/health", host="evil.example"))
        with server.connect() as s:  # an event stream
            s.sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            head = s.makefile("rb")
            lines = list(iter(head.readline, b"\r\n"))
            has(b"".join(lines).decode(), "text/event-stream")
            has(b"".join(lines).decode(), "nosniff")
            head.close()
        broken = server.raw(b"NOT HTTP\r\n\r\n")
        has(broken.decode(), "nosniff")


def break_store(root):
    """From now on its statements fail."""
    with sqlite3.connect(database(root)) as db:
        db.execute("ALTER TABLE tasks RENAME TO gone")


def failures(server):
    """Texts of answers to requests that need the store."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "dispatch_agent", "arguments": {"agent": "default", "task": "/echo"}}}
    answers = [post(server, "/api/tasks", {"task": "/echo hello"}),
               server.post(call, accept="application/json, text/event-stream")]
    equal(answers[0].status, 500)
    has(answers[1].body.decode(), "rror")
    return [a.body.decode() for a in answers]


@case
def a_failure_of_the_store_tells_a_client_over_tcp_nothing(root):
    with serve(root) as server:
        dispatch(server, "/echo hello")
        break_store(root)
        for text in failures(server):
            for part in (str(state_dir(root)), "SQL", "sqlite", "no such", "gone", "store:", "trefoil.db"):
                equal((text, part, part in text), (text, part, False))
            has(text, "its log has the reason")
        server.process.kill()
        server.expect = -9


@case
def the_user_of_this_machine_is_told_the_reason(root):
    with serve(root, listen=f"unix:{root}/s") as server:
        dispatch(server, "/echo hello")
        break_store(root)
        has(failures(server)[0], "no such")
        server.process.kill()
        server.expect = -9


@case
def secrets_of_servers_are_masked_wherever_they_are_shown(root):
    user_config(root, """
[[mcp.servers]]
name = "a"
command = ["npx", "mcp-remote", "https://u:hidden-1@h.invalid/x?key=hidden-2&a=1&access_token=hidden-3",
           "--header", "Authorization: Bearer hidden-4", "--api-key", "hidden-5", "API_TOKEN=hidden-6"]
env = { API_KEY = "hidden-7" }
enabled = false
[[mcp.servers]]
name = "b"
url = "http://127.0.0.1:1/mcp?key=hidden-9&x=hidden-8"
headers = { Authorization = "Bearer hidden-10", X-Plain = "hidden-11" }
enabled = false
""")
    shown = b""
    for words in (("servers", "--json"), ("servers",), ("servers", "test", "b"), ("config", "check"), ("doctor",),
                  ("servers", "--log-level", "trace")):
        done = run(*words, root=root)
        shown += done.stdout + done.stderr
    with Serve("--log-level", "trace", root=root) as server:
        shown += get(server, "/api/mcp/servers").body
    equal([f"hidden-{n}" for n in range(1, 12) if f"hidden-{n}".encode() in shown], [])
    has(shown.decode(), "a=1")


main()
