"""A small ACP client, written from the protocol: it drives `trefoil acp` over its pipes."""
import json
import os
import select
import subprocess
import time

from harness import DEADLINE, TREFOIL, Process, environment_at


class AcpError(Exception):
    """The agent has answered a request with an error."""

    def __init__(self, error):
        super().__init__(json.dumps(error))
        self.code = error["code"]
        self.message = error["message"]
        self.data = error.get("data")


def chooses(kind, asked=None):
    """An answer to permission requests: the first option of this kind."""
    def answer(params):
        if asked is not None:
            asked.append(params)
        option = next(o for o in params["options"] if o["kind"] == kind)
        return {"outcome": {"outcome": "selected", "optionId": option["optionId"]}}
    return answer


class Acp(Process):
    """`trefoil acp`. Requests of the agent are answered by the functions in `answers`."""

    def __init__(self, *args, root, cwd="/", capabilities=None, initialize=True, **env):
        # The process works in another folder than the project: only the session's folder counts.
        self.process = subprocess.Popen([TREFOIL, "acp", *args], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                                        env=environment_at(root, env))
        self.pid = self.process.pid
        self.expect = 0
        self.told = False
        self.root = str(root)
        self.number = 0
        self.buffer = b""
        self.results = {}
        self.messages = []  # everything that has arrived, in order
        self.answers = {}   # method -> function of the params
        if initialize:
            self.hello = self.initialize(capabilities)

    def leave(self):
        if self.process.stdin:
            self.process.stdin.close()

    # ---- messages ----

    def send(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, method, **params):
        """Send a request; wait(id) gets its result."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def receive(self, seconds=DEADLINE):
        """The next message; None: there was none in this time, or the agent has closed stdout."""
        end = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                return None
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def pump(self, seconds=DEADLINE):
        """Receive one message, and answer it if it is a request."""
        message = self.receive(seconds)
        if message is None:
            return None
        assert message["jsonrpc"] == "2.0", message
        self.messages.append(message)
        if "method" not in message:
            self.results[message["id"]] = message
        elif "id" in message:
            self.answer(message)
        return message

    def answer(self, message):
        act = self.answers.get(message["method"])
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if act is None:
            reply["error"] = {"code": -32601, "message": "Method not found"}
        else:
            result = act(message["params"])
            if result is None:  # not answered, or later
                return
            if isinstance(result, AcpError):
                reply["error"] = {"code": result.code, "message": result.message}
            else:
                reply["result"] = result
        self.send(reply)

    def wait(self, number):
        while number not in self.results:
            if self.pump() is None:
                raise AssertionError(f"no response to request {number}")
        message = self.results.pop(number)
        if "error" in message:
            raise AcpError(message["error"])
        return message["result"]

    def until(self, condition):
        """Receive until condition(message) is true, and return that message."""
        for message in self.messages:
            if condition(message):
                return message
        while True:
            message = self.pump()
            if message is None:
                raise AssertionError("waited in vain for a message")
            if condition(message):
                return message

    def call(self, method, **params):
        return self.wait(self.start(method, **params))

    def fails(self, method, **params):
        """The error of a request that must fail."""
        try:
            result = self.call(method, **params)
        except AcpError as error:
            return error
        raise AssertionError(f"{method} succeeded: {result}")

    # ---- the protocol ----

    def initialize(self, capabilities=None, version=1):
        return self.call("initialize", protocolVersion=version,
                         clientCapabilities=capabilities or {},
                         clientInfo={"name": "e2e", "version": "1"})

    def new(self, cwd=None, **more):
        return self.call("session/new", cwd=str(cwd or self.root), mcpServers=[], **more)

    def prompt_start(self, session, text, **more):
        prompt = [{"type": "text", "text": text}] if isinstance(text, str) else text
        return self.start("session/prompt", sessionId=session, prompt=prompt, **more)

    def prompt(self, session, text):
        """The stop reason of a prompt."""
        return self.wait(self.prompt_start(session, text))["stopReason"]

    def updates(self, session=None, kind=None):
        """The updates so far."""
        found = [m["params"] for m in self.messages if m.get("method") == "session/update"]
        found = [p["update"] for p in found if session is None or p["sessionId"] == session]
        return [u for u in found if kind is None or u["sessionUpdate"] == kind]

    def text(self, session=None):
        """What the agent has said."""
        return "".join(u["content"]["text"] for u in self.updates(session, "agent_message_chunk")
                       if u["content"]["type"] == "text")

    def forget(self):
        self.messages = []
