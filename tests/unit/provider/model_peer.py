"""A server of models that behaves as its paths say, for the tests of the exchange.

Prints its port and runs until its standard input ends. The first parts of a path choose the
behaviour, the rest is what a client of Chat Completions appends. Nothing here waits for a time.
"""

import json
import socket
import sys
import threading

seen = {}  # path -> requests so far
lock = threading.Lock()


class Gone(Exception):
    pass


def event(delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return ("data: " + json.dumps({"model": "peer-model", "choices": [choice]}) + "\n\n").encode()


GOOD = (event({"content": "good "}) + event({"content": "answer"}) + event({}, "stop")
        + b'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n'
        + b"data: [DONE]\n\n")


class Request:
    def __init__(self, conn, head, body, count):
        self.conn, self.head, self.body, self.count = conn, head, body, count

    def reply(self, status, body, *headers):
        lines = ["HTTP/1.1 %s Whatever" % status, "Content-Length: %d" % len(body), *headers]
        self.conn.sendall(("\r\n".join(lines) + "\r\n\r\n").encode() + body)

    def begin(self):
        self.conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
                          b"Transfer-Encoding: chunked\r\n\r\n")

    def chunk(self, data):
        self.conn.sendall(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self):
        self.conn.sendall(b"0\r\n\r\n")

    def wait_gone(self):
        while self.conn.recv(4096):
            pass
        raise Gone


def good(r, *_):
    r.begin()
    r.chunk(GOOD)
    r.end()


def tiny(r, *_):
    """One byte at a time."""
    r.begin()
    for i in range(len(GOOD)):
        r.chunk(GOOD[i:i + 1])
    r.end()


def refuse(r, status, times, *headers):
    """/refuse/STATUS/TIMES[/Name:value]: then a good answer."""
    if r.count > int(times):
        return good(r)
    body = json.dumps({"error": {"message": "no, key-of-the-test", "type": "x"}}).encode()
    extra = [h.replace("=", ": ") for h in headers if "=" in h]
    r.reply(status, body, "Content-Type: application/json", *extra)


def hang_up(r, times, *_):
    """Closes without a word, so many times."""
    if r.count > int(times):
        return good(r)
    raise Gone


def cut_early(r, times, *_):
    """A stream that ends before its first delta, so many times."""
    if r.count > int(times):
        return good(r)
    r.begin()
    r.chunk(event({"role": "assistant", "content": ""}))
    r.end()


def cut(r, *_):
    r.begin()
    r.chunk(event({"content": "half"}))
    raise Gone


def malformed(r, *_):
    r.begin()
    r.chunk(event({"content": "half"}) + b"data: {oops\n\n")
    r.wait_gone()


def late_error(r, *_):
    r.begin()
    r.chunk(event({"content": "half"}) + b'data: {"error":{"message":"tired","code":503}}\n\n')
    r.end()


def hang(r, *_):
    r.begin()
    r.chunk(event({"content": "half"}))
    r.wait_gone()


def silent(r, *_):
    r.wait_gone()


def linger(r, *_):
    r.begin()
    r.chunk(GOOD)
    r.wait_gone()


def flood(r, *_):
    r.begin()
    text = event({"content": "x" * 10000})
    while True:
        r.chunk(text)


def plain_json(r, *_):
    r.reply("200", b"{}", "Content-Type: application/json")


def page(r, *_):
    r.reply("400", b"<html>" + b"x" * 1000000)


def too_long(r, *_):
    r.reply("400", b'{"error":{"code":"context_length_exceeded","message":"too long"}}')


def echo(r, *_):
    r.begin()
    r.chunk(event({"content": r.head.decode("latin-1") + "\n" + r.body.decode()}) + event({}, "stop"))
    r.end()


BEHAVIOURS = {
    "good": good, "tiny": tiny, "refuse": refuse, "hang-up": hang_up, "cut-early": cut_early,
    "cut": cut, "malformed": malformed, "late-error": late_error, "hang": hang, "silent": silent,
    "linger": linger, "flood": flood, "json": plain_json, "page": page, "too-long": too_long,
    "echo": echo,
}


def read_request(conn, data):
    while b"\r\n\r\n" not in data:
        more = conn.recv(65536)
        if not more:
            raise Gone
        data += more
    head, _, rest = data.partition(b"\r\n\r\n")
    size = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    while len(rest) < size:
        more = conn.recv(65536)
        if not more:
            raise Gone
        rest += more
    return head, rest[:size], rest[size:]


def serve(conn):
    rest = b""
    try:
        while True:
            head, body, rest = read_request(conn, rest)
            path = head.split(b" ")[1].decode()
            with lock:
                seen[path] = seen.get(path, 0) + 1
                count = seen[path]
            name, *args = path.lstrip("/").split("/")
            BEHAVIOURS[name](Request(conn, head, body, count), *args)
    except (Gone, OSError):
        pass
    finally:
        conn.close()


def accept(listener):
    while True:
        conn, _ = listener.accept()
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(conn,), daemon=True).start()


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept, args=(listener,), daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    sys.stdin.buffer.read()


main()
