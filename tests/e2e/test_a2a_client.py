"""A remote A2A agent is an agent like any other: in run, as an MCP tool, as a task."""
import json
import os
import signal

from a2a_fake_server import A2AServer
from a2a_remote import ask, end_of, remote, text_of
from asked_client import Asked
from harness import Process, case, equal, has, main, run, wait_for
from task_client import Local, Remote as Serving

EVERY = [(version, binding, streaming)
         for version, binding in (("1.0", "JSONRPC"), ("1.0", "HTTP+JSON"), ("0.3", "JSONRPC"),
                                  ("0.3", "HTTP+JSON"), ("0.1", "JSONRPC"))
         for streaming in (True, False)]


def fresh(root, name):
    folder = root / name
    folder.mkdir()
    return folder


@case
def every_version_and_binding_answers_with_and_without_streams(root):
    for n, (version, binding, streaming) in enumerate(EVERY):
        with A2AServer(version, binding, streaming) as server:
            here = fresh(root, f"r{n}")
            remote(here, server)
            done, told = ask(here, "hello there")
            equal((version, binding, streaming, done.returncode, text_of(told), end_of(told)),
                  (version, binding, streaming, 0, "echo: hello there", "end"))
            headers, body = server.calls()[0]
            equal(headers.get("A2A-Version"), "1.0" if version == "1.0" else None)
            has(headers["User-Agent"], "trefoil/")
            has(headers["User-Agent"], "A2A")
            has(headers["traceparent"], "00-")
            equal(headers["X-Trefoil-Depth"], "1")
            equal(server.messages[0]["parts"], [{"text": "hello there"}])
            if binding == "JSONRPC":
                equal(body["method"], {
                    ("1.0", True): "SendStreamingMessage", ("1.0", False): "SendMessage",
                    ("0.3", True): "message/stream", ("0.3", False): "message/send",
                    ("0.1", True): "tasks/sendSubscribe", ("0.1", False): "tasks/send",
                }[version, streaming])


@case
def a_program_of_the_first_version_gets_tasks_send(root):
    with A2AServer("0.1", streaming=False, card_paths=["/.well-known/agent.json"]) as server:
        remote(root, server)
        ask(root, "hello")
        ask(root, "again", "-c")
        bodies = [body for _, body in server.calls() if body["method"] == "tasks/send"]
        equal(bodies[0]["params"]["message"],
              {"role": "user", "parts": [{"type": "text", "text": "hello"}]})
        equal(bodies[1]["params"]["sessionId"], next(iter(server.tasks.values())).context)


@case
def ends_are_those_of_any_agent(root):
    with A2AServer() as server:
        remote(root, server)
        failed = run("run", "-a", "remote", "fail the disk is full", root=root)
        equal(failed.returncode, 1)
        has(failed.stderr.decode(), "the disk is full")
        refused = run("run", "-a", "remote", "reject not for you", root=root)
        equal(refused.returncode, 5)
        has(refused.stderr.decode(), "not for you")
        _, told = ask(root, "message please")
        equal((text_of(told), end_of(told)), ("a direct answer", "end"))
        _, told = ask(root, "status all is well")
        equal(text_of(told), "all is well")
        _, told = ask(root, "named the result")  # no text: the artifact's text is the answer
        equal(text_of(told), "the result")
        equal([e["name"] for e in told if e["type"] == "artifact"], ["result"])


@case
def states_of_remote_tasks_become_those_of_tasks(root):
    for version in ("1.0", "0.3"):
        with A2AServer(version) as server:
            here = fresh(root, version)
            remote(here, server)
            with Serving(root=here) as client:
                for prompt, status in (("hello", "completed"), ("fail x", "failed"),
                                       ("reject x", "failed"), ("odd", "failed")):
                    ident = client.dispatch(prompt, "remote")
                    equal((prompt, client.end(ident)["status"]), (prompt, status))
                for prompt in ("ask x?", "login"):
                    ident = client.dispatch(prompt, "remote")
                    client.reaches(ident, "input_required")
                    client.use("cancel_task", task_id=ident)
                    equal(client.end(ident)["status"], "cancelled")


@case
def files_links_and_data_arrive_as_artifacts(root):
    for version, binding in (("1.0", "JSONRPC"), ("0.3", "JSONRPC"), ("0.3", "HTTP+JSON")):
        with A2AServer(version, binding) as server:
            here = fresh(root, version + binding[:4])
            remote(here, server)
            _, told = ask(here, "files please")
            made = [e for e in told if e["type"] == "artifact"]
            equal(made[0]["name"], "bundle")
            kinds = [(p["type"], p.get("data", p.get("uri"))) for p in made[0]["parts"]]
            equal(kinds, [("file", "AAE="), ("resource_link", "https://files.example/x.txt"),
                          ("data", {"n": 1})])
            text = "".join(p["text"] for e in made[1:] for p in e["parts"])
            equal((made[1]["name"], text), ("note", "one, two"))


@case
def parts_of_a_prompt_reach_the_agent(root):
    parts = [{"type": "text", "text": "look"},
             {"type": "image", "data": "AAEC", "mimeType": "image/png"},
             {"type": "data", "data": {"k": [1, None]}},
             {"type": "resource_link", "uri": "https://x.example/f.txt", "name": "f.txt",
              "mimeType": "text/plain"}]
    for version, binding in (("1.0", "JSONRPC"), ("0.3", "JSONRPC"), ("0.3", "HTTP+JSON")):
        with A2AServer(version, binding) as server:
            here = fresh(root, version + binding[:4])
            remote(here, server)
            with Local(root=here) as client:
                client.result("trefoil_agent_remote", {"parts": parts})
            got = server.messages[0]["parts"]
            equal(got[0], {"text": "look"})
            equal((got[1]["raw"], got[1]["mediaType"]), ("AAEC", "image/png"))
            equal(got[2], {"data": {"k": [1, None]}})
            equal((got[3]["url"], got[3]["mediaType"]), ("https://x.example/f.txt", "text/plain"))


@case
def several_turns_share_a_context_and_begin_new_tasks(root):
    for version, binding in (("1.0", "JSONRPC"), ("0.3", "HTTP+JSON"), ("0.1", "JSONRPC")):
        with A2AServer(version, binding) as server:
            here = fresh(root, version + binding[:4])
            remote(here, server)
            ask(here, "one")
            _, told = ask(here, "two", "-c")
            equal(text_of(told), "echo: two")
            tasks = list(server.tasks.values())
            equal(len(tasks), 2)
            equal(tasks[0].context, tasks[1].context)
            equal(server.messages[1].get("taskId"), None)


@case
def without_anyone_to_ask_the_next_prompt_of_the_session_is_the_answer(root):
    for streaming in (True, False):
        with A2AServer(streaming=streaming) as server:
            here = fresh(root, str(streaming))
            remote(here, server)
            done, told = ask(here, "ask which one?")
            equal((done.returncode, text_of(told)), (0, "which one?"))
            _, told = ask(here, "the red one", "-c")
            equal(text_of(told), 'you said "the red one"')
            equal(len(server.tasks), 1)


@case
def an_answer_to_a_task_that_has_ended_meanwhile_begins_a_new_one(root):
    with A2AServer() as server:
        remote(root, server)
        ask(root, "ask which one?")
        task = next(iter(server.tasks.values()))
        task.canceling.set()
        wait_for("the end", lambda: task.state == "canceled")
        _, told = ask(root, "the red one", "-c")
        equal(text_of(told), "echo: the red one")


@case
def a_question_reaches_the_client_of_a_task(root):
    for streaming, stale in ((True, False), (True, True), (False, False)):
        with A2AServer(streaming=streaming, stale=stale) as server:
            here = fresh(root, f"{streaming}{stale}")
            remote(here, server)
            with Serving(root=here) as client:
                ident = client.dispatch("ask who are you?", "remote")
                client.reaches(ident, "input_required")
                has(json.dumps(client.status(ident)), "who are you?")
                client.use("answer_task", task_id=ident, action="accept",
                           content={"answer": "nobody"})
                done = client.end(ident)
                equal(done["status"], "completed")
                has(json.dumps(done), 'you said')
                has(json.dumps(done), 'nobody')
                form = client.dispatch("form", "remote")
                client.reaches(form, "input_required")
                client.use("answer_task", task_id=form, action="accept",
                           content={"color": "blue"})
                done = client.end(form)
                equal(done["status"], "completed")
                equal(server.messages[-1]["parts"], [{"data": {"color": "blue"}}])
                refused = client.dispatch("ask again?", "remote")
                client.reaches(refused, "input_required")
                client.use("answer_task", task_id=refused, action="decline")
                equal(client.end(refused)["status"], "completed")
                equal(server.messages[-1]["parts"], [{"text": "decline"}])


@case
def a_question_is_asked_again_if_the_answer_was_not_understood(root):
    for n, (streaming, patient) in enumerate(((True, False), (True, True), (False, False))):
        with A2AServer(streaming=streaming, patient=patient, confused=2) as server:
            here = fresh(root, str(n))
            remote(here, server, limits="a2a_answer_ms = 50")
            with Serving(root=here) as client:
                ident = client.dispatch("form", "remote")
                for color in ("red", "red", "blue"):
                    sent = len(server.messages)
                    client.reaches(ident, "input_required")
                    client.use("answer_task", task_id=ident, action="accept",
                               content={"color": color})
                    wait_for("the answer", lambda sent=sent: len(server.messages) > sent)
                done = client.end(ident)
                equal(done["status"], "completed")
                has(json.dumps(done), "blue")
                equal(len(server.tasks), 1)


@case
def an_answer_without_a_field_of_the_form_is_refused(root):
    with A2AServer() as server:
        remote(root, server)
        with Serving(root=root) as client:
            ident = client.dispatch("form", "remote")
            client.reaches(ident, "input_required")
            refused = client.result("answer_task", {"task_id": ident, "action": "accept",
                                                    "content": {"answer": "red"}})
            equal(refused["isError"], True)
            has(json.dumps(refused), "first unknown field: answer")
            has(json.dumps(refused), "the form accepts: color")
            client.use("answer_task", task_id=ident, action="accept",
                       content={"color": "red", "more": 1})
            equal(client.end(ident)["status"], "completed")


@case
def a_question_reaches_the_person_at_an_mcp_client(root):
    with A2AServer() as server:
        remote(root, server)
        with Asked("--scope", "agents", root=root) as client:
            client.begin("trefoil_agent_remote", message="ask who are you?")
            question = client.question()
            has(question["params"]["message"], "who are you?")
            client.reply(question, "accept", answer="nobody")
            has(json.dumps(client.answer_to(7)), "nobody")
            client.begin("trefoil_agent_remote", message="form")
            question = client.question()
            equal(question["params"]["requestedSchema"]["properties"]["color"]["enum"],
                  ["red", "blue"])
            client.reply(question, "accept", color="red")
            client.answer_to(7)
            equal(server.messages[-1]["parts"], [{"data": {"color": "red"}}])


@case
def a_login_is_a_page_to_visit(root):
    with A2AServer() as server:
        remote(root, server)
        with Serving(root=root) as client:
            ident = client.dispatch("login", "remote")
            client.reaches(ident, "input_required")
            has(json.dumps(client.status(ident)), "https://login.example/x?y=1")
            client.use("answer_task", task_id=ident, action="accept")
            done = client.end(ident)
            equal(done["status"], "completed")
            has(json.dumps(done), "logged in")


@case
def it_is_a_tool_over_stdio_and_http_for_two_clients_at_once(root):
    with A2AServer() as server:
        remote(root, server)
        with Local(root=root) as local, Serving(root=root) as client:
            for one in (local, client):
                results = one.results([("trefoil_agent_remote", {"message": f"m{i}"})
                                       for i in range(4)])
                equal([r["structuredContent"]["answer"] for r in results],
                      [f"echo: m{i}" for i in range(4)])
                failed = one.result("trefoil_agent_remote", {"message": "fail why"})
                equal(failed["isError"], True)
        listed = run("agents", "--json", root=root).stdout.decode()
        has(listed, "An agent elsewhere")


@case
def what_it_says_is_untrusted_data(root):
    with A2AServer() as server:
        remote(root, server)
        with Serving(root=root) as client:
            done = client.end(client.dispatch("hello", "remote"))
            equal(done["result"]["trust"], {"level": "untrusted", "from": [server.url]})
            result = client.result("trefoil_agent_remote", {"message": "hello"})
            has(json.dumps(result), "untrusted")


@case
def cancelling_cancels_the_remote_task(root):
    for streaming in (True, False):
        with A2AServer(streaming=streaming) as server:
            here = fresh(root, str(streaming))
            remote(here, server)
            with Process("run", "--json", "-a", "remote", "hang", root=here) as p:
                p.expect = 130
                wait_for("the task", lambda: server.tasks)
                task = next(iter(server.tasks.values()))
                wait_for("work", lambda: task.state == "working")
                p.process.send_signal(signal.SIGINT)
                p.told = True
                told = [json.loads(line) for line in p.process.stdout]
            equal(told[-1]["stop"], "canceled")
            equal(task.state, "canceled")
            with Serving(root=here) as client:
                for prompt, state in (("hang", "working"), ("ask x", "input_required")):
                    ident = client.dispatch(prompt, "remote")
                    client.reaches(ident, state)
                    wait_for("the remote task", lambda p=prompt: server.messages[-1]["parts"]
                             == [{"text": p}])
                    client.use("cancel_task", task_id=ident)
                    equal(client.end(ident)["status"], "cancelled")
                    wait_for("the remote end", lambda: all(t.state == "canceled"
                                                           for t in server.tasks.values()))


@case
def hops_are_counted_and_the_sixth_is_refused(root):
    with A2AServer() as server:
        remote(root, server)
        with Serving(root=root) as client:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                    "params": {"name": "trefoil_agent_remote", "arguments": {"message": "hi"}}}
            for depth, sent in ((0, "2"), (3, "5"), (4, None)):
                answer = client.post(body, accept="application/json, text/event-stream",
                                     mcp_session_id=client.session, x_trefoil_trace_id="t-1",
                                     x_trefoil_depth=str(depth))
                if sent:
                    equal(answer.json()["result"].get("isError", False), False)
                    equal(server.calls()[-1][0]["X-Trefoil-Depth"], sent)
                    equal(server.calls()[-1][0]["X-Trefoil-Trace-ID"], "t-1")
                else:
                    has(answer.body.decode(), "too long")


main()
