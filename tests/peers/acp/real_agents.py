"""Real programs that speak ACP, controlled by trefoil: a prompt, a change of a file, a read-only run,
a cancel, a session that is resumed, and one that is resumed after a kill of trefoil.

usage: real_agents.py TREFOIL [AGENT...]
"""
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent.parent / "e2e"))
only = sys.argv[2:]
del sys.argv[2:]
from harness import Process, case, equal, has, main, run, use_state_home, wait_for  # noqa: E402
import model_mock  # noqa: E402

NODE = shutil.which("node")
BIN = HERE / "node_modules/.bin"
HOME = pathlib.Path(tempfile.mkdtemp(prefix="trefoil-acp-home-"))
ROOT = HOME.parent / (HOME.name + "-root")  # a root must not contain the home folder
MADE = ROOT / "made.txt"

COMMANDS = {
    "claude": [NODE, str(BIN / "claude-agent-acp")],
    "codex": [NODE, str(BIN / "codex-acp")],
    "gemini": [NODE, str(BIN / "gemini"), "--experimental-acp"],
    "opencode": [str(BIN / "opencode"), "acp"],
    "mini": [NODE, str(HERE / "mini_agent.mjs")],
}
MORE = {"claude": 'preset = "claude"\nenv = { ENABLE_TOOL_SEARCH = "false" }\n',
        "codex": 'preset = "codex"\n',
        "gemini": 'preset = "gemini"\nmodel = "gemini-2.5-flash"\n',
        "opencode": 'preset = "opencode"\nenv = { OPENCODE_DISABLE_MODELS_FETCH = "1", '
                    'OPENCODE_DISABLE_DEFAULT_PLUGINS = "1" }\n'}
RESUMES = {"claude", "codex", "opencode"}  # gemini 0.61 does not always find its session again

# Some agents join a prompt to an earlier one without an answer, so the later prompts come first.
FIXTURES = [
    {"match": {"userMessage": "PLAIN"}, "response": {"content": "Hello from the mock."}},
    {"match": {"userMessage": "was interrupted"}, "response": {"content": "resumed"}},
    {"match": {"userMessage": "SLOWLY"}, "response": {"content": "one two three four five"},
     "latency": 600000},
    {"match": {"userMessage": "WRITE_IT", "hasToolResult": True},
     "response": {"content": "FINAL written"}},
    *({"match": {"userMessage": "WRITE_IT", "toolName": name},
       "response": {"toolCalls": [{"id": "call_1", "name": name, "arguments": arguments}]}}
      for name, arguments in (
          ("Write", {"file_path": str(MADE), "content": "made\n"}),
          ("write_file", {"file_path": str(MADE), "content": "made\n"}),
          ("exec_command", {"cmd": f"echo made >{MADE}", "justification": "test",
                            "sandbox_permissions": "require_escalated"}),
          ("write", {"filePath": str(MADE), "content": "made\n"}))),
    {"match": {}, "response": {"content": "ok"}},
]

CODEX = '''model = "gpt-5-codex"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
'''
GEMINI = {"security": {"auth": {"selectedType": "gemini-api-key"},
                       "folderTrust": {"enabled": False}},
          "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False}}


def opencode(url):
    model = {"name": "gpt-4o", "tool_call": True, "limit": {"context": 128000, "output": 4096}}
    return {"autoupdate": False, "share": "disabled", "model": "mock/gpt-4o",
            "small_model": "mock/gpt-4o", "permission": {"edit": "ask"},
            "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "Mock",
                                  "options": {"baseURL": url + "/v1", "apiKey": "k"},
                                  "models": {"gpt-4o": model}}}}


def prepare():
    """The HOME of a user who has all agents, whose models are the mock. Returns the environment."""
    fixtures = HOME / "fixtures.json"
    fixtures.write_text(json.dumps({"fixtures": FIXTURES}))
    url = f"http://127.0.0.1:{model_mock.start(fixtures)}"
    files = {".gemini/settings.json": json.dumps(GEMINI),
             ".codex/config.toml": CODEX.format(url=url),
             ".config/opencode/opencode.json": json.dumps(opencode(url)),
             "config/trefoil/config.toml":
                 f"[sandbox]\nconnect = [{url.rpartition(':')[2]}]\n" + "".join(
                     f'[[agents]]\nname = "{name}"\nprovider = "acp"\n'
                     f"command = {json.dumps(command)}\n{MORE.get(name, '')}"
                     for name, command in COMMANDS.items())}
    for name, text in files.items():
        (HOME / name).parent.mkdir(parents=True, exist_ok=True)
        (HOME / name).write_text(text)
    ROOT.mkdir()
    return {"HOME": str(HOME), "XDG_CONFIG_HOME": str(HOME / "config"),
            "XDG_STATE_HOME": str(HOME / "state"), "ANTHROPIC_API_KEY": "sk-ant-api03-mock",
            "ANTHROPIC_BASE_URL": url, "OPENAI_API_KEY": "sk-mock", "GEMINI_API_KEY": "mock",
            "GOOGLE_GEMINI_BASE_URL": url, "PATH": os.environ["PATH"]}


ENV = prepare()


def left():
    """The processes of agents: their HOME is below ours."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"HOME={HOME}/state".encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes())
        except OSError:
            pass
    return found


def none_left():
    wait_for("the end of all processes of the agent", lambda: not left())


def say(agent, *words):
    done = run("run", "--json", "-a", agent, *words, root=ROOT, **ENV)
    none_left()
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def text(told):
    return "".join(e["text"] for e in told if e["type"] == "text")


def stop(agent, number, code):
    """Send a signal to trefoil in the middle of a turn."""
    with Process("run", "--json", "-a", agent, "SLOWLY" if agent != "mini" else "wait", root=ROOT,
                 **ENV) as p:
        wait_for("the agent", left)
        p.process.stdout.readline()
        wait_for("its session", lambda: json.loads(run(
            "sessions", "list", "--json", root=ROOT, **ENV).stdout or "[]"))
        p.process.send_signal(number)
        p.expect = code
        p.told = True
        p.process.stdout.read()
    none_left()


def answers(agent):
    done, told = say(agent, "PLAIN")
    equal((done.returncode, told[-1]["stop"]), (0, "end"))
    has(text(told), "Hello")


def changes_a_file(agent):
    MADE.unlink(missing_ok=True)
    prompt = "WRITE_IT" if agent != "mini" else f"write {MADE}"
    done, told = say(agent, "--yes", prompt)
    equal((done.returncode, MADE.exists() and MADE.read_text()), (0, "made\n"))
    assert any(e["type"] == "tool" and e["status"] == "done" for e in told), told
    has(text(told), "FINAL")


def read_only_changes_nothing(agent):
    MADE.unlink(missing_ok=True)
    say(agent, "--yes", "--mode", "read-only", "WRITE_IT" if agent != "mini" else f"write {MADE}")
    assert not MADE.exists()


def is_resumed(agent):
    say(agent, "PLAIN")
    done, told = say(agent, "-c", "PLAIN again")
    equal(done.returncode, 0)
    has(text(told), "Hello")
    new = any("starts a new session" in e["text"] for e in told if e["type"] == "notice")
    assert not (new and agent in RESUMES), told


def is_cancelled(agent):
    stop(agent, signal.SIGINT, 130)
    has(text(say(agent, "-c", "PLAIN")[1]), "Hello")


def survives_a_kill(agent):
    stop(agent, signal.SIGKILL, -9)
    has(text(say(agent, "-c", "PLAIN")[1]), "Hello")


for name in COMMANDS:
    for claim in (answers, changes_a_file, read_only_changes_nothing, is_resumed, is_cancelled,
                  survives_a_kill):
        def test(_, claim=claim, name=name):
            use_state_home(HOME / "state")
            claim(name)

        test.__name__ = f"{name}_{claim.__name__}"
        if not only or name in only:
            case(test)

try:
    main(300)
finally:
    shutil.rmtree(HOME, ignore_errors=True)
    shutil.rmtree(ROOT, ignore_errors=True)
