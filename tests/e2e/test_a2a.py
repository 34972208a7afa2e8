"""The A2A server: cards, tasks and errors, in every version and binding."""
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor

from a2a_client import answer_of, client, message, serve, state, texts
from harness import case, database, equal, has, main, user_config, wait_for
from task_client import agent

CARD = "/.well-known/agent-card.json"
LEGACY = "/.well-known/agent.json"
ON = "[a2a]\nenabled = true\n"
KEYS = ON + '''
[[serve.keys]]
name = "a"
key = "secret-of-a-0123456789"
[[serve.keys]]
name = "b"
key = "secret-of-b-0123456789"
'''


# ---- cards ---------------------------------------------------------------------------------------

@case
def the_card_serves_clients_of_both_versions(root):
    with serve(root) as server:
        got = client(server).ask("GET", CARD)
        card = got.json
        equal(got.status, 200)
        equal(card["protocolVersion"], "0.3.0")
        equal(card["preferredTransport"], "JSONRPC")
        has(card["url"], "/a2a")
        equal([(i["protocolBinding"], i["protocolVersion"]) for i in card["supportedInterfaces"]],
              [("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("HTTP+JSON", "0.3"), ("JSONRPC", "0.3")])
        equal(card["capabilities"], {"streaming": True, "pushNotifications": True,
                                     "stateTransitionHistory": True, "extendedAgentCard": False})
        equal([s["id"] for s in card["skills"]], ["default"])
        has(card["defaultInputModes"], "text/plain")
        # every URL of the card is served
        for url in {i["url"] for i in card["supportedInterfaces"]}:
            has(url, f"http://127.0.0.1:{server.address[1]}")


@case
def a_card_is_cached_until_it_changes(root):
    with serve(root) as server:
        c = client(server)
        first = c.ask("GET", CARD)
        has(first.headers["cache-control"], "max-age")
        has(first.headers["last-modified"], "GMT")
        again = c.ask("GET", CARD, if_none_match=first.headers["etag"])
        equal((again.status, again.body), (304, b""))
        equal(c.ask("GET", CARD, if_none_match='"other"').status, 200)
        equal(c.ask("HEAD", CARD).body, b"")
        agent(root, "painter")
        wait_for("another card", lambda: c.ask("GET", CARD).headers["etag"] != first.headers["etag"])


@case
def the_legacy_card_has_the_members_of_the_first_version(root):
    agent(root, "painter")
    agent(root, "zoologist")
    with serve(root) as server:
        c = client(server)
        card = c.ask("GET", LEGACY).json
        for member in ("name", "description", "url", "version", "capabilities", "skills",
                       "defaultInputModes", "defaultOutputModes", "protocolVersion"):
            has(card, member)
        equal((card["version"], card["defaultInputModes"]), ("0.1.0", ["text"]))
        has(card["url"], "/a2a")
        equal(card["capabilities"]["streaming"], True)
        equal(card["capabilities"]["stateTransitionHistory"], True)
        skills = wait_for("the skills", lambda: (lambda s: len(s) > 3 and s)(
            c.ask("GET", LEGACY).json["skills"]))
        equal([s["id"] for s in skills[:3]], ["default", "painter", "zoologist"])
        equal(skills[1]["description"], "What painter does.")
        equal(skills[1]["tags"], ["agent"])
        # one skill for each tool of the agent
        read = [s for s in skills if s["id"] == "file_read"][0]
        equal((read["name"], read["tags"], read["examples"]), ("file read", ["tool"], []))
        has(read["description"], "file")
        listed = c.ask("GET", "/a2a/agents").json
        equal(listed["total"], 3)
        has([a["name"] for a in listed["agents"]], "painter")


@case
def a_tool_without_a_description_gets_one_in_the_legacy_card(root):
    (root / "login.py").write_text(LOGIN)
    user_config(root, ON + f'[[mcp.servers]]\nname = "login"\ncommand = ["python3", "{root}/login.py"]\n'
                           'sandbox = "off"\n')
    with serve(root) as server:
        c = client(server)
        skill = wait_for("the tool", lambda: [s for s in c.ask("GET", LEGACY).json["skills"]
                                              if s["id"] == "mcp_login_enter"])[0]
        equal((skill["description"], skill["tags"]),
              ("Can use the mcp_login_enter tool", ["tool"]))


@case
def each_agent_has_its_own_card_and_endpoint(root):
    agent(root, "painter")
    agent(root, "zoologist")
    with serve(root) as server:
        c = client(server)
        wait_for("the agents", lambda: c.ask("GET", "/a2a/painter" + CARD).status == 200)
        wait_for("its skill", lambda: [s["id"] for s in c.ask("GET", "/a2a/zoologist" + CARD)
                                       .json["skills"]] == ["zoologist"])
        card = c.ask("GET", "/a2a/zoologist" + CARD).json
        has(card["url"], "/a2a/zoologist")
        task = c.result("SendMessage", {"message": message("/echo own")}, path="/a2a/zoologist")["task"]
        equal(answer_of(task), "own")
        # the first agent is the one at the root
        equal(c.ask("GET", CARD).json["name"], "painter")
        equal(c.ask("GET", "/a2a/nobody" + CARD).status, 404)
        equal(c.call("GetTask", {"id": "x"}, path="/a2a/nobody").status, 404)
        with sqlite3.connect(database(root)) as db:
            equal(db.execute("SELECT agent FROM tasks").fetchall(), [("zoologist",)])


@case
def the_metadata_can_choose_the_agent(root):
    agent(root, "painter")
    agent(root, "zoologist")
    with serve(root) as server:
        c = client(server)
        wait_for("the agents", lambda: len(c.ask("GET", CARD).json["skills"]) == 3)
        c.result("SendMessage", {"message": message("/echo a"), "metadata": {"agent": "zoologist"}})
        c.work("/echo b", metadata={"skillId": "default"})
        c.work("/echo c")
        with sqlite3.connect(database(root)) as db:
            equal([a for (a,) in db.execute("SELECT agent FROM tasks ORDER BY n")],
                  ["zoologist", "default", "painter"])


@case
def the_shape_of_the_card_is_configured(root):
    for shape, has_old, has_new in (("hybrid", True, True), ("v1", False, True),
                                    ("v0.3", True, False)):
        user_config(root, f'{ON}card = "{shape}"\npublic_url = "https://agents.example.org/x/"\n')
        with serve(root) as server:
            card = client(server).ask("GET", CARD).json
            equal(("protocolVersion" in card, "supportedInterfaces" in card), (has_old, has_new))
            urls = [i["url"] for i in card.get("supportedInterfaces", [])] or [card["url"]]
            equal(urls[0], "https://agents.example.org/x/a2a")


@case
def without_its_agent_the_root_has_a_placeholder_card(root):
    user_config(root, ON + 'agent = "painter"\n')
    with serve(root) as server:
        c = client(server)
        for path in (CARD, LEGACY):
            wait_for("the agents", lambda path=path: "[a2a] agent" in c.ask("GET", path).json["description"])
            card = c.ask("GET", path).json
            equal((card["name"], [s["id"] for s in card["skills"]]), ("trefoil", ["trefoil"]))
        has(c.call("SendMessage", {"message": message("hello")}).json["error"]["message"],
            "there is no agent painter")
        agent(root, "painter")
        wait_for("its card", lambda: c.ask("GET", CARD).json["name"] == "painter")


@case
def wrong_settings_name_what_is_accepted(root):
    from harness import run  # pylint: disable=import-outside-toplevel
    for text, why in (('card = "round"', "hybrid, v1 or v0.3"), ('listen_path = "a2a"', "expected a path"),
                      ('listen_path = "/mcp"', "another route"), ('mode = "all"', "read-only or read-write"),
                      ('public_url = "ftp://x"', "expected a URL"), ("enabeld = true", "unknown key"),
                      ('input_modes = ["text"]', "media types")):
        user_config(root, ON + text + "\n")
        done = run("config", "check", root=root)
        has((done.stdout + done.stderr).decode(), why)
        equal(done.returncode != 0, True)


# ---- on and off ----------------------------------------------------------------------------------

@case
def without_configuration_it_is_on_and_with_one_only_if_it_says_so(root):
    for text, on in ((None, True), ("", False), ("[a2a]\n", False), (ON, True),
                     ("[a2a]\nenabled = false\n", False)):
        if text is not None:
            (root / "trefoil.toml").write_text(text)
        with serve(root) as server:
            c = client(server)
            equal(c.ask("GET", CARD).status, 200)
            equal(c.ask("GET", LEGACY).status, 200)
            if on:
                equal(state(c.work("/echo hi")), "completed")
                continue
            got = c.call("SendMessage", {"message": message("/echo hi")})
            equal(got.status, 503)
            has(got.body.decode(), "A2A disabled")
            equal(c.ask("GET", "/a2a/tasks/x").status, 503)
            equal(c.ask("GET", "/a2a/agents").status, 503)
            equal(c.ask("GET", "/tasks").status, 503)


@case
def commands_that_create_the_file_keep_it_on(root):
    from harness import run  # pylint: disable=import-outside-toplevel
    for command in (["init"], ["servers", "add", "x", "--", "true"]):
        (root / "trefoil.toml").unlink(missing_ok=True)
        equal(run(*command, cwd=root).returncode, 0)
        has((root / "trefoil.toml").read_text(), "[a2a]\nenabled = true\n")
        with serve(root) as server:
            equal(state(client(server).work("/echo hi")), "completed")


@case
def serve_says_whether_it_is_on_and_why(root):
    from harness import run  # pylint: disable=import-outside-toplevel
    with serve(root) as server:
        has(server.process.stdout.readline().decode(), "(on: there is no configuration file)")
    (root / "trefoil.toml").write_text("[a2a]\n")
    with serve(root) as server:
        has(server.process.stdout.readline().decode(), "A2A     off: ")
    done = run("config", "check", root=root)
    has((done.stdout + done.stderr).decode(), "enabled = true turns it on")


@case
def the_listen_path_is_configured(root):
    user_config(root, ON + 'listen_path = "/agents/a2a"\n')
    with serve(root) as server:
        c = client(server)
        has(c.ask("GET", CARD).json["url"], "/agents/a2a")
        equal(answer_of(c.result("SendMessage", {"message": message("/echo hi")},
                                 path="/agents/a2a")["task"]), "hi")
        equal(c.ask("GET", "/agents/a2a/agents").status, 200)
        equal(c.call("GetTask", {"id": "x"}).status, 404)


# ---- the same task in every dialect --------------------------------------------------------------

@case
def json_rpc_of_1_0(root):
    with serve(root) as server:
        c = client(server)
        for path in ("/", "/a2a", "/a2a/", "/a2a/default", "/a2a/default/"):
            task = c.result("SendMessage", {"message": message("/echo hi", messageId="m-1")},
                            path=path)["task"]
            equal(task["status"]["state"], "TASK_STATE_COMPLETED")
            equal(answer_of(task), "hi")
            equal([(m["messageId"], m["role"]) for m in task["history"]], [("m-1", "ROLE_USER")])
        equal("kind" in task, False)
        equal(c.get(task), task)
        equal(c.call("GetTask", {"id": task["id"]}, ident="a string").json["id"], "a string")


@case
def json_rpc_of_0_3(root):
    with serve(root) as server:
        c = client(server)
        task = c.result("message/send", {"message": message("/echo hi", "0.3")})
        equal((task["kind"], task["status"]["state"]), ("task", "completed"))
        equal(task["artifacts"][0]["parts"], [{"kind": "text", "text": "hi"}])
        equal(c.result("tasks/get", {"id": task["id"]}), task)
        equal(c.result("tasks/get", {"id": task["id"], "historyLength": 0}).get("history"), None)


@case
def json_rpc_of_0_1(root):
    with serve(root) as server:
        c = client(server)
        task = c.result("tasks/send", {"message": message("/echo hi", "0.1"), "sessionId": "s-1"})
        equal((task["sessionId"], state(task)), ("s-1", "completed"))
        equal(task["artifacts"][0]["parts"], [{"type": "text", "text": "hi"}])
        with c.stream("tasks/sendSubscribe", {"message": message("/echo a", "0.1")}) as stream:
            events = [e["result"] for _, e in stream]
        equal(events[-1]["final"], True)
        equal(state(events[-1]), "completed")
        # a task of this version is read in this version
        equal(c.result("tasks/get", {"id": task["id"]}), task)
        equal(c.result("tasks/get", {"id": task["id"]}, a2a_version="0.3")["kind"], "task")


@case
def http_json_of_1_0(root):
    with serve(root) as server:
        c = client(server)
        for base in ("", "/a2a/default"):
            got = c.ask("POST", base + "/message:send", {"message": message("/echo hi")})
            equal((got.status, got.headers["content-type"]), (200, "application/json"))
            task = got.json["task"]
            equal(answer_of(task), "hi")
            got = c.ask("GET", f"{base}/tasks/{task['id']}?historyLength=0",
                        accept="application/a2a+json, application/json")
            equal(got.headers["content-type"], "application/a2a+json")
            equal("history" in got.json, False)
            equal(c.ask("GET", f"{base}/tasks?pageSize=1").json["pageSize"], 1)
            got = c.ask("POST", f"{base}/message:send", {"message": message("/sleep 600"),
                        "configuration": {"return_immediately": True}},
                        content_type="application/a2a+json")
            ident = got.json["task"]["id"]
            equal(state(c.ask("POST", f"{base}/tasks/{ident}:cancel", b"").json), "canceled")


@case
def http_json_of_0_3(root):
    with serve(root) as server:
        c = client(server)
        body = {"message": message("/echo hi", "0.3-rest"), "configuration": {"blocking": True}}
        got = c.ask("POST", "/v1/message:send", body)
        equal(got.status, 201)
        task = got.json["task"]
        equal(task["status"]["state"], "TASK_STATE_COMPLETED")
        equal(task["history"][0]["content"], [{"text": "/echo hi"}])
        equal(c.ask("GET", f"/v1/tasks/{task['id']}").json, task)
        # without "blocking" it does not block
        got = c.ask("POST", "/v1/message:send", {"message": message("/sleep 600", "0.3-rest")}).json
        has(("submitted", "working"), state(got["task"]))
        ident = got["task"]["id"]
        equal(c.ask("POST", f"/v1/tasks/{ident}:cancel", {}).json["status"]["state"],
              "TASK_STATE_CANCELLED")


@case
def plain_rest(root):
    with serve(root) as server:
        c = client(server)
        task = c.ask("POST", "/a2a/tasks/send", {
            "jsonrpc": "2.0", "id": 1, "method": "tasks/send",
            "params": {"message": message("/echo hi", "0.1"), "sessionId": "s-1"}}).json
        equal((task["status"], task["sessionId"]), ("completed", "s-1"))
        equal(task["messages"], [{"role": "user", "parts": [{"type": "text", "text": "/echo hi"}]}])
        equal(task["artifacts"][0]["name"], "answer")
        equal(c.ask("GET", f"/a2a/tasks/{task['id']}").json, task)
        equal(c.ask("GET", "/a2a/tasks/unknown").status, 404)
        equal(c.ask("POST", "/a2a/tasks/unknown/cancel", b"").status, 404)
        equal(c.ask("POST", f"/a2a/tasks/{task['id']}/cancel", b"").status, 409)
        live = c.work("/sleep 600", blocking=False)
        equal(c.ask("POST", f"/a2a/tasks/{live['id']}/cancel", b"").json["status"], "canceled")


# ---- parts ---------------------------------------------------------------------------------------

@case
def every_kind_of_part_reaches_the_history_and_comes_back(root):
    sent = [{"text": "/echo parts"}, {"raw": "AAEC", "filename": "a.png", "mediaType": "image/png"},
            {"url": "https://example.org/x", "mediaType": "text/css"}, {"data": {"k": [1, None]}}]
    user_config(root, ON + 'input_modes = ["text/plain", "image/*", "text/css", "application/json"]\n')
    with serve(root) as server:
        c = client(server)
        task = c.result("SendMessage", {"message": message("", parts=sent)})["task"]
        equal(task["history"][0]["parts"], sent)
        # the same, as 0.3 writes it
        old = c.result("tasks/get", {"id": task["id"]})["history"][0]["parts"]
        equal([p["kind"] for p in old], ["text", "file", "file", "data"])
        equal(old[1]["file"], {"bytes": "AAEC", "name": "a.png", "mimeType": "image/png"})
        again = c.result("message/send", {"message": message("", "0.3", parts=old)})
        equal(again["history"][0]["parts"], old)


@case
def snake_case_is_accepted(root):
    with serve(root) as server:
        c = client(server)
        ask = c.work("/ask more?")
        task = c.result("SendMessage", {"message": {
            "message_id": "m", "task_id": ask["id"], "context_id": ask["contextId"],
            "role": "ROLE_USER", "parts": [{"text": "blue"}]}})["task"]
        equal((task["id"], state(task)), (ask["id"], "completed"))
        equal(len(c.result("ListTasks", {"page_size": 1, "context_id": ask["contextId"]})["tasks"]), 1)


@case
def an_artifact_is_in_the_task(root):
    with serve(root) as server:
        task = client(server).work("/artifact note.txt hello")
        note = [a for a in task["artifacts"] if a.get("name") == "note.txt"]
        equal([texts(a["parts"]) for a in note], ["hello"])


@case
def parts_of_the_plain_routes(root):
    user_config(root, ON + 'input_modes = ["text/plain", "image/png", "application/json"]\n')
    parts = [{"type": "text", "text": "/echo x"},
             {"type": "file", "name": "a.png", "mimeType": "image/png", "data": "AAEC"},
             {"type": "data", "mimeType": "application/json", "data": {"k": 1}}]
    with serve(root) as server:
        c = client(server)
        task = c.ask("POST", "/a2a/tasks/send", {"message": {"role": "user", "parts": parts},
                                                 "sessionId": "s-1"}).json
        equal(set(task), {"id", "sessionId", "status", "messages", "artifacts"})
        equal(len(task["id"]), 36)
        equal(task["messages"], [{"role": "user", "parts": parts}])
        equal(task["artifacts"][0]["parts"], [{"type": "text", "text": "x"}])


@case
def every_state_has_its_word_in_each_dialect(root):
    (root / "play.toml").write_text(
        '[[rule]]\ntext = "refuse"\nevent = [{ type = "end", stop = "refused", text = "no" }]\n'
        '[[rule]]\nevent = [{ type = "wait" }]\n')
    agent(root, "actor", "provider: script\nscript: play.toml\n")
    agent(root, "plain")
    with serve(root) as server:
        c = client(server)
        wait_for("the agents", lambda: c.ask("GET", "/a2a/plain" + CARD).status == 200)

        def words(task):
            return [c.ask("GET", f"/tasks/{task['id']}").json["status"]["state"],
                    c.result("tasks/get", {"id": task["id"]})["status"]["state"],
                    c.ask("GET", f"/v1/tasks/{task['id']}").json["status"]["state"],
                    c.ask("GET", f"/a2a/tasks/{task['id']}").json["status"]]

        def work(name, text, **more):
            return c.result("SendMessage", {"message": message(text), "configuration": more},
                            path="/a2a/" + name)["task"]

        slow = work("actor", "wait", returnImmediately=True)
        wait_for("work", lambda: words(slow)[1] == "working")
        for task, word in ((slow, "working"), (work("plain", "/echo x"), "completed"),
                           (work("plain", "/fail x"), "failed"),
                           (work("plain", "/ask x"), "input-required")):
            proto = "TASK_STATE_" + word.upper().replace("-", "_")
            equal(words(task), [proto, word, proto, word])
        c.result("CancelTask", {"id": slow["id"]})
        equal(words(slow), ["TASK_STATE_CANCELED", "canceled", "TASK_STATE_CANCELLED", "canceled"])
        equal(words(work("actor", "refuse")),
              ["TASK_STATE_REJECTED", "rejected", "TASK_STATE_REJECTED", "failed"])


# ---- turns ---------------------------------------------------------------------------------------

@case
def a_question_is_answered_by_the_next_message(root):
    with serve(root) as server:
        c = client(server)
        task = c.work("/ask which colour?")
        equal(state(task), "input-required")
        question = task["status"]["message"]
        equal((question["role"], question["parts"][0]["text"]), ("ROLE_AGENT", "which colour?"))
        has(question["parts"][1]["data"]["properties"], "answer")
        done = c.work("blue", taskId=task["id"])
        equal((done["id"], state(done)), (task["id"], "completed"))
        has(answer_of(done), "blue")
        equal([texts(m["parts"]) for m in done["history"]],
              ["/ask which colour?", "which colour?", "blue"])
        equal([m["role"] for m in c.get(task, historyLength=2)["history"]],
              ["ROLE_AGENT", "ROLE_USER"])


@case
def an_answer_may_be_data(root):
    with serve(root) as server:
        c = client(server)
        task = c.work("/ask which colour?")
        done = c.result("SendMessage", {"message": message(
            "", parts=[{"data": {"answer": "red"}}], taskId=task["id"])})["task"]
        has(answer_of(done), "red")


LOGIN = """
import json, sys
def send(**m): print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
call = None
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        send(id=m["id"], result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                 "serverInfo": {"name": "login", "version": "1"}})
    elif m.get("method") == "tools/list":
        send(id=m["id"], result={"tools": [{"name": "enter", "inputSchema": {"type": "object"},
                                            "annotations": {"readOnlyHint": True}}]})
    elif m.get("method") == "tools/call":
        call = m["id"]
        send(id="q", method="elicitation/create", params={
            "mode": "url", "message": "Log in", "url": "https://login.example.org/x",
            "elicitationId": "e1"})
    elif m.get("id") == "q":
        send(id=call, result={"content": [{"type": "text", "text": json.dumps(m.get("result"))}]})
    elif "id" in m and "method" in m:
        send(id=m["id"], error={"code": -32601, "message": "no"})
"""


@case
def a_permission_is_asked_for_and_a_login_is_auth_required(root):
    (root / "login.py").write_text(LOGIN)
    user_config(root, KEYS + f'[[mcp.servers]]\nname = "login"\ncommand = ["python3", "{root}/login.py"]\n'
                           'sandbox = "off"\n')
    with serve(root) as server:
        c = client(server, authorization="Bearer secret-of-a-0123456789")
        wait_for("the server", lambda: b"login_enter" in c.ask("GET", "/api/mcp/servers").body)
        ask = c.work("/call mcp_login_enter {}")
        equal(state(ask), "input-required")
        has(texts(ask["status"]["message"]["parts"]), "mcp_login_enter")
        # an unclear answer leaves the question open
        equal(state(c.work("perhaps", taskId=ask["id"])), "input-required")
        task = c.work("yes", taskId=ask["id"])
        equal((state(task), task["status"]["state"]), ("auth-required", "TASK_STATE_AUTH_REQUIRED"))
        has(texts(task["status"]["message"]["parts"]), "https://login.example.org/x")
        done = c.work("done", taskId=task["id"])
        equal(state(done), "completed")
        has(answer_of(done), "accept")


@case
def a_client_without_a_key_cannot_approve_a_call(root):
    (root / "login.py").write_text(LOGIN)
    user_config(root, ON + f'[[mcp.servers]]\nname = "login"\ncommand = ["python3", "{root}/login.py"]\n'
                           'sandbox = "off"\n')
    with serve(root) as server:
        c = client(server)
        wait_for("the server", lambda: b"login_enter" in c.ask("GET", "/api/mcp/servers").body)
        ask = c.work("/call mcp_login_enter {}")
        if state(ask) == "input-required":
            got = c.call("SendMessage", {"message": message("yes", taskId=ask["id"])})
            has(got.json["error"]["message"], "cannot approve")
            equal(state(c.get(ask)), "input-required")
            ask = c.work("no", taskId=ask["id"])
        equal(state(ask), "completed")
        equal("accept" in answer_of(ask), False)


@case
def a_context_continues_its_conversation(root):
    with serve(root) as server:
        c = client(server)
        first = c.work("/echo one", contextId="my-context")
        equal(first["contextId"], "my-context")
        second = c.work("/echo two", contextId="my-context")
        equal(second["id"] == first["id"], False)
        with sqlite3.connect(database(root)) as db:
            sessions = {s for (s,) in db.execute("SELECT session FROM tasks")}
        equal(len(sessions), 1)
        # a busy context: the new task works at once, in a copy of the conversation
        slow = c.work("/sleep 600", blocking=False, contextId="my-context")
        equal(state(c.work("/echo three", contextId="my-context")), "completed")
        listed = c.result("ListTasks", {"contextId": "my-context"})
        equal(listed["totalSize"], 4)
        c.result("CancelTask", {"id": slow["id"]})


@case
def a_message_waits_for_the_question_of_a_working_task(root):
    with serve(root) as server, ThreadPoolExecutor() as pool:
        c = client(server)
        (root / "play.toml").write_text(
            '[[rule]]\nevent = [{ type = "delay", delay_ms = 700 }, { type = "form", text = "Go on?" },'
            '{ type = "text", text = "Went on." }]\n')
        agent(root, "actor", "provider: script\nscript: play.toml\n")
        wait_for("the agent", lambda: c.ask("GET", "/a2a/actor" + CARD).status == 200)
        task = c.result("SendMessage", {"message": message("go"),
                                        "configuration": {"returnImmediately": True}},
                        path="/a2a/actor")["task"]
        # clients that leave while they wait have sent nothing
        for _ in range(10):
            with server.connect() as s:
                body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {
                    "message": message("no", taskId=task["id"])}}).encode()
                s.sendall(b"POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                          b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        done = pool.submit(c.work, "yes", taskId=task["id"]).result()
        equal((state(done), answer_of(done)), ("completed", "Went on."))


@case
def a_blocking_request_waits_no_longer_than_its_limit(root):
    user_config(root, ON + "[limits]\na2a_block_ms = 50\n")
    with serve(root) as server:
        c = client(server)
        task = c.work("/sleep 600")
        has(("submitted", "working"), state(task))
        c.result("CancelTask", {"id": task["id"]})


@case
def a_server_that_stops_answers_the_requests_that_wait(root):
    with ThreadPoolExecutor() as pool:
        with serve(root) as server:
            c = client(server)
            waiting = pool.submit(c.work, "/sleep 600", contextId="c-1")
            wait_for("the task", lambda: [t for t in c.result("ListTasks")["tasks"]
                                          if state(t) == "working"])
            server.leave()
            task = waiting.result()
            equal(state(task), "working")
        # the task is not lost
        with serve(root) as server:
            c = client(server)
            has(("submitted", "working"), state(c.get(task)))
            equal(state(c.result("CancelTask", {"id": task["id"]})), "canceled")


@case
def tasks_in_processes_of_their_own(root):
    user_config(root, ON + "[tasks]\nisolate = true\n")
    with serve(root) as server:
        c = client(server)
        equal(answer_of(c.work("/echo apart")), "apart")
        with c.stream("SendStreamingMessage", {"message": message("/echo apart")}) as stream:
            events = [e["result"] for _, e in stream]
        has(events[0], "task")
        equal(state(events[-1]["statusUpdate"]), "completed")
        ask = c.work("/ask more?")
        has(answer_of(c.work("blue", taskId=ask["id"])), "blue")


# ---- cancel and list -----------------------------------------------------------------------------

@case
def cancelling_ends_the_work(root):
    with serve(root) as server:
        c = client(server)
        task = c.work("/sleep 600", blocking=False)
        equal(state(c.result("CancelTask", {"id": task["id"]})), "canceled")
        equal(state(c.get(task)), "canceled")
        equal(c.call("CancelTask", {"id": c.work("/echo x")["id"]}).code, -32002)


@case
def lists_are_filtered_and_paged(root):
    with serve(root) as server:
        c = client(server)
        tasks = [c.work(f"/echo {i}", contextId=f"c-{i % 2}") for i in range(5)]
        tasks.append(c.work("/ask more?", contextId="c-ask"))
        ids = [t["id"] for t in reversed(tasks)]
        page = c.result("ListTasks", {"pageSize": 4})
        equal((page["pageSize"], page["totalSize"]), (4, 6))
        rest = c.result("ListTasks", {"pageSize": 4, "pageToken": page["nextPageToken"]})
        equal([t["id"] for t in page["tasks"] + rest["tasks"]], ids)
        equal(rest["nextPageToken"], "")
        equal(any("artifacts" in t for t in page["tasks"]), False)
        whole = c.result("ListTasks", {"includeArtifacts": True, "status": "TASK_STATE_COMPLETED"})
        equal(whole["totalSize"], 5)
        equal({answer_of(t) for t in whole["tasks"]}, {"0", "1", "2", "3", "4"})
        equal(c.result("ListTasks", {"contextId": "c-1"})["totalSize"], 2)
        since = c.get(tasks[-1])["status"]["timestamp"]
        equal(c.result("ListTasks", {"statusTimestampAfter": since})["totalSize"], 1)
        for wrong in ({"pageSize": 0}, {"pageSize": 101}, {"status": "ASLEEP"}, {"pageToken": "x"},
                      {"statusTimestampAfter": "yesterday"}, {"historyLength": -1}):
            equal(c.call("ListTasks", wrong).code, -32602)
        equal(c.ask("GET", "/tasks?pageSize=1000").status, 400)


@case
def a_hundred_tasks_of_one_context_are_listed(root):
    with serve(root) as server, ThreadPoolExecutor(8) as pool:
        c = client(server)
        made = list(pool.map(lambda i: c.work(f"/echo {i}", contextId="many")["id"], range(100)))
        equal(len(set(made)), 100)
        page = c.result("ListTasks", {"contextId": "many", "pageSize": 100})
        equal({t["id"] for t in page["tasks"]}, set(made))


@case
def new_work_is_refused_while_all_places_are_taken(root):
    user_config(root, ON + "[limits]\ntasks = 2\n")
    with serve(root) as server:
        c = client(server)
        live = [c.work("/ask more?") for _ in range(2)]
        got = c.call("SendMessage", {"message": message("/echo x")})
        equal((got.status, got.code), (200, -32603))
        has(got.json["error"]["message"], "tasks")
        equal(c.ask("POST", "/message:send", {"message": message("/echo x")}).status, 503)
        c.work("blue", taskId=live[0]["id"])
        # the oldest one that has ended makes room
        equal(state(c.work("/echo x")), "completed")
        equal(c.call("GetTask", {"id": live[0]["id"]}).code, -32001)
        equal(state(c.get(live[1])), "input-required")


# ---- errors --------------------------------------------------------------------------------------

@case
def errors_of_json_rpc(root):
    with serve(root) as server:
        c = client(server)
        done = c.work("/echo x")
        raw = [(b"{", -32700), (b"[]", -32600), (b"{}", -32600), (b'"x"', -32600),
               (b'{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600),
               (b'{"jsonrpc":"1.0","id":1,"method":"GetTask"}', -32600),
               (b'{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}', -32600),
               (b'{"jsonrpc":"2.0","id":1,"method":"tasks/forget"}', -32601)]
        for body, code in raw:
            got = c.ask("POST", "/a2a", body)
            equal((got.status, got.code), (200, code))
        wrong_type = c.ask("POST", "/a2a", b"{}", content_type="text/plain")
        equal((wrong_type.status, wrong_type.code), (415, -32005))
        calls = [("GetTask", {}, -32602), ("GetTask", {"id": "unknown"}, -32001),
                 ("GetTask", {"id": done["id"], "historyLength": -1}, -32602),
                 ("CancelTask", {"id": "unknown"}, -32001), ("CancelTask", {"id": done["id"]}, -32002),
                 ("SubscribeToTask", {"id": "unknown"}, -32001),
                 ("SubscribeToTask", {"id": done["id"]}, -32004),
                 ("GetExtendedAgentCard", {}, -32004),
                 ("SendMessage", {}, -32602),
                 ("SendMessage", {"message": message("x", messageId="")}, -32602),
                 ("SendMessage", {"message": {**message("x"), "parts": []}}, -32602),
                 ("SendMessage", {"message": {**message("x"), "role": "ROLE_AGENT"}}, -32602),
                 ("SendMessage", {"message": message("x", taskId="unknown")}, -32001),
                 ("SendMessage", {"message": message("x", taskId=done["id"])}, -32004),
                 ("SendMessage", {"message": message("x", taskId=done["id"], contextId="other")},
                  -32602),
                 ("SendMessage", {"message": message("", parts=[{"raw": "***"}])}, -32602),
                 ("SendMessage", {"message": message("", parts=[
                     {"raw": "AA==", "mediaType": "application/x-strange"}])}, -32005)]
        for method, params, code in calls:
            got = c.call(method, params)
            equal((method, params, got.status, got.code), (method, params, 200, code))
            equal(got.json["error"]["data"][0]["@type"], "type.googleapis.com/google.rpc.ErrorInfo")
        equal(c.call("GetTask", {"id": "unknown"}).reason, "TASK_NOT_FOUND")
        equal("data" in c.call("tasks/get", {"id": "unknown"}).json["error"], False)
        equal(c.call("agent/getAuthenticatedExtendedCard").code, -32007)


@case
def errors_of_http_json(root):
    with serve(root) as server:
        c = client(server)
        done = c.work("/echo x")
        rows = [("GET", "/tasks/unknown", None, 404, "NOT_FOUND"),
                ("POST", f"/tasks/{done['id']}:cancel", b"", 400, "FAILED_PRECONDITION"),
                ("POST", f"/tasks/{done['id']}:subscribe", b"", 400, "FAILED_PRECONDITION"),
                ("POST", "/message:send", b"{", 400, "INVALID_ARGUMENT"),
                ("POST", "/message:send", {"message": {}}, 400, "INVALID_ARGUMENT")]
        for method, path, body, status, word in rows:
            got = c.ask(method, path, body)
            equal((path, got.status, got.json["error"]["status"]), (path, status, word))
            equal(got.json["error"]["code"], status)
        equal(c.ask("POST", "/message:send", b"{}", content_type="text/plain").status, 415)
        old = c.ask("GET", "/v1/tasks/unknown")
        equal((old.status, old.json["code"]), (404, -32001))
        equal(c.ask("GET", "/tasks/x/y").status, 404)
        equal(c.ask("PUT", "/tasks/x").status, 405)


@case
def the_version_header(root):
    with serve(root) as server:
        c = client(server)
        for version in ("1.0", "1.0.1", "0.3", "0.3.0", ""):
            equal(state(c.result("SendMessage", {"message": message("/echo x")},
                                 a2a_version=version)["task"]), "completed")
        got = c.call("SendMessage", {"message": message("/echo x")}, a2a_version="99.0")
        equal((got.code, got.reason), (-32009, "VERSION_NOT_SUPPORTED"))
        equal(c.ask("GET", "/tasks", a2a_version="99.0").status, 400)
        # unknown extensions are ignored
        equal(state(c.result("SendMessage", {"message": message("/echo x")},
                             a2a_extensions="https://example.org/ext")["task"]), "completed")


@case
def huge_and_deep_bodies_are_refused(root):
    user_config(root, ON + "[limits]\nmessage_bytes = 65536\n")
    with serve(root) as server:
        c = client(server)
        big = c.ask("POST", "/a2a", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "SendMessage",
                    "params": {"message": message("", parts=[{"raw": "A" * 100000}])}}))
        has((413, 200), big.status)
        has(big.body.decode(), "error")
        deep = c.ask("POST", "/a2a", b"[" * 5000)
        has(deep.body.decode(), "error")
        many = message("", parts=[{"text": "x"}] * 101)
        equal(c.call("SendMessage", {"message": many}).code, -32602)


# ---- trust ---------------------------------------------------------------------------------------

@case
def only_cards_and_health_need_no_key(root):
    user_config(root, KEYS)
    with serve(root) as server:
        c = client(server)
        agent(root, "painter")
        for path in (CARD, LEGACY, "/health", "/a2a/default" + CARD, "/a2a/default" + LEGACY):
            equal((path, c.ask("GET", path).status), (path, 200))
        for path in ("/a2a/agents", "/tasks", "/a2a/tasks/x", "/extendedAgentCard"):
            equal((path, c.ask("GET", path).status), (path, 401))
        got = c.call("SendMessage", {"message": message("/echo x")})
        equal(got.status, 401)
        has(got.headers.get("www-authenticate", ""), "Bearer")
        card = c.ask("GET", CARD).json
        equal(card["securitySchemes"]["bearer"]["type"], "http")
        equal(card["securityRequirements"], [{"schemes": {"bearer": {"list": []}}}])
        equal(card["capabilities"]["extendedAgentCard"], True)
        keyed = client(server, authorization="Bearer secret-of-a-0123456789")
        equal(keyed.result("GetExtendedAgentCard")["name"], card["name"])
        equal(client(server, x_api_key="secret-of-b-0123456789").ask("GET", "/tasks").status, 200)


@case
def nobody_sees_the_tasks_of_others(root):
    user_config(root, KEYS)
    with serve(root) as server:
        a = client(server, authorization="Bearer secret-of-a-0123456789")
        b = client(server, authorization="Bearer secret-of-b-0123456789")
        mine = a.work("/ask more?", contextId="shared")
        for method in ("GetTask", "CancelTask", "SubscribeToTask"):
            equal(b.call(method, {"id": mine["id"]}).code, -32001)
        equal(b.call("SendMessage", {"message": message("x", taskId=mine["id"])}).code, -32001)
        equal(b.result("ListTasks")["totalSize"], 0)
        # the same context id is another context
        other = b.work("/echo x", contextId="shared")
        equal(b.result("ListTasks", {"contextId": "shared"})["totalSize"], 1)
        with sqlite3.connect(database(root)) as db:
            equal(len({s for (s,) in db.execute("SELECT session FROM tasks")}), 2)
        equal(state(a.work("blue", taskId=mine["id"])), "completed")
        equal(other["contextId"], "shared")


@case
def tasks_of_a2a_clients_only_read(root):
    with serve(root) as server:
        c = client(server)
        task = c.work('/call file_write {"path":"x.txt","content":"x"}')
        equal((root / "x.txt").exists(), False)
        with sqlite3.connect(database(root)) as db:
            equal(db.execute("SELECT mode FROM tasks WHERE id = ?", (task["id"],)).fetchone()[0],
                  "read-only")
            spec = json.loads(db.execute("SELECT spec FROM tasks").fetchone()[0])
        has(spec["taint"], "a2a")


@case
def the_sixth_hop_is_refused(root):
    with serve(root) as server:
        c = client(server)
        equal("result" in c.call("SendMessage", {"message": message("/echo x")},
                                 x_trefoil_trace_id="t", x_trefoil_depth="5").json, True)
        got = c.call("SendMessage", {"message": message("/echo x")}, x_trefoil_trace_id="t",
                     x_trefoil_depth="6")
        has(got.json["error"]["message"], "chain of agent calls")
        equal(got.code, -32004)
        # the spelling of the seed, and a malformed id
        got = c.call("SendMessage", {"message": message("/echo x")}, x_openstarry_trace_id="t",
                     x_openstarry_depth="6")
        has(got.json["error"]["message"], "chain of agent calls")
        equal(c.call("SendMessage", {"message": message("/echo x")},
                     x_trefoil_trace_id="t" * 300).code, -32600)


@case
def calls_of_one_trace_are_not_a_chain(root):
    parent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
    with serve(root) as server, ThreadPoolExecutor(20) as pool:
        c = client(server)

        def call(_):
            return state(c.result("SendMessage", {"message": message("/echo x")},
                                  traceparent=parent)["task"])

        equal({call(i) for i in range(20)}, {"completed"})
        equal(set(pool.map(call, range(20))), {"completed"})
        # a malformed traceparent begins a new trace
        equal(state(c.result("SendMessage", {"message": message("/echo x")},
                             traceparent="nonsense")["task"]), "completed")


@case
def clients_that_come_too_often_are_told_when_to_come_back(root):
    user_config(root, ON + "[limits]\nrate_local_per_min = 6\n")
    with serve(root) as server:
        c = client(server)
        got = [c.ask("GET", "/a2a/tasks/x").status for _ in range(7)]
        equal(got, [404] * 6 + [429])
        late = c.call("GetTask", {"id": "x"})
        equal(late.status, 429)
        has(late.json["error"]["message"], "try again in")


@case
def failures_say_why(root):
    with serve(root) as server:
        c = client(server)
        task = c.work("/fail it broke")
        equal(state(task), "failed")
        has(texts(task["status"]["message"]["parts"]), "it broke")


@case
def a_task_of_an_mcp_client_is_seen_over_a2a(root):
    with serve(root) as server:
        c = client(server)
        server.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        made = server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "dispatch_agent", "arguments": {"agent": "default", "task": "/ask which?"}}})
        [task] = wait_for("the question", lambda: [t for t in c.result("ListTasks")["tasks"]
                                                   if state(t) == "input-required"])
        has(made.body.decode(), task["id"])
        equal(texts(task["status"]["message"]["parts"]), "which?")
        with c.stream("SubscribeToTask", {"id": task["id"]}) as stream:
            seen = iter(stream)
            equal(state(next(seen)[1]["result"]["task"]), "input-required")
            done = c.work("blue", taskId=task["id"])
            equal(state([e["result"] for _, e in seen][-1]["statusUpdate"]), "completed")
        result = server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "get_task_status", "arguments": {"task_id": task["id"]}}})
        has(result.body.decode(), "completed")
        has(answer_of(done), "blue")
        has(result.body.decode(), "blue")


@case
def another_protocol_sees_the_same_task(root):
    with serve(root) as server:
        c = client(server)
        task = c.work("/ask more?")
        seen = c.ask("GET", f"/api/tasks/{task['id']}").json
        equal((seen["state"], seen["task"]), ("input_required", "/ask more?"))
        key = next(iter(seen["asks"]))
        c.ask("POST", f"/api/tasks/{task['id']}/answer",
              {"key": key, "answer": {"action": "accept", "content": {"answer": "green"}}})
        done = wait_for("the end", lambda: (lambda t: state(t) == "completed" and t)(c.get(task)))
        has(answer_of(done), "green")


main()
