"""The guard, from outside: modes, permissions, questions, rates, and the record of it all."""
import hashlib
import hmac
import json
import pathlib

from harness import Serve, case, equal, has, main, make_state, run, state_dir, wait_for
from upstream import Gateway, StdioGateway, configure, server, text_of

HERE = pathlib.Path(__file__).resolve().parent
META = "io.modelcontextprotocol/"
DENIED = 3


def initialize(**capabilities):
    return {"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "e2e", "version": "1"}}


def explain(root, *words):
    answer = run("--trust", "explain", *words, "--json", root=root)
    said = json.loads(answer.stdout)
    equal(answer.returncode, DENIED if said["verdict"] == "deny" else 0)
    return said


def check(said, name):
    return next(c for c in said["checks"] if c["check"] == name)


def seals(root, lines):
    """Each seal with the lines it is of, checked; then the lines that none is of."""
    key = json.loads((state_dir(root) / "audit.json").read_text())["key"].encode()
    found, open_lines, unsealed, before = [], [], [], None
    for line in lines:
        record = json.loads(line) if line.endswith(b"}\n") else {}
        if "hash" not in record:
            open_lines.append(line)
            continue
        at = len(open_lines) - record["lines"]
        equal(at, record.get("torn", 0))
        want = hmac.new(key, record["prev"].encode() + b"".join(open_lines), hashlib.sha256)
        equal(record["hash"], want.hexdigest())
        equal(record["prev"], before or record["prev"])
        found.append((record, open_lines[at:]))
        unsealed += open_lines[:at]
        open_lines, before = [], record["hash"]
    return found, unsealed + open_lines


def log_lines(root, name="audit.jsonl"):
    return (state_dir(root) / "logs" / name).read_bytes().splitlines(keepends=True)


def audit(root, name="audit.jsonl"):
    """The records, all of them sealed."""
    found, unsealed = seals(root, log_lines(root, name))
    equal(unsealed, [])
    return [json.loads(line) for _, lines in found for line in lines]


@case
def a_permission_of_deny_is_kept_by_every_way_in(root):
    configure(root, head='[guard.permission]\nread = "deny"\n')
    (root / "a.txt").write_text("text")
    said = explain(root, "file_read", '{"path":"a.txt"}')
    equal((said["verdict"], said["by"]), ("deny", "permission"))
    why = check(said, "permission")["why"]
    answer = run("tools", "call", "file_read", '{"path":"a.txt"}', root=root)
    equal((answer.returncode, answer.stdout), (DENIED, b""))
    has(answer.stderr.decode(), why)
    call = {"name": "file_read", "arguments": {"path": "a.txt"}}
    with StdioGateway(root=root) as t:
        t.ask("initialize", initialize())
        result = t.ask("tools/call", call)["result"]
        equal(result["isError"], True)
        has(result["content"][0]["text"], why)
    with Serve(root=root) as t:
        result = t.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).json()
        has(result["result"]["content"][0]["text"], why)
    equal({(r["who"], r["verdict"], r["by"]) for r in audit(root)},
          {("cli", "deny", "permission"), ("mcp", "deny", "permission")})


@case
def read_only_asks_for_tools_that_do_not_say_they_read(root):
    configure(root, server("calc"), head='[mcp]\nmode = "read-only"\n')
    said = explain(root, "mcp_calc_echo")
    equal((said["verdict"], said["by"]), ("ask", "mode"))
    equal(explain(root, "file_read")["verdict"], "allow")
    equal(explain(root, "mcp_calc_echo", "--origin", "run")["verdict"], "allow")
    with StdioGateway(root=root) as t:
        t.ask("initialize", initialize())  # cannot be asked
        t.wait_tool("mcp_calc_echo")
        answer = t.ask("tools/call", {"name": "mcp_calc_echo", "arguments": {"text": "x"}})
        has(text_of(answer), "no one is available")
        equal(answer["result"]["isError"], True)
    equal(audit(root)[-1]["verdict"], "deny")


@case
def read_only_may_be_asked_about_on_the_command_line(root):
    configure(root, server("calc"), head="")
    equal(explain(root, "mcp_calc_echo")["verdict"], "allow")
    equal(explain(root, "mcp_calc_echo", "--mode", "read-only")["verdict"], "ask")


@case
def a_client_is_asked_and_its_answer_counts(root):
    configure(root, server("calc"), head='[mcp.permission]\nexecute = "ask"\n')
    with StdioGateway(root=root) as t:
        t.ask("initialize", initialize(elicitation={}))
        t.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        t.wait_tool("mcp_calc_echo")
        for action, want in (("accept", "hello"), ("decline", "declined"), ("cancel", "declined")):
            t.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                    "params": {"name": "mcp_calc_echo", "arguments": {"text": "hello"}}})
            question = t.receive()
            while question.get("method") != "elicitation/create":
                question = t.receive()
            has(question["params"]["message"], "mcp_calc_echo")
            has(question["params"]["message"], "permission for tools of kind execute is ask")
            form = question["params"]["requestedSchema"]["properties"]
            equal((list(form), form["option"]["default"]), (["option"], "allow_once"))
            t.send({"jsonrpc": "2.0", "id": question["id"],
                    "result": {"action": action, "content": {}}})
            has(text_of(t.answer_to(7)), want)
    equal([(r["verdict"], r["outcome"]) for r in audit(root)],
          [("ask", "ok"), ("deny", "denied"), ("deny", "denied")])


@case
def a_modern_client_is_asked_by_input_required(root):
    configure(root, server("calc"), head='[mcp.permission]\nexecute = "ask"\n')
    meta = {META + "protocolVersion": "2026-07-28",
            META + "clientInfo": {"name": "e2e", "version": "1"},
            META + "clientCapabilities": {"elicitation": {}}}
    call = {"name": "mcp_calc_echo", "arguments": {"text": "hello"}, "_meta": meta}
    with Gateway(root=root, listen=f"unix:{root}/socket") as t:
        t.wait_ready("calc")

        def post(params):
            return t.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
                          mcp_protocol_version="2026-07-28", mcp_method="tools/call",
                          mcp_name="mcp_calc_echo",
                          accept="application/json, text/event-stream").json()["result"]

        for action, want in (("accept", "hello"), ("decline", "declined")):
            first = post(call)
            equal(first["resultType"], "input_required")
            key, asked = next(iter(first["inputRequests"].items()))
            equal(asked["method"], "elicitation/create")
            second = post({**call, "requestState": first["requestState"],
                           "inputResponses": {key: {"action": action, "content": {}}}})
            has(second["content"][0]["text"], want)


@case
def a_private_tool_is_explained_by_exposure(root):
    configure(root, head='[mcp]\nprivate_tools = ["file_read"]\n')
    said = explain(root, "file_read")
    equal((said["verdict"], said["by"]), ("deny", "exposure"))
    equal(explain(root, "system_time")["verdict"], "allow")


@case
def an_agent_has_limits_of_its_own(root):
    configure(root, server("calc"), head="")
    (root / ".trefoil/agents").mkdir(parents=True)
    (root / ".trefoil/agents/coder.md").write_text(
        "---\nname: coder\ndescription: codes\nmode: read-only\n"
        'allowed_tools: ["Read", "calc:*"]\ndisallowed_tools: ["calc:add"]\n---\nYou code.\n')
    said = explain(root, "file_read", "--agent", "coder")
    equal((said["verdict"], said["caller"]), ("allow", "coder"))
    said = explain(root, "system_time", "--agent", "coder")
    equal((said["verdict"], said["by"]), ("deny", "capability"))
    equal(explain(root, "mcp_calc_add", "--agent", "coder")["by"], "capability")
    said = explain(root, "mcp_calc_echo", "--agent", "coder")
    equal((said["verdict"], said["by"]), ("ask", "mode"))
    equal(run("explain", "file_read", "--agent", "nobody", root=root).returncode, 2)


@case
def an_agent_exports_by_its_own_list(root):
    configure(root, head='[mcp]\nprivate_tools = ["system_time"]\n')
    (root / "agents/coder").mkdir(parents=True)
    (root / "agents/coder/agent.json").write_text(
        '{"mcp":{"expose_tools":["file_read", "system_time"]}}')
    (root / "a.txt").write_text("text")
    with Serve(root=root) as t:
        answer = t.request("POST", "/mcp/coder", json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {"name": "file_read", "arguments": {"path": "a.txt"}}}).encode(),
            content_type="application/json").json()
        has(text_of(answer), "text")


@case
def explain_says_it_in_words(root):
    text = run("explain", "file_read", "--mode", "read-only", root=root).stdout.decode()
    for name in ("identity", "depth", "rate", "exposure", "capability", "mode", "protected",
                 "permission", "loop", "taint"):
        has(text, f"  {name} ")
    equal(text.splitlines()[0], "file_read (read), called by an MCP client on stdio: allow")
    for words, want in ((("explain",), "missing TOOL"),
                        (("explain", "file_read", "[]"), "expected a JSON object"),
                        (("explain", "file_read", "--mode", "x"), "read-only"),
                        (("explain", "file_read", "--origin", "x"), "key, run, chat, acp, terminal or task")):
        answer = run(*words, root=root)
        equal(answer.returncode, 2)
        has(answer.stderr.decode(), want)
    equal(run("explain", "nothing", root=root).returncode, 2)


@case
def who_comes_too_often_is_told_when_to_come_back(root):
    configure(root, head="[limits]\nrate_local_per_min = 6\n")
    with Serve(root=root) as t:
        for _ in range(6):
            equal(t.request("GET", "/health").status, 200)
        late = t.request("GET", "/health")
        equal(late.status, 429)
        equal(late.json()["error"]["code"], 429)
        equal(0 < int(late.headers["retry-after"]) <= 10, True)
        late = t.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        equal((late.status, late.json()["jsonrpc"], late.json()["id"]), (429, "2.0", None))
        equal(late.json()["error"]["code"], -32000)
        has(late.json()["error"]["message"], "try again in")
        equal(int(late.headers["retry-after"]) > 0, True)


@case
def on_this_machine_nobody_waits_unless_told_so(root):
    with Serve(root=root) as t:
        equal({t.request("GET", "/health").status for _ in range(600)}, {200})


@case
def a_project_makes_the_guard_stricter_never_milder(root):
    (root / "user/trefoil").mkdir(parents=True)
    (root / "user/trefoil/config.toml").write_text(
        '[guard]\nmode = "read-only"\naudit = true\n[guard.permission]\nread = "ask"\n')
    configure(root, head='[guard]\nmode = "read-write"\naudit = false\ntaint = "auto"\n'
              '[guard.permission]\nread = "auto"\nthink = "deny"\n')
    answer = run("explain", "file_read", "--json", root=root, XDG_CONFIG_HOME=str(root / "user"))
    said = json.loads(answer.stdout)
    equal(check(said, "permission")["verdict"], "ask")
    has(check(said, "mode")["why"], "read-only")
    run("tools", "call", "system_time", root=root, XDG_CONFIG_HOME=str(root / "user"))
    equal(len(audit(root)), 1)


@case
def a_wrong_word_in_the_configuration_is_an_error(root):
    for text, want in (('[guard]\nmode = "writable"\n', "read-only"),
                       ('[guard]\ntaint = "maybe"\n', "deny"),
                       ('[guard]\nuser_trust = "some"\n', "untrusted"),
                       ('[guard.permission]\nshout = "ask"\n', "unknown kind"),
                       ('[mcp.permission]\nread = "yes"\n', "auto"),
                       ('[mcp]\nmode = 7\n', "mode")):
        (root / "trefoil.toml").write_text(text)
        answer = run("config", "check", root=root)
        equal(answer.returncode != 0, True)
        has((answer.stderr + answer.stdout).decode(), want)


@case
def what_the_manual_shows_can_be_used(root):
    manual = (HERE.parent.parent / "docs/SERVERS.md").read_text()
    (root / "trefoil.toml").write_text("[guard]" + manual.partition("```toml\n[guard]")[2]
                                       .partition("```")[0])
    equal(run("config", "check", root=root).returncode, 0)
    equal(explain(root, "file_read")["verdict"], "allow")


@case
def the_audit_holds_no_secrets_and_no_text(root):
    (root / "a.txt").write_text("what the file says")
    configure(root, server("calc"), head="")
    run("--trust", "tools", "call", "file_read", '{"path":"a.txt"}', root=root)
    run("--trust", "tools", "call", "mcp_calc_echo", '{"text":"hunter2"}', root=root)
    run("--trust", "tools", "call", "file_read", '{"path":"nothing"}', root=root)
    records = audit(root)
    equal([(r["tool"], r["outcome"], r.get("from")) for r in records],
          [("file_read", "ok", None), ("mcp_calc_echo", "ok", "calc:echo"),
           ("file_read", "error", None)])
    text = (state_dir(root) / "logs/audit.jsonl").read_text()
    for secret in ("hunter2", "what the file says", "a.txt"):
        equal(secret in text, False)
    equal((state_dir(root) / "logs/audit.jsonl").stat().st_mode & 0o777, 0o600)


@case
def records_are_gathered_and_written_before_the_end(root):
    # limits.audit_gather_ms: so long that only the end writes them
    configure(root, head="[limits]\naudit_gather_ms = 60_000\n")
    with Gateway(root=root) as gate:
        for _ in range(20):
            gate.text("system_time")
        equal((state_dir(root) / "logs/audit.jsonl").exists(), False)
    equal(len(audit(root)), 20)


@case
def the_audit_begins_new_files_and_keeps_few(root):
    # limits.audit_bytes, limits.audit_files
    configure(root, head="[limits]\naudit_bytes = 4096\naudit_files = 2\n")
    for _ in range(30):
        run("tools", "call", "system_time", root=root)
    names = sorted(p.name for p in (state_dir(root) / "logs").iterdir())
    equal(names, ["audit.1.jsonl", "audit.jsonl"])
    older, newer = seals(root, log_lines(root, "audit.1.jsonl")), seals(root, log_lines(root))
    equal(newer[0][0][0]["prev"], older[0][-1][0]["hash"])
    equal((older[1], newer[1]), ([], []))


@case
def what_is_changed_left_out_or_put_in_breaks_a_seal(root):
    for _ in range(3):
        run("tools", "call", "system_time", root=root)
    lines = log_lines(root)
    equal([json.loads(line).get("lines") for line in lines], [None, 1] * 3)
    changed = [lines[0].replace(b'"ok"', b'"error"'), *lines[1:]]
    for tampered in (changed, lines[1:], lines[:2] + lines[4:], lines[:2] * 2 + lines[2:],
                     lines[2:4] + lines[:2] + lines[4:], [lines[0], *lines]):
        try:
            seals(root, tampered)
        except AssertionError:
            continue
        raise AssertionError(f"nobody sees it: {tampered}")


@case
def a_torn_batch_does_not_end_the_audit(root):
    log = state_dir(root) / "logs/audit.jsonl"
    run("tools", "call", "system_time", root=root)
    record, seal = log_lines(root)
    # Torn in its seal after more lines than are read at once, then in a record.
    for torn in (record * 300 + seal[:-20], record + record[:50]):
        log.write_bytes(log.read_bytes() + torn)
        run("tools", "call", "system_time", root=root)
    found, unsealed = seals(root, log_lines(root))
    equal([r["lines"] for r, _ in found], [1, 1, 1])
    equal(unsealed, [record] * 300 + [seal[:-20] + b"\n", record, record[:50] + b"\n"])
    # Only the line feed is missing: the seal is whole.
    log.write_bytes(log.read_bytes()[:-1])
    run("tools", "call", "system_time", root=root)
    equal(len(seals(root, log_lines(root))[0]), 4)


@case
def several_processes_write_one_chain(root):
    configure(root, head="[limits]\naudit_gather_ms = 0\n")
    with StdioGateway(root=root) as one, StdioGateway(root=root) as other:
        for t in (one, other):
            t.ask("initialize", initialize())
        for _ in range(20):
            for t in (one, other):
                t.ask("tools/call", {"name": "system_time"})
    equal(len(audit(root)), 40)


@case
def an_audit_that_cannot_be_written_stops_nothing(root):
    (make_state(root) / "logs").rename(state_dir(root) / "away")
    (state_dir(root) / "logs").write_text("in the way")
    answer = run("tools", "call", "system_time", root=root)
    equal(answer.returncode, 0)
    configure(root, head="[guard]\naudit = false\n")
    equal(run("tools", "call", "system_time", root=root).returncode, 0)


@case
def records_of_many_calls_hang_together(root):
    # A burst larger than limits.audit_backlog_bytes: what is left out is counted.
    configure(root, head="[limits]\naudit_backlog_bytes = 4096\n")
    calls = 400
    with StdioGateway(root=root) as t:
        t.ask("initialize", initialize())
        t.send(b"".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/call",
                                    "params": {"name": "system_time"}}).encode() + b"\n"
                        for i in range(calls)))
        seen = {t.receive()["id"] for _ in range(calls)}
        equal(len(seen), calls)
        wait_for("a record", lambda: (state_dir(root) / "logs/audit.jsonl").exists())
        t.ask("tools/call", {"name": "system_time"})
    records = audit(root)
    told = sum(r.get("lost", 0) for r in records) + sum("tool" in r for r in records)
    equal(told, calls + 1)


@case
def each_face_has_a_scope_of_its_own(root):
    faces = {"stdio": "[mcp] on stdio", "socket": "[mcp] on the Unix socket",
             "http": "[mcp] over HTTP without a key", "key": "[mcp] over HTTP with a key",
             "run": "`run`", "chat": "`chat`", "acp": "`acp`",
             "terminal": "the command line", "task": "tasks"}
    for word, scope in faces.items():
        equal((word, explain(root, "file_read", "--origin", word)["scope"]), (word, scope))
    for word in ("http", "key"):
        found = explain(root, "shell_exec", "--origin", word)
        equal((word, found["verdict"], found["by"]), (word, "deny", "exposure"))
        has(json.dumps(found), faces[word])


main()
