#include "config/remote_read.h"

#include "config/config_values.h"

enum { URL_MOST = 2000, TEXT_MOST = 4096, ORIGINS_MOST = 16 };

/* ---- the keys -------------------------------------------------------------------------------- */

struct auth_table {
    struct str type, token, key, name, in, username, password;
    struct str client_id, client_secret, token_url, scope;
};

static const struct pick auth_fields[] = {
    PICK_FIELD("type", PICK_STR, struct auth_table, type, PICK_MUST),
    PICK_FIELD("token", PICK_STR, struct auth_table, token, 0),
    PICK_FIELD("key", PICK_STR, struct auth_table, key, 0),
    PICK_FIELD("name", PICK_STR, struct auth_table, name, 0),
    PICK_FIELD("in", PICK_STR, struct auth_table, in, 0),
    PICK_FIELD("username", PICK_STR, struct auth_table, username, 0),
    PICK_FIELD("password", PICK_STR, struct auth_table, password, 0),
    PICK_FIELD("client_id", PICK_STR, struct auth_table, client_id, 0),
    PICK_FIELD("client_secret", PICK_STR, struct auth_table, client_secret, 0),
    PICK_FIELD("token_url", PICK_STR, struct auth_table, token_url, 0),
    PICK_FIELD("scope", PICK_STR, struct auth_table, scope, 0),
};

/* Which members each type takes: first those that it needs. */
static const struct {
    const char *type;
    enum remote_auth auth;
    const char *needs[3];
    const char *takes[2];
} types[] = {
    { "bearer", REMOTE_AUTH_BEARER, { "token" }, { NULL } },
    { "api_key", REMOTE_AUTH_API_KEY, { "key" }, { "name", "in" } },
    { "basic", REMOTE_AUTH_BASIC, { "username", "password" }, { NULL } },
    { "oauth", REMOTE_AUTH_OAUTH, { "client_id", "client_secret", "token_url" }, { "scope" } },
};

struct remote_table {
    struct str url, binding, version;
    struct json auth;
    struct pick_strs origins;
    bool trefoil;
};

static const struct pick remote_fields[] = {
    PICK_FIELD("url", PICK_STR, struct remote_table, url, PICK_MUST),
    PICK_FIELD("auth", PICK_OBJECT, struct remote_table, auth, 0),
    PICK_FIELD("binding", PICK_STR, struct remote_table, binding, 0),
    PICK_FIELD("protocol_version", PICK_STR, struct remote_table, version, 0),
    PICK_FIELD("origins", PICK_STRS, struct remote_table, origins, 0),
    PICK_FIELD("trefoil", PICK_BOOL, struct remote_table, trefoil, 0),
};

/* ---- texts ----------------------------------------------------------------------------------- */

static bool is_url(struct str s)
{
    if (s.n > URL_MOST || (!str_starts(s, STR("http://")) && !str_starts(s, STR("https://"))))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f)
            return false;
    return s.n > 8;
}

/* Credentials become headers: no line breaks, no other control characters. */
static bool is_header_text(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
            return false;
    return s.n > 0 && s.n <= TEXT_MOST;
}

static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              (c && strchr("-_.", c))))
            return false;
    }
    return s.n > 0 && s.n <= 100;
}

/* ---- credentials ----------------------------------------------------------------------------- */

static bool is_listed(struct json key, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (names[i] && json_is(key, str_of(names[i])))
            return true;
    return false;
}

static bool check_members(struct json auth, size_t type, struct err *e)
{
    for (size_t i = 0; i < ARRAY_LEN(types[type].needs); i++)
        if (types[type].needs[i] &&
            json_type(json_get(auth, str_of(types[type].needs[i]))) != JSON_STRING)
            return json_fail(auth, e, "type %s needs the key %s", types[type].type,
                             types[type].needs[i]);
    JSON_MEMBERS(key, auth)
    {
        if (!json_is(key, STR("type")) &&
            !is_listed(key, types[type].needs, ARRAY_LEN(types[type].needs)) &&
            !is_listed(key, types[type].takes, ARRAY_LEN(types[type].takes)))
            return json_fail(key, e, "type %s does not have this key", types[type].type);
    }
    return true;
}

static bool find_type(struct json auth, struct str name, size_t *out, struct err *e)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        *out = i;
        if (str_eq(name, str_of(types[i].type)))
            return check_members(auth, i, e);
    }
    return json_fail(json_get(auth, STR("type")), e, "expected bearer, api_key, basic or oauth");
}

static bool read_place(struct json auth, const struct auth_table *t, struct remote_spec *out,
                       struct err *e)
{
    static const char *const places[] = { "header", "query", "cookie" };

    out->key_name = t->name.n ? t->name : STR("X-API-Key");
    if (!is_token(out->key_name))
        return json_fail(json_get(auth, STR("name")), e, "expected letters, digits, - _ and .");
    if (!t->in.p)
        return true;
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        out->place = (enum remote_key_place)i;
        if (str_eq(t->in, str_of(places[i])))
            return true;
    }
    return json_fail(json_get(auth, STR("in")), e, "expected header, query or cookie");
}

static void note_literal(struct arena *mem, struct notes *notes, struct json auth, const char *key)
{
    struct json v = json_get(auth, str_of(key));

    if (json_here(v) && !value_is_reference(json_str(mem, v)))
        note(mem, notes, LOG_WARN,
             STR_FMT ": %s is written into the file; env:NAME or file:PATH keeps it out",
             STR_ARG(json_where(mem, v)), key);
}

static bool read_auth(struct arena *mem, struct json auth, struct notes *notes,
                      struct remote_spec *out, struct err *e)
{
    struct auth_table t = { 0 };
    size_t type;

    if (!json_here(auth))
        return true;
    if (!pick(mem, auth, PICK_TABLE(auth_fields), PICK_STRICT, &t, e) ||
        !find_type(auth, t.type, &type, e) || !read_place(auth, &t, out, e))
        return false;
    out->auth = types[type].auth;
    out->secret = t.token.p      ? t.token
                  : t.key.p      ? t.key
                  : t.password.p ? t.password
                                 : t.client_secret;
    out->user = t.username.p ? t.username : t.client_id;
    out->scope = t.scope;
    out->token_url = t.token_url;
    if (out->auth == REMOTE_AUTH_OAUTH && !is_url(t.token_url))
        return json_fail(json_get(auth, STR("token_url")), e, "expected a URL");
    note_literal(mem, notes, auth, "token");
    note_literal(mem, notes, auth, "key");
    note_literal(mem, notes, auth, "password");
    note_literal(mem, notes, auth, "client_secret");
    return true;
}

/* ---- the definition -------------------------------------------------------------------------- */

static bool read_words(struct json obj, const struct remote_table *t, struct remote_spec *out,
                       struct err *e)
{
    out->binding = t->binding;
    out->version = t->version;
    if (t->binding.p && !str_eq(t->binding, STR("JSONRPC")) &&
        !str_eq(t->binding, STR("HTTP+JSON")))
        return json_fail(json_get(obj, STR("binding")), e, "expected JSONRPC or HTTP+JSON");
    if (t->version.p && !str_eq(t->version, STR("1.0")) && !str_eq(t->version, STR("0.3")) &&
        !str_eq(t->version, STR("0.1")))
        return json_fail(json_get(obj, STR("protocol_version")), e, "expected 1.0, 0.3 or 0.1");
    return true;
}

static bool read_origins(struct json obj, const struct remote_table *t, struct remote_spec *out,
                         struct err *e)
{
    out->origins = t->origins;
    if (t->origins.n > ORIGINS_MOST)
        return json_fail(json_get(obj, STR("origins")), e, "at most %d origins are accepted",
                         ORIGINS_MOST);
    for (size_t i = 0; i < t->origins.n; i++)
        if (!is_url(t->origins.v[i]))
            return json_fail(json_get(obj, STR("origins")), e,
                             "expected origins such as https://api.example.org");
    return true;
}

bool remote_read(struct arena *mem, struct json obj, struct notes *notes, struct remote_spec *out,
                 struct err *e)
{
    struct remote_table t = { 0 };
    struct remote_spec spec = { 0 };

    if (!pick(mem, obj, PICK_TABLE(remote_fields), PICK_LENIENT, &t, e))
        return false;
    if (!is_url(t.url))
        return json_fail(json_get(obj, STR("url")), e,
                         "expected a URL that begins with http:// or https://");
    spec.url = t.url;
    spec.trefoil = t.trefoil;
    if (!read_auth(mem, t.auth, notes, &spec, e) || !read_words(obj, &t, &spec, e) ||
        !read_origins(obj, &t, &spec, e))
        return false;
    *out = spec;
    return true;
}

/* ---- secrets --------------------------------------------------------------------------------- */

static bool resolve_text(struct arena *mem, const char *root, const struct limits *limits,
                         const char *what, struct str *text, struct err *e)
{
    if (!text->p)
        return true;
    if (!value_resolve(mem, *text, root, (size_t)limits->config_bytes, text, e))
        return fail_in(e, "auth: %s", what);
    return is_header_text(*text) ||
           fail(e, ERR_INVALID,
                "auth: the value of %s is empty, too long or has control characters", what);
}

bool remote_resolve(struct arena *mem, const char *root, const struct limits *limits,
                    struct remote_spec *s, struct err *e)
{
    return resolve_text(mem, root, limits, "the secret", &s->secret, e) &&
           resolve_text(mem, root, limits, "the user name or client id", &s->user, e);
}
