/*
 * line_history.h - previously typed lines, in memory and in a file of the user.
 *
 * Keeps the newest lines, up to a number of lines and of bytes. A line that begins with a space is
 * private and not kept; neither is a line that repeats the previous one.
 *
 * The file has one line per entry: a line break inside an entry is written \n, a backslash \\.
 */
#ifndef TERM_LINE_HISTORY_H
#define TERM_LINE_HISTORY_H

#include "base/err.h"
#include "base/str.h"

struct line_history {
    struct str *line; /* oldest first */
    size_t n, room;
    size_t bytes;      /* of all lines */
    size_t lines_most; /* limits.chat_history_lines */
    size_t bytes_most; /* limits.chat_history_bytes; of the file too */
};

void line_history_init(struct line_history *h, size_t lines_most, size_t bytes_most);
void line_history_fini(struct line_history *h);

/* False: it is not kept. */
bool line_history_add(struct line_history *h, struct str line);

/*
 * Append the entries of the file, if it exists. Of a file that is too large only the end is read,
 * and the file is shortened. Blocks.
 */
bool line_history_load(struct line_history *h, const char *path, struct err *e);

/* Append a line to the file. A missing file is created (0600). Blocks for a short time. */
bool line_history_append(const char *path, struct str line, struct err *e);

#endif
