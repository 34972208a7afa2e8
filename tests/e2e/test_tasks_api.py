"""/api/tasks and /api/locks of trefoil serve: dispatch, follow, cancel, list."""
import json
import socket

from harness import DEADLINE, Serve, case, equal, has, main, request, user_config, wait_for
from task_api import Events, complaint, dispatch, ended, get, post, serve, state


@case
def a_task_is_dispatched_and_its_result_fetched(root):
    with serve(root) as server:
        made = post(server, "/api/tasks", {"task": "/echo hello", "agent": "default"})
        equal(made.status, 201)
        equal((made.json()["state"], made.json()["task"]), ("submitted", "/echo hello"))
        ended(server, made.json()["id"], "completed")
        got = get(server, f"/api/tasks/{made.json()['id']}")
        whole = got.json()
        equal(got.status, 200)
        equal((whole["result"]["response"], whole["owner"]), ("hello", "loopback"))
        failed = dispatch(server, "/fail badly")
        ended(server, failed, "failed")
        equal(get(server, f"/api/tasks/{failed}").json()["text"], "badly")


@case
def bad_bodies_are_refused_at_the_place_that_is_wrong(root):
    with serve(root) as server:
        for body, part in (
                (b"", "the body is not JSON"), (b"{", "the body is not JSON"), ([], "object"),
                ({}, "task"), ({"task": 7}, "task"), ({"task": " "}, "task: is empty"),
                ({"task": "x", "max_turns": 0}, "max_turns"),
                ({"task": "x", "max_turns": "1"}, "max_turns"),
                ({"task": "x", "budget_usd": -1}, "budget_usd: expected"),
                ({"task": "x", "mode": "loud"}, "mode: expected"),
                ({"task": "x", "effort": "huge"}, "effort: expected"),
                ({"task": "x", "output_format": "pdf"}, "output_format: expected"),
                ({"task": "x", "lock": ["a", 7]}, "lock[1]"), ({"task": "x", "shoe": 1}, "shoe")):
            refused = post(server, "/api/tasks", body)
            equal((body, refused.status), (body, 400))
            has(complaint(refused), part)
        nobody = post(server, "/api/tasks", {"task": "x", "agent": "nobody"})
        equal(nobody.status, 404)
        has(complaint(nobody), "nobody")
        plain = post(server, "/api/tasks", {"task": "x"}, content_type="text/plain")
        equal(plain.status, 415)
        equal(get(server, "/api/tasks").json(), {"tasks": []})


@case
def what_is_too_large_and_what_is_busy_are_told_apart(root):
    user_config(root, "[limits]\ntasks = 1\njson_depth = 8\n")
    with serve(root) as server:
        large = post(server, "/api/tasks", b'{"task":' + b"[" * 10 + b"]" * 10 + b"}")
        equal((large.status, "retry-after" in large.headers), (413, False))
        has(complaint(large), "nested too deeply")
        first = dispatch(server, "/sleep 600")
        busy = post(server, "/api/tasks", {"task": "/echo x"})
        equal((busy.status, busy.headers["retry-after"]), (503, "1"))
        has(complaint(busy), "limits.tasks")
        equal(server.request("POST", f"/api/tasks/{first}/cancel").status, 200)
        dispatch(server, "/echo x")


@case
def what_is_not_there_is_not_found(root):
    with serve(root) as server:
        for method, path in (("GET", "/api/tasks/x"), ("GET", "/api/tasks/x/events"),
                             ("POST", "/api/tasks/x/cancel"), ("GET", "/api/tasks/x/shoes"),
                             ("POST", "/api/tasks/x"), ("POST", "/api/tasks/x/events")):
            missing = server.request(method, path)
            equal((path, missing.status), (path, 404))
            complaint(missing)


@case
def a_task_is_canceled_once(root):
    with serve(root) as server:
        ident = dispatch(server, "/sleep 3600")
        canceled = post(server, f"/api/tasks/{ident}/cancel")
        equal((canceled.status, canceled.json()["state"]), (200, "canceled"))
        again = post(server, f"/api/tasks/{ident}/cancel")
        equal(again.status, 409)
        has(complaint(again), "its state is canceled")


@case
def the_list_is_filtered_and_paged(root):
    with serve(root) as server:
        ids = [dispatch(server, f"/echo {i}", context="c" if i % 2 else "d") for i in range(5)]
        ids.append(dispatch(server, "/sleep 3600"))
        for ident in ids[:5]:
            ended(server, ident, "completed")

        def names(query):
            return [t["id"] for t in get(server, f"/api/tasks{query}").json()["tasks"]]

        equal(names(""), ids[::-1])
        equal(names("?live=true"), ids[5:])
        equal(names("?live=false&context=c"), [ids[3], ids[1]])
        equal(names("?agent=default&limit=2"), [ids[5], ids[4]])
        equal(names("?agent=nobody"), [])
        paged, query = [], "?limit=4"
        while query:
            page = get(server, f"/api/tasks{query}").json()
            paged += [t["id"] for t in page["tasks"]]
            query = page.get("next_cursor") and f"?limit=4&cursor={page['next_cursor']}"
        equal(paged, ids[::-1])
        for query in ("limit=0", "limit=x", "live=maybe", "cursor=x", "cursor=1", "agent=%zz",
                      "agent=a&agent=b"):
            equal((query, get(server, f"/api/tasks?{query}").status), (query, 400))
        post(server, f"/api/tasks/{ids[5]}/cancel")


@case
def events_come_from_the_beginning_and_from_the_middle_to_many(root):
    with serve(root) as server:
        ident = dispatch(server, "/sleep 3600")
        wait_for("it works", lambda: state(server, ident) == "working")
        path = f"/api/tasks/{ident}/events"
        with Events(server, path) as one, Events(server, path, last_event_id="1") as two:
            first, second = iter(one), iter(two)
            equal(next(first)["id"], "1")
            equal([next(e)["id"] for e in (first, second)], ["2", "2"])
            post(server, f"/api/tasks/{ident}/cancel")
            ends = [list(first), list(second)]
        equal(ends[0], ends[1])
        last = ends[0][-1]
        equal((last["event"], json.loads(last["data"])["body"]["state"]), ("status", "canceled"))
        equal(json.loads(last["data"])["seq"], int(last["id"]))
        equal(get(server, path, last_event_id=last["id"]).status, 204)
        equal(get(server, f"{path}?after={last['id']}").status, 204)
        with Events(server, f"{path}?after=1") as late:
            equal([e["id"] for e in late], ["2", *(e["id"] for e in ends[0])])
        for wrong in (get(server, path, last_event_id="x"), get(server, f"{path}?after=-1")):
            equal(wrong.status, 400)
            complaint(wrong)


@case
def who_leaves_a_stream_leaves_the_task_alone(root):
    with serve(root) as server:
        ident = dispatch(server, "/sleep 3600")
        with Events(server, f"/api/tasks/{ident}/events") as events:
            next(iter(events))
        wait_for("the connection is gone",
                 lambda: get(server, "/health").json()["connections"] == 1)
        equal(state(server, ident), "working")
        post(server, f"/api/tasks/{ident}/cancel")


@case
def who_never_reads_holds_up_nobody(root):
    (root / "trefoil.toml").write_text("[limits]\nhttp_idle_ms = 300\n")
    with serve(root) as server:
        ident = dispatch(server, "/echo " + "y " * 200_000)
        with server.connect() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.sendall(request("GET", f"/api/tasks/{ident}/events"))
            with Events(server, f"/api/tasks/{ident}/events") as good:
                last = list(good)[-1]
            equal(json.loads(last["data"])["body"]["state"], "completed")
            wait_for("it is let go", lambda: get(server, "/health").json()["connections"] == 1)


@case
def a_draining_server_ends_streams_and_keeps_their_tasks(root):
    with serve(root) as server:
        ident = dispatch(server, "/sleep 3600")
        with Events(server, f"/api/tasks/{ident}/events") as events:
            next(iter(events))
            server.leave()
            server.process.wait(DEADLINE)
    with serve(root) as server:
        wait_for("it is worked on again", lambda: state(server, ident) == "working")
        post(server, f"/api/tasks/{ident}/cancel")
        equal(state(server, ident), "canceled")


@case
def a_task_of_a_drained_server_resumes_its_turn(root):
    with serve(root) as server:
        ident = dispatch(server, "/sleep 2")
        wait_for("its turn", lambda: state(server, ident) == "working")
        server.leave()
        server.process.wait(DEADLINE)
    with serve(root) as server:
        ended(server, ident, "completed")
        has(get(server, f"/api/tasks/{ident}").json()["result"]["response"], "2")


@case
def the_key_is_asked_for_and_other_sites_are_refused(root):
    (root / "key").write_text("secret-key-of-sixteen\n")
    (root / "key").chmod(0o600)
    (root / "mine.toml").write_text(f'[serve]\napi_key = "file:{root}/key"\n')
    with Serve("--config", str(root / "mine.toml"), root=root, TREFOIL_PROVIDER="offline") as server:
        for path in ("/api/tasks", "/api/locks", "/api/tasks/x", "/api/tasks/x/events"):
            equal(get(server, path).status, 401)
        key = {"authorization": "Bearer secret-key-of-sixteen"}
        equal(get(server, "/api/tasks", **key).json(), {"tasks": []})
        equal(get(server, "/api/tasks", origin="https://example.com", **key).status, 403)
        made = post(server, "/api/tasks", {"task": "/echo x"}, **key).json()
        equal(made["owner"], "key:default")


@case
def what_is_dispatched_may_do_no_more_than_mcp_clients(root):
    with serve(root) as server:
        equal(get(server, "/api/locks").json(), {"locks": []})
        ident = dispatch(server, "/sleep 3600", mode="read-write")
        equal(get(server, f"/api/tasks/{ident}").json()["mode"], "read-only")
        [lock] = wait_for("the lock", lambda: get(server, "/api/locks").json()["locks"])
        equal((lock["task"], lock["agent"]), (ident, "default"))
        post(server, f"/api/tasks/{ident}/cancel")
        wait_for("its release", lambda: not get(server, "/api/locks").json()["locks"])
    (root / "mine.toml").write_text('[mcp]\nmode = "read-write"\n')
    with Serve("--config", str(root / "mine.toml"), root=root, TREFOIL_PROVIDER="offline") as server:
        ident = dispatch(server, "/echo x", lock=["src"])
        equal(get(server, f"/api/tasks/{ident}").json()["mode"], "read-write")


main()
