"""Several clients at one MCP server: what a server asks and says reaches the client it is for."""
import json

from harness import case, equal, has, main, wait_for
from mcp_http import Client
from upstream import Gateway, configure, remote, server, HttpServer, text_of

ANSWER = {"action": "accept", "content": {"name": "Ada"}}


def wait_running(gate, calls, name="a"):
    wait_for(f"{calls} calls", lambda: gate.connected(name)["calls_running"] == calls)


def question(call):
    """The next message of a call, which must be a question; its id."""
    message = call.message()
    equal(message.get("method"), "elicitation/create")
    return message["id"]


def notes(messages):
    return [m["params"]["data"] for m in messages if m["method"] == "notifications/message"]


@case
def a_question_is_not_shown_while_two_clients_may_have_caused_it(root):
    configure(root, server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        first, second = Client(gate, elicitation={}), Client(gate, elicitation={})
        asks = first.call("mcp_a_ask", after=str(root / "go"))
        wait_running(gate, 1)
        waits = second.call("mcp_a_log", text="mine", after=str(root / "end"))
        wait_running(gate, 2)
        (root / "go").touch()
        answer, before = asks.until_answer()
        has(text_of(answer), "several clients are using this server")
        has(notes(before)[0], "server a requested elicitation/create, which was rejected")
        (root / "end").touch()
        answer, before = waits.until_answer()
        equal(text_of(answer), "logged")
        equal([m["method"] for m in before], ["notifications/message"] * 2)
        has(notes(before)[0], "rejected")
        equal(notes(before)[1], "mine")


@case
def two_calls_of_one_client_are_one_caller(root):
    configure(root, server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        client = Client(gate, elicitation={})
        asks = client.call("mcp_a_ask", after=str(root / "go"))
        wait_running(gate, 1)
        waits = client.call("mcp_a_log", text="x", after=str(root / "end"))
        wait_running(gate, 2)
        (root / "go").touch()
        client.send({"id": question(waits), "result": ANSWER})
        equal(json.loads(text_of(asks.answer())), ANSWER)
        (root / "end").touch()
        equal(text_of(waits.answer()), "logged")


@case
def a_log_message_reaches_no_other_client(root):
    configure(root, server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        first, second = Client(gate), Client(gate)
        logs = first.call("mcp_a_log", text="a secret of the first", after=str(root / "go"))
        wait_running(gate, 1)
        waits = second.call("mcp_a_log", text="alone again", after=str(root / "end"))
        wait_running(gate, 2)
        (root / "go").touch()
        equal(logs.until_answer(), (logs_answer(logs), []))
        wait_running(gate, 1)
        (root / "end").touch()
        equal(notes(waits.until_answer()[1]), ["alone again"])


def logs_answer(call):
    return {"jsonrpc": "2.0", "id": call.ident,
            "result": {"content": [{"type": "text", "text": "logged"}],
                       "_meta": {"trefoil/trust": "untrusted", "trefoil/type": "data"}}}


@case
def a_question_of_a_canceled_call_is_not_shown_to_the_next_client(root):
    configure(root, server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        first, second = Client(gate, elicitation={}), Client(gate, elicitation={})
        asks = first.call("mcp_a_ask", after=str(root / "go"), stubborn=True)
        wait_running(gate, 1)
        first.cancel(asks)
        wait_running(gate, 0)
        waits = second.call("mcp_a_log", text="x", after=str(root / "end"))
        wait_running(gate, 1)
        (root / "go").touch()
        has(notes([waits.message()])[0], "rejected: several clients")
        (root / "end").touch()
        equal(text_of(waits.answer()), "logged")


@case
def after_a_while_a_canceled_call_is_over_for_everybody(root):
    configure(root, server("a"), head="[limits]\nmcp_left_ms = 0\n")
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        first, second = Client(gate, elicitation={}), Client(gate, elicitation={})
        waits = first.call("mcp_a_log", text="x", after=str(root / "never"))
        wait_running(gate, 1)
        first.cancel(waits)
        wait_running(gate, 0)
        asks = second.call("mcp_a_ask")
        second.send({"id": question(asks), "result": ANSWER})
        equal(json.loads(text_of(asks.answer())), ANSWER)


@case
def a_question_in_the_answer_to_a_call_is_for_its_client_whoever_else_calls(root):
    with HttpServer() as url:
        configure(root, remote("a", f"{url}/mcp"))
        with Gateway(root=root) as gate:
            gate.wait_ready("a")
            first, second = Client(gate, elicitation={}), Client(gate, elicitation={})
            asks = first.call("mcp_a_ask", after=str(root / "go"))
            wait_running(gate, 1)
            waits = second.call("mcp_a_log", text="x", after=str(root / "end"))
            wait_running(gate, 2)
            (root / "go").touch()
            first.send({"id": question(asks), "result": ANSWER})
            equal(json.loads(text_of(asks.answer())), ANSWER)
            (root / "end").touch()
            equal(notes(waits.until_answer()[1]), ["x"])


@case
def modern_rounds_belong_to_their_call(root):
    configure(root, server("a", "modern"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        first, second = Client(gate, elicitation={}), Client(gate, elicitation={})
        waits = second.call("mcp_a_slow", seconds=50)
        wait_running(gate, 1)
        asks = first.call("mcp_a_ask")
        first.send({"id": question(asks), "result": ANSWER})
        equal(json.loads(text_of(asks.answer())), ANSWER)
        second.cancel(waits)


@case
def a_client_that_cannot_be_asked_is_said_to_be_one(root):
    configure(root, server("a"))
    with Gateway(root=root) as gate:
        gate.wait_ready("a")
        said = text_of(Client(gate).call("mcp_a_ask").answer())
        has(said, "needs input from a person (elicitation), which this client does not support")


main()
