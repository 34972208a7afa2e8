"""Agents as tools of MCP clients, over stdio and HTTP: listed, called, watched, cancelled."""
import json
import pathlib
import re
import sqlite3
import tempfile

from harness import (CLIENT_TOOLS, Serve, Stdio, case, database, equal, has, hints, main, request,
                     wait_for)
from mcp_http import BOTH, META, begin, modern

OFFLINE = {"TREFOIL_PROVIDER": "offline"}
ABOUT_AGENTS = ["list_agents", "agent_send", "dispatch_agent", "get_task_status", "cancel_task",
                *CLIENT_TOOLS]


def agent(root, name, keys="", persona="You help."):
    folder = root / ".trefoil" / "agents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(
        f"---\ndescription: What {name} does.\n{keys}---\n{persona}\n")


def read_write():
    """A configuration of the user's own that lets clients change things."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="trefoil-own-")) / "own.toml"
    path.write_text('[mcp]\nmode = "read-write"\n')
    return "--config", str(path)


def read_only():
    path = pathlib.Path(tempfile.mkdtemp()) / "own.toml"
    path.write_text('[mcp]\nmode = "read-only"\n')
    return "--config", str(path)


class Agents(Stdio):
    """`trefoil mcp` as it comes."""

    def __init__(self, *args, root, scope="agents", **env):
        super().__init__(*args, root=root, scope=scope, **OFFLINE, **env)
        self.initialize()
        self.told = []

    def answer(self, ident):
        """The answer to a request; what comes before it is kept in `told`."""
        while True:
            message = self.receive()
            if message.get("id") == ident and "method" not in message:
                return message
            self.told.append(message)

    def ask(self, method, params=None, ident=1):
        self.send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params or {}})
        return self.answer(ident)

    def names(self):
        return [t["name"] for t in self.ask("tools/list")["result"]["tools"]]

    def use(self, tool, message, ident=1, **more):
        """Call an agent; its result."""
        params = {"name": tool, "arguments": {"message": message, **more}}
        return self.ask("tools/call", params, ident)["result"]


def text(result):
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


def stored(root, query):
    with sqlite3.connect(database(root)) as db:
        return db.execute(query).fetchall()


def nested(depth, last):
    """A message with which the default agent calls itself, so many times."""
    for _ in range(depth):
        last = "/call agent_send " + json.dumps({"message": last})
    return last


def changes(t):
    """Clients are told that there are other tools and other resources."""
    equal({t.receive()["method"] for _ in range(2)},
          {"notifications/tools/list_changed", "notifications/resources/list_changed"})


# ---- what is listed ------------------------------------------------------------------------------

@case
def every_agent_is_a_tool_with_a_message(root):
    agent(root, "code-reviewer")
    with Agents(root=root) as t:
        equal(t.names(), [*ABOUT_AGENTS, "trefoil_agent_code_reviewer", "trefoil_agent_default"])
        tool = t.ask("tools/list")["result"]["tools"][-2]
        equal(tool["title"], "code-reviewer")
        equal(tool["description"], "Call the agent `code-reviewer`. Its answer may take minutes. "
              "What code-reviewer does.")
        equal(tool["inputSchema"]["required"], ["message"])
        equal(tool["inputSchema"]["properties"]["message"]["type"], "string")
        equal((hints(tool)["readOnlyHint"], hints(tool)["openWorldHint"]), (False, True))


@case
def http_offers_tools_and_agents(root):
    agent(root, "x")
    with Serve(root=root, **OFFLINE) as s:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        names = [t["name"] for t in s.post(body).json()["result"]["tools"]]
        for name in ("file_read", "agent_send", "trefoil_agent_x", "trefoil_agent_default"):
            equal(names.count(name), 1)


@case
def scopes_say_what_is_offered(root):
    agent(root, "x")
    with Agents(root=root, scope="tools") as t:
        names = t.names()
        equal("file_read" in names and "trefoil_agent_x" not in names, True)
        has(t.use("agent_send", "/echo here", agent="x")["structuredContent"]["answer"], "here")
    with Agents(root=root, scope="all") as t:
        names = t.names()
        equal("file_read" in names and "trefoil_agent_x" in names, True)


@case
def names_that_meet_are_told_apart(root):
    agent(root, "a-b")
    agent(root, "a.b", "name: a.b\n")
    with Agents(root=root) as t:
        names = [n for n in t.names() if n.startswith("trefoil_agent_a")]
        equal(len(set(names)), 2)
        for name in names:
            equal(bool(re.fullmatch(r"trefoil_agent_a_b_[0-9a-f]{8}", name)), True)


@case
def a_file_that_comes_is_a_tool_and_clients_are_told(root):
    with Agents(root=root) as t:
        equal(t.names(), [*ABOUT_AGENTS, "trefoil_agent_default"])
        t.told.clear()
        agent(root, "fresh")
        changes(t)
        equal("trefoil_agent_fresh" in t.names(), True)
        has(text(t.use("trefoil_agent_fresh", "/echo hello")), "hello")
        uris = [r["uri"] for r in t.ask("resources/list")["result"]["resources"]]
        equal("agents://fresh" in uris, True)
        (root / ".trefoil" / "agents" / "fresh.md").unlink()
        changes(t)
        equal("trefoil_agent_fresh" in t.names(), False)
        uris = [r["uri"] for r in t.ask("resources/list")["result"]["resources"]]
        equal("agents://fresh" in uris, False)
        equal(t.ask("resources/read", {"uri": "agents://fresh"})["error"]["code"], -32002)


@case
def agents_are_resources(root):
    agent(root, "x", "tools: file_read\ntier: low\nmax_turns: 7\nbudget: 1.5\neffort: high\n",
          "You are X.")
    with Agents(root=root) as t:
        uris = [r["uri"] for r in t.ask("resources/list")["result"]["resources"]]
        equal(uris[-3:], ["agents://", "agents://default", "agents://x"])
        templates = t.ask("resources/templates/list")["result"]["resourceTemplates"]
        equal([r["uriTemplate"] for r in templates], ["agents://{name}"])
        answer = t.ask("resources/read", {"uri": "agents://"})["result"]["contents"][0]
        equal(answer["mimeType"], "application/json")
        equal({a["name"] for a in json.loads(answer["text"])["agents"]}, {"default", "x"})
        one = t.ask("resources/read", {"uri": "agents://x"})["result"]["contents"][0]
        equal(one["mimeType"], "application/json")
        one = json.loads(one["text"])
        equal({k: one[k] for k in ("name", "description", "tier", "default_mode", "tools",
                                   "max_turns", "budget", "allowed_tools", "effort")},
              {"name": "x", "description": "What x does.", "tier": "low",
               "default_mode": "read-write", "tools": ["file_read"], "max_turns": 7,
               "budget": 1.5, "allowed_tools": ["file_read"], "effort": "high"})
        equal(isinstance(one["default_model"], str), True)
        equal(one["card"]["description"], "What x does.")
        has(one["definition"]["persona"], "You are X.")
        equal(one["definition"]["allowed_tools"], ["file_read"])
        equal(t.ask("resources/read", {"uri": "agents://nobody"})["error"]["code"], -32002)


@case
def a_private_agent_is_not_offered(root):
    agent(root, "x")
    (root / "trefoil.toml").write_text('[mcp]\nprivate_tools = ["trefoil_agent_x"]\n')
    with Agents(root=root) as t:
        equal("trefoil_agent_x" in t.names(), False)


# ---- what is done --------------------------------------------------------------------------------

@case
def the_answer_is_text(root):
    agent(root, "x")
    with Agents(root=root) as t:
        result = t.use("trefoil_agent_x", "/echo hi")
        equal(result["content"], [{"type": "text", "text": "hi"}])
        equal(result["structuredContent"]["answer"], "hi")
        equal(result["structuredContent"]["stop"], "end")
        equal("isError" in result, False)
        failed = t.use("trefoil_agent_x", "/fail on purpose")
        equal(failed["isError"], True)
        has(text(failed), "on purpose")
        equal(t.use("trefoil_agent_x", "")["isError"], True)
        made = t.use("trefoil_agent_x", "/artifact notes.txt remember")
        resources = [b["resource"] for b in made["content"] if b["type"] == "resource"]
        equal([r["text"] for r in resources], ["remember"])


@case
def the_first_message_may_be_a_call(root):
    agent(root, "x")
    for scope in ("agents", "tools"):
        with Stdio(root=root, scope=scope, **OFFLINE) as t:
            meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {}}
            name = "trefoil_agent_x" if scope == "agents" else "agent_send"
            t.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "_meta": meta, "name": name, "arguments": {"message": "/echo early"}}})
            answer = t.receive()
            while "id" not in answer:
                answer = t.receive()
            has(text(answer["result"]), "early")


@case
def progress_tells_what_it_says_and_does(root):
    (root / "a.txt").write_text("content of a\n")
    with Agents(root=root) as t:
        params = {"name": "trefoil_agent_default", "_meta": {"progressToken": "p"},
                  "arguments": {"message": "/read a.txt"}}
        has(text(t.ask("tools/call", params)["result"]), "content of a")
        told = [m["params"] for m in t.told if m["method"] == "notifications/progress"]
        equal({p["progressToken"] for p in told}, {"p"})
        steps = [p["progress"] for p in told]
        equal(steps, sorted(set(steps)))
        has([p["message"] for p in told], "file_read: running")
        has([p["message"] for p in told], "file_read: done")
        t.told.clear()
        t.use("trefoil_agent_default", "/read a.txt")
        equal([m for m in t.told if m["method"] == "notifications/progress"], [])


@case
def a_cancelled_call_ends_its_turn(root):
    with Agents(root=root) as t:
        t.names()
        t.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
            "name": "trefoil_agent_default", "arguments": {"message": "/sleep 3000"}}})
        wait_for("the turn", lambda: database(root).exists() and stored(
            root, "SELECT 1 FROM turns WHERE finished = 0"))
        t.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": 7, "reason": "enough"}})
        wait_for("its end", lambda: stored(root, "SELECT 1 FROM turns WHERE finished = 1"))
        has(stored(root, "SELECT body FROM events WHERE kind = 'end'")[0][0], '"canceled"')
        has(text(t.use("trefoil_agent_default", "/echo still here", ident=8)), "still here")


@case
def a_call_may_be_cancelled_at_any_moment(root):
    with Agents(root=root) as t:
        t.names()
        first = t.use("trefoil_agent_default", "/echo one")["structuredContent"]["session_id"]
        for n in range(100, 200):
            more = {"session_id": first} if n % 10 == 0 else {}
            t.send(b"".join(json.dumps(m).encode() + b"\n" for m in (
                {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {
                    "name": "trefoil_agent_default",
                    "arguments": {"message": "/sleep 3000", **more}}},
                {"jsonrpc": "2.0", "method": "notifications/cancelled",
                 "params": {"requestId": n}})))
        has(text(t.use("trefoil_agent_default", "/echo still here", session_id=first)),
            "still here")
        wait_for("all turns", lambda: not stored(root, "SELECT 1 FROM turns WHERE finished = 0"))
    equal(stored(root, "SELECT 1 FROM sessions WHERE process != ''"), [])


@case
def over_http_too(root):
    agent(root, "x")
    with Serve(root=root, **OFFLINE) as s:
        session = begin(s)
        call = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {
            "name": "trefoil_agent_x", "arguments": {"message": "/echo hi"},
            "_meta": {"progressToken": 1}}}
        answer = s.post(call, accept=BOTH, mcp_session_id=session)
        has(answer.body.decode(), '"text":"hi"')
        has(answer.body.decode(), "notifications/progress")
        call["params"]["arguments"]["message"] = "/sleep 3000"
        with s.connect() as waiting:
            waiting.sendall(request("POST", "/mcp", json.dumps(call).encode(), accept=BOTH,
                                    content_type="application/json", mcp_session_id=session))
            wait_for("the turn", lambda: stored(root, "SELECT 1 FROM turns WHERE finished = 0"))
            s.post({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": 5}}, mcp_session_id=session)
            wait_for("its end", lambda: not stored(root, "SELECT 1 FROM turns WHERE finished = 0"))
        has(stored(root, "SELECT body FROM events WHERE kind = 'end'")[-1][0], '"canceled"')


@case
def a_session_id_goes_on_with_the_conversation(root):
    agent(root, "x")
    with Agents(root=root) as t:
        first = t.use("trefoil_agent_x", "/echo one")["structuredContent"]
        second = t.use("trefoil_agent_x", "/echo two", session_id=first["session_id"])
        equal(second["structuredContent"]["session_id"], first["session_id"])
        equal(text(second), "two")
        other = t.use("trefoil_agent_default", "/echo three", session_id=first["session_id"])
        equal(other["isError"], True)
        has(text(other), "belongs to the agent x")
        by_name = t.use("agent_send", "/echo four", session_id=first["session_id"])
        equal(by_name["structuredContent"]["session_id"], first["session_id"])
        none = t.use("trefoil_agent_x", "hi", session_id="01890000-0000-7000-8000-000000000000")
        equal(none["isError"], True)
    with Agents(root=root) as t:
        again = t.use("trefoil_agent_x", "/echo five", session_id=first["session_id"])
        equal(text(again), "five")
    equal(len(stored(root, "SELECT 1 FROM sessions")), 1)
    equal(len(stored(root, "SELECT 1 FROM events WHERE kind = 'prompt'")), 4)


# ---- what is not ---------------------------------------------------------------------------------

@case
def the_sixth_agent_in_a_chain_is_refused(root):
    with Agents(root=root) as t:
        has(text(t.use("trefoil_agent_default", nested(4, "/echo deep"))), "deep")
        has(text(t.use("trefoil_agent_default", nested(5, "/echo deep"))), "longer than 5")


@case
def a_child_does_no_more_than_its_parent(root):
    write = '/call file_write {"path":"made.txt","content":"x"}'
    agent(root, "looker", "mode: read-only\n")
    with Agents(*read_only(), root=root) as t:
        has(text(t.use("trefoil_agent_default", write)), "read-only")
        has(text(t.use("trefoil_agent_default", nested(2, write))), "read-only")
        fetch = '/call web_fetch {"url":"http://127.0.0.1:1/"}'
        has(text(t.use("trefoil_agent_default", fetch)), "unknown tool web_fetch")
    with Agents(*read_write(), root=root) as t:
        has(text(t.use("trefoil_agent_looker", write)), "read-only")
        has(text(t.use("trefoil_agent_looker", nested(1, write))), "read-only")
        has(text(t.use("trefoil_agent_default", write, mode="read-only")), "read-only")
        equal((root / "made.txt").exists(), False)
        t.use("trefoil_agent_default", write)
        equal((root / "made.txt").read_text(), "x")


@case
def the_name_that_openfang_gives_an_agent_is_accepted_and_not_listed(root):
    agent(root, "code-reviewer")
    with Agents(root=root) as t:
        has(t.names(), "trefoil_agent_code_reviewer")
        equal([n for n in t.names() if n.startswith("openfang")], [])
        equal(text(t.use("openfang_agent_code_reviewer", "/echo hello")), "hello")
        equal(text(t.use("openfang_agent_default", "/echo hi")), "hi")
        has(json.dumps(t.ask("tools/call", {"name": "openfang_agent_nobody", "arguments": {}})), "Unknown tool")
    with Serve(root=root, **OFFLINE) as s:
        answer = s.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "openfang_agent_default", "arguments": {"message": "/echo hi"}}}, accept=BOTH)
        equal(answer.json()["result"]["content"], [{"type": "text", "text": "hi"}])


FIVE = ["coder", "reviewer", "tester", "writer", "planner"]
LIST_MOST = 12 * 1024


def calls(t, name, arguments):
    return json.dumps(t.ask("tools/call", {"name": name, "arguments": arguments}))


def is_short(tools):
    size = len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode())
    equal(size <= LIST_MOST or size, True)
    names = [tool["name"] for tool in tools]
    equal(len(names), len(set(names)))
    return {tool["name"]: tool["inputSchema"]["properties"] for tool in tools}


@case
def the_list_for_clients_is_short_in_both_eras(root):
    for name in FIVE:
        agent(root, name)
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with Agents(root=root) as t:
        legacy = is_short(t.ask("tools/list")["result"]["tools"])
    with Stdio(root=root, scope="agents", **OFFLINE) as t:
        equal(is_short(t.call("tools/list", {"_meta": META})["result"]["tools"]), legacy)
    with Serve(root=root, **OFFLINE) as s:
        for version in ("2025-03-26", "2025-11-25"):
            answer = s.post(listing, mcp_protocol_version=version)
            both = is_short(answer.json()["result"]["tools"])
            equal({name: both[name] for name in legacy}, legacy)
        equal(is_short(modern(s, "tools/list").json()["result"]["tools"]), both)


@case
def what_can_be_chosen_is_listed(root):
    agent(root, "coder")
    with Agents(root=root) as t:
        tools = {x["name"]: x for x in t.ask("tools/list")["result"]["tools"]}
        dispatch = tools["dispatch_agent"]["inputSchema"]["properties"]
        equal(sorted(dispatch["agent"]["enum"]), ["coder", "default"])
        equal(tools["agent_send"]["inputSchema"]["properties"]["agent"]["enum"], dispatch["agent"]["enum"])
        has(dispatch["effort"]["enum"], "low")
        has(dispatch["output_format"]["enum"], "json")
        equal(dispatch["mode"]["enum"], ["read-only", "read-write"])
        for key in ("agent", "effort", "output_format", "mode"):
            equal(bool(dispatch[key]["description"]), True)
        has(calls(t, "dispatch_agent", {"agent": "coda", "task": "x"}), "coder")


def agents_to_choose(t):
    tools = t.ask("tools/list")["result"]["tools"]
    return [x["inputSchema"]["properties"]["agent"]["enum"] for x in tools
            if x["name"] in ("agent_send", "dispatch_agent")]


@case
def an_agent_that_is_added_can_be_chosen(root):
    agent(root, "coder")
    for scope in ("agents", "all"):
        with Agents(root=root, scope=scope) as t:
            before = agents_to_choose(t)[0]
            added = "late" + scope
            equal(added in before, False)
            t.told.clear()
            agent(root, added)
            while "notifications/tools/list_changed" not in [m.get("method") for m in t.told]:
                t.told.append(t.receive())
            wait_for("the new agent", lambda: all(added in names for names in agents_to_choose(t)))
            (root / ".trefoil" / "agents" / f"{added}.md").unlink()
            wait_for("its end", lambda: agents_to_choose(t) == [before, before])


@case
def clients_are_told_when_to_use_which_tool(root):
    agent(root, "coder")

    def check(said):
        for part in ("trefoil_agent_NAME", "blocks", "minutes", "dispatch_agent", "get_task_status",
                     "session_id", "input_required", "answer_task"):
            has(said["instructions"], part)

    with Stdio(root=root, scope="agents", **OFFLINE) as t:
        check(t.initialize())
    with Stdio(root=root, scope="agents", **OFFLINE) as t:
        check(t.call("server/discover", {"_meta": META})["result"])
    with Serve(root=root, **OFFLINE) as s:
        check(modern(s, "server/discover").json()["result"])
        check(s.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}}}).json()["result"])


@case
def only_clients_are_told_of_resources(root):
    with Agents(root=root) as t:
        has(calls(t, "list_agents", {}), "resources/read")
        said = calls(t, "trefoil_agent_default", {"message": "/call list_agents {}"})
        has(said, "default")
        equal("resources/read" in said, False)


@case
def an_old_name_of_a_tool_is_the_listed_tool_to_every_list(root):
    (root / "trefoil.toml").write_text('[mcp]\nprivate_tools = ["list_agents", "task_cancel"]\n')
    with Agents(root=root) as t:
        names = [x["name"] for x in t.ask("tools/list")["result"]["tools"]]
        equal([n for n in names if n in ("list_agents", "agent_list", "cancel_task", "task_get")], [])
        for name in ("list_agents", "agent_list"):
            has(calls(t, name, {}), "Unknown tool")
        for name in ("cancel_task", "task_cancel"):
            has(calls(t, name, {"task_id": "x"}), "Unknown tool")
        has(calls(t, "task_get", {"task_id": "x"}), "there is no task x")


@case
def an_agent_that_is_private_by_either_name_cannot_be_called(root):
    agent(root, "one")
    agent(root, "two")
    (root / "trefoil.toml").write_text(
        '[mcp]\nprivate_tools = ["openfang_agent_one", "trefoil_agent_two"]\n')
    with Agents(root=root) as t:
        equal([n for n in t.names() if n.endswith(("_one", "_two"))], [])
        for name in ("one", "two"):
            for prefix in ("openfang_agent_", "trefoil_agent_"):
                has(calls(t, prefix + name, {"message": "/echo hi"}), "Unknown tool")
        has(calls(t, "openfang_agent_default", {"message": "/echo hi"}), "hi")


@case
def an_agent_cannot_call_by_an_old_name_what_it_is_denied(root):
    agent(root, "plain", "disallowed_tools: [dispatch_agent, task_get]\n")
    with Agents(root=root) as t:
        for name in ("agent_dispatch", "dispatch_agent", "task_get", "get_task_status"):
            said = calls(t, "trefoil_agent_plain", {"message": "/call " + name + " {}"})
            has(said, f"Failed: unknown tool {name};")
        has(calls(t, "trefoil_agent_plain", {"message": "/call agent_list {}"}), "plain")


main()
