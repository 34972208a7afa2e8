#include "proto/mcp/mcp_question.h"

#include "base/auto.h"
#include "core/guard/permission_option.h"

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

/* A permission as a form, whose only field is the choice between its options. */
static struct str permission_form(struct arena *mem, struct str params)
{
    struct json all;
    struct err e;

    if (!json_read(mem, arena_str(mem, params), &own_opts, &all, &e))
        return STR("{}");
    return arena_printf(mem, "{\"message\":" STR_FMT ",\"requestedSchema\":" STR_FMT "}",
                        STR_ARG(json_raw(json_get(all, STR("message")))),
                        STR_ARG(permission_schema(mem, json_get(all, STR("options")))));
}

/* The two elicitations share a method; the one by URL has a mode. */
struct str mcp_ask_params(struct arena *mem, enum ask_kind kind, struct str params)
{
    if (params.n < 2)
        params = STR("{}");
    if (kind == ASK_PERMISSION)
        return permission_form(mem, params);
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

/* A client sends a rejecting option by accepting the form, so the action is ignored. */
struct json mcp_answer_taken(struct arena *mem, enum ask_kind kind, struct json answer)
{
    struct json content = json_get(answer, STR("content")), taken = { 0 };
    struct json option = json_get(content, STR("option"));
    struct buf out;
    struct jw w = jw_to(&out);
    struct err e;

    if (kind != ASK_PERMISSION)
        return answer;
    buf_init_in(&out, mem, 2 * json_raw(answer).n + 64);
    jw_object(&w);
    jw_kraw(&w, "action", json_raw(json_get(answer, STR("action"))));
    if (json_is(json_get(answer, STR("action")), STR("accept"))) {
        if (json_type(option) == JSON_STRING)
            jw_kraw(&w, "option", json_raw(option));
        else if (json_true(json_get(content, STR("always"))))
            jw_kraw(&w, "content", STR("{\"always\":true}"));
    }
    jw_object_end(&w);
    return json_read(mem, buf_str(&out), &own_opts, &taken, &e) ? taken : answer;
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
