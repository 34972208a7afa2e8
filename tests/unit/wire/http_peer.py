"""An HTTP server that behaves as its paths say, for the tests of the HTTP client.

Prints "PORT TLS_PORT EXPIRED_TLS_PORT FOLDER" (0 and - without TLS) and runs until its standard
input ends. FOLDER/good.pem and the hashed FOLDER/trusted/ hold its certificate. Raw sockets, so
that it can also behave badly. Nothing here waits for a time: what should take long waits until
the client, or another request, lets it go on.
"""

import os
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading

connections = 0
lock = threading.Lock()
marks = {}  # name -> Event, set by /mark/NAME
counts = {}  # name -> bytes sent by /long/N/NAME
last_connect = b""  # what a client told us as a proxy


def mark(name):
    with lock:
        return marks.setdefault(name, threading.Event())


class Gone(Exception):
    pass


class Request:
    def __init__(self, conn, number, head, body):
        lines = head.decode("latin-1").split("\r\n")
        self.conn, self.number, self.head, self.body = conn, number, lines, body
        self.method, self.target, _ = lines[0].split(" ", 2)
        self.path = self.target
        if self.path.startswith("http://"):  # asked as a proxy
            self.path = "/" + self.path[7:].partition("/")[2]

    def send(self, data):
        self.conn.sendall(data)

    def reply(self, body=b"", status="200 OK", *headers):
        lines = ["HTTP/1.1 " + status, "Content-Length: %d" % len(body),
                 "X-Connection: %d" % self.number, *headers]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        self.send(head if self.method == "HEAD" else head + body)

    def begin_chunks(self, *headers):
        self.send(("\r\n".join(["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *headers])
                   + "\r\n\r\n").encode())

    def chunk(self, data):
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def wait_gone(self):
        """Until the client hangs up."""
        while self.conn.recv(4096):
            pass
        raise Gone


def plain(r, *_):
    r.reply(b"hello", "200 OK", "Content-Type: text/plain")


def empty(r, *_):
    r.reply(b"", "204 No Content")


def size(r, *_):
    r.reply(b"%d" % len(r.body))


def echo(r, *_):
    r.reply("\n".join(r.head).encode("latin-1") + b"\n\n" + r.body, "200 OK",
            "Content-Type: text/plain")


def tell_connect(r, *_):
    r.reply(last_connect)


def status(r, code):
    r.reply(b"status", code + " Whatever")


def chunked(r, *_):
    r.begin_chunks()
    r.send(b"5;x=y\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nX-Trailer: late\r\n\r\n")


def until_close(r, *_):
    r.send(b"HTTP/1.0 200 OK\r\n\r\nto the end")
    raise Gone


def silent(r, *_):
    r.wait_gone()


def half_head(r, *_):
    r.send(b"HTTP/1.1 200 OK\r\nX-Half")
    r.wait_gone()


def stall(r, *_):
    r.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
    r.wait_gone()


def cut(r, *_):
    r.send(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
    raise Gone


def cut_chunked(r, *_):
    r.begin_chunks()
    r.send(b"10\r\nhello")
    raise Gone


def cut_head(r, *_):
    r.send(b"HTTP/1.1 200 OK\r\nX-Half")
    raise Gone


def nothing(r, *_):
    raise Gone


def reset(r, *_):
    r.conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise Gone


def garbage(r, *_):
    r.send(b"SSH-2.0-hello\r\nthis is not HTTP\r\n")
    raise Gone


def long(r, size, name=""):
    """A body of so many bytes; how far it got can be asked for."""
    left = int(size)
    r.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % left)
    counts[name] = 0
    while left:
        n = min(left, 65536)
        r.send(b"x" * n)
        left -= n
        counts[name] += n


def long_chunked(r, size):
    r.begin_chunks()
    for _ in range(int(size) // 1000):
        r.chunk(b"y" * 1000)
    r.send(b"0\r\n\r\n")


def endless(r, *_):
    r.begin_chunks()
    while True:
        r.chunk(b"z" * 1000)


def progress(r, name):
    r.reply(b"%d" % counts.get(name, 0))


def header_line(r, size):
    r.reply(b"", "200 OK", "X-Long: " + "x" * int(size))


def header_many(r, count):
    r.reply(b"", "200 OK", *["X-%d: value" % i for i in range(int(count))])


def trailer_many(r, count):
    r.begin_chunks()
    r.send(b"0\r\n" + b"".join(b"X-%d: value\r\n" % i for i in range(int(count))) + b"\r\n")


def folded(r, *_):
    r.send(b"HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n")


def odd_headers(r, *_):
    r.send(b"HTTP/1.1 200 OK\r\nX-Empty:\r\nX-Space:  a b \t\r\nx-lower:c:d\r\n"
           b"Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n")


def no_colon(r, *_):
    r.send(b"HTTP/1.1 200 OK\r\nX-A: a\r\nno colon\r\nContent-Length: 0\r\n\r\n")


def interim(r, count):
    for _ in range(int(count)):
        r.send(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n")
    plain(r)


def redirect(r, left, code="302"):
    if left == "0":
        return echo(r)
    r.reply(b"elsewhere", code + " Found", "Location: /redirect/%d/%s" % (int(left) - 1, code))


def relative(r, *_):
    r.reply(b"", "302 Found", "Location: ../plain?a b#part")


def to(r, *_):
    """/to/URL redirects there."""
    r.reply(b"elsewhere", "302 Found", "Location: " + r.path.partition("/to/")[2])


def to_keeping(r, *_):
    """The same, and the method stays."""
    r.reply(b"elsewhere", "307 Temporary Redirect", "Location: " + r.path.partition("/to-keeping/")[2])


def to_nowhere(r, *_):
    r.reply(b"here", "302 Found")


def to_long(r, size):
    r.reply(b"", "302 Found", "Location: /" + "x" * int(size))


def to_large(r, size):
    r.reply(b"x" * int(size), "302 Found", "Location: /plain")


def events(r, name):
    """One event, then another for each /mark/NAME.1, NAME.2; then the end."""
    r.begin_chunks("Content-Type: text/event-stream")
    r.chunk(b": hi\n\nid: 1\nda")
    r.chunk(b"ta: one\n\n")
    mark(name + ".1").wait()
    r.chunk(b"event: add\ndata: two\r\n\r\n")
    mark(name + ".2").wait()
    r.chunk(b"data: unfinished\n")
    r.send(b"0\r\n\r\n")


def set_mark(r, name):
    mark(name).set()
    r.reply()


def seen(r, name):
    """Sets the mark, then is silent."""
    mark(name).set()
    r.wait_gone()


def await_mark(r, name):
    mark(name).wait()
    r.reply()


def drop_next(r, *_):
    """A good answer, but the connection is closed under the next request."""
    r.reply(b"last words")
    read_message(r.conn, b"")
    raise Gone


def drop_now(r, name="dropped"):
    """A good answer, and the connection is closed without saying so; then the mark is set."""
    r.reply(b"last words")
    r.conn.close()
    mark(name).set()
    raise Gone


BEHAVIOURS = {
    "plain": plain, "empty": empty, "echo": echo, "size": size, "last-connect": tell_connect,
    "status": status, "chunked": chunked, "until-close": until_close, "silent": silent,
    "half-head": half_head, "stall": stall, "cut": cut, "cut-chunked": cut_chunked,
    "cut-head": cut_head, "nothing": nothing, "reset": reset, "garbage": garbage, "long": long,
    "long-chunked": long_chunked, "endless": endless, "progress": progress,
    "header-line": header_line, "header-many": header_many, "trailer-many": trailer_many,
    "folded": folded, "odd-headers": odd_headers, "no-colon": no_colon, "interim": interim,
    "redirect": redirect, "relative": relative, "to": to, "to-keeping": to_keeping, "to-nowhere": to_nowhere,
    "to-long": to_long, "to-large": to_large, "events": events, "mark": set_mark, "seen": seen,
    "await": await_mark, "drop-next": drop_next, "drop-now": drop_now,
}


def read_message(conn, data):
    """A request head, its body, and what came behind it."""
    while b"\r\n\r\n" not in data:
        more = conn.recv(65536)
        if not more:
            raise Gone
        data += more
        if not data[:1].isalpha():  # TLS, perhaps
            raise Gone
    head, _, rest = data.partition(b"\r\n\r\n")
    size = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
        if name == b"X-Read-After":  # the body only when told so
            mark(value.strip().decode()).wait()
    while len(rest) < size:
        more = conn.recv(1 << 20)
        if not more:
            raise Gone
        rest += more
    return head, rest[:size], rest[size:]


def tunnel(r):
    """CONNECT: carry bytes both ways to wherever this server's own port is asked for."""
    global last_connect
    last_connect = "\n".join(r.head).encode("latin-1")
    host, _, port = r.target.rpartition(":")
    if host != "far.test":
        r.reply(b"", "403 Forbidden")
        raise Gone
    other = socket.create_connection(("127.0.0.1", int(port)))
    r.send(b"HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")

    def carry(a, b):
        try:
            while data := a.recv(65536):
                b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    back = threading.Thread(target=carry, args=(other, r.conn), daemon=True)
    back.start()
    carry(r.conn, other)
    back.join()
    raise Gone


def serve(conn, number, context):
    rest = b""
    try:
        if context:
            conn = context.wrap_socket(conn, server_side=True)
        while True:
            head, body, rest = read_message(conn, rest)
            r = Request(conn, number, head, body)
            if r.method == "CONNECT":
                tunnel(r)
            name, *args = r.path.partition("?")[0].lstrip("/").split("/")
            BEHAVIOURS.get(name, lambda r, *_: r.reply(b"", "404 Not Found"))(r, *args)
    except (Gone, OSError):
        pass
    finally:
        conn.close()


def accept(listener, context):
    global connections
    while True:
        conn, _ = listener.accept()
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with lock:
            connections += 1
            number = connections
        threading.Thread(target=serve, args=(conn, number, context), daemon=True).start()


def listen(context=None):
    s = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept, args=(s, context), daemon=True).start()
    return s.getsockname()[1]


def certificate(folder, name, *days):
    """A self-signed certificate for tls.test and far.test, and its key."""
    key, request, cert, names = (os.path.join(folder, name + s)
                                 for s in (".key", ".csr", ".pem", ".txt"))
    with open(names, "w") as f:
        f.write("subjectAltName=DNS:tls.test,DNS:far.test\nbasicConstraints=CA:TRUE\n")

    def run(*args):
        subprocess.run(["openssl", *args], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    run("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", key, "-out", request, "-subj", "/CN=" + name)
    run("x509", "-req", "-in", request, "-signkey", key, "-days", *days, "-extfile", names,
        "-out", cert)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context, cert


def listen_tls(folder):
    try:
        good, cert = certificate(folder, "good", "2")
        expired, old = certificate(folder, "expired", "-1")
        os.mkdir(folder + "/trusted")
        shutil.copy(cert, folder + "/trusted")
        subprocess.run(["openssl", "rehash", folder + "/trusted"], check=True)
        with open(cert, "a") as f, open(old) as g:
            f.write(g.read())  # trusted, so that its age is all that is wrong with it
        return listen(good), listen(expired), folder
    except (OSError, subprocess.CalledProcessError, ssl.SSLError):
        return 0, 0, "-"


def main():
    with tempfile.TemporaryDirectory(prefix="http-peer-") as folder:
        print(listen(), *listen_tls(folder), flush=True)
        sys.stdin.buffer.read()


main()
