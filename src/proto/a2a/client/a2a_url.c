#include "proto/a2a/client/a2a_url.h"

#include "base/buf.h"
#include "wire/http_url.h"

enum { URL_MOST = 4096 };

/* ---- parsing --------------------------------------------------------------------------------- */

/* The URL after the authority, which ends before the path, the query or the end. */
static struct str path_of(struct str url)
{
    size_t at = (size_t)str_find(url, STR("://")) + 3;

    while (at < url.n && url.p[at] != '/' && url.p[at] != '?')
        at++;
    return str_skip(url, at);
}

static struct str lower(struct arena *mem, struct str s)
{
    char *p = arena_cstr(mem, s);

    for (size_t i = 0; i < s.n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z')
            p[i] = (char)(p[i] - 'A' + 'a');
    return (struct str){ p, s.n };
}

static struct str origin_of(struct arena *mem, const struct http_url *url)
{
    bool v6 = str_find_byte(url->host, ':') >= 0;
    struct str origin = arena_printf(mem, "%s://%s" STR_FMT "%s", url->tls ? "https" : "http",
                                     v6 ? "[" : "", STR_ARG(url->host), v6 ? "]" : "");

    if (url->port != (url->tls ? 443 : 80))
        origin = arena_printf(mem, STR_FMT ":%u", STR_ARG(origin), (unsigned)url->port);
    return lower(mem, origin);
}

static bool read_url(struct arena *mem, struct str text, const struct http_url *base,
                     struct http_url *url, struct err *e)
{
    const struct curl_api *api;

    if (!text.n || text.n > URL_MOST)
        return fail(e, ERR_INVALID, "a URL has 1 to %d bytes", URL_MOST);
    return curl_api_open(&api, e) && http_url_read(api, mem, text, base, url, e);
}

static void take_parts(struct arena *mem, const struct http_url *url, struct a2a_url *out)
{
    out->text = url->text;
    out->origin = origin_of(mem, url);
    out->path = path_of(url->text);
}

bool a2a_url_read(struct arena *mem, struct str text, struct a2a_url *out, struct err *e)
{
    struct http_url url;

    if (!read_url(mem, text, NULL, &url, e))
        return false;
    take_parts(mem, &url, out);
    return true;
}

bool a2a_url_resolve(struct arena *mem, const struct a2a_url *card, struct str text,
                     struct a2a_url *out, struct err *e)
{
    struct http_url base, url;

    if (!read_url(mem, card->text, NULL, &base, e) || !read_url(mem, text, &base, &url, e))
        return false;
    take_parts(mem, &url, out);
    return true;
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

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
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
