"""An MCP client over stdio that can be asked for permission."""
from harness import equal, has
from upstream import StdioGateway, text_of

OFFLINE = {"TREFOIL_PROVIDER": "offline"}
KINDS = ("edit", "delete", "move", "execute", "fetch")
ASK = '[mcp]\nmode = "read-write"\n[guard.permission]\n' + "".join(f'{k} = "ask"\n' for k in KINDS)
ONCE = ["allow_once", "reject_once"]
SESSION = ["allow_session", "reject_session"]
PROJECT = ["allow_project", "reject_project"]


def offered(params, *options):
    """The form offers exactly these; a plain accept means once."""
    form = params["requestedSchema"]["properties"]["option"]
    equal(sorted(form["enum"]), sorted(sum(options, [])))
    equal((form["default"], len(form["enumNames"])), ("allow_once", len(form["enum"])))


def own(root, text=ASK):
    """The user's own configuration; returns the words that name it."""
    path = root / "own.toml"
    path.write_text(text)
    return "--config", str(path)


class Asked(StdioGateway):
    """A client over stdio that can be asked."""

    def __init__(self, *args, root, **more):
        super().__init__(*args, root=root, **{**OFFLINE, **more})
        self.ask("initialize", {"protocolVersion": "2025-11-25",
                                "capabilities": {"elicitation": {}},
                                "clientInfo": {"name": "e2e", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def begin(self, tool, ident=7, **arguments):
        self.send({"jsonrpc": "2.0", "id": ident, "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments}})

    def question(self):
        while True:
            message = self.receive()
            if message.get("method") == "elicitation/create":
                return message
            self.notes.append(message)

    def reply(self, question, action, **content):
        self.send({"jsonrpc": "2.0", "id": question["id"],
                   "result": {"action": action, "content": content}})

    def shown(self, tool, **arguments):
        """What is shown of a call; it is declined."""
        self.begin(tool, **arguments)
        question = self.question()
        offered(question["params"], ONCE, SESSION, PROJECT)
        self.reply(question, "decline")
        has(text_of(self.answer_to(7)), "not approved")
        return question["params"]["message"]


def definition(t, name):
    tools = t.ask("tools/list", ident="list")["result"]["tools"]
    return next(x["description"] for x in tools if x["name"] == name)
