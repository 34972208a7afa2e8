"""MCP servers behind a trefoil, for the end-to-end tests: configuration, calls, looking on."""
import json
import pathlib
import subprocess
import sys

from harness import Serve, Stdio, user_config, wait_for

SERVERS = pathlib.Path(__file__).resolve().parent.parent / "servers"
FAST = "[limits]\nmcp_retry_min_ms = 10\n"  # nobody waits long for a server that comes back


def server(name, mode="ok", **keys):
    """An entry for a bad_server.py."""
    return command(name, sys.executable, str(SERVERS / "bad_server.py"), mode, **keys)


def command(name, *argv, **keys):
    lines = ["[[mcp.servers]]", f"name = {json.dumps(name)}", f"command = {json.dumps(argv)}"]
    return "\n".join(lines + [f"{k} = {v}" for k, v in keys.items()]) + "\n"


def remote(name, url, **keys):
    lines = ["[[mcp.servers]]", f"name = {json.dumps(name)}", f"url = {json.dumps(url)}"]
    return "\n".join(lines + [f"{k} = {v}" for k, v in keys.items()]) + "\n"


PROGRAM = """#!{python}
import json, os, sys
sys.path.insert(0, {servers!r})
from bad_server import STRING, Ok, seen, text

def started(_call, _args):
    return text(json.dumps({{"argv": sys.argv, "env": dict(os.environ), "pid": os.getpid()}}))

class Named(Ok):
    def receive(self, message):
        if message.get("method") != {silent_on!r}:
            super().receive(message)

server = Named()
server.tools = {{name: ("Says how it was started.", {{"text": STRING}}, started) for name in {tools!r}}}
server.tools["seen"] = ("Returns every message received.", {{}}, seen)
server.run()
"""


def program(folder, name, *tools, silent_on=None):
    """A program that is a server whose tools return how it was started; it never answers silent_on."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(PROGRAM.format(python=sys.executable, servers=str(SERVERS), tools=tools,
                                   silent_on=silent_on))
    path.chmod(0o755)
    return str(path)


class HttpServer:
    """bad_http.py while the `with` lasts; gives its address."""

    def __enter__(self):
        self.url = None
        self.start()
        return self.url

    def start(self):
        """Begin to serve, after stop() at the same address."""
        port = [self.url.rpartition(":")[2]] if self.url else []
        self.process = subprocess.Popen([sys.executable, str(SERVERS / "bad_http.py"), *port],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.url = self.process.stdout.readline().decode().strip()

    def stop(self):
        self.process.kill()
        self.__exit__()

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


READ_WRITE = '[mcp]\nmode = "read-write"\n'  # else clients over HTTP may only look


def configure(root, *entries, head=FAST, user=READ_WRITE):
    """Limits are the user's: a project can only make them stricter. So is the mode of clients."""
    limits = head.startswith("[limits]")
    user_config(root, user + (head if limits else ""))
    (root / "trefoil.toml").write_text(("" if limits else head) + "\n".join(entries))


class Gateway(Serve):
    """`trefoil serve` in front of the servers of its trefoil.toml."""

    def __init__(self, *args, root, **more):
        """Clients over HTTP may write, unless the test has a configuration of its own."""
        if "--config" not in args and not (root / ".user").exists() and not {"HOME", "XDG_CONFIG_HOME"} & set(more):
            user_config(root, READ_WRITE)
        super().__init__("--trust", *args, root=root, **more)

    def servers(self):
        return self.request("GET", "/api/mcp/servers").json()

    def connected(self, name):
        return next((s for s in self.servers()["connected"] if s["name"] == name), None)

    def configured(self, name):
        return next((s for s in self.servers()["configured"] if s["name"] == name), None)

    def wait_ready(self, *names):
        for name in names:
            wait_for(f"server {name}", lambda n=name: (self.connected(n) or {}).get("connected"))

    def rpc(self, method, params=None, ident=1):
        answer = self.post({"jsonrpc": "2.0", "id": ident, "method": method,
                            "params": params or {}})
        return answer.json()

    def call(self, tool, **arguments):
        return self.rpc("tools/call", {"name": tool, "arguments": arguments})

    def text(self, tool, **arguments):
        return text_of(self.call(tool, **arguments))

    def tools(self):
        return [t["name"] for t in self.rpc("tools/list")["result"]["tools"]]


def text_of(answer):
    """What a person would read: the text of a result, or the message of an error."""
    if "error" in answer:
        return answer["error"]["message"]
    return answer["result"]["content"][0]["text"]


class StdioGateway(Stdio):
    """`trefoil mcp` in front of the same."""

    def __init__(self, *args, root, **more):
        super().__init__("--trust", *args, root=root, **more)
        self.notes = []

    def answer_to(self, ident):
        """The answer under this id; notifications that come before it are kept."""
        while True:
            message = self.receive()
            if message.get("id") == ident and "method" not in message:
                return message
            self.notes.append(message)

    def ask(self, method, params=None, ident=1):
        self.send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params or {}})
        return self.answer_to(ident)

    def wait_tool(self, name):
        def there():
            tools = self.ask("tools/list", ident="list")["result"]["tools"]
            return name in [t["name"] for t in tools]
        wait_for(f"tool {name}", there)

    def note(self, method):
        """The next notification of this method."""
        while True:
            for message in self.notes:
                if message.get("method") == method:
                    self.notes.remove(message)
                    return message
            self.notes.append(self.receive())
