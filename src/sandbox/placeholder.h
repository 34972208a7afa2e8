/*
 * placeholder.h - files that exist only to be read-only in the sandbox.
 *
 * A path that does not exist cannot be protected by a mount. If a process in the sandbox must not
 * create a file at the path, the keeper creates a placeholder there, with a text that means nothing
 * to the programs that read it, and removes it when no sandbox needs it any more.
 */
#ifndef SANDBOX_PLACEHOLDER_H
#define SANDBOX_PLACEHOLDER_H

#include "base/arena.h"
#include "base/err.h"

struct placeholder;

/*
 * Create a placeholder, unless the path exists, and add it to the list; `path` and `text` (less than
 * 128 bytes) are not copied. True without one: a file of others is at the path, or no file can be
 * created there, by the sandbox neither.
 */
bool placeholder_hold(struct arena *mem, struct placeholder **list, const char *path,
                      const char *text, struct err *e);

/* Remove those that no other keeper holds. Call it when all processes of the sandbox are gone. */
void placeholders_release(struct placeholder *list);

#endif
