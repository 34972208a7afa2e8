#include "proto/mcp/mcp_question.h"

#include "base/auto.h"

/* ---- questions --------------------------------------------------------------------------- */

const char *mcp_ask_method(enum ask_kind kind)
{
    static const char *const names[ASK_KINDS] = {
        [ASK_FORM] = "elicitation/create",       [ASK_URL] = "elicitation/create",
        [ASK_SAMPLE] = "sampling/createMessage", [ASK_ROOTS] = "roots/list",
        [ASK_PERMISSION] = "elicitation/create",
    };

    return names[kind];
}

static const struct json_opts own_opts = { .max_depth = 16, .max_values = 1 << 16 };

/* The same question without what would hold for later calls. */
static struct str ask_once(struct arena *mem, struct str params)
{
    struct json all;
    struct err e;

    if (!json_read(mem, arena_str(mem, params), &own_opts, &all, &e))
        return STR("{}");
    return arena_printf(mem, "{\"message\":" STR_FMT ",\"requestedSchema\":" ASK_ONCE_SCHEMA "}",
                        STR_ARG(json_raw(json_get(all, STR("message")))));
}

/* The two elicitations share a method; the one by page says so. */
struct str mcp_ask_params(struct arena *mem, enum ask_kind kind, struct str params)
{
    if (params.n < 2)
        params = STR("{}");
    if (kind == ASK_PERMISSION)
        return ask_once(mem, params);
    if (kind != ASK_URL)
        return params;
    return arena_printf(mem, "{\"mode\":\"url\"%s" STR_FMT, params.n > 2 ? "," : "",
                        STR_ARG(str_skip(params, 1)));
}

void mcp_write_ask(struct jw *w, struct arena *mem, struct str key, enum ask_kind kind,
                   struct str params)
{
    jw_key(w, key);
    jw_object(w);
    jw_kstr(w, "method", str_of(mcp_ask_method(kind)));
    jw_kraw(w, "params", mcp_ask_params(mem, kind, params));
    jw_object_end(w);
}

static bool elicited(struct json answer)
{
    struct json action = json_get(answer, STR("action")),
                content = json_get(answer, STR("content"));

    return (json_is(action, STR("accept")) || json_is(action, STR("decline")) ||
            json_is(action, STR("cancel"))) &&
           (!json_here(content) || json_type(content) == JSON_OBJECT ||
            json_type(content) == JSON_NULL);
}

static bool sampled(struct json answer)
{
    enum json_type content = json_type(json_get(answer, STR("content")));

    return json_type(json_get(answer, STR("role"))) == JSON_STRING &&
           json_type(json_get(answer, STR("model"))) == JSON_STRING &&
           (content == JSON_OBJECT || content == JSON_ARRAY);
}

bool mcp_answer_fits(enum ask_kind kind, struct json answer)
{
    switch (kind) {
    case ASK_FORM:
    case ASK_PERMISSION:
    case ASK_URL: return elicited(answer);
    case ASK_SAMPLE: return sampled(answer);
    case ASK_ROOTS: return json_type(json_get(answer, STR("roots"))) == JSON_ARRAY;
    case ASK_KINDS: break;
    }
    return false;
}

struct json mcp_answer_taken(struct arena *mem, enum ask_kind kind, struct json answer)
{
    struct json taken;
    struct err e;

    if (kind != ASK_PERMISSION)
        return answer;
    if (!json_read(mem,
                   arena_printf(mem, "{\"action\":" STR_FMT "}",
                                STR_ARG(json_raw(json_get(answer, STR("action"))))),
                   &own_opts, &taken, &e))
        return answer;
    return taken;
}

/* ---- levels ------------------------------------------------------------------------------ */

static const char *const level_names[] = {
    [CALL_DEBUG] = "debug",     [CALL_INFO] = "info",           [CALL_NOTICE] = "notice",
    [CALL_WARNING] = "warning", [CALL_ERROR] = "error",         [CALL_CRITICAL] = "critical",
    [CALL_ALERT] = "alert",     [CALL_EMERGENCY] = "emergency",
};

const char *mcp_level_name(enum call_level level)
{
    return level_names[level];
}

bool mcp_level_named(struct str name, enum call_level *out)
{
    for (size_t i = 0; i < ARRAY_LEN(level_names); i++) {
        if (str_eq(name, str_of(level_names[i]))) {
            *out = (enum call_level)i;
            return true;
        }
    }
    return false;
}
