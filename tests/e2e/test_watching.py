"""Files of agents where the kernel tells of no change: they are looked at every few seconds, and
clients hear of it all the same."""
import json

from harness import Stdio, case, equal, main, run
from task_client import OFFLINE

# A user namespace in which nobody gets an inotify instance.
SILENT = ("unshare", "--user", "--map-root-user", "sh", "-c",
          'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"', "sh")
CHANGES = {"notifications/tools/list_changed", "notifications/resources/list_changed"}


class Watched(Stdio):
    """`trefoil mcp` that has to look for itself."""

    def __init__(self, *args, root):
        super().__init__(*args, root=root, scope="agents", wrap=SILENT, **OFFLINE)
        self.initialize()
        self.agents()

    def ask(self, method, params=None):
        answer = self.call(method, params, "ask")
        while answer.get("id") != "ask":
            answer = self.receive()
        return answer["result"]

    def agents(self):
        """Name and description of all, but for the one that is always there."""
        listed = self.ask("tools/call", {"name": "list_agents"})["structuredContent"]["agents"]
        return {a["name"]: a["description"] for a in listed if a["name"] != "default"}

    def hear(self):
        """Both lists have changed."""
        equal({self.receive()["method"] for _ in range(2)}, CHANGES)
        return self.agents()


def put(root, name, description):
    """Write the file of an agent; nobody sees half of it."""
    fresh = root / f"{name}.new"
    fresh.write_text(f"---\ndescription: {description}\n---\nYou help.\n")
    fresh.rename(root / f".trefoil/agents/{name}.md")


def fast(root):
    own = root / "own.toml"
    own.write_text("[limits]\nwatch_ms = 100\n")
    return "--config", str(own)


@case
def every_five_seconds_files_are_looked_at(root):
    equal(json.loads(run("config", "limits", "--json", root=root).stdout)["watch_ms"], 5000)
    (root / ".trefoil/agents").mkdir(parents=True)
    with Watched(root=root) as t:
        for name in ("first", "second"):  # the first may come while it still reads for the first time
            put(root, name, "is new")
            equal(t.hear()[name], "is new")


@case
def what_comes_changes_and_goes_is_noticed_by_its_time(root):
    (root / ".trefoil/agents").mkdir(parents=True)
    put(root, "stays", "is old")
    with Watched(*fast(root), root=root) as t:
        put(root, "fresh", "is new")
        equal(t.hear(), {"fresh": "is new", "stays": "is old"})
        put(root, "fresh", "is now")
        equal(t.hear()["fresh"], "is now")
        (root / ".trefoil/agents/fresh.md").unlink()
        equal(sorted(t.hear()), ["stays"])


main()
