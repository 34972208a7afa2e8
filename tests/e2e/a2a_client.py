"""A client of A2A in every dialect and binding, for the tests of the server."""
import http.client
import json
import uuid

from harness import DEADLINE, Serve

OFFLINE = {"TREFOIL_PROVIDER": "offline"}
STATES = {"TASK_STATE_" + name.upper().replace("-", "_"): name for name in (
    "submitted", "working", "input-required", "auth-required", "completed", "failed", "canceled",
    "rejected")} | {"TASK_STATE_CANCELLED": "canceled"}


def message(text, dialect="1.0", parts=None, **more):
    """A message of the user in a dialect: 1.0, 0.3, 0.3-rest or 0.1."""
    ident = more.pop("messageId", f"m-{uuid.uuid4()}")
    if dialect == "0.1":
        return {"role": "user", "parts": parts or [{"type": "text", "text": text}], **more}
    if dialect == "0.3":
        return {"kind": "message", "messageId": ident, "role": "user",
                "parts": parts or [{"kind": "text", "text": text}], **more}
    member = "content" if dialect == "0.3-rest" else "parts"
    return {"messageId": ident, "role": "ROLE_USER", member: parts or [{"text": text}], **more}


class Answer:
    """The status, headers and JSON of a response."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {k.lower(): v for k, v in response.getheaders()}
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The code of the error, in any binding."""
        return self.json.get("error", self.json)["code"]

    @property
    def reason(self):
        error = self.json["error"]
        return (error.get("data") or error.get("details"))[0]["reason"]


class Stream:
    """An open event stream. Iterating gives (id, JSON) of each event until it ends."""

    def __init__(self, connection, response):
        self.connection = connection
        self.response = response

    def __iter__(self):
        ident, data = None, []
        for line in self.response:
            line = line.decode().rstrip("\n")
            if line.startswith("id: "):
                ident = int(line[4:])
            elif line.startswith("data: "):
                data.append(line[6:])
            elif not line and data:
                assert len(data) == 1, "an event is one line"
                yield ident, json.loads(data[0])
                data = []

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class Client:
    """Requests to the A2A routes of a server at (host, port)."""

    def __init__(self, address, **headers):
        self.address = address
        self.headers = {k.replace("_", "-"): v for k, v in headers.items()}

    def send(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(*self.address, timeout=DEADLINE)
        head = {**self.headers, **{k.replace("_", "-"): v for k, v in headers.items()}}
        if body is not None:
            head.setdefault("content-type", "application/json")
            body = body if isinstance(body, (bytes, str)) else json.dumps(body)
        connection.request(method, path, body, {k: v for k, v in head.items() if v is not None})
        return connection, connection.getresponse()

    def ask(self, method, path, body=None, **headers):
        connection, response = self.send(method, path, body, **headers)
        answer = Answer(response)
        connection.close()
        return answer

    def call(self, method, params=None, path="/a2a", ident=1, **headers):
        """The whole response of a JSON-RPC call."""
        return self.ask("POST", path, {"jsonrpc": "2.0", "id": ident, "method": method,
                                       "params": params or {}}, **headers)

    def result(self, method, params=None, **more):
        answer = self.call(method, params, **more)
        if answer.status != 200 or "result" not in answer.json:
            raise AssertionError(f"{method}: {answer.status} {answer.body!r}")
        return answer.json["result"]

    def stream(self, method, params, path="/a2a", ident="s", **headers):
        connection, response = self.send("POST", path, {
            "jsonrpc": "2.0", "id": ident, "method": method, "params": params},
            accept="text/event-stream", **headers)
        return self.opened(connection, response)

    def opened(self, connection, response):
        if response.status != 200 or "event-stream" not in response.getheader("content-type"):
            raise AssertionError(f"no stream: {response.status} {response.read()!r}")
        return Stream(connection, response)

    def rest_stream(self, path, body, method="POST"):
        return self.opened(*self.send(method, path, body, accept="text/event-stream"))

    # ---- with version 1.0 over JSON-RPC ----

    def work(self, text, blocking=True, **more):
        """Send a text; the task."""
        return self.result("SendMessage", {
            "message": message(text, **more),
            "configuration": {} if blocking else {"returnImmediately": True}})["task"]

    def get(self, task, **more):
        return self.result("GetTask", {"id": task["id"], **more})


def state(thing):
    """The state of a task or status update of any dialect."""
    status = thing["status"]
    word = status if isinstance(status, str) else status["state"]
    return STATES.get(word, word)


def texts(parts):
    return "".join(p.get("text", "") for p in parts)


def answer_of(task):
    """The texts of all artifacts of a task."""
    return "".join(texts(a["parts"]) for a in task.get("artifacts", []))


class Fold:
    """What a client knows from a stream: the task, and every update applied to it."""

    def __init__(self):
        self.task = None
        self.order = []

    def add(self, event):
        event = event.get("result", event)
        if "task" in event:
            self.task = event["task"]
            self.order.append("task")
        elif "statusUpdate" in event:
            self.task["status"] = event["statusUpdate"]["status"]
            self.order.append(state(event["statusUpdate"]))
        elif "artifactUpdate" in event:
            self.order.append("artifact")
            self.apply(event["artifactUpdate"])
        return self

    def apply(self, update):
        artifacts = self.task.setdefault("artifacts", [])
        artifact = update["artifact"]
        found = [a for a in artifacts if a["artifactId"] == artifact["artifactId"]]
        if update.get("append"):
            found[0]["parts"] += artifact["parts"]
        elif found:
            found[0]["parts"] = list(artifact["parts"])
        else:
            artifacts.append({**artifact, "parts": list(artifact["parts"])})

    @property
    def known(self):
        """The state and the content, however it was cut into parts."""
        return (state(self.task), [(a["artifactId"], a.get("name"), texts(a["parts"]))
                                   for a in self.task.get("artifacts", [])])


def serve(root, *args, **more):
    return Serve(*args, root=root, **{**OFFLINE, **more})


def client(server, **headers):
    return Client(server.address, **headers)
