"""Which addresses trefoil reaches: a page that a model names is public, whatever its name resolves to
and wherever it redirects; a server that the user has configured may be on this machine, but never the
metadata service of a cloud. The test lives in a network of its own, where a public address is ours."""
import ctypes
import fcntl
import http.server
import json
import os
import socket
import struct
import sys
import tempfile
import threading

PUBLIC, PRIVATE, METADATA = "8.8.8.8", "10.1.2.3", "169.254.169.254"
NAMES = {"public.test": PUBLIC, "private.test": PRIVATE, "here.test": "127.0.0.1", "cloud.test": METADATA}

if "OWN_NETWORK" not in os.environ:
    os.execvpe("unshare", ["unshare", "--user", "--map-root-user", "--net", "--mount", sys.executable,
                           *sys.argv], {**os.environ, "OWN_NETWORK": "1"})

# pylint: disable=wrong-import-position
from harness import case, equal, has, main, run  # noqa: E402
from upstream import Gateway, HttpServer, configure, remote  # noqa: E402


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
        f.writelines(f"{address} {name}\n" for name, address in NAMES.items())
    if ctypes.CDLL(None, use_errno=True).mount(hosts.encode(), b"/etc/hosts", None, MS_BIND, None):
        raise OSError(ctypes.get_errno(), "mount")


class Pages(http.server.BaseHTTPRequestHandler):
    """Says by which address it was reached; /to/URL redirects there."""
    reached = []

    def do_GET(self):
        own = self.connection.getsockname()[0]
        self.reached.append(own)
        to = self.path.startswith("/to/")
        self.send_response(302 if to else 200)
        if to:
            self.send_header("location", self.path[4:])
        self.send_header("content-type", "text/plain")
        self.end_headers()
        self.wfile.write(b"" if to else f"a page of {own}".encode())

    do_POST = do_DELETE = do_GET

    def log_message(self, *_):
        pass


def serve_pages():
    """On every address, at the port of HTTP: nobody else is in this network."""
    server = http.server.ThreadingHTTPServer(("0.0.0.0", 80), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()


with tempfile.TemporaryDirectory() as made_in:
    make_world(made_in)
serve_pages()


def fetch(root, url):
    """What a model would be told of a page, and which of our addresses were reached for it."""
    own = root / "own.toml"
    own.write_text('[mcp]\nmode = "read-write"\n[guard.permission]\nfetch = "auto"\n')
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
def no_name_and_no_number_leads_to_this_machine_or_beside_it(root):
    for host in ("127.0.0.1", "localhost", "here.test", "[::1]", "2130706433", "0x7f.1", PRIVATE, "private.test",
                 METADATA, "cloud.test", "2852039166", "[::ffff:169.254.169.254]", "[::ffff:127.0.0.1]"):
        said, reached = fetch(root, f"http://{host}/")
        equal((host, reached, "a page of" in said), (host, [], False))


@case
def a_redirect_leads_there_neither(root):
    for host in ("127.0.0.1", "here.test", PRIVATE, "private.test", METADATA, "cloud.test"):
        said, reached = fetch(root, f"http://public.test/to/http://{host}/")
        equal((host, reached, "a page of" in said), (host, [PUBLIC], False))
    said, reached = fetch(root, f"http://public.test/to/http://{PUBLIC}/")
    has(said, f"a page of {PUBLIC}")
    equal(reached, [PUBLIC, PUBLIC])


# ---- what the user configures --------------------------------------------------------------------

@case
def a_configured_server_may_be_on_this_machine_but_never_the_metadata_service(root):
    with HttpServer() as url:
        port = url.rpartition(":")[2]
        configure(root, remote("here", f"http://here.test:{port}/mcp"),
                  remote("cloud", f"http://cloud.test/mcp"),
                  remote("led", f"{url}/bad/redirect"))
        Pages.reached.clear()
        with Gateway(root=root) as gate:
            gate.wait_ready("here")
            equal(gate.text("mcp_here_add", a=1, b=2), "3")
            for name in ("cloud", "led"):
                failed = gate.call(f"mcp_{name}_add")
                assert "error" in failed or failed["result"]["isError"], failed
                equal(gate.connected(name), None)
        equal(Pages.reached, [])


main()
