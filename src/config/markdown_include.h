/*
 * markdown_include.h - Markdown with the files it names put in.
 *
 * A line that holds nothing but @path/to/file.md stands for that file. The path counts from the
 * folder of the file it stands in, else from the root; what is included may include. Only files
 * below the root are read, whatever links and .. say; a file that includes itself in the end, too
 * many levels, and more text than prompt_bytes are errors that name file and line. A word without
 * dot and slash (@everyone) is no path, and nothing is put into fenced code.
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
