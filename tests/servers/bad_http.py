#!/usr/bin/env python3
"""MCP over HTTP, decent and otherwise. Prints http://127.0.0.1:PORT on stdout and serves until
its stdin ends. With an argument it takes that port: to be back after its death.

    /mcp              Streamable HTTP with sessions. tools/call is answered by an event stream,
                      everything else by JSON. GET is the stream for what belongs to no call.
    /post-only        the same, but a GET is 404, as where only POST is routed
    /session-400      the same as /mcp, but an unknown session is answered 400, as by server-everything
    /modern           2026-07-28 only. A call with a progressToken is answered by an event stream.
    /sse, /messages   HTTP+SSE of 2024-11-05. POST to /sse is 405.
    /bad/KIND         one thing wrong, see BAD below; /bad/KIND?on=METHOD only for that method,
                      otherwise as /mcp
    /log              every request so far: verb, path, headers, body

The tools are those of bad_server.py, and besides: `headers` returns the headers of its request,
`expire` ends the session, `lock` does so for good, `resume` closes the stream before its answer, which waits for a GET
with Last-Event-ID.
"""
import http.server
import json
import queue
import sys
import threading
import urllib.parse

from bad_server import HUGE, LEGACY, META, STRING, Legacy, Modern, text

RETRY_MS = 100
VERSIONS = ("2025-03-26", "2025-06-18", LEGACY)
MISMATCH = -32020


def headers(call, _args):
    return text(json.dumps(call.headers))


def expire(call, _args):
    call.peer.site.sessions.pop(call.peer.ident, None)
    return text("this was the last answer")


def lock(call, args):
    call.peer.site.locked = True
    return expire(call, args)


def resume(call, _args):
    call.stream.cut()
    return text("resumed")


MORE_TOOLS = {"headers": ("Return the headers of the request.",
                          {"region": {**STRING, "x-mcp-header": "Region"}}, headers)}
SESSION_TOOLS = {"expire": ("End the session.", {}, expire),
                 "lock": ("End the session and begin no other.", {}, lock),
                 "resume": ("Answer on another connection.", {}, resume)}


class Stream:
    """Events that wait to be sent. All are kept, so that a later connection can go on."""

    def __init__(self, name):
        self.name, self.events, self.changed = name, [], threading.Condition()
        self.done = self.is_cut = False

    def put(self, message, last=False):
        with self.changed:
            self.events.append(json.dumps(message) if message else "")
            self.done = last or self.done
            self.changed.notify_all()

    def end(self):
        with self.changed:
            self.done = True
            self.changed.notify_all()

    def cut(self):
        with self.changed:
            self.is_cut = True
            self.changed.notify_all()

    def after(self, n, cuttable):
        """Events from the n-th on, as they come; ends after the last one, or at the cut."""
        while True:
            with self.changed:
                while len(self.events) <= n and not self.done and not (cuttable and self.is_cut):
                    self.changed.wait()
                if len(self.events) <= n or (cuttable and self.is_cut):
                    return
                event = self.events[n]
            yield n, event
            n += 1


class Session(Legacy):
    """One Mcp-Session-Id."""

    def __init__(self, site, ident):
        super().__init__()
        self.site, self.ident, self.streams = site, ident, {}
        self.tools.update({**MORE_TOOLS, **SESSION_TOOLS})
        self.own, self.own_is_open = self.stream(), False

    def stream(self):
        stream = Stream(f"{self.ident}.{len(self.streams)}")
        self.streams[stream.name] = stream
        return stream

    def announce(self, method):
        self.own.put({"jsonrpc": "2.0", "method": method})


class SseSession(Legacy):
    """One GET of /sse: everything goes out there."""
    version = "2024-11-05"

    def __init__(self):
        super().__init__()
        self.tools.update(MORE_TOOLS)
        self.out = queue.Queue()

    def announce(self, method):
        self.out.put({"jsonrpc": "2.0", "method": method})


class ModernPeer(Modern):
    """All clients together: nothing is kept between requests, and ids may be used twice."""

    def __init__(self):
        super().__init__()
        self.tools.update(MORE_TOOLS)

    def key(self, call):
        return id(call)


class Site:
    """What all connections share."""

    def __init__(self):
        self.log, self.sessions, self.sse, self.modern = [], {}, {}, ModernPeer()
        self.count, self.lock, self.locked = 0, threading.Lock(), False

    def name(self):
        with self.lock:
            self.count += 1
            return f"session{self.count}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    # -- plumbing

    def log_message(self, *_args):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def send(self, status, value=None, kind="application/json", **more):
        data = b"" if value is None else value if isinstance(value, bytes) else \
            json.dumps(value).encode()
        self.send_response(status)
        for name, content in {"content-type": kind, "content-length": len(data), **more}.items():
            self.send_header(name.replace("_", "-"), str(content))
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, status, code, message, ident=None):
        self.send(status, {"jsonrpc": "2.0", "id": ident,
                           "error": {"code": code, "message": message}})

    def open_events(self, **more):
        self.send_response(200)
        for name, content in {"content-type": "text/event-stream", "cache-control": "no-cache",
                              "connection": "close", **more}.items():
            self.send_header(name.replace("_", "-"), content)
        self.end_headers()
        self.close_connection = True

    def event(self, data, **fields):
        lines = [f"{name}: {value}" for name, value in fields.items()] + [f"data: {data}", "", ""]
        self.wfile.write("\n".join(lines).encode())
        self.wfile.flush()

    def route(self):
        parts = urllib.parse.urlsplit(self.path)
        self.query = dict(urllib.parse.parse_qsl(parts.query))
        self.data = self.body()
        self.site.log.append({"verb": self.command, "path": self.path,
                              "headers": {k.lower(): v for k, v in self.headers.items()},
                              "body": self.data.decode("utf-8", "replace")})
        try:
            self.message = json.loads(self.data) if self.data else {}
        except ValueError:
            return self.refuse(400, -32700, "not JSON")
        if parts.path.startswith("/bad/"):
            return self.bad(parts.path[5:])
        known = {"/mcp": self.streamable, "/post-only": self.post_only,
                 "/session-400": self.streamable, "/modern": self.modern, "/sse": self.sse,
                 "/messages": self.messages, "/log": self.show_log}.get(parts.path)
        return known() if known else self.send(404)

    def do_POST(self):
        try:
            self.route()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_DELETE = do_POST

    @property
    def site(self):
        return self.server.site

    def show_log(self):
        self.send(200, self.site.log[:-1])

    # -- Streamable HTTP

    def streamable(self):
        ident = self.headers.get("mcp-session-id")
        if self.command == "POST" and self.message.get("method") == "initialize":
            if self.site.locked:
                return self.refuse(200, -32000, "no more sessions", self.message["id"])
            name = self.site.name()
            session = self.site.sessions[name] = Session(self.site, name)
            session.seen.append(self.message)
            answer = session.answer(session.begin(self.message, session.own.put))
            return self.send(200, answer, mcp_session_id=name)
        if ident is None:
            return self.refuse(400, -32000, "Mcp-Session-Id is missing")
        session = self.site.sessions.get(ident)
        if not session:
            if self.path == "/session-400":
                return self.refuse(400, -32000, "Bad Request: No valid session ID provided")
            return self.refuse(404, -32001, "Session not found")
        if self.headers.get("mcp-protocol-version", LEGACY) not in VERSIONS:
            return self.refuse(400, -32000, "MCP-Protocol-Version is unknown")
        return {"POST": self.post, "GET": self.get, "DELETE": self.delete}[self.command](session)

    def post_only(self):
        return self.send(404) if self.command == "GET" else self.streamable()

    def post(self, session):
        session.seen.append(self.message)
        accept = self.headers.get("accept", "")
        if "application/json" not in accept or "text/event-stream" not in accept:
            return self.refuse(406, -32000, "Accept must name JSON and event streams")
        if "method" not in self.message or "id" not in self.message:
            session.heard(self.message)
            return self.send(202)
        if self.message["method"] != "tools/call":
            return self.send(200, session.answer(self.begin(session, session.own)))
        stream = session.stream()
        call = self.begin(session, stream)
        threading.Thread(target=self.answer_into, args=(session, call, stream), daemon=True).start()
        return self.pour(stream, 0, cuttable=True)

    def begin(self, peer, stream):
        call = peer.begin(self.message, stream.put)
        call.headers = {k.lower(): v for k, v in self.headers.items()}
        call.stream = stream
        return call

    @staticmethod
    def answer_into(peer, call, stream):
        answer = peer.answer(call)
        if answer:
            stream.put(answer, last=True)
        else:
            stream.end()

    def pour(self, stream, start, cuttable=False):
        """An event stream as of 2025-11-25: first an id to come back with, then what is there."""
        self.open_events()
        if start == 0:
            self.event("", id=f"{stream.name}/0", retry=RETRY_MS)
        for n, event in stream.after(start, cuttable):
            self.event(event, event="message", id=f"{stream.name}/{n + 1}")

    def get(self, session):
        name, _, n = self.headers.get("last-event-id", "").partition("/")
        if name:
            stream = session.streams.get(name)
            return self.pour(stream, int(n)) if stream else self.send(404)
        if session.own_is_open:
            return self.refuse(409, -32000, "there is a stream already")
        session.own_is_open = True
        try:
            return self.pour(session.own, len(session.own.events))
        finally:
            session.own_is_open = False

    def delete(self, session):
        self.site.sessions.pop(session.ident)
        session.own.end()
        self.send(200)

    # -- HTTP+SSE

    def sse(self):
        if self.command != "GET":
            return self.send(405, allow="GET")
        name, session = self.site.name(), SseSession()
        self.site.sse[name] = session
        self.open_events()
        self.event(f"/messages?session={name}", event="endpoint")
        while True:
            try:
                self.event(json.dumps(session.out.get(timeout=15)), event="message")
            except queue.Empty:
                self.wfile.write(b": still here\n\n")

    def messages(self):
        session = self.site.sse.get(self.query.get("session"))
        if not session:
            return self.send(404)
        session.seen.append(self.message)
        if "method" not in self.message or "id" not in self.message:
            session.heard(self.message)
        else:
            call = self.begin(session, session.out)
            threading.Thread(target=self.answer_out, args=(session, call), daemon=True).start()
        return self.send(202, b"Accepted", kind="text/plain")

    @staticmethod
    def answer_out(session, call):
        answer = session.answer(call)
        if answer:
            session.out.put(answer)

    # -- 2026-07-28

    def modern(self):
        peer, message = self.site.modern, self.message
        if self.command != "POST":
            return self.send(405, allow="POST")
        peer.seen.append(message)
        if "id" not in message:
            return self.send(202)
        wrong = self.wrong_header(message)
        if wrong:
            return self.refuse(400, MISMATCH, wrong, message["id"])
        params = message.get("params") or {}
        if "progressToken" in params.get("_meta", {}) or message["method"] == "subscriptions/listen":
            return self.modern_stream(peer)
        answer = peer.answer(self.begin(peer, Stream("none")))
        code = answer.get("error", {}).get("code")
        handler_error = message["method"] == "tools/call" and META + "protocolVersion" in \
            params.get("_meta", {}) and code != -32022
        return self.send(200 if not code or handler_error else 404 if code == -32601 else 400,
                         answer)

    def wrong_header(self, message):
        params = message.get("params") or {}
        want = {"mcp-method": message["method"]}
        version = params.get("_meta", {}).get(META + "protocolVersion")
        if version:
            want["mcp-protocol-version"] = version
        if message["method"] == "tools/call":
            want["mcp-name"] = params.get("name")
            region = (params.get("arguments") or {}).get("region")
            if region is not None and params.get("name") == "headers":
                want["mcp-param-region"] = region
        for name, value in want.items():
            if self.headers.get(name) != value:
                return f"{name} is {self.headers.get(name)!r}, the body says {value!r}"
        return None

    def modern_stream(self, peer):
        """No ids, no coming back: who leaves has cancelled."""
        stream = Stream("none")
        call = self.begin(peer, stream)
        threading.Thread(target=self.answer_into, args=(peer, call, stream), daemon=True).start()
        threading.Thread(target=self.cancel_on_close, args=(call,), daemon=True).start()
        self.open_events()
        for _, event in stream.after(0, cuttable=False):
            self.event(event, event="message")

    def cancel_on_close(self, call):
        try:
            if not self.connection.recv(1):
                call.cancelled.set()
        except OSError:
            call.cancelled.set()

    # -- one thing wrong

    def bad(self, kind):
        if kind not in self.BAD:
            return self.send(404)
        if self.query.get("on", self.message.get("method")) != self.message.get("method"):
            return self.streamable()
        return self.BAD[kind](self)

    def half(self):
        """A body that ends before its Content-Length."""
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "1000")
        self.end_headers()
        self.wfile.write(b'{"jsonrpc":"2.0","id":')
        self.close_connection = True

    def half_event(self):
        """An event stream that ends in the middle of an event, and cannot be resumed."""
        self.open_events()
        self.wfile.write(b'event: message\ndata: {"jsonrpc":"2.0","id":')

    def silent(self):
        """Never answers. Ends when the client does."""
        self.connection.recv(1)
        self.close_connection = True

    def huge(self):
        """A body of 100 MB."""
        self.send(200, b'{"jsonrpc":"2.0","id":1,"result":"' + b"x" * HUGE + b'"}')

    def elsewhere(self):
        """HTTP+SSE whose endpoint is on another origin."""
        if self.command != "GET":
            return self.send(405, allow="GET")
        self.open_events()
        return self.event("http://attacker.example/messages", event="endpoint")

    BAD = {
        "500": lambda self: self.send(500, b"Internal Server Error", kind="text/plain"),
        "503": lambda self: self.send(503, b"", retry_after="1"),
        "401": lambda self: self.send(401, b"", www_authenticate='Bearer realm="mcp"'),
        "202": lambda self: self.send(202),
        "403": lambda self: self.send(403, b""),
        "redirect": lambda self: self.send(
            307, b"", location="http://169.254.169.254/latest/meta-data/"),
        "moved": lambda self: self.send(308, b"", location="/mcp"),
        "silent": silent, "half": half, "half-event": half_event, "huge": huge,
        "type": lambda self: self.send(200, b"<html>hello</html>", kind="text/html"),
        "not-json": lambda self: self.send(200, b"{nothing", kind="application/json"),
        "elsewhere": elsewhere,
    }


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that leaves is no error here."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def main():
    server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
    server.site = Site()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
