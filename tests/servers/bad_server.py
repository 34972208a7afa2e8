#!/usr/bin/env python3
"""A stdio MCP server that misbehaves on demand.

usage: bad_server.py MODE        (bad_server.py --list prints the modes)

`ok` is a decent small server of the era with a handshake; `modern` one of 2026-07-28 only. Every
other mode is `ok` with one thing wrong: its class says which. The tools are shared with
bad_http.py. Tool `seen` returns every message that came in, so a test can assert on what a
client sent.
"""
import json
import os
import signal
import sys
import threading
import time

LEGACY, MODERN = "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol/"
HUGE = 100 << 20
NO_METHOD, BAD_PARAMS, BAD_VERSION = -32601, -32602, -32022


class RpcError(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class Cancelled(Exception):
    """The client wants no answer any more."""


class InputRequired(Exception):
    """The modern way to ask: the call ends, and comes again with the answer."""

    def __init__(self, key, method, params):
        super().__init__(key)
        self.result = {"resultType": "input_required", "requestState": f"state of {key}",
                       "inputRequests": {key: {"method": method, "params": params}}}


def text(value):
    return {"content": [{"type": "text", "text": value}]}


# ---- the tools: a function gets the call (class Call) and the arguments

def echo(_call, args):
    return text(args.get("text", ""))


def add(_call, args):
    total = args["a"] + args["b"]
    return {**text(str(total)), "structuredContent": {"sum": total}}


def slow(call, args):
    if call.cancelled.wait(args["seconds"]):
        raise Cancelled
    return text("slept")


def progress(call, args):
    for i in range(1, args["n"] + 1):
        call.progress(i, args["n"])
    return text("done")


def steps(call, args):
    """Progress after each pause."""
    for i in range(1, args["n"] + 1):
        if call.cancelled.wait(args["seconds"]):
            raise Cancelled
        call.progress(i, args["n"])
    return text("stepped")


def fail(_call, _args):
    return {**text("this tool always fails"), "isError": True}


def reject(_call, _args):
    raise RpcError(-32011, "this call is refused", {"why": "always"})


def env(_call, _args):
    return text(json.dumps(dict(os.environ)))


def big(_call, args):
    return text("x" * args["bytes"])


def give(_call, args):
    """The result is what the caller wants it to be."""
    return args["result"]


def wait_file(call, args):
    """A test says by a file when a call goes on."""
    while args.get("after") and not os.path.exists(args["after"]):
        if call.cancelled.wait(0.01) and not args.get("stubborn"):
            raise Cancelled


def ask(call, args):
    wait_file(call, args)
    return text(json.dumps(call.ask("answer", "elicitation/create", {
        "message": "What is your name?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}},
                            "required": ["name"]}})))


def ask_much(call, args):
    """Several questions at once, each of so many bytes; every answer, or its error."""
    answers = []

    def one(i):
        try:
            answers.append(call.ask(f"q{i}", "elicitation/create", {
                "message": f"question {i} " + "x" * args["bytes"],
                "requestedSchema": {"type": "object", "properties": {}}}))
        except Cancelled:
            pass

    threads = [threading.Thread(target=one, args=(i,)) for i in range(args["n"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if call.cancelled.is_set():
        raise Cancelled
    return text(json.dumps(answers))


def log(call, args):
    wait_file(call, args)
    call.out({"jsonrpc": "2.0", "method": "notifications/message",
              "params": {"level": "error", "logger": "bad", "data": args["text"]}})
    return text("logged")


def sample(call, _args):
    return text(json.dumps(call.ask("sample", "sampling/createMessage", {
        "messages": [{"role": "user", "content": {"type": "text", "text": "Say hello."}}],
        "maxTokens": 50})))


def roots(call, _args):
    return text(json.dumps(call.ask("roots", "roots/list", {})))


def crash(_call, _args):
    print("crashing as asked", file=sys.stderr, flush=True)
    os._exit(70)


def add_tool(call, args):
    name = args.get("name", "added")
    call.peer.tools[name] = ("Was added.", {}, echo)
    call.peer.announce("notifications/tools/list_changed")
    return text(f"added {name}")


def seen(call, _args):
    return text(json.dumps(call.peer.seen))


NUMBER, STRING = {"type": "number"}, {"type": "string"}
TOOLS = {  # name: what it says, its properties, its function
    "echo": ("Return the text.", {"text": STRING}, echo),
    "add": ("Add two numbers.", {"a": NUMBER, "b": NUMBER}, add),
    "slow": ("Answer after some seconds.", {"seconds": NUMBER}, slow),
    "progress": ("Report progress n times.", {"n": {"type": "integer"}}, progress),
    "steps": ("Report progress n times, after so many seconds each.",
              {"n": {"type": "integer"}, "seconds": NUMBER}, steps),
    "fail": ("Fail.", {}, fail),
    "reject": ("Be a JSON-RPC error.", {}, reject),
    "env": ("Return the environment.", {}, env),
    "big": ("Return that many bytes.", {"bytes": {"type": "integer"}}, big),
    "give": ("Return this result.", {"result": {"type": "object"}}, give),
    "ask": ("Ask the user for a name.", {"after": STRING}, ask),
    "ask_much": ("Ask several questions at once.", {"n": NUMBER, "bytes": NUMBER}, ask_much),
    "log": ("Send a log message.", {"text": STRING, "after": STRING}, log),
    "sample": ("Ask for a completion.", {}, sample),
    "roots": ("Ask for the roots.", {}, roots),
    "crash": ("Exit at once with code 70.", {}, crash),
    "add_tool": ("Add a tool and say so.", {"name": STRING}, add_tool),
    "seen": ("Return every message received.", {}, seen),
}


def described(tools):
    return [{"name": name, "description": what,
             "inputSchema": {"type": "object", "properties": properties}}
            for name, (what, properties, _) in tools.items()]


class Call:
    """One request while it is answered. `out` sends on the stream that belongs to it."""

    def __init__(self, peer, message, out):
        self.peer, self.id, self.out = peer, message["id"], out
        self.method = message["method"]
        self.params = message.get("params") or {}
        self.cancelled = threading.Event()

    def progress(self, done, total):
        token = self.params.get("_meta", {}).get("progressToken")
        if token is not None:
            self.out({"jsonrpc": "2.0", "method": "notifications/progress",
                      "params": {"progressToken": token, "progress": done, "total": total}})

    def ask(self, key, method, params):
        return self.peer.ask(self, key, method, params)


class Legacy:
    """What one client of the era with a handshake sees. Its methods are the table at the end."""
    version = LEGACY

    def __init__(self):
        self.tools, self.seen, self.calls = dict(TOOLS), [], {}
        self.asked, self.next_ask, self.lock = {}, 0, threading.Lock()

    def announce(self, method):
        """A notification that belongs to no call; a transport says where it goes."""
        raise NotImplementedError

    def ask(self, call, _key, method, params):
        with self.lock:
            self.next_ask += 1
            ident = f"ask-{self.next_ask}"
            self.asked[ident] = waiting = [threading.Event(), None]
        call.out({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        while not waiting[0].wait(0.05):
            if call.cancelled.is_set():
                raise Cancelled
        return waiting[1].get("result", {"error": waiting[1].get("error")})

    def heard(self, message):
        """A notification or a response came."""
        if message.get("method") == "notifications/cancelled":
            call = self.calls.get(json.dumps(message["params"].get("requestId")))
            if call:
                call.cancelled.set()
        elif message.get("id") in self.asked:
            waiting = self.asked.pop(message["id"])
            waiting[1] = message
            waiting[0].set()

    def begin(self, message, out):
        """From here on the request can be cancelled."""
        call = Call(self, message, out)
        self.calls[self.key(call)] = call
        return call

    def key(self, call):
        return json.dumps(call.id)

    def answer(self, call):
        """The response to a request, or None when it was cancelled."""
        response = {"jsonrpc": "2.0", "id": call.id}
        try:
            self.check(call)
            method = self.methods.get(call.method)
            if not method:
                raise RpcError(NO_METHOD, f"no method {call.method}")
            response["result"] = self.finish(call.method, method(self, call))
        except RpcError as e:
            response["error"] = e.error
        except InputRequired as e:
            response["result"] = e.result
        except Cancelled:
            return None
        finally:
            self.calls.pop(self.key(call), None)
        return response

    def check(self, call):
        """Is the request one that may be answered?"""

    def finish(self, _method, result):
        return result

    def initialize(self, _call):
        return {"protocolVersion": self.version, "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "bad_server", "version": "1"}}

    def list_tools(self, _call):
        return {"tools": described(self.tools)}

    def call_tool(self, call):
        name = call.params.get("name")
        if name not in self.tools:
            raise RpcError(BAD_PARAMS, f"no tool {name}")
        return self.tools[name][2](call, call.params.get("arguments") or {})

    methods = {"initialize": initialize, "ping": lambda self, call: {}, "tools/list": list_tools,
               "tools/call": call_tool}


class Modern(Legacy):
    """2026-07-28: every request stands alone; questions are input_required results."""

    def check(self, call):
        meta = call.params.get("_meta") or {}
        if call.params.get("protocolVersion"):
            raise RpcError(BAD_VERSION, "only 2026-07-28 is spoken here",
                           {"supported": [MODERN], "requested": call.params["protocolVersion"]})
        for key in ("protocolVersion", "clientCapabilities"):
            if META + key not in meta:
                raise RpcError(BAD_PARAMS, f"_meta lacks {META}{key}")
        if meta[META + "protocolVersion"] != MODERN:
            raise RpcError(BAD_VERSION, "unsupported version", {
                "supported": [MODERN], "requested": meta[META + "protocolVersion"]})

    def ask(self, call, key, method, params):
        if key not in (call.params.get("inputResponses") or {}):
            raise InputRequired(key, method, params)
        if call.params.get("requestState") != f"state of {key}":
            raise RpcError(BAD_PARAMS, "requestState is not what was given")
        return call.params["inputResponses"][key]

    def finish(self, method, result):
        if method in ("server/discover", "tools/list"):
            result = {**result, "ttlMs": 0, "cacheScope": "private"}
        meta = {**result.get("_meta", {}), META + "serverInfo": {"name": "bad", "version": "1"}}
        return {"resultType": "complete", **result, "_meta": meta}

    def discover(self, _call):
        return {"supportedVersions": [MODERN], "capabilities": {"tools": {"listChanged": True}}}

    def listen(self, call):
        """Acknowledge, then pass on what is announced until the client leaves."""
        wanted, tag = call.params.get("notifications", {}), {META + "subscriptionId": call.id}
        call.listens = wanted.get("toolsListChanged")
        call.out({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                  "params": {"notifications": {k: v for k, v in wanted.items()
                                               if k == "toolsListChanged"}, "_meta": tag}})
        call.cancelled.wait()
        raise Cancelled

    def announce(self, method):
        for call in list(self.calls.values()):
            if getattr(call, "listens", False):
                call.out({"jsonrpc": "2.0", "method": method,
                          "params": {"_meta": {META + "subscriptionId": call.id}}})

    methods = {"server/discover": discover, "tools/list": Legacy.list_tools,
               "tools/call": Legacy.call_tool, "subscriptions/listen": listen}


# ---- stdio

class Stdio:
    """Messages by lines. What a mode does differently overrides one of these."""

    def __init__(self):
        self.write_lock, self.initialized = threading.Lock(), False

    def announce(self, method):
        self.write({"jsonrpc": "2.0", "method": method})

    def write(self, message):
        self.write_bytes(json.dumps(message).encode() + b"\n")

    def write_bytes(self, data):
        with self.write_lock:
            try:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()
            except (BrokenPipeError, ValueError):
                pass

    def read(self):
        line = sys.stdin.buffer.readline()
        return json.loads(line) if line else None

    def run(self):
        while (message := self.read()) is not None:
            self.seen.append(message)
            self.receive(message)
        self.at_eof()

    def receive(self, message):
        self.initialized = self.initialized or message.get("method") == "initialize"
        if "method" not in message or "id" not in message:
            self.heard(message)
        else:
            call = self.begin(message, self.write)
            threading.Thread(target=self.respond, args=(message, call), daemon=True).start()

    def respond(self, message, call):
        response = self.answer(call)
        if response:
            self.reply(message, response)

    def reply(self, _request, response):
        self.write(response)

    def at_eof(self):
        pass


class Ok(Stdio, Legacy):
    def __init__(self):
        Stdio.__init__(self)
        Legacy.__init__(self)


class ModernOnly(Stdio, Modern):
    announce = Modern.announce

    def __init__(self):
        Stdio.__init__(self)
        Modern.__init__(self)


class DieInHandshake(Ok):
    """Three lines on stderr and exit code 3, at the first message."""

    def receive(self, message):
        for n in ("one", "two", "three"):
            print(f"bad_server: last words, line {n}", file=sys.stderr, flush=True)
        os._exit(3)


class DieOnDiscover(Ok):
    """Exits with 1 at any request before initialize."""

    def receive(self, message):
        if not self.initialized and "id" in message and message.get("method") != "initialize":
            os._exit(1)
        super().receive(message)


class Silent(Ok):
    """Reads and never answers."""

    def receive(self, message):
        pass


class Hold(Ok):
    """Reads nothing as long as its working folder has a file "hold"; a file "fewer" takes the tool
    echo away."""

    def run(self):
        if os.path.exists("fewer"):
            self.tools.pop("echo")
        while os.path.exists("hold"):
            time.sleep(0.01)
        super().run()


class DualLate(ModernOnly):
    """Speaks both eras, and says nothing before it was sent initialize; then answers
    server/discover first."""
    methods = {**ModernOnly.methods, "initialize": Legacy.initialize}

    def check(self, call):
        if call.method != "initialize":
            super().check(call)

    def receive(self, message):
        if message.get("method") == "server/discover":
            self.held = message
        elif message.get("method") == "initialize":
            for one in self.in_order(self.held, message):
                self.respond(one, self.begin(one, self.write))
        else:
            super().receive(message)

    def in_order(self, discover, initialize):
        return discover, initialize

    def finish(self, method, result):
        return result if method == "initialize" else super().finish(method, result)


class DualLateLegacy(Ok):
    """The same, and answers initialize alone."""

    def receive(self, message):
        if message.get("method") != "server/discover":
            super().receive(message)


class Fat(Ok):
    """Has a tool with a definition of 5 MB, then sixty with 50 KB each."""

    def list_tools(self, _call):
        many = {f"large_{i}": ("y" * 50000, {}, echo) for i in range(60)}
        return {"tools": described({**self.tools, "fat": ("x" * (5 << 20), {}, echo), **many})}

    methods = {**Legacy.methods, "tools/list": list_tools}


class Tasks(Ok):
    """Runs the tool research only as a task of 2025-11-25; it ends when there is a file "done"."""

    def __init__(self):
        super().__init__()
        self.tasks = {}

    def initialize(self, call):
        result = super().initialize(call)
        result["capabilities"]["tasks"] = {"cancel": {}, "requests": {"tools": {"call": {}}}}
        return result

    def list_tools(self, _call):
        tools = described({**self.tools, "research": ("Takes long.", {}, None)})
        tools[-1]["execution"] = {"taskSupport": "required"}
        return {"tools": tools}

    def call_tool(self, call):
        if call.params["name"] != "research":
            return super().call_tool(call)
        if "task" not in call.params:
            raise RpcError(NO_METHOD, "Tool research requires task augmentation")
        ident = f"task-{len(self.tasks)}"
        self.tasks[ident] = {"args": call.params["arguments"], "canceled": False}
        return {"task": self.described_task(ident)}

    def described_task(self, ident):
        task = self.tasks[ident]
        status = "working"
        if task["canceled"]:
            status = "cancelled"
        elif os.path.exists("done"):
            status = "input_required" if "ask" in task["args"] else "completed"
        return {"taskId": ident, "status": status, "statusMessage": "reading", "ttl": None,
                "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
                "pollInterval": 10}

    def get_task(self, call):
        return self.described_task(call.params["taskId"])

    def get_result(self, call):
        said = self.tasks[call.params["taskId"]]["args"]
        if "fail" in said:
            raise RpcError(-32011, "the research failed")
        if "ask" in said:
            said = ask(call, {})["content"][0]["text"]
        return {**text(f"researched {said}"),
                "_meta": {META + "related-task": {"taskId": call.params["taskId"]}}}

    def cancel_task(self, call):
        self.tasks[call.params["taskId"]]["canceled"] = True
        return self.described_task(call.params["taskId"])

    methods = {**Legacy.methods, "initialize": initialize, "tools/list": list_tools,
               "tools/call": call_tool, "tasks/get": get_task, "tasks/result": get_result,
               "tasks/cancel": cancel_task}


class AskRoots(Ok):
    """Asks for the roots after the handshake and whenever they have changed; the tool known_roots
    returns what it was told last."""

    def __init__(self):
        super().__init__()
        self.roots = None
        self.tools["known_roots"] = ("Return the roots.", {}, lambda call, _args: text(
            json.dumps(self.roots)))

    def heard(self, message):
        super().heard(message)
        if message.get("method") in ("notifications/initialized",
                                     "notifications/roots/list_changed"):
            threading.Thread(target=self.learn, daemon=True).start()

    def learn(self):
        call = Call(self, {"id": None, "method": ""}, self.write)
        self.roots = self.ask(call, "roots", "roots/list", {})


class SilentOnMeta(Ok):
    """Ignores every call and every server/discover that carries _meta."""

    def receive(self, message):
        if message.get("method") not in ("tools/call", "server/discover") or \
                "_meta" not in (message.get("params") or {}):
            super().receive(message)


class Twice(Ok):
    """Answers every request twice."""

    def reply(self, request, response):
        self.write(response)
        self.write(response)


class WrongId(Ok):
    """Answers tools/call under an id that nobody used."""

    def reply(self, request, response):
        if request["method"] == "tools/call":
            response = {**response, "id": f"not {request['id']}"}
        self.write(response)


class Junk(Ok):
    """Prints what is not JSON, not JSON-RPC, and empty lines around each message."""

    def reply(self, request, response):
        self.write_bytes(b"Server is listening...\n\n{not json\n[1,2\n\x1b[32mready\x1b[0m\n42\n")
        self.write(response)
        self.write_bytes(b"\xff\xfe\n{}\n")


class Huge(Ok):
    """Answers tools/call with one line of 100 MB."""

    def reply(self, request, response):
        if request["method"] == "tools/call":
            response = {**response, "result": text("x" * HUGE)}
        self.write(response)


class Half(Ok):
    """Answers tools/call with half a message, closes stdout, and stays."""

    def reply(self, request, response):
        if request["method"] != "tools/call":
            return self.write(response)
        data = json.dumps(response).encode()
        self.write_bytes(data[:len(data) // 2])
        os.close(sys.stdout.fileno())
        return None


class Changing(Ok):
    """Has other tools at each tools/list."""
    lists = 0

    def list_tools(self, _call):
        self.lists += 1
        return {"tools": described({f"tool_{self.lists}": ("Comes and goes.", {}, echo)})}

    methods = {**Legacy.methods, "tools/list": list_tools}


def renew(call, _args):
    call.peer.announce("notifications/tools/list_changed")
    return text("announced")


class Described(Ok):
    """Its tools are those of the file "tools.json" in its working folder, at each tools/list; the
    tool renew, which is always there, announces new ones."""

    def list_tools(self, _call):
        self.tools = {"renew": ("Announce new tools.", {}, renew)}
        with open("tools.json", encoding="utf-8") as file:
            more = json.load(file)
        self.tools.update({tool["name"]: ("", {}, echo) for tool in more})
        return {"tools": described({"renew": self.tools["renew"]}) + more}

    methods = {**Legacy.methods, "tools/list": list_tools}


class LoopPages(Ok):
    """tools/list has always a next page, under the same cursor."""
    pages = 0

    def cursor(self):
        return "again"

    def list_tools(self, _call):
        self.pages += 1
        return {"tools": described({f"tool_{self.pages}": ("On a page.", {}, echo)}),
                "nextCursor": self.cursor()}

    methods = {**Legacy.methods, "tools/list": list_tools}


class LoopPagesFresh(LoopPages):
    """The same under a cursor that is new each time."""

    def cursor(self):
        return f"page {self.pages + 1}"


class IgnoreEof(Ok):
    """Ends neither at the end of stdin nor at SIGTERM (but after five minutes)."""

    def run(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().run()

    def at_eof(self):
        print("bad_server: stdin ended, and I stay", file=sys.stderr, flush=True)
        time.sleep(300)


class ContentLength(Ok):
    """Writes Content-Length frames. Reads them, and lines."""

    def write(self, message):
        data = json.dumps(message).encode()
        self.write_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))

    def read(self):
        line = sys.stdin.buffer.readline()
        if not line.lower().startswith(b"content-length:"):
            return json.loads(line) if line else None
        while sys.stdin.buffer.readline().strip():
            pass
        return json.loads(sys.stdin.buffer.read(int(line.partition(b":")[2])))


class LoneSurrogate(Ok):
    """Answers tools/call with a text that is half of a surrogate pair."""

    def reply(self, request, response):
        if request["method"] == "tools/call":
            response = {**response, "result": text("cut \ud800 here")}
        self.write(response)


class OldVersion(Ok):
    """Answers initialize with 2024-11-05."""
    version = "2024-11-05"


class UnknownVersion(Ok):
    """Answers initialize with a version that never was."""
    version = "1999-01-01"


MODES = {"ok": Ok, "modern": ModernOnly, "die-in-handshake": DieInHandshake,
         "die-on-discover": DieOnDiscover, "silent": Silent, "hold": Hold, "dual-late": DualLate,
         "dual-late-legacy": DualLateLegacy, "fat": Fat, "tasks": Tasks, "ask-roots": AskRoots,
         "silent-on-meta": SilentOnMeta,
         "twice": Twice, "wrong-id": WrongId, "junk": Junk, "huge": Huge, "half": Half,
         "changing": Changing, "described": Described,
         "loop-pages": LoopPages, "loop-pages-fresh": LoopPagesFresh,
         "ignore-eof": IgnoreEof, "content-length": ContentLength,
         "lone-surrogate": LoneSurrogate, "old-version": OldVersion,
         "unknown-version": UnknownVersion}


def main():
    mode = sys.argv[1] if len(sys.argv) == 2 else ""
    if mode == "--list":
        print("\n".join(MODES))
    elif mode not in MODES:
        sys.exit(f"usage: bad_server.py MODE; modes are: {' '.join(MODES)}")
    else:
        MODES[mode]().run()


if __name__ == "__main__":
    main()
