/* trace.c - finds out the trace id of a call, and its depth in a chain of agents. */
#include "core/trace.h"

#include "base/digits.h"
#include "base/id.h"
#include "core/tool/caller.h"

#include <string.h>

/* ---- W3C: 00-<32 digits>-<16 digits>-<2 digits> --------------------------------------------- */

enum { ID_AT = 3, ID_DIGITS = 32, SPAN_AT = 36, SPAN_DIGITS = 16, FLAGS_AT = 53 };

/* The W3C specification allows lower case only. */
static inline bool is_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_hex(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_digit(s.p[i]))
            return false;
    return true;
}

static bool is_zero(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '0')
            return false;
    return true;
}

static struct str part(struct str s, size_t at, size_t n)
{
    return (struct str){ s.p + at, n };
}

/* Later versions may add fields after another dash. */
static bool has_shape(struct str p)
{
    const size_t whole = TRACE_PARENT_TEXT - 1;

    if (p.n < whole || p.p[2] != '-' || p.p[35] != '-' || p.p[52] != '-')
        return false;
    if (p.n > whole && (str_starts(p, STR("00")) || p.p[whole] != '-'))
        return false;
    return is_hex(part(p, 0, 2)) && !str_starts(p, STR("ff")) && is_hex(part(p, FLAGS_AT, 2));
}

struct str trace_parent_id(struct str parent)
{
    struct str id, span;

    if (!has_shape(parent))
        return STR_NONE;
    id = part(parent, ID_AT, ID_DIGITS);
    span = part(parent, SPAN_AT, SPAN_DIGITS);
    return is_hex(id) && !is_zero(id) && is_hex(span) && !is_zero(span) ? id : STR_NONE;
}

static uint64_t hash(struct str s, uint64_t from)
{
    for (size_t i = 0; i < s.n; i++)
        from = (from ^ (unsigned char)s.p[i]) * 0x100000001b3ULL;
    return from;
}

/* Copy the digits of an id if it has exactly that many, ignoring dashes. */
static bool put_digits_of(struct str id, char out[ID_DIGITS])
{
    size_t n = 0;

    for (size_t i = 0; i < id.n; i++) {
        if (id.p[i] == '-')
            continue;
        if (n == ID_DIGITS || !is_digit(id.p[i]))
            return false;
        out[n++] = id.p[i];
    }
    return n == ID_DIGITS;
}

/*
 * The W3C trace id for a trace id of ours. Another agent may have chosen ours: if it has no such
 * form, a hash of it is used.
 */
static void put_trace_id(struct str id, char out[ID_DIGITS])
{
    if (put_digits_of(id, out))
        return;
    digits_put_hex(out, hash(id, 0xcbf29ce484222325ULL));
    digits_put_hex(out + DIGITS_HEX, hash(id, 0x84222325cbf29ce4ULL) | 1);
}

void trace_parent_new(const struct trace *t, char out[TRACE_PARENT_TEXT])
{
    struct str given = t->parent.p ? trace_parent_id(t->parent) : STR_NONE;

    memcpy(out, "00-", ID_AT);
    if (given.p)
        memcpy(out + ID_AT, given.p, ID_DIGITS);
    else
        put_trace_id(t->id, out + ID_AT);
    out[SPAN_AT - 1] = '-';
    digits_put_hex(out + SPAN_AT, id_number());
    out[FLAGS_AT - 1] = '-';
    memcpy(out + FLAGS_AT, given.p ? t->parent.p + FLAGS_AT : "00", 2);
    out[TRACE_PARENT_TEXT - 1] = '\0';
}

/* ---- the next hop -------------------------------------------------------------------------- */

struct trace trace_next(struct caller *caller, struct arena *mem, int64_t wall_ms)
{
    struct trace next;
    char id[ID_TEXT];

    if (!caller->trace.id.n) {
        id_new(wall_ms, id);
        caller->trace.id = arena_str(mem, str_of(id));
    }
    next = caller->trace;
    next.depth++;
    return next;
}

/* ---- calls in flight ----------------------------------------------------------------------- */

void open_trace_begin(struct open_traces *all, struct open_trace *one)
{
    one->next = all->first;
    one->link = &all->first;
    if (one->next)
        one->next->link = &one->next;
    all->first = one;
}

void open_trace_end(struct open_trace *one)
{
    if (!one->link)
        return;
    *one->link = one->next;
    if (one->next)
        one->next->link = one->link;
    one->link = NULL;
}

static bool is_of(const struct open_trace *o, const struct trace *t)
{
    struct str theirs = t->parent.p ? trace_parent_id(t->parent) : STR_NONE;

    return (t->id.n && str_eq(o->id, t->id)) ||
           (theirs.p && str_eq(trace_parent_id(o->parent), theirs));
}

/* Do both calls come directly from the same client, rather than through an agent? */
static bool is_beside(const struct open_trace *o, const struct trace *t)
{
    return o->arrived == 0 && t->parent.n && str_eq(o->from, t->parent);
}

static int nested_depth(const struct open_traces *all, const struct trace *t)
{
    bool nested = false;
    int deepest = 0;

    for (const struct open_trace *o = all->first; o; o = o->next) {
        if (!is_of(o, t))
            continue;
        nested |= !is_beside(o, t);
        deepest = o->depth > deepest ? o->depth : deepest;
    }
    return nested ? deepest : 0;
}

void trace_arrives(struct trace *t, const struct open_traces *all)
{
    if (!t->counted && all && (t->id.n || t->parent.n))
        t->depth = nested_depth(all, t);
    t->arrived = t->depth;
    if (!t->id.n && t->parent.p)
        t->id = trace_parent_id(t->parent);
}
