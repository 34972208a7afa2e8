"""A client that dispatches agents, over stdio and over HTTP, for the tests of tasks."""
import json
import pathlib
import tempfile
from concurrent.futures import ThreadPoolExecutor

from harness import AUTO, Serve, Stdio, equal, wait_for
from mcp_http import BOTH, begin

OFFLINE = {"TREFOIL_PROVIDER": "offline"}


def agent(root, name, keys=""):
    folder = root / ".trefoil" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(
        f"---\ndescription: What {name} does.\n{keys}---\nYou help.\n")


def read_write(more=""):
    """A configuration of the user's own that lets clients change things."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="trefoil-own-")) / "own.toml"
    path.write_text('[mcp]\nmode = "read-write"\n' + more)
    return "--config", str(path)


def read_only():
    """One that lets them only look; their tasks write into .vault/ and lock it."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="trefoil-own-")) / "own.toml"
    path.write_text('[mcp]\nmode = "read-only"\n')
    return "--config", str(path)


def allowing(more=""):
    """The same, and nothing is asked for by default."""
    return read_write(more + AUTO)


def structured(result):
    if result.get("isError"):
        raise AssertionError(result)
    equal(json.loads(result["content"][0]["text"]), result["structuredContent"])
    return result["structuredContent"]


class Client:
    """Calls of tools, whatever carries them."""

    def use(self, name, **arguments):
        """The structured result, which the text repeats."""
        return structured(self.result(name, arguments))

    def error(self, name, **arguments):
        """The sentence of a tool error."""
        result = self.result(name, arguments)
        equal(result.get("isError"), True)
        return result["content"][0]["text"]

    def dispatch(self, task, name="default", **more):
        started = self.use("dispatch_agent", agent=name, task=task, **more)
        equal(started["status"], "working")
        return started["taskId"]

    def dispatch_all(self, tasks, **more):
        """All of them at once: no answer is waited for before the last is asked for."""
        calls = [("dispatch_agent", {"agent": "default", "task": task, **more}) for task in tasks]
        started = [structured(result) for result in self.results(calls)]
        equal([s["status"] for s in started], ["working"] * len(tasks))
        return [s["taskId"] for s in started]

    def status(self, ident, **more):
        return self.use("get_task_status", task_id=ident, **more)

    def end(self, ident):
        """How it ended."""
        return self.status(ident, wait=60)


    def reaches(self, ident, status):
        wait_for(status, lambda: self.status(ident)["status"] == status)


class Local(Stdio, Client):
    def __init__(self, *args, root, scope="agents", **env):
        super().__init__(*args, root=root, scope=scope, **{**OFFLINE, **env})
        self.told = []
        self.initialize()

    def ask(self, method, params=None):
        self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}})
        while True:
            message = self.receive()
            if message.get("id") == 1:
                return message["result"]
            self.told.append(message)

    def result(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments,
                                       "_meta": {"progressToken": "p"}})

    def results(self, calls):
        for n, (name, arguments) in enumerate(calls):
            self.send({"jsonrpc": "2.0", "id": f"call-{n}", "method": "tools/call",
                       "params": {"name": name, "arguments": arguments}})
        answers = {}
        while len(answers) < len(calls):
            message = self.receive()
            if "id" in message:
                answers[message["id"]] = message["result"]
        return [answers[f"call-{n}"] for n in range(len(calls))]


class Remote(Serve, Client):
    def __init__(self, *args, root, **env):
        super().__init__(*args, root=root, **{**OFFLINE, **env})
        self.session = begin(self)

    def ask(self, method, params=None):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return self.post(body, accept=BOTH, mcp_session_id=self.session).json()["result"]

    def result(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def results(self, calls):
        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(lambda call: self.result(*call), calls))
