"""Credentials for remote A2A agents: which header they become, where secrets come from and where
they do not go, and which definitions are trusted."""
import base64
import json

from a2a_fake_server import A2AServer
from a2a_remote import ask, remote, text_of
from harness import case, equal, has, main, run

SECRET = "s3cret-value-of-the-test"


def fresh(root, name):
    folder = root / name
    folder.mkdir()
    return folder


def header(name, value):
    return lambda request: request.headers.get(name) == value


KINDS = {
    "bearer": ('type = "bearer", token = "env:A2A_SECRET"',
               header("Authorization", f"Bearer {SECRET}")),
    "key": ('type = "api_key", key = "env:A2A_SECRET"', header("X-API-Key", SECRET)),
    "named": ('type = "api_key", key = "env:A2A_SECRET", name = "X-Mine"',
              header("X-Mine", SECRET)),
    "query": ('type = "api_key", key = "env:A2A_SECRET", name = "k", in = "query"',
              lambda request: f"k={SECRET}" in request.path.partition("?")[2]),
    "cookie": ('type = "api_key", key = "env:A2A_SECRET", name = "k", in = "cookie"',
               header("Cookie", f"k={SECRET}")),
    "basic": ('type = "basic", username = "me", password = "env:A2A_SECRET"',
              header("Authorization",
                     "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode())),
}


@case
def every_kind_of_credentials_is_sent_with_every_request(root):
    for name, (auth, accepts) in KINDS.items():
        for streaming in (True, False):
            with A2AServer("1.0", "HTTP+JSON", streaming, auth=accepts, card_auth=True) as server:
                here = fresh(root, f"{name}{streaming}")
                remote(here, server, f"auth = {{ {auth} }}")
                done, told = ask(here, "hello", A2A_SECRET=SECRET)
                equal((name, text_of(told)), (name, "echo: hello"))
                equal(SECRET in done.stdout.decode() + done.stderr.decode(), False)


@case
def secrets_come_from_files_too_and_are_never_shown(root):
    (root / "secret").write_text(SECRET + "\n")
    (root / "secret").chmod(0o600)
    with A2AServer(auth=header("Authorization", f"Bearer {SECRET}")) as server:
        remote(root, server, 'auth = { type = "bearer", token = "file:secret" }')
        done, told = ask(root, "hello", "--log-level", "trace")
        equal(text_of(told), "echo: hello")
        equal(SECRET in done.stdout.decode() + done.stderr.decode(), False)
        remote(root, server, f'auth = {{ type = "bearer", token = "{SECRET}" }}')
        done = run("config", "check", root=root)
        has(done.stderr.decode() + done.stdout.decode(), "written into the file")
        equal(SECRET in done.stderr.decode() + done.stdout.decode(), False)
        shown = run("agents", "show", "remote", root=root)
        equal(SECRET in shown.stderr.decode() + shown.stdout.decode(), False)


@case
def missing_and_wrong_credentials_are_named(root):
    with A2AServer(auth=header("Authorization", f"Bearer {SECRET}")) as server:
        remote(root, server, 'auth = { type = "bearer", token = "env:A2A_SECRET" }')
        done = run("run", "-a", "remote", "hello", root=root)
        equal(done.returncode, 2)
        has(done.stderr.decode(), "A2A_SECRET is not set")
        equal(server.requests, [])
        done, told = ask(root, "hello", A2A_SECRET="wrong")
        equal(done.returncode, 1)
        has(told[-1]["text"], "401")
        has(told[-1]["text"], "auth")
        bad = run("run", "-a", "remote", "hello", root=root, A2A_SECRET="two\nlines")
        equal(bad.returncode, 2)
        has(bad.stderr.decode(), "control characters")


OAUTH = ('auth = {{ type = "oauth", client_id = "client", client_secret = "env:A2A_SECRET", '
         'token_url = "{url}/token", scope = "agents read" }}')


@case
def oauth_tokens_are_fetched_kept_and_replaced(root):
    good = {"n": 1}

    def accepts(request):
        return request.headers.get("Authorization") == f"Bearer token-{good['n']}"

    with A2AServer(auth=accepts) as server:
        remote(root, server, OAUTH.format(url=server.url))
        _, told = ask(root, "hello", A2A_SECRET="s3cret")
        equal((text_of(told), server.tokens), ("echo: hello", 1))
        body = next(b for m, p, _, b in server.requests if p == "/token")
        equal(body, b"grant_type=client_credentials&scope=agents%20read")
        good["n"] = 3  # the next one is rejected when it is used
        server.tokens = 1
        _, told = ask(root, "hello", A2A_SECRET="s3cret")
        equal((text_of(told), server.tokens), ("echo: hello", 3))
        done, told = ask(root, "hello", A2A_SECRET="wrong")
        equal(done.returncode, 1)
        has(told[-1]["text"], "token endpoint")


@case
def an_agent_of_a_project_gets_nothing_before_it_is_trusted(root):
    with A2AServer(auth=header("Authorization", f"Bearer {SECRET}")) as server:
        folder = root / ".trefoil" / "agents"
        folder.mkdir(parents=True)
        (folder / "remote.md").write_text(
            f"---\nprovider: a2a\nurl: {server.url}\nauth:\n  type: bearer\n"
            "  token: env:A2A_SECRET\n---\n")
        done = run("run", "-a", "remote", "hello", root=root, A2A_SECRET=SECRET)
        equal(done.returncode, 1)
        has(done.stderr.decode(), "trefoil trust")
        equal(server.requests, [])
        shown = run("trust", root=root)
        has(shown.stdout.decode() + shown.stderr.decode(), server.url)
        done = run("run", "-a", "remote", "hello", "--trust", root=root, A2A_SECRET=SECRET)
        equal(done.stdout.decode().strip(), "echo: hello")
        equal(run("trust", "--yes", root=root).returncode, 0)
        done = run("run", "-a", "remote", "hello", root=root, A2A_SECRET=SECRET)
        equal(done.stdout.decode().strip(), "echo: hello")


main()
