"""One session used by several at once: prompts wait in order, and only its owner continues it."""
import json
import os
import signal
import subprocess

from harness import (DEADLINE, TREFOIL, Serve, case, catches, environment, equal, has, main, run,
                     wait_for)
from mcp_http import BOTH, begin
from task_client import OFFLINE, Local, Remote

AGENT = "trefoil_agent_default"
KEYS = '[[serve.keys]]\nname = "ann"\nkey = "key-of-ann"\n' \
       '[[serve.keys]]\nname = "bob"\nkey = "key-of-bob"\n'
ENDLESS = "/sleep 600"


def new_session(client):
    return client.use_agent("/echo begin")["structuredContent"]["session_id"]


def prompts(root, session):
    """What was asked in it, in order."""
    shown = run("sessions", "export", session, "--json", root=root)
    equal(shown.returncode, 0)
    records = [json.loads(line) for line in shown.stdout.splitlines()]
    return [b["text"] for r in records if r["kind"] == "prompt" for b in r["body"]["blocks"]]


class Agents:
    """Calls of the default agent."""

    def use_agent(self, message, **more):
        return self.result(AGENT, {"message": message, **more})

    def six(self, session):
        return self.results([(AGENT, {"message": f"/echo {n}", "session_id": session})
                             for n in range(6)])


class LocalAgents(Agents, Local):
    def begin(self, ident, message, session):
        self.send({"jsonrpc": "2.0", "id": ident, "method": "tools/call",
                   "params": {"name": AGENT, "arguments": {"message": message,
                                                           "session_id": session}}})

    def cancel(self, ident):
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                   "params": {"requestId": ident}})

    def answer(self, ident):
        while (message := self.receive()).get("id") != ident:
            equal("id" in message, False)
        return message["result"]


class RemoteAgents(Agents, Remote):
    pass


def check_six(answers, session):
    for n, answer in enumerate(answers):
        equal(answer.get("isError", False), False)
        equal(answer["structuredContent"]["answer"], f"{n}")
        equal(answer["structuredContent"]["session_id"], session)


# ---- one process ---------------------------------------------------------------------------------

@case
def six_prompts_at_once_over_stdio_run_in_order(root):
    with LocalAgents(root=root) as client:
        session = new_session(client)
        check_six(client.six(session), session)
    equal(prompts(root, session), ["/echo begin"] + [f"/echo {n}" for n in range(6)])


@case
def six_prompts_at_once_over_http_are_all_answered(root):
    with RemoteAgents(root=root) as client:
        session = new_session(client)
        check_six(client.six(session), session)
        tasks = client.dispatch_all([f"/echo {n}" for n in range(6)], session_id=session)
        for n, task in enumerate(tasks):
            end = client.end(task)
            equal((end["status"], end["result"]["response"]), ("completed", f"{n}"))
    equal(len(prompts(root, session)), 1 + 6 + 2 * 6)  # tasks have a preface


@case
def a_waiting_prompt_can_be_cancelled_and_the_queue_is_limited(root):
    (root / "trefoil.toml").write_text("[limits]\nsession_queue = 2\n")
    with LocalAgents(root=root) as client:
        session = new_session(client)
        for ident, message in ((10, ENDLESS), (11, "/echo canceled"), (12, "/echo second"),
                               (13, "/echo too many")):
            client.begin(ident, message, session)
        refused = client.answer(13)
        equal(refused["isError"], True)
        has(refused["content"][0]["text"], "2 prompts are waiting (limits.session_queue)")
        equal("structuredContent" in refused, False)
        client.cancel(11)
        client.begin(14, "/echo third", session)  # the place of the cancelled one is free
        client.cancel(10)
        equal(client.answer(12)["structuredContent"]["answer"], "second")
        equal(client.answer(14)["structuredContent"]["answer"], "third")
    asked = [p for p in prompts(root, session) if p != ENDLESS]  # it may be cancelled before it began
    equal(asked, ["/echo begin", "/echo second", "/echo third"])


@case
def waiting_does_not_count_against_the_deadline(root):
    (root / "trefoil.toml").write_text("[limits]\nagent_call_ms = 1500\n")
    with LocalAgents(root=root) as client:
        session = new_session(client)
        for ident in (10, 11, 12):
            client.begin(ident, "/sleep 600ms", session)
        for ident in (10, 11, 12):
            equal(client.answer(ident).get("isError", False), False)


@case
def a_session_that_calls_itself_is_refused_instead_of_waiting_for_ever(root):
    with LocalAgents(root=root) as client:
        session = new_session(client)
        call = {"message": "/echo inner", "session_id": session}
        answer = client.use_agent(f"/call agent_send {json.dumps(call)}", session_id=session)
        has(json.dumps(answer), "waits for the result of this call")


@case
def a_failed_prompt_does_not_return_an_earlier_answer(root):
    with LocalAgents(root=root) as client:
        session = new_session(client)
        answer = client.use_agent("/fail no reason", session_id=session)
        equal(answer["isError"], True)
        equal("begin" in json.dumps(answer), False)


# ---- owners --------------------------------------------------------------------------------------

class KeyHolder(Agents):
    """A client with a key of its own, in a session of MCP."""

    def __init__(self, server, key):
        self.server, self.key = server, {"authorization": f"Bearer {key}"}
        self.session = begin(server, **self.key)

    def result(self, name, arguments):
        return self.server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                 "params": {"name": name, "arguments": arguments}},
                                accept=BOTH, mcp_session_id=self.session, **self.key).json()["result"]


@case
def nobody_continues_the_session_of_another_key(root):
    (root / "own.toml").write_text(KEYS)
    with Serve("--config", str(root / "own.toml"), root=root, **OFFLINE) as server:
        ann, bob = KeyHolder(server, "key-of-ann"), KeyHolder(server, "key-of-bob")
        session = new_session(ann)
        for name, arguments in ((AGENT, {"message": "/echo x"}),
                                ("agent_send", {"message": "/echo x"}),
                                ("dispatch_agent", {"agent": "default", "task": "/echo x"})):
            answer = bob.result(name, {**arguments, "session_id": session})
            equal(answer["isError"], True)
            has(answer["content"][0]["text"], f"there is no session {session}")
        again = ann.use_agent("/echo again", session_id=session)
        equal(again["structuredContent"]["answer"], "again")
    equal(prompts(root, session), ["/echo begin", "/echo again"])  # the operator reads it
    equal(json.loads(run("sessions", "--json", root=root).stdout)[0]["owner"], "key:ann")
    done = run("run", "--session", session, "/echo x", root=root, **OFFLINE)
    has(done.stderr.decode(), "belongs to key:ann; only its owner can continue it")
    equal(done.returncode, 2)
    done = run("run", "-c", "/echo x", root=root, **OFFLINE)
    has(done.stderr.decode(), "there is no session to resume")
    equal(run("sessions", "delete", session, root=root).returncode, 0)


# ---- several processes ---------------------------------------------------------------------------

def in_use(root):
    return [s for s in json.loads(run("sessions", "--json", root=root).stdout) if s["in_use"]]


@case
def another_process_is_told_who_has_the_session(root):
    with LocalAgents(root=root) as client:
        session = new_session(client)
        client.begin(10, ENDLESS, session)
        wait_for("the session to be at work", lambda: in_use(root))
        done = run("run", "--session", session, "/echo x", root=root, **OFFLINE)
        has(done.stderr.decode(), f"in use by process {client.pid}")
        equal(done.returncode, 1)
        client.begin(11, "/echo still ours", session)
        client.cancel(10)
        equal(client.answer(11)["structuredContent"]["answer"], "still ours")
    asked = [p for p in prompts(root, session) if p != ENDLESS]
    equal(asked, ["/echo begin", "/echo still ours"])


@case
def runs_that_attach_to_the_daemon_wait_for_their_session(root):
    runtime = root / "run"
    runtime.mkdir(mode=0o700)
    env = {"XDG_RUNTIME_DIR": str(runtime), **OFFLINE}
    (root / "trefoil.toml").write_text("[limits]\nattach_ms = 30000\n")

    def start(prompt):
        return subprocess.Popen([TREFOIL, "run", "--session", session, prompt, "--root", str(root)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=environment(**env))

    with Serve(root=root, **env) as server:
        run("run", "/echo begin", root=root, **env)
        session = json.loads(run("sessions", "--json", root=root).stdout)[0]["id"]
        first = start(ENDLESS)
        wait_for("the session to be at work", lambda: in_use(root))
        waiting = start("/echo canceled")
        log = root / ".trefoil/logs" / f"{session}.log"
        wait_for("the first prompt", lambda: ENDLESS in log.read_text())
        third = start("/echo third")
        wait_for("its handler", lambda: catches(waiting.pid, signal.SIGINT))
        waiting.send_signal(signal.SIGINT)
        waiting.communicate(timeout=DEADLINE)
        equal(waiting.returncode, 130)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=DEADLINE)
        equal(third.communicate(timeout=DEADLINE)[0], b"third\n")
        equal(os.path.exists(f"/proc/{server.pid}"), True)


main()
