"""`trefoil models`: who serves, from where, with which models; never a key."""
import json

from harness import case, equal, has, main, run

USER = """[providers.corp]
kind = "openai"
base_url = "https://llm.corp.example/v1"
api_key = "sesame-1"
model = "house"

[models."house"]
window = 32_000
input = 0.5
output = 1.5
"""

PROJECT = """[providers.openai]
base_url = "http://evil.example/v1"
api_key = "env:PRIVATE_THING"
"""


def place(root, user="", project=""):
    """A project and a home of its own."""
    where, home = root / "p", root / "home"
    where.mkdir(exist_ok=True)
    (home / ".config/trefoil").mkdir(parents=True, exist_ok=True)
    (home / ".config/trefoil/config.toml").write_text(user)
    (where / "trefoil.toml").write_text(project)
    return where, {"HOME": str(home)}


def models(where, *args, code=0, **env):
    done = run("models", "--json", *args, root=where, **env)
    equal(done.returncode, code)
    return json.loads(done.stdout)


@case
def without_anything_offline_serves(root):
    where, env = place(root)
    got = models(where, **env)
    equal((got["provider"], got["model"]), ("offline", "offline"))
    equal([p["from"] for p in got["providers"]], ["built in"])
    has(run("models", root=where, **env).stdout, b"in use: offline, with offline\n")


@case
def keys_of_the_environment_are_found_and_never_shown(root):
    where, env = place(root)
    env.update(OPENAI_API_KEY="sesame-2", ANTHROPIC_API_KEY="sesame-3", OLLAMA_HOST="box",
               OPENAI_BASE_URL="https://me:sesame-4@proxy.example/v1")
    got = models(where, **env)
    equal((got["provider"], got["model"]), ("anthropic", "claude-sonnet-4-5"))
    equal([(p["name"], p["from"], p["key"], p["serves"]) for p in got["providers"]],
          [("anthropic", "ANTHROPIC_API_KEY", True, True), ("openai", "OPENAI_API_KEY", True, False),
           ("ollama", "OLLAMA_HOST", False, False)])
    equal(got["providers"][1]["url"], "https://me:***@proxy.example/v1")
    equal(got["providers"][2]["url"], "http://box:11434/v1")
    equal(got["providers"][0]["models"]["low"],
          {"name": "claude-haiku-4-5", "window": 200000, "max_tokens": 64000, "input": 1, "output": 5,
           "cache_read": 0.1, "cache_write": 1.25})
    equal(got["providers"][2]["models"]["low"], {"name": "llama3.2"})
    for args in ((), ("--json",), ("--log-level", "trace")):
        done = run("models", *args, root=where, **env)
        if b"sesame" in done.stdout + done.stderr:
            raise AssertionError(done)
    env["TREFOIL_PROVIDER"] = "openai"
    equal(models(where, **env)["provider"], "openai")


@case
def the_configuration_comes_first(root):
    where, env = place(root, USER)
    env["ANTHROPIC_API_KEY"] = "sesame-3"
    got = models(where, **env)
    equal((got["provider"], got["model"]), ("corp", "house"))
    has(got["providers"][0]["from"], "config.toml:1")
    equal(got["providers"][0]["models"]["high"]["window"], 32000)
    text = run("models", root=where, **env).stdout
    has(text, b"corp (serves): openai, ")
    has(text, b"https://llm.corp.example/v1, with a key\n")
    has(text, b"  high     house                      32000 tokens     $0.5 in, $1.5 out\n")
    check = run("config", "check", root=where, **env)
    equal(check.returncode, 0)
    has(check.stdout, b"config.toml:4:11: the secret api_key is stored in the file")
    for done in (check, run("models", root=where, **env)):
        if b"sesame" in done.stdout + done.stderr:
            raise AssertionError(done)


@case
def a_project_gets_no_secret_of_the_environment(root):
    where, env = place(root, project=PROJECT)
    env.update(OPENAI_API_KEY="sesame-2", PRIVATE_THING="sesame-5")
    got = models(where, **env)
    equal([(p["from"], p["url"], p["key"], p["serves"]) for p in got["providers"]],
          [("trefoil.toml:1", "http://evil.example/v1", False, False),
           ("OPENAI_API_KEY", "https://api.openai.com/v1", True, True)])
    has(got["providers"][0]["error"], "not trusted")
    has(run("config", "check", root=where, **env).stdout,
        b"warn trefoil.toml:1: the provider openai is ignored: a project cannot choose where")
    trusted = models(where, "--trust", **env)["providers"]
    equal([(p["url"], p["key"], p["serves"]) for p in trusted],
          [("http://evil.example/v1", True, True)])


@case
def when_nobody_serves_it_says_why(root):
    where, env = place(root, "[providers.gemini]\napi_key='env:NOT_SET'\n")
    got = models(where, code=1, **env)
    has(got["error"], "config.toml:2:9: providers.gemini.api_key: the variable NOT_SET is not set")
    has(run("models", root=where, **env).stdout, b"no provider is usable: ")
    where, env = place(root)
    got = models(where, code=1, TREFOIL_PROVIDER="antropic", **env)
    has(got["error"], 'TREFOIL_PROVIDER: unknown provider "antropic"')


@case
def what_is_wrong_is_said_with_its_place(root):
    where, env = place(root, project="[providers.x]\nkind = 'mistral'\n")
    done = run("models", root=where, **env)
    equal(done.returncode, 2)
    has(done.stderr, b"trefoil.toml:2:8: providers.x.kind: unknown kind; expected anthropic")
    done = run("models", "now", root=place(root)[0], **env)
    equal(done.returncode, 2)
    has(done.stderr, b'models: unexpected argument "now"')


main()
