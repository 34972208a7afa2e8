/*
 * front_matter.h - reads a Markdown file with YAML front matter between two lines of three dashes.
 *
 *   ---
 *   name: reviewer
 *   tools: [file_read, grep]
 *   ---
 *   You read code and say what is wrong with it.
 *
 * Files of other programs often contain invalid YAML, such as an unquoted ": " in a description.
 * Their front matter is then read line by line: a key, a colon, and the rest of the line as the
 * value. Indented lines, lines without a key and lines inside <example> continue the value above
 * them. A value that consists only of "- item" lines is a list. If a key is repeated, its first
 * value is used. A note reports that the file was read this way.
 */
#ifndef CONFIG_FRONT_MATTER_H
#define CONFIG_FRONT_MATTER_H

#include "base/json.h"
#include "base/limits.h"
#include "config/config_notes.h"

struct front_matter {
    struct json head; /* the front matter as an object; missing if the file has no front matter */
    struct str body;  /* the text after the front matter, without blanks at its beginning and end */
    uint32_t line;    /* number of the line in which the body begins */
};

struct front_opts {
    const char *file; /* name for errors; front_matter.head borrows it */
    const struct limits *limits;
    bool lenient;        /* the file belongs to another program: read invalid YAML line by line */
    struct notes *notes; /* may be NULL */
};

/*
 * Read the front matter and the body of `text`. The results point into `mem` and `text`. Errors
 * name the file and the line.
 */
bool front_matter_read(struct arena *mem, struct str text, const struct front_opts *opts,
                       struct front_matter *out, struct err *e);

#endif
