#include "tool/file/matcher.h"

#include "base/clock.h"

#include <string.h>

enum {
    NEST_MOST = 100,        /* parentheses inside parentheses */
    STEPS_MOST = 10000000,  /* of one match; the time is spent long before */
    CALLOUTS_PER_LOOK = 16, /* each may read the whole line, a millisecond's work */
};

/* ---- compiling ---------------------------------------------------------------------------- */

/* \C would match half a character, which invalid UTF-8 makes unsafe. */
static uint32_t compile_flags(const struct matcher_options *o)
{
    uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_AUTO_CALLOUT;

    flags |= o->literal ? PCRE2_LITERAL : PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
    return flags | (o->ignore_case ? PCRE2_CASELESS : 0);
}

static bool fail_pattern(const struct matcher *m, int code, size_t at, struct err *e)
{
    char why[160];

    if (m->api->get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why)) < 0)
        why[0] = 0;
    return fail(e, ERR_INVALID,
                "pattern: %s (at byte %zu); expected a Perl-compatible regular "
                "expression (PCRE2), or literal: true",
                why, at);
}

/* "$" is also before the CR of a line that ends with CR LF. */
static bool compile(struct matcher *m, struct str pattern, const struct matcher_options *o,
                    struct err *e)
{
    pcre2_compile_context *context = m->api->compile_context_create(NULL);
    size_t at = 0;
    int code = 0;

    if (!context)
        return fail(e, ERR_SYSTEM, "pattern: PCRE2 is out of memory");
    m->api->set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    m->api->set_parens_nest_limit(context, NEST_MOST);
    m->code =
        m->api->compile((PCRE2_SPTR)pattern.p, pattern.n, compile_flags(o), &code, &at, context);
    m->api->compile_context_free(context);
    return m->code || fail_pattern(m, code, at, e);
}

/* ---- matching ----------------------------------------------------------------------------- */

/* PCRE2 calls it before every item of the pattern; anything but 0 ends the match. */
static int on_callout(pcre2_callout_block *block, void *data)
{
    struct matcher *m = data;

    (void)block;
    if (++m->callouts % CALLOUTS_PER_LOOK)
        return 0;
    if (m->stop && atomic_load_explicit(m->stop, memory_order_relaxed))
        return PCRE2_ERROR_CALLOUT;
    return clock_mono_ms() >= m->deadline ? PCRE2_ERROR_CALLOUT : 0;
}

static bool limit_matches(struct matcher *m, const struct limits *limits, struct err *e)
{
    m->context = m->api->match_context_create(NULL);
    m->data = m->api->match_data_create(1, NULL);
    if (!m->context || !m->data)
        return fail(e, ERR_SYSTEM, "pattern: PCRE2 is out of memory");
    m->line_ms = limits->grep_line_ms;
    m->api->set_match_limit(m->context, STEPS_MOST);
    m->api->set_depth_limit(m->context, STEPS_MOST); /* the heap bounds it */
    m->api->set_heap_limit(m->context, (uint32_t)(limits->grep_memory_bytes / 1024));
    m->api->set_callout(m->context, on_callout, m);
    return true;
}

bool matcher_open(struct matcher *m, struct str pattern, const struct matcher_options *options,
                  struct err *e)
{
    *m = (struct matcher){ .stop = options->stop };
    if (!pattern.n || str_find_byte(pattern, 0) >= 0 || str_find_byte(pattern, '\n') >= 0)
        return fail(e, ERR_INVALID, "pattern: expected a text of one line, without NUL");
    if (options->literal && !options->ignore_case) {
        m->text = pattern;
        return true;
    }
    if (pcre2_api_open(&m->api, e) && compile(m, pattern, options, e) &&
        limit_matches(m, options->limits, e))
        return true;
    matcher_close(m);
    return false;
}

void matcher_close(struct matcher *m)
{
    if (!m->api)
        return;
    m->api->match_data_free(m->data);
    m->api->match_context_free(m->context);
    m->api->code_free(m->code);
    m->api = NULL;
}

enum text_match matcher_match(struct matcher *m, struct str line)
{
    int code;

    if (m->text.p)
        return line.n && memmem(line.p, line.n, m->text.p, m->text.n) ? MATCH_YES : MATCH_NO;
    m->deadline = clock_mono_ms() + m->line_ms;
    code = m->api->match(m->code, (PCRE2_SPTR)(line.n ? line.p : ""), line.n, 0, 0, m->data,
                         m->context);
    if (code == PCRE2_ERROR_NOMATCH)
        return MATCH_NO;
    return code >= 0 ? MATCH_YES : MATCH_TOO_EXPENSIVE; /* time, memory, endless recursion */
}
