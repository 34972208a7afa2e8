"""The shell blocks of a Markdown file: what a reader can paste.

A block without a language, or marked sh, is for a shell. A comment on the line before it says why it
is not run by tests (the reason is required), or that it needs a model:

    <!-- not run: needs npx and the network -->
    <!-- with a model -->
"""
import collections
import re

Block = collections.namedtuple("Block", "line text reason model")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NOT_RUN = re.compile(r"<!-- not run: (.{10,}) -->$")


def blocks(text):
    """The shell blocks in order; `reason` is empty for those that tests run."""
    found = []
    for match in FENCE.finditer(text):
        if match.group(1) in ("", "sh"):
            before = text[:match.start()].rstrip("\n").rpartition("\n")[2]
            reason = NOT_RUN.match(before)
            found.append(Block(text.count("\n", 0, match.start()) + 2, match.group(2),
                               reason.group(1) if reason else "", before == "<!-- with a model -->"))
    return found
