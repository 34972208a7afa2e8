"""An ACP agent for tests, which behaves as its prompts ask.

The first word of a prompt selects a function of PLAYS. `--bad MODE` makes the program misbehave
from its start. It keeps its sessions in its HOME, so that another process can load them.
"""
import json
import os
import pathlib
import signal
import sys
import threading
import time

BAD = sys.argv[sys.argv.index("--bad") + 1] if "--bad" in sys.argv else ""
FLAGS = {flag for flag in sys.argv[1:] if flag.startswith("--")}
METHOD = os.environ.get("FAKE_LOGIN", "key")
KEPT = pathlib.Path(os.environ.get("HOME", "/tmp")) / "fake-sessions"

write_lock = threading.Lock()
answers = {}  # id of a request of ours -> [event, message]
cancelled = {}  # session -> event
turns = {}
logged_in = "--needs-login" not in FLAGS
next_id = 0


def send(message):
    with write_lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def update(session, name, **more):
    send({"method": "session/update",
          "params": {"sessionId": session, "update": {"sessionUpdate": name, **more}}})


def say(session, text, **more):
    update(session, "agent_message_chunk", content={"type": "text", "text": text}, **more)


def call(method, **params):
    """Ask the client, and wait for its answer."""
    global next_id  # pylint: disable=global-statement
    with write_lock:
        next_id += 1
        ident = f"fake-{next_id}"
    answers[ident] = [threading.Event(), None]
    send({"id": ident, "method": method, "params": params})
    answers[ident][0].wait()
    return answers.pop(ident)[1]


OPTIONS = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"},
           {"optionId": "always", "name": "Always", "kind": "allow_always"},
           {"optionId": "no", "name": "No", "kind": "reject_once"}]


# ---- what a prompt asks for ------------------------------------------------------------------


def play_hello(session, rest):
    update(session, "agent_thought_chunk", content={"type": "text", "text": "A greeting."})
    for part in ("Hello", " ", "there"):
        say(session, part, messageId="m1")
    return "end_turn"


def play_echo(session, rest):
    say(session, rest)
    return "end_turn"


def play_tools(session, rest):
    update(session, "tool_call", toolCallId="t1", title="Read x.txt", kind="read",
           status="pending", locations=[{"path": "/x.txt", "line": 3}], rawInput={"path": "/x.txt"})
    update(session, "tool_call_update", toolCallId="t1", status="in_progress")
    update(session, "tool_call_update", toolCallId="t1", status="completed",
           content=[{"type": "content", "content": {"type": "text", "text": "what it read"}}])
    update(session, "tool_call", toolCallId="t2", title="Edit y.txt", kind="edit", status="completed",
           content=[{"type": "diff", "path": "/y.txt", "oldText": "old\n", "newText": "new\n"},
                    {"type": "diff", "path": "/z.txt", "oldText": None, "newText": "z\n"}])
    update(session, "plan", entries=[{"content": "look", "priority": "high", "status": "pending"}])
    update(session, "usage_update", used=50, size=1000, cost={"amount": 0.25, "currency": "USD"})
    update(session, "something_new", value=1)
    say(session, "Done.")
    return "end_turn"


def play_stop(session, rest):
    say(session, "words")
    return rest


def play_error(session, rest):
    raise LookupError(rest)


def play_wait(session, rest):
    update(session, "tool_call", toolCallId="w", title="Wait", kind="execute", status="in_progress")
    cancelled[session].wait()
    return "cancelled"


def play_deaf(session, rest):
    """Ignore a cancel, and start a child that ignores signals."""
    update(session, "tool_call", toolCallId="w", title="Wait", kind="execute", status="in_progress")
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.setsid()
        while True:
            time.sleep(3600)
    while True:
        time.sleep(3600)


def play_ask(session, rest):
    kind, _, path = rest.partition(" ")
    answer = call("session/request_permission", sessionId=session, options=OPTIONS,
                  toolCall={"toolCallId": "q", "title": "Change a file", "kind": kind or "execute",
                            "rawInput": {"command": "make it", **({"path": path} if path else {})}})
    outcome = answer["result"]["outcome"]
    update(session, "tool_call_update", toolCallId="q",
           status="completed" if outcome.get("optionId") in ("yes", "always") else "failed")
    say(session, "outcome " + outcome.get("optionId", outcome["outcome"]))
    return "cancelled" if outcome["outcome"] == "cancelled" else "end_turn"


def play_form(session, rest):
    answer = call("elicitation/create", sessionId=session, mode="form", message="Which colour?",
                  requestedSchema={"type": "object", "properties": {
                      "colour": {"type": "string", "enum": ["red", "blue"]}},
                      "required": ["colour"]})
    say(session, json.dumps(answer["result"]))
    return "end_turn"


def play_env(session, rest):
    say(session, json.dumps({k: os.environ.get(k) for k in rest.split()}))
    return "end_turn"


def play_args(session, rest):
    say(session, json.dumps(sys.argv[1:]))
    return "end_turn"


def play_opened(session, rest):
    say(session, json.dumps(turns[session]["params"]))
    return "end_turn"


def play_blocks(session, rest):
    say(session, json.dumps(turns[session]["prompt"]))
    return "end_turn"


def play_count(session, rest):
    say(session, f"turn {turns[session]['count']} of process {os.getpid()}")
    return "end_turn"


def play_write(session, rest):
    """Write to a file directly, as a tool of the agent would."""
    try:
        pathlib.Path(rest).write_text("written\n")
        say(session, "wrote it")
    except OSError as e:
        say(session, f"could not write: {e.strerror}")
    return "end_turn"


def play_request(session, rest):
    """Send any request: METHOD PARAMS, where the session is added."""
    method, _, params = rest.partition(" ")
    answer = call(method, **{"sessionId": session, **json.loads(params or "{}")})
    say(session, json.dumps({k: answer[k] for k in ("result", "error") if k in answer}))
    return "end_turn"


def play_script(session, rest):
    """Several requests: a JSON list of [METHOD, PARAMS]; "$T" is the last terminalId."""
    terminal, told = "", []
    for method, params in json.loads(rest):
        params = {k: terminal if v == "$T" else v for k, v in params.items()}
        answer = call(method, **{"sessionId": session, **params})
        terminal = (answer.get("result") or {}).get("terminalId", terminal)
        told.append(answer.get("result", answer.get("error")))
    say(session, json.dumps(told))
    return "end_turn"


def play_hang(session, rest):
    """Report nothing, and wait."""
    cancelled[session].wait()
    return "cancelled"


def play_die(session, rest):
    say(session, "about to die")
    sys.stderr.write("fatal: out of luck\n")
    sys.stderr.flush()
    os._exit(3)


def play_flood(session, rest):
    for n in range(int(rest)):
        say(session, f"{n} ")
    return "end_turn"


def play_junk(session, rest):
    with write_lock:
        sys.stdout.write("warning: not JSON\n\n[1,2]\n{\"foo\":\"bar\"}\n{\"jsonrpc\":\n")
        sys.stdout.flush()
    update("no-such-session", "agent_message_chunk", content={"type": "text", "text": "lost"})
    send({"method": "session/update", "params": {"sessionId": session}})
    send({"method": "session/update", "params": {"sessionId": session, "update": 5}})
    send({"method": "_vendor/notice", "params": {}})
    send({"id": 99999, "result": {}})
    answer = call("craft/unknown", x=1)
    say(session, f"unknown: {answer['error']['code']}")
    return "end_turn"


def play_late(session, rest):
    def later():
        time.sleep(0.05)
        say(session, "too late")
    threading.Thread(target=later, daemon=True).start()
    say(session, "in time")
    return "end_turn"


def play_cost(session, rest):
    update(session, "usage_update", used=1, size=1000,
           cost={"amount": float(rest), "currency": "USD"})
    return "cancelled" if cancelled[session].wait(0.2) else "end_turn"


def play_nag(session, rest):
    """Ask for permission again and again."""
    for n in range(int(rest)):
        answer = call("session/request_permission", sessionId=session, options=OPTIONS,
                      toolCall={"toolCallId": f"n{n}", "title": "Nag", "kind": "read",
                                "rawInput": {"text": "x" * 1000}})
        if answer["result"]["outcome"]["outcome"] == "cancelled":
            return "cancelled"
    return "end_turn"


def play_show(session, rest):
    """Many short updates that name a terminal with much output."""
    made = call("terminal/create", sessionId=session, command="seq", args=["9999"])
    terminal = made["result"]["terminalId"]
    call("terminal/wait_for_exit", sessionId=session, terminalId=terminal)
    for n in range(int(rest)):
        update(session, "tool_call", toolCallId=f"s{n}", title="Show", status="completed",
               content=[{"type": "terminal", "terminalId": terminal}])
    return "cancelled" if cancelled[session].wait(0.2) else "end_turn"


def play_burst(session, rest):
    """Create several terminals at the same time, and count those that were created."""
    told = []

    def create():
        told.append(call("terminal/create", sessionId=session, command="sleep", args=["1000"]))

    threads = [threading.Thread(target=create) for _ in range(int(rest))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    say(session, str(sum("result" in answer for answer in told)))
    return "end_turn"


def play_vanish(session, rest):
    """Die while terminals are being created."""
    for n in range(5):
        send({"id": f"vanish-{n}", "method": "terminal/create",
              "params": {"sessionId": session, "command": "true"}})
    time.sleep(float(rest))
    os._exit(3)


def play_login(session, rest):
    if not logged_in:
        raise PermissionError()
    say(session, json.dumps(turns[session]["prompt"]) if rest == "blocks" else "logged in")
    return "end_turn"


PLAYS = {name[5:]: fn for name, fn in globals().items() if name.startswith("play_")}


# ---- methods ---------------------------------------------------------------------------------


def prompt(ident, params):
    session = params["sessionId"]
    turn = turns[session]
    turn["count"] += 1
    keep(session)
    cancelled[session] = threading.Event()
    turn["prompt"] = params["prompt"]
    text = params["prompt"][-1].get("text", "")
    word, _, rest = text.partition(" ")
    try:
        reason = PLAYS.get(word, play_echo)(session, rest)
        send({"id": ident, "result": {"stopReason": reason, "usage": {
            "totalTokens": 7, "inputTokens": 3, "outputTokens": 4}}})
    except LookupError as e:
        code = int(str(e.args[0]).split()[0])
        send({"id": ident, "error": {"code": code, "message": "it went wrong",
                                     "data": {"details": "because"}}})
    except PermissionError:
        send({"id": ident, "error": {"code": -32000, "message": "Authentication required"}})


def keep(session):
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / session).write_text(str(turns[session]["count"]))


MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"},
                                                    {"id": "plan", "name": "Plan"}]}


def opened(params):
    result = {}
    if "--modes" in FLAGS:
        result["modes"] = MODES
    if "--models" in FLAGS:
        result["models"] = {"currentModelId": "small", "availableModels": [
            {"modelId": "small", "name": "Small"}, {"modelId": "large", "name": "Large"}]}
    if "--options" in FLAGS:
        result["configOptions"] = options()
    return result


config = {"model": "small", "effort": "low"}


def options():
    return [{"id": "model", "name": "Model", "category": "model", "type": "select",
             "currentValue": config["model"], "options": [
                 {"group": "g", "name": "All", "options": [{"value": "small", "name": "Small"},
                                                           {"value": "large", "name": "Large"}]}]},
            {"id": "effort", "name": "Effort", "category": "thought_level", "type": "select",
             "currentValue": config["effort"], "options": [{"value": "low", "name": "Low"},
                                                           {"value": "high", "name": "High"}]}]


def initialize(params):
    if BAD == "version":
        return {"protocolVersion": 2, "info": {"name": "future", "version": "2"}}
    result = {"protocolVersion": 1, "agentCapabilities": {
        "loadSession": "--no-load" not in FLAGS,
        "promptCapabilities": {"image": "--image" in FLAGS,
                               "embeddedContext": "--embedded" in FLAGS}},
        "authMethods": [{"id": METHOD, "name": "Use a key"}],
        "agentInfo": {"name": "fake", "version": "1.0"}}
    if "--resume" in FLAGS:
        result["agentCapabilities"]["sessionCapabilities"] = {"resume": {}}
    if "--steering" in FLAGS:
        result["_meta"] = {"steering": {"supported": True}}
    return result


class Refused(Exception):
    pass


def new_session(params):
    if not logged_in and "--login-late" not in FLAGS:
        raise Refused(-32000, "Authentication required")
    session = f"fake-{os.getpid()}-{len(turns)}"
    turns[session] = {"count": 0, "params": params}
    keep(session)
    return {"sessionId": session, **opened(params)}


def load_session(params):
    session = params["sessionId"]
    if not (KEPT / session).exists() or BAD == "forgets":
        raise Refused(-32002, "Resource not found")
    turns[session] = {"count": int((KEPT / session).read_text()), "params": params}
    if "--resume" not in FLAGS:
        say(session, "replayed words")
    return opened(params)


def authenticate(params):
    global logged_in  # pylint: disable=global-statement
    if params["methodId"] != METHOD:
        raise Refused(-32602, "unknown method")
    logged_in = True
    return {}


def set_mode(params):
    update(params["sessionId"], "current_mode_update", currentModeId=params["modeId"])
    return {}


def set_option(params):
    config[params["configId"]] = params["value"]
    return {"configOptions": options()}


def set_model(params):
    config["model"] = params["modelId"]
    return {}


METHODS = {"initialize": initialize, "session/new": new_session, "session/load": load_session,
           "session/resume": load_session, "authenticate": authenticate,
           "session/set_mode": set_mode, "session/set_config_option": set_option,
           "session/set_model": set_model}


def serve(message):
    method, ident = message.get("method"), message.get("id")
    if method is None:
        if ident in answers:
            answers[ident][1] = message
            answers[ident][0].set()
    elif method == "session/prompt":
        threading.Thread(target=prompt, args=(ident, message["params"]), daemon=True).start()
    elif method == "session/cancel":
        cancelled.setdefault(message["params"]["sessionId"], threading.Event()).set()
    elif method in METHODS and BAD != "silent":
        try:
            send({"id": ident, "result": METHODS[method](message.get("params", {}))})
        except Refused as e:
            send({"id": ident, "error": {"code": e.args[0], "message": e.args[1]}})
    elif ident is not None and BAD != "silent":
        send({"id": ident, "error": {"code": -32601, "message": "Method not found"}})


def main():
    if "--version" in sys.argv:
        print("fake 1.2.3\nmore")
        return
    if "--pid" in sys.argv:
        with open(sys.argv[sys.argv.index("--pid") + 1], "a", encoding="utf-8") as f:
            f.write(f"{os.getpid()}\n")
    if BAD == "exits":
        sys.stderr.write("cannot start: no licence\n")
        sys.exit(4)
    if BAD == "banner":
        print("Welcome to the fake agent", flush=True)
    if BAD == "junk":
        print("junk\n" * 1000, flush=True)
        sys.exit(0)
    if BAD == "stays":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        if line.strip():
            serve(json.loads(line))
    while BAD == "stays":
        time.sleep(3600)


main()
