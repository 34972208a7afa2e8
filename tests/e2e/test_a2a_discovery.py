"""The external agents of [a2a]: found in the background at start, and agents like any other."""
import json

from a2a_fake_server import A2AServer
from harness import Serve, case, equal, has, main, run, user_config, wait_for
from task_client import OFFLINE, Remote as Serving


def external(root, *servers, more="", enabled="true", limits=""):
    entries = "".join(f'[[a2a.external_agents]]\nname = "far{n}"\nurl = "{s.url}"\n{more}\n'
                      for n, s in enumerate(servers))
    user_config(root, f"[limits]\na2a_discover_ms = 50\n{limits}\n[log]\nlevel = \"info\"\n"
                      f"[a2a]\nenabled = {enabled}\n{entries}")


@case
def external_agents_are_agents_like_any_other(root):
    with A2AServer() as one, A2AServer("0.3", card_paths=["/.well-known/agent.json"]) as two:
        external(root, one, two)
        for n in (0, 1):
            done = run("run", "-a", f"far{n}", "hello", root=root)
            equal((done.returncode, done.stdout.decode()), (0, "echo: hello\n"))
        listed = json.loads(run("agents", "--json", root=root).stdout)
        equal([a["name"] for a in listed if a["name"].startswith("far")], ["far0", "far1"])


@case
def they_are_discovered_at_start_and_described_by_their_cards(root):
    with A2AServer() as server:
        external(root, server)
        with Serving(root=root) as client:
            wait_for("the card", lambda: server.requests)

            def described():
                tools = client.ask("tools/list")["tools"]
                return [t for t in tools if t["name"] == "trefoil_agent_far0"
                        and "an agent for tests" in t["description"]]
            wait_for("its description", described)
            equal(client.result("trefoil_agent_far0", {"message": "hi"})
                  ["structuredContent"]["answer"], "echo: hi")
            client.process.terminate()
            client.told = True
            text = client.process.stderr.read().decode()
            has(text, "discovered a remote agent")
            has(text, server.url)
            has(text, "skills=1")


@case
def failures_are_warned_about_once_and_tried_again(root):
    with A2AServer() as server:
        server.card_paths = []
        external(root, server)
        with Serving(root=root) as client:
            wait_for("several tries", lambda: len(server.requests) > 6)
            equal(client.use("list_agents")["agents"] != [], True)  # serving is not disturbed
            server.card_paths = ["/.well-known/agent-card.json"]
            wait_for("the card", lambda: "an agent for tests" in
                     json.dumps(client.ask("tools/list")))
            client.process.terminate()
            client.told = True
            text = client.process.stderr.read().decode()
            equal(text.count("cannot reach a remote agent"), 1)
            has(text, "warn")


@case
def a2a_that_is_off_contacts_no_one(root):
    with A2AServer() as server:
        external(root, server, enabled="false")
        with Serve(root=root, **OFFLINE) as client:
            equal(client.request("GET", "/health").status, 200)
        equal(server.requests, [])


@case
def wrong_entries_say_where_and_what_is_accepted(root):
    for text, part in (('name = "x"\n', "url"), ('url = "http://x/"\n', "name"),
                       ('name = "x"\nurl = "http://x/"\nfrob = 1\n', "frob"),
                       ('name = "a b"\nurl = "http://x/"\n', "name of an agent"),
                       ('name = "x"\nurl = "x"\n', "http://")):
        user_config(root, f"[a2a]\nenabled = true\n[[a2a.external_agents]]\n{text}")
        done = run("agents", root=root)
        has(done.stderr.decode(), part)
        has(done.stderr.decode(), "config.toml:")


@case
def those_of_a_project_wait_for_trust(root):
    with A2AServer() as server:
        (root / "trefoil.toml").write_text(
            f'[a2a]\n[[a2a.external_agents]]\nname = "far"\nurl = "{server.url}"\n')
        done = run("run", "-a", "far", "hello", root=root)
        equal(done.returncode, 1)
        has(done.stderr.decode(), "trefoil trust")
        equal(server.requests, [])
        done = run("run", "-a", "far", "hello", "--trust", root=root)
        equal(done.stdout.decode(), "echo: hello\n")


main()
