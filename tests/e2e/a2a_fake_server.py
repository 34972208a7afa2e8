"""A remote A2A agent for tests: both bindings, all dialects, and bad behaviour on demand.

    with A2AServer(version="1.0", binding="JSONRPC") as server:
        ... server.url, server.requests, server.tasks ...

The first word of a message says what the agent does (see `work`). Options of the server switch
what it does wrong (see `A2AServer.__init__`).
"""
import base64
import json
import socket
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FINAL = ("completed", "failed", "canceled", "rejected", "unknown", "unspecified")


class Refusal(Exception):
    """An A2A error: its JSON-RPC code and HTTP status."""

    def __init__(self, code, status, text):
        super().__init__(text)
        self.code, self.status, self.text = code, status, text


class Dialect:
    """How a version and binding write the objects of A2A; inside, all is in the form of 1.0."""

    def __init__(self, version, binding):
        self.version, self.rest = version, binding == "HTTP+JSON"
        self.new, self.old = version == "1.0", version == "0.1"
        self.proto = version == "0.3" and self.rest

    def state(self, state):
        if self.new or self.proto:
            word = "CANCELLED" if self.proto and state == "canceled" else state.upper()
            return "TASK_STATE_" + word.replace("-", "_")
        return state

    def part(self, part):
        if self.new:
            return part
        if "text" in part:
            return part if self.proto else {self.tag(): "text", "text": part["text"]}
        if "data" in part:
            return ({"data": {"data": part["data"]}} if self.proto
                    else {self.tag(): "data", "data": part["data"]})
        file = {"mimeType": part.get("mediaType")}
        if self.proto:
            file["fileWithBytes" if "raw" in part else "fileWithUri"] = (part.get("raw")
                                                                       or part["url"])
            return {"file": file}
        file["name"] = part.get("filename")
        file["bytes" if "raw" in part else "uri"] = part.get("raw") or part["url"]
        return {self.tag(): "file", "file": file}

    def tag(self):
        return "type" if self.old else "kind"

    def message(self, message):
        made = {**message, "parts": [self.part(p) for p in message["parts"]]}
        made["role"] = "ROLE_AGENT" if self.new or self.proto else "agent"
        if self.proto:
            made["content"] = made.pop("parts")
        if self.version == "0.3" and not self.rest:
            made["kind"] = "message"
        return made

    def status(self, task):
        made = {"state": self.state(task.state), "timestamp": task.changed}
        if task.said:
            made["message"] = self.message(task.said)
        return made

    def artifact(self, artifact):
        return {**artifact, "parts": [self.part(p) for p in artifact["parts"]]}

    def task(self, task):
        made = {"id": task.id, "status": self.status(task),
                "artifacts": [self.artifact(a) for a in task.artifacts.values()]}
        made["sessionId" if self.old else "contextId"] = task.context
        if self.version == "0.3" and not self.rest:
            made["kind"] = "task"
        return made

    def update(self, kind, task, body):
        """One event of a stream."""
        if kind == "task":
            inner = self.task(task)
        elif kind == "message":
            inner = self.message(body)
        elif kind == "status":
            inner = {"taskId": task.id, "contextId": task.context, "status": body}
            if not self.new:
                inner["final"] = task.state in FINAL or task.state.endswith("required")
        else:
            inner = {"taskId": task.id, "contextId": task.context, **body,
                     "artifact": self.artifact(body["artifact"])}
        if self.new or self.proto:
            names = {"status": "statusUpdate", "artifact": "artifactUpdate"}
            return {names.get(kind, kind): inner}
        if kind in ("status", "artifact"):
            inner["kind"] = f"{kind}-update"
        return inner


class Task:
    """A task: what happened in it, for every stream that follows it."""

    def __init__(self, server, context):
        self.server, self.id = server, str(uuid.uuid4())
        self.context = context or str(uuid.uuid4())
        self.state, self.said, self.artifacts = "submitted", None, {}
        self.events, self.changed = [], stamp()
        self.canceling = threading.Event()
        self.answer, self.answered = None, threading.Event()
        server.tasks[self.id] = self

    def tell(self, kind, body):
        self.events.append((kind, body))
        self.server.changed.notify_all()

    def to(self, state, text=None, parts=None):
        parts = parts or ([{"text": text}] if text else None)
        with self.server.changed:
            self.said = message(parts, self) if parts else None
            self.state, self.changed = state, stamp()
            self.tell("status", self.server.dialect.status(self))

    def make(self, parts, name=None, artifact="a1", append=False, last=True):
        one = {"artifactId": artifact, "parts": parts, **({"name": name} if name else {})}
        with self.server.changed:
            if append and artifact in self.artifacts:
                self.artifacts[artifact]["parts"] = self.artifacts[artifact]["parts"] + parts
            else:
                self.artifacts[artifact] = dict(one)
            self.tell("artifact", {"artifact": one, "append": append, "lastChunk": last})

    def ask(self, state, text, parts=None):
        self.answered.clear()
        self.to(state, text, parts)
        while not self.answered.wait(0.02):
            if self.canceling.is_set() or self.server.closing:
                return None
        return self.answer


def stamp():
    return time.strftime("%Y-%m-%dT%H:%M:%S.", time.gmtime()) + f"{time.time_ns() // 10**6 % 1000:03d}Z"


def message(parts, task):
    return {"messageId": str(uuid.uuid4()), "role": "ROLE_AGENT", "parts": parts,
            "contextId": task.context, "taskId": task.id}


def text_of(parts):
    return "\n".join(p["text"] for p in parts if "text" in p)


def work(task, sent):
    """What the agent does: the first word of the message says it."""
    words = text_of(sent["parts"]).split(None, 1) or [""]
    rest = words[1] if len(words) > 1 else ""
    verb = words[0]
    if verb == "fail":
        return task.to("failed", rest or "it broke")
    if verb == "reject":
        return task.to("rejected", rest or "not allowed")
    if verb == "odd":  # a state that says nothing
        return task.to("unspecified" if task.server.dialect.new else "unknown")
    task.to("working")
    if verb == "slow":
        for i in range(40):
            if task.canceling.wait(0.05):
                return None
            task.make([{"text": f"tick-{i} "}], append=i > 0, last=i == 39)
    elif verb == "hang":
        while not task.canceling.wait(0.05) and not task.server.closing:
            pass
        return None
    elif verb == "gate":  # waits until the test opens the gate
        task.make([{"text": "before "}], last=False)
        task.server.gate.wait(60)
        task.make([{"text": "after"}], append=True)
    elif verb == "many":
        for i in range(int(rest)):
            task.make([{"text": str(i)}], name=f"n{i}", artifact=f"n{i}")
    elif verb == "ask":
        answer = task.ask("input-required", rest or "which one?")
        if answer is None:
            return None
        task.make([{"text": f"you said {json.dumps(answer)}"}])
    elif verb == "form":
        schema = {"type": "object", "properties": {"color": {"type": "string",
                                                             "enum": ["red", "blue"]}},
                  "required": ["color"]}
        answer = task.ask("input-required", None, [{"text": "Which color?"}, {"data": schema}])
        if answer is None:
            return None
        task.make([{"text": f"you said {json.dumps(answer)}"}])
    elif verb == "login":
        answer = task.ask("auth-required", "log in at https://login.example/x?y=1 please")
        if answer is None:
            return None
        task.make([{"text": "logged in"}])
    elif verb == "files":
        task.make([{"raw": base64.b64encode(b"\x00\x01").decode(), "filename": "b.bin",
                    "mediaType": "application/octet-stream"},
                   {"url": "https://files.example/x.txt", "filename": "x.txt",
                    "mediaType": "text/plain"},
                   {"data": {"n": 1}}], name="bundle", artifact="f1")
        task.make([{"text": "one, "}], name="note", artifact="f2", last=False)
        task.make([{"text": "two"}], artifact="f2", append=True)
    elif verb == "working":
        task.to("working", "thinking about it")
        return task.to("completed")
    elif verb == "status":
        return task.to("completed", rest)
    elif verb == "named":
        task.make([{"text": rest}], name="result")
    else:
        task.make([{"text": f"echo: {text_of(sent['parts'])}"}])
        for part in sent["parts"]:
            if "text" not in part:
                task.make([part], name="copy", artifact=str(uuid.uuid4()))
    return task.to("completed")


def run_work(task, sent):
    work(task, sent)
    if task.state not in FINAL:
        task.to("canceled")


def camel(parts):
    """The parts of a message in the form of 1.0, from any dialect."""
    made = []
    for part in parts:
        file = part.get("file")
        if "text" in part:
            made.append({"text": part["text"]})
        elif file:
            raw = file.get("bytes") or file.get("fileWithBytes")
            where = {"raw": raw} if raw else {"url": file.get("uri") or file.get("fileWithUri")}
            made.append({**where, "mediaType": file.get("mimeType"),
                         "filename": file.get("name")})
        elif "data" in part and part.get("kind", part.get("type")) != "file":
            data = part["data"]
            made.append({"data": data["data"] if list(data) == ["data"] else data})
        else:
            made.append({k: v for k, v in part.items() if k not in ("kind", "type")})
    return made


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def setup(self):
        super().setup()
        self.server.owner.connections.append(self.connection)

    # ---- answers ------------------------------------------------------------------------------

    def reply(self, status, body, kind="application/json", **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def result(self, value, status=200):
        if self.rpc is not None:
            value = {"jsonrpc": "2.0", "id": self.rpc, "result": value}
        self.reply(status, value)

    def refuse(self, refusal):
        error = {"code": refusal.code, "message": refusal.text}
        if self.rpc is not None:
            self.reply(200, {"jsonrpc": "2.0", "id": self.rpc, "error": error})
        elif self.server.owner.dialect.proto:
            self.reply(refusal.status, error)
        else:
            self.reply(refusal.status, {"error": {"code": refusal.status,
                                                  "message": refusal.text}})

    def chunk(self, data):
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def event(self, value):
        if self.rpc is not None:
            value = {"jsonrpc": "2.0", "id": self.rpc, "result": value}
        self.chunk(b"data: " + json.dumps(value).encode() + b"\n\n")

    def begin_stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def follow(self, task):
        """The task as it is, and all events from now on, until the task ends or asks."""
        own, sent = self.server.owner, 0
        self.begin_stream()
        with own.changed:
            now, since = own.dialect.update("task", task, None), len(task.events)
        self.event(now)
        while not own.closing:
            with own.changed:
                own.changed.wait_for(lambda: len(task.events) > since or own.closing, 0.2)
                fresh = task.events[since:]
            since += len(fresh)
            for kind, body in fresh:
                self.event(own.dialect.update(kind, task, body))
                sent += 1
                if own.breaks and sent == own.breaks:
                    own.breaks = own.breaks_then
                    self.close_connection = True
                    self.connection.shutdown(2)
                    return
            asks = task.state.endswith("required") and not own.patient
            if (task.state in FINAL or asks) and since == len(task.events):
                break
        if own.never_ends:
            while not own.closing:
                self.chunk(b": still here\n\n")
                time.sleep(0.05)
        self.chunk(b"")

    # ---- operations ---------------------------------------------------------------------------

    def find(self, name):
        task = self.server.owner.tasks.get(name)
        if not task:
            raise Refusal(-32001, 404, "no such task")
        return task

    def take_message(self, sent):
        """Start a task with this message, or continue one."""
        own = self.server.owner
        parts = camel(sent.get("parts") or sent.get("content"))
        own.messages.append({**sent, "parts": parts})
        if sent.get("taskId"):
            task = self.find(sent["taskId"])
            if task.state in FINAL:
                raise Refusal(-32004, 400, "the task has ended")
            if own.confused:
                own.confused -= 1
                return task
            task.answer = [p.get("text", p.get("data")) for p in parts]
            task.answer = task.answer[0] if len(task.answer) == 1 else task.answer
            task.answered.set()
            if not own.stale:
                wait_until(lambda: not task.state.endswith("required"))
            return task
        task = Task(own, sent.get("contextId"))
        if own.loses:
            del own.tasks[task.id]
        threading.Thread(target=run_work, args=(task, {"parts": parts}), daemon=True).start()
        return task

    def do_send(self, sent, configuration):
        own = self.server.owner
        if text_of(camel(sent.get("parts") or sent.get("content"))).startswith("message"):
            own.messages.append(sent)
            said = {"messageId": str(uuid.uuid4()), "role": "ROLE_AGENT", "contextId": "c1",
                    "parts": [{"text": "a direct answer"}]}
            update = own.dialect.update("message", None, said)
            return self.result(update)
        task = self.take_message(sent)
        waits = configuration.get("blocking", not configuration.get("returnImmediately"))
        if waits or own.always_blocks:
            wait_until(lambda: task.state in FINAL or task.state.endswith("required"))
        return self.result(own.dialect.update("task", task, None))

    def do_stream(self, sent):
        own = self.server.owner
        if not own.streaming:
            raise Refusal(-32004, 400, "no streams here")
        if own.garbage:
            self.begin_stream()
            self.chunk(b"data: {this is no JSON\n\n")
            return self.chunk(b"")
        if text_of(camel(sent.get("parts") or sent.get("content"))).startswith("message"):
            said = {"messageId": str(uuid.uuid4()), "role": "ROLE_AGENT", "contextId": "c1",
                    "parts": [{"text": "a direct answer"}]}
            self.begin_stream()
            self.event(own.dialect.update("message", None, said))
            return self.chunk(b"")
        return self.follow(self.take_message(sent))

    def do_cancel(self, name):
        task, own = self.find(name), self.server.owner
        if task.state in FINAL:
            raise Refusal(-32002, 400, "the task has ended")
        if own.deaf:
            wait_until(lambda: own.closing)
        task.canceling.set()
        wait_until(lambda: task.state in FINAL)
        return self.result(self.server.owner.dialect.task(task))

    def do_subscribe(self, name):
        task, own = self.find(name), self.server.owner
        own.subscribed += 1
        if not own.streaming or own.no_subscribe:
            raise Refusal(-32601, 404, "no such method")
        if task.state in FINAL:
            raise Refusal(-32004, 400, "the task has ended")
        return self.follow(task)

    def do_get(self, name):
        self.server.owner.polled += 1
        return self.result(self.server.owner.dialect.task(self.find(name)))

    def do_list(self):
        own = self.server.owner
        tasks = [own.dialect.task(t) for t in own.tasks.values()]
        return self.result({"tasks": tasks, "nextPageToken": "", "pageSize": 50,
                            "totalSize": len(tasks)})

    # ---- requests -----------------------------------------------------------------------------

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def permitted(self):
        own = self.server.owner
        if own.auth and not own.auth(self):
            self.reply(401, b"{}", **{"WWW-Authenticate": "Bearer"})
            return False
        return True

    def do_GET(self):
        self.rpc = None
        own = self.server.owner
        path = self.path.split("?")[0]
        own.requests.append(("GET", self.path, dict(self.headers), b""))
        try:
            if path in own.card_paths:
                if own.redirects:
                    return self.reply(302, b"", Location=own.redirects + path)
                if own.card_auth and not self.permitted():
                    return None
                return self.reply(200, own.card_text or own.card())
            if path.startswith("/rest") and self.permitted():
                return self.route("GET", path, {})
            return self.reply(404, b"{}")
        except Refusal as refusal:
            return self.refuse(refusal)
        except (BrokenPipeError, ConnectionError):
            return None

    def do_POST(self):
        self.rpc = None
        own, body = self.server.owner, self.body()
        own.requests.append(("POST", self.path, dict(self.headers), body))
        try:
            if self.path == "/token":
                return self.token(body)
            if own.redirects:
                return self.reply(307, b"", Location=own.redirects + self.path)
            if not self.permitted():
                return None
            value = json.loads(body or b"{}")
            if self.path.startswith("/rest"):
                return self.route("POST", self.path, value)
            if self.path.startswith("/a2a/tasks/") and own.plain:
                return self.plain(value)
            if self.path != "/rpc" or own.plain:
                return self.reply(404, b"not found", kind="text/plain")
            self.rpc = value["id"]
            return self.call(value["method"], value.get("params") or {})
        except Refusal as refusal:
            return self.refuse(refusal)
        except (BrokenPipeError, ConnectionError):
            return None

    def call(self, method, params):
        version = self.server.owner.dialect.version
        names = {
            "1.0": {"SendMessage": "send", "SendStreamingMessage": "stream", "GetTask": "get",
                    "ListTasks": "list", "CancelTask": "cancel", "SubscribeToTask": "subscribe"},
            "0.3": {"message/send": "send", "message/stream": "stream", "tasks/get": "get",
                    "tasks/cancel": "cancel", "tasks/resubscribe": "subscribe"},
            "0.1": {"tasks/send": "send", "tasks/sendSubscribe": "stream", "tasks/get": "get",
                    "tasks/cancel": "cancel", "tasks/resubscribe": "subscribe"}}[version]
        wanted = "1.0" if version == "1.0" else None
        if self.headers.get("A2A-Version") != wanted:
            raise Refusal(-32009, 400, "wrong A2A-Version")
        if method not in names:
            raise Refusal(-32601, 404, "no such method")
        return self.operate(names[method], params)

    def operate(self, name, params):
        if name == "send":
            return self.do_send(self.sent(params), params.get("configuration") or {})
        if name == "stream":
            return self.do_stream(self.sent(params))
        if name == "list":
            return self.do_list()
        return {"get": self.do_get, "cancel": self.do_cancel,
                "subscribe": self.do_subscribe}[name](params["id"])

    def sent(self, params):
        """The message; in 0.1 its ids are beside it."""
        sent = params["message"]
        if self.server.owner.dialect.old:
            known = params.get("id") in self.server.owner.tasks
            return {**sent, "contextId": params.get("sessionId"),
                    "taskId": params.get("id") if known else None}
        return sent

    def route(self, method, path, value):
        path = path.partition("?")[0]
        prefix = "/rest/v1" if self.server.owner.dialect.proto else "/rest"
        path = path[len(prefix):]
        if (method, path) == ("POST", "/message:send"):
            if self.server.owner.dialect.proto:
                value.setdefault("configuration", {}).setdefault("blocking", False)
            return self.operate("send", value)
        if (method, path) == ("POST", "/message:stream"):
            return self.operate("stream", value)
        if (method, path) == ("GET", "/tasks"):
            return self.operate("list", value)
        name, _, verb = path[len("/tasks/"):].partition(":")
        return self.operate(verb or "get", {"id": name})

    def plain(self, value):
        """The REST routes of programs of 0.1: the answer is a bare task."""
        rest = self.path[len("/a2a/tasks/"):]
        if rest == "send":
            return self.operate("send", value["params"])
        return self.operate("cancel", {"id": rest[:-len("/cancel")]})

    def token(self, body):
        own = self.server.owner
        own.tokens += 1
        wanted = "Basic " + base64.b64encode(b"client:s3cret").decode()
        if self.headers.get("Authorization") != wanted or b"client_credentials" not in body:
            return self.reply(401, {"error": "invalid_client"})
        return self.reply(200, {"access_token": f"token-{own.tokens}", "token_type": "Bearer",
                                "expires_in": own.token_lives})


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the fake agent waited in vain")
        time.sleep(0.005)


class Quiet(ThreadingHTTPServer):
    """Clients that disconnect are nothing to report."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class A2AServer:
    def __init__(self, version="1.0", binding="JSONRPC", streaming=True, **options):
        self.dialect = Dialect(version, binding)
        self.binding, self.streaming = binding, streaming
        self.tasks, self.messages, self.requests = {}, [], []
        self.changed, self.gate = threading.Condition(), threading.Event()
        self.closing = False
        self.connections = []
        self.subscribed = self.polled = self.tokens = 0
        # options
        self.card_paths = ["/.well-known/agent-card.json"]
        self.card_text = None   # instead of a card
        self.card_more = {}     # members that replace those of the card
        self.card_auth = False  # the card needs credentials, too
        self.origin = None      # the origin that the card names
        self.auth = None        # a function: are these credentials accepted?
        self.breaks = 0         # a stream breaks after so many events
        self.breaks_then = 0    # and the next one after so many
        self.no_subscribe = False
        self.garbage = False    # streams are no JSON
        self.never_ends = False  # streams stay open when the task has ended
        self.redirects = None   # all requests are redirected to this origin
        self.always_blocks = False
        self.confused = 0       # so many answers are not understood: the task still asks
        self.patient = False    # streams stay open while the task asks
        self.stale = False      # the first event after an answer repeats the question
        self.loses = False      # tasks are forgotten
        self.deaf = False       # a request to cancel is never answered
        self.plain = False      # only the REST routes of 0.1
        self.token_lives = 3600
        for name, value in options.items():
            getattr(self, name)
            setattr(self, name, value)

    def card(self):
        base = self.origin or self.url
        path = "/rest" if self.dialect.rest else "/rpc"
        made = {"name": "fake", "description": "an agent for tests", "version": "1.0.0",
                "capabilities": {"streaming": self.streaming},
                "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
                "skills": [{"id": "echo", "name": "Echo", "description": "echoes", "tags": []}]}
        if self.dialect.new:
            made["supportedInterfaces"] = [{"url": base + path, "protocolBinding": self.binding,
                                            "protocolVersion": "1.0"}]
        else:
            made["url"] = base + path
            if self.dialect.old:
                made["version"] = "0.1.0"
            else:
                made.update(protocolVersion="0.3.0", preferredTransport=self.binding)
        return {**made, **self.card_more}

    def __enter__(self):
        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.owner = self
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *exc):
        self.closing = True
        self.gate.set()
        self.http.shutdown()
        self.http.server_close()

    def vanish(self):
        """As if the machine were gone: nothing listens, and all connections break."""
        self.http.shutdown()
        self.http.server_close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def calls(self, path=None):
        """The POST requests so far: their headers and bodies."""
        return [(h, json.loads(b or b"{}")) for m, p, h, b in self.requests
                if m == "POST" and p != "/token" and (path is None or p == path)]
