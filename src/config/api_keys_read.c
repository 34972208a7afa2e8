#include "config/api_keys_read.h"

#include "config/server_read_parts.h"
#include "core/principal.h"

#define DEFAULT_NAME STR("default")

static void add_key(const struct server_reader *r, struct key_list *list, struct http_key key)
{
    struct http_key *v = ARENA_ARRAY(r->mem, struct http_key, list->n + 1);

    for (size_t i = 0; i < list->n; i++)
        v[i] = list->v[i];
    v[list->n++] = key;
    list->v = v;
}

static bool read_secret(const struct server_reader *r, struct json at, struct str *out,
                        struct err *e)
{
    return server_secret(r, STR("api_key"), at, out, e) &&
           (out->n || json_fail(at, e, "a key must not be empty"));
}

/* `name` and `secret` are the values in the file, for errors. */
static bool check_unique(const struct key_list *list, const struct http_key *key, struct json name,
                         struct json secret, struct err *e)
{
    for (size_t i = 0; i < list->n; i++) {
        if (str_eq(list->v[i].name, key->name))
            return json_fail(name, e, "duplicate key name " STR_FMT "%s", STR_ARG(key->name),
                             str_eq(key->name, DEFAULT_NAME) ? " (serve.api_key has that name)"
                                                             : "");
        if (str_eq_secret(list->v[i].secret, key->secret))
            return json_fail(secret, e,
                             "the same key value is already used by the key named " STR_FMT,
                             STR_ARG(list->v[i].name));
    }
    return true;
}

/* ---- [serve] api_key ------------------------------------------------------------------------- */

static void remove_api_key(struct key_list *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++)
        if (!str_eq(list->v[i].name, DEFAULT_NAME))
            list->v[n++] = list->v[i];
    list->n = n;
    list->has_api_key = false;
}

/* Asked for, so that the port is closed to others, but it proves nothing. */
static bool read_untrusted(const struct server_reader *r, struct json at, struct key_list *list,
                           struct err *e)
{
    struct http_key key = { .name = STR("") };

    note(r->mem, r->notes, LOG_WARN,
         STR_FMT ": %s; put it into the user's config.toml, or use --config FILE or --trust",
         STR_ARG(json_where(r->mem, at)),
         list->n
             ? "the api_key of a project is ignored because the user has configured keys"
             : "the api_key of a project is required, but its clients count as unauthenticated");
    if (list->n)
        return true;
    if (!read_secret(r, at, &key.secret, e))
        return false;
    add_key(r, list, key);
    return true;
}

static bool read_api_key(const struct server_reader *r, bool trusted, struct json at,
                         struct key_list *list, struct err *e)
{
    struct http_key key = { .name = DEFAULT_NAME };

    if (!json_here(at))
        return true;
    if (!trusted)
        return read_untrusted(r, at, list, e);
    if (list->has_api_key)
        remove_api_key(list);
    if (!read_secret(r, at, &key.secret, e) || !check_unique(list, &key, at, at, e))
        return false;
    add_key(r, list, key);
    list->has_api_key = true;
    return true;
}

/* ---- [[serve.keys]] -------------------------------------------------------------------------- */

struct key_table {
    struct str name, key;
};

static const struct pick key_fields[] = {
    PICK_FIELD("name", PICK_STR, struct key_table, name, PICK_MUST),
    PICK_FIELD("key", PICK_STR, struct key_table, key, PICK_MUST),
};

static bool read_named_key(const struct server_reader *r, struct json entry, struct key_list *list,
                           struct err *e)
{
    struct json name = json_get(entry, STR("name")), secret = json_get(entry, STR("key"));
    struct key_table t = { 0 };
    struct http_key key;

    if (!pick(r->mem, entry, PICK_TABLE(key_fields), PICK_STRICT, &t, e))
        return false;
    if (!principal_key_named(t.name))
        return json_fail(name, e, "expected 1 to %d letters, digits, '-', '_' or '.'",
                         PRINCIPAL_KEY_NAME);
    if ((int64_t)list->n >= r->limits->serve_keys)
        return json_fail(entry, e, "there are more than %lld keys (limits.serve_keys)",
                         (long long)r->limits->serve_keys);
    key.name = t.name;
    if (!read_secret(r, secret, &key.secret, e) || !check_unique(list, &key, name, secret, e))
        return false;
    add_key(r, list, key);
    return true;
}

static bool read_named_keys(const struct server_reader *r, bool trusted, struct json array,
                            struct key_list *list, struct err *e)
{
    if (!trusted && json_here(json_first(array))) {
        note(r->mem, r->notes, LOG_WARN,
             STR_FMT ": a project cannot add API keys; the user's config.toml, --config FILE or "
                     "--trust can",
             STR_ARG(json_where(r->mem, array)));
        return true;
    }
    JSON_EACH(entry, array)
    {
        if (!read_named_key(r, entry, list, e))
            return false;
    }
    return true;
}

bool keys_read(const struct server_reader *r, bool trusted, struct json serve,
               struct key_list *list, struct err *e)
{
    return read_api_key(r, trusted, json_get(serve, STR("api_key")), list, e) &&
           read_named_keys(r, trusted, json_get(serve, STR("keys")), list, e);
}

bool keys_equal(const struct key_list *a, const struct key_list *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (!str_eq(a->v[i].name, b->v[i].name) || !str_eq(a->v[i].secret, b->v[i].secret))
            return false;
    return a->n == b->n;
}
