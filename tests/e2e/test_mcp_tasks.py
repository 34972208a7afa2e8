"""Calls that become tasks (io.modelcontextprotocol/tasks), over stdio and HTTP, with real programs."""
import json
import pathlib
import signal
import tempfile

from harness import (AUTO, TREFOIL, Serve, Stdio, alive, case, environment, equal, has, main,
                     request, run, wait_for)
from mcp_http import BOTH
from upstream import command

META = "io.modelcontextprotocol/"
TASKS = META + "tasks"
ABLE = {"elicitation": {}, "extensions": {TASKS: {}}}
ASKS = 'permission = { execute = "ask" }\n'
OFFLINE = {"TREFOIL_PROVIDER": "offline"}
LACKS, UNKNOWN, NO_METHOD = -32021, -32602, -32601


def read_write(more=""):
    """A configuration of the user's own that lets clients run things."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="trefoil-own-")) / "own.toml"
    path.write_text('[mcp]\nmode = "read-write"\n' + more + AUTO)
    return "--config", str(path)


def framed(method, params, able):
    meta = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": able}
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"_meta": meta, **params}}


class Client:
    """A client of 2026-07-28 that declares what it is able to with each request."""
    able = ABLE

    def result(self, method, **params):
        answer = self.ask(method, params)
        if "result" not in answer:
            raise AssertionError(answer)
        return answer["result"]

    def error(self, method, **params):
        return self.ask(method, params)["error"]

    def shell(self, command, **more):
        return self.result("tools/call", name="shell_exec",
                           arguments={"command": command, "shell": True, **more})

    def begin(self, command, **more):
        """The id of the task that runs it."""
        task = self.shell(command, **more)
        equal(task["resultType"], "task")
        equal(task["status"], "working")
        equal(sorted(task), ["_meta", "createdAt", "lastUpdatedAt", "pollIntervalMs", "resultType",
                             "status", "taskId", "ttlMs"])
        return task["taskId"]

    def tell(self, message, name="trefoil_agent_default", **more):
        """The id of the task that an agent works on."""
        task = self.result("tools/call", name=name, arguments={"message": message, **more})
        equal(task["resultType"], "task")
        return task["taskId"]

    def get(self, ident):
        task = self.result("tasks/get", taskId=ident)
        equal((task["resultType"], task["taskId"]), ("complete", ident))
        return task

    def until(self, ident, *statuses):
        """The task, once it is in one of these."""
        found = {}

        def there():
            found.update(task=self.get(ident))
            return found["task"]["status"] in statuses
        wait_for(f"{ident} to be {statuses}", there)
        return found["task"]

    def end(self, ident):
        return self.until(ident, "completed", "failed", "cancelled")


class Local(Stdio, Client):
    def __init__(self, *args, root, scope="all", **env):
        super().__init__(*args, root=root, scope=scope, **OFFLINE, **env)

    def ask(self, method, params):
        self.send(framed(method, params, self.able))
        return self.receive()


class Remote(Serve, Client):
    def __init__(self, *args, root, key=None, **env):
        super().__init__(*args, root=root, **OFFLINE, **env)
        self.key = key

    def headers(self, method, params):
        name = params.get("taskId") or params.get("name")
        key = {"authorization": f"Bearer {self.key}"} if self.key else {}
        return {"accept": BOTH, "mcp_protocol_version": "2026-07-28", "mcp_method": method,
                "mcp_name": name, **key}

    def ask(self, method, params):
        return self.post(framed(method, params, self.able), **self.headers(method, params)).json()


class Listen:
    """What is told on the stream of a subscriptions/listen."""

    def __init__(self, t, able=ABLE, **wishes):
        params = {"notifications": wishes}
        self.socket = t.connect()
        body = json.dumps(framed("subscriptions/listen", params, able)).encode()
        self.socket.sendall(request("POST", "/mcp", body, content_type="application/json",
                                    **t.headers("subscriptions/listen", params)))
        self.file = self.socket.makefile("rb")
        while self.file.readline().strip():
            pass

    def next(self):
        while True:
            line = self.file.readline()
            if line.startswith(b"data: "):
                return json.loads(line[len(b"data: "):])

    def close(self):
        self.file.close()
        self.socket.close()


def near(root):
    """A Unix socket, by which the client is proved to be the user."""
    return {"listen": f"unix:{root}/socket"}


def both(root, *args):
    """One of each, in roots of their own."""
    for kind in (Local, Remote):
        own = root / kind.__name__
        own.mkdir()
        with kind(*read_write(*args), root=own, **(near(own) if kind is Remote else {})) as t:
            yield t, own


def text_of(task):
    return task["result"]["content"][0]["text"]


@case
def a_long_call_becomes_a_task_that_can_be_polled(root):
    for t, own in both(root):
        caps = t.result("server/discover")["capabilities"]
        equal(caps["extensions"], {TASKS: {}})
        equal("tasks" in caps, False)
        ident = t.begin("until [ -e go ]; do sleep 0.05; done; echo gone")
        equal(t.get(ident)["status"], "working")
        (own / "go").touch()
        task = t.end(ident)
        equal(task["status"], "completed")
        has(text_of(task), "gone\n[the program exited with code 0]")
        equal(task["result"]["structuredContent"]["exitCode"], 0)
        equal(task["result"]["resultType"], "complete")
        equal(t.get(ident)["result"], task["result"])
        equal(task["ttlMs"] >= 3600000 and task["pollIntervalMs"] > 0, True)


@case
def it_is_a_task_like_any_other(root):
    with Remote(*read_write(), root=root) as t:
        ident = t.begin("echo seen")
        t.end(ident)
        listed = json.loads(run("tasks", "list", "--json", root=root).stdout.splitlines()[0])
        has(json.dumps(listed), ident)
        shown = json.loads(run("tasks", "show", ident, "--json", root=root).stdout)
        equal((shown["agent"], shown["state"], shown["owner"]), ("shell_exec", "completed", "loopback"))
        has(shown["task"], 'shell_exec {"command"')
        has(shown["result"]["response"], "seen")
        events = run("tasks", "watch", ident, "--json", root=root).stdout.decode()
        has(events, '"status":"running"')
        has(events, '"status":"done"')
        equal(t.request("GET", f"/api/tasks/{ident}").json()["state"], "completed")


@case
def a_client_that_does_not_know_tasks_waits_for_the_result(root):
    for t, _ in both(root):
        t.able = {"elicitation": {}}
        answer = t.shell("echo here")
        equal(answer["resultType"], "complete")
        has(answer["content"][0]["text"], "here")
        for method, more in (("tasks/get", {}), ("tasks/cancel", {}),
                             ("tasks/update", {"inputResponses": {}})):
            error = t.error(method, taskId="x", **more)
            equal(error["code"], LACKS)
            equal(error["data"], {"requiredCapabilities": {"extensions": {TASKS: {}}}})


@case
def quick_tools_are_answered_at_once(root):
    for t, _ in both(root):
        equal(t.result("tools/call", name="system_time", arguments={})["resultType"], "complete")


@case
def what_is_unknown_is_said_so(root):
    for t, _ in both(root):
        for method, more in (("tasks/get", {}), ("tasks/cancel", {}),
                             ("tasks/update", {"inputResponses": {}})):
            equal(t.error(method, taskId="01900000-0000-7000-8000-000000000000", **more)["code"],
                  UNKNOWN)
        equal(t.error("tasks/get")["code"], UNKNOWN)
        equal(t.error("tasks/update", taskId="x")["code"], UNKNOWN)
        equal(t.error("tasks/list")["code"], NO_METHOD)
        equal(t.error("tasks/result", taskId="x")["code"], NO_METHOD)


@case
def permission_is_asked_by_the_task_and_given_by_an_update(root):
    for t, own in both(root, ASKS):
        ident = t.begin("touch made; echo done")
        task = t.until(ident, "input_required")
        (key, asked), = task["inputRequests"].items()
        equal(asked["method"], "elicitation/create")
        has(asked["params"]["message"], "Allow mcp to run shell_exec?")
        has(task["statusMessage"], "Allow mcp to run shell_exec?")
        equal((own / "made").exists(), False)
        wrong = t.error("tasks/update", taskId=ident, inputResponses={key: {"action": "perhaps"}})
        equal(wrong["code"], UNKNOWN)
        has(wrong["message"], f"params.inputResponses.{key}")
        ack = t.result("tasks/update", taskId=ident,
                       inputResponses={key: {"action": "accept", "content": {}}, "other": {}})
        equal(sorted(ack), ["_meta", "resultType"])
        task = t.end(ident)
        equal(task["status"], "completed")
        equal((own / "made").exists(), True)
        t.result("tasks/update", taskId=ident, inputResponses={key: {"action": "decline"}})


@case
def what_is_not_permitted_is_a_result_that_says_so(root):
    for t, own in both(root, ASKS):
        ident = t.begin("touch made")
        key, = t.until(ident, "input_required")["inputRequests"]
        t.result("tasks/update", taskId=ident, inputResponses={key: {"action": "decline"}})
        task = t.end(ident)
        equal((task["status"], task["result"]["isError"]), ("completed", True))
        has(text_of(task), "not approved")
        equal((own / "made").exists(), False)


@case
def who_cannot_be_asked_is_not(root):
    for t, _ in both(root, ASKS):
        t.able = {"extensions": {TASKS: {}}}
        task = t.end(t.begin("true"))
        equal((task["status"], task["result"]["isError"]), ("completed", True))
        has(text_of(task), "no one is available")


@case
def cancelling_leaves_no_process(root):
    for t, own in both(root):
        ident = t.begin("echo $$ > pid; sleep 1000 & echo $! > child; wait")
        wait_for("the program", lambda: (own / "child").exists() and (own / "child").read_text())
        pids = [int((own / name).read_text()) for name in ("pid", "child")]
        ack = t.result("tasks/cancel", taskId=ident)
        equal(sorted(ack), ["_meta", "resultType"])
        task = t.end(ident)
        equal(task["status"], "cancelled")
        equal("result" in task or "error" in task, False)
        for pid in pids:
            wait_for("its end", lambda: not alive(pid))
        equal(sorted(t.result("tasks/cancel", taskId=ident)), ["_meta", "resultType"])


@case
def a_task_is_cancelled_from_elsewhere(root):
    with Remote(*read_write(), root=root) as t:
        ident = t.begin("echo $$ > pid; sleep 1000")
        wait_for("the program", lambda: (root / "pid").exists() and (root / "pid").read_text())
        equal(run("tasks", "cancel", ident, root=root).returncode, 0)
        equal(t.get(ident)["status"], "cancelled")
        wait_for("its end", lambda: not alive(int((root / "pid").read_text())))


@case
def a_call_that_is_taken_back_before_its_id_is_known_runs_no_further(root):
    with Local(*read_write(), root=root) as t:
        t.end(t.begin("true"))
        call = framed("tools/call", {"name": "shell_exec", "arguments": {"argv": ["sleep", "1000"]}},
                      ABLE)
        back = framed("notifications/cancelled", {"requestId": 7}, ABLE)
        del back["id"]
        t.send(b"".join(json.dumps(m).encode() + b"\n" for m in (call, back)))
        t.result("server/discover")

        def states():
            return {x["state"] for x in json.loads(run("tasks", "list", "--json", root=root).stdout)}
        wait_for("its end", lambda: states() == {"completed", "canceled"})


@case
def a_question_can_be_cancelled_too(root):
    for t, _ in both(root, ASKS):
        ident = t.begin("true")
        t.until(ident, "input_required")
        t.result("tasks/cancel", taskId=ident)
        equal(t.end(ident)["status"], "cancelled")


@case
def a_call_whose_process_was_killed_has_failed_and_is_not_run_again(root):
    own = read_write()
    with Remote(*own, root=root) as t:
        ident = t.begin("echo x >> runs; echo $$ > pid; sleep 1000")
        wait_for("the program", lambda: (root / "pid").exists() and (root / "pid").read_text())
        pid = int((root / "pid").read_text())
        t.process.send_signal(signal.SIGKILL)
        t.expect = -signal.SIGKILL
        t.process.wait(60)
    wait_for("the end of what it ran", lambda: not alive(pid))
    with Remote(*own, root=root) as t:
        task = t.end(ident)
        equal(task["status"], "failed")
        equal(task["error"]["code"], -32603)
        has(task["error"]["message"], "shell_exec did not finish")
        has(task["error"]["message"], "not run again")
        equal("result" in task, False)
        equal((root / "runs").read_text(), "x\n")


@case
def a_call_that_is_under_way_when_the_program_leaves_has_failed(root):
    own = read_write()
    with Local(*own, root=root) as t:
        ident = t.begin("echo $$ > pid; sleep 1000")
        wait_for("the program", lambda: (root / "pid").exists() and (root / "pid").read_text())
        pid = int((root / "pid").read_text())
    wait_for("its end", lambda: not alive(pid))
    shown = json.loads(run("tasks", "show", ident, "--json", root=root).stdout)
    equal(shown["state"], "failed")
    has(shown["text"], "trefoil was stopped during the call")


@case
def a_task_of_one_process_is_known_to_the_next(root):
    own = read_write()
    with Local(*own, root=root) as t:
        ident = t.begin("echo kept")
        want = t.end(ident)["result"]
    with Local(*own, root=root) as t:
        equal(t.get(ident)["result"], want)


@case
def tasks_belong_to_who_authenticated(root):
    own = read_write()
    with Remote(*own, root=root) as t:
        mine = t.begin("true")
        t.end(mine)
    keyed = read_write('[serve]\napi_key = "k3y-k3y-k3y-k3y-k3y"\n')
    with Remote(*keyed, root=root, key="k3y-k3y-k3y-k3y-k3y") as t:
        equal(t.error("tasks/get", taskId=mine)["code"], UNKNOWN)
        equal(t.error("tasks/cancel", taskId=mine)["code"], UNKNOWN)
        equal(t.error("tasks/update", taskId=mine, inputResponses={})["code"], UNKNOWN)
        ident = t.begin("true")
        equal(t.end(ident)["status"], "completed")


# ---- agents --------------------------------------------------------------------------------------

@case
def an_agent_that_is_a_tool_works_as_a_task(root):
    for t, _ in both(root):
        for name in ("trefoil_agent_default", "agent_send"):
            ident = t.tell("/echo hello", name)
            task = t.end(ident)
            equal(task["status"], "completed")
            equal(text_of(task), "hello")
            said = task["result"]["structuredContent"]
            equal((said["answer"], said["stop"]), ("hello", "end"))
            again = t.end(t.tell("/echo again", name, session_id=said["session_id"]))
            equal(again["result"]["structuredContent"]["session_id"], said["session_id"])
        failed = t.end(t.tell("/fail on purpose"))
        equal((failed["status"], failed["result"]["isError"]), ("completed", True))
        has(failed["result"]["content"][-1]["text"], "on purpose")
        wrong = t.result("tools/call", name="agent_send", arguments={"message": " "})
        equal((wrong["resultType"], wrong["isError"]), ("complete", True))


@case
def what_an_agent_asks_is_answered_by_an_update(root):
    for t, _ in both(root):
        ident = t.tell("/ask Which color?")
        (key, asked), = t.until(ident, "input_required")["inputRequests"].items()
        equal((asked["method"], asked["params"]["message"]),
              ("elicitation/create", "Which color?"))
        field, = asked["params"]["requestedSchema"]["properties"]
        t.result("tasks/update", taskId=ident,
                 inputResponses={key: {"action": "accept", "content": {field: "blue"}}})
        has(text_of(t.end(ident)), "blue")


@case
def the_work_of_an_agent_survives_a_kill(root):
    with Remote(*read_write(), root=root) as t:
        ident = t.tell("/sleep 3000")
        t.process.send_signal(signal.SIGKILL)
        t.expect = -signal.SIGKILL
        t.process.wait(60)
    with Local(*read_write(), root=root) as t:
        equal(t.get(ident)["status"], "working")
        t.result("tasks/cancel", taskId=ident)
        equal(t.end(ident)["status"], "cancelled")


@case
def an_agent_for_a_client_that_cannot_be_asked_is_a_call(root):
    for t, own in both(root):
        t.able = {"extensions": {TASKS: {}}}
        ident = t.tell("/echo hello")
        task = t.end(ident)
        equal(text_of(task), "hello")
        equal(task["result"]["structuredContent"]["answer"], "hello")
        shown = json.loads(run("tasks", "show", ident, "--json", root=own).stdout)
        equal(shown["agent"], "trefoil_agent_default")


# ---- the daemon ----------------------------------------------------------------------------------

@case
def what_a_guest_of_the_daemon_began_goes_on_without_it(folder):
    root, runtime = folder / "root", folder / "run"
    root.mkdir()
    runtime.mkdir(mode=0o700)
    own = read_write("[limits]\nattach_ms = 30000\n")
    place = {"root": root, "XDG_RUNTIME_DIR": str(runtime)}
    with Remote(*own, listen=f"unix:{folder}/http", **place) as daemon:
        with Local(*own, scope="tools", **place) as t:
            ident = t.begin("until [ -e go ]; do sleep 0.05; done; echo gone")
        equal(daemon.get(ident)["status"], "working")
        (root / "go").touch()
        with Local(*own, **place) as t:
            has(text_of(t.end(ident)), "gone")


@case
def a_trefoil_behind_another_makes_a_task_of_what_it_is_asked(folder):
    inner, outer = folder / "inner", folder / "outer"
    inner.mkdir()
    outer.mkdir()
    behind = command("behind", TREFOIL, "mcp", "--scope", "tools", "--root", str(inner),
                     *read_write(), allowed_tools='["shell_exec"]', sandbox='"off"',
                     env=f'{{ XDG_STATE_HOME = "{environment()["XDG_STATE_HOME"]}" }}')
    with Remote(*read_write(behind), root=outer) as t:
        t.able = {}
        tools = t.result("tools/list")["tools"]
        name = next(x["name"] for x in tools if x["name"].endswith("behind_shell_exec"))
        answer = t.result("tools/call", name=name, arguments={"argv": ["echo", "from behind"]})
        equal(answer["resultType"], "complete")
        has(answer["content"][0]["text"], "from behind")
        listed = json.loads(run("tasks", "list", "--json", root=inner).stdout)
        equal([x["agent"] for x in listed], ["shell_exec"])
        equal(json.loads(run("tasks", "list", "--json", root=outer).stdout), [])


# ---- listening -----------------------------------------------------------------------------------

@case
def who_listens_is_told_of_every_change(root):
    with Remote(*read_write(ASKS), root=root, **near(root)) as t:
        ident = t.begin("echo told")
        key, = t.until(ident, "input_required")["inputRequests"]
        stream = Listen(t, taskIds=[ident, "no-such-task"])
        first = stream.next()
        equal(first["method"], "notifications/subscriptions/acknowledged")
        equal(first["params"]["notifications"], {"taskIds": [ident]})
        now = stream.next()
        equal(now["method"], "notifications/tasks")
        equal(now["params"]["_meta"], {META + "subscriptionId": 7})
        equal((now["params"]["status"], list(now["params"]["inputRequests"])),
              ("input_required", [key]))
        t.result("tasks/update", taskId=ident,
                 inputResponses={key: {"action": "accept", "content": {}}})
        told = [now["params"]]
        while told[-1]["status"] != "completed":
            told.append(stream.next()["params"])
        has([task["status"] for task in told], "working")
        has(told[-1]["result"]["content"][0]["text"], "told")
        equal({task["taskId"] for task in told}, {ident})
        stream.close()
        late = Listen(t, taskIds=[ident])
        equal(late.next()["params"]["notifications"], {"taskIds": [ident]})
        equal(late.next()["params"]["status"], "completed")
        late.close()
        unable = Listen(t, able={}, taskIds=[ident])
        equal(unable.next()["params"]["notifications"], {})
        unable.close()


@case
def over_stdio_changes_are_told_between_answers(root):
    with Local(*read_write(), root=root) as t:
        ident = t.begin("until [ -e go ]; do sleep 0.05; done")
        t.send(framed("subscriptions/listen", {"notifications": {"taskIds": [ident]}}, ABLE))
        equal(t.receive()["params"]["notifications"], {"taskIds": [ident]})
        equal(t.receive()["params"]["status"], "working")
        (root / "go").touch()
        told = t.receive()
        equal((told["method"], told["params"]["_meta"]),
              ("notifications/tasks", {META + "subscriptionId": 7}))
        while told["params"]["status"] == "working":
            told = t.receive()
        equal((told["params"]["status"], told["params"]["result"]["structuredContent"]["exitCode"]),
              ("completed", 0))
        t.process.stdin.close()
        equal(t.receive()["result"]["resultType"], "complete")


@case
def who_listens_when_the_program_leaves_is_told_so(root):
    with Remote(*read_write(ASKS), root=root) as t:
        ident = t.begin("true")
        t.until(ident, "input_required")
        stream = Listen(t, taskIds=[ident])
        equal(stream.next()["params"]["notifications"], {"taskIds": [ident]})
        equal(stream.next()["params"]["status"], "input_required")
        t.leave()
        told = stream.next()
        while "method" in told:
            told = stream.next()
        equal((told["id"], told["result"]["resultType"]), (7, "complete"))
        stream.close()


@case
def the_header_must_name_the_task(root):
    with Remote(*read_write(), root=root) as t:
        ident = t.begin("true")
        headers = t.headers("tasks/get", {"taskId": ident})
        body = framed("tasks/get", {"taskId": ident}, ABLE)
        for name in ("another", None):
            answer = t.post(body, **{**headers, "mcp_name": name})
            equal((answer.status, answer.json()["error"]["code"]), (400, -32020))


@case
def older_clients_see_nothing_of_it(root):
    with Stdio(*read_write(), root=root, **OFFLINE) as t:
        equal("extensions" in t.initialize()["capabilities"], False)
        equal(t.call("tasks/get", {"taskId": "x"})["error"]["code"], NO_METHOD)
        answer = t.call("tools/call", {"name": "shell_exec", "arguments": {"argv": ["true"]}})
        equal("taskId" in answer["result"], False)


main()
