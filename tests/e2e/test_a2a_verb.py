"""`trefoil a2a`: talk to a remote agent from the command line."""
import json
import signal

from a2a_fake_server import A2AServer
from a2a_remote import remote
from harness import Process, case, equal, has, main, run, user_config, wait_for

EVERY = [("1.0", "JSONRPC"), ("1.0", "HTTP+JSON"), ("0.3", "JSONRPC"), ("0.3", "HTTP+JSON"),
         ("0.1", "JSONRPC")]


def a2a(root, *args, **env):
    return run("a2a", *args, root=root, **env)


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


@case
def the_card_is_shown(root):
    with A2AServer() as server:
        shown = a2a(root, "card", server.url)
        equal(shown.returncode, 0)
        for part in ("fake", "an agent for tests", "JSONRPC 1.0", "(used)", "echo: echoes"):
            has(shown.stdout.decode(), part)
        equal(lines(a2a(root, "card", server.url, "--json"))[0], server.card())


@case
def messages_are_sent_in_every_version(root):
    for version, binding in EVERY:
        with A2AServer(version, binding) as server:
            for verb in ("send", "stream"):
                done = a2a(root, verb, server.url, "hello", "there")
                equal((version, binding, verb, done.returncode, done.stdout.decode()),
                      (version, binding, verb, 0, "echo: hello there\n"))
            done = a2a(root, "send", server.url, "fail no disk")
            equal((done.returncode, done.stdout.decode()), (1, "no disk\n"))
            equal(a2a(root, "send", server.url, "reject me").returncode, 5)
            done = a2a(root, "send", server.url, "files x")
            name = "bundle" if (version, binding) == ("0.3", "HTTP+JSON") else "b.bin"
            has(done.stderr.decode(), f"+ {name} (application/octet-stream)")
            has(done.stderr.decode(), "https://files.example/x.txt")


@case
def json_is_what_the_agent_sent(root):
    with A2AServer() as server:
        got = lines(a2a(root, "send", server.url, "hello", "--json"))
        equal(got[0]["task"]["artifacts"][0]["parts"], [{"text": "echo: hello"}])
        got = lines(a2a(root, "stream", server.url, "slow", "--json"))
        equal([list(line) for line in got][0], ["task"])
        equal([list(line) for line in got][-1], ["statusUpdate"])
        got = lines(a2a(root, "list", server.url, "--json"))
        equal(len(got[0]["tasks"]), 2)


@case
def tasks_are_continued_shown_listed_followed_and_cancelled(root):
    with A2AServer() as server:
        done = a2a(root, "send", server.url, "ask which?")
        equal(done.stdout.decode(), "which?\n")
        task = next(iter(server.tasks))
        has(done.stderr.decode(), f"task {task} is input_required")
        shown = a2a(root, "get", server.url, task)
        equal(shown.stdout.decode(), "which?\n")
        done = a2a(root, "send", server.url, "red", "--task", task)
        has(done.stdout.decode(), 'you said "red"')
        has(a2a(root, "list", server.url).stdout.decode(), f"{task}  completed")
        started = a2a(root, "send", server.url, "hang", "--no-wait", "--context", "c-7")
        equal(started.returncode, 0)
        ident, hangs = list(server.tasks.items())[-1]
        equal(hangs.context, "c-7")
        with Process("a2a", "subscribe", server.url, ident, "--json", root=root) as p:
            has(p.process.stdout.readline().decode(), '"task"')
            stopped = a2a(root, "cancel", server.url, ident)
            equal(stopped.returncode, 0)
            has(stopped.stderr.decode(), "canceled")
            has(p.process.stdout.read().decode(), "CANCELED")
            p.told = True


@case
def an_interrupt_leaves_the_task_and_says_so(root):
    with A2AServer() as server:
        with Process("a2a", "stream", server.url, "hang", "--json", root=root) as p:
            p.process.stdout.readline()
            p.process.send_signal(signal.SIGINT)
            p.told, p.expect = True, 130
        equal(next(iter(server.tasks.values())).canceling.is_set(), False)


@case
def credentials_and_names_of_agents_are_used(root):
    def accepts(request):
        return request.headers.get("Authorization") == "Bearer t-1"

    with A2AServer(auth=accepts) as server:
        refused = a2a(root, "send", server.url, "hello")
        equal(refused.returncode, 1)
        has(refused.stderr.decode(), "401")
        done = a2a(root, "send", server.url, "hello", "--token", "env:MY_TOKEN", MY_TOKEN="t-1")
        equal(done.stdout.decode(), "echo: hello\n")
        remote(root, server, 'auth = { type = "bearer", token = "env:MY_TOKEN" }')
        done = a2a(root, "send", "remote", "hello", MY_TOKEN="t-1")
        equal(done.stdout.decode(), "echo: hello\n")


@case
def it_works_while_a2a_is_off(root):
    user_config(root, "[a2a]\nenabled = false\n")
    with A2AServer() as server:
        equal(a2a(root, "send", server.url, "hello").stdout.decode(), "echo: hello\n")
        has(a2a(root, "card", server.url).stdout.decode(), "fake")


@case
def wrong_command_lines_and_errors_of_agents_are_reported(root):
    with A2AServer() as server:
        for args, code, part in (
                (("card",), 2, "missing AGENT"), (("send", server.url), 2, "missing TEXT"),
                (("frob", server.url), 2, "unknown command"),
                (("card", "nobody"), 2, "neither a URL nor the name of an agent"),
                (("card", "http://user:pw@127.0.0.1/"), 2, "must not contain a user"),
                (("get", server.url, "no-such-task"), 1, "no such task"),
                (("list", server.url, "--limit", "0"), 2, "from 1 to 100"),
                (("get", server.url, "x", "--task", "y"), 2, "--task"),
                (("card", server.url + "/nothing"), 1, "no agent card"),
                (("card", "http://127.0.0.1:1/"), 1, "refused")):
            done = a2a(root, *args)
            equal((args, done.returncode), (args, code))
            has(done.stderr.decode(), part)
    with A2AServer("0.3") as server:
        done = a2a(root, "list", server.url)
        equal(done.returncode, 1)


main()
