"""Read-only mode stops writing tools and commands; every other tool works, and results of all tools are
cut at the same length before a model reads them."""

from harness import case, equal, has, main, run
from model_mock import Mock, calls, environment_for, results, says
from model_raw import RawModel
from task_client import agent
from upstream import FAST, server

MOST = 50_000  # characters of a result
ALLOWED = '[guard.permission]\nexecute = "auto"\nfetch = "auto"\n'


class Place:
    """A project whose agent is worked on by the mock."""

    def __init__(self, folder, toml=""):
        self.root = folder / "project"
        self.root.mkdir()
        (self.root / "trefoil.toml").write_text(FAST + toml)
        self.mock = Mock()
        self.env = environment_for(self.mock, "anthropic", folder / "user", ALLOWED)

    def told(self, *wanted, words=()):
        """What the model is told of these calls."""
        prompt = self.mock.play("do all that", calls(*wanted), says("Done."))
        done = run("run", "--trust", *words, prompt, root=self.root, **self.env)
        equal((done.returncode, done.stdout), (0, b"Done.\n"))
        return results(self.mock.asked(prompt)[-1])


# ---- read-only -----------------------------------------------------------------------------------

@case
def in_read_only_mode_every_other_tool_works(folder):
    place = Place(folder)
    (place.root / "a.txt").write_text("the text\n")
    (place.root / ".trefoil/skills/build").mkdir(parents=True)
    (place.root / ".trefoil/skills/build/SKILL.md").write_text("---\ndescription: d\n---\nUse make.\n")
    agent(place.root, "other")
    inner = place.mock.play("say it, other", says("I am the other."))
    later = place.mock.play("say it later", says("Later."))
    wanted = [("file_read", {"path": "a.txt"}, "the text"), ("file_list", {}, "a.txt"),
              ("glob", {"pattern": "*.txt"}, "a.txt"), ("grep", {"pattern": "text"}, "a.txt:1:the text"),
              ("plan_update", {"entries": [{"content": "look", "status": "pending"}]}, ""),
              ("system_time", {}, "unixMs"), ("agent_list", {}, "other"),
              ("agent_send", {"agent": "other", "message": inner}, "I am the other."),
              ("agent_dispatch", {"agent": "other", "message": later, "wait": 60}, "Later."),
              ("task_get", {"task_id": "nobody"}, "there is no task nobody"),
              ("task_cancel", {"task_id": "nobody"}, "there is no task nobody"),
              ("artifact_write", {"name": "report", "text": "words"}, ""),
              ("skill", {"name": "build"}, "Use make."),
              ("web_fetch", {"url": "http://127.0.0.1:1/"}, "is not allowed")]
    told = place.told(*(w[:2] for w in wanted), words=("--mode", "read-only"))
    for (name, _, part), text in zip(wanted, told):
        has(text, part)
        equal((name, "denied" in text or "read-only" in text.replace('"mode":"read-only"', "")), (name, False))


# ---- the length of results -----------------------------------------------------------------------

def shown(text):
    """How many characters of x and of ä are left of a result."""
    return text.count("x") + text.count("ä")


@case
def a_result_has_at_most_fifty_thousand_characters(root):
    (root / "trefoil.toml").write_text(FAST + server("calc"))
    (root / "long.txt").write_text("ä" * 400_000)
    (root / "fits.txt").write_text("ä" * MOST)
    own = root / "user/trefoil/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(ALLOWED)
    with RawModel() as model:
        for name, arguments, mark in (
                ("mcp_calc_big", {"bytes": 400_000}, "truncated:"), ("mcp_calc_big", {"bytes": MOST}, None),
                ("shell_exec", {"argv": ["cat", "long.txt"]}, "bytes omitted"),
                ("file_read", {"path": "long.txt"}, "truncated:"), ("file_read", {"path": "fits.txt"}, None)):
            model.play([(name, arguments)])
            done = run("run", "--trust", "go on", root=root, XDG_CONFIG_HOME=str(root / "user"),
                       **model.env)
            equal((done.returncode, done.stdout), (0, b"Done.\n"))
            text, = model.results()
            equal((name, len(text) < MOST + 1000), (name, True))
            equal((name, [m for m in ("truncated:", "omitted") if m in text]),
                  (name, [m for m in ("truncated:", "omitted") if mark and m in mark]))
            least = MOST - 200 if name != "shell_exec" else 10_000  # it keeps bytes
            equal((name, least <= shown(text) <= MOST), (name, True))


@case
def the_end_of_a_long_output_and_the_exit_code_are_shown(root):
    own = root / "user/trefoil/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text(ALLOWED)
    script = "seq 1 100000; echo the last line; exit 3"
    with RawModel() as model:
        model.play([("shell_exec", {"command": script, "shell": True})])
        run("run", "go on", root=root, XDG_CONFIG_HOME=str(root / "user"), **model.env)
        text, = model.results()
        equal(text.startswith("1\n2\n3\n"), True)
        has(text, "bytes omitted]")
        has(text[-100:], "the last line\n[the program exited with code 3]")


main()
