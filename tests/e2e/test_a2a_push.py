"""Push notifications of A2A: configurations, webhooks, and addresses that are refused."""
import http.server
import json
import socket
import threading

from a2a_client import client, message, serve, state
from harness import case, equal, has, main, user_config, wait_for

ON = "[a2a]\nenabled = true\n"
FAST = ON + "[limits]\npush_retry_ms = 10\npush_answer_ms = 300\n"


class Webhook:
    """A webhook on this machine, which records what it gets. `plan`: the next statuses; then 200."""

    def __init__(self, plan=(), port=0, host="127.0.0.1"):
        self.got = []
        self.plan = list(plan)
        hook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # pylint: disable=invalid-name
                body = self.rfile.read(int(self.headers["content-length"]))
                status = hook.plan.pop(0) if hook.plan else 200
                if status == "hang":
                    hook.release.wait(60)
                    return
                hook.got.append((status, {k.lower(): v for k, v in self.headers.items()},
                                 json.loads(body)))
                self.send_response(status)
                if status == 307:
                    self.send_header("Location", hook.url + "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args):  # pylint: disable=arguments-differ
                pass

        self.release = threading.Event()
        self.server = http.server.ThreadingHTTPServer((host, port), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def taken(self):
        return [body for status, _, body in self.got if status == 200]

    def states(self):
        return [state(b.get("task") or b.get("statusUpdate") or b) for b in self.taken
                if "artifactUpdate" not in b and b.get("kind") != "artifact-update"]

    def wait_for_end(self):
        wait_for("the last update", lambda: self.states()[-1:] and self.states()[-1] in (
            "completed", "canceled", "failed"))


def work(c, url, text="/echo hi", **config):
    return c.result("SendMessage", {
        "message": message(text),
        "configuration": {"taskPushNotificationConfig": {"url": url, **config}}})["task"]


@case
def a_webhook_gets_every_update_in_order(root):
    with serve(root) as server, Webhook() as hook:
        c = client(server)
        task = work(c, hook.url, token="tok", authentication={"scheme": "Bearer",
                                                              "credentials": "cred"})
        hook.wait_for_end()
        equal(hook.states(), ["submitted", "working", "completed"])
        has(hook.taken[0], "task")
        equal([b["artifactUpdate"]["artifact"]["parts"] for b in hook.taken
               if "artifactUpdate" in b], [[{"text": "hi"}]])
        numbers = []
        for _, headers, _ in hook.got:
            equal(headers["content-type"], "application/a2a+json")
            equal(headers["authorization"], "Bearer cred")
            equal(headers["x-a2a-notification-token"], "tok")
            ident, _, number = headers["x-a2a-notification-id"].rpartition("-")
            equal(ident, task["id"])
            numbers.append(int(number))
        equal(numbers, sorted(set(numbers)))


@case
def webhooks_of_0_3_get_bare_objects(root):
    with serve(root) as server, Webhook() as hook:
        client(server).result("message/send", {
            "message": message("/echo hi", "0.3"),
            "configuration": {"pushNotificationConfig": {"url": hook.url}}})
        hook.wait_for_end()
        equal([b["kind"] for b in hook.taken],
              ["task", "status-update", "artifact-update", "status-update"])
        equal(hook.got[0][1]["content-type"], "application/json")


@case
def configurations_are_set_listed_and_deleted(root):
    with serve(root) as server, Webhook() as hook:
        c = client(server)
        task = c.work("/sleep 600", blocking=False)
        one = c.result("CreateTaskPushNotificationConfig",
                       {"taskId": task["id"], "id": "one", "url": hook.url, "token": "t"})
        equal(one, {"taskId": task["id"], "id": "one", "url": hook.url, "token": "t"})
        made = c.result("CreateTaskPushNotificationConfig", {"taskId": task["id"], "url": hook.url})
        equal(bool(made["id"]), True)
        equal(c.result("GetTaskPushNotificationConfig", {"taskId": task["id"], "id": "one"}), one)
        listed = c.result("ListTaskPushNotificationConfigs", {"taskId": task["id"]})["configs"]
        equal(listed, [one, made])
        equal(c.result("DeleteTaskPushNotificationConfig", {"taskId": task["id"], "id": "one"}), None)
        equal(c.result("DeleteTaskPushNotificationConfig", {"taskId": task["id"], "id": "one"}), None)
        equal(c.call("GetTaskPushNotificationConfig", {"taskId": task["id"], "id": "one"}).code, -32001)
        # 0.3
        old = c.result("tasks/pushNotificationConfig/set", {
            "taskId": task["id"], "pushNotificationConfig": {"id": "old", "url": hook.url}})
        equal(old, {"taskId": task["id"], "pushNotificationConfig": {"id": "old", "url": hook.url}})
        equal(c.result("tasks/pushNotificationConfig/get",
                       {"id": task["id"], "pushNotificationConfigId": "old"}), old)
        equal(len(c.result("tasks/pushNotificationConfig/list", {"id": task["id"]})), 2)
        # HTTP+JSON
        base = f"/tasks/{task['id']}/pushNotificationConfigs"
        got = c.ask("POST", base, {"id": "rest", "url": hook.url})
        equal((got.status, got.json["id"]), (201, "rest"))
        equal(c.ask("GET", base + "/rest").json["url"], hook.url)
        equal(len(c.ask("GET", base).json["configs"]), 3)
        got = c.ask("DELETE", base + "/rest")
        equal((got.status, got.body), (204, b""))
        got = c.ask("POST", "/v1" + base, {"config": {"pushNotificationConfig": {
            "id": "v03", "url": hook.url}}})
        equal(got.json["name"], f"tasks/{task['id']}/pushNotificationConfigs/v03")
        # the webhooks hear of the end; a deleted one does not
        c.result("CancelTask", {"id": task["id"]})
        wait_for("three webhooks", lambda: len([s for s in hook.states() if s == "canceled"]) == 3)


@case
def configurations_belong_to_their_client(root):
    user_config(root, ON + '[[serve.keys]]\nname = "a"\nkey = "secret-of-a-0123456789"\n'
                           '[[serve.keys]]\nname = "b"\nkey = "secret-of-b-0123456789"\n')
    with serve(root) as server, Webhook() as hook:
        a = client(server, authorization="Bearer secret-of-a-0123456789")
        b = client(server, authorization="Bearer secret-of-b-0123456789")
        task = a.work("/ask more?")
        for method in ("CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig",
                       "ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig"):
            equal(b.call(method, {"taskId": task["id"], "id": "x", "url": hook.url}).code, -32001)
            equal(b.call(method, {"taskId": "unknown", "id": "x", "url": hook.url}).code, -32001)


@case
def an_update_is_sent_again_until_it_is_taken(root):
    user_config(root, FAST)
    with serve(root) as server, Webhook(plan=[500, 503, 200, 404]) as hook:
        work(client(server), hook.url)
        hook.wait_for_end()
        equal(hook.states(), ["submitted", "working", "completed"])
        equal([s for s, _, _ in hook.got][:4], [500, 503, 200, 404])


@case
def redirects_are_not_followed(root):
    user_config(root, FAST)
    with serve(root) as server, Webhook(plan=[307]) as hook:
        work(client(server), hook.url)
        hook.wait_for_end()
        equal([s for s, _, _ in hook.got][:2], [307, 200])
        equal(hook.states(), ["submitted", "working", "completed"])


@case
def a_webhook_that_never_answers_holds_nothing_up(root):
    user_config(root, FAST)
    with serve(root) as server, Webhook(plan=["hang"]) as hook:
        c = client(server)
        equal(state(work(c, hook.url)), "completed")
        hook.wait_for_end()


@case
def delivery_continues_after_a_restart(root):
    user_config(root, FAST)
    with socket.socket() as s:  # a port at which nothing listens
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
        with serve(root) as server:
            task = work(client(server), f"http://127.0.0.1:{port}/hook")
            equal(state(task), "completed")
    with Webhook(port=port) as hook, serve(root):
        hook.wait_for_end()
        equal(hook.states(), ["submitted", "working", "completed"])


@case
def forbidden_addresses_are_refused(root):
    with serve(root) as server:
        c = client(server)
        task = c.work("/ask more?")
        own = server.address[1]
        for url in ("http://169.254.169.254/latest", "http://metadata.google.internal/",
                    "http://10.0.0.1/", "http://192.168.1.1:8080/x", "http://[fd00::1]/",
                    "http://0.0.0.0/", "http://2852039166/", f"http://127.0.0.1:{own}/a2a",
                    "ftp://example.org/", "file:///etc/passwd", "http://user@example.org/", "x",
                    "http:///x", "http://example.org/\r\nX: 1", "http://exa mple.org/"):
            got = c.call("CreateTaskPushNotificationConfig", {"taskId": task["id"], "url": url})
            equal((url, got.code), (url, -32602))
            has(got.json["error"]["message"], "url")
            got = c.call("SendMessage", {
                "message": message("/echo x"),
                "configuration": {"taskPushNotificationConfig": {"url": url}}})
            equal(got.code, -32602)
        equal(c.call("CreateTaskPushNotificationConfig", {
            "taskId": task["id"], "url": "http://example.org/", "token": "a\r\nb"}).code, -32602)


@case
def a_name_is_judged_by_its_address(root):
    """The name of this machine: its address is private, or that of loopback."""
    user_config(root, FAST + 'push_tries = 2\n')
    name = socket.gethostname()
    try:
        address = socket.gethostbyname(name)
    except OSError:
        return  # it has no address
    if not address.startswith(("10.", "172.", "192.168.")):
        return
    with serve(root) as server, Webhook(host="0.0.0.0") as hook, Webhook() as other:
        c = client(server)
        work(c, f"http://{name}:{hook.port}/hook")
        work(c, other.url)
        other.wait_for_end()
        equal(hook.got, [])


@case
def a_webhook_on_this_machine_needs_a_client_on_this_machine(root):
    user_config(root, ON + 'trusted_proxies = ["127.0.0.1"]\n')
    with serve(root) as server, Webhook() as hook:
        c = client(server)
        task = c.work("/ask more?")
        params = {"taskId": task["id"], "url": hook.url}
        got = c.call("CreateTaskPushNotificationConfig", params, x_forwarded_for="203.0.113.9")
        equal(got.code, -32602)
        got = c.call("CreateTaskPushNotificationConfig", {**params, "url": "http://localhost:1/"},
                     x_forwarded_for="127.0.0.1, 203.0.113.9, 127.0.0.1")
        equal(got.code, -32602)
        equal(c.call("CreateTaskPushNotificationConfig", params).status, 200)
        has(c.call("CreateTaskPushNotificationConfig", params, x_forwarded_for="127.0.0.1").json,
            "result")
        # and the card says what the proxy says
        card = c.ask("GET", "/.well-known/agent-card.json", x_forwarded_host="agents.example.org",
                     x_forwarded_proto="https").json
        equal(card["url"], "https://agents.example.org/a2a")
    user_config(root, ON)
    with serve(root) as server:
        card = client(server).ask("GET", "/.well-known/agent-card.json",
                                  x_forwarded_host="evil.example.org").json
        has(card["url"], "http://127.0.0.1:")


@case
def there_are_limits(root):
    """limits.pushes, limits.pushes_total and the constant push_setup_bytes."""
    for limits, most in (("", 50), ("pushes = 3", 3), ("pushes_total = 5", 5)):
        folder = root / str(most)
        folder.mkdir()
        user_config(folder, f"{ON}[limits]\n{limits}\n")
        with serve(folder) as server:
            c = client(server)
            task = c.work("/ask more?")

            def create(ident, **more):
                return c.call("CreateTaskPushNotificationConfig", {
                    # pylint: disable=cell-var-from-loop
                    "taskId": task["id"], "id": ident, "url": "http://example.org/", **more}).json

            got = [create(str(i)) for i in range(most + 1)]
            equal(["result" in g for g in got], [True] * most + [False])
            has(got[most]["error"]["message"], "too many")
            # replacing one is no new one
            has(create("0", token="other"), "result")
            c.result("CancelTask", {"id": task["id"]})
            large = c.work("/ask more?")
            big = c.call("CreateTaskPushNotificationConfig", {
                "taskId": large["id"], "url": "http://example.org/" + "x" * 1900,
                "token": "t" * 4000,
                "authentication": {"scheme": "Bearer", "credentials": "c" * 4000}})
            has(big.json["error"]["message"], "larger than 8192 bytes")
            c.result("CancelTask", {"id": large["id"]})


@case
def a_webhook_that_never_takes_an_update_is_given_up(root):
    """limits.push_tries and limits.push_keep_ms."""
    for limit in ("push_tries = 3", "push_keep_ms = 10"):
        user_config(root, FAST + limit + "\n")
        with serve(root) as server, Webhook(plan=[500] * 100) as hook:
            c = client(server)
            task = work(c, hook.url)
            seen = wait_for("attempts", lambda: len(hook.got))
            if "tries" in limit:
                seen = wait_for("three attempts", lambda: len(hook.got) == 3 and 3)
            # the configuration is still listed, but nothing more is sent for it
            equal(len(c.result("ListTaskPushNotificationConfigs",
                               {"taskId": task["id"]})["configs"]), 1)
            with Webhook() as other:
                work(c, other.url)
                other.wait_for_end()
            equal(len(hook.got) <= max(seen, 3), True)


@case
def push_can_be_turned_off(root):
    user_config(root, ON + "push = false\n")
    with serve(root) as server:
        c = client(server)
        card = c.ask("GET", "/.well-known/agent-card.json").json
        equal(card["capabilities"]["pushNotifications"], False)
        task = c.work("/ask more?")
        for method in ("CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig",
                       "ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig"):
            equal(c.call(method, {"taskId": task["id"], "id": "x",
                                  "url": "http://example.org/"}).code, -32003)
        equal(c.call("SendMessage", {
            "message": message("/echo x"),
            "configuration": {"taskPushNotificationConfig": {"url": "http://example.org/"}}}).code,
            -32003)


main()
