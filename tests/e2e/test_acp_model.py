"""`trefoil acp` with a model that plays a part in each of the four formats (model_mock.py): an editor
whose files change, whose user approves, and who loads the conversation again."""
import pathlib

from acp_client import Acp, chooses
from harness import case, equal, has, main
from model_mock import FORMATS, Mock, calls, environment_for, refuses, says

MOCK = Mock()
FAST = "[limits]\nmodel_retry_min_ms = 1\nmodel_retry_max_ms = 5\n"


def editor(folder, fmt, **more):
    root = pathlib.Path(folder) / fmt.replace(" ", "-")
    (root / ".git").mkdir(parents=True, exist_ok=True)
    env = environment_for(MOCK, fmt, root.with_name(root.name + ".user"), FAST)
    return root, Acp(root=root, **more, **env)


def for_all_formats(check):
    def whole(folder):
        for fmt in FORMATS:
            try:
                check(folder, fmt)
            except AssertionError as e:
                raise AssertionError(f"{fmt}: {e}") from e
    whole.__name__ = check.__name__
    return case(whole)


@for_all_formats
def a_task_of_several_steps_is_shown_and_can_be_loaded(folder, fmt):
    prompt = MOCK.play("mend the greeting",
                       calls(("file_read", {"path": "greet.sh"}), text="Let me see."),
                       calls(("file_edit", {"path": "greet.sh", "old_text": "helo",
                                            "new_text": "hello"})),
                       calls(("shell_exec", {"argv": ["sh", "greet.sh"], "sandbox": "off"})),
                       says("The greeting is mended."))
    asked = []
    root, acp = editor(folder, fmt)
    (root / "greet.sh").write_text("echo helo\n")
    with acp:
        acp.answers["session/request_permission"] = chooses("allow_once", asked)
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, prompt), "end_turn")
        equal((root / "greet.sh").read_text(), "echo hello\n")
        equal([c["kind"] for c in acp.updates(session, "tool_call")], ["read", "edit", "execute"])
        equal(len(asked), 1)
        ended = [u for u in acp.updates(session, "tool_call_update") if u["status"] == "completed"]
        equal(len(ended), 3)
        equal([c for c in ended[1]["content"] if c["type"] == "diff"][0]["newText"], "echo hello\n")
        has(acp.text(session), "Let me see.")
        has(acp.text(session), "The greeting is mended.")
        if fmt == "openai chat":  # in the other formats the mock reports no usage
            used = acp.updates(session, "usage_update")[-1]
            assert 0 < used["used"] < used["size"], used
            equal(used["cost"]["currency"], "USD")
        said = acp.text(session)
    _, acp = editor(folder, fmt)
    with acp:
        acp.call("session/load", sessionId=session, cwd=str(root), mcpServers=[])
        equal(acp.text(session), said)
        equal([c["kind"] for c in acp.updates(session, "tool_call")], ["read", "edit", "execute"])
        more = MOCK.play("and say so", says("I have said so."))
        equal(acp.prompt(session, more), "end_turn")
        history = str(MOCK.asked(more)[-1])  # the model knows what was before
        has(history, "The greeting is mended.")
        has(history, "echo helo")


@for_all_formats
def a_picture_reaches_the_model(folder, fmt):
    picture = "iVBORw0KGgo="
    prompt = MOCK.play("what is this", says("A picture."))
    root, acp = editor(folder, fmt)
    with acp:
        session = acp.new()["sessionId"]
        parts = [{"type": "text", "text": prompt},
                 {"type": "image", "data": picture, "mimeType": "image/png"},
                 {"type": "resource", "resource": {"uri": f"file://{root}/n.txt",
                                                   "text": "noted inside"}}]
        equal(acp.wait(acp.prompt_start(session, parts))["stopReason"], "end_turn")
        equal(acp.text(session), "A picture.")
        has(str(MOCK.asked(prompt)), "noted inside")


@for_all_formats
def a_model_that_fails_is_an_error_and_the_session_goes_on(folder, fmt):
    prompt = MOCK.play("fail for good", refuses(401, "this key is not known"), forever=True)
    _, acp = editor(folder, fmt)
    with acp:
        session = acp.new()["sessionId"]
        error = acp.fails("session/prompt", sessionId=session,
                          prompt=[{"type": "text", "text": prompt}])
        equal(error.code, -32603)
        has(error.message, "this key is not known")
        more = MOCK.play("go on", says("Here I am."))
        equal(acp.prompt(session, more), "end_turn")
        equal(acp.text(session), "Here I am.")


@for_all_formats
def a_cancel_stops_the_model(folder, fmt):
    prompt = MOCK.play("talk slowly", says("word " * 2000, latency=50, chunkSize=5))
    _, acp = editor(folder, fmt)
    with acp:
        session = acp.new()["sessionId"]
        number = acp.prompt_start(session, prompt)
        acp.until(lambda m: "agent_message_chunk" in str(m))
        acp.notify("session/cancel", sessionId=session)
        equal(acp.wait(number)["stopReason"], "cancelled")
        assert len(acp.text(session)) < 10000
        last = acp.messages[-1]
        equal(last.get("id"), number)  # nothing of the turn follows its response


main()
