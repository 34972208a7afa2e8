/*
 * markdown_include.h - expands the includes of a Markdown file.
 *
 * A line that consists of @path/to/file.md includes that file. The path is relative to the folder
 * of the including file or, if there is no such file, to the root. Includes may be nested. A file
 * outside the root is never read, not even through a link or "..". An include cycle, too many
 * levels, and more text than limits.prompt_bytes are errors that name the file and the line. A word
 * without a dot or slash (@everyone) is not a path. Includes in fenced code are not expanded.
 */
#ifndef CONFIG_MARKDOWN_INCLUDE_H
#define CONFIG_MARKDOWN_INCLUDE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "loop/file.h"

struct include_opts {
    const char *root; /* absolute path of the root folder */
    const struct limits *limits;
};

/*
 * Expand the includes in `text`, which begins at line `line` of `file` (relative to the root). `id`
 * identifies that file, or is NULL. If `text` has no includes, *out borrows `text`.
 */
bool include_resolve(struct arena *mem, const struct include_opts *opts, const char *file,
                     const struct file_id *id, uint32_t line, struct str text, struct str *out,
                     struct err *e);

/*
 * Read a file below the root and expand its includes. If `id` is not NULL, *id is set to the
 * identity of the file.
 */
bool include_read(struct arena *mem, const struct include_opts *opts, const char *file,
                  struct str *out, struct file_id *id, struct err *e);

#endif
