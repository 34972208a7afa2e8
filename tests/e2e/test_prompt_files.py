"""What a model is told before anybody speaks: personas, rules and instructions out of files, with what
they include, as the request to the model has it (model_mock.py)."""
import json

from harness import case, equal, has, main, run
from model_mock import Mock, environment_for, says, system_of
from task_client import Local

MOCK = Mock()


class Place:
    """A project, and a trefoil there whose model speaks one format."""

    def __init__(self, folder, fmt="anthropic"):
        self.root = folder / "project"
        self.root.mkdir(exist_ok=True)
        self.env = environment_for(MOCK, fmt, folder / f"user {fmt}")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def agent(self, persona, name="one", keys=""):
        self.write(f".trefoil/agents/{name}.md", f"---\ndescription: d\n{keys}---\n{persona}\n")

    def told(self, *more, name="one"):
        """The system prompt of a turn of this agent."""
        words = MOCK.play("whatever you like", says("Done."))
        done = run("run", "-a", name, words, *more, root=self.root, **self.env)
        equal((done.returncode, done.stdout), (0, b"Done.\n"))
        body, = MOCK.requests(words)
        return system_of(body)


def in_order(text, *parts):
    """Each part is there once, in this order."""
    equal([text.count(part) for part in parts], [1] * len(parts))
    equal(sorted(parts, key=text.index), list(parts))


def absent(text, *parts):
    equal([part for part in parts if part in text], [])


# ---- what it is made of --------------------------------------------------------------------------

@case
def persona_rules_and_instructions_come_in_this_order(folder):
    place = Place(folder)
    place.agent("I am the persona.")
    place.write(".trefoil/rules/b.md", "Rule B.")
    place.write(".trefoil/rules/a.md", "Rule A.")
    place.write("AGENTS.md", "Instructions of the project.")
    in_order(place.told(), "I am the persona.", "Rule A.", "Rule B.", "Instructions of the project.")


@case
def rules_and_instructions_may_be_missing(folder):
    place = Place(folder)
    place.agent("I am the persona.")
    prompt = place.told()
    equal(prompt.startswith("I am the persona."), True)
    headings = [line for line in prompt.splitlines() if line.startswith("# ")]
    equal(headings, ["# Where you work"])


@case
def the_same_files_give_the_same_prompt(folder):
    place = Place(folder)
    place.agent("I am the persona.")
    place.write("AGENTS.md", "Instructions.")
    first = place.told()
    equal(place.told(), first)
    shown = run("agents", "show", "one", "--prompt", root=place.root, **place.env).stdout.decode()
    has(first, shown.partition("# Where you work")[0])


# ---- files for one family of models --------------------------------------------------------------

FAMILIES = {"anthropic": ("claude", "CLAUDE.md"), "gemini": ("gemini", "SYSTEM.md")}


def family_files(place):
    for name, main_file in FAMILIES.values():
        place.write(f".{name}/{main_file}", f"System prompt for {name}.")
        place.write(f".{name}/rules/first.md", f"First rule for {name}.\n@extra.md")
        place.write(f".{name}/rules/second.md", f"Second rule for {name}.")
        place.write(f".{name}/rules/extra.md", f"Included rule for {name}.")
        place.write(f".{name}/rules/notes.txt", f"No rule for {name}.")


@case
def each_family_of_models_reads_its_own_files(folder):
    for fmt, (name, _) in FAMILIES.items():
        place = Place(folder, fmt)
        place.agent("I am the persona.")
        family_files(place)
        prompt = place.told()
        for part in ("System prompt", "First rule", "Second rule", "Included rule"):
            has(prompt, f"{part} for {name}.")
        absent(prompt, f"No rule for {name}.", "@extra.md")
        for other in {n for n, _ in FAMILIES.values()} - {name}:
            absent(prompt, f"for {other}.")


@case
def a_family_without_files_is_told_nothing_of_them(folder):
    for fmt in FAMILIES:
        place = Place(folder, fmt)
        place.agent("I am the persona.")
        absent(place.told(), "for claude", "for gemini", "CLAUDE.md", "SYSTEM.md")


# ---- includes ------------------------------------------------------------------------------------

@case
def includes_are_found_beside_the_file_then_from_the_root(folder):
    place = Place(folder)
    place.agent("Persona.\n@near.md\n@docs/far.md\n@both.md")
    place.write(".trefoil/agents/near.md", "Near.\n@deeper/next.md")
    place.write(".trefoil/agents/deeper/next.md", "Next.\n@last.md")
    place.write(".trefoil/agents/deeper/last.md", "Last.")
    place.write("docs/far.md", "Far.\n@other.md")
    place.write("docs/other.md", "Other.")
    place.write(".trefoil/agents/both.md", "Beside.")
    place.write("both.md", "At the root.")
    prompt = place.told()
    in_order(prompt, "Persona.", "Near.", "Next.", "Last.", "Far.", "Other.", "Beside.")
    absent(prompt, "At the root.", "@near.md", "@docs/far.md", "@last.md")


@case
def rules_and_instructions_include_too(folder):
    place = Place(folder)
    place.agent("Persona.")
    place.write(".trefoil/rules/style.md", "Style.\n@../../docs/more.md")
    place.write("docs/more.md", "More style.")
    place.write("AGENTS.md", "Instructions.\n@docs/build.md")
    place.write("docs/build.md", "How to build.")
    in_order(place.told(), "Persona.", "Style.", "More style.", "Instructions.", "How to build.")


def refused(place):
    """Why a turn of the agent does not begin. Nothing is asked of the model."""
    words = MOCK.play("never heard", says("Never."))
    done = run("run", "-a", "one", words, root=place.root, **place.env)
    equal((done.returncode, done.stdout, MOCK.requests(words)), (2, b"", []))
    return done.stderr.decode()


@case
def what_lies_outside_of_the_root_is_not_included(folder):
    place = Place(folder)
    (folder / "secret.md").write_text("The secret.")
    (place.root / "link.md").symlink_to(folder / "secret.md")
    for line in ("@../../../secret.md", "@link.md", "@/etc/../secret.md"):
        place.agent(f"Persona.\n{line}")
        says_why = refused(place)
        has(says_why, "one.md:")
        absent(says_why, "The secret.")


@case
def a_circle_of_includes_is_refused(folder):
    place = Place(folder)
    place.agent("Persona.\n@one-more.md")
    place.write(".trefoil/agents/one-more.md", "One.\n@two.md")
    place.write(".trefoil/agents/two.md", "Two.\n@one-more.md")
    says_why = refused(place)
    has(says_why, "two.md:2")
    has(says_why, "includes itself")


# ---- read-only work ------------------------------------------------------------------------------

def users(place, words, **more):
    """What the user said, in the request that a dispatched task makes."""
    with Local(root=place.root, TREFOIL_PROVIDER="anthropic",
               **{k: v for k, v in place.env.items() if k != "TREFOIL_PROVIDER"}) as t:
        equal(t.end(t.dispatch(words, **more))["status"], "completed")
    messages, = MOCK.asked(words)
    return [m["content"] for m in messages if m["role"] == "user"]


@case
def read_only_work_is_prefaced_and_other_work_is_not(folder):
    place = Place(folder)
    (folder / "user anthropic/user/trefoil/config.toml").write_text('[mcp]\nmode = "read-write"\n')
    words = MOCK.play("look around", says("Done."))
    told = json.dumps(users(place, words, mode="read-only"))
    for part in ("read-only", ".vault/", words):
        has(told, part)
    equal(told.index("read-only") < told.index(words), True)
    words = MOCK.play("change it", says("Done."))
    equal(users(place, words, mode="read-write"), [words])


main()
