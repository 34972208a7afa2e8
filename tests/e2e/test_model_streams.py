"""Streams of models that are cut in odd places, and what must be sent back to a model as it came: `trefoil
run` with a server that plays a stream byte by byte in each of the four formats, and keeps what it was sent."""
import http.server
import json
import threading

from harness import case, equal, main, run
from model_mock import environment_for

FACE = "\U0001f600"  # the surrogate pair d83d de00
HIGH, LOW = "\\ud83d", "\\ude00"


class Model:
    """Plays one stream after the other; .asked holds the bodies of the requests."""

    def __init__(self, *streams):
        model = self
        self.streams, self.asked = list(streams), []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["content-length"]))
                model.asked.append(json.loads(body))
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                self.wfile.write(model.streams.pop(0).encode())

            def log_message(self, *args):  # pylint: disable=arguments-differ
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


def ask(model, name, root, *args):
    """Run a turn in the folder of this format; its events."""
    work = root / name.replace(" ", "-")
    work.mkdir(exist_ok=True)
    env = environment_for(model, name, root / (work.name + ".user"))
    done = run("run", "--json", *args, root=work, stdin=b"", **env)
    if done.returncode:
        raise AssertionError(f"{done.returncode}: {done.stdout!r} {done.stderr!r}")
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def data(*events):
    return "".join(f"data: {event}\n\n" for event in events)


def text_of(events):
    return "".join(e["text"] for e in events if e["type"] == "text")


# ---- a character that is cut in two ------------------------------------------------------------------

STREAMS = {
    "anthropic": data(
        '{"type":"message_start","message":{"model":"m"}}',
        '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a%s"}}' % HIGH,
        '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%sb"}}' % LOW,
        '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}', '{"type":"message_stop"}'),
    "openai responses": data(
        '{"type":"response.output_text.delta","output_index":0,"delta":"a%s"}' % HIGH,
        '{"type":"response.output_text.delta","output_index":0,"delta":"%sb"}' % LOW,
        '{"type":"response.completed","response":{"status":"completed"}}'),
    "openai chat": data(
        '{"choices":[{"index":0,"delta":{"content":"a%s"}}]}' % HIGH,
        '{"choices":[{"index":0,"delta":{"content":"%sb"}}]}' % LOW,
        '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}', "[DONE]"),
    "gemini": data(
        '{"candidates":[{"content":{"parts":[{"text":"a%s"}]}}]}' % HIGH,
        '{"candidates":[{"content":{"parts":[{"text":"%sb"}]},"finishReason":"STOP"}]}' % LOW),
}


@case
def a_surrogate_pair_over_two_deltas_is_one_character(root):
    for kind, stream in STREAMS.items():
        model = Model(stream, stream)
        equal((kind, text_of(ask(model, kind, root, "hello"))), (kind, f"a{FACE}b"))
        # The model is sent its own words as they were meant.
        ask(model, kind, root, "-c", "again")
        sent = json.dumps(model.asked[1], ensure_ascii=False)
        equal((kind, f"a{FACE}b" in sent, "\ufffd" in sent), (kind, True, False))


@case
def half_a_pair_without_the_other_is_replaced(root):
    for kind, stream in STREAMS.items():
        model = Model(stream.replace(LOW, "x"))
        equal((kind, text_of(ask(model, kind, root, "hello"))), (kind, "a\ufffdxb"))


# ---- ids of Gemini's calls ---------------------------------------------------------------------------

def gemini(*parts):
    return data(json.dumps({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}))


@case
def the_id_of_a_call_of_gemini_comes_back_with_the_call_and_its_result(root):
    model = Model(gemini({"functionCall": {"id": "fc-1", "name": "system_time", "args": {}},
                          "thoughtSignature": "c2ln"},
                         {"functionCall": {"id": "fc-2", "name": "system_time", "args": {}}},
                         {"functionCall": {"name": "system_time", "args": {}}}),
                  gemini({"text": "done"}))
    equal(text_of(ask(model, "gemini", root, "what time is it?")), "done")
    parts = [part for content in model.asked[1]["contents"] for part in content["parts"]]
    sent = [part["functionCall"] for part in parts if "functionCall" in part]
    equal([call.get("id") for call in sent], ["fc-1", "fc-2", None])
    equal([call["name"] for call in sent], ["system_time"] * 3)
    equal([p.get("thoughtSignature") for p in parts if "functionCall" in p], ["c2ln", None, None])
    answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
    equal([answer.get("id") for answer in answers], ["fc-1", "fc-2", None])


main()
