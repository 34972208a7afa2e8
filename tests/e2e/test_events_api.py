"""GET /api/events of trefoil serve: all that happens, in one stream that can be gone on with."""
import json

from harness import case, equal, has, main
from task_api import Events, complaint, dispatch, ended, get, post, serve


def data(event):
    return json.loads(event["data"])


def until(stream, wanted):
    """Events up to the first that is wanted."""
    seen = []
    for event in stream:
        seen.append(event)
        if wanted(event):
            return seen
    raise AssertionError(f"the stream ended after {seen}")


def is_end(event, ident=None):
    about = data(event)
    return (event.get("event") == "status" and about["body"]["state"] in
            ("completed", "failed", "canceled") and ident in (None, about["task"]))


def states(events, ident):
    return [data(e)["body"]["state"] for e in events
            if e["event"] == "status" and data(e)["task"] == ident]


@case
def what_happens_to_all_tasks_is_told_in_one_order(root):
    with serve(root) as server, Events(server, "/api/events?kinds=status") as stream:
        equal(stream.status, 200)
        first, second = (dispatch(server, f"/echo {i}", context=f"c{i}") for i in (1, 2))
        events = iter(stream)
        seen = until(events, lambda e: is_end(e, first))
        if second not in [data(e)["task"] for e in seen if is_end(e)]:
            seen += until(events, lambda e: is_end(e, second))
        for ident in (first, second):
            equal(states(seen, ident), ["submitted", "working", "completed"])
        numbers = [int(e["id"]) for e in seen]
        equal(numbers, sorted(set(numbers)))
        equal(sorted({data(e)["context"] for e in seen}), ["c1", "c2"])
        equal(set(data(seen[0])), {"task", "agent", "context", "seq", "time", "kind", "body"})


@case
def who_comes_back_misses_nothing_also_after_a_restart(root):
    with serve(root) as server:
        first = dispatch(server, "/echo 1")
        ended(server, first, "completed")
        with Events(server, "/api/events?after=0") as stream:
            seen = until(iter(stream), lambda e: is_end(e, first))
        equal(states(seen, first), ["submitted", "working", "completed"])
    with serve(root) as server:
        second = dispatch(server, "/echo 2")
        with Events(server, "/api/events", Last_Event_ID=seen[0]["id"]) as stream:
            rest = until(iter(stream), lambda e: is_end(e, second))
        equal(states(rest, first), ["working", "completed"])
        equal(states(rest, second), ["submitted", "working", "completed"])
        with Events(server, "/api/events?kinds=status") as stream:
            third = dispatch(server, "/echo 3")
            equal(data(next(iter(stream)))["task"], third)


@case
def tasks_of_other_processes_are_told_too(root):
    with serve(root) as ours, serve(root, XDG_RUNTIME_DIR=str(root / "other")) as other, \
            Events(ours, "/api/events") as stream:
        ident = dispatch(other, "/echo elsewhere")
        equal(states(until(iter(stream), lambda e: is_end(e, ident)), ident),
              ["submitted", "working", "completed"])


@case
def kinds_tasks_and_contexts_are_filtered(root):
    with serve(root) as server, Events(server, "/api/events?context=mine&kinds=status") as mine, \
            Events(server, "/api/events?kinds=ask,answered,artifact") as quiet:
        dispatch(server, "/echo not this", context="other")
        ident = dispatch(server, "/echo this", context="mine")
        seen = until(iter(mine), lambda e: is_end(e))
        equal({data(e)["task"] for e in seen}, {ident})
        with Events(server, f"/api/events?task={ident}&after=0") as one:
            equal(states(until(iter(one), is_end), ident), ["submitted", "working", "completed"])
        made = dispatch(server, "/artifact a text")
        about = data(next(iter(quiet)))
        equal((about["kind"], about["task"]), ("artifact", made))


@case
def lists_that_change_and_locks_are_told_without_a_number(root):
    with serve(root) as server, \
            Events(server, "/api/events?kinds=agents,skills,lock,unlock") as stream:
        events = iter(stream)
        ident = dispatch(server, "/echo locked", lock=["docs"])
        for kind in ("lock", "unlock"):
            about = next(events)
            equal((about["event"], about.get("id")), (kind, None))
            lock = data(about)["lock"]
            equal((lock["task"], lock["paths"], lock["mode"]), (ident, ["docs"], "exclusive"))
        folder = root / ".trefoil" / "agents"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "late.md").write_text("---\nname: late\ndescription: x\n---\nbe late\n")
        equal(next(events)["event"], "agents")


@case
def a_gap_is_said(root):
    (root / "trefoil.toml").write_text("[limits]\ntask_feed = 2\n")
    with serve(root) as server:
        for i in range(2):
            ended(server, dispatch(server, f"/echo {i}"), "completed")
        with Events(server, "/api/events?after=1") as stream:
            equal(next(iter(stream))["event"], "gap")
        with Events(server, "/api/events?after=999999") as stream:
            events = iter(stream)
            equal(next(events)["event"], "gap")
            ident = dispatch(server, "/echo again")
            equal(states(until(events, is_end), ident), ["submitted", "working", "completed"])


@case
def bad_queries_are_refused(root):
    with serve(root) as server:
        for query, part in (("kinds=shoes", "kinds: unknown kind shoes"), ("kinds=", "expected"),
                            ("after=x", "after"), ("task=a&task=b", "task is duplicated")):
            refused = get(server, f"/api/events?{query}")
            equal((query, refused.status), (query, 400))
            has(complaint(refused), part)
        refused = get(server, "/api/events", Last_Event_ID="x")
        equal(refused.status, 400)
        equal(post(server, "/api/events").status, 405)


main()
