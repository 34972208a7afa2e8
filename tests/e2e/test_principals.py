"""Who calls: users, named keys and keyless clients, in tasks, in the audit log, in the configuration."""
import json
import os

from harness import Serve, Stdio, case, equal, has, main, run, state_dir

OFFLINE = {"TREFOIL_PROVIDER": "offline"}
ME = f"user:{os.getuid()}"
KEYS = """
[serve]
api_key = "key-of-default"

[[serve.keys]]
name = "ann"
key = "env:ANN_KEY"

[[serve.keys]]
name = "bob"
key = "key-of-bob"
"""


def config(root, text):
    """A file of the user's own, as words of the command line."""
    (root / "mine.toml").write_text(text)
    return "--config", str(root / "mine.toml")


def bearer(key):
    return {"authorization": f"Bearer {key}"} if key else {}


def dispatch(server, key=None):
    """A task that ends at once; how it is shown to whoever made it."""
    answer = server.request("POST", "/api/tasks", json.dumps({"task": "/echo hello"}).encode(),
                            content_type="application/json", **bearer(key))
    equal(answer.status, 201)
    return answer.json()


def call_tool(server, name, key=None, **arguments):
    answer = server.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": {"name": name, "arguments": arguments}},
                         accept="application/json, text/event-stream", **bearer(key))
    equal(answer.status, 200)
    return answer.json()["result"]


def audit(root, tool):
    """The principals of all calls of a tool, in order."""
    path = state_dir(root) / "logs/audit.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [line["principal"] for line in lines if line.get("tool") == tool]


# ---- principals ----------------------------------------------------------------------------------

@case
def each_key_is_a_principal_of_its_own(root):
    with Serve(*config(root, KEYS), root=root, ANN_KEY="key-of-ann", **OFFLINE) as server:
        for key, owner in (("key-of-default", "key:default"), ("key-of-ann", "key:ann"),
                           ("key-of-bob", "key:bob")):
            equal(dispatch(server, key)["owner"], owner)
            call_tool(server, "system_time", key)
        for wrong in (None, "key-of-an", "key-of-bobs", "env:ANN_KEY"):
            equal(server.request("GET", "/api/tasks", **bearer(wrong)).status, 401)
        two = {"authorization": "Bearer key-of-ann", "x_api_key": "key-of-bob"}
        equal(server.request("GET", "/api/tasks", **two).status, 401)
        same = {"authorization": "Bearer key-of-ann", "x_api_key": "key-of-ann"}
        equal(server.request("GET", "/api/tasks", **same).status, 200)
    equal(audit(root, "system_time"), ["key:default", "key:ann", "key:bob"])


@case
def clients_without_a_key_are_loopback(root):
    with Serve(root=root, **OFFLINE) as server:
        equal(dispatch(server)["owner"], "loopback")
        call_tool(server, "system_time")
    equal(audit(root, "system_time"), ["loopback"])


@case
def the_unix_socket_stdio_and_the_command_line_are_the_user(root):
    with Serve(root=root, listen=f"unix:{root}/http", **OFFLINE) as server:
        equal(dispatch(server)["owner"], ME)
        call_tool(server, "system_time")
    with Stdio(root=root, **OFFLINE) as client:
        client.initialize()
        client.call("tools/call", {"name": "system_time", "arguments": {}})
    equal(run("tools", "call", "system_time", root=root).returncode, 0)
    equal(audit(root, "system_time"), [ME] * 3)
    done = run("agents", "dispatch", "default", "/echo hello", root=root, **OFFLINE)
    equal(done.returncode, 0)
    shown = json.loads(run("tasks", "--json", root=root).stdout)
    equal([t["owner"] for t in shown], [ME, ME])


@case
def agents_and_tasks_have_the_principal_of_their_caller(root):
    (root / "a.txt").write_text("x\n")
    with Serve(*config(root, KEYS), root=root, ANN_KEY="key-of-ann", **OFFLINE) as server:
        call_tool(server, "trefoil_agent_default", "key-of-ann", message="/read a.txt")
        task = call_tool(server, "dispatch_agent", "key-of-bob", agent="default",
                         task="/read a.txt", wait=60)
        equal(json.loads(task["content"][0]["text"])["status"], "completed")
    equal(audit(root, "file_read"), ["key:ann", "key:bob"])


@case
def the_operator_sees_all_tasks_and_others_their_own(root):
    own = config(root, KEYS)
    with Serve(*own, root=root, ANN_KEY="key-of-ann", **OFFLINE) as server:
        ann, bob = dispatch(server, "key-of-ann")["id"], dispatch(server, "key-of-bob")["id"]
        for key, mine, other in (("key-of-ann", ann, bob), ("key-of-bob", bob, ann)):
            equal([t["id"] for t in server.request("GET", "/api/tasks", **bearer(key)).json()["tasks"]],
                  [mine])
            equal(server.request("GET", f"/api/tasks/{other}", **bearer(key)).status, 404)
    with Serve(root=root, **OFFLINE) as server:
        equal(server.request("GET", "/api/tasks").json()["tasks"], [])
    with Serve(root=root, listen=f"unix:{root}/http", **OFFLINE) as server:
        shown = server.request("GET", "/api/tasks").json()["tasks"]
        equal({t["id"] for t in shown}, {ann, bob})


# ---- the configuration ---------------------------------------------------------------------------

def refused(root, text, *parts, **env):
    done = run("config", "check", *config(root, text), root=root, **env)
    equal(done.returncode, 2)
    for part in parts:
        has((done.stdout + done.stderr).decode(), part)


@case
def two_keys_of_one_name_or_value_are_an_error(root):
    refused(root, KEYS, "mine.toml:7:7", "ANN_KEY is not set")
    entry = '[[serve.keys]]\nname = "{}"\nkey = "{}"\n'
    ann = entry.format("ann", "one")
    refused(root, ann + entry.format("ann", "two"), "mine.toml:5:8", "duplicate key name ann")
    refused(root, ann + entry.format("bob", "one"), "mine.toml:6:7", "already used by the key named ann")
    refused(root, '[serve]\napi_key = "one"\n' + ann, "mine.toml:5:7", "already used by the key named default")
    refused(root, '[serve]\napi_key = "two"\n' + entry.format("default", "one"), "mine.toml:4:8",
            "duplicate key name default")
    refused(root, entry.format("a b", "one"), "mine.toml:2:8", "letters, digits")
    refused(root, entry.format("a" * 65, "one"), "mine.toml:2:8", "1 to 64")
    refused(root, entry.format("a", ""), "mine.toml:3:7", "empty")
    refused(root, '[[serve.keys]]\nname = "a"\n', "mine.toml:1", "key")
    refused(root, '[[serve.keys]]\nname = "a"\nkey = "b"\nkeys = 1\n', "mine.toml:4:1")
    refused(root, ann + entry.format("bob", "two") + "[limits]\nserve_keys = 1\n", "serve_keys")


@case
def a_key_in_the_file_is_noted_and_never_shown(root):
    done = run("config", "check", *config(root, KEYS), root=root, ANN_KEY="key-of-ann")
    equal(done.returncode, 0)
    text = (done.stdout + done.stderr).decode()
    has(text, "mine.toml:3:11: the secret api_key is stored in the file")
    has(text, "mine.toml:11:7: the secret api_key is stored in the file")
    for key in ("key-of-default", "key-of-ann", "key-of-bob"):
        equal(key in text, False)


@case
def keys_of_a_project_prove_nothing(root):
    (root / "trefoil.toml").write_text(KEYS)
    text = run("config", "check", root=root, ANN_KEY="key-of-ann").stdout.decode()
    has(text, "clients count as unauthenticated")
    has(text, "a project cannot add API keys")
    with Serve(root=root, **OFFLINE) as server:
        equal(server.request("GET", "/api/tasks").status, 401)
        equal(server.request("GET", "/api/tasks", **bearer("key-of-bob")).status, 401)
        equal(dispatch(server, "key-of-default")["owner"], "loopback")
    with Serve("--trust", root=root, ANN_KEY="key-of-ann", **OFFLINE) as server:
        equal(dispatch(server, "key-of-bob")["owner"], "key:bob")


@case
def a_project_does_not_replace_the_users_keys(folder):
    root, home = folder / "root", folder / "home"
    root.mkdir()
    (home / "trefoil").mkdir(parents=True)
    (home / "trefoil/config.toml").write_text('[serve]\napi_key = "of-the-user"\n')
    (root / "trefoil.toml").write_text('[serve]\napi_key = "of-the-project"\n')
    with Serve(root=root, XDG_CONFIG_HOME=str(home), **OFFLINE) as server:
        equal(server.request("GET", "/api/tasks", **bearer("of-the-project")).status, 401)
        equal(dispatch(server, "of-the-user")["owner"], "key:default")


main()
