/*
 * credentials.h - credential files of a program in the sandbox profile `agent`.
 *
 * Such a program has a home folder of its own, and the user's secrets are hidden from it. The files
 * that it needs to log in are copied into its home folder before it starts. If the program refreshes
 * a token, its file is copied back when it has ended, but only if the user's file is still what was
 * copied in. If both have changed, the user's file stays.
 *
 * The folder PRIVATE_DIR.given keeps what was copied in; the program cannot write there. If trefoil
 * is killed, the next credentials_copy_in copies back first, so that a refreshed token is not lost.
 * The folder is deleted together with the home folder (state/agent_homes.h).
 *
 * The functions block.
 */
#ifndef STATE_CREDENTIALS_H
#define STATE_CREDENTIALS_H

#include "base/err.h"

#include <stddef.h>

enum { CREDENTIALS_BYTES = 1 << 20 }; /* most bytes of a file */

struct credentials {
    const char *home, *private_dir; /* absolute paths */
    const char *const *name;        /* relative to both, such as ".codex/auth.json" */
    size_t names;
    bool json; /* only a file that still is a JSON object is copied back */
};

/* Check the names. ERR_INVALID: one is absolute, is empty, or has a part that is empty, "." or "..". */
bool credentials_check(const struct credentials *c, struct err *e);

/* Copy the user's files in. A file that does not exist is skipped. */
bool credentials_copy_in(const struct credentials *c, struct err *e);

/*
 * Copy back what the program has changed. A file that the program has deleted, or replaced by
 * something else than a file, is not. ERR_DENIED: the user's file has changed as well and was
 * kept; ERR_INVALID: a file is not a JSON object any more (c->json). The other files were copied.
 */
bool credentials_copy_back(const struct credentials *c, struct err *e);

/*
 * Copy files in that are never copied back: settings, which can name programs that the user's own
 * program would run without a sandbox.
 */
bool credentials_copy_settings(const struct credentials *c, struct err *e);

#endif
