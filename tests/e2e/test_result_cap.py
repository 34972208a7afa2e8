"""Results of tools of servers, as MCP clients get them: their length, their marks, their edges."""
import json

from harness import case, equal, has, main, run
from mcp_http import modern
from upstream import READ_WRITE, Gateway, StdioGateway, configure, server, text_of

CAP = 50000
MARKS = {"trefoil/trust": "untrusted", "trefoil/type": "data"}
KEYS = '[[serve.keys]]\nname = "ann"\nkey = "key-of-ann"\n' \
       '[[serve.keys]]\nname = "bob"\nkey = "key-of-bob"\n'


def block(text):
    return {"type": "text", "text": text}


def picture(size):
    return {"type": "image", "mimeType": "image/png", "data": "A" * size}


def give(client, *content, tool="mcp_a_give", **more):
    return client("tools/call", {"name": tool, "arguments": {
        "result": {"content": list(content), **more}}})["result"]


def mixed(client):
    """Text over the cap, spread over blocks between which a picture stands."""
    page = {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain",
                                             "text": "\u00e9" * 30000}, "annotations": {"x": 1}}
    got = give(client, block("\u00e4" * 30000), picture(200000), page, block("z" * 100),
               picture(4))
    first, image, cut, last = got["content"]
    equal((first, image, last), (block("\u00e4" * 30000), picture(200000), picture(4)))
    page["resource"]["text"] = "\u00e9" * 20000 + "\n[truncated: 10100 more characters]"
    equal(cut, page)
    equal((got["_meta"], got.get("isError")), (MARKS, None))


@case
def the_text_of_all_blocks_is_cut_and_nothing_else(root):
    configure(root, server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        mixed(gate.rpc)
        has(gate.text("mcp_a_big", bytes=CAP + 1), "x\n[truncated: 1 more characters]")
        equal(give(gate.rpc, block("x" * CAP), isError=True),
              {"content": [block("x" * CAP)], "isError": True, "_meta": MARKS})
        wrong = give(gate.rpc, block("x" * (CAP + 1)), isError=True)
        equal((wrong["isError"], len(wrong["content"])), (True, 1))
    with StdioGateway(root=root) as gate:
        gate.initialize()
        gate.wait_tool("mcp_a_give")
        mixed(gate.ask)


@case
def structured_results_are_not_cut_but_linked(root):
    configure(root, server("a"), head=KEYS)
    whole = {"content": [block("x")], "structuredContent": {"rows": ["\u00e4" * 60000]}, "odd": 1}
    with Gateway(root=root) as gate:
        def ask(method, params, key="ann"):
            answer = gate.post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
                               authorization=f"Bearer key-of-{key}",
                               mcp_protocol_version="2025-06-18")
            return answer.json()

        def ready():
            return "mcp_a_give" in [t["name"] for t in ask("tools/list", {})["result"]["tools"]]
        while not ready():
            pass
        got = ask("tools/call", {"name": "mcp_a_give", "arguments": {"result": whole}})["result"]
        sentence, link = got["content"]
        equal((got["isError"], "structuredContent" in got, link["type"]),
              (True, False, "resource_link"))
        has(sentence["text"], "more than the allowed 50000")
        read = ask("resources/read", {"uri": link["uri"]})["result"]["contents"][0]
        equal((read["mimeType"], json.loads(read["text"])), ("application/json", whole))
        for uri, key in ((link["uri"], "bob"), (link["uri"][:-1] + "x", "ann")):
            equal(ask("resources/read", {"uri": uri}, key)["error"]["message"],
                  "Resource not found")
        listed = ask("resources/list", {})["result"]["resources"]
        assert link["uri"] not in [r["uri"] for r in listed], listed


@case
def a_kept_result_is_gone_after_a_while_and_makes_room(root):
    head = "[limits]\nresult_keep_bytes = 200000\n"
    configure(root, server("a"), head=head)
    whole = {"structuredContent": {"rows": "y" * 120000}}
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        # A version without links has their addresses as text.
        first, second = (give(gate.rpc, **whole)["content"][1]["text"] for _ in range(2))
        equal("error" in gate.rpc("resources/read", {"uri": first}), True)
        equal("error" in gate.rpc("resources/read", {"uri": second}), False)
        alone, = give(gate.rpc, structuredContent={"rows": "y" * 300000})["content"]
        equal(alone["type"], "text")
    configure(root, server("a"), head="[limits]\nresult_keep_ms = 10\n")
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        uri = give(gate.rpc, **whole)["content"][1]["text"]
        while "error" not in gate.rpc("resources/read", {"uri": uri}):
            pass


@case
def only_the_user_raises_the_cap_of_a_server(root):
    configure(root, server("theirs", max_result_chars=200000), server("low", max_result_chars=100),
              user=READ_WRITE + server("mine", max_result_chars=200000))
    with Gateway(root=root) as gate:
        gate.wait_ready("theirs", "mine", "low")
        equal(len(gate.text("mcp_mine_big", bytes=150000)), 150000)
        has(gate.text("mcp_mine_big", bytes=200001), "[truncated: 1 more characters]")
        has(gate.text("mcp_theirs_big", bytes=150000), "[truncated: 100000 more characters]")
        has(gate.text("mcp_low_big", bytes=150), "[truncated: 50 more characters]")
    done = run("config", "check", "--trust", root=root)
    has((done.stdout + done.stderr).decode(),
        "max_result_chars above 50000 is allowed only in your own configuration")


@case
def results_say_whom_they_come_from(root):
    (root / "note.txt").write_text("ours")
    configure(root, server("a"), server("new", "modern"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "new")
        ours = gate.call("file_read", path="note.txt")["result"]
        equal(ours["_meta"], {"trefoil/trust": "trusted", "trefoil/type": "data"})
        for tool in ("mcp_a_echo", "mcp_a_fail"):
            equal(gate.call(tool, text="x")["result"]["_meta"], MARKS)
        theirs = give(gate.rpc, block("x"), _meta={"trefoil/trust": "trusted", "own": [1]})
        equal(theirs["_meta"], {**MARKS, "own": [1]})
        equal(text_of(gate.call("nothing")), "Unknown tool: nothing")


@case
def a_client_sees_what_its_version_knows(root):
    configure(root, server("a"), server("new", "modern"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a", "new")
        got = gate.call("mcp_new_echo", text="x")["result"]
        equal(got, {"content": [block("x")], "_meta": MARKS})
        got = give(gate.rpc, block("x"), tool="mcp_new_give", ttlMs=5, cacheScope="public", odd=7,
                   _meta={"a": 1})
        equal(got, {"content": [block("x")], "odd": 7, "_meta": {**MARKS, "a": 1}})
        for tool in ("mcp_a_echo", "mcp_new_echo"):
            params = {"name": tool, "arguments": {"text": "x"}}
            got = modern(gate, "tools/call", params, tool).json()["result"]
            equal((got["resultType"], got["content"]), ("complete", [block("x")]))
            equal({k: v for k, v in got["_meta"].items() if k in MARKS}, MARKS)
            has(got["_meta"], "io.modelcontextprotocol/serverInfo")


if __name__ == "__main__":
    main()
