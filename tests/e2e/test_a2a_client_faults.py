"""Remote A2A agents that break, hang, lie, move away or are gone: a turn ends with a clear reason,
or goes on without losing or repeating anything."""
import json
import signal
import socket
import sqlite3

from a2a_fake_server import A2AServer
from a2a_remote import ask, end_of, remote, text_of
from harness import Process, case, database, equal, has, main, run, wait_for
from task_client import Remote as Serving

TICKS = "".join(f"tick-{i} " for i in range(40))


def fresh(root, name):
    folder = root / name
    folder.mkdir()
    return folder


@case
def a_broken_stream_is_subscribed_to_again_and_nothing_is_lost_or_repeated(root):
    for version, binding in (("1.0", "JSONRPC"), ("1.0", "HTTP+JSON"), ("0.3", "JSONRPC"),
                             ("0.3", "HTTP+JSON")):
        with A2AServer(version, binding, breaks=5, breaks_then=7) as server:
            here = fresh(root, version + binding[:4])
            remote(here, server)
            _, told = ask(here, "slow please")
            equal((text_of(told), end_of(told)), (TICKS, "end"))
            equal(server.subscribed > 2, True)
            equal(len(server.tasks), 1)


@case
def a_silent_stream_is_subscribed_to_again(root):
    with A2AServer() as server:
        remote(root, server, limits="a2a_stream_idle_ms = 100")
        with Process("run", "--json", "-a", "remote", "gate", root=root) as p:
            wait_for("several subscriptions", lambda: server.subscribed > 2)
            server.gate.set()
            told = [json.loads(line) for line in p.process.stdout]
            p.told = True
        equal((text_of(told), end_of(told)), ("before after", "end"))


@case
def a_cancel_that_is_never_answered_does_not_hold_the_turn(root):
    with A2AServer(deaf=True) as server:
        remote(root, server, limits="a2a_cancel_ms = 100")
        with Process("run", "--json", "-a", "remote", "hang", root=root) as p:
            p.expect = 130
            wait_for("work", lambda: server.tasks
                     and next(iter(server.tasks.values())).state == "working")
            p.process.send_signal(signal.SIGINT)
            told = [json.loads(line) for line in p.process.stdout]
            p.told = True
        equal(end_of(told), "canceled")
        has(json.dumps(told), "may still work on it")


@case
def too_many_artifacts_are_ignored_with_a_warning(root):
    with A2AServer() as server:
        remote(root, server)
        _, told = ask(root, "many 1010")
        equal(len({e["id"] for e in told if e["type"] == "artifact"}), 1000)  # a2a_artifacts
        has(json.dumps(told), "a2a_artifacts")


@case
def without_subscribing_the_task_is_polled(root):
    with A2AServer(breaks=5, no_subscribe=True) as server:
        remote(root, server)
        _, told = ask(root, "slow please")
        equal((text_of(told), end_of(told)), (TICKS, "end"))
        equal(server.polled > 0, True)
        equal(server.subscribed, 1)


@case
def polled_artifacts_are_reported_once(root):
    with A2AServer(streaming=False) as server:
        remote(root, server)
        _, told = ask(root, "files please")
        made = {}
        for e in told:
            if e["type"] == "artifact":
                parts = made.get(e["id"], []) if e.get("append") else []
                made[e["id"]] = parts + e["parts"]
        equal([len(parts) for parts in made.values()], [3, 2])


@case
def a_task_goes_on_after_trefoil_was_killed(root):
    for streaming in (True, False):
        with A2AServer(streaming=streaming) as server:
            here = fresh(root, str(streaming))
            remote(here, server)
            with Serving(root=here) as client:
                ident = client.dispatch("gate", "remote")
                wait_for("the task", lambda s=server: s.tasks)
                task = next(iter(server.tasks.values()))
                wait_for("the artifact", lambda t=task: t.artifacts)
                is_stored(here, task)
                client.process.kill()
                client.expect = -9
                client.told = True
            server.gate.set()
            with Serving(root=here) as client:
                done = client.end(ident)
                equal(done["status"], "completed")
                equal(done["result"]["response"], "before after")
            equal(len(server.tasks), 1)
            equal(len(server.messages), 1)


def is_stored(root, task):
    """Wait until the id of the remote task is stored."""
    def stored():
        store = sqlite3.connect(database(root), isolation_level=None)
        rows = store.execute("SELECT body FROM events WHERE kind = 'state'").fetchall()
        store.close()
        return any(task.id in str(row[0]) for row in rows)
    wait_for("the id of the task", stored)


@case
def a_lost_task_ends_the_turn(root):
    with A2AServer(streaming=False, loses=True) as server:
        remote(root, server)
        done, told = ask(root, "hang")
        equal((done.returncode, end_of(told)), (1, "failed"))
        has(told[-1]["text"], "lost")


@case
def garbage_and_silence_are_reported(root):
    with A2AServer(garbage=True) as server:
        remote(root, server)
        done, told = ask(root, "hello")
        equal((done.returncode, end_of(told)), (1, "failed"))
        has(told[-1]["text"], "not JSON")
    with A2AServer(never_ends=True) as server:
        remote(root, server, url=server.url)
        _, told = ask(root, "hello")
        equal((text_of(told), end_of(told)), ("echo: hello", "end"))


@case
def a_request_without_an_answer_times_out(root):
    limits = run("config", "limits", root=root).stdout.decode()
    equal([line.split()[1] for line in limits.splitlines()
           if line.startswith("a2a_request_ms")], ["30000"])
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        remote(root, None, url=url, limits="a2a_request_ms = 100")
        done, told = ask(root, "hello")
        equal(done.returncode, 1)
        has(told[-1]["text"], "timed out after 100 ms")


@case
def an_agent_that_is_gone_ends_the_turn_after_the_retries(root):
    with A2AServer() as server:
        remote(root, server, limits="a2a_failures = 3")
        with Serving(root=root) as client:
            ident = client.dispatch("hang", "remote")
            wait_for("the task", lambda: server.tasks)
            wait_for("work", lambda: next(iter(server.tasks.values())).state == "working")
            server.vanish()
            done = client.end(ident)
            equal(done["status"], "failed")
            has(json.dumps(done), "cannot be reached any more")
    done, told = ask(root, "hello")
    equal(done.returncode, 1)
    has(told[-1]["text"], "refused")


@case
def cards_are_found_in_all_places(root):
    for n, path in enumerate(["/.well-known/agent-card.json", "/.well-known/agent.json",
                              "/sub/agent/.well-known/agent-card.json", "/somewhere/card.json"]):
        with A2AServer(card_paths=[path]) as server:
            here = fresh(root, str(n))
            url = server.url + ("/sub/agent/" if path.startswith("/sub") else
                                path if path.startswith("/some") else "")
            remote(here, server, url=url)
            _, told = ask(here, "hello")
            equal(text_of(told), "echo: hello")
    with A2AServer() as server:  # the URL of the agent itself
        here = fresh(root, "rpc")
        remote(here, server, url=server.url + "/rpc")
        equal(text_of(ask(here, "hello")[1]), "echo: hello")
        here = fresh(root, "other")
        remote(here, server, url=server.url + "/another")
        done, told = ask(here, "hello")
        equal(done.returncode, 1)
        has(told[-1]["text"], "no agent card")


@case
def wrong_cards_are_refused_with_the_reason(root):
    for n, (text, part) in enumerate([
            (b"<html>", "not JSON"), (b"[]", "not a JSON object"), (b"{}", "name"),
            (b'{"name":"x"}', "no URL"), (b'{"name":"x","url":7}', "url"),
            (b'{"name":"x","url":"ftp://x/"}', "no URL"),
            (b'{"name":"x","url":"http://user@127.0.0.1/"}', "no URL")]):
        with A2AServer(card_text=text) as server:
            here = fresh(root, str(n))
            remote(here, server)
            done, told = ask(here, "hello")
            equal(done.returncode, 1)
            has(told[-1]["text"], part)
    for card, part in (({"supportedInterfaces": [{"url": "/rpc", "protocolBinding": "GRPC",
                                                  "protocolVersion": "1.0"}]}, "GRPC"),
                       ({"supportedInterfaces": [{"url": "/rpc", "protocolBinding": "JSONRPC",
                                                  "protocolVersion": "7.0"}]}, "7.0")):
        with A2AServer(card_more=card) as server:
            here = fresh(root, part)
            remote(here, server)
            _, told = ask(here, "hello")
            has(told[-1]["text"], part)


@case
def relative_urls_of_a_card_and_the_names_of_this_machine_are_the_same_origin(root):
    face = {"url": "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    with A2AServer(card_more={"supportedInterfaces": [face]}) as server:
        here = fresh(root, "relative")
        remote(here, server)
        equal(text_of(ask(here, "hello")[1]), "echo: hello")
        here = fresh(root, "localhost")
        server.origin, server.card_more = f"http://localhost:{server.port}", {}
        remote(here, server)
        equal(text_of(ask(here, "hello")[1]), "echo: hello")


@case
def a_card_or_a_redirect_to_a_foreign_origin_gets_no_prompt(root):
    with A2AServer() as other, A2AServer(origin=other.url) as server:
        here = fresh(root, "card")
        remote(here, server)
        done, told = ask(here, "a secret")
        equal(done.returncode, 1)
        has(told[-1]["text"], other.url)
        has(told[-1]["text"], "origins")
        equal(other.requests, [])
        here = fresh(root, "allowed")
        remote(here, server, f'origins = ["{other.url}"]')
        equal(text_of(ask(here, "hello")[1]), "echo: hello")
    with A2AServer() as other, A2AServer(redirects=other.url) as server:
        here = fresh(root, "redirect")
        remote(here, server)
        done, told = ask(here, "a secret")
        equal(done.returncode, 1)
        equal(other.requests, [])


@case
def a_card_that_changes_cannot_lead_elsewhere(root):
    with A2AServer() as other, A2AServer() as server:
        remote(root, server, limits="a2a_card_ms = 0")
        with Serving(root=root) as client:
            first = client.result("trefoil_agent_remote", {"message": "one"})
            equal(first["structuredContent"]["answer"], "echo: one")
            server.origin = other.url
            second = client.result("trefoil_agent_remote", {"message": "two"})
            equal(second["isError"], True)
            has(json.dumps(second), other.url)
            equal(other.requests, [])
            server.origin = None
            third = client.result("trefoil_agent_remote", {"message": "three"})
            equal(third["structuredContent"]["answer"], "echo: three")


@case
def the_binding_and_version_can_be_chosen(root):
    faces = [{"url": "/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
             {"url": "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]
    with A2AServer(card_more={"supportedInterfaces": faces}) as server:
        for n, (more, path) in enumerate((("", "/rest/message:stream"),
                                          ('binding = "JSONRPC"', "/rpc"))):
            here = fresh(root, str(n))
            remote(here, server, more)
            ask(here, "hello")
            equal(server.requests[-1][1], path)
        here = fresh(root, "none")
        remote(here, server, 'protocol_version = "0.3"')
        has(ask(here, "hello")[1][-1]["text"], "protocol_version")


@case
def programs_with_only_the_plain_routes_are_reached(root):
    with A2AServer("0.1", streaming=False, plain=True,
                   card_paths=["/.well-known/agent.json"]) as server:
        remote(root, server)
        _, told = ask(root, "hello")
        equal((text_of(told), end_of(told)), ("echo: hello", "end"))
        equal(server.requests[-1][1].rpartition("/")[0] in ("/a2a/tasks", "/a2a/tasks"), True)


@case
def wrong_definitions_say_what_is_accepted(root):
    for more, part in (('auth = { type = "magic" }', "expected bearer, api_key, basic or oauth"),
                       ('auth = { type = "bearer" }', "needs the key token"),
                       ('auth = { type = "bearer", token = "x", key = "y" }', "does not have"),
                       ('auth = { type = "api_key", key = "x", in = "body" }', "query or cookie"),
                       ('binding = "GRPC"', "expected JSONRPC or HTTP+JSON"),
                       ('protocol_version = "2.0"', "expected 1.0, 0.3 or 0.1"),
                       ('origins = ["nowhere"]', "origins")):
        with A2AServer() as server:
            remote(root, server, more)
            bad = run("run", "-a", "remote", "hello", root=root)
            equal(bad.returncode, 2)
            has(bad.stderr.decode(), part)
            equal(server.requests, [])


main()
