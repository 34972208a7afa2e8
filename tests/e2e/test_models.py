"""Every format of every provider against a server of models from npm (aimock, pinned), which plays
the parts of models.json: answers, calls, thoughts, refusals, broken streams."""
import json
import os
import pathlib
import subprocess
import sys

import model_mock
from harness import case, equal, has, main

DRIVER = os.path.abspath(sys.argv[1])
HERE = pathlib.Path(__file__).resolve().parent

# kind, API, what is behind the address
FORMATS = [("anthropic", "chat", ""), ("openai", "chat", "/v1"), ("openai", "responses", "/v1"),
           ("gemini", "chat", "")]
END, LENGTH = 0, 2  # of enum model_stop
PORT = model_mock.start(HERE / "models.json")


def ask(fmt, prompt):
    """All that the driver tells, and its last line."""
    kind, api, path = fmt
    done = subprocess.run([DRIVER, kind, api, f"http://127.0.0.1:{PORT}{path}", prompt],
                          check=True, capture_output=True, text=True, timeout=60)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines[:-1], lines[-1]


def told(lines, key):
    return [line[key] for line in lines if key in line]


def for_all_formats(check):
    def run(folder):
        for fmt in FORMATS:
            try:
                check(fmt)
            except AssertionError as e:
                raise AssertionError(f"{fmt[0]} {fmt[1]}: {e}") from e
    run.__name__ = check.__name__
    case(run)
    return run


@for_all_formats
def text_arrives_whole(fmt):
    _, end = ask(fmt, "say it plainly")
    equal((end["said"], end["stop"]), ("Grüße aus dem Wald: żółć, 森, 🍀.", END))


@for_all_formats
def one_character_at_a_time(fmt):
    lines, end = ask(fmt, "tiny pieces")
    equal(end["said"], "every character arrives alone")
    equal(len(told(lines, "text")), len(end["said"]))


@for_all_formats
def a_tool_is_called_and_its_result_reaches_the_model(fmt):
    lines, end = ask(fmt, "use a tool")
    equal(told(lines, "args"), [{"message": "a \"quoted\" ä"}])
    equal((end["said"], end["stop"]), ("The tool has answered.", END))


@for_all_formats
def two_tools_at_once(fmt):
    lines, end = ask(fmt, "use two at once")
    equal(told(lines, "args"), [{"message": "left"}, {"message": "right"}])
    equal(end["said"], "Two of them. Both have answered.")


@for_all_formats
def tools_one_after_another(fmt):
    lines, end = ask(fmt, "step by step")
    equal(told(lines, "args"), [{"message": "first"}, {"message": "second"}])
    equal(end["said"], "Two steps made.")


@for_all_formats
def a_call_without_arguments(fmt):
    lines, end = ask(fmt, "no arguments")
    equal(told(lines, "args"), [{}])
    equal(end["said"], "None were needed.")


@for_all_formats
def thoughts_are_told_apart(fmt):
    lines, end = ask(fmt, "think first")
    equal("".join(told(lines, "thought")), "It is about clover.")
    equal(end["said"], "Clover it is.")


@for_all_formats
def an_answer_cut_for_length_says_so(fmt):
    _, end = ask(fmt, "run out of room")
    equal((end["said"], end["stop"]), ("and so it", LENGTH))


@for_all_formats
def what_fails_always_ends_with_a_sentence(fmt):
    lines, end = ask(fmt, "always fail")
    equal(len(told(lines, "retry")), 2)
    has(end["error"], f"{fmt[0]} answered 500 Internal Server Error: a bad day")


@for_all_formats
def a_wrong_key_is_not_tried_again(fmt):
    lines, end = ask(fmt, "lock the door")
    equal(lines, [])
    has(end["error"], "401 Unauthorized: who are you; check the key")


@for_all_formats
def a_stream_that_breaks_off_keeps_what_was_said(fmt):
    lines, end = ask(fmt, "break off")
    equal(end.get("code"), "closed")
    has("this sentence will never be heard to its very end", end["said"])
    equal(told(lines, "retry") if end["said"] else [], [])


@for_all_formats
def nonsense_is_no_answer(fmt):
    _, end = ask(fmt, "speak nonsense")
    equal(end["code"], "invalid")
    equal(end["said"], "")


@case
def busy_servers_are_tried_again(folder):
    lines, end = ask(FORMATS[0], "be slow down")  # the parts are played once
    equal(len(told(lines, "retry")), 2)
    has(told(lines, "retry")[0], "429")
    has(told(lines, "retry")[1], "529")
    equal(end["said"], "Now there is time.")


main()
