/*
 * front_matter.h - a Markdown file with a head of YAML between two lines of three dashes.
 *
 *   ---
 *   name: reviewer
 *   tools: [file_read, grep]
 *   ---
 *   You read code and say what is wrong with it.
 *
 * Files of other programs often hold what is no YAML (an unquoted ": " in a description). Their
 * head is then read line by line: a key, a colon, the rest of the line as it stands; indented
 * lines, lines without a key and lines inside <example> go on with the value above them, and a
 * value that is nothing but lines of "- item" is a list. Of one key the first counts. A note says
 * so.
 */
#ifndef CONFIG_FRONT_MATTER_H
#define CONFIG_FRONT_MATTER_H

#include "base/json.h"
#include "base/limits.h"
#include "config/config_notes.h"

struct front_matter {
    struct json head; /* an object; missing when the file has no front matter */
    struct str body;  /* what follows, blanks around it cut */
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
