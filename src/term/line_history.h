/*
 * line_history.h - previously typed lines, in memory and in a file of the user.
 *
 * Keeps the newest lines, up to lines_most lines and bytes_most bytes. A line that begins with a
 * space is private and not kept. A line that is equal to the previous one is not kept either.
 *
 * The file has one line per entry: a line break inside an entry is written as \n, and a backslash
 * as \\.
 */
#ifndef TERM_LINE_HISTORY_H
#define TERM_LINE_HISTORY_H

#include "base/err.h"
#include "base/str.h"

struct line_history {
    struct str *line; /* oldest first */
    size_t n, room;
    size_t bytes;      /* total size of the lines */
    size_t lines_most; /* limits.chat_history_lines */
    size_t bytes_most; /* limits.chat_history_bytes; also the limit of the file */
};

void line_history_init(struct line_history *h, size_t lines_most, size_t bytes_most);
void line_history_fini(struct line_history *h);

/* Add a line. False: it is not kept. */
bool line_history_add(struct line_history *h, struct str line);

/*
 * Append the entries of the file, if it exists. If the file is too large, it is truncated at its
 * beginning, and only the rest is read. Blocks.
 */
bool line_history_load(struct line_history *h, const char *path, struct err *e);

/* Append a line to the file. A missing file is created (0600). Blocks for a short time. */
bool line_history_append(const char *path, struct str line, struct err *e);

#endif
