/*
 * diff.h - writes replacements in a text as a unified diff.
 *
 * The positions of the edits are known, so only the lines that they touch are compared. Pure.
 */
#ifndef TOOL_FILE_DIFF_H
#define TOOL_FILE_DIFF_H

#include "base/buf.h"

/* A replacement: `text` replaces the bytes of the old text from `from` to before `to`. */
struct diff_edit {
    size_t from, to;
    struct str text;
};

/*
 * Write a diff of the file `path`, whose text is `old`. The edits must be in order and not overlap.
 * If no line changes, nothing is written.
 */
void diff_put(struct buf *out, struct arena *mem, struct str path, struct str old,
              const struct diff_edit *edit, size_t edits);

#endif
