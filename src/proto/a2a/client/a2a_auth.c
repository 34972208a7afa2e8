#include "proto/a2a/client/a2a_auth.h"

#include "base/auto.h"
#include "base/base64.h"

enum {
    TOKEN_MARGIN_MS = 10000, /* a token that expires so soon is not used */
    TOKEN_PRESET_S = 300,    /* lifetime of a token whose answer names none */
    TOKEN_LONGEST_S = 86400, /* longest time for which a token is kept */
    TOKEN_BYTES_MOST = 65536,
};

/* ---- requests -------------------------------------------------------------------------------- */

static struct http_header basic(struct arena *mem, struct str user, struct str secret)
{
    struct str pair = arena_printf(mem, STR_FMT ":" STR_FMT, STR_ARG(user), STR_ARG(secret));
    struct str text = base64_encode(mem, BASE64_PLAIN, pair);

    return (struct http_header){ STR("Authorization"),
                                 arena_printf(mem, "Basic " STR_FMT, STR_ARG(text)) };
}

static struct http_header bearer(struct arena *mem, struct str token)
{
    return (struct http_header){ STR("Authorization"),
                                 arena_printf(mem, "Bearer " STR_FMT, STR_ARG(token)) };
}

static struct http_header api_key(struct arena *mem, const struct remote_spec *s)
{
    switch (s->place) {
    case REMOTE_KEY_HEADER: return (struct http_header){ s->key_name, s->secret };
    case REMOTE_KEY_COOKIE:
        return (struct http_header){ STR("Cookie"),
                                     arena_printf(mem, STR_FMT "=" STR_FMT, STR_ARG(s->key_name),
                                                  STR_ARG(s->secret)) };
    case REMOTE_KEY_QUERY: break;
    }
    return (struct http_header){ STR_NONE, STR_NONE };
}

struct http_header a2a_auth_header(struct arena *mem, const struct a2a_peer *p)
{
    const struct remote_spec *s = &p->spec;

    switch (s->auth) {
    case REMOTE_AUTH_BEARER: return bearer(mem, s->secret);
    case REMOTE_AUTH_API_KEY: return api_key(mem, s);
    case REMOTE_AUTH_BASIC: return basic(mem, s->user, s->secret);
    case REMOTE_AUTH_OAUTH:
        if (p->token.p)
            return bearer(mem, p->token);
        break;
    case REMOTE_AUTH_NONE:
    case REMOTE_AUTHS: break;
    }
    return (struct http_header){ STR_NONE, STR_NONE };
}

struct str a2a_auth_url(struct arena *mem, const struct a2a_peer *p, struct str url)
{
    const struct remote_spec *s = &p->spec;

    if (s->auth != REMOTE_AUTH_API_KEY || s->place != REMOTE_KEY_QUERY)
        return url;
    return arena_printf(mem, STR_FMT "%c" STR_FMT "=" STR_FMT, STR_ARG(url),
                        str_find_byte(url, '?') < 0 ? '?' : '&',
                        STR_ARG(a2a_url_escape(mem, s->key_name)),
                        STR_ARG(a2a_url_escape(mem, s->secret)));
}

/* ---- tokens ---------------------------------------------------------------------------------- */

bool a2a_auth_needs_token(const struct a2a_peer *p)
{
    return p->spec.auth == REMOTE_AUTH_OAUTH &&
           (!p->token.p || loop_now(p->o.loop) >= p->token_until);
}

struct str a2a_token_body(struct arena *mem, const struct a2a_peer *p)
{
    if (!p->spec.scope.n)
        return STR("grant_type=client_credentials");
    return arena_printf(mem, "grant_type=client_credentials&scope=" STR_FMT,
                        STR_ARG(a2a_url_escape(mem, p->spec.scope)));
}

/* RFC 6749, 2.3.1: both parts are form-encoded first. */
struct http_header a2a_token_header(struct arena *mem, const struct a2a_peer *p)
{
    return basic(mem, a2a_url_escape(mem, p->spec.user), a2a_url_escape(mem, p->spec.secret));
}

static bool is_header_text(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || (unsigned char)s.p[i] >= 0x7f)
            return false;
    return s.n > 0 && s.n <= TOKEN_BYTES_MOST;
}

bool a2a_token_read(struct a2a_peer *p, int status, struct str text, struct err *e)
{
    const struct json_opts opts = limits_json(p->o.limits);
    AUTO_ARENA mem = { 0 };
    int64_t seconds = TOKEN_PRESET_S;
    struct json root = { 0 };
    struct str token;
    struct err ignored;
    bool ok = json_read(&mem, text, &opts, &root, &ignored);

    if (status != 200)
        return fail(e, ERR_DENIED,
                    "the token endpoint answered with HTTP status %d; check client_id, "
                    "client_secret and scope of the agent",
                    status);
    token = json_str(&mem, json_get(root, STR("access_token")));
    if (!ok || !is_header_text(token))
        return fail(e, ERR_INVALID, "the token endpoint answered without an access_token");
    json_int(json_get(root, STR("expires_in")), &seconds);
    seconds = seconds < 1 ? 1 : seconds > TOKEN_LONGEST_S ? TOKEN_LONGEST_S : seconds;
    a2a_token_drop(p);
    p->token = arena_str(&p->token_mem, token);
    p->token_until = loop_now(p->o.loop) + seconds * 1000;
    if (seconds * 1000 > 2 * TOKEN_MARGIN_MS)
        p->token_until -= TOKEN_MARGIN_MS;
    return true;
}

void a2a_token_drop(struct a2a_peer *p)
{
    arena_fini(&p->token_mem);
    p->token = STR_NONE;
    p->token_until = 0;
}
