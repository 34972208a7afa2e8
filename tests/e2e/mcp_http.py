"""An MCP client over HTTP, for tests that drive the server by hand: sessions, streams, both eras."""
import json

from harness import equal, request

BOTH = "application/json, text/event-stream"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


def initialize(version="2025-11-25"):
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": version, "capabilities": {},
                       "clientInfo": {"name": "e2e", "version": "1"}}}


def begin(t, version="2025-11-25", **headers):
    """Begin a session; its id."""
    answer = t.post(initialize(version), accept=BOTH, **headers)
    equal(answer.status, 200)
    session = answer.headers["mcp-session-id"]
    equal(t.post(INITIALIZED, mcp_session_id=session, **headers).status, 202)
    return session


class Stream:
    """An event stream; its events as dictionaries."""

    def __init__(self, t, path, **headers):
        self.socket = t.connect()
        headers.setdefault("accept", "text/event-stream")
        self.socket.sendall(request("GET", path, **headers))
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

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
