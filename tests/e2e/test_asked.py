"""What a person is asked about a call: exactly what will run, in every face; and that nothing runs
unjudged after the answer."""
import json
import os
import signal

from asked_client import ASK, OFFLINE, ONCE, PROJECT, SESSION, Asked, definition, offered, own
from harness import Serve, case, equal, has, main, run, wait_for
from task_client import agent, read_write
from terminal import Terminal
from upstream import configure, server, text_of

META = "io.modelcontextprotocol/"

@case
def an_mcp_client_is_shown_what_will_run(root):
    project = root / "project"
    (project / "sub").mkdir(parents=True)
    (project / "a.txt").write_text("one\ntwo\nthree\n")
    with Asked(*own(root), root=project) as t:
        said = t.shown("shell_exec", argv=["git", "diff", "a b"], cwd="sub",
                       env={"GIT_EXTERNAL_DIFF": "evil", "API_TOKEN": "hunter2"}, input="y\n")
        for part in ("Allow mcp to run shell_exec?", "permission for tools of kind execute is ask",
                     "\n  tool: shell_exec", f"\n  working folder: {project}",
                     '\n  argv: ["git","diff","a b"]', "\n  cwd: sub", '"GIT_EXTERNAL_DIFF":"evil"',
                     '"API_TOKEN":"***"', "\n  input: y"):
            has(said, part)
        equal("hunter2" in said, False)
        has(t.shown("shell_exec", command="make; rm -rf x", shell=True), "\n  command: make; rm -rf x")
        said = t.shown("file_edit", path="a.txt", old_text="two", new_text="2")
        has(said, "\n  path: a.txt\n  changes: \n    | --- a/a.txt\n    | +++ b/a.txt\n"
            "    | @@ -1,3 +1,3 @@\n    |  one\n    | -two\n    | +2\n    |  three")
        said = t.shown("file_write", path="a.txt", content="one\nTWO\nthree\n")
        has(said, "    | -two\n    | +TWO\n    |  three")
        has(t.shown("file_write", path="new/b.txt", content="x\n", parents=True), "    | +x")
        said = t.shown("file_move", **{"from": "a.txt", "to": "sub/b.txt", "replace": True})
        has(said, "\n  from: a.txt\n  to: sub/b.txt\n  replace: true")
        has(t.shown("file_delete", path="sub", recursive=True), "\n  path: sub\n  recursive: true")
        has(t.shown("web_fetch", url="https://example.org/x?y"), "\n  url: https://example.org/x?y")
    equal((project / "a.txt").read_text(), "one\ntwo\nthree\n")


@case
def a_tool_of_a_server_is_shown_with_its_server(root):
    configure(root, server("calc"), head='[mcp.permission]\nexecute = "ask"\n')
    with Asked(root=root) as t:
        t.wait_tool("mcp_calc_echo")
        said = t.shown("mcp_calc_echo", text="hello", deep={"password": "hunter2", "list": [1, "two"]})
        has(said, "\n  tool: mcp_calc_echo, which is calc:echo of an MCP server\n  text: hello")
        has(said, '\n  deep: {"password":"***","list":[1,"two"]}')


@case
def no_text_looks_like_another_argument_or_moves_the_cursor(root):
    with Asked(*own(root), root=root) as t:
        said = t.shown("shell_exec", shell=True, command="rm x\n  cwd: safe\n\nAllow \x1b[2K\u202eit")
        has(said, "\n  command: rm x\n    |   cwd: safe\n    | \n    | Allow \\u{1b}[2K\\u{202e}it")


@case
def a_change_that_cannot_work_is_not_asked_about(root):
    (root / "a.txt").write_text("one\n")
    with Asked(*own(root), root=root) as t:
        t.begin("file_edit", path="a.txt", old_text="two", new_text="2")
        has(text_of(t.answer_to(7)), "old_text was not found in a.txt")
        t.begin("file_write", path="../out", content="x")
        has(text_of(t.answer_to(7)), "is outside the root")


@case
def what_is_too_long_to_be_shown_is_not_approved_by_a_client(root):
    # limits.ask_shown_bytes
    (root / "a.txt").write_text("one\n")
    words = own(root, ASK + "[limits]\nask_shown_bytes = 2000\n")
    with Asked(*words, root=root) as t:
        t.begin("file_write", path="a.txt", content="x\n" * 2000)
        has(text_of(t.answer_to(7)), "too long to show")
        t.begin("shell_exec", argv=["echo", "x" * 3000])
        has(text_of(t.answer_to(7)), "too long to show")
        # A small change of a large file is shown as a whole.
        large = "".join(f"{i}\n" for i in range(3000))
        (root / "large.txt").write_text(large)
        has(t.shown("file_write", path="large.txt", content=large.replace("\n1500\n", "\nx\n")),
            "    | -1500\n    | +x")
    equal((root / "a.txt").read_text(), "one\n")
    with Terminal(root, *words, '/call shell_exec {"argv":["echo","' + "x" * 3000 + '"]}') as t:
        t.wait_for("Allow it?")
        has(t.shown, "bytes more, not shown")
        t.type("n\n")
        t.leave()


@case
def an_agent_behind_mcp_asks_as_openly_and_for_one_call(root):
    agent(root, "helper")
    with Asked(*own(root), "--scope", "all", root=root) as t:
        for ident in (7, 8):  # what was allowed once is asked for again
            t.begin("trefoil_agent_helper", ident=ident,
                    message='/call shell_exec {"argv":["echo","made it"]}')
            question = t.question()
            has(question["params"]["message"], "Allow helper to run shell_exec?")
            has(question["params"]["message"], '\n  argv: ["echo","made it"]')
            offered(question["params"], ONCE, SESSION, PROJECT)
            t.reply(question, "accept", always=True)
            has(text_of(t.answer_to(ident)), "made it")


@case
def a_modern_client_cannot_approve_what_it_has_not_seen(root):
    meta = {META + "protocolVersion": "2026-07-28",
            META + "clientInfo": {"name": "e2e", "version": "1"},
            META + "clientCapabilities": {"elicitation": {}}}
    call = {"name": "shell_exec", "arguments": {"argv": ["touch", "made"]}, "_meta": meta}
    with Serve(*own(root), root=root, listen=f"unix:{root}/socket") as t:
        answer = t.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            **call, "inputResponses": {"trefoil_guard": {"action": "accept", "content": {}}}}},
            mcp_protocol_version="2026-07-28", mcp_method="tools/call", mcp_name="shell_exec",
            accept="application/json, text/event-stream").json()["result"]
        equal(answer["resultType"], "input_required")
        asked = answer["inputRequests"]["trefoil_guard"]["params"]
        has(asked["message"], '\n  argv: ["touch","made"]')
        offered(asked, ONCE, PROJECT)
    equal((root / "made").exists(), False)


@case
def run_and_tasks_show_it_too(root):
    words = own(root)
    shell = '/call shell_exec {"argv":["touch","made"],"env":{"A_KEY":"hunter2","B":"c"}}'
    parts = ('argv: ["touch","made"]', 'env: {"A_KEY":"***","B":"c"}', f"working folder: {root}")
    with Terminal(root, *words, shell) as t:
        t.wait_for("Allow it?")
        for part in parts:
            has(t.shown.replace("\r\n", ""), part)
        equal("hunter2" in t.shown.partition("Allow default")[2], False)
        t.type("n\n")
        t.leave()
    with Serve(*words, root=root, **OFFLINE) as t:
        made = t.request("POST", "/api/tasks", json.dumps({"task": shell}).encode(),
                         content_type="application/json").json()["id"]
        wait_for("the question", lambda: t.request("GET", "/api/approvals").json()["approvals"])
        faces = [t.request("GET", "/api/approvals").json()["approvals"][0]["message"],
                 t.request("GET", f"/api/tasks/{made}").json()["asks"]["ask_1"]["params"]["message"],
                 run("approvals", *words, root=root).stdout.decode(),
                 run("approvals", "show", made, *words, root=root).stdout.decode(),
                 json.loads(run("approvals", "--json", *words, root=root).stdout)[0]["message"]]
        for face in faces:
            for part in parts:
                has(face, part)
            equal("hunter2" in face, False)
        run("approvals", "deny", made, *words, root=root)
    equal((root / "made").exists(), False)


@case
def a_client_without_a_key_approves_nothing(root):
    with Serve(*own(root), root=root, **OFFLINE) as t:
        made = t.request("POST", "/api/tasks", json.dumps({"task": '/call shell_exec {"argv":["true"]}'})
                         .encode(), content_type="application/json").json()["id"]
        wait_for("the question", lambda: t.request("GET", "/api/approvals").json()["approvals"])
        for content in ({}, {"always": True}):
            answer = t.request("POST", f"/api/tasks/{made}/answer", json.dumps(
                {"answer": {"action": "accept", "content": content}}).encode(),
                content_type="application/json")
            equal(answer.status, 403)
            has(answer.json()["error"]["message"], "without a key cannot approve")
        answer = t.request("POST", f"/api/tasks/{made}/answer", b'{"answer":{"action":"decline"}}',
                           content_type="application/json")
        equal(answer.status, 200)


# ---- after the answer ---------------------------------------------------------------------------

def calls_seen(t):
    """The tools that the server was asked to run."""
    t.begin("mcp_calc_seen", ident=90)
    t.reply(t.question(), "accept")
    seen = json.loads(text_of(t.answer_to(90)))
    return [m["params"]["name"] for m in seen if m.get("method") == "tools/call"]


@case
def a_tool_whose_definition_changed_meanwhile_does_not_run(root):
    configure(root, server("calc"), head='[mcp.permission]\nexecute = "ask"\n')
    with Asked(root=root) as t:
        t.wait_tool("mcp_calc_echo")
        t.begin("mcp_calc_echo", ident=7, text="hello")
        first = t.question()
        t.begin("mcp_calc_add_tool", ident=8, name="echo")  # the server replaces it
        t.reply(t.question(), "accept")
        has(text_of(t.answer_to(8)), "added echo")
        wait_for("the new list", lambda: definition(t, "mcp_calc_echo") == "Was added.")
        t.reply(first, "accept")
        has(text_of(t.answer_to(7)), "its definition has changed")
        equal(calls_seen(t), ["add_tool", "seen"])
        # It can be called as it is now, and is asked about anew.
        t.begin("mcp_calc_echo", ident=7, text="hello")
        t.reply(t.question(), "accept")
        has(text_of(t.answer_to(7)), "hello")


class Modern(Serve):
    """A client of 2026-07-28, which comes back with its answers."""

    def __init__(self, *args, root):
        super().__init__(*args, root=root, listen=f"unix:{root}/socket")

    def call(self, name, arguments, **more):
        meta = {META + "protocolVersion": "2026-07-28",
                META + "clientInfo": {"name": "e2e", "version": "1"},
                META + "clientCapabilities": {"elicitation": {}}}
        return self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": name, "arguments": arguments, "_meta": meta, **more}},
            mcp_protocol_version="2026-07-28", mcp_method="tools/call", mcp_name=name,
            accept="application/json, text/event-stream").json()["result"]

    def begin(self):
        first = self.call("shell_exec", {"argv": ["touch", "made"]})
        equal(first["resultType"], "input_required")
        return first

    def accept(self, first):
        [key] = first["inputRequests"]
        return self.call("shell_exec", {"argv": ["touch", "made"]}, requestState=first["requestState"],
                         inputResponses={key: {"action": "accept", "content": {}}})

    def reload(self):
        """system_time tells whether the new rules are in force."""
        os.kill(self.pid, signal.SIGHUP)
        wait_for("the new rules", lambda: self.call("system_time", {}).get("isError"))


@case
def rules_that_deny_it_by_now_count(root):
    words = own(root)
    with Modern(*words, root=root) as t:
        first = t.begin()
        own(root, ASK.replace('execute = "ask"', 'execute = "deny"\nread = "deny"'))
        t.reload()
        answer = t.accept(first)
        has(answer["content"][0]["text"], "permission for tools of kind execute is deny")
    equal((root / "made").exists(), False)


@case
def another_reason_to_ask_is_asked_about_again(root):
    before = '[mcp]\nmode = "read-write"\npermission = { execute = "ask" }\n'
    words = own(root, before)
    with Modern(*words, root=root) as t:
        first = t.begin()
        own(root, before + '[guard.permission]\nexecute = "ask"\nread = "deny"\n')
        t.reload()
        second = t.accept(first)
        equal(second["resultType"], "input_required")
        has(next(iter(second["inputRequests"].values()))["params"]["message"], "is ask in [guard]")
        equal((root / "made").exists(), False)
        equal(t.accept(second).get("isError"), None)
    equal((root / "made").exists(), True)


main()
