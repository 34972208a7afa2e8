/*
 * matcher.h - does a line hold what is looked for: a text, or a Perl-compatible regular expression?
 *
 * Patterns come from clients and models, so every match is limited in time, memory and depth. The
 * time is measured, not estimated: PCRE2 calls back before every item of the pattern, and between
 * two such calls it does no more than read the line once. A match that reaches a limit ends with
 * MATCH_TOO_EXPENSIVE. Compiling cannot be interrupted; the length of the pattern bounds it
 * (limits.pattern_bytes).
 *
 * Lines are UTF-8; bytes that are not match nothing but do no harm. Classes such as \w and the
 * folding of case know all of Unicode.
 */
#ifndef TOOL_MATCHER_H
#define TOOL_MATCHER_H

#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/pcre2_api.h"

#include <stdatomic.h>

enum text_match { MATCH_NO, MATCH_YES, MATCH_TOO_EXPENSIVE };

struct matcher {
    struct str text; /* to be found as it is; STR_NONE: by the expression */
    const struct pcre2_api *api;
    pcre2_code *code;
    pcre2_match_context *context;
    pcre2_match_data *data;
    const atomic_bool *stop; /* NULL: it cannot be stopped */
    int64_t line_ms;
    int64_t deadline; /* of the line that is matched, in clock_mono_ms() */
    unsigned callouts;
};

struct matcher_options {
    bool literal, ignore_case;
    const struct limits *limits;
    const atomic_bool *stop; /* once true, a match ends soon with MATCH_TOO_EXPENSIVE */
};

/*
 * `pattern` must outlive the matcher. ERR_INVALID says what is wrong with the pattern and where;
 * ERR_SYSTEM that PCRE2 is not installed. Blocking: for pool threads.
 */
bool matcher_open(struct matcher *m, struct str pattern, const struct matcher_options *options,
                  struct err *e);
void matcher_close(struct matcher *m);

/* The line without its line feed. */
enum text_match matcher_match(struct matcher *m, struct str line);

#endif
