/*
 * a2a_params.c - read the parameters of an operation.
 *
 * They are in a JSON object, or in the path and the query string. Names are accepted in camelCase
 * and in snake_case, and numbers also as strings, as the JSON encoding of protobuf allows.
 */
#include "proto/a2a/server/a2a_call.h"
#include "wire/http_query.h"

enum { PAGE_DEFAULT = 50, PAGE_MOST = 100, ID_MOST = 256, MODES_MOST = 100 };

/* ---- single values --------------------------------------------------------------------------- */

static bool param_query(struct a2a_call *c, const char *name, struct str *out, struct err *e)
{
    struct arena *mem = &c->req->mem;
    char snake[A2A_NAME];

    if (http_query_get(mem, c->query, str_of(name), out) &&
        (out->p || http_query_get(mem, c->query, a2a_snake_case(name, snake), out)))
        return true;
    return fail(e, ERR_INVALID, "the query parameter %s is duplicated or badly encoded", name);
}

/* The text of a parameter, from the JSON or from the query string; STR_NONE: absent. */
static bool param_text(struct a2a_call *c, struct json from, const char *name, struct str *out,
                       struct err *e)
{
    struct json v = a2a_get(from, name);

    if (json_type(v) == JSON_STRING || json_type(v) == JSON_NUMBER || json_type(v) == JSON_BOOL) {
        *out = json_type(v) == JSON_STRING ? json_str(&c->req->mem, v) : json_raw(v);
        return true;
    }
    if (json_here(v) && json_type(v) != JSON_NULL)
        return json_fail(v, e, "expected a string, found %s", json_type_name(json_type(v)));
    return !c->query.p || json_here(from) || param_query(c, name, out, e);
}

static bool param_str(struct a2a_call *c, struct json from, const char *name, struct str *out,
                      struct err *e)
{
    struct json v = a2a_get(from, name);

    if (json_here(v) && json_type(v) != JSON_NULL && json_type(v) != JSON_STRING)
        return json_fail(v, e, "expected a string, found %s", json_type_name(json_type(v)));
    if (!param_text(c, from, name, out, e))
        return false;
    return !out->p || out->n <= ID_MOST ||
           fail(e, ERR_INVALID, "%s is longer than %d bytes", name, (int)ID_MOST);
}

static bool param_number(struct a2a_call *c, struct json from, const char *name, int64_t least,
                         int64_t most, int64_t *out, struct err *e)
{
    struct str text = STR_NONE;
    struct json v = a2a_get(from, name);
    uint64_t n = 0;
    int64_t whole = 0;

    if (!param_text(c, from, name, &text, e))
        return false;
    if (!text.p)
        return true;
    if (json_type(v) == JSON_NUMBER ? !json_int(v, &whole) || whole < least || whole > most
                                    : !str_uint(text, (uint64_t)least, (uint64_t)most, &n))
        return fail(e, ERR_INVALID, "%s: expected a number from %lld to %lld", name,
                    (long long)least, (long long)most);
    *out = json_type(v) == JSON_NUMBER ? whole : (int64_t)n;
    return true;
}

static bool param_bool(struct a2a_call *c, struct json from, const char *name, bool *out,
                       struct err *e)
{
    struct str text = STR_NONE;

    if (!param_text(c, from, name, &text, e))
        return false;
    if (!text.p)
        return true;
    *out = str_eq(text, STR("true"));
    return *out || str_eq(text, STR("false")) ||
           fail(e, ERR_INVALID, "%s: expected true or false", name);
}

static bool must_have(struct str value, const char *name, struct err *e)
{
    return value.n || fail(e, ERR_INVALID, "missing required parameter \"%s\" (string)", name);
}

/* The task: "taskId" or "id" by operation; over HTTP+JSON it was taken from the path. */
static bool param_task(struct a2a_call *c, const char *first, const char *second, struct err *e)
{
    if (c->params.id.n)
        return true;
    if (!param_str(c, c->args, first, &c->params.id, e) ||
        (!c->params.id.n && second && !param_str(c, c->args, second, &c->params.id, e)))
        return false;
    return must_have(c->params.id, first, e);
}

static bool param_history(struct a2a_call *c, struct json from, struct err *e)
{
    return param_number(c, from, "historyLength", 0, INT32_MAX, &c->params.history, e);
}

static bool param_metadata(struct a2a_call *c, struct err *e)
{
    struct json v = json_get(c->args, STR("metadata"));

    if (!json_here(v) || json_type(v) == JSON_NULL)
        return true;
    if (json_type(v) != JSON_OBJECT)
        return json_fail(v, e, "expected an object");
    c->params.metadata = json_raw(v);
    return true;
}

/* ---- send and stream ------------------------------------------------------------------------- */

/* One direction: "blocking" of 0.3, "returnImmediately" of 1.0. */
static bool param_blocking(struct a2a_call *c, struct json config, struct err *e)
{
    bool at_once = false;

    /* HTTP+JSON of 0.3 leaves out false */
    c->params.blocking = c->dialect != A2A_0_3_REST;
    if (!param_bool(c, config, "blocking", &c->params.blocking, e) ||
        !param_bool(c, config, "returnImmediately", &at_once, e))
        return false;
    c->params.blocking &= !at_once;
    return true;
}

static bool param_push(struct a2a_call *c, struct json config, struct err *e)
{
    static const char *const names[] = { "taskPushNotificationConfig", "pushNotificationConfig",
                                         "pushNotification" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct json v = a2a_get(config, names[i]);

        if (!json_here(v) || json_type(v) == JSON_NULL)
            continue;
        c->params.has_push = true;
        return a2a_read_push(&c->req->mem, v, &c->params.push, e);
    }
    return true;
}

/* Checked only: agents answer in text, and add the files that they make. */
static bool check_output_modes(struct json config, struct err *e)
{
    struct json v = a2a_get(config, "acceptedOutputModes");

    if (!json_here(v) || json_type(v) == JSON_NULL)
        return true;
    if (json_type(v) != JSON_ARRAY || json_count(v) > MODES_MOST)
        return json_fail(v, e, "expected an array of at most %d strings", (int)MODES_MOST);
    JSON_EACH(item, v)
    {
        if (json_type(item) != JSON_STRING)
            return json_fail(item, e, "expected a string");
    }
    return true;
}

/* 0.1 has the session, the task and the options beside the message. */
static bool params_of_first(struct a2a_call *c, struct err *e)
{
    struct a2a_message *m = &c->params.message;
    struct str task = STR_NONE;

    if (!param_str(c, c->args, "sessionId", &m->context, e) ||
        !param_str(c, c->args, "id", &task, e))
        return false;
    if (!m->id.n)
        m->id = task;
    return param_history(c, c->args, e) && param_push(c, c->args, e) &&
           param_blocking(c, c->args, e);
}

/* "image/" and a star stands for all images. */
static bool type_matches(struct str pattern, struct str type)
{
    if (str_ends(pattern, STR("/*")))
        return str_eq(pattern, STR("*/*")) || str_starts(type, str_head(pattern, pattern.n - 1));
    return str_eq_nocase(pattern, type);
}

/* Without parameters such as "; charset=utf-8". */
static bool type_is_taken(const struct a2a_setup *setup, struct str type)
{
    size_t n;
    const struct str *mode = a2a_input_modes(setup, &n);

    type = str_trim(str_cut(&type, ';'));
    if (!type.n || str_eq(type, STR("text")))
        return true;
    for (size_t i = 0; i < n; i++)
        if (type_matches(mode[i], type))
            return true;
    return false;
}

static bool check_types(struct a2a_call *c, enum a2a_error *error, struct err *e)
{
    const struct a2a_message *m = &c->params.message;

    for (size_t i = 0; i < m->parts.n; i++) {
        if (type_is_taken(c->server->setup, m->parts.v[i].type))
            continue;
        *error = A2A_CONTENT_TYPE_NOT_SUPPORTED;
        return fail(e, ERR_INVALID,
                    "message.parts[%zu]: the media type " STR_FMT
                    " is not supported; the card of the agent lists the input modes",
                    i, STR_ARG(str_head(m->parts.v[i].type, 80)));
    }
    return true;
}

static bool params_send(struct a2a_call *c, enum a2a_error *error, struct err *e)
{
    struct json config = a2a_get(c->args, "configuration"),
                message = json_get(c->args, STR("message"));

    if (!json_here(message))
        return fail(e, ERR_INVALID, "missing required parameter \"message\" (object)");
    if (json_here(config) && json_type(config) != JSON_NULL && json_type(config) != JSON_OBJECT)
        return json_fail(config, e, "expected an object");
    if (!a2a_read_message(&c->req->mem, c->dialect, c->server->limits, message, &c->params.message,
                          e) ||
        !param_metadata(c, e))
        return false;
    if (c->params.message.from_agent)
        return json_fail(json_get(message, STR("role")), e,
                         "the role of a message to an agent is user");
    if (!a2a_dialects[c->dialect].message_ids) {
        if (!params_of_first(c, e))
            return false;
    } else if (!param_history(c, config, e) || !param_push(c, config, e) ||
               !check_output_modes(config, e) || !param_blocking(c, config, e)) {
        return false;
    }
    if (c->params.message.context.n > ID_MOST || c->params.message.id.n > ID_MOST)
        return fail(e, ERR_INVALID, "messageId and contextId have at most %d bytes", (int)ID_MOST);
    return check_types(c, error, e);
}

/* ---- list ------------------------------------------------------------------------------------ */

/* "2026-11-15T09:30:00Z", with a fraction or not: to ms since 1970. */
static bool read_time(struct str text, int64_t *out)
{
    static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
    int64_t part[6], ms = 0, days;
    static const struct {
        size_t at, n;
        int least, most;
    } rows[] = { { 0, 4, 1970, 9999 }, { 5, 2, 1, 12 },  { 8, 2, 1, 31 },
                 { 11, 2, 0, 23 },     { 14, 2, 0, 59 }, { 17, 2, 0, 60 } };

    if (text.n < 20 || text.p[4] != '-' || text.p[7] != '-' || text.p[10] != 'T' ||
        text.p[13] != ':' || text.p[16] != ':' || text.p[text.n - 1] != 'Z')
        return false;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t n;

        if (!str_uint((struct str){ text.p + rows[i].at, rows[i].n }, (uint64_t)rows[i].least,
                      (uint64_t)rows[i].most, &n))
            return false;
        part[i] = (int64_t)n;
    }
    if (text.n > 20) {
        struct str digits = { text.p + 20, text.n - 21 };

        if (text.p[19] != '.' || !digits.n || digits.n > 9)
            return false;
        for (size_t i = 0; i < digits.n; i++) {
            if (digits.p[i] < '0' || digits.p[i] > '9')
                return false;
            if (i < 3)
                ms += (digits.p[i] - '0') * (i == 0 ? 100 : i == 1 ? 10 : 1);
        }
    } else if (text.p[19] != 'Z') {
        return false;
    }
    days = (part[0] - 1970) * 365 + (part[0] - 1969) / 4 - (part[0] - 1901) / 100 +
           (part[0] - 1601) / 400 + before[part[1] - 1] + part[2] - 1;
    if (part[1] > 2 && part[0] % 4 == 0 && (part[0] % 100 != 0 || part[0] % 400 == 0))
        days++;
    *out = ((days * 24 + part[3]) * 60 + part[4]) * 60000 + part[5] * 1000 + ms;
    return true;
}

static bool params_list(struct a2a_call *c, struct err *e)
{
    struct a2a_params *p = &c->params;
    struct str status = STR_NONE, since = STR_NONE;

    p->page_size = PAGE_DEFAULT;
    p->history = 0;
    if (!param_str(c, c->args, "contextId", &p->context, e) ||
        !param_str(c, c->args, "status", &status, e) ||
        !param_str(c, c->args, "pageToken", &p->page_token, e) ||
        !param_str(c, c->args, "statusTimestampAfter", &since, e) ||
        !param_number(c, c->args, "pageSize", 1, PAGE_MOST, &p->page_size, e) ||
        !param_history(c, c->args, e) ||
        !param_bool(c, c->args, "includeArtifacts", &p->artifacts, e))
        return false;
    if (status.n && !str_eq(status, STR("TASK_STATE_UNSPECIFIED")) &&
        !a2a_state_named(status, &p->state))
        return fail(e, ERR_INVALID, "status: unknown state of a task: " STR_FMT,
                    STR_ARG(str_head(status, 40)));
    return !since.n || read_time(since, &p->since) ||
           fail(e, ERR_INVALID,
                "statusTimestampAfter: expected a time such as 2026-11-15T09:30:00.123Z");
}

/* ---- push configurations --------------------------------------------------------------------- */

static bool params_push_set(struct a2a_call *c, struct err *e)
{
    struct str task = c->params.id;

    if (!a2a_read_push(&c->req->mem, c->args, &c->params.push, e))
        return false;
    if (!task.n)
        task = c->params.push.task;
    c->params.id = c->params.push.task = task;
    return must_have(task, "taskId", e);
}

static bool params_push_get(struct a2a_call *c, struct err *e)
{
    bool modern = c->dialect == A2A_1_0;

    if (!param_task(c, modern ? "taskId" : "id", modern ? NULL : "taskId", e))
        return false;
    if (c->params.push_id.n)
        return true;
    return param_str(c, c->args, modern ? "id" : "pushNotificationConfigId", &c->params.push_id, e);
}

/* ---- all ------------------------------------------------------------------------------------- */

bool a2a_params_read(struct a2a_call *c, enum a2a_error *error, struct err *e)
{
    if (json_here(c->args) && json_type(c->args) != JSON_OBJECT)
        return json_fail(c->args, e, "expected an object with the parameters");
    if (json_here(c->args) && !pick_check_keys(&c->req->mem, c->args, e))
        return false;
    switch (c->op) {
    case A2A_SEND:
    case A2A_STREAM: return params_send(c, error, e);
    case A2A_GET: return param_task(c, "id", NULL, e) && param_history(c, c->args, e);
    case A2A_CANCEL: return param_task(c, "id", NULL, e) && param_metadata(c, e);
    case A2A_SUBSCRIBE: return param_task(c, "id", NULL, e);
    case A2A_LIST: return params_list(c, e);
    case A2A_PUSH_SET: return params_push_set(c, e);
    case A2A_PUSH_GET:
    case A2A_PUSH_DELETE: return params_push_get(c, e);
    case A2A_PUSH_LIST: return param_task(c, c->dialect == A2A_1_0 ? "taskId" : "id", "taskId", e);
    case A2A_EXTENDED_CARD: return true;
    case A2A_OPS: break;
    }
    return false;
}
