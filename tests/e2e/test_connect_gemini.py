"""`trefoil connect gemini --agents`: the files by which Gemini CLI finds the agents of trefoil."""
import json
import pathlib

from harness import Serve, case, equal, has, main, run, user_config
from task_client import OFFLINE, agent


def front(path):
    """The front matter of a file, whose values are on one line each."""
    lines = path.read_text().splitlines()
    equal(lines[0], "---")
    return dict(line.split(": ", 1) for line in lines[1:lines.index("---", 1)])


@case
def each_agent_gets_a_file_and_the_settings_are_merged(root):
    agent(root, "Helper.One")
    (root / ".gemini").mkdir()
    settings = root / ".gemini/settings.json"
    settings.write_text('{\n  // mine\n  "theme": "dark",\n  "experimental": { "x": 1 }\n}\n')
    done = run("connect", "gemini", "--agents", root=root)
    equal(done.returncode, 0)
    files = sorted(p.name for p in (root / ".gemini/agents").iterdir())
    equal(files, ["default.md", "helper-one.md"])
    equal(front(root / ".gemini/agents/helper-one.md"), {
        "kind": "remote", "name": "helper-one", "description": '"What Helper.One does."',
        "agent_card_url": "http://localhost:8733/a2a/Helper.One/.well-known/agent.json"})
    text = settings.read_text()
    for part in ("// mine", '"theme": "dark"', '"x": 1', '"enableAgents": true'):
        has(text, part)
    again = run("connect", "gemini", "--agents", root=root)
    equal((again.returncode, settings.read_text()), (0, text))
    has(again.stdout.decode(), "already present")


@case
def todays_card_another_address_and_the_users_files_can_be_chosen(root):
    home = root / "home"
    home.mkdir()
    done = run("connect", "gemini", "--agents", "--card", "agent-card.json", "--user", "--http",
               "https://agents.example/", root=root, HOME=str(home))
    equal(done.returncode, 0)
    equal(front(home / ".gemini/agents/default.md")["agent_card_url"],
          "https://agents.example/a2a/default/.well-known/agent-card.json")
    equal(json.loads((home / ".gemini/settings.json").read_text()),
          {"experimental": {"enableAgents": True}})
    equal((root / ".gemini").exists(), False)


@case
def turning_off_changes_only_the_setting(root):
    run("connect", "gemini", "--agents", root=root)
    done = run("connect", "gemini", "--no-agents", root=root)
    equal(done.returncode, 0)
    equal(json.loads((root / ".gemini/settings.json").read_text()),
          {"experimental": {"enableAgents": False}})
    equal((root / ".gemini/agents/default.md").exists(), True)


@case
def files_of_others_and_links_are_left_alone(root):
    folder = root / ".gemini/agents"
    folder.mkdir(parents=True)
    (folder / "default.md").write_text("---\nname: default\n---\nmine\n")
    done = run("connect", "gemini", "--agents", root=root)
    equal(done.returncode, 1)
    has(done.stderr.decode(), "--force")
    equal((folder / "default.md").read_text(), "---\nname: default\n---\nmine\n")
    equal(run("connect", "gemini", "--agents", "--force", root=root).returncode, 0)
    (folder / "default.md").unlink()
    outside = root / "outside.md"
    (folder / "default.md").symlink_to(outside)
    done = run("connect", "gemini", "--agents", "--force", root=root)
    equal((done.returncode != 0, outside.exists()), (True, False))


@case
def nothing_is_written_with_print_and_wrong_words_are_named(root):
    done = run("connect", "gemini", "--agents", "--print", root=root)
    has(done.stdout.decode(), "agent_card_url: http://localhost:8733/a2a/default")
    has(done.stdout.decode(), "enableAgents")
    equal((root / ".gemini").exists(), False)
    for args, part in ((("gemini", "--agents", "--card", "x.json"), "agent-card.json"),
                       (("zed", "--agents"), "only gemini"),
                       (("gemini", "--card", "agent.json"), "needs --agents"),
                       (("gemini", "--agents", "--no-agents"), "--no-agents"),
                       (("gemini", "--agents", "--http", "ftp://x"), "needs a URL")):
        done = run("connect", *args, root=root)
        equal((args, done.returncode), (args, 2))
        has(done.stderr.decode(), part)


@case
def the_cards_are_served(root):
    user_config(root, "[a2a]\nenabled = true\n")
    agent(root, "helper")
    with Serve(root=root, **OFFLINE) as server:
        url = f"http://127.0.0.1:{server.address[1]}"
        for card in ("agent.json", "agent-card.json"):
            run("connect", "gemini", "--agents", "--http", url, "--card", card, root=root)
            named = front(pathlib.Path(root) / ".gemini/agents/helper.md")["agent_card_url"]
            answer = server.request("GET", named[len(url):])
            equal(answer.status, 200)
            has(answer.json()["url"], "/a2a/helper")


main()
