"""`trefoil acp` with an editor that gives its files and terminals."""
import os
import pathlib
import re
import subprocess
import threading

from acp_client import Acp, AcpError, chooses
from harness import TREFOIL, case, equal, has, main, wait_for

FILES = {"fs": {"readTextFile": True, "writeTextFile": True}}
ALL = {**FILES, "terminal": True}


class Editor(Acp):
    """An editor with unsaved buffers and terminals that really run their commands."""

    def __init__(self, root, capabilities=ALL, **more):
        self.buffers = {}
        self.terminals = {}
        self.created = []
        self.released = []
        super().__init__(root=root, capabilities=capabilities, **more)
        self.answers.update({
            "fs/read_text_file": self.read, "fs/write_text_file": self.write,
            "terminal/create": self.create, "terminal/output": self.output,
            "terminal/wait_for_exit": self.wait_for_exit, "terminal/kill": self.kill,
            "terminal/release": self.release})

    def read(self, params):
        path = params["path"]
        if path in self.buffers:
            return {"content": self.buffers[path]}
        try:
            return {"content": pathlib.Path(path).read_text()}
        except FileNotFoundError:
            return AcpError({"code": -32002, "message": "no such file"})

    def write(self, params):
        self.buffers[params["path"]] = params["content"]
        return {}

    def create(self, params):
        self.created.append(params)
        env = {v["name"]: v["value"] for v in params["env"]}
        ident = f"term-{len(self.created)}"
        self.terminals[ident] = subprocess.Popen(
            [params["command"], *params["args"]], cwd=params["cwd"], env=env,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True)
        self.terminals[ident].text = b""
        threading.Thread(target=self.collect, args=(self.terminals[ident],), daemon=True).start()
        return {"terminalId": ident}

    @staticmethod
    def collect(process):
        for data in iter(lambda: os.read(process.stdout.fileno(), 4096), b""):
            process.text += data
        process.wait()
        process.finished = True

    def output(self, params):
        process = self.terminals[params["terminalId"]]
        if getattr(process, "finished", False):
            return {"output": process.text.decode(), "truncated": False,
                    "exitStatus": {"exitCode": process.returncode}}
        return {"output": process.text.decode(), "truncated": False}

    def wait_for_exit(self, params):
        process = self.terminals[params["terminalId"]]
        wait_for("the end of the command", lambda: getattr(process, "finished", False))
        if process.returncode < 0:
            return {"signal": "SIGKILL"}
        return {"exitCode": process.returncode}

    def kill(self, params):
        self.terminals[params["terminalId"]].kill()
        return {}

    def release(self, params):
        self.released.append(params["terminalId"])
        process = self.terminals[params["terminalId"]]
        if process.poll() is None:
            process.kill()
        return {}


def result_of(acp):
    """The last update of the last tool call."""
    return acp.updates(kind="tool_call_update")[-1]


@case
def what_is_read_is_the_unsaved_buffer(root):
    (root / "a.txt").write_text("saved\n")
    with Editor(root) as acp:
        acp.buffers[str(root / "a.txt")] = "not saved yet\n"
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call file_read {"path":"a.txt"}')
        has(acp.text(session), "not saved yet")


@case
def what_is_edited_is_the_buffer(root):
    (root / "a.txt").write_text("one\ntwo\n")
    with Editor(root) as acp:
        acp.buffers[str(root / "a.txt")] = "one\nthree\n"
        session = acp.new()["sessionId"]
        edit = '/call file_edit {"path":"a.txt","old_text":"three","new_text":"four"}'
        equal(acp.prompt(session, edit), "end_turn")
        equal(acp.buffers[str(root / "a.txt")], "one\nfour\n")
        equal((root / "a.txt").read_text(), "one\ntwo\n")
        diff = [c for c in result_of(acp)["content"] if c["type"] == "diff"]
        equal(diff, [{"type": "diff", "path": str(root / "a.txt"), "oldText": "one\nthree\n",
                      "newText": "one\nfour\n"}])


@case
def a_new_file_is_on_the_disk_and_in_the_editor(root):
    with Editor(root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call file_write {"path":"new/b.txt","content":"x","parents":true}')
        equal((root / "new/b.txt").read_text(), "x")
        equal(acp.buffers[str(root / "new/b.txt")], "x")
        equal(result_of(acp)["content"][0]["oldText"], None)


@case
def a_write_that_the_editor_rejects_fails_with_its_reason(root):
    (root / "a.txt").write_text("old")
    with Editor(root) as acp:
        acp.answers["fs/write_text_file"] = lambda params: AcpError(
            {"code": -32603, "message": "the buffer is locked"})
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call file_write {"path":"a.txt","content":"new"}')
        equal(result_of(acp)["status"], "failed")
        has(str(result_of(acp)["content"]), "the buffer is locked")
        equal((root / "a.txt").read_text(), "old")


@case
def an_editor_that_cannot_read_a_file_leaves_it_to_the_disk(root):
    (root / "a.txt").write_text("from the disk")
    with Editor(root) as acp:
        acp.answers["fs/read_text_file"] = lambda params: AcpError(
            {"code": -32603, "message": "not open"})
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call file_read {"path":"a.txt"}')
        has(acp.text(session), "from the disk")


@case
def a_link_out_of_the_root_is_not_followed(root):
    (root / "link").symlink_to("/etc/hostname")
    with Editor(root) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call file_read {"path":"link"}')
        equal(result_of(acp)["status"], "failed")
        equal([m for m in acp.messages if m.get("method") == "fs/read_text_file"], [])


@case
def without_the_capability_the_editor_is_not_asked(root):
    (root / "a.txt").write_text("from the disk")
    with Editor(root, capabilities={"fs": {"readTextFile": False}}) as acp:
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call file_read {"path":"a.txt"}')
        has(acp.text(session), "from the disk")
        acp.prompt(session, '/call file_write {"path":"a.txt","content":"new"}')
        equal((root / "a.txt").read_text(), "new")
        equal([m["method"] for m in acp.messages if "id" in m and "method" in m], [])


@case
def a_command_runs_in_the_terminal_of_the_editor_in_its_sandbox(root):
    with Editor(root) as acp:
        session = acp.new()["sessionId"]
        equal(acp.prompt(session, '/call shell_exec {"command":"echo here; pwd","shell":true}'),
              "end_turn")
        made = acp.created[0]
        equal(made["command"], os.path.realpath(TREFOIL))
        equal(made["args"][:5], ["sandbox", "--root", str(root), "--profile", "workspace"])
        equal(made["args"][-3:], ["/bin/sh", "-c", "echo here; pwd"])
        shown = [u for u in acp.updates(kind="tool_call_update")
                 if {"type": "terminal", "terminalId": "term-1"} in u.get("content", [])]
        equal(len(shown), 2)  # when it was created, and at the end
        has(acp.text(session), "here\n")
        equal(result_of(acp)["status"], "completed")
        equal(acp.released, ["term-1"])


@case
def a_cancelled_command_is_killed_and_its_terminal_released(root):
    with Editor(root) as acp:
        session = acp.new()["sessionId"]
        acp.answers["terminal/wait_for_exit"] = lambda params: None
        prompt = acp.prompt_start(session, '/call shell_exec {"argv":["sleep","600"]}')
        acp.until(lambda m: m.get("method") == "terminal/wait_for_exit")
        acp.notify("session/cancel", sessionId=session)
        equal(acp.wait(prompt)["stopReason"], "cancelled")
        acp.until(lambda m: m.get("method") == "terminal/release")
        equal(acp.released, ["term-1"])
        equal(result_of(acp)["status"], "failed")


@case
def a_terminal_that_cannot_be_created_fails_the_call(root):
    with Editor(root) as acp:
        acp.answers["terminal/create"] = lambda params: AcpError(
            {"code": -32603, "message": "too many terminals"})
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call shell_exec {"argv":["true"]}')
        equal(result_of(acp)["status"], "failed")
        has(str(result_of(acp)["content"]), "too many terminals")


@case
def a_background_process_is_polled_and_ends_with_its_session(root):
    with Editor(root) as acp:
        session = acp.new()["sessionId"]
        acp.answers["terminal/wait_for_exit"] = lambda params: None
        acp.prompt(session, '/call process_start {"command":"echo ready; sleep 600","shell":true}')
        ident = re.search(r"[0-9a-f]{16}", acp.text(session)).group()
        equal(acp.created[0]["cwd"], str(root))
        acp.forget()
        acp.prompt(session, f'/call process_poll {{"id":"{ident}","wait_ms":20000}}')
        has(acp.text(session), "ready")
        acp.call("session/close", sessionId=session)
        equal(acp.released, ["term-1"])


@case
def output_that_the_terminal_has_dropped_is_marked(root):
    with Editor(root) as acp:
        acp.answers["terminal/output"] = lambda params: {"output": "the end", "truncated": True}
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call shell_exec {"argv":["true"]}')
        has(acp.text(session), "earlier output is missing")
        has(acp.text(session), "the end")


@case
def the_end_of_a_command_is_told_as_the_editor_tells_it(root):
    for answer, said in (({"signal": "SIGTERM"}, "signal 15"), ({"exitCode": 3}, "code 3"),
                         ({}, "does not say"),
                         (AcpError({"code": 1, "message": "gone"}), "has lost the terminal")):
        with Editor(root) as acp:
            acp.answers["terminal/wait_for_exit"] = lambda params, answer=answer: answer
            session = acp.new()["sessionId"]
            acp.prompt(session, '/call shell_exec {"argv":["true"]}')
            has(acp.text(session), said)
            equal(acp.released, ["term-1"])


@case
def an_edit_of_a_text_that_has_changed_since_fails(root):
    (root / "a.txt").write_text("one\n")
    texts = iter(["one\n", "somebody else\n", "somebody else\n"])
    with Editor(root) as acp:
        acp.answers["fs/read_text_file"] = lambda params: {"content": next(texts)}
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call file_edit {"path":"a.txt","old_text":"one","new_text":"two"}')
        equal(result_of(acp)["status"], "failed")
        has(str(result_of(acp)["content"]), "was changed by another program")
        equal(acp.buffers, {})


@case
def a_command_outside_the_sandbox_needs_permission(root):
    with Editor(root) as acp:
        asked = []
        acp.answers["session/request_permission"] = chooses("reject_once", asked)
        session = acp.new()["sessionId"]
        acp.prompt(session, '/call shell_exec {"argv":["true"],"sandbox":"off"}')
        equal(len(asked), 1)
        equal(acp.created, [])
        equal(result_of(acp)["status"], "failed")


main()
