"""What tests of /api share: tasks of a server that needs no model, and event streams."""
import json

from harness import Serve, equal, request, wait_for


def serve(root, **more):
    return Serve(root=root, TREFOIL_PROVIDER="offline", **more)


def get(server, path, **headers):
    return server.request("GET", path, **headers)


def post(server, path, body=b"", **headers):
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    headers.setdefault("content_type", "application/json")
    return server.request("POST", path, body, **headers)


def dispatch(server, text, **more):
    made = post(server, "/api/tasks", {"task": text, **more})
    if made.status != 201:
        raise AssertionError(f"{made.status} {made.body!r}")
    return made.json()["id"]


def state(server, ident):
    return get(server, f"/api/tasks/{ident}").json()["state"]


def ended(server, ident, want):
    wait_for("its end", lambda: state(server, ident) == want)


def complaint(response):
    error = response.json()["error"]
    equal(error["code"], response.status)
    return error["message"]


class Events:
    """An event stream that is read as it comes."""

    def __init__(self, server, path, **headers):
        self.socket = server.connect()
        self.socket.sendall(request("GET", path, **headers))
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.file.close()
        self.socket.close()

    def lines(self):
        """The payload, out of its chunks."""
        text = b""
        while size := int(self.file.readline(), 16):
            text += self.file.read(size)
            self.file.readline()
            *whole, text = text.split(b"\n")
            yield from (line.decode() for line in whole)

    def __iter__(self):
        event = {}
        for line in self.lines():
            if not line and event:
                yield event
                event = {}
            elif line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                event[name] = value
