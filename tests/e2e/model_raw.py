"""A small model in Anthropic's format that keeps what it was asked word for word, however long it is.
model_mock.py plays more parts, but shortens what it keeps and counts no tokens."""
import http.server
import json
import threading

USAGE = {"input_tokens": 1000, "output_tokens": 1000}


def events_of(number, model, tools):
    """One answer: these calls of (name, arguments), or the word "Done."."""
    blocks = [({"type": "tool_use", "id": f"t{number}-{n}", "name": name, "input": {}},
               {"type": "input_json_delta", "partial_json": json.dumps(arguments)})
              for n, (name, arguments) in enumerate(tools)]
    blocks = blocks or [({"type": "text", "text": ""}, {"type": "text_delta", "text": "Done."})]
    yield {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant",
                                                "content": [], "model": model, "usage": USAGE}}
    for n, (block, delta) in enumerate(blocks):
        yield {"type": "content_block_start", "index": n, "content_block": block}
        yield {"type": "content_block_delta", "index": n, "delta": delta}
        yield {"type": "content_block_stop", "index": n}
    yield {"type": "message_delta", "usage": USAGE,
           "delta": {"stop_reason": "tool_use" if tools else "end_turn"}}
    yield {"type": "message_stop"}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        model = self.server.model
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with model.lock:
            model.asked.append(body)
            number = len(model.asked)
        tools = model.steps[number - 1] if number <= len(model.steps) else ()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events_of(number, body["model"], tools):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_):
        pass


class RawModel:
    """The model while the `with` lasts. steps: the calls that each answer makes; then "Done."."""

    def __init__(self):
        self.asked, self.steps, self.lock = [], [], threading.Lock()

    def play(self, *steps):
        self.asked, self.steps = [], steps

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.model = self
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.env = {"TREFOIL_PROVIDER": "anthropic", "ANTHROPIC_API_KEY": "k",
                    "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{self.server.server_port}"}
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def results(self):
        """The text of every result in the last request."""
        found = []
        for message in self.asked[-1]["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "tool_result":
                    content = block["content"]
                    found.append(content if isinstance(content, str) else
                                 "".join(part.get("text", "") for part in content))
        return found
