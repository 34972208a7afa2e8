"""Streams of A2A: their order, several subscribers, resuming, and a server that is killed."""
import os
import signal
from concurrent.futures import ThreadPoolExecutor

from a2a_client import Fold, answer_of, client, message, serve, state, texts
from harness import DEADLINE, case, equal, has, main, user_config, wait_for
from task_client import agent

ON = "[a2a]\nenabled = true\n"
PLAY = '''
[[rule]]
prefix = "pieces"
event = [
  { type = "text", message = "m1", text = "one two three four five six seven eight", pieces = 8, delay_ms = 40 },
  { type = "artifact", id = "a1", name = "note", text = "first ", more = true },
  { type = "artifact", id = "a1", text = "second", append = true, delay_ms = 50 },
  { type = "text", message = "m2", text = "Done." },
]
[[rule]]
prefix = "slow"
event = [
  { type = "text", message = "m1", text = "before. " },
  { type = "artifact", id = "a1", name = "note", text = "kept" },
  { type = "delay", delay_ms = 1500 },
  { type = "text", message = "m1", text = "after." },
]
[[rule]]
text = "wait"
event = [{ type = "text", message = "m1", text = "here" }, { type = "wait" }]
[[rule]]
text = "ask"
event = [{ type = "form", text = "Go on?" }, { type = "text", message = "m1", text = "Went on." }]
[[rule]]
text = "form"
event = [{ type = "form", text = "Which?", options = ["red", "blue"] }, { type = "text", message = "m1", text = "Went on." }]
'''


def actor(root):
    (root / "play.toml").write_text(PLAY)
    agent(root, "actor", "provider: script\nscript: play.toml\n")


def started(root, server):
    """A client, when the agent is there."""
    c = client(server)
    wait_for("the agent", lambda: c.ask("GET", "/a2a/actor/.well-known/agent-card.json").status == 200)
    return c


def send(c, text):
    return c.result("SendMessage", {"message": message(text),
                                    "configuration": {"returnImmediately": True}},
                    path="/a2a/actor")["task"]


def follow(stream):
    fold = Fold()
    for _, event in stream:
        fold.add(event)
    return fold


def subscribe(c, task, **headers):
    return c.stream("SubscribeToTask", {"id": task["id"]}, **headers)


@case
def a_stream_begins_with_the_task_and_ends_with_its_end(root):
    actor(root)
    with serve(root) as server:
        c = started(root, server)
        with c.stream("SendStreamingMessage", {"message": message("pieces")}, path="/a2a/actor",
                      ident=7) as stream:
            events = list(stream)
        equal({e["id"] for _, e in events}, {7})
        ids = [i for i, _ in events]
        equal(ids, sorted(set(ids)))
        fold = Fold()
        for _, event in events:
            fold.add(event)
        equal((fold.order[0], fold.order[1], fold.order[-1]), ("task", "working", "completed"))
        equal(fold.known, ("completed", [
            ("m1", "answer", "one two three four five six seven eight"),
            ("a1", "note", "first second"), ("m2", "answer", "Done.")]))
        flags = [(u["append"], u["lastChunk"]) for u in
                 (e["result"].get("artifactUpdate") for _, e in events) if u
                 and u["artifact"]["artifactId"] == "a1"]
        equal(flags, [(False, False), (True, True)])
        # what the task is afterwards
        task = c.get(fold.task)
        fold.task = task
        equal(fold.known[1][1], ("a1", "note", "first second"))


@case
def streams_of_every_dialect(root):
    actor(root)
    with serve(root) as server:
        c = started(root, server)
        with c.stream("message/stream", {"message": message("pieces", "0.3")},
                      path="/a2a/actor") as stream:
            events = [e["result"] for _, e in stream]
        equal((events[0]["kind"], events[-1]["kind"], events[-1]["final"]),
              ("task", "status-update", True))
        equal([e.get("final") for e in events if e["kind"] == "status-update"][:-1].count(True), 0)
        with c.rest_stream("/a2a/actor/message:stream", {"message": message("pieces")}) as stream:
            events = [e for _, e in stream]
        has(events[0], "task")
        equal(state(events[-1]["statusUpdate"]), "completed")
        with c.rest_stream("/a2a/actor/v1/message:stream",
                           {"message": message("pieces", "0.3-rest")}) as stream:
            events = [e for _, e in stream]
        equal(events[-1]["statusUpdate"]["final"], True)


@case
def all_subscribers_get_the_same(root):
    actor(root)
    with serve(root) as server, ThreadPoolExecutor(16) as pool:
        c = started(root, server)
        task = send(c, "pieces")
        streams = [subscribe(c, task) for _ in range(5)]
        get = c.rest_stream(f"/tasks/{task['id']}:subscribe", None, "GET")
        post = c.rest_stream(f"/a2a/actor/tasks/{task['id']}:subscribe", b"")
        folds = list(pool.map(follow, [*streams, get, post]))
        equal({repr(f.known) for f in folds}, {repr(folds[0].known)})
        equal(folds[0].order[0], "task")
        whole = Fold()
        whole.task = c.get(task)
        equal(folds[0].known, whole.known)
        for stream in [*streams, get, post]:
            stream.close()


@case
def the_stream_of_an_unclear_answer_ends_with_the_question(root):
    actor(root)
    with serve(root) as server:
        c = started(root, server)
        task = send(c, "form")
        wait_for("the question", lambda: state(c.get(task)) == "input-required")

        def answer(*parts):
            sent = message("", parts=list(parts), taskId=task["id"])
            with c.stream("SendStreamingMessage", {"message": sent}, path="/a2a/actor") as stream:
                return follow(stream)

        for _ in range(2):
            unclear = answer({"data": {"unknown": "red"}})
            equal((unclear.order, state(unclear.task)), (["task"], "input-required"))
        done = answer({"text": "red"})
        equal((done.order[0], state(done.task)), ("task", "completed"))


@case
def a_client_that_leaves_does_not_touch_the_task(root):
    actor(root)
    with serve(root) as server:
        c = started(root, server)
        stream = c.stream("SendStreamingMessage", {"message": message("pieces")}, path="/a2a/actor")
        _, first = next(iter(stream))
        stream.close()
        task = first["result"]["task"]
        done = wait_for("the end", lambda: (lambda t: state(t) == "completed" and t)(c.get(task)))
        has(answer_of(done), "Done.")


@case
def a_stream_resumes_after_its_last_event(root):
    actor(root)
    with serve(root) as server:
        c = started(root, server)
        with c.stream("SendStreamingMessage", {"message": message("pieces")},
                      path="/a2a/actor") as stream:
            all_events = list(stream)
        task = all_events[0][1]["result"]["task"]
        for at in (0, len(all_events) // 2, len(all_events) - 2):
            ident = all_events[at][0]
            with subscribe(c, task, last_event_id=str(ident)) as stream:
                again = [(i, e["result"]) for i, e in stream]
            equal(again, [(i, e["result"]) for i, e in all_events[at + 1:]])
        # the task has ended, and the client has everything
        last = str(all_events[-1][0])
        equal(c.call("SubscribeToTask", {"id": task["id"]}, last_event_id=last).code, -32004)
        equal(c.call("SubscribeToTask", {"id": task["id"]}, last_event_id="x").code, -32602)


@case
def a_question_ends_the_stream(root):
    actor(root)
    with serve(root) as server:
        c = started(root, server)
        with c.stream("message/stream", {"message": message("ask", "0.3")},
                      path="/a2a/actor") as stream:
            events = [e["result"] for _, e in stream]
        equal((state(events[-1]), events[-1]["final"]), ("input-required", True))
        task = events[0]
        # a subscriber that comes while the task waits sees the rest
        later = c.stream("tasks/resubscribe", {"id": task["id"]})
        seen = iter(later)
        equal(state(next(seen)[1]["result"]), "input-required")
        with c.stream("message/stream", {"message": message("yes", "0.3", taskId=task["id"])},
                      path="/a2a/actor") as stream:
            events = [e["result"] for _, e in stream]
        equal(state(events[-1]), "completed")
        equal(state([e["result"] for _, e in seen][-1]), "completed")


@case
def errors_before_a_stream(root):
    with serve(root) as server:
        c = client(server)
        got = c.call("SendStreamingMessage", {"message": {}}, accept="text/event-stream")
        equal((got.status, got.code), (200, -32602))
        got = c.call("SubscribeToTask", {"id": "unknown"}, accept="text/event-stream")
        equal((got.status, got.code), (200, -32001))
        # clients of 0.3 read only event streams here
        with c.stream("tasks/resubscribe", {"id": "unknown"}) as stream:
            equal([e["error"]["code"] for _, e in stream], [-32001])


@case
def quiet_streams_are_kept_alive(root):
    actor(root)
    user_config(root, ON + "[limits]\nsse_keepalive_ms = 20\n")
    with serve(root) as server:
        c = started(root, server)
        task = send(c, "wait")
        stream = subscribe(c, task)
        lines = [stream.response.readline() for _ in range(40)]
        equal(any(line.startswith(b":") for line in lines), True)
        equal(stream.response.getheader("x-accel-buffering"), "no")
        has(stream.response.getheader("cache-control"), "no-")
        stream.close()
        c.result("CancelTask", {"id": task["id"]})


@case
def cancelling_ends_the_streams(root):
    actor(root)
    with serve(root) as server, ThreadPoolExecutor(4) as pool:
        c = started(root, server)
        task = send(c, "wait")
        streams = [subscribe(c, task) for _ in range(3)]
        followed = [pool.submit(follow, s) for s in streams]
        c.result("CancelTask", {"id": task["id"]})
        equal({state(f.result().task) for f in followed}, {"canceled"})


@case
def streams_survive_a_killed_server(root):
    """Ten streams, kill -9: what is known after subscribing again is the whole task."""
    actor(root)
    with ThreadPoolExecutor(16) as pool:
        with serve(root) as server:
            c = started(root, server)
            tasks = [send(c, f"slow {i}") for i in range(10)]
            streams = [subscribe(c, t) for t in tasks]

            def half(stream):
                """Until the artifact has arrived; the fold and the last event."""
                fold, last = Fold(), 0
                for last, event in stream:
                    fold.add(event)
                    if any(a["artifactId"] == "a1" for a in fold.task.get("artifacts", [])):
                        break
                return fold, last

            halves = list(pool.map(half, streams))
            os.kill(server.pid, signal.SIGKILL)
            server.expect = -signal.SIGKILL
            server.process.wait(DEADLINE)
        with serve(root) as server:
            c = started(root, server)

            def rest(i):
                task, (fold, last) = tasks[i], halves[i]
                got = c.call("SubscribeToTask", {"id": task["id"]}, accept="application/json") \
                    if state(c.get(task)) == "completed" else None
                if got is not None:  # it ended before we came
                    equal(got.code, -32004)
                    snapshot = Fold()
                    snapshot.task = c.get(task)
                else:
                    with subscribe(c, task) as stream:
                        snapshot = follow(stream)
                # the same from the event on that arrived last
                with subscribe(c, task, last_event_id=str(last)) as stream:
                    for _, event in stream:
                        fold.add(event)
                return snapshot.known, fold.known

            for snapshot, resumed in pool.map(rest, range(10)):
                equal(snapshot, ("completed", [("m1", "answer", "before. after."),
                                               ("a1", "note", "kept")]))
                equal(resumed, snapshot)


@case
def many_clients_at_once(root):
    with serve(root) as server, ThreadPoolExecutor(32) as pool:
        c = client(server)

        def one(i):
            with c.stream("SendStreamingMessage", {"message": message(f"/echo {i}")}) as stream:
                return follow(stream).known

        for i, known in enumerate(pool.map(one, range(64))):
            equal((known[0], [t for _, _, t in known[1]]), ("completed", [str(i)]))


@case
def a_line_break_in_forwarded_json_stays_one_line(root):
    with serve(root) as server:
        c = client(server)
        body = ('{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{'
                '"messageId":"m","role":"ROLE_USER","parts":[{"text":"/echo x"},{"data":{\n"k":\r\n1}}]}}}')
        connection, response = c.send("POST", "/a2a", body, accept="text/event-stream")
        with c.opened(connection, response) as stream:
            first = next(iter(stream))[1]["result"]["task"]
        equal(first["history"][0]["parts"][1], {"data": {"k": 1}})
        equal(texts(first["history"][0]["parts"][:1]), "/echo x")


main()
