#include "wire/http_url.h"

static bool get_part(const struct curl_api *api, struct arena *mem, CURLU *u, CURLUPart part,
                     unsigned flags, struct str *out)
{
    char *p = NULL;

    if (api->url_get(u, part, &p, flags) || !p)
        return false;
    *out = arena_str(mem, str_of(p));
    api->release(p);
    return true;
}

static bool is_ascii_name(struct str host)
{
    for (size_t i = 0; i < host.n; i++)
        if (host.p[i] <= ' ' || host.p[i] > '~')
            return false;
    return host.n > 0;
}

static bool read_host(const struct curl_api *api, struct arena *mem, CURLU *u, struct http_url *url,
                      struct err *e)
{
    struct str host;

    if (!get_part(api, mem, u, CURLUPART_HOST, 0, &host))
        return fail(e, ERR_INVALID, "the URL has no host");
    if (str_starts(host, STR("[")) && str_ends(host, STR("]")))
        host = (struct str){ host.p + 1, host.n - 2 };
    if (!is_ascii_name(host))
        return fail(e, ERR_INVALID, "the host of the URL is not ASCII; write it as xn--...");
    url->host = host;
    return true;
}

static bool read_scheme(const struct curl_api *api, struct arena *mem, CURLU *u,
                        struct http_url *url, struct err *e)
{
    struct str scheme;

    if (!get_part(api, mem, u, CURLUPART_SCHEME, 0, &scheme))
        return fail(e, ERR_INVALID, "the URL has no scheme");
    url->tls = str_eq(scheme, STR("https"));
    if (url->tls || str_eq(scheme, STR("http")))
        return true;
    return fail(e, ERR_INVALID, "scheme %.*s: only http and https can be fetched",
                (int)str_head(scheme, 20).n, scheme.p);
}

static bool read_port(const struct curl_api *api, struct arena *mem, CURLU *u, struct http_url *url,
                      struct err *e)
{
    struct str port;
    uint64_t n;

    if (!get_part(api, mem, u, CURLUPART_PORT, CURLU_DEFAULT_PORT, &port) ||
        !str_uint(port, 1, 65535, &n))
        return fail(e, ERR_INVALID, "the port of the URL is not one of 1 to 65535");
    url->port = (uint16_t)n;
    return true;
}

static bool read_parts(const struct curl_api *api, struct arena *mem, CURLU *u,
                       struct http_url *url, struct err *e)
{
    if (!read_scheme(api, mem, u, url, e) || !read_host(api, mem, u, url, e) ||
        !read_port(api, mem, u, url, e))
        return false;
    api->url_set(u, CURLUPART_FRAGMENT, NULL, 0);
    return get_part(api, mem, u, CURLUPART_URL, 0, &url->text) ||
           fail(e, ERR_INVALID, "the URL cannot be serialized");
}

/* A relative reference may hold spaces and bytes that a browser would escape; so do we. */
static bool set_text(const struct curl_api *api, CURLU *u, const char *text,
                     const struct http_url *base, struct err *e)
{
    CURLUcode rc = CURLUE_OK;

    if (base)
        rc = api->url_set(u, CURLUPART_URL, base->text.p, 0);
    if (!rc)
        rc = api->url_set(u, CURLUPART_URL, text,
                          CURLU_DISALLOW_USER | CURLU_NON_SUPPORT_SCHEME |
                              (base ? CURLU_URLENCODE : 0));
    if (!rc)
        return true;
    if (rc == CURLUE_USER_NOT_ALLOWED)
        return fail(e, ERR_INVALID,
                    "a URL must not contain a user or password; use a header instead");
    return fail(e, ERR_INVALID, "not a valid URL: %s", api->url_strerror(rc));
}

bool http_url_read(const struct curl_api *api, struct arena *mem, struct str text,
                   const struct http_url *base, struct http_url *out, struct err *e)
{
    struct http_url url;
    CURLU *u;
    bool ok;

    if (str_find_byte(text, '\0') >= 0)
        return fail(e, ERR_INVALID, "not a valid URL: it contains a NUL byte");
    u = api->url();
    if (!u)
        return fail(e, ERR_SYSTEM, "libcurl is out of memory");
    ok = set_text(api, u, arena_cstr(mem, text), base, e) && read_parts(api, mem, u, &url, e);
    api->url_cleanup(u);
    if (ok)
        *out = url;
    return ok;
}

bool http_url_same_origin(const struct http_url *a, const struct http_url *b)
{
    return a->tls == b->tls && a->port == b->port && str_eq_nocase(a->host, b->host);
}
