/*
 * fuzz_matcher.c - any bytes as a pattern (the first line) and as lines to search.
 *
 * A pattern is compiled or refused with a sentence; a literal pattern is found by the expression
 * that ignores case wherever the plain search finds it.
 */
#include "tool/file/matcher.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERN_MOST = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static bool open_matcher(struct matcher *m, struct str pattern, bool literal, bool ignore_case)
{
    struct limits limits;
    struct matcher_options options = { .literal = literal, .ignore_case = ignore_case };
    struct err e = { 0 };
    bool opened;

    limits_preset(&limits);
    limits.grep_line_ms = 5;
    options.limits = &limits;
    opened = matcher_open(m, pattern, &options, &e);
    must(opened || (e.code == ERR_INVALID && !strncmp(e.text, "pattern: ", 9)));
    return opened;
}

static void search(struct str pattern, struct str line)
{
    struct matcher plain, folded, expression;

    if (open_matcher(&expression, pattern, false, false)) {
        matcher_match(&expression, line);
        matcher_close(&expression);
    }
    if (!open_matcher(&plain, pattern, true, false) || !open_matcher(&folded, pattern, true, true))
        return;
    if (matcher_match(&plain, line) == MATCH_YES)
        must(matcher_match(&folded, line) != MATCH_NO);
    matcher_close(&folded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str all = { (const char *)data, size };
    ptrdiff_t end = str_find_byte(all, '\n');

    if (end < 0 || end > PATTERN_MOST)
        return 0;
    search(str_head(all, (size_t)end), str_skip(all, (size_t)end + 1));
    return 0;
}
