#include "tool/matcher.h"

#include "base/auto.h"
#include "base/buf.h"

/* States of an automaton that an expression may become, roughly. */
enum { COST_MOST = 5000 };

/* ---- what it costs ----------------------------------------------------------------------- */

struct costing {
    struct str s;
    size_t at;
    const char *wrong;
};

static bool more(const struct costing *c)
{
    return c->at < c->s.n && !c->wrong;
}

/* "[...]", with classes and a "]" in the first place. */
static void skip_bracket(struct costing *c)
{
    size_t at = c->at + 1;

    at += at < c->s.n && c->s.p[at] == '^';
    at += at < c->s.n && c->s.p[at] == ']';
    for (; at < c->s.n && c->s.p[at] != ']'; at++) {
        char kind = at + 1 < c->s.n && c->s.p[at] == '[' ? c->s.p[at + 1] : 0;

        if (kind != ':' && kind != '.' && kind != '=')
            continue;
        for (at += 2; at + 1 < c->s.n && !(c->s.p[at] == kind && c->s.p[at + 1] == ']');)
            at++;
        at++;
    }
    c->at = at + 1;
}

static uint64_t number(struct costing *c)
{
    uint64_t n = 0;

    for (; more(c) && c->s.p[c->at] >= '0' && c->s.p[c->at] <= '9'; c->at++)
        n = n < COST_MOST ? n * 10 + (uint64_t)(c->s.p[c->at] - '0') : n;
    return n;
}

/* "{m}", "{m,}" or "{m,n}": how many copies that makes. */
static uint64_t interval(struct costing *c)
{
    uint64_t least, most;

    c->at++;
    least = most = number(c);
    if (more(c) && c->s.p[c->at] == ',') {
        c->at++;
        most = number(c);
    }
    while (more(c) && c->s.p[c->at++] != '}')
        ;
    return (most > least ? most : least) + 1;
}

static uint64_t alternatives(struct costing *c);

static uint64_t atom(struct costing *c)
{
    uint64_t cost = 1;

    switch (c->s.p[c->at]) {
    case '(':
        c->at++;
        cost = alternatives(c) + 1;
        c->at++; /* its end; the compiler complains where there is none */
        break;
    case '[': skip_bracket(c); break;
    case '\\':
        if (c->at + 1 < c->s.n && c->s.p[c->at + 1] >= '1' && c->s.p[c->at + 1] <= '9')
            c->wrong = "back-references like \\1 are not supported";
        c->at += 2;
        break;
    default: c->at++;
    }
    return cost;
}

static uint64_t repeated(struct costing *c)
{
    uint64_t cost = atom(c);

    while (more(c)) {
        char sign = c->s.p[c->at];

        if (sign == '{')
            cost *= interval(c);
        else if (sign == '+')
            cost *= 2;
        if (sign != '{' && sign != '+' && sign != '*' && sign != '?')
            break;
        c->at += sign != '{';
        if (cost > COST_MOST)
            c->wrong = "repetitions inside repetitions make it too large";
    }
    return cost;
}

static uint64_t alternatives(struct costing *c)
{
    uint64_t cost = 0;

    while (more(c) && c->s.p[c->at] != ')') {
        cost += repeated(c);
        if (cost > COST_MOST)
            c->wrong = "repetitions inside repetitions make it too large";
    }
    return cost;
}

static bool affordable(struct str pattern, struct err *e)
{
    struct costing c = { .s = pattern };

    while (more(&c)) {
        alternatives(&c);
        c.at++; /* a ")" that nobody opened is a character */
    }
    return !c.wrong || fail(e, ERR_LIMIT, "pattern: %s", c.wrong);
}

/* ---- matching ---------------------------------------------------------------------------- */

static struct str escape(struct arena *mem, struct str text)
{
    struct buf out;

    buf_init_in(&out, mem, 2 * text.n + 1);
    for (size_t i = 0; i < text.n; i++) {
        if (strchr("\\^$.[]|()*+?{}", text.p[i]))
            buf_putc(&out, '\\');
        buf_putc(&out, text.p[i]);
    }
    return buf_str(&out);
}

bool matcher_open(struct matcher *m, struct str pattern, bool literal, bool ignore_case,
                  struct err *e)
{
    AUTO_ARENA mem = { 0 };
    char why[120];
    int code;

    *m = (struct matcher){ 0 };
    if (!pattern.n || str_find_byte(pattern, 0) >= 0 || str_find_byte(pattern, '\n') >= 0)
        return fail(e, ERR_INVALID, "pattern: expected a text of one line, without NUL");
    if (literal && !ignore_case) {
        m->text = pattern;
        return true;
    }
    if (literal)
        pattern = escape(&mem, pattern);
    if (!affordable(pattern, e))
        return false;
    code = regcomp(&m->regex, arena_cstr(&mem, pattern),
                   REG_EXTENDED | REG_NOSUB | (ignore_case ? REG_ICASE : 0));
    if (code) {
        regerror(code, &m->regex, why, sizeof(why));
        return fail(e, ERR_INVALID, "pattern: %s; expected a POSIX extended regular expression",
                    why);
    }
    m->compiled = true;
    return true;
}

void matcher_close(struct matcher *m)
{
    if (m->compiled)
        regfree(&m->regex);
    m->compiled = false;
}

bool matcher_hits(const struct matcher *m, struct str line)
{
    regmatch_t range = { .rm_so = 0, .rm_eo = (regoff_t)line.n };

    if (m->text.p)
        return line.n && memmem(line.p, line.n, m->text.p, m->text.n);
    return regexec(&m->regex, line.n ? line.p : "", 1, &range, REG_STARTEND) == 0;
}
