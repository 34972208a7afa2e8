/* a2a_push_setup.c - check and store push configurations. */
#include "proto/a2a/server/a2a_webhook.h"
#include "wire/address_guard.h"
#include "wire/http1_parse.h"

enum { URL_MOST = 2000, SECRET_MOST = 4000 };

/* ---- checking -------------------------------------------------------------------------------- */

/* Printable ASCII only: the texts become header lines and a request line. */
static bool is_header_text(struct str s, size_t most)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~')
            return false;
    return s.n <= most;
}

/* The host, without brackets, and the port of an http or https URL. */
static bool url_host(struct str url, struct str *host, uint16_t *port)
{
    bool tls = str_starts(url, STR("https://"));
    struct str rest, text;
    uint64_t n = tls ? 443 : 80;
    size_t end = 0;

    if (!tls && !str_starts(url, STR("http://")))
        return false;
    rest = str_skip(url, tls ? 8 : 7);
    while (end < rest.n && rest.p[end] != '/' && rest.p[end] != '?' && rest.p[end] != '#')
        end++;
    rest.n = end;
    if (!rest.n || str_find_byte(rest, '@') >= 0 || !http1_authority(rest, host, &text) ||
        (text.n && !str_uint(text, 1, 65535, &n)))
        return false;
    if (host->n > 2 && host->p[0] == '[')
        *host = (struct str){ host->p + 1, host->n - 2 };
    *port = (uint16_t)n;
    return host->n > 0;
}

/* A name is resolved and checked at each delivery; an address can be refused at once. */
static bool check_host(const struct a2a_server *s, struct str host, uint16_t port, bool loopback,
                       struct err *e)
{
    struct address_policy policy = *s->outside;
    struct sockaddr_storage address;
    char why[ADDRESS_WHY];

    policy.loopback = loopback;
    if (!http_host_allowed(host))
        return fail(e, ERR_INVALID, "url: " STR_FMT " is the metadata service of a cloud",
                    STR_ARG(str_head(host, 80)));
    if (!loopback && http_host_is_loopback(host))
        return fail(
            e, ERR_INVALID,
            "url: a webhook on this machine is accepted only from a client on this machine");
    if (!http_host_address(host, &address))
        return true;
    http_address_set_port(&address, port);
    return address_guard_check(&policy, (const struct sockaddr *)&address, why) ||
           fail(e, ERR_INVALID, "url: trefoil does not connect to " STR_FMT ": %s",
                STR_ARG(str_head(host, 80)), why);
}

bool a2a_push_check(const struct a2a_server *s, const struct a2a_push_setup *setup, struct err *e)
{
    const struct a2a_push *p = &setup->push;
    struct str host;
    uint16_t port;

    if (!is_header_text(p->url, URL_MOST) || str_find_byte(p->url, ' ') >= 0 ||
        !url_host(p->url, &host, &port))
        return fail(e, ERR_INVALID,
                    "url: expected an http or https URL without a user name, of at most %d bytes",
                    (int)URL_MOST);
    if (!is_header_text(p->token, SECRET_MOST) || !is_header_text(p->scheme, 64) ||
        !is_header_text(p->credentials, SECRET_MOST) || str_find_byte(p->scheme, ' ') >= 0)
        return fail(e, ERR_INVALID,
                    "token and authentication: expected printable ASCII of at most %d bytes",
                    (int)SECRET_MOST);
    return check_host(s, host, port, setup->loopback, e);
}

/* ---- storing --------------------------------------------------------------------------------- */

bool a2a_push_setup_write(struct arena *mem, const struct limits *limits,
                          const struct a2a_push_setup *setup, struct str *out, struct err *e)
{
    struct buf b;
    struct jw w = jw_to(&b);

    buf_init_in(&b, mem, (size_t)limits->push_setup_bytes);
    jw_object(&w);
    jw_kint(&w, "dialect", setup->dialect);
    jw_kbool(&w, "loopback", setup->loopback);
    jw_kstr(&w, "url", setup->push.url);
    jw_kstr(&w, "token", setup->push.token);
    jw_kstr(&w, "scheme", setup->push.scheme);
    jw_kstr(&w, "credentials", setup->push.credentials);
    jw_object_end(&w);
    if (b.full)
        return fail(e, ERR_LIMIT, "the push configuration is larger than %lld bytes",
                    (long long)limits->push_setup_bytes);
    *out = buf_str(&b);
    return true;
}

bool a2a_push_setup_read(struct arena *mem, struct str text, struct a2a_push_setup *out)
{
    const struct json_opts opts = { .max_depth = 4, .max_values = 64 };
    int64_t dialect;
    struct json v;
    struct err ignored;

    if (!json_read(mem, text, &opts, &v, &ignored) ||
        !json_int(json_get(v, STR("dialect")), &dialect) || dialect < 0 || dialect >= A2A_DIALECTS)
        return false;
    *out = (struct a2a_push_setup){
        .dialect = (enum a2a_dialect)dialect,
        .loopback = json_true(json_get(v, STR("loopback"))),
        .push = { .url = json_str(mem, json_get(v, STR("url"))),
                  .token = json_str(mem, json_get(v, STR("token"))),
                  .scheme = json_str(mem, json_get(v, STR("scheme"))),
                  .credentials = json_str(mem, json_get(v, STR("credentials"))) },
    };
    return out->push.url.n > 0;
}
