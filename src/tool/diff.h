/*
 * diff.h - replacements in a text, shown as a unified diff.
 *
 * The positions of the edits are known, so only the lines that they touch are compared. Pure.
 */
#ifndef TOOL_DIFF_H
#define TOOL_DIFF_H

#include "base/buf.h"

/* Bytes [from, to) of the old text become `text`. */
struct diff_edit {
    size_t from, to;
    struct str text;
};

/* The edits are in order and do not overlap. If no line changes, nothing is written. */
void diff_put(struct buf *out, struct arena *mem, struct str path, struct str old,
              const struct diff_edit *edit, size_t edits);

#endif
