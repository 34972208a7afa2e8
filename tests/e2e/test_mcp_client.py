#!/usr/bin/env python3
"""The MCP client against servers that misbehave: whatever they do has a clear outcome."""
import json
import os
import pathlib
import subprocess
import sys
import urllib.request

from harness import DEADLINE, case, equal, main

CLIENT = os.path.abspath(sys.argv[1])
SERVERS = pathlib.Path(__file__).resolve().parent.parent / "servers"


def client(target, tools="echo", args=None, **env):
    """What the client prints: the line about the server, its tools, and a line for each call."""
    done = subprocess.run(
        [CLIENT, "call", tools, json.dumps(args or {"text": "hi"}), *target],
        env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", timeout=2 * DEADLINE, check=False)
    lines = [line for line in done.stdout.splitlines() if " warn " not in line]
    return lines, [line for line in lines[1:] if not line.startswith("  ")] or lines[-1:]


def child(mode, *rest, **env):
    return client([sys.executable, str(SERVERS / "bad_server.py"), mode], *rest, **env)


def has(lines, *parts):
    for part in parts:
        if not any(part in line for line in lines):
            raise AssertionError(f"no {part!r} in {lines!r}")


class Web:
    """bad_http.py while it is needed."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, str(SERVERS / "bad_http.py")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(DEADLINE)
        self.process.stdout.close()

    def call(self, path, *rest, **env):
        return client([self.url + path], *rest, **env)

    def log(self):
        with urllib.request.urlopen(self.url + "/log", timeout=DEADLINE) as answer:
            return json.load(answer)


@case
def a_decent_child_is_greeted_listed_and_called(_):
    lines, calls = child("ok")
    has(lines[:1], "stdio 2025-11-25 bad_server 1")
    has(lines, "  echo")
    equal(calls, ['result {"content": [{"type": "text", "text": "hi"}]}'])


@case
def a_modern_child_needs_no_greeting(_):
    lines, calls = child("modern")
    has(lines[:1], "stdio 2026-07-28")
    has(calls, '"resultType": "complete"')


@case
def calls_are_pipelined(_):
    _, calls = child("ok", "echo+echo+echo,echo")
    equal(len(calls), 4)
    has(calls, "result")


@case
def a_child_that_dies_says_how_and_why(_):
    _, calls = child("die-in-handshake")
    has(calls, "exited with code 3", "last words, line three")
    _, calls = child("ok", "crash")
    has(calls, "exited with code")


@case
def one_that_dies_of_the_probe_gets_a_second_life(_):
    has(child("die-on-discover")[1], "result")


@case
def silence_ends(_):
    has(child("silent-on-meta", "echo", MCP_TIMEOUT_MS="300")[1], "did not answer echo in time")
    has(child("wrong-id", "echo", MCP_TIMEOUT_MS="300")[1], "did not answer echo in time")


@case
def noise_double_answers_and_foreign_frames_do_no_harm(_):
    for mode in ("junk", "twice", "content-length", "ignore-eof", "old-version"):
        has(child(mode)[1], "result")


@case
def an_answer_too_large_or_cut_off_fails_its_call(_):
    has(child("huge")[1], "larger than 10485760 bytes (limits.message_bytes)")
    has(child("half")[1], "malformed")


@case
def half_a_surrogate_pair_passes_as_it_came(_):
    has(child("lone-surrogate")[1], "\\ud800")


@case
def lists_without_end_are_cut_off(_):
    has(child("loop-pages")[0], "2 tools")
    has(child("loop-pages-fresh")[0], "100 tools")


@case
def a_version_nobody_knows_is_named(_):
    has(child("unknown-version")[1], "speaks MCP 1999-01-01")


@case
def a_child_sees_next_to_nothing_of_our_environment(_):
    _, calls = child("ok", "env", SECRET_TOKEN="sesame")
    has(calls, "PATH")
    equal([line for line in calls if "SECRET_TOKEN" in line or "sesame" in line], [])


@case
def what_is_no_program_is_said(_):
    lines, _ = client(["/nonexistent/server"])
    has(lines, "did not start", "/nonexistent/server")


@case
def the_server_may_ask_while_it_works(_):
    has(child("ok", "sample")[1], "test-model")
    has(child("ok", "roots")[1], "file://")
    has(child("modern", "sample")[1], "test-model")


@case
def every_shape_of_http_is_found(_):
    with Web() as web:
        for path, how in (("/mcp", "http 2025-11-25"), ("/modern", "http 2026-07-28"),
                          ("/sse", "sse 2024-11-05")):
            lines, calls = web.call(path)
            has(lines[:1], how)
            has(calls, "result")
        lines, calls = web.call("/mcp", MCP_SSE="1")
        has(lines[:1], "http 2025-11-25")
        has(calls, "result")
        has(web.call("/mcp", "sample")[1], "test-model")


@case
def a_forgotten_session_is_made_anew_and_the_call_sent_again(_):
    with Web() as web:
        _, calls = web.call("/mcp", "expire,echo+echo,echo")
        equal(len(calls), 4)
        has(calls[1:2], "hi")
        has(calls[3:], "hi")
        greetings = [r for r in web.log() if '"initialize"' in (r.get("body") or "")]
        equal(len(greetings), 2)


@case
def a_session_that_cannot_be_made_anew_ends_the_connection_at_once(_):
    with Web() as web:
        lines, calls = web.call("/mcp", "lock,echo")
        has(lines, "no more sessions")
        has(calls[-1:], "failed")


@case
def a_probe_that_is_only_accepted_means_a_handshake(_):
    with Web() as web:
        lines, calls = web.call("/bad/202?on=server/discover")
        has(lines[:1], "http 2025-11-25")
        has(calls, "hi")


@case
def a_server_without_a_stream_for_news_has_not_lost_its_session(_):
    with Web() as web:
        has(web.call("/post-only", "echo," * 20 + "echo")[1], "hi")
        greetings = [r for r in web.log() if '"initialize"' in (r.get("body") or "")]
        equal(len(greetings), 1)


@case
def a_stream_cut_off_is_taken_up_again(_):
    with Web() as web:
        has(web.call("/mcp", "resume")[1], "resumed")


@case
def a_session_is_deleted_at_the_end(_):
    with Web() as web:
        web.call("/mcp")
        has([r["verb"] for r in web.log()], "DELETE")


@case
def refusals_of_http_name_host_and_status(_):
    with Web() as web:
        for kind in ("500", "503", "401", "403"):
            for path in (f"/bad/{kind}", f"/bad/{kind}?on=tools/call"):
                has(web.call(path)[1], f"at {web.url[7:]} answered HTTP {kind}")


@case
def bodies_that_are_none_fail_what_waits_for_them(_):
    with Web() as web:
        for kind in ("half", "half-event", "type", "not-json", "redirect"):
            has(web.call(f"/bad/{kind}?on=tools/call")[1], "failed: server test", web.url[7:])
        has(web.call("/bad/huge?on=tools/call")[1], "limits.message_bytes")


@case
def an_endpoint_elsewhere_is_not_gone_to(_):
    with Web() as web:
        has(web.call("/bad/elsewhere", MCP_SSE="1")[1], "another origin")


@case
def metadata_services_are_out_of_reach(_):
    has(client(["http://169.254.169.254/mcp"])[1], "is not allowed")


@case
def calls_carry_a_trace(_):
    with Web() as web:
        has(web.call("/mcp", "headers")[1], "x-trefoil-trace-id", 'x-trefoil-depth\\": \\"1')
    has(child("ok", "seen")[1], "X-Trefoil-Trace-ID", "X-OpenStarry-Depth")


main()
