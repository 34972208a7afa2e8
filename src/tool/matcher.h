/*
 * matcher.h - does a line hold what is looked for: a text, or a POSIX extended regular expression?
 *
 * An expression comes from strangers, so what would take the C library exponential time or memory
 * is refused before it is compiled: back-references, and repetitions that multiply. Letters are
 * ASCII where case is ignored.
 */
#ifndef TOOL_MATCHER_H
#define TOOL_MATCHER_H

#include "base/arena.h"
#include "base/err.h"

#include <regex.h>

struct matcher {
    struct str text; /* to be found as it is; STR_NONE: by the expression */
    regex_t regex;
    bool compiled;
};

/* `pattern` must outlive it. ERR_INVALID when it is no expression, ERR_LIMIT when too costly. */
bool matcher_open(struct matcher *m, struct str pattern, bool literal, bool ignore_case,
                  struct err *e);
void matcher_close(struct matcher *m);

bool matcher_hits(const struct matcher *m, struct str line);

#endif
