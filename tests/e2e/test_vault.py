"""Read-only mode: writing tools change nothing but what lies inside .vault/, whatever links lead
out of it and however calls race."""
import json
import os

from harness import AUTO, Stdio, case, equal, has, main, run

MAIN = "int main(void) { return 0; }\n"
HEAD = '[guard]\nmode = "read-only"\n[mcp]\nmode = "read-write"\n' + AUTO
WRITES = 40


def make_root(root):
    """A project with sources, in read-only mode; its .vault/ came with it and holds links."""
    user = root / "user/trefoil"
    user.mkdir(parents=True)
    (user / "config.toml").write_text(HEAD)
    project = root / "project"
    (project / "src").mkdir(parents=True)
    (project / "src/main.c").write_text(MAIN)
    (project / ".vault/real").mkdir(parents=True)
    (project / ".vault/real/file").write_text("draft")
    return project


def source_is_untouched(project):
    equal(sorted(os.listdir(project / "src")), ["main.c"])
    equal((project / "src/main.c").read_text(), MAIN)


def start(root, project):
    return Stdio(root=project, XDG_CONFIG_HOME=str(root / "user"))


def call(tool, **arguments):
    return {"name": tool, "arguments": arguments}


def text(answer):
    if "error" in answer:
        return answer["error"]["message"]
    return answer["result"]["content"][0]["text"]


def failed(answer):
    return "error" in answer or answer["result"].get("isError", False)


def burst(t, calls):
    """All calls in one write; their answers by index."""
    t.send(b"".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": "tools/call",
                                "params": c}).encode() + b"\n" for i, c in enumerate(calls)))
    answers = [t.receive() for _ in calls]
    return [a for _, a in sorted((a["id"], a) for a in answers)]


@case
def every_writing_tool_works_inside_the_vault(root):
    project = make_root(root)
    vault = project / ".vault"
    with start(root, project) as t:
        t.initialize()
        for c in (call("dir_make", path=".vault/made/deep"),
                  call("file_write", path=".vault/made/a", content="one"),
                  call("file_write", path=".vault/new/b", content="two", parents=True),
                  call("file_edit", path=".vault/made/a", old_text="one", new_text="1"),
                  call("file_move", **{"from": ".vault/made/a", "to": ".vault/moved/a",
                                       "parents": True}),
                  call("file_write", path="src/../.vault/c", content="three"),
                  call("file_delete", path=".vault/real", recursive=True)):
            equal((c, failed(t.call("tools/call", c))), (c, False))
    equal((vault / "moved/a").read_text(), "1")
    equal((vault / "new/b").read_text(), "two")
    equal((vault / "c").read_text(), "three")
    equal(((vault / "made/deep").is_dir(), (vault / "real").exists()), (True, False))
    source_is_untouched(project)


@case
def no_link_inside_the_vault_leads_a_write_out_of_it(root):
    project = make_root(root)
    vault = project / ".vault"
    (vault / "folder").symlink_to("../src")
    (vault / "file").symlink_to("../src/main.c")
    (vault / "dangling").symlink_to("../src/new.c")
    (vault / "real/up").symlink_to("../..")
    with start(root, project) as t:
        t.initialize()
        for c in (call("file_write", path=".vault/folder/main.c", content="x"),
                  call("file_write", path=".vault/folder/new.c", content="x"),
                  call("file_write", path=".vault/folder/a/new.c", content="x", parents=True),
                  call("file_write", path=".vault/file", content="x"),
                  call("file_write", path=".vault/dangling", content="x"),
                  call("file_write", path=".vault/dangling", content="x", only_new=True),
                  call("file_write", path=".vault/real/up/src/main.c", content="x"),
                  call("file_edit", path=".vault/folder/main.c", old_text="0", new_text="1"),
                  call("file_edit", path=".vault/file", old_text="0", new_text="1"),
                  call("file_move", **{"from": ".vault/real/file", "to": ".vault/folder/new.c"}),
                  call("file_move", **{"from": ".vault/real/file", "to": ".vault/folder/main.c",
                                       "replace": True}),
                  call("file_move", **{"from": ".vault/folder/main.c", "to": ".vault/stolen"}),
                  call("file_delete", path=".vault/folder/main.c"),
                  call("file_delete", path=".vault/real/up/src", recursive=True),
                  call("dir_make", path=".vault/folder/made"),
                  call("dir_make", path=".vault/folder/made/deep")):
            equal((c, failed(t.call("tools/call", c))), (c, True))
            source_is_untouched(project)
    equal((vault / "real/file").read_text(), "draft")


@case
def a_vault_that_is_itself_a_link_is_no_vault(root):
    project = make_root(root)
    (project / ".vault").rename(project / "elsewhere")
    (project / ".vault").symlink_to("src")
    with start(root, project) as t:
        t.initialize()
        for c in (call("file_write", path=".vault/main.c", content="x"),
                  call("file_write", path=".vault/new.c", content="x"),
                  call("dir_make", path=".vault/made"),
                  call("file_delete", path=".vault/main.c")):
            equal((c, failed(t.call("tools/call", c))), (c, True))
    source_is_untouched(project)


@case
def a_folder_that_becomes_a_link_before_the_write_does_not_lead_it_out(root):
    """The writes are judged while .vault/a does not exist; then the move puts a link there."""
    project = make_root(root)
    (project / ".vault/trap").mkdir()
    (project / ".vault/trap/w").symlink_to("../../src")
    with start(root, project) as t:
        t.initialize()
        for n in range(100):  # until the move comes before the first write that makes folders
            calls = [call("file_move", **{"from": ".vault/trap", "to": f".vault/a{n}"})]
            calls += [call("file_write", path=f".vault/a{n}/w/main.c", content=f"x{i}", parents=i % 2 == 0)
                      for i in range(WRITES)]
            moved = not failed(burst(t, calls)[0])
            source_is_untouched(project)
            if moved:
                break
        equal(moved, True)
        has(text(t.call("tools/call", call("file_write", path=f".vault/a{n}/w/main.c", content="x"))),
            "read-only")


@case
def writes_that_race_with_moves_of_links_stay_inside(root):
    """The folder of the writes and one with a link take turns under the same name."""
    project = make_root(root)
    vault = project / ".vault"
    (vault / "trap").mkdir()
    (vault / "trap/w").symlink_to("../../src")
    (vault / "a/w").mkdir(parents=True)
    with start(root, project) as t:
        t.initialize()
        for _ in range(10):
            calls = []
            for i in range(WRITES):
                names = ("a", "b", "trap", "a") if i % 8 == 0 else ("a", "trap", "b", "a")
                if i % 4 == 0:
                    calls += [call("file_move", **{"from": f".vault/{names[0]}",
                                                   "to": f".vault/{names[1]}"}),
                              call("file_move", **{"from": f".vault/{names[2]}",
                                                   "to": f".vault/{names[3]}"})]
                calls += [call("file_write", path=".vault/a/w/main.c", content="x"),
                          call("dir_make", path=".vault/a/w/made"),
                          call("file_delete", path=".vault/a/w/main.c")]
            burst(t, calls)
            source_is_untouched(project)


@case
def a_write_outside_is_refused_with_the_mode(root):
    project = make_root(root)
    with start(root, project) as t:
        t.initialize()
        answer = t.call("tools/call", call("file_write", path="src/main.c", content="x"))
        has(text(answer), "read-only")
        answer = t.call("tools/call", call("file_move", **{"from": ".vault/real/file",
                                                           "to": "src/new.c"}))
        has(text(answer), "read-only")
    source_is_untouched(project)
    answer = run("explain", "file_write", '{"path":".vault/real/new"}', root=project,
                 XDG_CONFIG_HOME=str(root / "user"))
    equal(answer.returncode, 0)


main()
