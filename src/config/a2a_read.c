#include "config/a2a_read.h"

const char *const a2a_card_words[3] = {
    [A2A_WORD_HYBRID] = "hybrid",
    [A2A_WORD_V1] = "v1",
    [A2A_WORD_V03] = "v0.3",
};

static const struct pick a2a_fields[] = {
    PICK_FIELD("enabled", PICK_BOOL, struct a2a_table, enabled, 0),
    PICK_FIELD("listen_path", PICK_STR, struct a2a_table, listen_path, 0),
    PICK_FIELD("public_url", PICK_STR, struct a2a_table, public_url, 0),
    PICK_FIELD("trusted_proxies", PICK_STRS, struct a2a_table, trusted_proxies, 0),
    PICK_FIELD("input_modes", PICK_STRS, struct a2a_table, input_modes, 0),
    PICK_FIELD("agent", PICK_STR, struct a2a_table, agent, 0),
    PICK_FIELD("card", PICK_STR, struct a2a_table, card, 0),
    PICK_FIELD("mode", PICK_STR, struct a2a_table, mode, 0),
    PICK_FIELD("push", PICK_BOOL, struct a2a_table, push, 0),
    PICK_FIELD("external_agents", PICK_ARRAY, struct a2a_table, external_agents, 0),
};

enum { PATH_MOST = 64, MODE_MOST = 100 };

/* Letters, digits and -_./ only, so that the path can stand in a URL as it is. */
static bool is_path(struct str path)
{
    if (path.n < 2 || path.n > PATH_MOST || path.p[0] != '/' || path.p[path.n - 1] == '/' ||
        str_find(path, STR("//")) >= 0)
        return false;
    for (size_t i = 0; i < path.n; i++) {
        char c = path.p[i];

        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '-' && c != '_' && c != '.' && c != '/')
            return false;
    }
    return true;
}

static bool is_taken(struct str path)
{
    static const struct str taken[] = { STR("/api"), STR("/mcp"),    STR("/v1"),      STR("/tasks"),
                                        STR("/sse"), STR("/health"), STR("/messages") };

    for (size_t i = 0; i < ARRAY_LEN(taken); i++)
        if (str_starts(path, taken[i]) && (path.n == taken[i].n || path.p[taken[i].n] == '/'))
            return true;
    return false;
}

static bool is_url(struct str url)
{
    bool web = str_starts(url, STR("http://")) || str_starts(url, STR("https://"));

    for (size_t i = 0; i < url.n; i++)
        if (url.p[i] <= ' ' || url.p[i] == '"' || url.p[i] == '\\' || url.p[i] == 0x7f)
            return false;
    return web && url.n <= 2000 && url.n > 8;
}

static bool word_is_one_of(struct str word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(word, str_of(words[i])))
            return true;
    return false;
}

static bool check_table(struct json table, const struct a2a_table *t, struct err *e)
{
    static const char *const modes[] = { "read-only", "read-write" };

    if (!is_path(t->listen_path) || is_taken(t->listen_path))
        return json_fail(json_get(table, STR("listen_path")), e,
                         "expected a path such as \"/a2a\" that is not the path of another route");
    if (t->public_url.p && !is_url(t->public_url))
        return json_fail(json_get(table, STR("public_url")), e,
                         "expected a URL such as \"https://agents.example.org\"");
    for (size_t i = 0; i < t->input_modes.n; i++)
        if (str_find_byte(t->input_modes.v[i], '/') < 1 || t->input_modes.v[i].n > MODE_MOST)
            return json_fail(json_get(table, STR("input_modes")), e,
                             "expected media types such as \"text/plain\", \"image/*\" or \"*/*\"");
    if (!word_is_one_of(t->card, a2a_card_words, ARRAY_LEN(a2a_card_words)))
        return json_fail(json_get(table, STR("card")), e, "expected hybrid, v1 or v0.3");
    if (t->mode.p && !word_is_one_of(t->mode, modes, ARRAY_LEN(modes)))
        return json_fail(json_get(table, STR("mode")), e, "expected read-only or read-write");
    return true;
}

enum a2a_card_word a2a_card_worded(struct str word)
{
    enum a2a_card_word card = A2A_WORD_HYBRID;

    for (size_t i = 0; i < ARRAY_LEN(a2a_card_words); i++)
        if (str_eq(word, str_of(a2a_card_words[i])))
            card = (enum a2a_card_word)i;
    return card;
}

bool a2a_table_read(struct arena *mem, struct json table, const struct a2a_config *now,
                    struct a2a_table *out, struct err *e)
{
    struct a2a_table t = {
        .listen_path = now->listen_path,
        .public_url = now->public_url,
        .agent = now->agent,
        .card = str_of(a2a_card_words[now->card]),
        .trusted_proxies = now->proxies,
        .input_modes = now->input_modes,
        .external_agents = now->external_agents,
        .enabled = now->on,
        .push = !now->no_push,
    };

    if (!pick(mem, table, PICK_TABLE(a2a_fields), PICK_STRICT, &t, e) || !check_table(table, &t, e))
        return false;
    *out = t;
    return true;
}
