"""How messages on stdin and stdout are told apart: by lines, by Content-Length, and by what was forced."""
import json

from harness import Stdio, case, equal, has, main, run

PING = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}'


def framed(body):
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def answer(t):
    """The next message: (framing, message)."""
    line = t.process.stdout.readline()
    if not line.lower().startswith(b"content-length:"):
        return "line", json.loads(line)
    while (header := t.process.stdout.readline()) != b"\r\n":
        has(header, b":")
    return "header", json.loads(t.process.stdout.read(int(line.split(b":")[1])))


def ask(t, data):
    t.send(data)
    framing, message = answer(t)
    return framing, message.get("id")


@case
def each_message_is_answered_in_the_framing_it_came_in(root):
    for words in ((), ("--framing", "auto")):
        with Stdio(*words, root=root) as t:
            for n, (data, framing) in enumerate((
                    (PING % 0 + b"\n", "line"), (framed(PING % 1), "header"),
                    (b"\n \r\n\t" + PING % 2 + b"\n", "line"),
                    (b"content-type: application/json\r\n" + framed(PING % 3), "header"),
                    (b"CONTENT-LENGTH:%d\n\n%s" % (len(PING % 4), PING % 4), "header"),
                    (PING % 5 + b"\r\n", "line"))):
                equal((n, ask(t, data)), (n, (framing, n)))


@case
def a_message_that_begins_with_a_bracket_is_a_line(root):
    with Stdio(root=root) as t:
        equal(ask(t, framed(PING % 1)), ("header", 1))
        t.send(b"[" + PING % 2 + b"]\n")
        framing, message = answer(t)
        equal(framing, "line")
        assert isinstance(message, list) or "error" in message, message
        equal(ask(t, framed(PING % 3)), ("header", 3))


@case
def lines_may_be_forced(root):
    with Stdio("--framing", "line", root=root) as t:
        equal(ask(t, PING % 1 + b"\n"), ("line", 1))
        body = PING % 2 + b"\n"
        t.send(b"Content-Length: %d\r\n%s" % (len(body), body))
        answers = [answer(t) for _ in range(2)]
        equal([framing for framing, _ in answers], ["line", "line"])
        has(answers[0][1], "error")
        equal(answers[1][1]["id"], 2)


@case
def headers_may_be_forced(root):
    with Stdio("--framing", "header", root=root) as t:
        equal(ask(t, framed(PING % 1)), ("header", 1))
        t.send(PING % 2 + b"\n")  # no header: the answer says so, with one
        framing, message = answer(t)
        equal((framing, "error" in message), ("header", True))
        equal(ask(t, framed(PING % 3)), ("header", 3))


@case
def no_other_word_is_accepted(root):
    for word in ("x", "", "lines"):
        done = run("mcp", "--scope", "tools", "--framing", word, root=root, stdin=b"")
        equal((word, done.returncode, done.stdout), (word, 2, b""))


main()
