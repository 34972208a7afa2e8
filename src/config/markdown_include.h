/*
 * markdown_include.h - expand the includes of a Markdown file.
 *
 * A line with only @path/to/file.md includes that file. The path is relative to the folder of the
 * including file, else to the root; includes may be nested. Only files below the root are read,
 * regardless of links and "..". An include cycle, too many levels, and more text than prompt_bytes
 * are errors that name file and line. A word without dot and slash (@everyone) is not a path, and
 * fenced code is not expanded.
 */
#ifndef CONFIG_MARKDOWN_INCLUDE_H
#define CONFIG_MARKDOWN_INCLUDE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "loop/file.h"

struct include_opts {
    const char *root; /* absolute */
    const struct limits *limits;
};

/*
 * Expand the includes in `text`, which is in `file` (relative to the root) from line `line`; `id`
 * identifies that file, or is NULL. Text without includes is returned unchanged and borrowed.
 */
bool include_resolve(struct arena *mem, const struct include_opts *opts, const char *file,
                     const struct file_id *id, uint32_t line, struct str text, struct str *out,
                     struct err *e);

/* Read a file below the root with its includes. `id` may be NULL. */
bool include_read(struct arena *mem, const struct include_opts *opts, const char *file,
                  struct str *out, struct file_id *id, struct err *e);

#endif
