"""`trefoil acp`: the conversation of an editor with trefoil, in the default configuration."""
from acp_client import Acp
from harness import case, equal, has, main


@case
def the_handshake_says_what_works(root):
    with Acp(root=root) as acp:
        equal(acp.hello["protocolVersion"], 1)
        equal(acp.hello["agentInfo"]["name"], "trefoil")
        equal(acp.hello["authMethods"], [])
        equal(acp.hello["agentCapabilities"]["loadSession"], True)


@case
def every_version_is_answered_with_ours(root):
    for version in (0, 1, 2, 65535):
        with Acp(root=root, initialize=False) as acp:
            equal(acp.initialize(version=version)["protocolVersion"], 1)


@case
def a_prompt_streams_its_answer(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "/echo Hello there"), "end_turn")
        equal(acp.text(session), "Hello there")
        chunk = acp.updates(session, "agent_message_chunk")[0]
        has(chunk, "messageId")


@case
def without_a_model_the_user_reads_how_to_configure_one(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "hi"), "end_turn")
        has(acp.text(session), "no model is configured")


@case
def a_tool_call_is_shown_from_its_start_to_its_diff(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, '/call file_write {"path":"a.txt","content":"new"}'), "end_turn")
        calls = acp.updates(session, "tool_call")
        equal(len(calls), 1)
        equal((calls[0]["kind"], calls[0]["status"], calls[0]["name"]),
              ("edit", "pending", "file_write"))
        later = [u for u in acp.updates(session, "tool_call_update")
                 if u["toolCallId"] == calls[0]["toolCallId"]]
        equal([u["status"] for u in later], ["pending", "in_progress", "completed"])
        equal(later[0]["rawInput"], {"path": "a.txt", "content": "new"})
        equal(later[0]["locations"], [{"path": str(root / "a.txt")}])
        has([c["type"] for c in later[-1]["content"]], "diff")
        equal(later[-1]["content"][0],
              {"type": "diff", "path": str(root / "a.txt"), "oldText": None, "newText": "new"})
        equal((root / "a.txt").read_text(), "new")


@case
def a_cancelled_prompt_ends_with_cancelled(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        prompt = acp.prompt_start(session, "/sleep 600")
        acp.notify("session/cancel", sessionId=session)
        equal(acp.wait(prompt)["stopReason"], "cancelled")
        equal(acp.prompt(session, "/echo still there"), "end_turn")


@case
def a_prompt_waits_for_the_one_before(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        first = acp.prompt_start(session, "/sleep 0.2")
        second = acp.prompt_start(session, "/echo second")
        equal(acp.wait(second)["stopReason"], "end_turn")
        has(acp.results, first)  # answered before


@case
def the_end_of_input_ends_the_process(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        prompt = acp.prompt_start(session, "/sleep 600")
        acp.process.stdin.close()
        equal(acp.wait(prompt)["stopReason"], "cancelled")
        equal(acp.process.wait(60), 0)


main()
