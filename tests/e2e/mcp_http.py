"""An MCP client over HTTP, for tests that drive the server by hand: sessions, streams, both eras."""
import json

from harness import equal, request

BOTH = "application/json, text/event-stream"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


def initialize(version="2025-11-25", capabilities=None):
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": version, "capabilities": capabilities or {},
                       "clientInfo": {"name": "e2e", "version": "1"}}}


def begin(t, version="2025-11-25", capabilities=None, **headers):
    """Begin a session; its id."""
    answer = t.post(initialize(version, capabilities), accept=BOTH, **headers)
    equal(answer.status, 200)
    session = answer.headers["mcp-session-id"]
    equal(t.post(INITIALIZED, mcp_session_id=session, **headers).status, 202)
    return session


class Stream:
    """An event stream; its events as dictionaries."""

    def __init__(self, t, path, method="GET", body=None, **headers):
        self.socket = t.connect()
        headers.setdefault("accept", "text/event-stream")
        self.socket.sendall(request(method, path, body, **headers))
        self.file = self.socket.makefile("rb")
        self.status = None
        if method == "GET":
            self.read_head()

    def read_head(self):
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while line := self.file.readline().decode().strip():
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()

    def event(self):
        """The next event, or None at the end."""
        size = int(self.file.readline() or b"0", 16)
        data = self.file.read(size)
        self.file.read(2)
        if not size:
            return None
        if data.startswith(b":"):
            return self.event()
        lines = [line.partition(": ") for line in data.decode().strip("\n").split("\n")]
        return {name.rstrip(":"): value for name, _, value in lines}

    def close(self):
        self.file.close()
        self.socket.close()


def modern(t, method, params=None, name=None, **headers):
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"_meta": META, **(params or {})}}
    sent = {"accept": BOTH, "mcp_protocol_version": "2026-07-28", "mcp_method": method,
            "mcp_name": name}
    sent.update(headers)
    return t.post(message, **sent)


class Call:
    """A request of a session that is under way; what comes for it, message by message."""

    def __init__(self, client, message):
        self.ident = message["id"]
        self.stream = Stream(client.t, "/mcp", "POST", json.dumps(message).encode(),
                             content_type="application/json", accept=BOTH,
                             mcp_session_id=client.session)

    def message(self):
        """The next message; None at the end."""
        if self.stream.status is None:
            self.stream.read_head()
        if "content-length" in self.stream.headers:
            body = self.stream.file.read(int(self.stream.headers.pop("content-length")))
            return json.loads(body) if body else None
        while event := self.stream.event():
            if event.get("data"):
                return json.loads(event["data"])
        return None

    def until_answer(self):
        """The answer, and all that came before it."""
        before = []
        while message := self.message():
            if message.get("id") == self.ident and "method" not in message:
                self.stream.close()
                return message, before
            before.append(message)
        raise AssertionError(f"no answer to {self.ident}, only {before}")

    def answer(self):
        return self.until_answer()[0]


class Client:
    """A legacy client with a session of its own over HTTP."""

    def __init__(self, t, **capabilities):
        self.t, self.count = t, 0
        self.session = begin(t, capabilities=capabilities)

    def begin(self, method, params=None):
        """Send a request whose answer is read later."""
        self.count += 1
        return Call(self, {"jsonrpc": "2.0", "id": f"c{self.count}", "method": method,
                           "params": params or {}})

    def call(self, tool, **arguments):
        return self.begin("tools/call", {"name": tool, "arguments": arguments})

    def send(self, message):
        equal(self.t.post({"jsonrpc": "2.0", **message}, mcp_session_id=self.session).status, 202)

    def cancel(self, call):
        self.send({"method": "notifications/cancelled", "params": {"requestId": call.ident}})
