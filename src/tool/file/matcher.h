/*
 * matcher.h - searches a line for a text or a Perl-compatible regular expression.
 *
 * Patterns come from clients and models, so every match is limited in time, memory and depth. To
 * measure the time, PCRE2 calls one of our functions before every item of the pattern. Between two
 * such calls, PCRE2 reads the line at most once. A match that reaches a limit ends with
 * MATCH_TOO_EXPENSIVE. Compiling a pattern cannot be interrupted, so the length of patterns is
 * limited (limits.pattern_bytes).
 *
 * Lines should be UTF-8; invalid bytes match nothing. Classes such as \w, and ignoring case,
 * support all of Unicode.
 */
#ifndef TOOL_FILE_MATCHER_H
#define TOOL_FILE_MATCHER_H

#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/file/pcre2_api.h"

#include <stdatomic.h>

enum text_match { MATCH_NO, MATCH_YES, MATCH_TOO_EXPENSIVE };

struct matcher {
    struct str text; /* the literal text to search for; STR_NONE: use the expression */
    const struct pcre2_api *api;
    pcre2_code *code;
    pcre2_match_context *context;
    pcre2_match_data *data;
    const atomic_bool *stop; /* as in matcher_options; NULL: matches cannot be stopped */
    int64_t line_ms;
    int64_t deadline; /* time limit for the current line, in clock_mono_ms() */
    unsigned callouts;
};

struct matcher_options {
    bool literal, ignore_case;
    const struct limits *limits;
    const atomic_bool *stop; /* when it is set, a match ends soon with MATCH_TOO_EXPENSIVE */
};

/*
 * Compile a pattern, which must outlive the matcher. ERR_INVALID: the pattern is wrong; the message
 * contains the position. ERR_SYSTEM: PCRE2 is not installed. The function blocks, so call it on
 * pool threads.
 */
bool matcher_open(struct matcher *m, struct str pattern, const struct matcher_options *options,
                  struct err *e);
void matcher_close(struct matcher *m);

/* Search a line, which must not contain its line feed. */
enum text_match matcher_match(struct matcher *m, struct str line);

#endif
