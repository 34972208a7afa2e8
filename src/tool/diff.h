/*
 * diff.h - replacements in a text, shown as a unified diff.
 *
 * The places are known, so nothing has to be compared but the lines they touch. Pure.
 */
#ifndef TOOL_DIFF_H
#define TOOL_DIFF_H

#include "base/buf.h"

/* Bytes [from, to) of the old text become `text`. */
struct diff_edit {
    size_t from, to;
    struct str text;
};

/* Edits in order, none overlapping. Nothing is put when no line changes. */
void diff_put(struct buf *out, struct arena *mem, struct str path, struct str old,
              const struct diff_edit *edit, size_t edits);

#endif
