"""What shim.c does to a trefoil, said from outside: when it dies, how writing fails, what time it is."""
import mmap
import os
import struct

WORDS = ("clock_ms", "error", "kill_at", "kill_in", "kill_kind", "instants", "commits", "died", "open")
# Kinds of instants.
BEFORE_WRITE, WITHIN_WRITE, AFTER_WRITE, BEFORE_SYNC, AFTER_SYNC, AT_CUT = range(1, 7)


class Shim:
    """The page that is shared with a program; its words are attributes."""

    def __init__(self, library, path):
        object.__setattr__(self, "path", str(path))
        object.__setattr__(self, "library", os.path.abspath(library))
        with open(path, "w+b") as file:
            file.truncate(mmap.PAGESIZE)
            object.__setattr__(self, "page", mmap.mmap(file.fileno(), mmap.PAGESIZE))

    def __getattr__(self, name):
        return struct.unpack_from("<q", self.page, 8 * WORDS.index(name))[0]

    def __setattr__(self, name, value):
        struct.pack_into("<q", self.page, 8 * WORDS.index(name), value)

    def clear(self):
        for name in WORDS:
            setattr(self, name, 0)

    def env(self):
        """The variables of a program that is to have it."""
        asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        return {"LD_PRELOAD": self.library, "SHIM_PAGE": self.path, "ASAN_OPTIONS": asan}
