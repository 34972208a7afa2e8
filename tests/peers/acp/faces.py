"""What must be true of a real agent in an editor, as a tool of an MCP client, and as a task."""
import signal

from acp_client import Acp, chooses
from asked_client import Asked
from harness import equal, has, wait_for
from home import ENV, MADE, ROOT, left, none_left, words_for
from task_client import Local, Remote

FILES = {"fs": {"readTextFile": True, "writeTextFile": True}}
THINKS = {"claude", "opencode"}


def editor(agent, **more):
    """An editor whose sessions are with the agent; the person allows everything."""
    acp = Acp("--agent", agent, root=ROOT, **more, **ENV)
    acp.asked = []
    acp.answers["session/request_permission"] = chooses("allow_once", acp.asked)
    return acp


def kill(process):
    process.process.send_signal(signal.SIGKILL)
    process.expect = -signal.SIGKILL
    process.told = True
    process.process.wait()
    none_left()


def is_working(message):
    update = message.get("params", {}).get("update", {})
    return update.get("sessionUpdate") in ("agent_message_chunk", "tool_call")


def slowly(acp, agent, session):
    """Begin a turn that does not end, and wait until it shows something."""
    acp.forget()
    prompt = acp.prompt_start(session, words_for(agent, "SLOWLY"))
    acp.until(is_working)
    return prompt


# ---- editor -> trefoil -> agent --------------------------------------------------------------


def works_in_an_editor(agent):
    with editor(agent) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "PLAIN"), "end_turn")
        has(acp.text(session), "Hello")
        if agent in THINKS:
            acp.prompt(session, "THINK")
            has(str(acp.updates(session, "agent_thought_chunk")), "Hmm.")
    none_left()


def asks_the_person_at_the_editor(agent):
    MADE.unlink(missing_ok=True)
    with editor(agent) as acp:
        acp.answers["session/request_permission"] = chooses("reject_once", acp.asked)
        session = acp.new()["sessionId"]
        acp.prompt(session, words_for(agent, "WRITE_IT"))
        assert acp.asked and not MADE.exists(), acp.asked
        acp.answers["session/request_permission"] = chooses("allow_once", acp.asked)
        session = acp.new()["sessionId"]
        acp.prompt(session, words_for(agent, "WRITE_IT"))
        equal(MADE.read_text(), "made\n")
        has(acp.text(session), "FINAL")
        calls = {u["toolCallId"] for u in acp.updates(session, "tool_call")}
        has(calls, acp.asked[-1]["toolCall"]["toolCallId"])
        has([u.get("status") for u in acp.updates(session, "tool_call_update")], "completed")
    none_left()


def only_reads_in_an_editor(agent):
    MADE.unlink(missing_ok=True)
    with editor(agent, capabilities=FILES) as acp:
        acp.answers["fs/write_text_file"] = lambda params: {}
        session = acp.new()["sessionId"]
        acp.call("session/set_mode", sessionId=session, modeId="read-only")
        acp.prompt(session, words_for(agent, "WRITE_IT"))
        equal([m for m in acp.messages if m.get("method") == "fs/write_text_file"], [])
        assert not MADE.exists()
    none_left()


def is_cancelled_by_the_editor(agent):
    with editor(agent) as acp:
        session = acp.new()["sessionId"]
        prompt = slowly(acp, agent, session)
        acp.notify("session/cancel", sessionId=session)
        equal(acp.wait(prompt)["stopReason"], "cancelled")
        acp.forget()
        equal(acp.prompt(session, "PLAIN"), "end_turn")
        has(acp.text(session), "Hello")
    none_left()


def is_loaded_in_an_editor_after_a_kill(agent):
    with editor(agent) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, "PLAIN first")
        slowly(acp, agent, session)
        kill(acp)
    with editor(agent) as acp:
        acp.call("session/load", sessionId=session, cwd=str(ROOT), mcpServers=[])
        has(str(acp.updates(session, "user_message_chunk")), "PLAIN first")
        acp.forget()
        equal(acp.prompt(session, "PLAIN"), "end_turn")
        has(acp.text(session), "Hello")
    none_left()


# ---- a tool of an MCP client -----------------------------------------------------------------


def call(client, agent, ident, **arguments):
    client.send({"jsonrpc": "2.0", "id": ident, "method": "tools/call",
                 "params": {"name": f"trefoil_agent_{agent}", "arguments": arguments,
                            "_meta": {"progressToken": ident}}})


def is_a_tool(agent):
    MADE.unlink(missing_ok=True)
    with Asked(root=ROOT, scope="agents", **ENV) as client:
        call(client, agent, "write", message=words_for(agent, "WRITE_IT"))
        client.reply(client.question(), "accept")
        first = client.answer_to("write")["result"]["structuredContent"]
        has(first["answer"], "FINAL")
        equal(MADE.read_text(), "made\n")
        assert client.note("notifications/progress")["params"]["message"]
        call(client, agent, "again", message="PLAIN", session_id=first["session_id"])
        has(client.answer_to("again")["result"]["structuredContent"]["answer"], "Hello")
        MADE.unlink()
        call(client, agent, "read", message=words_for(agent, "WRITE_IT"), mode="read-only")
        client.answer_to("read")
        assert not MADE.exists()
        call(client, agent, "slow", message=words_for(agent, "SLOWLY"), session_id=first["session_id"])
        wait_for("a sign of work", lambda: client.note("notifications/progress")["params"]
                 ["progressToken"] == "slow")
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                     "params": {"requestId": "slow"}})
        call(client, agent, "last", message="PLAIN", session_id=first["session_id"])
        has(client.answer_to("last")["result"]["structuredContent"]["answer"], "Hello")
    none_left()


# ---- a task ----------------------------------------------------------------------------------


def is_a_task(agent):
    MADE.unlink(missing_ok=True)
    with Local(root=ROOT, **ENV) as client:
        task = client.dispatch(words_for(agent, "WRITE_IT"), agent)
        client.reaches(task, "input_required")
        client.use("answer_task", task_id=task, action="accept")
        done = client.end(task)
        equal(done["status"], "completed")
        has(done["result"]["response"], "FINAL")
        equal(MADE.read_text(), "made\n")
        MADE.unlink()
        client.end(client.dispatch(words_for(agent, "WRITE_IT"), agent, mode="read-only"))
        assert not MADE.exists()
        task = client.dispatch(words_for(agent, "SLOWLY"), agent)
        wait_for("the agent", left)
        client.use("cancel_task", task_id=task)
        equal(client.end(task)["status"], "cancelled")
    none_left()


def is_a_task_that_survives_a_kill(agent):
    with Remote(root=ROOT, **ENV) as client:
        task = client.dispatch(words_for(agent, "SLOWLY"), agent)
        wait_for("the agent", left)
        kill(client)
    with Remote(root=ROOT, **ENV) as client:
        client.reaches(task, "completed")
    none_left()


CLAIMS = (works_in_an_editor, asks_the_person_at_the_editor, only_reads_in_an_editor,
          is_cancelled_by_the_editor, is_loaded_in_an_editor_after_a_kill, is_a_tool, is_a_task,
          is_a_task_that_survives_a_kill)
