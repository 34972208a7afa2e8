"""trefoil as a remote agent of trefoil: what an agent does arrives unchanged, and hops are counted
through a ring."""
import json
import signal
import socket
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from a2a_remote import ask, end_of, remote, text_of
from harness import Process, Serve, case, equal, has, main, run, user_config, wait_for
from task_client import Remote as Serving, agent

OFFLINE = {"TREFOIL_PROVIDER": "offline"}

PLAY = '''
[[rule]]
text = "all"
event = [
  { type = "thought", text = "hm" },
  { type = "text", text = "Hello there", pieces = 3 },
  { type = "tool", id = "t1", name = "own", kind = "read", status = "running", args = { path = "x" } },
  { type = "tool", id = "t1", status = "done", text = "what it read" },
  { type = "plan", entries = [{ content = "look", priority = "high", status = "pending" }] },
  { type = "artifact", id = "a1", name = "note", text = "one" },
]
'''


def fresh(root, name):
    folder = root / name
    folder.mkdir()
    return folder


class Far(Serve):
    """A trefoil that serves its agents over A2A."""

    def __init__(self, root, more=""):
        root.mkdir(exist_ok=True)
        user_config(root, f"[a2a]\nenabled = true\n{more}")
        super().__init__(root=root, **OFFLINE)
        self.url = f"http://127.0.0.1:{self.address[1]}"


VERSIONS = [(f'binding = "{binding}"\nprotocol_version = "{version}"')
            for binding in ("JSONRPC", "HTTP+JSON") for version in ("1.0", "0.3")]


@case
def text_files_and_ends_arrive_unchanged(root):
    with Far(root / "far") as far:
        for n, more in enumerate(VERSIONS):
            here = fresh(root, str(n))
            remote(here, far, more)
            done, told = ask(here, "/echo hello there")
            equal((more, done.returncode, text_of(told), end_of(told)),
                  (more, 0, "hello there", "end"))
            _, told = ask(here, "/artifact note some text")
            made = [e for e in told if e["type"] == "artifact"]
            equal((made[0]["name"], made[0]["parts"][0]["text"]), ("note", "some text"))
            done, told = ask(here, "/fail no disk")
            equal((done.returncode, end_of(told)), (1, "failed"))
            has(told[-1]["text"], "no disk")


@case
def states_survive_a_round_trip(root):
    with Far(root / "far") as far:
        for n, more in enumerate(VERSIONS):
            here = fresh(root, str(n))
            remote(here, far, more)
            with Serving(root=here) as client:
                for prompt, status in (("/echo hi", "completed"), ("/fail x", "failed")):
                    equal(client.end(client.dispatch(prompt, "remote"))["status"], status)
                for prompt, state in (("/ask x?", "input_required"), ("/sleep 500", "working")):
                    ident = client.dispatch(prompt, "remote")
                    client.reaches(ident, state)
                    client.use("cancel_task", task_id=ident)
                    equal(client.end(ident)["status"], "cancelled")
        states = far_tasks(root / "far")
        equal(sorted(set(states)), ["canceled", "completed", "failed"])


@case
def questions_reach_the_client_and_answers_the_agent(root):
    with Far(root / "far") as far:
        for n, more in enumerate(VERSIONS):
            here = fresh(root, str(n))
            remote(here, far, more)
            with Serving(root=here) as client:
                ident = client.dispatch("/ask which color?", "remote")
                client.reaches(ident, "input_required")
                has(json.dumps(client.status(ident)), "which color?")
                client.use("answer_task", task_id=ident, action="accept",
                           content={"answer": "red"})
                done = client.end(ident)
                equal(done["status"], "completed")
                has(json.dumps(done), "red")


@case
def cancelling_ends_the_far_task(root):
    with Far(root / "far") as far:
        for n, more in enumerate(VERSIONS):
            here = fresh(root, str(n))
            remote(here, far, more)
            with Process("run", "--json", "-a", "remote", "/sleep 500", root=here) as p:
                p.expect = 130
                wait_for("the far task", lambda: "working" in far_tasks(root / "far"))
                p.process.send_signal(signal.SIGINT)
                p.told = True
                told = [json.loads(line) for line in p.process.stdout]
            equal(told[-1]["stop"], "canceled")
            equal("working" in far_tasks(root / "far"), False)


def far_tasks(root):
    listed = run("tasks", "--json", "--all", root=root)
    return [t.get("state") or t["status"] for t in json.loads(listed.stdout or b"[]")]


@case
def the_far_trefoil_may_be_killed_and_come_back(root):
    far = Far(root / "far")
    with far:
        remote(root, far)
        port = far.address[1]
        with Serving(root=root) as client:
            ident = client.dispatch("/sleep 1", "remote")
            wait_for("the far task", lambda: "working" in far_tasks(root / "far"))
            far.process.kill()
            far.expect = -9
            far.told = True
            far.process.wait()
            with Serve(root=root / "far", listen=f"127.0.0.1:{port}", **OFFLINE):
                done = client.end(ident)
                equal(done["status"], "completed")


@case
def another_trefoil_tells_what_it_does(root):
    far = root / "far"
    far.mkdir()
    (far / "play.toml").write_text(PLAY)
    agent(far, "actor", "provider: script\nscript: play.toml\n")
    with Far(far) as server:
        for n, more in enumerate(VERSIONS):
            here = fresh(root, str(n))
            remote(here, server, more + "\ntrefoil = true", url=server.url + "/a2a/actor")
            _, told = ask(here, "all")
            kinds = [e["type"] for e in told]
            for kind in ("thought", "tool", "plan", "artifact"):
                has(kinds, kind)
            tool = [e for e in told if e["type"] == "tool"][-1]
            equal((tool["name"], tool["status"], tool["trust"]), ("own", "done", "untrusted"))
            equal(tool.get("path"), None)
            has(text_of(told), "Hello there")
            plain = fresh(root, f"plain{n}")
            remote(plain, server, more, url=server.url + "/a2a/actor")
            equal("tool" in [e["type"] for e in ask(plain, "all")[1]], False)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def link(root, port, more=""):
    """A trefoil whose agent `next` is the agent `next` of the trefoil at this port."""
    root.mkdir(exist_ok=True)
    user_config(root, '[a2a]\nenabled = true\n[mcp]\nmode = "read-write"\n'
                      '[[agents]]\nname = "next"\nprovider = "a2a"\n'
                      f'url = "http://127.0.0.1:{port}{more}"\n')


@case
def a_ring_of_three_ends_at_the_sixth_hop(root):
    ports = [free_port() for _ in range(3)]
    folders = [root / f"t{n}" for n in range(3)]
    for n, folder in enumerate(folders):
        link(folder, ports[(n + 1) % 3], "/a2a/next")
    with Serve(root=folders[0], listen=f"127.0.0.1:{ports[0]}", **OFFLINE), \
            Serve(root=folders[1], listen=f"127.0.0.1:{ports[1]}", **OFFLINE), \
            Serve(root=folders[2], listen=f"127.0.0.1:{ports[2]}", **OFFLINE):
        done = run("run", "--json", "-a", "next", "hello", "--no-attach", root=folders[0])
        told = [json.loads(line) for line in done.stdout.splitlines()]
        equal((done.returncode in (1, 5), end_of(told) in ("failed", "refused")), (True, True))
        has(told[-1]["text"], "too long")
        hops = sum(len(far_tasks(folder)) for folder in folders)
        equal(hops, 5)


class Foreign(BaseHTTPRequestHandler):
    """An agent of another program: it hands each request on, and of the headers of a trace it
    keeps only the one that every program knows."""

    def log_message(self, *args):
        pass

    def do_GET(self):
        face = {"url": "/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        self.answer(json.dumps({"name": "foreign", "supportedInterfaces": [face],
                                "capabilities": {"streaming": False}}).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kept = {name: self.headers[name] for name in ("Content-Type", "A2A-Version", "traceparent")}
        request = urllib.request.Request(self.server.target, body, kept)
        with urllib.request.urlopen(request, timeout=60) as answer:
            self.answer(answer.read())

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@case
def a_loop_through_a_foreign_agent_ends_at_the_sixth_hop(root):
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    proxy.daemon_threads = True
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    port = free_port()
    proxy.target = f"http://127.0.0.1:{port}/a2a/next"
    link(root, proxy.server_address[1])
    with Serving(root=root, listen=f"127.0.0.1:{port}") as client:
        done = client.end(client.dispatch("hello", "next"))
        equal(done["status"], "failed")
        has(json.dumps(done), "too long")
        equal(len(far_tasks(root)) in (5, 6), True)
    proxy.shutdown()


main()
