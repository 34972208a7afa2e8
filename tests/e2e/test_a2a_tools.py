"""The tools a2a_discover and a2a_send: remote agents that a model knows by their URL."""
import json

from a2a_fake_server import A2AServer
from harness import case, equal, has, main, run, user_config
from task_client import Local

OPEN = ('[a2a]\nenabled = true\n[web]\nallow_private = ["127.0.0.0/8"]\n'
        '[mcp]\nmode = "read-write"\n[guard.permission]\nfetch = "auto"\n'
        '[mcp.permission]\nfetch = "auto"\n')


def structured(result):
    equal(result.get("isError", False), False)
    return result["structuredContent"]


@case
def an_agent_is_found_and_asked_by_its_url(root):
    for version, streaming in (("1.0", True), ("0.3", False)):
        with A2AServer(version, streaming=streaming) as server:
            user_config(root, OPEN)
            with Local(root=root, scope="tools") as client:
                card = client.result("a2a_discover", {"url": server.url})
                has(json.dumps(card), "an agent for tests")
                has(json.dumps(card), "untrusted")
                got = structured(client.result("a2a_send", {"url": server.url, "message": "hi"}))
                equal((got["answer"], got["state"]), ("echo: hi", "completed"))
                more = structured(client.result("a2a_send", {
                    "url": server.url, "message": "again", "context_id": got["context_id"]}))
                equal(more["context_id"], got["context_id"])
                files = client.result("a2a_send", {"url": server.url, "message": "files x"})
                has(json.dumps(files), "https://files.example/x.txt")


@case
def a_question_is_answered_by_the_id_of_its_task(root):
    with A2AServer() as server:
        user_config(root, OPEN)
        with Local(root=root, scope="tools") as client:
            asked = structured(client.result("a2a_send", {"url": server.url,
                                                          "message": "ask which?"}))
            equal((asked["answer"], asked["state"]), ("which?", "input_required"))
            done = structured(client.result("a2a_send", {
                "url": server.url, "message": "red", "task_id": asked["task_id"],
                "context_id": asked["context_id"]}))
            equal((done["answer"], done["state"]), ('you said "red"', "completed"))


@case
def failures_are_results_and_wrong_arguments_are_named(root):
    with A2AServer() as server:
        user_config(root, OPEN)
        with Local(root=root, scope="tools") as client:
            for arguments, part in (
                    ({"url": server.url, "message": "fail no disk"}, "no disk"),
                    ({"url": server.url, "message": "reject no"}, "rejected"),
                    ({"url": server.url}, "message"),
                    ({"url": server.url, "message": ""}, "empty"),
                    ({"url": "nowhere", "message": "x"}, "not a valid URL"),
                    ({"url": server.url + "/x", "message": "x"}, "no agent card")):
                result = client.result("a2a_send", arguments)
                equal(result["isError"], True)
                has(json.dumps(result), part)


@case
def only_public_addresses_are_reached_unless_the_user_allows_others(root):
    with A2AServer() as server:
        user_config(root, OPEN.replace('["127.0.0.0/8"]', "[]"))
        with Local(root=root, scope="tools") as client:
            for url in (server.url, "http://169.254.169.254/", "http://[::1]:1/"):
                for name, more in (("a2a_discover", {}), ("a2a_send", {"message": "x"})):
                    result = client.result(name, {"url": url, **more})
                    equal(result["isError"], True)
        equal(server.requests, [])
    with A2AServer() as other, A2AServer(origin=other.url) as server:
        user_config(root, OPEN)
        with Local(root=root, scope="tools") as client:
            result = client.result("a2a_send", {"url": server.url, "message": "x"})
            has(json.dumps(result), "another origin")
        equal(other.requests, [])


@case
def they_are_offered_only_while_a2a_is_on(root):
    def names(**env):
        return [t["name"] for t in json.loads(run("tools", "--json", root=root, **env).stdout)]

    equal("a2a_send" in names(), True)
    user_config(root, OPEN)
    equal("a2a_send" in names(), True)
    user_config(root, OPEN.replace("true", "false"))
    equal("a2a_send" in names(), False)
    user_config(root, "[mcp]\n")
    equal("a2a_send" in names(), False)


@case
def a_call_needs_approval_by_default(root):
    with A2AServer() as server:
        user_config(root, '[a2a]\nenabled = true\n[web]\nallow_private = ["127.0.0.0/8"]\n')
        done = run("tools", "call", "a2a_send", json.dumps({"url": server.url, "message": "x"}),
                   root=root, stdin=b"")
        equal(done.returncode, 3)
        equal(server.requests, [])


main()
