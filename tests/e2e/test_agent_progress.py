"""A client that waits for a silent agent is told, again and again, that it goes on."""
import json

from harness import case, equal, main, run
from mcp_http import Client
from task_client import Local, Remote

AGENT = "trefoil_agent_default"
ENDLESS = "/sleep 600"


def configure(root):
    (root / "trefoil.toml").write_text("[limits]\nagent_progress_ms = 20\n")


def check_beats(next_message, token, beats=3):
    """So many in a row, each with a higher number than the one before."""
    numbers = []
    while len(numbers) < beats:
        message = next_message()
        if message.get("method") != "notifications/progress":
            equal("id" in message, False)
            continue
        equal(message["params"]["progressToken"], token)
        if message["params"].get("message") == "still working":
            numbers.append(message["params"]["progress"])
    equal(numbers, sorted(set(numbers)))


def begin(client, ident, name, arguments, **meta):
    client.send({"jsonrpc": "2.0", "id": ident, "method": "tools/call",
                 "params": {"name": name, "arguments": arguments, "_meta": meta}})


def cancel(client, *idents):
    for ident in idents:
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled",
                     "params": {"requestId": ident}})


@case
def a_silent_agent_over_stdio(root):
    configure(root)
    with Local(root=root) as client:
        begin(client, 10, AGENT, {"message": ENDLESS})  # gave no token: is told nothing
        begin(client, 11, AGENT, {"message": ENDLESS}, progressToken="mine")
        check_beats(client.receive, "mine")
        cancel(client, 10, 11)


@case
def a_silent_agent_over_http(root):
    configure(root)
    with Remote(root=root) as server:
        client = Client(server)
        call = client.begin("tools/call", {"name": AGENT, "arguments": {"message": ENDLESS},
                                           "_meta": {"progressToken": 7}})
        check_beats(call.message, 7)
        client.cancel(call)
        call.stream.close()


@case
def a_task_that_is_waited_for(root):
    configure(root)
    with Local(root=root) as client:
        begin(client, 10, "dispatch_agent", {"agent": "default", "task": ENDLESS, "wait": 600},
              progressToken="first")
        check_beats(client.receive, "first")
        cancel(client, 10)
        task = client.use("list_tasks")["tasks"][0]["taskId"]
        begin(client, 11, "get_task_status", {"task_id": task, "wait": 600}, progressToken="second")
        check_beats(client.receive, "second")
        cancel(client, 11)
        client.use("cancel_task", task_id=task)


@case
def a_prompt_that_waits_for_its_session(root):
    configure(root)
    with Local(root=root) as client:
        session = client.result(AGENT, {"message": "/echo x"})["structuredContent"]["session_id"]
        begin(client, 10, AGENT, {"message": ENDLESS, "session_id": session})
        begin(client, 11, AGENT, {"message": "/echo y", "session_id": session}, progressToken="waits")
        check_beats(client.receive, "waits")
        cancel(client, 10)
        while (message := client.receive()).get("id") != 11:
            equal(message["method"], "notifications/progress")
        equal(message["result"]["structuredContent"]["answer"], "y")


@case
def the_default_is_at_most_15_seconds(root):
    shown = json.loads(run("config", "limits", "--json", root=root).stdout)
    equal(0 < shown["agent_progress_ms"] <= 15000, True)


main()
