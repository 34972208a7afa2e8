"""Which words of an answer are the paths of files that a task made: the folders and endings that count,
what may stand before and after a path, and one sorted list with what tools wrote."""
import json
import pathlib
import shlex

from harness import case, equal, main
from model_mock import Mock, calls, environment_for, says
from task_client import Local, read_write

ALLOWED = '[guard.permission]\nexecute = "auto"\ndelete = "auto"\n'
FOLDERS = (".vault", ".vaultspec", "src", "crates", "tests", "test")
ENDINGS = (".md", ".rs", ".toml", ".py")


def artifacts(root, answer, *made):
    """The artifacts of a task that makes these files and answers this."""
    pathlib.Path(root, "answer").write_text(answer)
    folders = " ".join(shlex.quote(str(pathlib.Path(path).parent)) for path in made)
    files = " ".join(map(shlex.quote, made))
    script = f"mkdir -p {folders}; touch {files}; cat answer" if made else "cat answer"
    with Local(*read_write(ALLOWED), root=root) as t:
        done = t.end(t.dispatch("/call shell_exec " + json.dumps({"command": script, "shell": True})))
    equal(done["status"], "completed")
    return done["result"]["artifacts"]


@case
def paths_below_the_folders_of_a_project_count(root):
    inside = [f"{folder}/{name}" for folder in FOLDERS for name in ("x.txt", "deep/er/y")]
    outside = ["lib/src/x.txt", "mysrc/x.txt", "docs/x.txt", "x.txt"]
    equal(artifacts(root, "made " + " ".join(inside + outside), *inside, *outside), sorted(inside))


@case
def files_with_known_endings_count_anywhere(root):
    known = [f"{where}name{ending}" for where in ("", "docs/", "a/b/c/") for ending in ENDINGS]
    others = ["docs/name.mdx", "docs/name.c", "name.txt", "name.pyc", "md"]
    equal(artifacts(root, "made " + " ".join(known + others), *known, *others), sorted(known))


@case
def a_path_begins_after_space_quote_backtick_or_bracket(root):
    before = ["", "\n", " ", "\t", '"', "'", "`", "("]
    paths = [f"src/begin{n}.txt" for n in range(len(before))]
    answer = "\n".join(b + path for b, path in zip(before, paths))
    equal(artifacts(root, answer, *paths), sorted(paths))
    wrong = [f"src/wrong{n}.txt" for n in range(6)]
    answer = " ".join(b + path for b, path in zip("=/-[<x", wrong))
    equal(artifacts(root, answer, *wrong), [])


@case
def a_path_ends_before_space_quote_backtick_bracket_or_punctuation(root):
    after = ["", "\n", " ", "\t", '"', "'", "`", ")", ",", ";", ":"]
    paths = [f"src/end{n}.txt" for n in range(len(after))]
    answer = " ".join(path + a + " next" for a, path in zip(after, paths)) + " " + paths[0]
    equal(artifacts(root, answer, *paths), sorted(paths))
    wrong = [f"src/wrong{n}.md" for n in range(6)]
    answer = " ".join(path + a for a, path in zip("=]>|(x", wrong))
    equal(artifacts(root, answer, *wrong), [])


@case
def what_tools_wrote_and_what_the_answer_names_is_one_sorted_list(root):
    mock = Mock()
    env = environment_for(mock, "anthropic", root.with_name(root.name + ".user"),
                          '[mcp]\nmode = "read-write"\n' + ALLOWED)
    words = mock.play(
        "write it all", calls(("file_write", {"path": "src/z.c", "content": "z", "parents": True}),
                              ("file_write", {"path": "notes.txt", "content": "n"})),
        calls(("shell_exec", {"argv": ["touch", "src/a.c", "b.md"]})),
        says("See src/z.c, `src/a.c`, b.md and src/z.c again, with src/a.c."))
    with Local(root=root, **{**env, "TREFOIL_PROVIDER": "anthropic"}) as t:
        done = t.end(t.dispatch(words))
    equal(done["result"]["artifacts"], ["b.md", "notes.txt", "src/a.c", "src/z.c"])


@case
def files_neither_named_nor_written_by_tools_are_not_listed(root):
    made = ["src/unnamed.c", "unnamed.md", ".vault/unnamed", "src/named.c"]
    equal(artifacts(root, "I made src/named.c", *made), ["src/named.c"])
    equal(artifacts(root, "I made all of them", *made), [])


main()
