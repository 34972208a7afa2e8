"""Work that is dispatched and goes on by itself, through the tools of MCP clients: stdio and HTTP."""
import json
import signal

from harness import CLIENT_TOOLS, alive, case, equal, has, hints, main, run, wait_for
from task_client import Local, Remote, agent, allowing, read_only, read_write

READS = {"readOnlyHint": True, "openWorldHint": False}
HINTS = {
    "list_agents": READS, "get_task_status": READS, "get_locks": READS, "list_tasks": READS,
    "dispatch_agent": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False,
                       "openWorldHint": False},
    "answer_task": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False,
                    "openWorldHint": False},
    "cancel_task": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True,
                    "openWorldHint": False},
}


# ---- what is published ---------------------------------------------------------------------------

@case
def the_tools_are_published_with_their_hints(root):
    for kind in (Local, Remote):
        with kind(root=root) as t:
            tools = {tool["name"]: tool for tool in t.ask("tools/list")["tools"]}
            for name in HINTS:
                said = hints(tools[name])
                equal({k: said[k] for k in HINTS[name]}, HINTS[name])
            schema = tools["dispatch_agent"]["inputSchema"]
            equal(schema["required"], ["agent"])  # and "task" or "parts"
            equal(set(schema["properties"]), {
                "agent", "task", "parts", "model", "mode", "max_turns", "budget", "effort",
                "output_format", "wait", "session_id"})
            equal(tools["list_agents"]["inputSchema"]["properties"], {})
            equal(tools["get_locks"]["inputSchema"]["properties"], {})
            equal(tools["cancel_task"]["inputSchema"]["required"], ["task_id"])
    with Local(root=root, scope="tools") as t:
        names = [tool["name"] for tool in t.ask("tools/list")["tools"]]
        equal(set(names) & set(CLIENT_TOOLS), set())


@case
def agents_are_listed_with_tier_and_description(root):
    agent(root, "looker", "tier: high\nmode: read-only\n")
    with Local(root=root) as t:
        listed = t.use("list_agents")
        has(listed["hint"], "agents://{name}")
        looker = [a for a in listed["agents"] if a["name"] == "looker"][0]
        equal((looker["tier"], looker["description"]), ("high", "What looker does."))
        uris = [r["uri"] for r in t.ask("resources/list")["resources"]]
        has(uris, "agents://looker")


# ---- dispatching ---------------------------------------------------------------------------------

def dispatch_and_poll(t):
    started = t.use("dispatch_agent", agent="default", task="/echo see src/main.c and notes.md")
    equal(sorted(set(started) - {"mode_reason"}), ["agent", "mode", "model", "status", "taskId"])
    equal((started["status"], started["agent"]), ("working", "default"))
    done = wait_for("the end", lambda: (lambda s: s["status"] == "completed" and s)(
        t.status(started["taskId"])))
    equal((done["agent"], done["model"], done["mode"]), ("default", "offline", started["mode"]))
    equal(done["result"]["response"], "see src/main.c and notes.md")
    equal(done["result"]["summary"], "see src/main.c and notes.md")
    equal(done["result"]["artifacts"], [])  # no such files
    equal(done["result"]["duration_seconds"] >= 0, True)
    equal("lock" in done, False)


@case
def a_task_is_dispatched_polled_and_done(root):
    for kind in (Local, Remote):
        with kind(root=root) as t:
            dispatch_and_poll(t)


@case
def waiting_gives_the_result_and_tells_meanwhile(root):
    with Local(root=root) as t:
        done = t.use("dispatch_agent", agent="default", task="/echo hi", wait=60)
        equal((done["status"], done["result"]["response"]), ("completed", "hi"))
        told = [m["params"] for m in t.told if m["method"] == "notifications/progress"]
        equal({p["progressToken"] for p in told}, {"p"})
        equal(any("hi" in p["message"] or "working" in p["message"] for p in told), True)
        ident = t.dispatch("/sleep 3000")
        equal(t.status(ident, wait=0.01)["status"], "working")
        t.use("cancel_task", task_id=ident)


@case
def a_long_answer_has_a_short_summary(root):
    with Local(root=root) as t:
        result = t.end(t.dispatch("/echo " + "ä" * 900))["result"]
        equal((len(result["summary"]), len(result["response"])), (500, 900))


@case
def an_artifact_is_made(root):
    with Local(root=root) as t:
        done = t.end(t.dispatch("/artifact notes.md remember"))
        equal(done["status"], "completed")
        has(done["result"]["artifacts"], "notes.md")


@case
def a_file_may_say_what_to_do(root):
    (root / "plan.md").write_text("/echo from the file\n")
    with Local(root=root) as t:
        equal(t.end(t.dispatch("plan.md"))["result"]["response"], "from the file")
        equal(t.end(t.dispatch("/echo read plan.md"))["result"]["response"], "read plan.md")
        has(t.error("dispatch_agent", agent="default", task="../plan.md"), "task: ")
        has(t.error("dispatch_agent", agent="default", task="/etc/plan.md"), "task: ")
        has(t.error("dispatch_agent", agent="default", task="none.md"), "none.md")


@case
def the_mode_is_the_agents_unless_it_is_said(root):
    agent(root, "looker", "mode: read-only\n")
    write = '/call file_write {"path":"made.txt","content":"x"}'
    with Local(root=root) as t:
        modes = {}
        for name, more in (("default", {}), ("looker", {}), ("default", {"mode": "read-only"})):
            ident = t.dispatch(write, name, **more)
            modes[name, *more.values()] = t.end(ident)["mode"]
            equal((root / "made.txt").exists(), (name, more) == ("default", {}))
            (root / "made.txt").unlink(missing_ok=True)
        equal(modes, {("default",): "read-write", ("looker",): "read-only",
                      ("default", "read-only"): "read-only"})


@case
def the_mode_in_force_is_reported_with_its_reason(root):
    agent(root, "looker", "mode: read-only\n")
    agent(root, "planner", "approval_mode: plan\n")
    agent(root, "writer")
    reasons = {"looker": "its file", "planner": "its file", "writer": None, "default": None}
    far = {name: '[mcp] mode = "read-write" in the user\'s config.toml' for name in reasons}

    def check(shown, reason):
        equal(shown["mode"], "read-only" if reason else "read-write")
        if reason:
            has(shown["mode_reason"], reason)
        else:
            equal("mode_reason" in shown, False)

    for t, want in ((Local(root=root), reasons), (Remote(root=root), far)):
        with t:
            for name in ("list_agents", "agent_list"):
                agents = {a["name"]: a for a in t.use(name)["agents"]}
                equal(sorted(agents), sorted(want))
                for name, reason in want.items():
                    check(agents[name], reason)
            for name, reason in want.items():
                for more in ({}, {"wait": 60}):
                    shown = t.use("dispatch_agent", agent=name, task="/echo x", mode="read-write", **more)
                    check(shown, reason)
                check(t.end(shown["taskId"]), reason)
                shown = t.use("dispatch_agent", agent=name, task="/echo x", mode="read-only", wait=60)
                equal(shown["mode"], "read-only")  # as asked: there is nothing to explain
                called = t.result(f"trefoil_agent_{name}", {"message": "/echo x"})["structuredContent"]
                check(called, reason)
                check(t.result("agent_send", {"agent": name, "message": "/echo x"})["structuredContent"], reason)
    with Remote(root=root) as t:
        for name, reason in far.items():
            made = t.request("POST", "/api/tasks", json.dumps(
                {"task": "/echo x", "agent": name, "mode": "read-write"}).encode(), content_type="application/json").json()
            check(made, reason)
            check(t.request("GET", f"/api/tasks/{made['id']}").json(), reason)
            shown = json.loads(run("tasks", "show", made["id"], "--json", root=root).stdout)
            check(shown, reason)


@case
def a_task_is_never_above_whoever_dispatched_it(root):
    write = '/call file_write {"path":"made.txt","content":"x"}'
    with Local(*read_only(), root=root) as t:
        started = t.use("dispatch_agent", agent="default", task=write, mode="read-write")
        equal(started["mode"], "read-only")
        has(started["mode_reason"], '[mcp] mode = "read-write"')
        t.end(started["taskId"])
        nested = "/call agent_dispatch " + json.dumps({"message": write, "wait": 60})
        t.end(t.dispatch(nested))
        equal((root / "made.txt").exists(), False)
    limits = read_write('[mcp.permission]\nedit = "deny"\n')
    with Local(*limits, root=root) as t:
        t.end(t.dispatch(write))
        equal((root / "made.txt").exists(), False)


@case
def agents_dispatch_agents(root):
    inner = json.dumps({"message": "/echo inner words", "wait": 60})
    with Local(root=root) as t:
        has(t.end(t.dispatch("/call agent_dispatch " + inner))["result"]["response"], "inner words")
        equal(t.use("list_tasks")["count"], 2)


@case
def a_session_is_gone_on_with(root):
    agent(root, "x")
    with Local(root=root) as t:
        first = t.end(t.dispatch("/echo one"))
        second = t.end(t.dispatch("/echo two", session_id=first["session_id"]))
        equal(second["session_id"], first["session_id"])
        equal(second["result"]["response"], "two")
        has(t.error("dispatch_agent", agent="x", task="hi", session_id=first["session_id"]),
            "belongs to the agent default")
        has(t.error("dispatch_agent", agent="x", task="hi", session_id="nobody"), "nobody")


def log_of(root, session):
    """The events in the log of a session, which is written a moment after its end."""
    path = root / ".trefoil" / "logs" / f"{session}.log"
    wait_for("its end", lambda: path.exists() and '"type":"end"' in path.read_text())
    equal(path.stat().st_mode & 0o777, 0o600)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    equal([line for line in lines if "time" not in line], [])
    return [line["event"] for line in lines]


@case
def what_happens_is_logged_by_session(root):
    (root / "a.txt").write_text("content of a\n")
    for kind in (Local, Remote):
        with kind(root=root) as t:
            events = log_of(root, t.end(t.dispatch("/read a.txt", mode="read-only"))["session_id"])
            asked = [e["text"] for e in events if e["type"] == "prompt"]
            has(asked[0], "this task is read-only")
            equal(asked[1:], ["/read a.txt"])
            equal([e["status"] for e in events if e["type"] == "tool"][-1], "done")
            has("".join(e["text"] for e in events if e["type"] == "text"), "content of a")
            equal(events[-1]["stop"], "end")
            called = t.result("agent_send", {"message": "/fail loudly"})["structuredContent"]
            events = log_of(root, called["session_id"])
            equal([e["text"] for e in events if e["type"] == "prompt"], ["/fail loudly"])
            equal((events[-1]["stop"], events[-1]["text"]), ("failed", "loudly"))


# ---- cancelling ----------------------------------------------------------------------------------

def child_of(root):
    """The id that a program wrote down."""
    path = root / "pid"
    return wait_for("the program", lambda: path.exists() and path.read_text().strip())


@case
def cancelling_stops_the_work_and_its_processes(root):
    line = json.dumps({"command": f"echo $$ > {root}/pid; exec sleep 3000", "shell": True})
    for kind in (Local, Remote):
        with kind(*allowing(), root=root) as t:
            ident = t.dispatch("/call shell_exec " + line)
            pid = int(child_of(root))
            equal(t.use("cancel_task", task_id=ident),
                  {"status": "cancelled", "taskId": ident, "agent": "default"})
            wait_for("its end", lambda: not alive(pid))
            equal(t.status(ident)["status"], "cancelled")
            has(t.error("cancel_task", task_id=ident), "its state is cancelled")
            (root / "pid").unlink()


@case
def what_is_over_or_unknown_cannot_be_cancelled(root):
    with Local(root=root) as t:
        ident = t.dispatch("/echo hi")
        t.end(ident)
        has(t.error("cancel_task", task_id=ident), "its state is completed")
        has(t.error("cancel_task", task_id="nobody"), "there is no task nobody")
        has(t.error("get_task_status", task_id="nobody"), "there is no task nobody")


@case
def a_finished_task_expires(root):
    with Local(*read_write("[limits]\ntask_keep_ms = 1000\ntask_look_ms = 10\n"), root=root) as t:
        ident = t.dispatch("/echo hi")
        t.end(ident)
        wait_for("its time", lambda: t.result(
            "get_task_status", {"task_id": ident}).get("isError"))


# ---- several, and their locks --------------------------------------------------------------------

@case
def five_at_once_hold_the_vault(root):
    for kind in (Local, Remote):
        with kind(*read_only(), root=root) as t:
            idents = [t.dispatch("/sleep 3000") for _ in range(5)]
            wait_for("five locks", lambda: t.use("get_locks")["count"] == 5)
            held = t.use("get_locks")["locks"]
            equal({lock["taskId"] for lock in held}, set(idents))
            for lock in held:
                equal((lock["agent"], lock["mode"]), ("default", "exclusive"))
                equal([p.rstrip("/") for p in lock["paths"]], [".vault"])
                has(lock["acquired_at"], "T")
            for ident in idents:
                lock = t.status(ident)["lock"]
                equal(sorted(lock), ["acquired_at", "mode", "paths"])
            equal(t.use("list_tasks", live=True)["count"], 5)
            for ident in idents:
                t.use("cancel_task", task_id=ident)
            equal(t.use("get_locks"), {"locks": [], "count": 0})
            equal(t.use("list_tasks", live=True)["count"], 0)


@case
def tasks_are_listed_page_by_page(root):
    with Local(root=root) as t:
        idents = [t.dispatch(f"/echo {n}") for n in range(5)]
        for ident in idents:
            t.end(ident)
        seen, more = [], {}
        while True:
            page = t.use("list_tasks", most=2, **more)
            seen += [task["taskId"] for task in page["tasks"]]
            if "next_cursor" not in page:
                break
            more = {"cursor": page["next_cursor"]}
        equal(seen, idents[::-1])
        equal(t.use("list_tasks", agent="nobody")["tasks"], [])


# ---- errors --------------------------------------------------------------------------------------

@case
def errors_say_what_is_accepted(root):
    agent(root, "looker")
    for kind in (Local, Remote):
        with kind(root=root) as t:
            before = t.use("list_tasks")["count"]
            unknown = t.error("dispatch_agent", agent="nobody", task="x")
            has(unknown, "nobody")
            has(unknown, "looker")
            for more, says in (({"mode": "wild"}, "read-write"), ({"max_turns": 0}, "max_turns"),
                               ({"max_turns": -1}, "max_turns"), ({"budget": -1}, "budget"),
                               ({"effort": "giant"}, "effort"), ({"wait": -1}, "wait")):
                has(t.error("dispatch_agent", agent="default", task="x", **more), says)
            equal(t.use("list_tasks")["count"], before)
            failed = t.end(t.dispatch("/fail on purpose"))
            equal(failed["status"], "failed")
            has(failed["error"], "on purpose")


# ---- after a crash -------------------------------------------------------------------------------

@case
def tasks_survive_a_kill(root):
    own = read_only()
    with Local(*own, root=root) as t:
        done = t.dispatch("/echo before")
        t.end(done)
        broken = t.dispatch("/sleep 1")
        long = t.dispatch("/sleep 3000")
        wait_for("them", lambda: t.use("get_locks")["count"] == 2)
        t.expect = -signal.SIGKILL
        t.process.kill()
        t.process.wait()
    with Remote(*own, root=root, listen=f"unix:{root}/http") as t:
        equal(t.status(done)["result"]["response"], "before")
        end = t.end(broken)
        equal(end["status"] in ("completed", "failed"), True)
        equal("error" in end, end["status"] == "failed")
        equal(t.status(long)["status"], "working")
        t.use("cancel_task", task_id=long)
        equal(t.status(long)["status"], "cancelled")


main()
