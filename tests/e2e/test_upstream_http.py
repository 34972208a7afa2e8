"""MCP servers over HTTP that restart, are gone, or want a token."""
import json
import urllib.request

from harness import case, equal, has, main, run, wait_for
from upstream import Gateway, HttpServer, configure, remote, text_of


def check_restart(root, path):
    web = HttpServer()
    with web as url:
        configure(root, remote("web", f"{url}{path}"))
        with Gateway(root=root) as gate:
            gate.wait_ready("web")
            equal(gate.text("mcp_web_echo", text="before"), "before")
            web.stop()
            web.start()
            equal(gate.text("mcp_web_echo", text="after"), "after")
            equal(gate.connected("web")["connected"], True)


@case
def a_server_that_has_restarted_and_answers_400_is_greeted_again(root):
    check_restart(root, "/session-400")


@case
def a_server_that_has_restarted_and_answers_404_is_greeted_again(root):
    check_restart(root, "/mcp")


@case
def a_restarted_server_is_noticed_without_a_call(root):
    """By the stream on which it would tell of changes."""
    web = HttpServer()
    with web as url:
        configure(root, remote("web", f"{url}/session-400"))
        with Gateway(root=root) as gate:
            gate.wait_ready("web")
            web.stop()
            web.start()
            wait_for("another session", lambda: greetings(url))


def greetings(url):
    with urllib.request.urlopen(f"{url}/log") as answer:
        return [x for x in json.load(answer) if '"initialize"' in x["body"]]


@case
def a_server_that_is_gone_is_not_called_ready(root):
    web = HttpServer()
    with web as url:
        configure(root, remote("web", f"{url}/session-400"))
        with Gateway(root=root) as gate:
            gate.wait_ready("web")
            web.stop()
            has(gate.text("mcp_web_echo", text="x"), "refused")
            wait_for("another state", lambda: gate.configured("web")["state"] != "ready")
            has(gate.configured("web")["last_error"], "refused")
            web.start()
            gate.wait_ready("web")
            equal(gate.text("mcp_web_echo", text="back"), "back")


WANTED = "OAuth login is not available yet: put a token into `headers` of its entry"


@case
def a_server_that_wants_a_token_says_what_to_do(root):
    with HttpServer() as url:
        configure(root, remote("shut", f"{url}/bad/401"), remote("no", f"{url}/bad/403"),
                  remote("wrong", f"{url}/bad/401", headers='{ Authorization = "Bearer x" }'))
        listed = run("servers", "--trust", root=root).stdout.decode()
        equal(listed.count(WANTED), 2)
        has(listed, "did not accept the token in `headers`")
        has(run("servers", "test", "shut", "--trust", root=root).stdout.decode(), WANTED)
        has(run("doctor", "--trust", root=root).stdout.decode(),
            "2 have a URL and no `headers`: OAuth login is not available yet")


@case
def a_call_that_is_refused_for_want_of_a_token_says_so(root):
    with HttpServer() as url:
        configure(root, remote("web", f"{url}/bad/401?on=tools/call"))
        with Gateway(root=root) as gate:
            gate.wait_ready("web")
            has(text_of(gate.call("mcp_web_echo", text="x")), WANTED)


main()
