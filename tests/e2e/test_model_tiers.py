"""Which model an agent of a tier is worked on by: the tables, and the request that is really made."""
import json

from harness import case, equal, main, run
from model_mock import Mock, environment_for, says

MOCK = Mock()
CLAUDE = {"high": "claude-opus-4-6", "medium": "claude-sonnet-4-5", "low": "claude-haiku-4-5"}
GEMINI = {"high": "gemini-3-pro-preview", "medium": "gemini-3-flash-preview", "low": "gemini-2.5-flash"}


def agents(root):
    """One of each tier, in the spellings that files use."""
    for folder, names in ((".trefoil", ("high", "medium", "low")), (".vaultspec", ("HIGH", "MEDIUM", "LOW"))):
        path = root / folder / "agents"
        path.mkdir(parents=True)
        for tier in names:
            (path / f"{folder[1:]}-{tier.lower()}.md").write_text(
                f"---\ndescription: d\ntier: {tier}\n---\nYou help.\n")


def asked(root, env, *words):
    """The model that a turn asks."""
    prompt = MOCK.play("say something", says("Something."))
    done = run("run", *words, prompt, root=root, **env)
    equal((done.returncode, done.stdout), (0, b"Something.\n"))
    body, = MOCK.requests(prompt)
    return body["model"]


def table(root, env):
    got = json.loads(run("models", "--json", root=root, **env).stdout)
    serves, = [p for p in got["providers"] if p["serves"]]
    return {tier: serves["models"][tier]["name"] for tier in ("high", "medium", "low")}


def check(root, fmt, want, config=""):
    root.mkdir()
    agents(root)
    env = environment_for(MOCK, fmt, root.with_name(root.name + ".user"), config)
    equal(table(root, env), want)
    for tier, model in want.items():
        equal(asked(root, env, "-a", f"trefoil-{tier}"), model)
        equal(asked(root, env, "-a", f"vaultspec-{tier}"), model)
        equal(asked(root, env, "--model", tier), model)
    return env


@case
def the_tiers_of_claude(root):
    env = check(root / "p", "anthropic", CLAUDE)
    for alias, tier in (("opus", "high"), ("sonnet", "medium"), ("haiku", "low")):
        equal(asked(root / "p", env, "--model", alias), CLAUDE[tier])


@case
def the_tiers_of_gemini(root):
    check(root / "p", "gemini", GEMINI)


@case
def the_table_is_configuration(root):
    for name, fmt, defaults in (("a", "anthropic", CLAUDE), ("b", "gemini", GEMINI)):
        want = {**defaults, "high": "one-of-my-own", "low": "a-small-one"}
        config = f'[providers.{fmt}]\nhigh = "one-of-my-own"\nlow = "a-small-one"\n'
        check(root / name, fmt, want, config)


main()
