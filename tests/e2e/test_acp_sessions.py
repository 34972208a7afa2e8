"""`trefoil acp`: sessions that are loaded, resumed, listed, forked, closed and deleted."""
import json
import os
import pathlib
import signal

from acp_client import Acp
from harness import case, database, equal, has, main, run, wait_for
from task_client import agent

PLAY = '''
[[rule]]
text = "work"
event = [
  { type = "thought", text = "Let me see." },
  { type = "text", text = "I look first." },
  { type = "tool", id = "t1", name = "own", kind = "read", status = "running", args = { path = "x" } },
  { type = "tool", id = "t1", status = "done", text = "what it read" },
  { type = "plan", entries = [{ content = "look", priority = "high", status = "completed" }] },
  { type = "text", text = "Done." },
]
[[rule]]
text = "wait"
event = [{ type = "text", text = "Working" }, { type = "wait" }]
[[rule]]
event = [{ type = "text", text = "ok" }]
'''


def actor(root):
    (root / "play.toml").write_text(PLAY)
    agent(root, "actor", "provider: script\nscript: play.toml\n")


def shape(updates):
    """What a client shows: kinds of updates with their texts, joined per message."""
    out = []
    for u in updates:
        kind = u["sessionUpdate"]
        if kind.endswith("_chunk"):
            text = u["content"].get("text", "")
            if out and out[-1][0] == kind and out[-1][2] == u.get("messageId"):
                out[-1][1] += text
            else:
                out.append([kind, text, u.get("messageId")])
        elif kind == "plan":
            out.append([kind, u["entries"][0]["content"], None])
        elif kind == "tool_call":
            out.append([kind, u["title"], None])
        elif kind == "tool_call_update" and u["status"] in ("completed", "failed"):
            out.append([kind, u["status"], None])
    return [(kind, text) for kind, text, _ in out]


@case
def load_replays_the_conversation_in_order_and_then_answers(root):
    actor(root)
    with Acp("--agent", "actor", root=root) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "work"), "end_turn")
        live = shape(acp.updates(session))
    with Acp(root=root) as acp:
        number = acp.start("session/load", sessionId=session, cwd=str(root), mcpServers=[])
        result = acp.wait(number)
        equal(sorted(result), ["configOptions", "modes"])
        replayed = shape(acp.updates(session))
        equal(replayed, [("user_message_chunk", "work"), *live])
        equal(acp.messages[-1]["id"], number)
        agents = next(o for o in result["configOptions"] if o["id"] == "agent")
        equal(agents["currentValue"], "actor")
        acp.forget()
        equal(acp.prompt(session, "more"), "end_turn")  # it goes on with the same agent
        equal(acp.text(session), "ok")


@case
def a_diff_is_replayed(root):
    (root / "a.txt").write_text("old")
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call file_write {"path":"a.txt","content":"new"}')
    with Acp(root=root) as acp:
        acp.call("session/load", sessionId=session, cwd=str(root), mcpServers=[])
        last = acp.updates(session, "tool_call_update")[-1]
        diff = [c for c in last["content"] if c["type"] == "diff"]
        equal(diff, [{"type": "diff", "path": str(root / "a.txt"), "oldText": "old",
                      "newText": "new"}])


@case
def resume_replays_nothing(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, "/echo hello")
    with Acp(root=root) as acp:
        acp.call("session/resume", sessionId=session, cwd=str(root))
        equal([u for u in acp.updates(session) if u["sessionUpdate"].endswith("_chunk")], [])
        equal(acp.prompt(session, "/echo again"), "end_turn")


@case
def a_session_without_a_turn_can_be_loaded(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
    with Acp(root=root) as acp:
        has(acp.call("session/load", sessionId=session, cwd=str(root), mcpServers=[]), "modes")
        equal(shape(acp.updates(session)), [])


@case
def a_session_can_be_loaded_after_a_crash(root):
    actor(root)
    acp = Acp("--agent", "actor", root=root)
    session = acp.new()["sessionId"]
    equal(acp.prompt(session, "work"), "end_turn")
    acp.prompt_start(session, "wait")
    acp.until(lambda m: m.get("params", {}).get("update", {}).get("content", {}) ==
              {"type": "text", "text": "Working"})
    os.kill(acp.pid, signal.SIGKILL)
    acp.expect = -signal.SIGKILL
    acp.told = True
    acp.process.wait()
    acp.__exit__(None, None, None)
    with Acp(root=root) as acp:
        wait_for("the session", lambda: acp.start("session/load", sessionId=session,
                                                  cwd=str(root), mcpServers=[]))
        acp.wait(acp.number)
        has(shape(acp.updates(session)), ("user_message_chunk", "work"))
        has(shape(acp.updates(session)), ("user_message_chunk", "wait"))
        equal(acp.prompt(session, "more"), "end_turn")


@case
def a_session_that_is_open_here_can_be_loaded_again(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, "/echo hello")
        acp.forget()
        acp.call("session/load", sessionId=session, cwd=str(root), mcpServers=[])
        equal(shape(acp.updates(session)),
              [("user_message_chunk", "/echo hello"), ("agent_message_chunk", "hello")])
        prompt = acp.prompt_start(session, "/sleep 600")
        equal(acp.fails("session/load", sessionId=session, cwd=str(root), mcpServers=[]).code,
              -32600)
        acp.notify("session/cancel", sessionId=session)
        equal(acp.wait(prompt)["stopReason"], "cancelled")


@case
def a_session_in_use_by_another_process_is_refused(root):
    with Acp(root=root) as one, Acp(root=root) as two:
        session = one.new()["sessionId"]
        error = two.fails("session/load", sessionId=session, cwd=str(root), mcpServers=[])
        equal(error.code, -32603)
        equal(one.prompt(session, "/echo still mine"), "end_turn")


@case
def the_list_covers_all_roots_page_by_page(root):
    other = root.parent / (root.name + "-other")
    (root / ".git").mkdir()
    (other / ".git").mkdir(parents=True)
    try:
        with Acp(root=root) as acp:
            here = [acp.new()["sessionId"] for _ in range(103)]
            there = acp.new(cwd=other)["sessionId"]
            acp.prompt(there, "/echo hi")
        with Acp(root=root) as acp:
            found, cursor, pages = [], None, 0
            while pages == 0 or cursor:
                page = acp.call("session/list", **({"cursor": cursor} if cursor else {}))
                found += page["sessions"]
                cursor = page.get("nextCursor")
                pages += 1
            equal(pages, 2)
            equal(sorted(s["sessionId"] for s in found), sorted([*here, there]))
            mine = next(s for s in found if s["sessionId"] == there)
            equal(mine["cwd"], str(other))
            equal(mine["title"], "/echo hi")
            has(mine["updatedAt"], "T")
            only = acp.call("session/list", cwd=str(other))
            equal([s["sessionId"] for s in only["sessions"]], [there])
            equal(acp.call("session/list", cwd="/nonexistent"), {"sessions": []})
            equal(acp.fails("session/list", cwd="relative").code, -32602)
            equal(acp.fails("session/list", cursor="nonsense").code, -32602)
    finally:
        run("state", "path", root=other)
        os.system(f"rm -rf {other}")


@case
def a_deleted_session_is_gone(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        open_one = acp.new()["sessionId"]
        acp.call("session/close", sessionId=session)
        equal(acp.call("session/delete", sessionId=session), {})
        equal(acp.call("session/delete", sessionId=session), {})  # it does not exist
        equal(acp.call("session/delete", sessionId=open_one), {})
        equal(acp.call("session/list")["sessions"], [])
        error = acp.fails("session/load", sessionId=session, cwd=str(root), mcpServers=[])
        equal((error.code, error.data), (-32002, {"sessionId": session}))


@case
def close_cancels_the_prompt_first(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        prompt = acp.prompt_start(session, "/sleep 600")
        closing = acp.start("session/close", sessionId=session)
        equal(acp.wait(prompt)["stopReason"], "cancelled")
        equal(acp.wait(closing), {})
        equal(acp.fails("session/close", sessionId=session).code, -32002)
        acp.call("session/load", sessionId=session, cwd=str(root), mcpServers=[])


@case
def a_fork_continues_from_the_last_finished_turn(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, "/echo first")
        prompt = acp.prompt_start(session, "/sleep 600")
        fork = acp.call("session/fork", sessionId=session, cwd=str(root))["sessionId"]
        assert fork != session
        equal(acp.prompt(fork, "/echo in the fork"), "end_turn")
        acp.notify("session/cancel", sessionId=session)
        acp.wait(prompt)
        acp.call("session/close", sessionId=fork)
        acp.forget()
        acp.call("session/load", sessionId=fork, cwd=str(root), mcpServers=[])
        equal(shape(acp.updates(fork)),
              [("user_message_chunk", "/echo first"), ("agent_message_chunk", "first"),
               ("user_message_chunk", "/echo in the fork"), ("agent_message_chunk", "in the fork")])
        equal(acp.fails("session/fork", sessionId="nobody", cwd=str(root)).code, -32002)


@case
def what_chat_has_said_can_be_loaded_in_an_editor(root):
    done = run("run", "--json", "/echo from the terminal", root=root)
    session = json.loads(done.stdout.splitlines()[0])["session"]
    with Acp(root=root) as acp:
        acp.call("session/load", sessionId=session, cwd=str(root), mcpServers=[])
        equal(acp.text(session), "from the terminal")


@case
def one_connection_serves_many_sessions_at_once(root):
    with Acp(root=root) as acp:
        sessions = [acp.new()["sessionId"] for _ in range(20)]
        slow = acp.prompt_start(sessions[0], "/sleep 600")
        prompts = [acp.prompt_start(s, f"/echo {s}") for s in sessions[1:]]
        for number, session in zip(prompts, sessions[1:]):
            equal(acp.wait(number)["stopReason"], "end_turn")
            equal(acp.text(session), session)
        acp.notify("session/cancel", sessionId=sessions[0])
        equal(acp.wait(slow)["stopReason"], "cancelled")


@case
def two_clients_work_in_one_root_at_once(root):
    with Acp(root=root) as one, Acp(root=root) as two:
        sessions = [client.new()["sessionId"] for client in (one, two)]
        slow = [one.prompt_start(sessions[0], "/sleep 600"),
                two.prompt_start(sessions[1], "/sleep 600")]
        more = one.new()["sessionId"]
        equal(one.prompt(more, '/call file_write {"path":"a","content":"1"}'), "end_turn")
        equal((root / "a").read_text(), "1")
        listed = [s["sessionId"] for s in two.call("session/list")["sessions"]]
        equal(sorted(listed), sorted([*sessions, more]))
        error = two.fails("session/delete", sessionId=more)  # the other client has it open
        equal(error.code, -32603)
        for client, session, prompt in zip((one, two), sessions, slow):
            client.notify("session/cancel", sessionId=session)
            equal(client.wait(prompt)["stopReason"], "cancelled")


@case
def one_connection_serves_two_projects(root):
    """Each with its own agents; and one of them is not trusted."""
    one, two = root / "one", root / "two"
    for folder in (one, two):
        (folder / ".git").mkdir(parents=True)
    agent(two, "helper", "provider: offline\n")
    (two / "trefoil.toml").write_text('[[mcp.servers]]\nname = "own"\n'
                                      'command = ["touch", "started"]\n')
    with Acp(root=root) as acp:
        first = acp.new(cwd=one)
        second = acp.new(cwd=two)

        def agents(result):
            option = next(o for o in result["configOptions"] if o["id"] == "agent")
            return [v["value"] for v in option["options"]]
        equal(agents(first), ["default"])
        has(agents(second), "helper")
        acp.prompt(first["sessionId"], '/call file_write {"path":"x","content":"1"}')
        acp.prompt(second["sessionId"], '/call file_write {"path":"x","content":"2"}')
        equal((one / "x").read_text(), "1")
        equal((two / "x").read_text(), "2")
        has(acp.text(second["sessionId"]), "This project is not trusted")
        assert "not trusted" not in acp.text(first["sessionId"])
        assert not (two / "started").exists()
        assert database(one) != database(two)


@case
def a_session_of_a_folder_inside_works_there(root):
    (root / ".git").mkdir()
    (root / "sub").mkdir()
    with Acp(root=root) as acp:
        session = acp.new(cwd=root / "sub")["sessionId"]
        acp.prompt(session, '/call file_write {"path":"x","content":"1"}')
        equal((root / "sub/x").read_text(), "1")
        listed = acp.call("session/list", cwd=str(root / "sub"))["sessions"]
        equal([s["cwd"] for s in listed], [str(root / "sub")])


@case
def the_folder_of_the_session_precedes_that_of_the_agent(root):
    """And that of the agent precedes the root, where no session names a folder."""
    (root / ".git").mkdir()
    for name in ("sub", "own"):
        (root / name).mkdir()
    agent(root, "settled", "folder: own\n")
    write = '/call file_write {"path":"x","content":"1"}'
    with Acp("--agent", "settled", root=root) as acp:
        acp.prompt(acp.new(cwd=root / "sub")["sessionId"], write)
    assert (root / "sub/x").exists() and not (root / "own/x").exists()
    run("run", "-a", "settled", write, root=root)
    assert (root / "own/x").exists() and not (root / "x").exists()


@case
def a_call_chain_that_is_too_long_is_stopped(root):
    """The depth of a trace is that of MCP: an editor may be an agent itself."""
    agent(root, "helper", "")
    call = '/call agent_send {"agent":"helper","message":"/echo below"}'
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with Acp(root=root) as acp:
        deep = acp.new(_meta={"traceparent": trace, "tracestate": "trefoil=5"})["sessionId"]
        acp.prompt(deep, call)
        assert "below" not in acp.text(deep)
        flat = acp.new(_meta={"traceparent": trace})["sessionId"]
        acp.prompt(flat, call)
        has(acp.text(flat), "below")


@case
def additional_directories_can_be_read(root):
    project, more = root / "project", root / "more"
    (project / ".git").mkdir(parents=True)
    more.mkdir()
    (more / "notes.txt").write_text("noted")
    with Acp(root=root) as acp:
        session = acp.new(cwd=project)["sessionId"]
        call = json.dumps({"path": str(more / "notes.txt")})
        acp.prompt(session, f"/call file_read {call}")
        assert "noted" not in acp.text(session)
        session = acp.new(cwd=project, additionalDirectories=[str(more)])["sessionId"]
        acp.prompt(session, f"/call file_read {call}")
        has(acp.text(session), "noted")
        equal(acp.fails("session/new", cwd=str(project), mcpServers=[],
                        additionalDirectories=["more"]).code, -32602)
        equal(acp.fails("session/new", cwd=str(project), mcpServers=[],
                        additionalDirectories=["/"]).code, -32602)


main()
