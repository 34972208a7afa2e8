#include "core/guard/taint_label.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <string.h>

/* ---- sources -------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_-.:/@[]", c));
}

struct str taint_source(struct arena *mem, struct str name)
{
    struct str copy = arena_str(mem, utf8_head(name, TAINT_SOURCE_BYTES));
    char *p = (char *)(uintptr_t)copy.p;

    for (size_t i = 0; i < copy.n; i++)
        if (!is_plain(p[i]))
            p[i] = '_';
    return copy;
}

/* A URL may hold a password in front of its host. */
struct str taint_source_of_url(struct arena *mem, struct str url)
{
    ptrdiff_t begin = str_find(url, STR("://"));
    struct str host, scheme;

    if (begin < 0)
        return taint_source(mem, url);
    scheme = str_head(url, (size_t)begin);
    host = str_skip(url, (size_t)begin + 3);
    for (size_t i = 0; i < host.n; i++)
        if (strchr("/?#\\", host.p[i]))
            host.n = i;
    for (size_t i = host.n; i-- > 0;)
        if (host.p[i] == '@') {
            host = str_skip(host, i + 1);
            break;
        }
    return taint_source(mem,
                        arena_printf(mem, STR_FMT "://" STR_FMT, STR_ARG(scheme), STR_ARG(host)));
}

bool taint_next(struct str *label, struct str *source)
{
    if (!label->n)
        return false;
    *source = str_cut(label, ',');
    return true;
}

/* Cut a source into its name and its signals. */
static struct str name_of(struct str source, struct str *signals)
{
    *signals = source;
    return str_cut(signals, '!');
}

/* ---- lists ---------------------------------------------------------------------------------- */

static bool has_part(struct str list, char by, struct str part)
{
    while (list.n)
        if (str_eq(str_cut(&list, by), part))
            return true;
    return false;
}

/* Are all parts of `some` in `list`? */
static bool has_parts(struct str list, char by, struct str some)
{
    while (some.n)
        if (!has_part(list, by, str_cut(&some, by)))
            return false;
    return true;
}

static bool find_source(struct str label, struct str name, struct str *signals)
{
    struct str source;

    while (taint_next(&label, &source))
        if (str_eq(name_of(source, signals), name))
            return true;
    return false;
}

static bool contains(struct str label, struct str some)
{
    struct str source, signals, has;

    while (taint_next(&some, &source)) {
        struct str name = name_of(source, &signals);

        if (!find_source(label, name, &has) || !has_parts(has, '+', signals))
            return false;
    }
    return true;
}

static void put_signals(struct buf *out, char first, struct str signals, struct str except)
{
    while (signals.n) {
        struct str one = str_cut(&signals, '+');

        if (has_part(except, '+', one))
            continue;
        buf_putc(out, first);
        buf_put(out, one);
        first = '+';
    }
}

static void put_source(struct buf *out, struct str name, struct str signals, struct str more)
{
    if (out->n)
        buf_putc(out, ',');
    buf_put(out, name);
    put_signals(out, '!', signals, STR_NONE);
    put_signals(out, signals.n ? '+' : '!', more, signals);
}

/* ---- joining -------------------------------------------------------------------------------- */

/* The one source that stands for all beyond the limit, and the signals of both labels about it. */
struct others {
    bool any, suspicious;
    struct str signals, more;
};

static bool is_others(struct others *o, struct str name, struct str signals)
{
    if (!str_eq(name, STR("others")))
        return false;
    o->any = true;
    if (o->signals.n)
        o->more = signals;
    else
        o->signals = signals;
    return true;
}

static void put_others(struct buf *out, const struct others *o)
{
    struct str beyond = STR("more");

    if (!o->any)
        return;
    put_source(out, STR("others"), o->signals, o->more);
    if (o->suspicious && !has_part(o->signals, '+', beyond) && !has_part(o->more, '+', beyond))
        put_signals(out, o->signals.n || o->more.n ? '+' : '!', beyond, STR_NONE);
}

struct str taint_join(struct arena *mem, struct str a, struct str b)
{
    struct str source, signals, more;
    struct others o = { .any = false };
    struct buf out;
    size_t n = 0;

    if (contains(a, b))
        return a.n ? a : STR_NONE;
    if (contains(b, a))
        return b;
    buf_init_in(&out, mem, 2 * (a.n + b.n) + 32);
    for (struct str left = a; taint_next(&left, &source);) {
        struct str name = name_of(source, &signals);

        if (is_others(&o, name, signals))
            continue;
        n++;
        put_source(&out, name, signals, find_source(b, name, &more) ? more : STR_NONE);
    }
    for (struct str left = b; taint_next(&left, &source);) {
        struct str name = name_of(source, &signals);

        if (is_others(&o, name, signals) || find_source(a, name, &more))
            continue;
        if (++n <= TAINT_SOURCES_MOST) {
            put_source(&out, name, signals, STR_NONE);
        } else {
            o.any = true;
            o.suspicious |= signals.n > 0;
        }
    }
    put_others(&out, &o);
    return buf_str(&out);
}

struct str taint_suspect(struct arena *mem, struct str label, struct str signals)
{
    struct str source, has;
    struct buf out;

    buf_init_in(&out, mem, label.n + (label.n / 2 + 1) * (signals.n + 1) + 1);
    while (taint_next(&label, &source)) {
        struct str name = name_of(source, &has);

        put_source(&out, name, has, signals);
    }
    return buf_str(&out);
}

/* ---- asking --------------------------------------------------------------------------------- */

bool taint_has(struct str label, struct str source)
{
    struct str has, signals;

    return find_source(label, name_of(source, &signals), &has);
}

bool taint_is_suspicious(struct str label)
{
    return str_find_byte(label, '!') >= 0;
}

bool taint_only_from(struct str label, struct str server)
{
    struct str source, signals;

    while (taint_next(&label, &source)) {
        struct str name = name_of(source, &signals);

        if (!str_starts(name, server) || !str_starts(str_skip(name, server.n), STR(":")) ||
            str_starts(str_skip(name, server.n), STR("://")))
            return false;
    }
    return true;
}

struct str taint_sources(struct arena *mem, struct str label)
{
    struct str source, signals;
    struct buf out;

    buf_init_in(&out, mem, label.n + 1);
    while (taint_next(&label, &source))
        put_source(&out, name_of(source, &signals), STR_NONE, STR_NONE);
    return buf_str(&out);
}

static void put_shown(struct buf *out, struct str source)
{
    struct str signals, name = name_of(source, &signals);

    if (out->n)
        buf_put(out, STR(", "));
    buf_put(out, name);
    if (!signals.n)
        return;
    buf_put(out, STR(" (suspicious: "));
    for (bool more = false; signals.n; more = true) {
        buf_put(out, more ? STR(", ") : STR(""));
        buf_put(out, str_cut(&signals, '+'));
    }
    buf_putc(out, ')');
}

const char *taint_shown(struct str label, char out[TAINT_SHOWN])
{
    struct arena mem = { 0 };
    struct str source, all;
    struct buf text;

    buf_init_in(&text, &mem, 16 * label.n + 64);
    while (taint_next(&label, &source))
        put_shown(&text, source);
    all = buf_str(&text);
    if (all.n >= TAINT_SHOWN)
        all = arena_printf(&mem, STR_FMT "...", STR_ARG(utf8_head(all, TAINT_SHOWN - 4)));
    memcpy(out, all.p, all.n);
    out[all.n] = 0;
    arena_fini(&mem);
    return out;
}
