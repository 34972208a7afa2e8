"""Agents that call each other: a chain of real trefoils ends at the sixth hop."""
import contextlib
import json
import signal

from harness import TREFOIL, case, equal, has, main, wait_for
from upstream import FAST, Gateway, command, configure, server, text_of

DEEPEST = 5  # agents that may lie behind a call
SPELLINGS = ("X-Trefoil", "X-OpenStarry")


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
                                  str(behind), **entry_of_next("hop")))
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
        has(text_of(refused), "more than 5 agents")


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
        has(text_of(answer), "more than 5 agents")


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


main()
