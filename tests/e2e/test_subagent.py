"""What other programs may say: `subagent serve`, a client's file that names it, models by name."""
import contextlib
import http.server
import json
import subprocess
import threading

from harness import TREFOIL, Serve, case, environment, equal, has, main, run

USAGE = 2
OFFLINE = {"TREFOIL_PROVIDER": "offline"}


@case
def subagent_serve_is_mcp_with_agents(root):
    process = subprocess.Popen([TREFOIL, "subagent", "serve", "--root", str(root)],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env=environment(**OFFLINE))
    out, _ = process.communicate(json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode() + b"\n", timeout=60)
    names = [tool["name"] for tool in json.loads(out.splitlines()[0])["result"]["tools"]]
    has(names, "dispatch_agent")
    equal("file_read" in names, False)
    equal(process.returncode, 0)
    equal(run("subagent", root=root).returncode, USAGE)


@case
def a_file_of_a_client_may_name_it(root):
    other = root / "other"
    other.mkdir()
    (root / ".mcp.json").write_text(json.dumps({"mcpServers": {"vs-subagent-mcp": {
        "command": TREFOIL, "args": ["subagent", "serve", "--root", str(other)],
        "env": OFFLINE}}}))
    answer = run("tools", "--trust", "--json", root=root, **OFFLINE)
    equal(answer.returncode, 0)
    names = [tool["name"] for tool in json.loads(answer.stdout)]
    has(names, "mcp_vs_subagent_mcp_list_agents")
    answer = run("tools", "call", "mcp_vs_subagent_mcp_list_agents", "{}", "--trust", root=root,
                 **OFFLINE)
    has(answer.stdout, b"agents://")


@case
def a_model_that_nobody_has_is_an_error(root):
    for words in (("run", "--model", "nowhere/none", "hi"),
                  ("agents", "dispatch", "default", "hi", "--model", "nowhere/none")):
        answer = run(*words, root=root, **OFFLINE)
        equal((words, answer.returncode), (words, USAGE))
        has(answer.stderr, b"there is no provider for the model nowhere/none")
        has(answer.stderr, b"anthropic, openai, gemini")
    equal(run("run", "--model", "gpt-nothing", "hi", root=root).returncode, USAGE)
    with Serve(root=root, **OFFLINE) as t:
        answer = t.request("POST", "/api/tasks",
                           json.dumps({"task": "x", "model": "nowhere/none"}).encode(),
                           content_type="application/json")
        equal(answer.status, 400)
        has(answer.body, b"there is no provider for the model")
        answer = t.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "dispatch_agent",
            "arguments": {"agent": "default", "task": "x", "model": "nowhere/none"}}}).json()
        equal(answer["result"]["isError"], True)
        has(answer["result"]["content"][0]["text"], "there is no provider for the model")


class Models(http.server.BaseHTTPRequestHandler):
    """A provider that refuses all, and remembers which model was asked for."""
    asked = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.asked.append(json.loads(body)["model"])
        self.send_response(400)
        self.end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def refusing():
    """The environment of somebody who has that provider."""
    provider = http.server.HTTPServer(("127.0.0.1", 0), Models)
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    try:
        yield {"ANTHROPIC_API_KEY": "k",
               "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{provider.server_port}"}
    finally:
        provider.shutdown()
        provider.server_close()


@case
def the_model_of_a_dispatch_is_the_one_that_is_asked(root):
    with refusing() as env:
        run("agents", "dispatch", "default", "hi", "--model", "anthropic/claude-of-my-own", root=root, **env)
        equal(set(Models.asked), {"claude-of-my-own"})


@case
def a_session_goes_on_with_its_model(root):
    def model(*words):
        out = run("run", "--json", *words, root=root, **env).stdout
        return json.loads(out.splitlines()[0])["model"]
    with refusing() as env:
        low, usual = model("--model", "low", "hi"), model("hi")
        equal(low == usual, False)
        ident = json.loads(run("sessions", "--json", root=root).stdout)[-1]["id"]
        equal(model("--session", ident, "again"), low)
        equal(model("-c", "again"), low)
        equal(model("-c", "--model", "high", "again") in (low, usual), False)


@case
def the_last_session_is_named_when_it_is_in_use(root):
    run("run", "/echo one", root=root, **OFFLINE)
    process = subprocess.Popen(
        [TREFOIL, "run", "--json", "/sleep 600", "--root", str(root)], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=environment(**OFFLINE))
    ident = json.loads(process.stdout.readline())["session"]
    try:
        answer = run("run", "-c", "/echo two", root=root, **OFFLINE)
        equal((answer.returncode, answer.stdout), (0, b"two\n"))
        has(answer.stderr, f"the last session, {ident}, is in use; resuming".encode())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


main()
