/*
 * front_matter.h - a Markdown file with YAML front matter between two lines of three dashes.
 *
 *   ---
 *   name: reviewer
 *   tools: [file_read, grep]
 *   ---
 *   You read code and say what is wrong with it.
 *
 * Files of other programs often contain invalid YAML (an unquoted ": " in a description). Their
 * front matter is then read line by line: a key, a colon, and the rest of the line as the value.
 * Indented lines, lines without a key and lines inside <example> continue the value above them. A
 * value that consists only of "- item" lines is a list. If a key is repeated, the first one is
 * used. A note reports that the file was read this way.
 */
#ifndef CONFIG_FRONT_MATTER_H
#define CONFIG_FRONT_MATTER_H

#include "base/json.h"
#include "base/limits.h"
#include "config/config_notes.h"

struct front_matter {
    struct json head; /* an object; missing when the file has no front matter */
    struct str body;  /* the rest, without surrounding blanks */
    uint32_t line;    /* in which the body begins */
};

struct front_opts {
    const char *file; /* named in errors; borrowed by the head */
    const struct limits *limits;
    bool lenient;        /* it is of another program: read what is no YAML line by line */
    struct notes *notes; /* may be NULL */
};

/* The tree and the body lie in `mem` and in the text. Errors name file and line. */
bool front_matter_read(struct arena *mem, struct str text, const struct front_opts *opts,
                       struct front_matter *out, struct err *e);

#endif
