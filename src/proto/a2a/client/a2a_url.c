#include "proto/a2a/client/a2a_url.h"

#include "base/buf.h"

enum { URL_MOST = 4096 };

/* ---- parsing --------------------------------------------------------------------------------- */

static bool is_plain(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || (unsigned char)s.p[i] >= 0x7f || s.p[i] == '\\')
            return false;
    return s.n > 0 && s.n <= URL_MOST;
}

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_host(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_alnum(s.p[i]) && (!s.p[i] || !strchr(".-_:[]", s.p[i])))
            return false;
    return s.n > 0 && s.p[0] != ':';
}

static bool starts_nocase(struct str s, struct str prefix)
{
    return s.n >= prefix.n && str_eq_nocase(str_head(s, prefix.n), prefix);
}

/* The host with its port, up to the path, the query or the fragment. */
static struct str authority_of(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '/' || s.p[i] == '?' || s.p[i] == '#')
            return str_head(s, i);
    return s;
}

static struct str lower(struct arena *mem, struct str s)
{
    char *p = arena_cstr(mem, s);

    for (size_t i = 0; i < s.n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z')
            p[i] = (char)(p[i] - 'A' + 'a');
    return (struct str){ p, s.n };
}

static struct str origin_of(struct arena *mem, bool tls, struct str authority)
{
    struct str port = tls ? STR(":443") : STR(":80");

    if (str_ends(authority, port))
        authority.n -= port.n;
    return lower(mem,
                 arena_printf(mem, "%s://" STR_FMT, tls ? "https" : "http", STR_ARG(authority)));
}

bool a2a_url_read(struct arena *mem, struct str text, struct a2a_url *out, struct err *e)
{
    bool tls = starts_nocase(text, STR("https://"));
    struct str rest, host;
    ptrdiff_t hash;

    if (!is_plain(text) || (!tls && !starts_nocase(text, STR("http://"))))
        return fail(e, ERR_INVALID,
                    "\"" STR_FMT "\" is not a URL; expected http:// or https:// and a host",
                    STR_ARG(str_head(text, 60)));
    rest = str_skip(text, tls ? 8 : 7);
    host = authority_of(rest);
    if (!is_host(host))
        return fail(e, ERR_INVALID,
                    "the host of the URL is not valid; a user name or password in a URL is not "
                    "accepted");
    hash = str_find_byte(text, '#');
    out->text = arena_str(mem, hash >= 0 ? str_head(text, (size_t)hash) : text);
    out->origin = origin_of(mem, tls, host);
    out->path = str_skip(out->text, (tls ? 8 : 7) + host.n);
    return true;
}

bool a2a_url_resolve(struct arena *mem, const struct a2a_url *card, struct str text,
                     struct a2a_url *out, struct err *e)
{
    if (str_starts(text, STR("/")) && !str_starts(text, STR("//")))
        text = arena_printf(mem, STR_FMT STR_FMT, STR_ARG(card->origin), STR_ARG(text));
    return a2a_url_read(mem, text, out, e);
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Split an origin into the text before the host, the host, and the text after it. */
static struct str host_of(struct str origin, struct str *scheme, struct str *port)
{
    size_t from = (size_t)str_find(origin, STR("://")) + 3;
    struct str host = str_skip(origin, from);
    ptrdiff_t end = str_find_byte(host, ']'), colon;

    *scheme = str_head(origin, from);
    colon = str_find_byte(str_skip(host, end >= 0 ? (size_t)end : 0), ':');
    if (colon < 0) {
        *port = STR("");
        return host;
    }
    colon += end >= 0 ? end : 0;
    *port = str_skip(host, (size_t)colon);
    return str_head(host, (size_t)colon);
}

static bool is_here(struct str host)
{
    return str_eq(host, STR("localhost")) || str_eq(host, STR("127.0.0.1")) ||
           str_eq(host, STR("[::1]"));
}

bool a2a_same_origin(struct str a, struct str b)
{
    struct str scheme[2], port[2], host[2];

    if (str_eq(a, b))
        return true;
    host[0] = host_of(a, &scheme[0], &port[0]);
    host[1] = host_of(b, &scheme[1], &port[1]);
    return str_eq(scheme[0], scheme[1]) && str_eq(port[0], port[1]) && is_here(host[0]) &&
           is_here(host[1]);
}

/* ---- building -------------------------------------------------------------------------------- */

struct str a2a_url_add(struct arena *mem, struct str base, const char *tail)
{
    while (str_ends(base, STR("/")))
        base.n--;
    return arena_printf(mem, STR_FMT "%s", STR_ARG(base), tail);
}

struct str a2a_url_escape(struct arena *mem, struct str s)
{
    static const char hex[] = "0123456789ABCDEF";
    struct buf out;

    buf_init_in(&out, mem, 3 * s.n + 1);
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        const char escaped[] = { '%', hex[c >> 4], hex[c & 15] };

        if (is_alnum((char)c) || (c && strchr("-._~", c)))
            buf_putc(&out, (char)c);
        else
            buf_put(&out, (struct str){ escaped, sizeof(escaped) });
    }
    return out.n ? buf_str(&out) : STR("");
}
