"""The life of a task: its states and their order, what it leaves behind, how long and how many are kept,
and what it locks meanwhile."""
import json

from harness import case, equal, has, main, run, wait_for
from task_api import dispatch, ended, get, post, serve
from task_client import Local, Remote, read_write


def kept(t, ident):
    """Is a task still known?"""
    return not t.result("get_task_status", {"task_id": ident}).get("isError")


# ---- states --------------------------------------------------------------------------------------

@case
def every_state_is_reached_and_told(root):
    for kind in (Local, Remote):
        with kind(root=root) as t:
            working = t.dispatch("/sleep 3600")
            asking = t.dispatch("/ask Which one?")
            done, failed = t.dispatch("/echo done"), t.dispatch("/fail badly")
            equal(t.status(working)["status"], "working")
            wait_for("the question", lambda i=asking: t.status(i)["status"] == "input_required")
            equal([t.end(done)["status"], t.end(failed)["status"]], ["completed", "failed"])
            for ident in (working, asking):
                t.use("cancel_task", task_id=ident)
                equal(t.status(ident)["status"], "cancelled")


@case
def a_task_is_submitted_then_worked_on_and_both_are_kept(root):
    with serve(root) as server:
        made = post(server, "/api/tasks", {"task": "/echo hello"}).json()
        equal(made["state"], "submitted")
        ended(server, made["id"], "completed")
    lines = run("tasks", "watch", made["id"], "--json", root=root).stdout.splitlines()
    states = [e["body"]["state"] for e in map(json.loads, lines) if e["kind"] == "status"]
    equal([s for n, s in enumerate(states) if s not in states[:n]], ["submitted", "working", "completed"])


@case
def what_has_ended_does_not_change_any_more(root):
    with serve(root) as server:
        tasks = {"completed": "/echo done", "failed": "/fail badly", "canceled": "/sleep 3600"}
        for state, text in tasks.items():
            ident = dispatch(server, text)
            if state == "canceled":
                equal(post(server, f"/api/tasks/{ident}/cancel").status, 200)
            ended(server, ident, state)
            before = get(server, f"/api/tasks/{ident}").json()
            equal(post(server, f"/api/tasks/{ident}/cancel").status, 409)
            answer = {"key": "ask_1", "answer": {"action": "accept"}}
            equal(post(server, f"/api/tasks/{ident}/answer", answer).status, 409)
            equal(get(server, f"/api/tasks/{ident}").json(), before)


# ---- what it leaves behind -----------------------------------------------------------------------

@case
def a_result_stays_as_it_is(root):
    with Local(root=root) as t:
        ident = t.dispatch("/echo only words")
        first = t.end(ident)
        equal((first["result"]["response"], first["result"]["artifacts"]), ("only words", []))
        equal(bool(first["session_id"]), True)
        again = t.dispatch("/echo more words", session_id=first["session_id"])
        equal(t.end(again)["session_id"], first["session_id"])
        equal(t.status(ident), first)
    with Local(root=root) as t:
        equal(t.status(ident), first)


@case
def a_failure_keeps_its_reason(root):
    for kind in (Local, Remote):
        with kind(root=root) as t:
            failed = t.end(t.dispatch("/fail the reason why"))
            equal((failed["status"], "the reason why" in failed["error"]), ("failed", True))


# ---- how long and how many -----------------------------------------------------------------------

@case
def the_time_of_a_task_begins_with_its_end(root):
    limits = read_write("[limits]\ntask_keep_ms = 500\ntask_look_ms = 10\n")
    with Local(*limits, root=root) as t:
        long = t.dispatch("/sleep 3600")
        for _ in range(3):
            short = t.dispatch("/echo short")
            t.end(short)
            wait_for("its time", lambda i=short: not kept(t, i))
        equal(t.status(long)["status"], "working")  # much longer than such a time
        t.use("cancel_task", task_id=long)
        equal(t.status(long)["status"], "cancelled")
        wait_for("its time", lambda: not kept(t, long))


@case
def the_one_that_ended_first_makes_room(root):
    with Remote(*read_write("[limits]\ntasks = 3\n"), root=root) as t:
        first = t.dispatch("/sleep 3600")
        second, third = (t.end(t.dispatch(text))["taskId"] for text in ("/echo 2", "/fail 3"))
        t.use("cancel_task", task_id=first)  # the first to begin, and the last to end
        fresh = []
        for gone in (second, third, first):
            equal(kept(t, gone), True)
            fresh.append(t.end(t.dispatch("/echo fresh"))["taskId"])
            equal((kept(t, gone), t.use("list_tasks")["count"]), (False, 3))
        equal([kept(t, ident) for ident in fresh], [True] * 3)


@case
def no_live_task_makes_room(root):
    with Remote(*read_write("[limits]\ntasks = 2\n"), root=root) as t:
        live = [t.dispatch("/sleep 3600") for _ in range(2)]
        has(t.error("dispatch_agent", agent="default", task="/echo x"), "limits.tasks is 2")
        equal([t.status(ident)["status"] for ident in live], ["working"] * 2)
        t.use("cancel_task", task_id=live[0])
        equal(t.end(t.dispatch("/echo x"))["status"], "completed")
        equal((kept(t, live[0]), t.status(live[1])["status"]), (False, "working"))
        t.use("cancel_task", task_id=live[1])


# ---- locks ---------------------------------------------------------------------------------------

@case
def a_lock_is_released_however_its_task_ends(root):
    for kind in (Local, Remote):
        with kind(root=root) as t:
            for text, end in (("/ask go on?", "completed"), ("/sleep 3600", "cancelled"),
                              ('/call grep {"pattern": "x", "path": "missing"}', "completed"),
                              ("/fail on purpose", "failed")):
                ident = t.dispatch(text, mode="read-only")
                if text == "/ask go on?":
                    wait_for("its lock", lambda: t.use("get_locks")["count"] == 1)
                    wait_for("the question", lambda i=ident: "asks" in t.status(i))
                    t.use("answer_task", task_id=ident, action="accept", content=answer_to(t, ident))
                elif end == "cancelled":
                    wait_for("its lock", lambda: t.use("get_locks")["count"] == 1)
                    t.use("cancel_task", task_id=ident)
                equal(t.end(ident)["status"], end)
                equal(t.use("get_locks"), {"locks": [], "count": 0})


def answer_to(t, ident):
    """Something for every field of the question."""
    ask, = t.status(ident)["asks"].values()
    return {name: "yes" for name in ask["params"]["requestedSchema"]["properties"]}


@case
def what_happens_to_who_meets_a_lock_is_configured(root):
    for word in ("turns", "fail", "warn"):
        with Local(*read_write(f'[tasks]\nlock_conflict = "{word}"\n'), root=root) as t:
            first = t.dispatch("/sleep 3600", mode="read-only")
            wait_for("its lock", lambda: t.use("get_locks")["count"] == 1)
            result = t.result("dispatch_agent", {"agent": "default", "task": "/echo second",
                                                 "mode": "read-only", "wait": 60})
            text = result["content"][0]["text"]
            if word == "fail":
                has(text, "lock")
                assert result.get("isError") or json.loads(text)["status"] == "failed", text
            else:
                done = json.loads(text)
                equal(done["status"], "completed")
                said = run("tasks", "watch", done["taskId"], "--json", root=root).stdout.decode()
                equal((word, "another task has locked the same path" in said), (word, word == "warn"))
            t.use("cancel_task", task_id=first)


main()
