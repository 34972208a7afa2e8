#include "config/sandbox_read.h"

#include "base/pick.h"
#include "core/sandbox_policy.h"

enum { PORTS_MOST = 64 };

const char *const sandbox_keys[SANDBOX_KEYS] = {
    [SANDBOX_KEY_DEFAULT] = "default",
    [SANDBOX_KEY_CONNECT] = "connect",
    [SANDBOX_KEY_MODE] = "mode",
};

struct sandbox_table {
    struct str standard, mode;
    struct json connect;
};

static const struct pick sandbox_fields[] = {
    PICK_FIELD("default", PICK_STR, struct sandbox_table, standard, 0),
    PICK_FIELD("connect", PICK_ARRAY, struct sandbox_table, connect, 0),
    PICK_FIELD("mode", PICK_STR, struct sandbox_table, mode, 0),
};

static bool read_default(struct json at, struct str word, struct sandbox_setup *out, struct err *e)
{
    enum sandbox_kind kind;

    if (!word.p)
        return true;
    if (!sandbox_kind_of(word, &kind) || kind == SANDBOX_SERVER || kind == SANDBOX_AGENT)
        return json_fail(at, e, "expected \"read-only\", \"workspace\", \"network\" or \"off\"");
    out->standard = kind;
    return true;
}

static bool read_mode(struct json at, struct str word, struct sandbox_setup *out, struct err *e)
{
    if (!word.p)
        return true;
    out->best_effort = str_eq(word, STR("best-effort"));
    return out->best_effort || str_eq(word, STR("required")) ||
           json_fail(at, e, "expected \"required\" or \"best-effort\"");
}

static bool read_ports(struct arena *mem, struct json list, struct sandbox_setup *out,
                       struct err *e)
{
    int64_t port;

    if (!json_here(list))
        return true;
    if (json_count(list) > PORTS_MOST)
        return json_fail(list, e, "at most %d ports", PORTS_MOST);
    out->connect = ARENA_ARRAY(mem, uint16_t, PORTS_MOST);
    out->connects = 0;
    JSON_EACH(item, list)
    {
        if (!json_int(item, &port) || port < 1 || port > UINT16_MAX)
            return json_fail(item, e, "expected a TCP port from 1 to 65535");
        out->connect[out->connects++] = (uint16_t)port;
    }
    return true;
}

static bool has_port(const struct sandbox_setup *s, uint16_t port)
{
    for (size_t i = 0; i < s->connects; i++)
        if (s->connect[i] == port)
            return true;
    return false;
}

/* Keep only the ports that the user allows, too. True: some were not. */
static bool common_ports(const struct sandbox_setup *user, struct sandbox_setup *wish)
{
    size_t n = 0, all = wish->connects;

    for (size_t i = 0; i < all; i++)
        if (has_port(user, wish->connect[i]))
            wish->connect[n++] = wish->connect[i];
    wish->connects = n;
    return n < all;
}

static void keep_strict(const struct sandbox_setup *user, struct sandbox_setup *wish,
                        bool loosens[SANDBOX_KEYS])
{
    loosens[SANDBOX_KEY_DEFAULT] =
        sandbox_freedom(wish->standard) > sandbox_freedom(user->standard);
    if (loosens[SANDBOX_KEY_DEFAULT])
        wish->standard = user->standard;
    loosens[SANDBOX_KEY_MODE] = wish->best_effort && !user->best_effort;
    wish->best_effort &= user->best_effort;
    if (wish->connect != user->connect)
        loosens[SANDBOX_KEY_CONNECT] = common_ports(user, wish);
}

bool sandbox_read(struct arena *mem, struct json table, bool from_project, struct sandbox_setup *to,
                  bool loosens[SANDBOX_KEYS], struct err *e)
{
    struct sandbox_table t = { 0 };
    struct sandbox_setup wish = *to;

    if (!json_here(table))
        return true;
    if (!pick(mem, table, PICK_TABLE(sandbox_fields), PICK_STRICT, &t, e) ||
        !read_default(json_get(table, STR("default")), t.standard, &wish, e) ||
        !read_mode(json_get(table, STR("mode")), t.mode, &wish, e) ||
        !read_ports(mem, t.connect, &wish, e))
        return false;
    if (from_project)
        keep_strict(to, &wish, loosens);
    *to = wish;
    return true;
}
