"""Agents that call each other: a chain of real trefoils ends at the sixth hop."""
import contextlib
import json
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

from harness import TREFOIL, case, equal, has, main, run, wait_for
from task_client import read_write
from upstream import FAST, SERVERS, Gateway, command, configure, server, text_of

DEEPEST = 5  # agents that may lie behind a call
SPELLINGS = ("X-Trefoil", "X-OpenStarry")
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def entry_of_next(inner, **keys):
    """The tool `inner` of the next in the chain is called `hop` here."""
    keys["allowed_tools"] = json.dumps([inner])
    keys["tools"] = "{ %s = { rename = \"hop\" } }" % inner
    return keys


def stdio_chain(root, hops):
    """A folder whose trefoil reaches bad_server's `seen` after that many trefoils more."""
    folder = root / f"at{hops}"
    folder.mkdir()
    if hops == 0:
        configure(folder, server("end", **entry_of_next("seen")))
    else:
        behind = stdio_chain(root, hops - 1)
        configure(folder, command("next", TREFOIL, "mcp", "--scope", "tools", "--trust", "--root",
                                  str(behind), sandbox='"off"', **entry_of_next("hop")))
    return folder


@contextlib.contextmanager
def http_chain(root, hops):
    """The same with a `serve` for each."""
    with contextlib.ExitStack() as stack:
        folder = root / "end"
        folder.mkdir()
        configure(folder, server("end", **entry_of_next("seen")))
        gate = stack.enter_context(Gateway(root=folder))
        gate.wait_ready("end")
        for n in range(hops):
            folder = root / f"front{n}"
            folder.mkdir()
            url = f"http://{gate.address[0]}:{gate.address[1]}/mcp"
            keys = "\n".join(f"{k} = {v}" for k, v in entry_of_next("hop").items())
            (folder / "trefoil.toml").write_text(
                f'{FAST}[[mcp.servers]]\nname = "next"\nurl = "{url}"\n{keys}\n')
            gate = stack.enter_context(Gateway(root=folder))
            gate.wait_ready("next")
        yield gate


def wait_hop(gate):
    wait_for("the whole chain", lambda: "hop" in gate.tools())


def hop(gate, **headers):
    return gate.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                      "params": {"name": "hop", "arguments": {}}}, **headers).json()


def is_refused(answer):
    return "error" in answer or answer["result"].get("isError", False)


def last_call(answer):
    """_meta of the tools/call that reached the end of the chain."""
    calls = [m for m in json.loads(text_of(answer)) if m["method"] == "tools/call"]
    return calls[-1]["params"]["_meta"]


def check_chain(gate, hops):
    """The server at the end is one hop more than there are trefoils behind the first."""
    wait_hop(gate)
    for name in SPELLINGS:
        header = {name.replace("-", "_") + "_Trace_ID": "the-trace"}
        meta = last_call(hop(gate, **header))
        for spelled in SPELLINGS:
            equal(meta[f"{spelled}-Trace-ID"], "the-trace")
            equal(int(meta[f"{spelled}-Depth"]), hops + 1)
        assert not is_refused(hop(gate, **{name.replace("-", "_") + "_Depth": DEEPEST - hops}))
        refused = hop(gate, **{name.replace("-", "_") + "_Depth": DEEPEST - hops + 1})
        assert is_refused(refused), refused
        has(text_of(refused), "longer than 5")


@case
def a_chain_over_stdio_carries_one_trace_and_ends_at_the_sixth_hop(root):
    with Gateway(root=stdio_chain(root, 2)) as gate:
        check_chain(gate, 2)


@case
def a_chain_over_http_carries_one_trace_and_ends_at_the_sixth_hop(root):
    with http_chain(root, 2) as gate:
        check_chain(gate, 2)


@case
def five_real_agents_behind_a_call_are_served(root):
    with Gateway(root=stdio_chain(root, DEEPEST)) as gate:
        wait_hop(gate)
        equal(int(last_call(hop(gate))["X-Trefoil-Depth"]), DEEPEST + 1)


@case
def the_sixth_real_agent_refuses(root):
    with Gateway(root=stdio_chain(root, DEEPEST + 1)) as gate:
        wait_hop(gate)
        answer = hop(gate)
        assert is_refused(answer), answer
        has(text_of(answer), "longer than 5")


@case
def two_that_serve_each_other_do_not_list_for_ever(root):
    def uses(folder, other):
        (folder / "trefoil.toml").write_text(f'{FAST}[[mcp.servers]]\nname = "other"\nurl = '
                                             f'"http://127.0.0.1:{other.address[1]}/mcp"\n')
    a_root, b_root = root / "a", root / "b"
    a_root.mkdir()
    b_root.mkdir()
    with Gateway(root=a_root) as a:
        own = len(a.tools())
        uses(b_root, a)
        with Gateway(root=b_root) as b:
            b.wait_ready("other")
            uses(a_root, b)
            a.process.send_signal(signal.SIGHUP)
            for gate in (a, b):
                wait_for("the last echo",
                         lambda g=gate: g.connected("other")
                         and g.connected("other")["tools_count"] == own * (DEEPEST + 1))
            equal(len(a.tools()), own * (DEEPEST + 2))


# ---- agents that pass on the id and drop the depth ------------------------------------------------

RELAY = '''#!{python}
import json, sys, urllib.error, urllib.request
sys.path.insert(0, {servers!r})
from bad_server import STRING, Ok, text

def ask(args, headers):
    body = json.dumps({{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{
        "name": "again", "arguments": args}}}}).encode()
    request = urllib.request.Request(args["url"], body, {{"content-type": "application/json", **headers}})
    try:
        return json.loads(urllib.request.urlopen(request, timeout=60).read())
    except urllib.error.HTTPError as refused:
        return json.loads(refused.read())

def again(call, args):
    meta = call.params["_meta"]
    headers = {{name: meta[name] for name in args["keep"].split() if name in meta}}
    if args["keep"] == "constant":
        trace = meta["traceparent"].split("-")[1]
        headers = {{"traceparent": f"00-{{trace}}-00000000000000aa-01"}}
    answer = ask(args, headers)
    if "error" in answer:
        return text("hop " + answer["error"]["message"])
    return text("hop " + answer["result"]["content"][0]["text"])

server = Ok()
server.tools = {{"again": ("Calls itself through trefoil.", {{"url": STRING, "keep": STRING}}, again)}}
server.run()
'''


def relay(root, head=FAST):
    """A trefoil whose server calls it back, with those parts of the trace only that it is told."""
    path = root / "relay.py"
    path.write_text(RELAY.format(python=sys.executable, servers=str(SERVERS)))
    configure(root, command("relay", sys.executable, str(path), tools='{ again = { rename = "again" } }', sandbox='"off"'),
              head=head)
    return Gateway(root=root)


def loop_of(gate, keep, **headers):
    """How often the server was called until somebody refused."""
    gate.wait_ready("relay")
    wait_for("the tool", lambda: "again" in gate.tools())
    url = f"http://127.0.0.1:{gate.address[1]}/mcp"
    answer = gate.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "again", "arguments": {"url": url, "keep": keep}}}, **headers).json()
    text = text_of(answer)
    has(text, "the chain of agent calls is longer")
    return text.count("hop ")


@case
def a_loop_through_an_agent_that_drops_the_depth_ends_at_the_sixth_hop(root):
    with relay(root) as gate:
        for keep in ("X-Trefoil-Trace-ID", "X-OpenStarry-Trace-ID", "traceparent", "constant",
                     "traceparent tracestate", "X-Trefoil-Trace-ID X-Trefoil-Depth"):
            equal((keep, loop_of(gate, keep)), (keep, DEEPEST + 1))
        equal(loop_of(gate, "traceparent", traceparent=PARENT), DEEPEST + 1)


@case
def the_depth_can_be_configured_downwards_only(root):
    with relay(root, FAST + "trace_depth = 2\n") as gate:
        equal(loop_of(gate, "traceparent"), 3)
        has(text_of(gate.post({"jsonrpc": "2.0", "id": 1, "method": "ping"},
                              x_trefoil_depth=3).json()), "longer than 2")
    (root / "trefoil.toml").write_text("[limits]\ntrace_depth = 6\n")
    done = run("config", "check", root=root)
    equal(done.returncode, 2)
    has((done.stdout + done.stderr).decode(), "trace_depth")


def nested(calls):
    """A prompt that calls an agent that calls an agent, so many times."""
    prompt = "/echo the last"
    for _ in range(calls):
        prompt = "/call agent_send " + json.dumps({"message": prompt})
    return prompt


@case
def agents_of_one_program_have_a_limit_of_their_own(root):
    offline = {"TREFOIL_PROVIDER": "offline"}
    has(run("run", nested(5), root=root, **offline).stdout.decode(), "the last")
    has(run("run", nested(6), root=root, **offline).stdout.decode(), "longer than 5")
    (root / "trefoil.toml").write_text("[limits]\nagent_depth = 1\n")
    has(run("run", nested(1), root=root, **offline).stdout.decode(), "the last")
    has(run("run", nested(2), root=root, **offline).stdout.decode(), "longer than 1")


MEETING = '''#!{python}
import sys, threading
sys.path.insert(0, {servers!r})
from bad_server import Ok, text

BARRIER = threading.Barrier(20)

def meet(_call, _args):
    BARRIER.wait(60)
    return text("met")

server = Ok()
server.tools = {{"meet": ("Waits for 19 others.", {{}}, meet),
                "hello": ("Waits for nobody.", {{}}, lambda _call, _args: text("hello"))}}
server.run()
'''


@case
def twenty_calls_of_one_client_share_a_traceparent(root):
    path = root / "meeting.py"
    path.write_text(MEETING.format(python=sys.executable, servers=str(SERVERS)))
    entry = command("end", sys.executable, str(path),
                    tools='{ meet = { rename = "meet" }, hello = { rename = "hello" } }')
    with Gateway(*read_write(entry), root=root, TREFOIL_PROVIDER="offline") as gate:
        gate.wait_ready("end")
        wait_for("the tools", lambda: "meet" in gate.tools())

        def call(name, **arguments):
            return text_of(gate.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": name, "arguments": arguments}}, traceparent=PARENT).json())

        for _ in range(20):
            equal(call("hello"), "hello")
        with ThreadPoolExecutor(20) as pool:
            equal(list(pool.map(call, ["meet"] * 20)), ["met"] * 20)
            told = list(pool.map(lambda _: call("trefoil_agent_default", message="/call meet {}"),
                                 range(20)))
        for text in told:
            has(text, "met")


@case
def every_request_to_a_server_carries_a_trace(root):
    configure(root, server("end", allowed_tools='["seen"]'))
    with Gateway(root=root) as gate:
        gate.wait_ready("end")
        name = wait_for("the tool", lambda: next((t for t in gate.tools() if "seen" in t), None))
        state = {"traceparent": PARENT, "tracestate": "other=1,trefoil=2"}
        answer = gate.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": name, "arguments": {}, "_meta": state}}).json()
        sent = [m for m in json.loads(text_of(answer)) if "id" in m and "method" in m]
        for message in sent:
            meta = message["params"]["_meta"]
            has(meta["tracestate"], f"trefoil={meta['X-Trefoil-Depth']}")
            equal(meta["X-Trefoil-Trace-ID"], meta["X-OpenStarry-Trace-ID"])
            equal(len(meta["traceparent"]), len(PARENT))
        last = sent[-1]["params"]["_meta"]
        equal((last["X-Trefoil-Depth"], last["tracestate"]), (3, "trefoil=3,other=1"))
        equal(last["traceparent"].split("-")[1], PARENT.split("-")[1])
        equal(last["traceparent"] == PARENT, False)
        assert {"initialize", "tools/list", "tools/call"} <= {m["method"] for m in sent}, sent
        for bad in ("x" * 257, "a b\u00e9", ""):
            refused = gate.post({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {
                "_meta": {"X-Trefoil-Trace-ID": bad}}}).json()
            has(text_of(refused), "X-Trefoil-Trace-ID: expected printable ASCII")
        equal(gate.post({"jsonrpc": "2.0", "id": 1, "method": "ping"},
                        traceparent="00-none").json()["result"], {})


main()
