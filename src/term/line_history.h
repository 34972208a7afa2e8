/*
 * line_history.h - lines that were typed before, in memory and in a file of the user's.
 *
 * The newest are kept, so many and so many bytes. A line that begins with a space is nobody's
 * business and is not kept; nor is one that repeats the one before it.
 *
 * In the file a line is a line: a line end inside is written \n, a backslash \\.
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
 * Read what is in the file (none: nothing) behind what is there. Of one that has grown too large
 * the end is read, and it is made shorter. Blocks.
 */
bool line_history_load(struct line_history *h, const char *path, struct err *e);

/* Write one more line to the file, which is made (0600) where it is not there. Blocks shortly. */
bool line_history_append(const char *path, struct str line, struct err *e);

#endif
