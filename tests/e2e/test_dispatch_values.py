"""What a client may say with a task, against what the agent's file says: the model, the effort, turns and
budget, as the requests to the model show them; and what a client is told of agents and of locks."""
import contextlib
import json

from harness import case, equal, has, main, wait_for
from model_mock import Mock, calls, environment_for, says
from model_raw import RawModel
from task_client import Local, Remote, agent

MOCK = Mock()
TIME = [("system_time", {})]


def place(folder):
    """A project and the environment of somebody whose model is the mock."""
    root = folder / "project"
    root.mkdir()
    env = environment_for(MOCK, "anthropic", folder / "user")
    return root, {**env, "TREFOIL_PROVIDER": "anthropic"}


def asked(t, name, *steps, **more):
    """Dispatch a task to an agent: how it ended, and the requests that the model got."""
    words = MOCK.play("do as you are told", *steps)
    done = t.end(t.dispatch(words, name, **more))
    return done, MOCK.requests(words)


# ---- values of a call override those of the file -------------------------------------------------------

@case
def the_model_of_a_call_overrides_the_agents(folder):
    root, env = place(folder)
    agent(root, "small", "model: claude-haiku-4-5\n")
    for kind in (Local, Remote):
        with kind(root=root, **env) as t:
            for more, model in (({}, "claude-haiku-4-5"), ({"model": "high"}, "claude-opus-4-6"),
                                ({"model": "claude-of-my-own"}, "claude-of-my-own")):
                started = t.use("dispatch_agent", agent="small", task=MOCK.play("x", says("Done.")),
                                **more)
                has(started["model"], model)
                done, requests = asked(t, "small", says("Done."), **more)
                equal([body["model"] for body in requests], [model])
                has(done["model"], model)


@case
def the_turns_of_a_call_override_the_agents(folder):
    root, env = place(folder)
    agent(root, "patient", "max_turns: 4\n")
    with Local(root=root, **env) as t:
        for more, turns in (({}, 4), ({"max_turns": 2}, 2), ({"max_turns": 1}, 1)):
            _, requests = asked(t, "patient", *[calls(*TIME)] * 5, says("Done."), **more)
            equal((more, len(requests)), (more, turns))


@contextlib.contextmanager
def client(root):
    """A client whose agents have a raw model; a function: (how a task ended, its requests)."""
    with RawModel() as model, Local(root=root, **model.env) as t:
        def ask(name, *steps, **more):
            model.play(*steps)
            return t.end(t.dispatch("do it", name, **more)), model.asked
        yield ask


def thinking(body):
    """How much a request lets the model think."""
    return body.get("thinking", {}).get("budget_tokens", 0)


@case
def the_effort_of_a_call_overrides_the_agents(root):
    for effort in ("low", "high"):
        agent(root, effort, f"effort: {effort}\n")
    with client(root) as ask:
        low, high = (thinking(ask(name)[1][0]) for name in ("low", "high"))
        equal(0 < low < high, True)
        for name, effort, tokens in (("low", "high", high), ("high", "low", low), ("high", "none", 0)):
            _, requests = ask(name, effort=effort)
            equal((name, effort, thinking(requests[0])), (name, effort, tokens))


@case
def the_budget_of_a_call_overrides_the_agents(root):
    agent(root, "rich", "budget: 1000\n")
    with client(root) as ask:
        done, requests = ask("rich", TIME, TIME)
        equal((done["status"], len(requests)), ("completed", 3))
        done, requests = ask("rich", TIME, TIME, budget=0.000001)
        equal(len(requests), 1)
        has(json.dumps(done), "budget")


def check_object(done, value):
    """The object that stands for the answer in JSON."""
    equal((value["type"], value["result"], value["is_error"], value["stop"]),
          ("result", "Done.", False, "end"))
    equal((value["session_id"], value["model"] in done["model"]), (done["session_id"], True))
    equal(value["usage"]["output"] > 0, True)


@case
def the_output_format_of_a_call_overrides_the_agents(root):
    agent(root, "plain")
    agent(root, "object", "output_format: json\n")
    with client(root) as ask:
        for name, more, kind in (("plain", {}, "text"), ("plain", {"output_format": "json"}, "json"),
                                 ("object", {}, "json"), ("object", {"output_format": "text"}, "text"),
                                 ("object", {"output_format": "stream-json"}, "stream-json")):
            done, _ = ask(name, TIME, **more)
            response = done["result"]["response"]
            equal((name, more, done["result"]["summary"]), (name, more, "Done."))
            if kind == "text":
                equal(response, "Done.")
                continue
            *lines, last = map(json.loads, response.splitlines())
            check_object(done, last)
            equal((kind, bool(lines)), (kind, kind == "stream-json"))
            if lines:
                equal([line["name"] for line in lines if line["type"] == "tool"][:1], ["system_time"])
                equal("".join(line["text"] for line in lines if line["type"] == "text"), "Done.")
    with Local(root=root) as t:
        has(t.error("dispatch_agent", agent="plain", task="x", output_format="xml"), "stream-json")


@case
def a_call_never_loosens_the_limits_of_the_agents_file(root):
    agent(root, "poor", "budget: 0.000001\nmax_turns: 2\n")
    agent(root, "brief", "max_turns: 2\n")
    agent(root, "free")
    with client(root) as ask:
        for name, more, turns in (("poor", {}, 1), ("poor", {"budget": 0}, 1), ("poor", {"budget": 9}, 1),
                                  ("brief", {"max_turns": 9}, 2), ("brief", {"budget": 9}, 2),
                                  ("free", {"max_turns": 3}, 3), ("free", {"budget": 0}, 5)):
            _, requests = ask(name, TIME, TIME, TIME, TIME, **more)
            equal((name, more, len(requests)), (name, more, turns))


# ---- what a client is told -----------------------------------------------------------------------

FILES = {".trefoil/agents/one.md": "---\ndescription: Is one.\ntier: low\n---\nYou help.\n",
         ".claude/agents/two.md": "---\ndescription: Is two.\nmodel: opus\n---\nYou help.\n",
         ".vaultspec/agents/three.md": "---\ndescription: Is three.\ntier: MEDIUM\n---\nYou help.\n",
         "agents/four/agent.json": '{"description": "Is four.", "tier": "high"}',
         "trefoil.toml": '[[agents]]\nname = "five"\ndescription = "Is five."\ntier = "low"\n'}


@case
def all_agents_are_listed_with_name_tier_and_description(root):
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for kind in (Local, Remote):
        with kind(root=root) as t:
            listed = t.use("list_agents")
            has(listed["hint"], "resources/read")
            has(listed["hint"], "agents://{name}")
            got = {a["name"]: (a["tier"], a["description"]) for a in listed["agents"]}
            got.pop("default")
            equal(got, {"one": ("low", "Is one."), "two": ("high", "Is two."),
                        "three": ("medium", "Is three."), "four": ("high", "Is four."),
                        "five": ("low", "Is five.")})
            uris = [r["uri"] for r in t.ask("resources/list")["resources"]]
            equal([f"agents://{name}" for name in got if f"agents://{name}" not in uris], [])


@case
def the_resource_of_an_agent_names_its_model_and_mode(folder):
    root, env = place(folder)
    agent(root, "looker", "model: claude-haiku-4-5\nmode: read-only\n")
    agent(root, "high", "tier: high\n")
    with Local(root=root, **env) as t:
        for name, model, mode in (("looker", "claude-haiku-4-5", "read-only"),
                                  ("high", "claude-opus-4-6", "read-write")):
            content, = t.ask("resources/read", {"uri": f"agents://{name}"})["contents"]
            equal((content["uri"], content["mimeType"]), (f"agents://{name}", "application/json"))
            got = json.loads(content["text"])
            equal((name, got["default_model"], got["default_mode"]), (name, model, mode))


@case
def a_working_task_says_what_it_locks(root):
    for kind in (Local, Remote):
        with kind(root=root) as t:
            ident = t.dispatch("/sleep 3600", mode="read-only")
            lock = wait_for("its lock", lambda i=ident: t.status(i).get("lock"))
            equal(([p.rstrip("/") for p in lock["paths"]], lock["mode"]), ([".vault"], "exclusive"))
            listed, = t.use("get_locks")["locks"]
            equal((listed["taskId"], listed["acquired_at"]), (ident, lock["acquired_at"]))
            t.use("cancel_task", task_id=ident)
            equal("lock" in t.status(ident), False)


main()
