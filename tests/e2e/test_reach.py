"""Which addresses trefoil reaches: a page that a model names is public, whatever its name resolves to
and wherever it redirects, unless the user allows a range; a server that the user has configured may be
on this machine, but never the metadata service of a cloud. The test lives in a network of its own,
where a public address is ours."""
import ctypes
import fcntl
import http.server
import json
import os
import pathlib
import socket
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading

PUBLIC, PRIVATE, METADATA = "8.8.8.8", "10.1.2.3", "169.254.169.254"
NAMES = [("public.test", PUBLIC), ("private.test", PRIVATE), ("here.test", "127.0.0.1"),
         ("cloud.test", METADATA), ("first.test", PUBLIC), ("first.test", PRIVATE),
         ("last.test", PRIVATE), ("last.test", PUBLIC), ("localhost", "127.0.0.1"),
         ("six.test", "::1"), ("both.test", "::1"), ("both.test", PUBLIC)]

if "OWN_NETWORK" not in os.environ:
    UNSHARE = ["unshare", "--user", "--map-root-user", "--net", "--mount"]
    if subprocess.run([*UNSHARE, "true"], check=False).returncode:
        print("1..0 # SKIP no network of its own: the kernel refuses namespaces")
        sys.exit(0)
    os.execvpe("unshare", [*UNSHARE, sys.executable, *sys.argv], {**os.environ, "OWN_NETWORK": "1"})

# pylint: disable=wrong-import-position
from harness import Serve, case, equal, has, main, run  # noqa: E402
from upstream import Gateway, HttpServer, configure, remote, text_of  # noqa: E402


# ---- a network -----------------------------------------------------------------------------------

SIOCSIFFLAGS, SIOCSIFADDR, IFF_UP, MS_BIND = 0x8914, 0x8916, 1, 4096


def set_address(name, address):
    """Give the loopback device an address more, and switch it on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        where = struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(address))
        fcntl.ioctl(s, SIOCSIFADDR, struct.pack("16s16s", name.encode(), where) + bytes(8))
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sH22x", name.encode(), IFF_UP))


def make_world(folder):
    """All addresses are this machine's, and names lead to them."""
    for n, address in enumerate(("127.0.0.1", PUBLIC, PRIVATE, METADATA)):
        set_address(f"lo:{n}" if n else "lo", address)
    hosts = os.path.join(folder, "hosts")
    with open(hosts, "w", encoding="ascii") as f:
        f.writelines(f"{address} {name}\n" for name, address in NAMES)
    cover("/etc/hosts", hosts)
    resolver = os.path.join(folder, "resolv.conf")
    with open(resolver, "w", encoding="ascii") as f:
        f.write("nameserver 127.0.0.1\noptions attempts:1 timeout:2\n")
    cover(os.path.realpath("/etc/resolv.conf"), resolver)


def cover(path, by):
    if ctypes.CDLL(None, use_errno=True).mount(by.encode(), path.encode(), None, MS_BIND, None):
        raise OSError(ctypes.get_errno(), f"mount {path}")


class Names(socketserver.BaseRequestHandler):
    """A name server. The answers for one name take turns: a public address, then another one."""
    asked, second = [], PRIVATE

    def handle(self):
        query, sock = self.request
        end = query.index(b"\0", 12) + 5  # of the question: name, type, class
        wanted = struct.unpack(">H", query[end - 4:end - 2])[0]
        answers = b""
        if wanted == 1 and b"rebound" in query:
            address = (PUBLIC, Names.second)[len(Names.asked) % 2]
            Names.asked.append(address)
            answers = struct.pack(">HHHIH", 0xc00c, 1, 1, 0, 4) + socket.inet_aton(address)
        head = query[:2] + struct.pack(">HHHHH", 0x8180, 1, 1 if answers else 0, 0, 0)
        sock.sendto(head + query[12:end] + answers, self.client_address)


class Pages(http.server.BaseHTTPRequestHandler):
    """Says by which address it was reached; /to/URL redirects there, /chain/N N times to itself."""
    reached = []

    def send_hostile(self):
        """A page that ends a program which passes it to libgumbo as it is."""
        body = (pathlib.Path(__file__).resolve().parent.parent / "fuzz/corpus/html/template").read_bytes()
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(body + b"<p>the end")

    def do_GET(self):
        if self.path == "/hostile":
            return self.send_hostile()
        own = self.connection.getsockname()[0]
        self.reached.append(own)
        word, _, rest = self.path[1:].partition("/")
        to = {"to": rest, "chain": f"/chain/{rest.isdigit() and int(rest) - 1}"}.get(word)
        if self.path == "/chain/0":
            to = None
        self.send_response(302 if to else 200)
        if to:
            self.send_header("location", to)
        self.send_header("content-type", "text/plain")
        self.end_headers()
        self.wfile.write(b"" if to else f"a page of {own}".encode())

    do_POST = do_DELETE = do_GET

    def log_message(self, *_):
        pass


class Server6(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6


def serve_pages():
    """On every address, at the port of HTTP: nobody else is in this network."""
    for server in http.server.ThreadingHTTPServer(("0.0.0.0", 80), Pages), Server6(("::1", 80), Pages):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    names = socketserver.ThreadingUDPServer(("127.0.0.1", 53), Names)
    threading.Thread(target=names.serve_forever, daemon=True).start()


with tempfile.TemporaryDirectory() as made_in:
    make_world(made_in)
serve_pages()


def may_fetch(root, *ranges):
    """A configuration in which these private ranges are allowed."""
    own = root / "own.toml"
    own.write_text('[mcp]\nmode = "read-write"\n[guard.permission]\nfetch = "auto"\n'
                   + (f"[web]\nallow_private = {json.dumps(ranges)}\n" if ranges else ""))
    return own


def fetch(root, url, *ranges):
    """What a model would be told of a page, and which of our addresses were reached for it."""
    own = may_fetch(root, *ranges)
    Pages.reached.clear()
    done = run("tools", "call", "web_fetch", json.dumps({"url": url}), "--config", str(own), root=root)
    return (done.stdout + done.stderr).decode(), list(Pages.reached)


# ---- what a model names --------------------------------------------------------------------------

@case
def a_public_page_is_fetched(root):
    for host in (PUBLIC, "public.test"):
        said, reached = fetch(root, f"http://{host}/")
        has(said, f"a page of {PUBLIC}")
        equal(reached, [PUBLIC])


@case
def a_hostile_page_ends_nothing(root):
    with Serve("--config", str(may_fetch(root)), root=root) as server:
        for _ in range(2):
            has(ask(server, "http://public.test/hostile"), "the end")
        equal(server.request("GET", "/health").status, 200)


@case
def no_name_and_no_number_leads_to_this_machine_or_beside_it(root):
    for host in ("127.0.0.1", "localhost", "here.test", "[::1]", "2130706433", "0x7f.1", PRIVATE, "private.test",
                 METADATA, "cloud.test", "2852039166", "[::ffff:169.254.169.254]", "[::ffff:127.0.0.1]",
                 "localhost.", "a.localhost", "127.1", "0177.0.0.1", "017700000001", "0", "0.0.0.0", "[::]",
                 "%31%32%37.0.0.1", "[64:ff9b::a01:203]", "[2002:a01:203::1]", "[::10.1.2.3]",
                 "100.64.0.1", "100.100.100.200", "224.0.0.1", "255.255.255.255", "[fe80::1]",
                 "[fd00:ec2::254]", "metadata.google.internal", "METADATA.google.internal."):
        said, reached = fetch(root, f"http://{host}/")
        equal((host, reached, "a page of" in said), (host, [], False))


@case
def one_private_address_of_a_name_is_enough(root):
    for host in ("first.test", "last.test"):
        said, reached = fetch(root, f"http://{host}/")
        has(said, f"{host}:80 resolves to {PRIVATE}, which is not allowed: an address of a private network; "
                  f'allow_private = ["{PRIVATE}"] in [web] of the user\'s config.toml allows it')
        equal(reached, [])


@case
def a_redirect_leads_there_neither(root):
    for host in ("127.0.0.1", "here.test", PRIVATE, "private.test", METADATA, "cloud.test"):
        said, reached = fetch(root, f"http://public.test/to/http://{host}/")
        equal((host, reached, "a page of" in said), (host, [PUBLIC], False))
    said, reached = fetch(root, f"http://public.test/to/http://{PUBLIC}/")
    has(said, f"a page of {PUBLIC}")
    equal(reached, [PUBLIC, PUBLIC])


@case
def a_name_that_changes_its_address_leads_nowhere_else(root):
    """The address that was checked is the one that is used, and a redirect is looked up anew."""
    for second in (PRIVATE, METADATA, "127.0.0.1"):
        Names.second = second
        Names.asked.clear()
        said, reached = fetch(root, "http://rebound.test/")
        has(said, f"a page of {PUBLIC}")
        equal((reached, Names.asked), ([PUBLIC], [PUBLIC]))
        said, reached = fetch(root, "http://rebound.test/")
        has(said, f"rebound.test:80 resolves to {second}, which is not allowed")
        equal(reached, [])
        said, reached = fetch(root, "http://rebound.test/to/http://rebound.test/")
        has(said, f"rebound.test:80 resolves to {second}, which is not allowed")
        equal((reached, Names.asked[2:]), ([PUBLIC], [PUBLIC, second]))


@case
def five_redirects_are_followed_and_each_is_checked(root):
    said, reached = fetch(root, "http://public.test/chain/5")
    has(said, f"a page of {PUBLIC}")
    equal(len(reached), 6)
    said, reached = fetch(root, "http://public.test/chain/6")
    has(said, "public.test:80 redirects again after 5 redirects")
    equal(len(reached), 6)
    chain = f"http://public.test/to/http://{PUBLIC}/to/http://public.test/to/http://{METADATA}/"
    said, reached = fetch(root, chain, "169.254.0.0/16")
    has(said, f"the address {METADATA}:80 is not allowed: the address of a cloud metadata service, "
              "which no setting allows")
    equal(reached, [PUBLIC] * 3)


# ---- what the user allows ------------------------------------------------------------------------

@case
def a_range_that_the_user_allows_is_reached_and_no_other(root):
    for host in (PRIVATE, "private.test", f"public.test/to/http://{PRIVATE}", "first.test", "last.test"):
        said, reached = fetch(root, f"http://{host}/", "10.1.0.0/16")
        assert "a page of" in said, (host, said)
        assert set(reached) <= {PUBLIC, PRIVATE}, reached
    for host in ("six.test", "both.test", "[::1]"):
        said, reached = fetch(root, f"http://{host}/", "::1")
        assert "a page of" in said, (host, said)
        has(fetch(root, f"http://{host}/")[0], "a loopback address")
    for host in ("127.0.0.1", "here.test", METADATA):
        said, reached = fetch(root, f"http://{host}/", "10.1.0.0/16", "169.254.0.0/16")
        equal((host, reached, "a page of" in said), (host, [], False))


@case
def a_project_allows_nothing(root):
    (root / "trefoil.toml").write_text('[web]\nallow_private = ["10.1.0.0/16"]\n')
    Pages.reached.clear()
    for trust, reached in ((), []), (("--trust",), [PRIVATE]):
        done = run("run", "--yes", *trust, "/call web_fetch " + json.dumps({"url": f"http://{PRIVATE}/"}),
                   root=root, TREFOIL_PROVIDER="offline")
        equal((Pages.reached, b"in [web] of the user" in done.stdout + done.stderr), (reached, not trust))
    has(run("config", "check", root=root).stdout,
        b"trefoil.toml:2:17: allow_private is ignored: a project cannot loosen what the user has set")


@case
def the_server_itself_is_never_reached(root):
    everything = ["0.0.0.0/0", "::/0"]
    for listen in ("127.0.0.1:0", "localhost:0"):
        with Serve("--config", str(may_fetch(root, *everything)), root=root, listen=listen) as server:
            port = server.address[1]
            for host in ("127.0.0.1", "127.0.0.2", "localhost", "here.test", "0.0.0.0", PRIVATE, PUBLIC,
                         f"public.test:80/to/http://127.0.0.1", "[::ffff:127.0.0.1]"):
                has(ask(server, f"http://{host}:{port}/health"),
                    "an address of this trefoil server, which no setting allows")
            has(ask(server, "http://127.0.0.1/"), "a page of 127.0.0.1")
            has(ask(server, f"http://{METADATA}/"), "which no setting allows")


def ask(server, url):
    return text_of(server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                "params": {"name": "web_fetch", "arguments": {"url": url}}}).json())


# ---- what the user configures --------------------------------------------------------------------

@case
def a_configured_server_may_be_on_this_machine_but_never_the_metadata_service(root):
    with HttpServer() as url:
        port = url.rpartition(":")[2]
        configure(root, remote("here", f"http://here.test:{port}/mcp"),
                  remote("cloud", f"http://cloud.test/mcp"),
                  remote("led", f"{url}/bad/redirect"), remote("moved", f"{url}/bad/moved"))
        Pages.reached.clear()
        with Gateway(root=root) as gate:
            gate.wait_ready("here")
            equal(gate.text("mcp_here_add", a=1, b=2), "3")
            gate.wait_ready("moved")  # within its origin
            equal(gate.text("mcp_moved_add", a=1, b=2), "3")
            for name in ("cloud", "led"):
                failed = gate.call(f"mcp_{name}_add")
                assert "error" in failed or failed["result"]["isError"], failed
                equal(gate.connected(name), None)
        equal(Pages.reached, [])


main()
