"""A message of an A2A client reaches the model of the agent, as the agent's definition says."""
import json

from a2a_client import answer_of, client, message, state
from harness import Serve, case, equal, has, main, wait_for
from model_mock import FORMATS, Mock, environment_for, offered, says, system_of

MOCK = Mock()
CARD = "/.well-known/agent-card.json"
DEFINITION = """---
model: high
mode: read-only
tools: [file_read]
---
You are a careful reader.
"""


def define(root, name):
    folder = root / ".trefoil/agents"
    folder.mkdir(parents=True)
    (folder / f"{name}.md").write_text(DEFINITION)


@case
def a_message_is_sent_to_the_model_with_the_parameters_of_the_agent(root):
    for fmt in FORMATS:
        here = root / fmt
        here.mkdir()
        define(here, "reader")
        (here / "trefoil.toml").write_text("[a2a]\nenabled = true\n")
        words = MOCK.play(f"read this for {fmt}", says("It is read."))
        with Serve(root=here, **environment_for(MOCK, fmt, root / f"user {fmt}")) as server:
            c = client(server)
            wait_for("the agent", lambda c=c: c.ask("GET", "/a2a/reader" + CARD).status == 200)
            # the agent has no description, so its card has the default
            equal(c.ask("GET", "/a2a/reader" + CARD).json["description"], "An agent of trefoil.")
            task = c.result("SendMessage", {"message": message(words)}, path="/a2a/reader")["task"]
            equal((state(task), answer_of(task)), ("completed", "It is read."))
        body, = MOCK.requests(words)
        has(system_of(body), "You are a careful reader.")
        has(system_of(body), str(here))
        has(offered(body), "file_read")
        equal("file_write" in offered(body), False)
        has(json.dumps(MOCK.asked(words)), words)


main()
