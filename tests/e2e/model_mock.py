"""A server of models from npm (aimock, pinned): it plays the parts it is given, in all four formats,
and keeps what it was asked.

An answer is picked by the last words of the user, so every part has words of its own; the n-th
request with the same words gets the n-th step of its part. What it was asked is kept as one list
of messages for all formats: {"role": "user" | "assistant" | "tool", "content", "tool_calls", ...}.
"""
import atexit
import itertools
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.request

PEERS = pathlib.Path(__file__).resolve().parent.parent / "peers"


def start(fixtures):
    """The port that the server says it listens on; it ends with us."""
    node = subprocess.run([PEERS / "install"], check=True, capture_output=True, text=True).stdout.strip()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="trefoil-models-"))
    config = folder / "aimock.json"
    config.write_text(json.dumps({"host": "127.0.0.1", "port": 0, "strict": True, "llm": {"fixtures": str(fixtures)}}))
    child = subprocess.Popen([node, PEERS / "node_modules/@copilotkit/aimock/dist/aimock-cli.js", "-c", config],
                             cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def stop():
        child.kill()
        child.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    for line in child.stdout:
        if found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
            threading.Thread(target=child.stdout.read, daemon=True).start()  # it must not fill the pipe
            return int(found.group(1))
    raise RuntimeError("the server of models did not start")


# ---- steps of a part -------------------------------------------------------------------------

def says(text, **more):
    """An answer; more: latency, chunkSize, truncateAfterChunks, chaos, ..."""
    return {"response": {"content": text}, **more}


def calls(*tools, text=None):
    """Calls of (name, arguments), together."""
    response = {"toolCalls": [{"name": name, "arguments": arguments} for name, arguments in tools]}
    return {"response": {**response, **({"content": text} if text else {})}}


TYPES = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}


def refuses(status, message, **more):
    """An error of the provider; more: retryAfter in seconds."""
    error = {"message": message, "type": TYPES.get(status, "api_error")}
    return {"response": {"error": error, "status": status, **more}}


# What cannot be given while it runs, because that is checked.
HALF = {"fixtures": [
    {"match": {"userMessage": "half an object", "hasToolResult": False},
     "response": {"toolCalls": [{"name": "file_read", "arguments": '{"path": "unterminated'}]}},
    {"match": {"userMessage": "half an object", "hasToolResult": True}, "response": {"content": "I will do better."}},
]}


class Mock:
    def __init__(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(HALF, file)
            file.flush()
            self.url = f"http://127.0.0.1:{start(file.name)}"
        self.parts = itertools.count(1)

    def control(self, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"{self.url}/__aimock/{path}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def play(self, what, *steps, forever=False):
        """A part. Gives the words that it is played for. forever: the last step again and again."""
        words = f"{what}, part {next(self.parts)}."
        fixtures = []
        for n, step in enumerate(steps):
            match = {"userMessage": words}
            if not (forever and n == len(steps) - 1):
                match["sequenceIndex"] = n
            fixtures.append({"match": match, **step})
        self.control("fixtures", {"fixtures": fixtures})
        return words

    def requests(self, words):
        """Every request whose last words of the user were these: {"model", "messages", "tools", ...}."""
        found = []
        for entry in self.control("journal"):
            body = entry["body"] or {}
            users = [text_of(m) for m in body.get("messages") or [] if m["role"] == "user"]
            if users and words in users[-1]:
                found.append(body)
        return found

    def asked(self, words):
        """The messages of these requests."""
        return [body["messages"] for body in self.requests(words)]


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


def system_of(body):
    """The system prompt of a request."""
    return "\n".join(text_of(m) for m in body["messages"] if m["role"] == "system")


def offered(body):
    """Names of the tools that a request offers."""
    return [tool["function"]["name"] for tool in body.get("tools", [])]


def results(messages):
    """What a model was told of its calls, in order. Gemini gets them in an object."""
    texts = [text_of(m) for m in messages if m["role"] == "tool"]
    return ["".join(json.loads(t).values()) if re.match(r'{"(output|error)":', t) else t for t in texts]


# ---- formats ---------------------------------------------------------------------------------

FORMATS = ["anthropic", "openai chat", "openai responses", "gemini"]


def environment_for(mock, name, folder, config=""):
    """Variables and a user's configuration with which trefoil speaks this format to the mock."""
    home = folder / "user"
    (home / "trefoil").mkdir(parents=True, exist_ok=True)
    env = {"XDG_CONFIG_HOME": str(home)}
    if name == "anthropic":
        env.update(ANTHROPIC_API_KEY="sk-test", ANTHROPIC_BASE_URL=mock.url)
    elif name == "openai chat":
        env.update(OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=mock.url + "/v1")
    elif name == "gemini":
        env.update(GEMINI_API_KEY="sk-test", GOOGLE_GEMINI_BASE_URL=mock.url)
    else:
        env["MOCK_KEY"] = "sk-test"
        config += (f'\n[providers.mock]\nkind = "openai"\napi = "responses"\nbase_url = "{mock.url}/v1"\n'
                   'api_key = "env:MOCK_KEY"\nmodel = "gpt-5"\n')
    (home / "trefoil" / "config.toml").write_text(config)
    return env
