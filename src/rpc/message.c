#include "rpc/message.h"

#include "base/auto.h"
#include "base/pick.h"

struct envelope {
    struct str jsonrpc, method;
    struct json id, params, result, error;
};

/* id, result and error may be null in a response, which is not the same as absent. */
static const struct pick envelope_fields[] = {
    PICK_FIELD("jsonrpc", PICK_STR, struct envelope, jsonrpc, PICK_MUST),
    PICK_FIELD("id", PICK_ANY, struct envelope, id, 0),
    PICK_FIELD("method", PICK_STR, struct envelope, method, 0),
    PICK_FIELD("params", PICK_ANY, struct envelope, params, 0),
    PICK_FIELD("result", PICK_ANY, struct envelope, result, 0),
    PICK_FIELD("error", PICK_ANY, struct envelope, error, 0),
};

static bool usable_id(struct json id)
{
    int64_t n;

    return (json_type(id) == JSON_STRING && !json_has_lone_surrogate(id)) || json_int(id, &n);
}

/* The id for the answer, also of a malformed message; missing if it is ambiguous. */
static struct json id_of(struct json v)
{
    struct json id = { 0 };
    int seen = 0;

    JSON_MEMBERS(key, v)
    {
        if (!json_is(key, STR("id")))
            continue;
        id = json_value(key);
        seen++;
    }
    return seen == 1 && usable_id(id) ? id : (struct json){ 0 };
}

static void malformed(struct rpc_message *m, enum rpc_code code)
{
    m->kind = RPC_MALFORMED;
    m->code = code;
}

static void read_call(const struct envelope *env, struct json v, struct rpc_message *m)
{
    m->kind = json_here(env->id) ? RPC_REQUEST : RPC_NOTIFICATION;
    m->method = env->method;
    if (json_here(env->id) && !json_here(m->id)) {
        json_fail(env->id, &m->why, "expected a string or an integer, found %s",
                  json_type_name(json_type(env->id)));
        malformed(m, RPC_INVALID_REQUEST);
        return;
    }
    if (json_has_lone_surrogate(json_get(v, STR("method")))) {
        fail(&m->why, ERR_INVALID, "method: lone surrogate");
        malformed(m, RPC_INVALID_REQUEST);
        return;
    }
    if (json_here(env->params) && json_type(env->params) != JSON_OBJECT) {
        json_fail(env->params, &m->why, "expected an object, found %s",
                  json_type_name(json_type(env->params)));
        malformed(m, RPC_INVALID_PARAMS);
        return;
    }
    m->params = env->params;
    m->meta = json_get(m->params, STR("_meta"));
}

static void read_response(const struct envelope *env, struct rpc_message *m)
{
    m->kind = RPC_RESPONSE;
    m->result = env->result;
    m->error = env->error;
    if (json_here(env->result) == json_here(env->error)) {
        fail(&m->why, ERR_INVALID, "expected \"method\", or one of \"result\" and \"error\"");
        malformed(m, RPC_INVALID_REQUEST);
    } else if (json_here(env->error) && json_type(env->error) != JSON_OBJECT) {
        json_fail(env->error, &m->why, "expected an object");
        malformed(m, RPC_INVALID_REQUEST);
    }
}

void rpc_message_read(struct arena *mem, struct json v, struct rpc_message *out)
{
    struct envelope env = { 0 };

    *out = (struct rpc_message){ 0 };
    if (!pick(mem, v, PICK_TABLE(envelope_fields), PICK_LENIENT, &env, &out->why)) {
        if (json_type(v) == JSON_OBJECT)
            out->id = id_of(v);
        malformed(out, RPC_INVALID_REQUEST);
        return;
    }
    if (usable_id(env.id))
        out->id = env.id;
    if (!str_eq(env.jsonrpc, STR("2.0"))) {
        json_fail(json_get(v, STR("jsonrpc")), &out->why, "expected \"2.0\"");
        malformed(out, RPC_INVALID_REQUEST);
        return;
    }
    if (env.method.p)
        read_call(&env, v, out);
    else
        read_response(&env, out);
}

/* ---- ids of truncated messages ----------------------------------------------------------- */

static struct str skip_string(struct str s)
{
    s = str_skip(s, 1);
    while (s.n && s.p[0] != '"')
        s = str_skip(s, s.p[0] == '\\' && s.n > 1 ? 2 : 1);
    return s.n ? str_skip(s, 1) : s;
}

/* Skip one value. An empty rest means that the text was truncated. */
static struct str skip_value(struct str s)
{
    int depth = 0;

    while (s.n) {
        char c = s.p[0];

        if (c == '"') {
            s = skip_string(s);
            if (!depth)
                return s;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return s;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        s = str_skip(s, 1);
        if (depth == 0 && (c == '}' || c == ']'))
            return s;
    }
    return s;
}

/* The id is copied into an answer, so it must be valid JSON. */
static bool looks_like_id(struct str raw)
{
    struct json_opts opts = { .max_depth = 1, .max_values = 1 };
    AUTO_ARENA mem = { 0 };
    struct json id;
    struct err e;

    return json_read(&mem, raw, &opts, &id, &e) && usable_id(id);
}

struct str rpc_salvage_id(struct str head)
{
    struct str s = str_trim(head);

    if (!s.n || s.p[0] != '{')
        return STR_NONE;
    s = str_skip(s, 1);
    for (;;) {
        struct str key, value, rest;

        s = str_trim(s);
        if (!s.n || s.p[0] != '"')
            return STR_NONE;
        rest = skip_string(s);
        key = str_head(s, s.n - rest.n);
        rest = str_trim(rest);
        if (!rest.n || rest.p[0] != ':')
            return STR_NONE;
        value = str_trim(str_skip(rest, 1));
        rest = skip_value(value);
        if (!rest.n)
            return STR_NONE;
        value = str_trim(str_head(value, value.n - rest.n));
        if (str_eq(key, STR("\"id\"")))
            return looks_like_id(value) ? value : STR_NONE;
        rest = str_trim(rest);
        if (!rest.n || rest.p[0] != ',')
            return STR_NONE;
        s = str_skip(rest, 1);
    }
}

enum rpc_code rpc_code_of(enum err_code code)
{
    switch (code) {
    case ERR_INVALID:
    case ERR_NOT_FOUND: return RPC_INVALID_PARAMS;
    case ERR_NONE:
    case ERR_LIMIT:
    case ERR_BUSY:
    case ERR_DENIED:
    case ERR_CLOSED:
    case ERR_TIMEOUT:
    case ERR_CANCELED:
    case ERR_SYSTEM: return RPC_INTERNAL_ERROR;
    }
    return RPC_INTERNAL_ERROR;
}
