"""The misbehaving servers of tests/servers do what their modes say: tests of the client lean on
them, and a bad server that behaves would prove nothing."""
import http.client
import json
import pathlib
import signal
import subprocess
import sys

from harness import case, equal, has, main, wait_for

SERVERS = pathlib.Path(__file__).resolve().parent.parent / "servers"
META = "io.modelcontextprotocol/"
MODERN = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {"elicitation": {}}}


class Stdio:
    """A bad server on pipes."""

    def __init__(self, mode):
        self.process = subprocess.Popen(
            [sys.executable, SERVERS / "bad_server.py", mode], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.ident = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def send(self, method, params=None, ident=None):
        message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}
        if ident is not None:
            message["id"] = ident
        self.write(message)

    def write(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def line(self):
        return self.process.stdout.readline()

    def receive(self):
        return json.loads(self.line())

    def ask(self, method, params=None):
        """A request, and the next message."""
        self.ident += 1
        self.send(method, params, self.ident)
        return self.receive()

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def text(self, tool, **arguments):
        return self.call(tool, **arguments)["result"]["content"][0]["text"]

    def initialize(self):
        answer = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                         "clientInfo": {"name": "t", "version": "1"}})
        self.send("notifications/initialized")
        return answer["result"]["protocolVersion"]

    def rest(self):
        """Close stdin; everything that still comes, and the exit code."""
        out = self.process.communicate()[0]
        return out, self.process.returncode


def started(mode):
    server = Stdio(mode)
    server.initialize()
    return server


@case
def ok_has_its_tools(_root):
    with started("ok") as s:
        names = [t["name"] for t in s.ask("tools/list")["result"]["tools"]]
        equal(names, ["echo", "add", "slow", "progress", "steps", "fail", "reject", "env", "big",
                      "give", "ask", "ask_much", "log", "sample", "roots", "crash", "add_tool", "seen"])
        equal(s.text("echo", text="hé"), "hé")
        equal(s.call("add", a=1, b=2)["result"]["structuredContent"], {"sum": 3})
        equal(s.call("fail")["result"]["isError"], True)
        equal(s.call("reject")["error"]["code"], -32011)
        has(json.loads(s.text("env")), "PATH")
        equal(len(s.text("big", bytes=100000)), 100000)
        equal(s.text("slow", seconds=0), "slept")
        equal(s.ask("server/discover", {"_meta": MODERN})["error"]["code"], -32601)
        equal(s.rest(), (b"", 0))


@case
def ok_reports_progress_under_the_token(_root):
    with started("ok") as s:
        s.send("tools/call", {"name": "progress", "arguments": {"n": 3},
                              "_meta": {"progressToken": "t"}}, 7)
        got = [s.receive() for _ in range(4)]
        equal([m["params"] for m in got[:3]],
              [{"progressToken": "t", "progress": i, "total": 3} for i in (1, 2, 3)])
        equal(got[3]["id"], 7)


@case
def ok_asks_the_client(_root):
    with started("ok") as s:
        for tool, method in (("ask", "elicitation/create"), ("sample", "sampling/createMessage"),
                             ("roots", "roots/list")):
            question = s.call(tool)
            equal(question["method"], method)
            s.write({"jsonrpc": "2.0", "id": question["id"], "result": {"for": tool}})
            equal(json.loads(s.receive()["result"]["content"][0]["text"]), {"for": tool})


@case
def ok_stops_at_a_cancel_and_remembers_it(_root):
    with started("ok") as s:
        s.send("tools/call", {"name": "slow", "arguments": {"seconds": 600}}, "long")
        s.send("notifications/cancelled", {"requestId": "long", "reason": "enough"})
        methods = [m.get("method") for m in json.loads(s.text("seen"))]
        equal(methods, ["initialize", "notifications/initialized", "tools/call",
                        "notifications/cancelled", "tools/call"])
        equal(s.rest(), (b"", 0))


@case
def ok_can_add_a_tool_and_crash(_root):
    with started("ok") as s:
        equal(s.call("add_tool", name="new")["method"], "notifications/tools/list_changed")
        equal(s.receive()["result"]["content"][0]["text"], "added new")
        equal(s.text("new", text="a"), "a")
        s.send("tools/call", {"name": "crash"}, 99)
        equal(s.process.wait(), 70)


@case
def die_in_handshake_says_three_lines(_root):
    with Stdio("die-in-handshake") as s:
        s.send("initialize", {}, 1)
        out, errors = s.process.communicate()
        equal((out, s.process.returncode, len(errors.splitlines())), (b"", 3, 3))


@case
def die_on_discover_lives_with_initialize(_root):
    with Stdio("die-on-discover") as s:
        s.send("server/discover", {"_meta": MODERN}, 1)
        equal(s.rest(), (b"", 1))
    with started("die-on-discover") as s:
        equal(s.text("echo", text="a"), "a")


@case
def silent_never_answers(_root):
    with Stdio("silent") as s:
        s.send("initialize", {}, 1)
        equal(s.rest(), (b"", 0))


@case
def silent_on_meta_answers_the_rest(_root):
    with Stdio("silent-on-meta") as s:
        s.send("server/discover", {"_meta": MODERN}, "probe")
        equal(s.initialize(), "2025-11-25")


@case
def twice_answers_twice(_root):
    with Stdio("twice") as s:
        equal(s.ask("ping"), s.receive())


@case
def wrong_id_is_wrong_for_calls_only(_root):
    with started("wrong-id") as s:
        equal(s.call("echo", text="a")["id"], f"not {s.ident}")


@case
def junk_is_around_the_messages(_root):
    with Stdio("junk") as s:
        s.send("ping", ident=1)
        lines = [s.line() for _ in range(9)]
        equal(lines[0], b"Server is listening...\n")
        equal(json.loads(lines[6])["id"], 1)
        equal(lines[7], b"\xff\xfe\n")


@case
def huge_is_a_hundred_megabytes(_root):
    with started("huge") as s:
        s.send("tools/call", {"name": "echo"}, 2)
        size = len(s.line())
        equal(size > 100 << 20, True)


@case
def half_closes_in_mid_message(_root):
    with started("half") as s:
        s.send("tools/call", {"name": "echo"}, 2)
        out = s.process.stdout.read()
        equal((out[:16], out.endswith(b"\n"), s.process.poll()), (b'{"jsonrpc": "2.0', False, None))


@case
def changing_has_other_tools_each_time(_root):
    with started("changing") as s:
        names = [s.ask("tools/list")["result"]["tools"][0]["name"] for _ in range(3)]
        equal(names, ["tool_1", "tool_2", "tool_3"])


@case
def pages_never_end(_root):
    for mode, cursors in (("loop-pages", ["again"] * 3),
                          ("loop-pages-fresh", ["page 2", "page 3", "page 4"])):
        with started(mode) as s:
            equal([s.ask("tools/list")["result"]["nextCursor"] for _ in range(3)], cursors)


@case
def ignore_eof_stays(_root):
    with started("ignore-eof") as s:
        s.process.stdin.close()
        has(s.process.stderr.readline(), b"I stay")
        s.process.send_signal(signal.SIGTERM)
        status = pathlib.Path(f"/proc/{s.process.pid}/status")
        wait_for("the signal to be dropped", lambda: "ShdPnd:\t0000000000000000" in
                 status.read_text())
        equal(s.process.poll(), None)
        s.process.kill()
        s.process.wait()
        s.process.stdin = None


@case
def content_length_frames(_root):
    with Stdio("content-length") as s:
        s.send("ping", ident=1)
        body = b'{"jsonrpc":"2.0","id":2,"method":"ping"}'
        s.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        s.process.stdin.flush()
        for ident in (1, 2):
            name, _, size = s.line().partition(b":")
            equal((name, s.line()), (b"Content-Length", b"\r\n"))
            equal(json.loads(s.process.stdout.read(int(size)))["id"], ident)


@case
def lone_surrogate_is_escaped(_root):
    with started("lone-surrogate") as s:
        s.send("tools/call", {"name": "echo"}, 2)
        has(s.line(), rb"cut \ud800 here")


@case
def versions_old_and_unknown(_root):
    equal(Stdio("old-version").initialize(), "2024-11-05")
    equal(Stdio("unknown-version").initialize(), "1999-01-01")


@case
def modern_speaks_one_version(_root):
    with Stdio("modern") as s:
        error = s.ask("initialize", {"protocolVersion": "2025-11-25"})["error"]
        equal((error["code"], error["data"]["supported"]), (-32022, ["2026-07-28"]))
        equal(s.ask("tools/list")["error"]["code"], -32602)
        found = s.ask("server/discover", {"_meta": MODERN})["result"]
        equal((found["resultType"], found["supportedVersions"], found["ttlMs"]),
              ("complete", ["2026-07-28"], 0))
        equal(s.ask("ping", {"_meta": MODERN})["error"]["code"], -32601)


@case
def modern_asks_by_input_required(_root):
    with Stdio("modern") as s:
        params = {"name": "ask", "arguments": {}, "_meta": MODERN}
        first = s.ask("tools/call", params)["result"]
        equal((first["resultType"], list(first["inputRequests"])), ("input_required", ["answer"]))
        answer = {"answer": {"action": "accept", "content": {"name": "Ann"}}}
        tampered = s.ask("tools/call", {**params, "inputResponses": answer, "requestState": "x"})
        equal(tampered["error"]["code"], -32602)
        done = s.ask("tools/call", {**params, "inputResponses": answer,
                                    "requestState": first["requestState"]})["result"]
        has(done["content"][0]["text"], "Ann")


@case
def modern_announces_to_who_listens(_root):
    with Stdio("modern") as s:
        s.send("subscriptions/listen", {"notifications": {"toolsListChanged": True},
                                        "_meta": MODERN}, "sub")
        equal(s.receive()["method"], "notifications/subscriptions/acknowledged")
        s.send("tools/call", {"name": "add_tool", "_meta": MODERN}, 2)
        both = {m.get("method", "answer"): m for m in (s.receive(), s.receive())}
        change = both["notifications/tools/list_changed"]
        equal(change["params"]["_meta"][META + "subscriptionId"], "sub")
        has(both, "answer")


# ---- HTTP

class Http:
    """bad_http.py, and one exchange after the other with it."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, SERVERS / "bad_http.py"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline().decode().rpartition(":")[2])
        self.session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def open(self, verb, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        headers = {k.replace("_", "-"): v for k, v in headers.items()}
        if self.session:
            headers["mcp-session-id"] = self.session
        connection.request(verb, path, body, headers)
        return connection.getresponse()

    def post(self, path, method=None, params=None, ident=1, **headers):
        message = method if isinstance(method, dict) else {
            "jsonrpc": "2.0", "method": method, "params": params or {},
            **({"id": ident} if ident is not None else {})}
        return self.open("POST", path, json.dumps(message), **{
            "content_type": "application/json",
            "accept": "application/json, text/event-stream", **headers})

    def initialize(self, path="/mcp"):
        answer = self.post(path, "initialize", {"protocolVersion": "2025-11-25"})
        self.session = answer.headers["mcp-session-id"]
        equal(json.loads(answer.read())["result"]["protocolVersion"], "2025-11-25")
        equal(self.post(path, "notifications/initialized", ident=None).status, 202)

    def call(self, tool, path="/mcp", **arguments):
        return self.post(path, "tools/call", {"name": tool, "arguments": arguments})

    def modern(self, method, params=None, **headers):
        params = {"_meta": MODERN, **(params or {})}
        named = {"mcp_name": params["name"]} if "name" in params else {}
        return self.post("/modern", method, params, **{
            "mcp_protocol_version": "2026-07-28", "mcp_method": method, **named, **headers})


def next_event(response):
    """One event as a dict of its fields; None at the end of the stream."""
    fields = {}
    while True:
        line = response.readline().decode()
        if not line:
            return None
        if line == "\n":
            return fields
        name, _, value = line.rstrip("\n").partition(": ")
        fields[name] = value


def next_message(response):
    while True:
        event = next_event(response)
        if event.get("data"):
            return json.loads(event["data"])


def http_started():
    server = Http()
    server.initialize()
    return server


@case
def http_sessions_come_and_go(_root):
    with http_started() as s:
        equal(json.loads(s.post("/mcp", "ping").read())["result"], {})
        equal(s.post("/mcp", "ping", mcp_protocol_version="1999-01-01").status, 400)
        equal(s.post("/mcp", "ping", accept="text/html").status, 406)
        equal(s.open("DELETE", "/mcp").status, 200)
        equal(s.post("/mcp", "ping").status, 404)
        s.session = None
        equal(s.post("/mcp", "ping").status, 400)
        s.initialize()
        equal(next_message(s.call("expire"))["id"], 1)
        equal(s.call("echo").status, 404)


@case
def http_calls_stream(_root):
    with http_started() as s:
        answer = s.post("/mcp", "tools/call", {"name": "progress", "arguments": {"n": 2},
                                               "_meta": {"progressToken": 5}})
        equal(answer.headers["content-type"], "text/event-stream")
        first = next_event(answer)
        equal((first["data"], first["retry"]), ("", "100"))
        has(first["id"], "/0")
        equal([next_message(answer).get("method") for _ in range(3)],
              ["notifications/progress"] * 2 + [None])
        equal(next_event(answer), None)


@case
def http_asks_on_the_stream_of_the_call(_root):
    with http_started() as s:
        answer = s.call("ask")
        question = next_message(answer)
        equal(question["method"], "elicitation/create")
        equal(s.post("/mcp", {"jsonrpc": "2.0", "id": question["id"],
                              "result": {"action": "decline"}}).status, 202)
        has(next_message(answer)["result"]["content"][0]["text"], "decline")


@case
def http_stream_of_its_own(_root):
    with http_started() as s:
        own = s.open("GET", "/mcp", accept="text/event-stream")
        equal(next_event(own)["data"], "")
        equal(s.open("GET", "/mcp", accept="text/event-stream").status, 409)
        s.call("add_tool").read()
        equal(next_message(own)["method"], "notifications/tools/list_changed")


@case
def http_resumes_after_a_cut(_root):
    with http_started() as s:
        answer = s.call("resume")
        first = next_event(answer)
        equal(next_event(answer), None)
        again = s.open("GET", "/mcp", accept="text/event-stream", last_event_id=first["id"])
        equal(next_message(again)["result"]["content"][0]["text"], "resumed")


@case
def http_cancels_by_notification(_root):
    with http_started() as s:
        answer = s.post("/mcp", "tools/call", {"name": "slow", "arguments": {"seconds": 600}}, 8)
        next_event(answer)
        s.post("/mcp", "notifications/cancelled", {"requestId": 8}, None)
        equal(next_event(answer), None)


@case
def http_with_sse_of_old(_root):
    with Http() as s:
        equal(s.post("/sse", "initialize").status, 405)
        stream = s.open("GET", "/sse")
        first = next_event(stream)
        equal(first["event"], "endpoint")
        equal(s.post(first["data"], "initialize").status, 202)
        equal(next_message(stream)["result"]["protocolVersion"], "2024-11-05")
        s.post(first["data"], "tools/call", {"name": "echo", "arguments": {"text": "a"}}, 2)
        equal(next_message(stream)["result"]["content"][0]["text"], "a")
        equal(s.post("/messages?session=nobody", "ping").status, 404)


@case
def http_modern_checks_headers(_root):
    with Http() as s:
        equal(s.modern("server/discover").status, 200)
        for wrong in ({"mcp_method": "tools/list"}, {"mcp_protocol_version": "2025-11-25"}):
            answer = s.modern("server/discover", **wrong)
            equal((answer.status, json.loads(answer.read())["error"]["code"]), (400, -32020))
        equal(s.modern("nobody").status, 404)
        equal(s.post("/modern", "initialize", {"protocolVersion": "2025-11-25"},
                     mcp_method="initialize").status, 400)
        equal(s.modern("tools/call", {"name": "nobody"}).status, 200)
        equal(s.modern("tools/call", {"name": "headers", "arguments": {"region": "eu"}}).status,
              400)
        answer = s.modern("tools/call", {"name": "headers", "arguments": {"region": "eu"}},
                          mcp_param_region="eu")
        has(json.loads(answer.read())["result"]["content"][0]["text"], "mcp-param-region")
        answer = json.loads(s.modern("tools/call", {"name": "ask"}).read())
        equal(answer["result"]["resultType"], "input_required")
        equal(s.open("GET", "/modern").status, 405)


@case
def http_modern_streams_and_listens(_root):
    with Http() as s:
        meta = {**MODERN, "progressToken": 1}
        answer = s.modern("tools/call", {"name": "progress", "arguments": {"n": 1}, "_meta": meta})
        event = next_event(answer)
        equal(("id" in event, json.loads(event["data"])["method"]),
              (False, "notifications/progress"))
        equal(next_message(answer)["result"]["resultType"], "complete")
        listen = s.modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        equal(next_message(listen)["method"], "notifications/subscriptions/acknowledged")
        s.modern("tools/call", {"name": "add_tool"}).read()
        equal(next_message(listen)["method"], "notifications/tools/list_changed")


@case
def http_bad_answers(_root):
    with Http() as s:
        for kind, status in (("500", 500), ("503", 503), ("401", 401), ("403", 403),
                             ("redirect", 307), ("type", 200), ("not-json", 200)):
            equal(s.post(f"/bad/{kind}", "initialize").status, status)
        has(s.post("/bad/401", "ping").headers["www-authenticate"], "Bearer")
        has(s.post("/bad/redirect", "ping").headers["location"], "169.254.169.254")
        equal(s.post("/bad/type", "ping").headers["content-type"], "text/html")
        equal(len(s.post("/bad/huge", "ping").read()) > 100 << 20, True)
        has(next_event(s.open("GET", "/bad/elsewhere"))["data"], "attacker.example")


@case
def http_bad_endings(_root):
    with Http() as s:
        try:
            s.post("/bad/half", "ping").read()
            raise AssertionError("the body was whole")
        except http.client.IncompleteRead:
            pass
        equal(next_event(s.post("/bad/half-event", "ping")), None)
        connection = http.client.HTTPConnection("127.0.0.1", s.port)
        connection.request("POST", "/bad/silent", b"{}")
        wait_for("the request to be seen",
                 lambda: any(r["path"] == "/bad/silent" for r in
                             json.loads(s.open("GET", "/log").read())))
        connection.sock.setblocking(False)
        try:
            connection.sock.recv(1)
            raise AssertionError("something was answered")
        except BlockingIOError:
            pass
        connection.close()


@case
def http_bad_for_one_method_only(_root):
    with Http() as s:
        s.initialize("/bad/500?on=tools/call")
        equal(s.post("/bad/500?on=tools/call", "tools/list").status, 200)
        equal(s.call("echo", "/bad/500?on=tools/call").status, 500)
        log = json.loads(s.open("GET", "/log").read())
        equal([json.loads(r["body"])["method"] for r in log],
              ["initialize", "notifications/initialized", "tools/list", "tools/call"])


main()
