"""`trefoil acp`: the conversation of an editor with trefoil, in the default configuration."""
from acp_client import Acp, AcpError, chooses
from harness import case, equal, has, main
from task_client import agent


@case
def the_handshake_says_what_works(root):
    with Acp(root=root) as acp:
        equal(acp.hello["protocolVersion"], 1)
        equal(acp.hello["agentInfo"]["name"], "trefoil")
        equal(acp.hello["authMethods"], [])
        equal(acp.hello["agentCapabilities"]["loadSession"], True)


@case
def what_needs_a_store_is_announced_only_if_there_is_one(root):
    with Acp(root=root) as acp:
        equal(sorted(acp.hello["agentCapabilities"]["sessionCapabilities"]),
              ["additionalDirectories", "close", "delete", "fork", "list", "resume"])
    with Acp(root=root, HOME="", XDG_STATE_HOME="") as acp:
        equal(acp.hello["agentCapabilities"]["loadSession"], False)
        equal(sorted(acp.hello["agentCapabilities"]["sessionCapabilities"]),
              ["additionalDirectories", "close"])
        equal(acp.prompt(acp.new()["sessionId"], "/echo on"), "end_turn")


@case
def every_version_is_answered_with_ours(root):
    for version in (0, 1, 2, 65535):
        with Acp(root=root, initialize=False) as acp:
            equal(acp.initialize(version=version)["protocolVersion"], 1)


@case
def authenticate_and_logout_succeed(root):
    with Acp(root=root) as acp:
        equal(acp.call("authenticate", methodId="any"), {})
        equal(acp.call("logout"), {})
        session = acp.new()["sessionId"]
        equal(acp.wait(acp.prompt_start(session, "/echo on", _meta={"a": [1]}))["stopReason"],
              "end_turn")


@case
def the_agent_has_the_name_of_the_configuration(root):
    (root / "trefoil.toml").write_text('[acp]\nname = "headless-agent"\nversion = "0.4.0"\n')
    with Acp(root=root, cwd=root) as acp:
        equal(acp.hello["agentInfo"], {"name": "headless-agent", "title": "headless-agent",
                                       "version": "0.4.0"})
    (root / "trefoil.toml").write_text("[acp]\nname = 5\n")
    with Acp(root=root, cwd=root) as acp:
        equal(acp.hello["agentInfo"]["name"], "trefoil")
        has(acp.fails("session/new", cwd=str(root), mcpServers=[]).message, "trefoil.toml:2")


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


# ---- permissions and questions -------------------------------------------------------------------

ASKED = '/call shell_exec {"argv":["touch","made"],"sandbox":"off"}'


@case
def a_permission_is_asked_for_after_its_call_was_shown(root):
    asked = []
    with Acp(root=root) as acp:
        acp.answers["session/request_permission"] = chooses("allow_once", asked)
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, ASKED), "end_turn")
        call = acp.updates(session, "tool_call")[0]
        equal(asked[0]["sessionId"], session)
        equal(asked[0]["toolCall"]["toolCallId"], call["toolCallId"])
        has(asked[0]["toolCall"]["content"][0]["content"]["text"], "touch")
        kinds = [o["kind"] for o in asked[0]["options"]]
        for kind in ("allow_once", "allow_always", "reject_once", "reject_always"):
            has(kinds, kind)
        methods = [m.get("method") for m in acp.messages]
        assert methods.index("session/update") < methods.index("session/request_permission")
        assert (root / "made").exists()
        acp.prompt(session, ASKED)  # allow_once was for one call
        equal(len(asked), 2)


@case
def allow_always_is_remembered_in_the_session(root):
    asked = []
    with Acp(root=root) as acp:
        acp.answers["session/request_permission"] = chooses("allow_always", asked)
        session = acp.new()["sessionId"]
        acp.prompt(session, ASKED)
        acp.prompt(session, ASKED)
        equal(len(asked), 1)


@case
def a_rejected_call_fails_and_the_turn_goes_on(root):
    for kind in ("reject_once", "reject_always"):
        asked = []
        with Acp(root=root) as acp:
            acp.answers["session/request_permission"] = chooses(kind, asked)
            session = acp.new()["sessionId"]
            equal(acp.prompt(session, ASKED), "end_turn")
            equal(acp.updates(session, "tool_call_update")[-1]["status"], "failed")
            assert not (root / "made").exists()
            acp.prompt(session, ASKED)
            equal(len(asked), 2 if kind == "reject_once" else 1)


@case
def an_odd_answer_to_a_permission_request_rejects_the_call(root):
    for odd in ({}, {"outcome": {"outcome": "selected", "optionId": "unheard of"}},
                {"outcome": {"outcome": "cancelled"}}, {"outcome": "selected"},
                {"outcome": {"outcome": "selected", "optionId": 5}}):
        with Acp(root=root) as acp:
            acp.answers["session/request_permission"] = lambda params, odd=odd: odd
            session = acp.new()["sessionId"]
            equal(acp.prompt(session, ASKED), "end_turn")
            assert not (root / "made").exists()


@case
def a_prompt_is_cancelled_while_a_permission_is_asked_for(root):
    with Acp(root=root) as acp:
        acp.answers["session/request_permission"] = lambda params: None
        session = acp.new()["sessionId"]
        prompt = acp.prompt_start(session, ASKED)
        question = acp.until(lambda m: m.get("method") == "session/request_permission")
        acp.notify("session/cancel", sessionId=session)
        equal(acp.wait(prompt)["stopReason"], "cancelled")
        withdrawn = [m["params"] for m in acp.messages if m.get("method") == "$/cancel_request"]
        equal(withdrawn, [{"requestId": question["id"]}])
        equal(acp.updates(session, "tool_call_update")[-1]["status"], "failed")
        acp.send({"jsonrpc": "2.0", "id": question["id"],
                  "result": {"outcome": {"outcome": "cancelled"}}})  # too late: ignored
        equal(acp.prompt(session, "/echo on"), "end_turn")


@case
def a_form_reaches_a_client_that_can_show_it(root):
    asked = []

    def fill_in(params):
        asked.append(params)
        return {"action": "accept", "content": {"answer": "blue"}}
    with Acp(root=root, capabilities={"elicitation": {"form": {}}}) as acp:
        acp.answers["elicitation/create"] = fill_in
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "/ask Which colour?"), "end_turn")
        equal((asked[0]["mode"], asked[0]["sessionId"]), ("form", session))
        has(asked[0]["message"], "Which colour?")
        has(acp.text(session), "blue")
    with Acp(root=root) as acp:  # it has not declared the capability
        session = acp.new()["sessionId"]
        acp.prompt(session, "/ask Which colour?")
        equal([m for m in acp.messages if m.get("method") == "elicitation/create"], [])


# ---- modes and options ---------------------------------------------------------------------------

def option(result, name):
    return next(o for o in result["configOptions"] if o["id"] == name)


@case
def the_mode_is_shown_and_changed_in_two_places(root):
    with Acp(root=root) as acp:
        new = acp.new()
        session = new["sessionId"]
        equal([m["id"] for m in new["modes"]["availableModes"]], ["auto", "ask", "read-only"])
        equal(new["modes"]["currentModeId"], "auto")
        equal(option(new, "mode")["currentValue"], "auto")
        equal([o["category"] for o in new["configOptions"]],
              ["mode", "model", "thought_level", "_agent"])
        equal(acp.call("session/set_mode", sessionId=session, modeId="read-only"), {})
        equal(acp.updates(session, "current_mode_update")[-1]["currentModeId"], "read-only")
        equal(option(acp.updates(session, "config_option_update")[-1], "mode")["currentValue"],
              "read-only")
        acp.prompt(session, '/call file_write {"path":"x","content":"1"}')
        assert not (root / "x").exists()
        changed = acp.call("session/set_config_option", sessionId=session, configId="mode",
                           value="auto")
        equal(option(changed, "mode")["currentValue"], "auto")
        equal(acp.updates(session, "current_mode_update")[-1]["currentModeId"], "auto")
        acp.prompt(session, '/call file_write {"path":"x","content":"1"}')
        assert (root / "x").exists()
        acp.call("session/set_mode", sessionId=session, modeId="read-only")
        acp.call("session/close", sessionId=session)
        again = acp.call("session/resume", sessionId=session, cwd=acp.root)
        equal(again["modes"]["currentModeId"], "read-only")


@case
def in_the_mode_ask_every_change_needs_approval(root):
    asked = []
    with Acp(root=root) as acp:
        acp.answers["session/request_permission"] = chooses("reject_once", asked)
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call file_write {"path":"x","content":"1"}')
        equal(asked, [])
        acp.call("session/set_mode", sessionId=session, modeId="ask")
        acp.prompt(session, '/call file_write {"path":"y","content":"1"}')
        equal(len(asked), 1)
        acp.prompt(session, '/call file_read {"path":"x"}')
        equal(len(asked), 1)
        equal([p.name for p in root.glob("?")], ["x"])
        acp.call("session/close", sessionId=session)
        again = acp.call("session/resume", sessionId=session, cwd=acp.root)
        equal(again["modes"]["currentModeId"], "ask")
        acp.prompt(session, '/call file_write {"path":"y","content":"1"}')
        equal(len(asked), 2)
        acp.call("session/set_mode", sessionId=session, modeId="read-write")  # another name of auto
        equal(acp.updates(session, "current_mode_update")[-1]["currentModeId"], "auto")
        acp.prompt(session, '/call file_write {"path":"y","content":"1"}')
        equal(len(asked), 2)


@case
def an_agent_that_may_only_read_has_one_mode(root):
    agent(root, "reader", "mode: read-only\n")
    with Acp("--agent", "reader", root=root) as acp:
        new = acp.new()
        equal([m["id"] for m in new["modes"]["availableModes"]], ["read-only"])
        error = acp.fails("session/set_mode", sessionId=new["sessionId"], modeId="auto")
        equal(error.code, -32602)
        has(error.message, "reader")


@case
def agent_and_thought_level_are_options_that_are_kept(root):
    agent(root, "helper", "")
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        changed = acp.call("session/set_config_option", sessionId=session, configId="agent",
                           value="helper")
        equal(option(changed, "agent")["currentValue"], "helper")
        changed = acp.call("session/set_config_option", sessionId=session,
                           configId="thought_level", value="high")
        equal(option(changed, "thought_level")["currentValue"], "high")
        acp.call("session/close", sessionId=session)
        again = acp.call("session/resume", sessionId=session, cwd=acp.root)
        equal(option(again, "agent")["currentValue"], "helper")
        equal(option(again, "thought_level")["currentValue"], "high")
        for name, value in (("agent", "nobody"), ("thought_level", "extreme"), ("mode", "yolo"),
                            ("unheard of", "x"), ("mode", True), ("model", "nowhere/model")):
            equal(acp.fails("session/set_config_option", sessionId=session, configId=name,
                            value=value).code, -32602)
        now = acp.call("session/set_config_option", sessionId=session, configId="mode",
                       value="auto")
        equal(option(now, "agent")["currentValue"], "helper")


@case
def a_new_agent_becomes_a_choice(root):
    agent(root, "first", "")
    with Acp(root=root) as acp:
        acp.new()
        agent(root, "second", "")
        acp.until(lambda m: "config_option_update" in str(m) and "'second'" in str(m))


@case
def the_model_is_an_option_and_set_model_changes_it(root):
    with Acp(root=root, OPENAI_API_KEY="key-of-a-test") as acp:
        session = acp.new()["sessionId"]
        equal(acp.call("session/set_model", sessionId=session, modelId="openai/some-model"), {})
        changed = acp.updates(session, "config_option_update")[-1]
        equal(option(changed, "model")["currentValue"], "openai/some-model")
        values = [v["value"] for v in option(changed, "model")["options"]]
        has(values, "openai/some-model")
        has(values, "default")
        back = acp.call("session/set_config_option", sessionId=session, configId="model",
                        value="default")
        equal(option(back, "model")["currentValue"], "default")


@case
def options_change_while_a_prompt_runs(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        prompt = acp.prompt_start(session, "/sleep 600")
        acp.call("session/set_mode", sessionId=session, modeId="read-only")
        equal(acp.updates(session, "current_mode_update")[-1]["currentModeId"], "read-only")
        acp.notify("session/cancel", sessionId=session)
        equal(acp.wait(prompt)["stopReason"], "cancelled")


# ---- updates -------------------------------------------------------------------------------------

PLAY = """
[[rule]]
text = "all"
event = [
  { type = "thought", text = "hm" },
  { type = "text", text = "Hello there", pieces = 3 },
  { type = "plan", entries = [{ content = "look", priority = "high", status = "pending" }] },
  { type = "artifact", id = "a1", name = "note", text = "one, ", more = true },
  { type = "artifact", id = "a1", text = "two", append = true },
  { type = "notice", text = "Careful." },
  { type = "text", text = "Done." },
]
[[rule]]
text = "slow"
event = [{ type = "tool", id = "w", name = "slow", status = "running" }, { type = "wait" }]
[[rule]]
text = "fail"
event = [{ type = "end", stop = "failed", text = "it broke" }]
[[rule]]
text = "refuse"
event = [{ type = "end", stop = "refused" }]
[[rule]]
text = "long"
event = [{ type = "end", stop = "length", text = "too long" }]
[[rule]]
text = "Use the skill review: the last change"
event = [{ type = "text", text = "I have reviewed it." }]
[[rule]]
event = [{ type = "text", text = "ok" }]
"""


def actor(root):
    (root / "play.toml").write_text(PLAY)
    agent(root, "actor", "provider: script\nscript: play.toml\n")


@case
def every_kind_of_event_is_an_update(root):
    actor(root)
    with Acp("--agent", "actor", root=root, capabilities={"session": {"notices": {}}}) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "all"), "end_turn")
        kinds = [u["sessionUpdate"] for u in acp.updates(session)]
        for kind in ("agent_thought_chunk", "agent_message_chunk", "plan", "notice",
                     "session_info_update", "available_commands_update"):
            has(kinds, kind)
        equal(acp.text(session), "Hello thereDone.")
        equal(acp.updates(session, "plan")[0]["entries"],
              [{"content": "look", "priority": "high", "status": "pending"}])
        made = [u["content"] for u in acp.updates(session, "agent_message_chunk")
                if u["content"]["type"] == "resource"]
        equal([m["resource"]["text"] for m in made], ["one, two"])
        equal(acp.updates(session, "notice")[0]["title"], "Careful.")
        equal(acp.updates(session, "session_info_update")[0]["title"], "all")
        names = [c["name"] for c in
                 acp.updates(session, "available_commands_update")[0]["availableCommands"]]
        has(names, "compact")
        has(names, "undo")
        # every update of the turn precedes its response
        assert "result" in acp.messages[-1]


@case
def chunks_of_one_message_share_its_id(root):
    actor(root)
    with Acp("--agent", "actor", root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, "all")
        first = [u["messageId"] for u in acp.updates(session, "agent_message_chunk")
                 if u["content"].get("text") in ("Hel", "lo t", "here")]
        equal(len(first), 3)
        equal(len(set(first)), 1)
        equal(acp.updates(session, "notice"), [])  # the client has not declared it


@case
def the_stop_reason_tells_how_a_turn_has_ended(root):
    actor(root)
    with Acp("--agent", "actor", root=root) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, "refuse"), "refusal")
        equal(acp.prompt(session, "long"), "max_tokens")
        has(acp.text(session), "too long")
        try:
            acp.prompt(session, "fail")
            raise AssertionError("no error")
        except AcpError as error:
            equal(error.code, -32603)
            has(error.message, "it broke")
        equal(acp.prompt(session, "anything"), "end_turn")


@case
def an_open_tool_call_of_a_cancelled_turn_has_failed(root):
    actor(root)
    with Acp("--agent", "actor", root=root) as acp:
        session = acp.new()["sessionId"]
        prompt = acp.prompt_start(session, "slow")
        acp.until(lambda m: m.get("params", {}).get("update", {}).get("sessionUpdate") ==
                  "tool_call")
        acp.notify("session/cancel", sessionId=session)
        equal(acp.wait(prompt)["stopReason"], "cancelled")
        equal(acp.updates(session, "tool_call_update")[-1]["status"], "failed")
        acp.forget()
        equal(acp.prompt(session, "anything"), "end_turn")


@case
def a_cancel_reaches_prompts_that_wait_and_only_its_session(root):
    with Acp(root=root) as acp:
        one, two = acp.new()["sessionId"], acp.new()["sessionId"]
        prompts = [acp.prompt_start(one, "/sleep 600"), acp.prompt_start(one, "/echo second")]
        other = acp.prompt_start(two, "/sleep 600")
        acp.notify("session/cancel", sessionId=one)
        for prompt in prompts:
            equal(acp.wait(prompt)["stopReason"], "cancelled")
        equal(acp.prompt(one, "/echo on"), "end_turn")
        assert other not in acp.results
        acp.notify("$/cancel_request", requestId=other)
        equal(acp.wait(other)["stopReason"], "cancelled")


@case
def a_cancel_of_an_idle_or_unknown_session_is_ignored(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        acp.notify("session/cancel", sessionId=session)
        acp.notify("session/cancel", sessionId="unheard of")
        acp.notify("session/cancel")
        acp.notify("$/cancel_request", requestId=999)
        equal(acp.prompt(session, "/echo on"), "end_turn")


@case
def more_prompts_than_may_wait_are_rejected(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        prompts = [acp.prompt_start(session, "/sleep 600") for _ in range(17)]
        error = acp.fails("session/prompt", sessionId=session,
                          prompt=[{"type": "text", "text": "x"}])
        has(error.message, "limits.session_queue")
        acp.notify("session/cancel", sessionId=session)
        equal({acp.wait(p)["stopReason"] for p in prompts}, {"cancelled"})


@case
def a_client_that_can_show_sub_agents_gets_their_work(root):
    agent(root, "helper", "")
    call = '/call agent_send {"agent":"helper","message":"/echo from below"}'
    with Acp(root=root, capabilities={"subagents": {}}) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, call), "end_turn")
        told = acp.updates(session, "subagent_update")
        child = told[0]["sessionId"]
        equal([u["state"] for u in told],
              [{"state": "running"}, {"state": "idle", "stopReason": "end_turn"}])
        equal(acp.text(child), "from below")
        order = [m["params"]["sessionId"] == child or
                 m["params"]["update"]["sessionUpdate"] == "subagent_update"
                 for m in acp.messages if m.get("method") == "session/update"]
        first = order.index(True)
        assert acp.messages  # the announcement precedes what has the id of the child
        equal([m["params"]["update"]["sessionUpdate"] for m in acp.messages
               if m.get("method") == "session/update"][first], "subagent_update")
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, call)
        equal({m["params"]["sessionId"] for m in acp.messages
               if m.get("method") == "session/update"}, {session})


@case
def a_skill_is_a_command(root):
    folder = root / ".trefoil/skills/review"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: review\ndescription: How to review.\n---\nLook.\n")
    actor(root)
    with Acp("--agent", "actor", root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, "/review the last change")
        has(acp.text(session), "I have reviewed it.")
        names = [c["name"] for c in
                 acp.updates(session, "available_commands_update")[0]["availableCommands"]]
        has(names, "review")
        acp.forget()
        folder = root / ".trefoil/skills/later"
        folder.mkdir()
        (folder / "SKILL.md").write_text("---\nname: later\ndescription: New.\n---\nLook.\n")
        acp.until(lambda m: "later" in str(m) and "available_commands_update" in str(m))


# ---- parts of prompts ----------------------------------------------------------------------------

PICTURE = "iVBORw0KGgo="


@case
def a_prompt_has_links_and_embedded_context(root):
    actor(root)
    with Acp("--agent", "actor", root=root) as acp:
        session = acp.new()["sessionId"]
        parts = [{"type": "text", "text": "look at "},
                 {"type": "resource_link", "uri": "file:///a/b.txt", "name": "b.txt"},
                 {"type": "resource", "resource": {"uri": "file:///a/c.txt", "text": "inside",
                                                   "mimeType": "text/plain"}},
                 {"type": "image", "data": PICTURE, "mimeType": "image/png"}]
        equal(acp.wait(acp.prompt_start(session, parts[:3]))["stopReason"], "end_turn")
        acp.forget()
        acp.call("session/load", sessionId=session, cwd=acp.root, mcpServers=[])
        replayed = [u["content"] for u in acp.updates(session, "user_message_chunk")]
        equal(replayed, parts[:3])


@case
def images_and_sound_are_accepted_by_agents_that_take_them(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        image = {"type": "image", "data": PICTURE, "mimeType": "image/png"}
        parts = [{"type": "text", "text": "/echo seen"}, image]
        equal(acp.wait(acp.prompt_start(session, parts))["stopReason"], "end_turn")
        sound = {"type": "audio", "data": PICTURE, "mimeType": "audio/wav"}
        equal(acp.wait(acp.prompt_start(session, [parts[0], sound]))["stopReason"], "end_turn")
    actor(root)
    with Acp("--agent", "actor", root=root) as acp:
        session = acp.new()["sessionId"]
        for part in (image, sound):
            error = acp.fails("session/prompt", sessionId=session, prompt=[part])
            equal(error.code, -32602)
            has(error.message, "neither images nor audio")


@case
def an_empty_prompt_is_answered(root):
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        equal(acp.wait(acp.prompt_start(session, []))["stopReason"], "end_turn")


@case
def commands_work_on_the_session(root):
    (root / "a.txt").write_text("old")
    with Acp(root=root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call file_write {"path":"a.txt","content":"new"}')
        equal((root / "a.txt").read_text(), "new")
        equal(acp.prompt(session, "/undo"), "end_turn")
        equal((root / "a.txt").read_text(), "old")
        has(acp.text(session), "a.txt")
        for command, said in (("/tools", "file_read"), ("/cost", "cost"),
                              ("/continue", "No turn was interrupted.")):
            acp.forget()
            equal(acp.prompt(session, command), "end_turn")
            has(acp.text(session), said)


main()
