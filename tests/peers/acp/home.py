"""The HOME of a user who has real agents, whose models are the mock; and what the mock answers."""
import json
import os
import pathlib
import shutil
import tempfile

from harness import wait_for
import model_mock

HERE = pathlib.Path(__file__).resolve().parent
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

# The other faces are driven only if FACES is set: some of their cases still fail with some agents.
FACES = bool(os.environ.get("FACES"))
SLOWLY = {"match": {"userMessage": "SLOWLY"}}
SLOWLY |= ({"response": {"content": "word " * 2000}, "chunkSize": 5,
            "streamingProfile": {"ttft": 1, "tps": 2, "jitter": 0}} if FACES else
           {"response": {"content": "one two three four five"}, "latency": 600000})

# Some agents join a prompt to an earlier one without an answer, so the later prompts come first.
FIXTURES = [
    {"match": {"userMessage": "PLAIN"}, "response": {"content": "Hello from the mock."}},
    {"match": {"userMessage": "was interrupted"}, "response": {"content": "resumed"}},
    {"match": {"userMessage": "THINK"}, "response": {"reasoning": "Hmm.", "content": "Thought."}},
    SLOWLY,
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

CONFIG = '''[sandbox]
connect = [{port}]
'''
CONFIG_FACES = '''[mcp]
mode = "read-write"
[guard.permission]
edit = "ask"
execute = "ask"
'''
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
                 CONFIG.format(port=url.rpartition(":")[2]) + (CONFIG_FACES if FACES else "") + "".join(
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


def words_for(agent, prompt):
    """The prompt with which this agent does the same."""
    return {"WRITE_IT": f"write {MADE}", "SLOWLY": "wait"}.get(prompt, prompt) if agent == "mini" else prompt
