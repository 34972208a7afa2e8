"""An editor uses another program that speaks ACP through `trefoil acp`: what the program does, asks and
reads reaches the editor."""
import json
import pathlib
import sys

from acp_client import Acp, AcpError, chooses
from acp_fake import define, none_left
from harness import case, equal, has, main

FILES = {"fs": {"readTextFile": True, "writeTextFile": True}}


def through(root, **more):
    """An editor whose sessions are with the program."""
    (root / ".git").mkdir(exist_ok=True)
    define(root)
    return Acp("--agent", "fake", root=root, **more)


@case
def texts_thoughts_tools_and_plans_pass_through(root):
    with through(root) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "hello"), "end_turn")
        equal(acp.text(session), "Hello there")
        equal(acp.updates(session, "agent_thought_chunk")[0]["content"]["text"], "A greeting.")
        acp.forget()
        equal(acp.prompt(session, "tools"), "end_turn")
        equal([(c["kind"], c["title"]) for c in acp.updates(session, "tool_call")],
              [("read", "Read x.txt"), ("edit", "Edit y.txt")])
        edit = [u for u in acp.updates(session) if u.get("toolCallId") == "t2"][-1]
        equal(edit["status"], "completed")
        equal(edit["content"][0]["type"], "diff")
        equal(len(acp.updates(session, "plan")), 1)
        has(acp.text(session), "Done.")
    none_left(root)


@case
def a_permission_of_the_program_reaches_the_user_of_the_editor(root):
    asked = []
    with through(root) as acp:
        acp.answers["session/request_permission"] = chooses("allow_once", asked)
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "ask"), "end_turn")
        equal(len(asked), 1)
        equal(asked[0]["toolCall"]["toolCallId"], acp.updates(session, "tool_call")[0]["toolCallId"])
        has(acp.text(session), "outcome yes")
        acp.answers["session/request_permission"] = chooses("reject_once", asked)
        acp.forget()
        acp.prompt(session, "ask")
        has(acp.text(session), "outcome no")


@case
def the_program_reads_the_buffers_of_the_editor(root):
    path = str(root / "a.txt")
    (root / "a.txt").write_text("saved")
    with through(root, capabilities=FILES) as acp:
        acp.answers["fs/read_text_file"] = lambda params: {"content": f"buffer {params['path']}"}
        session = acp.new()["sessionId"]
        acp.prompt(session, "request fs/read_text_file " + json.dumps({"path": path}))
        has(acp.text(session), f"buffer {path}")


@case
def a_cancel_reaches_the_program(root):
    with through(root) as acp:
        session = acp.new()["sessionId"]
        prompt = acp.prompt_start(session, "wait")
        acp.until(lambda m: "agent_message_chunk" in str(m) or "tool_call" in str(m))
        acp.notify("session/cancel", sessionId=session)
        equal(acp.wait(prompt)["stopReason"], "cancelled")
        acp.forget()
        equal(acp.prompt(session, "hello"), "end_turn")
        equal(acp.text(session), "Hello there")


@case
def a_program_that_dies_is_an_error_and_starts_again(root):
    with through(root) as acp:
        session = acp.new()["sessionId"]
        try:
            acp.prompt(session, "die")
            raise AssertionError("no error")
        except AcpError as error:
            equal(error.code, -32603)
            has(error.message, "exited with code 3")
        equal(acp.prompt(session, "hello"), "end_turn")


@case
def a_loaded_session_continues_in_the_program(root):
    with through(root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, "hello")
    with through(root) as acp:
        acp.call("session/load", sessionId=session, cwd=str(root), mcpServers=[])
        equal(acp.text(session), "Hello there")
        acp.forget()
        acp.prompt(session, "count")
        has(acp.text(session), "turn 2")
    none_left(root)


main()
