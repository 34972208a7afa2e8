"""Versions of MCP: each one that a client asks for is spoken, over stdio and HTTP, by trefoil itself and
by one agent of it; a client of 2024-11-05 is told that lists may change."""
import json

from harness import Serve, Stdio, case, equal, main
from mcp_http import BOTH, META

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"


def agent(root):
    folder = root / "agents/coder"
    folder.mkdir(parents=True)
    (folder / "agent.json").write_text(
        '{"name": "trefoil-coder", "mcp": {"expose_tools": ["file_read"]}}')
    (root / "a.txt").write_text("text")


def hello(version):
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "e2e", "version": "1"}}}


def call(**meta):
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "file_read", "arguments": {"path": "a.txt"}, **meta}}


def check_hello(result, version, name):
    equal((result["protocolVersion"], result["serverInfo"]["name"]), (version, name))
    able = result["capabilities"]
    equal((able["tools"]["listChanged"], able["resources"]["listChanged"]), (True, True))


def check_call(result):
    equal(result["content"], [{"type": "text", "text": "text"}])


@case
def versions_with_a_handshake_are_spoken_over_stdio(root):
    agent(root)
    for words, name in (((), "trefoil"), (("--agent", "coder"), "trefoil-coder")):
        for version in HANDSHAKE:
            with Stdio(*words, root=root) as t:
                t.send(hello(version))
                check_hello(t.receive()["result"], version, name)
                t.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
                t.send(call())
                check_call(t.receive()["result"])


@case
def versions_with_a_handshake_are_spoken_over_http(root):
    agent(root)
    with Serve(root=root) as server:
        def post(path, message, **headers):
            return server.request("POST", path, json.dumps(message).encode(), accept=BOTH,
                                  content_type="application/json", **headers)
        for path, name in (("/mcp", "trefoil"), ("/mcp/coder", "trefoil-coder")):
            for version in HANDSHAKE:
                answer = post(path, hello(version))
                check_hello(answer.json()["result"], version, name)
                session = answer.headers["mcp-session-id"]
                check_call(post(path, call(), mcp_session_id=session,
                                mcp_protocol_version=version).json()["result"])


@case
def the_version_without_a_handshake_is_spoken_by_meta(root):
    agent(root)
    for words in ((), ("--agent", "coder")):
        with Stdio(*words, root=root) as t:
            result = t.call("tools/call", call(_meta=META)["params"])["result"]
            equal(result["resultType"], "complete")
            check_call(result)
            found = t.call("server/discover", {"_meta": META}, 2)["result"]
            equal((MODERN in found["supportedVersions"], found["capabilities"]["tools"]["listChanged"]),
                  (True, True))
    with Serve(root=root) as server:
        for path in ("/mcp", "/mcp/coder"):
            answer = server.request(
                "POST", path, json.dumps(call(_meta=META)).encode(), accept=BOTH,
                content_type="application/json", mcp_protocol_version=MODERN,
                mcp_method="tools/call", mcp_name="file_read").json()
            equal(answer["result"]["resultType"], "complete")
            check_call(answer["result"])


main()
