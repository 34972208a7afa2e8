"""Without a model: what needs one is not answered, in every face, and the reason is said where it belongs."""
import json

from harness import Serve, Stdio, case, equal, has, main, run, wait_for

USAGE = 2
REASON = "no model is configured: set ANTHROPIC_API_KEY"
CHOSEN = ({}, {"TREFOIL_PROVIDER": "offline"})  # for want of a model, and by name


@case
def run_prints_the_reason_to_stderr_and_exits_with_2(root):
    for env in CHOSEN:
        for words in (["what is this?"], ["/frobnicate"], ["--no-save", "hello"]):
            done = run("run", *words, root=root, **env)
            equal((done.returncode, done.stdout), (USAGE, b""))
            has(done.stderr.decode(), REASON)
        has(run("run", "/frobnicate", root=root, **env).stderr, b"/frobnicate is not a command")
        equal(run("run", "/echo hello", root=root, **env).stdout, b"hello\n")
        equal(run("run", "/help", root=root, **env).returncode, 0)


@case
def a_provider_that_the_configuration_names_does_the_same(root):
    (root / "trefoil.toml").write_text('[models]\nprovider = "offline"\n')
    done = run("run", "hello", root=root)
    equal((done.returncode, done.stdout), (USAGE, b""))
    has(done.stderr.decode(), REASON)


@case
def json_says_why_it_stopped(root):
    done = run("run", "--json", "hello", root=root)
    equal(done.returncode, USAGE)
    last = json.loads(done.stdout.splitlines()[-1])
    equal((last["type"], last["stop"]), ("end", "no_model"))
    has(last["text"], REASON)
    equal([e for e in map(json.loads, done.stdout.splitlines()) if e["type"] == "text"], [])


@case
def a_daemon_that_works_for_run_says_the_same(root):
    with Serve(root=root, XDG_RUNTIME_DIR=str(root)):
        done = run("run", "hello", root=root, XDG_RUNTIME_DIR=str(root))
        equal((done.returncode, done.stdout), (USAGE, b""))
        has(done.stderr.decode(), REASON)


@case
def a_task_fails_with_the_reason(root):
    with Serve(root=root) as s:
        made = s.request("POST", "/api/tasks", b'{"task":"think about it"}',
                         content_type="application/json").json()
        task = wait_for("its end", lambda: (lambda t: "ended" in t and t)(
            s.request("GET", f"/api/tasks/{made['id']}").json()))
        equal((task["state"], task["result"]["stop"], task["result"]["response"]), ("failed", "no_model", ""))
        has(task["text"], REASON)
    done = run("agents", "dispatch", "default", "think about it", root=root)
    equal(done.returncode, USAGE)
    has((done.stdout + done.stderr).decode(), REASON)


@case
def the_tool_of_an_agent_is_an_error_with_the_reason(root):
    with Stdio(root=root, scope="agents") as t:
        t.initialize()
        t.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "trefoil_agent_default", "arguments": {"message": "think about it"}}})
        answer = t.receive()
        while answer.get("id") != 1:
            answer = t.receive()
        result = answer["result"]
        equal(result["isError"], True)
        has(result["content"][-1]["text"], REASON)
        equal(result["structuredContent"]["stop"], "no_model")


@case
def chat_shows_the_reason_and_continues(root):
    done = run("chat", root=root, stdin=b"think about it\n/echo hello\n")
    equal(done.returncode, 0)
    has(done.stdout, b"hello")
    has(done.stderr.decode(), REASON)
    done = run("chat", root=root, stdin=b"think about it\n")
    equal(done.returncode, USAGE)


main()
