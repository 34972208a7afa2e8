"""Prompts of several parts and artifacts of several pieces: accepted, stored, put together, and kept by a restart."""
import base64
import json
import signal

from harness import case, equal, main, run
from task_client import Local, Remote

BYTES = bytes(range(256)) * 3
DATA = base64.b64encode(BYTES).decode()
PARTS = [
    {"type": "text", "text": "/echo look at these"},
    {"type": "image", "data": DATA, "mimeType": "image/png"},
    {"type": "file", "data": DATA, "mimeType": "application/zip", "name": "a.zip"},
    {"type": "resource_link", "uri": "file:///a.md", "name": "a.md"},
    {"type": "resource", "resource": {"uri": "file:///b.md", "text": "words"}},
    {"type": "data", "data": {"a": [1, None]}},
]


def write(**args):
    return "/call artifact_write " + json.dumps(args)


def shown(root, ident):
    return json.loads(run("tasks", "show", ident, "--json", root=root).stdout)


@case
def a_prompt_of_several_parts_is_stored_as_it_was_given(root):
    with Remote(root=root) as t, Local(root=root) as other:
        idents = [c.use("dispatch_agent", agent="default", parts=PARTS)["taskId"] for c in (t, other)]
        for c, ident in zip((t, other), idents):
            equal(c.end(ident)["status"], "completed")
            equal(shown(root, ident)["parts"], PARTS)


@case
def a_bad_part_is_named_by_its_path(root):
    bad = [
        ([{"type": "image", "data": "no base64!", "mimeType": "image/png"}], "parts[0].data"),
        ([PARTS[0], {"type": "dance"}], "parts[1].type"),
        ([{"type": "text", "text": " "}], "empty"),
        ([], "empty"),
        ([PARTS[0]] * 101, "the constant parts"),
    ]
    with Local(root=root) as t:
        for parts, says in bad:
            told = t.error("dispatch_agent", agent="default", parts=parts)
            assert says in told, told


@case
def an_artifact_is_put_together_from_its_pieces(root):
    with Remote(root=root) as t:
        ident = t.dispatch(write(name="all", description="of all kinds", parts=PARTS))
        equal(t.end(ident)["status"], "completed")
        made = shown(root, ident)["artifacts"]
        equal([(a["name"], a["description"], a["complete"]) for a in made], [("all", "of all kinds", True)])
        equal(made[0]["parts"], PARTS)


@case
def a_large_artifact_is_split_into_events_and_loses_nothing(root):
    text, data = "\u00e4\"" * 90000, base64.b64encode(BYTES * 1500).decode()
    parts = [{"type": "text", "text": text}, {"type": "file", "data": data, "mimeType": "a/b"}]
    with Remote(root=root) as t:
        ident = t.dispatch(write(name="big", parts=parts))
        equal(t.end(ident)["status"], "completed")
        equal(shown(root, ident)["artifacts"][0]["parts"], parts)


@case
def pieces_that_are_stored_survive_a_kill(root):
    with Remote(root=root) as t:
        ident = t.dispatch(write(id="log", name="log", text="first", last=False))
        equal(t.end(ident)["status"], "completed")
        before = shown(root, ident)["artifacts"]
        t.expect = -signal.SIGKILL
        t.process.kill()
        t.process.wait()
    equal(before, shown(root, ident)["artifacts"])
    equal((before[0]["complete"], before[0]["parts"][0]["text"]), (False, "first"))


main()
