/* a2a_read.c - read the objects of A2A, in the spelling of any dialect. */
#include "base/auto.h"
#include "base/base64.h"
#include "proto/a2a/a2a_codec.h"

struct str a2a_snake_case(const char *camel, char out[A2A_NAME])
{
    size_t n = 0;

    for (; *camel && n < A2A_NAME - 2; camel++) {
        bool upper = *camel >= 'A' && *camel <= 'Z';

        if (upper)
            out[n++] = '_';
        out[n++] = (char)(upper ? *camel - 'A' + 'a' : *camel);
    }
    return (struct str){ out, n };
}

struct json a2a_get(struct json obj, const char *camel)
{
    struct json v = json_get(obj, str_of(camel));
    char snake[A2A_NAME];

    return json_here(v) ? v : json_get(obj, a2a_snake_case(camel, snake));
}

/* The first of these members that is there and not null. */
static struct json get_any(struct json obj, const char *const *names, size_t n)
{
    struct json v = { 0 };

    for (size_t i = 0; i < n; i++) {
        v = a2a_get(obj, names[i]);
        if (json_here(v) && json_type(v) != JSON_NULL)
            return v;
    }
    return (struct json){ 0 };
}

#define GET_ANY(obj, ...)                                                                          \
    get_any(obj, (const char *const[]){ __VA_ARGS__ },                                             \
            ARRAY_LEN(((const char *const[]){ __VA_ARGS__ })))

static bool read_str(struct arena *mem, struct json v, struct str *out, struct err *e)
{
    if (!json_here(v) || json_type(v) == JSON_NULL)
        return true;
    if (json_type(v) != JSON_STRING)
        return json_fail(v, e, "expected a string, found %s", json_type_name(json_type(v)));
    *out = json_str(mem, v);
    return true;
}

static bool read_strs(struct arena *mem, struct json v, const struct limits *limits,
                      struct pick_strs *out, struct err *e)
{
    size_t n = json_count(v);

    if (!json_here(v) || json_type(v) == JSON_NULL)
        return true;
    if (json_type(v) != JSON_ARRAY)
        return json_fail(v, e, "expected an array of strings");
    if (n > (size_t)limits->parts)
        return json_fail(v, e, "more than %lld strings", (long long)limits->parts);
    out->v = ARENA_ARRAY(mem, struct str, n);
    out->set = true;
    out->n = 0;
    JSON_EACH(item, v)
    {
        if (json_type(item) != JSON_STRING)
            return json_fail(item, e, "expected a string");
        out->v[out->n++] = json_str(mem, item);
    }
    return true;
}

static bool read_raw_object(struct json v, struct str *out, struct err *e)
{
    if (!json_here(v) || json_type(v) == JSON_NULL)
        return true;
    if (json_type(v) != JSON_OBJECT)
        return json_fail(v, e, "expected an object, found %s", json_type_name(json_type(v)));
    *out = json_raw(v);
    return true;
}

static bool must_be_object(struct arena *mem, struct json v, const char *what, struct err *e)
{
    if (json_type(v) != JSON_OBJECT)
        return json_fail(v, e, "expected %s (object), found %s", what,
                         json_type_name(json_type(v)));
    return pick_check_keys(mem, v, e);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* JSON encodings of protobuf may use either alphabet; only one is passed on. */
static bool read_base64(struct arena *mem, struct json v, struct str *out, struct err *e)
{
    AUTO_ARENA scratch = { 0 };
    struct str bytes;

    if (!read_str(mem, v, out, e))
        return false;
    if (base64_decode(&scratch, BASE64_PLAIN, *out, &bytes))
        return true;
    if (!base64_decode(&scratch, BASE64_URL, *out, &bytes))
        return json_fail(v, e, "expected base64 with padding (RFC 4648)");
    *out = base64_encode(mem, BASE64_PLAIN, bytes);
    return true;
}

static bool read_bytes(struct arena *mem, struct json bytes, struct block *out, struct err *e)
{
    out->kind = BLOCK_MEDIA;
    if (!out->type.n)
        out->type = STR("application/octet-stream");
    return read_base64(mem, bytes, &out->data, e);
}

static bool read_link(struct arena *mem, struct json uri, struct block *out, struct err *e)
{
    if (!read_str(mem, uri, &out->uri, e))
        return false;
    return out->uri.n || json_fail(uri, e, "expected a URL");
}

/* `v` is the object with the name and the media type: the part or its member "file". */
static bool read_file(struct arena *mem, struct json v, struct json bytes, struct json uri,
                      struct block *out, struct err *e)
{
    if (json_here(bytes) == json_here(uri))
        return json_fail(v, e, "expected either the bytes of the file or its URL");
    if (!read_str(mem, GET_ANY(v, "filename", "name"), &out->name, e) ||
        !read_str(mem, GET_ANY(v, "mediaType", "mimeType"), &out->type, e))
        return false;
    return json_here(bytes) ? read_bytes(mem, bytes, out, e) : read_link(mem, uri, out, e);
}

static bool read_file_object(struct arena *mem, struct json file, struct block *out, struct err *e)
{
    return must_be_object(mem, file, "a file", e) &&
           read_file(mem, file, GET_ANY(file, "bytes", "fileWithBytes"),
                     GET_ANY(file, "uri", "fileWithUri", "url"), out, e);
}

static bool read_data(enum a2a_dialect dialect, struct json v, struct block *out)
{
    struct json inner = json_get(v, STR("data"));

    if (dialect == A2A_0_3_REST && json_here(inner))
        v = inner;
    out->text = json_raw(v);
    out->is_data = true;
    return true;
}

static bool read_text(struct arena *mem, struct json v, struct json text, struct block *out,
                      struct err *e)
{
    return read_str(mem, text, &out->text, e) &&
           read_str(mem, GET_ANY(v, "mediaType", "mimeType"), &out->type, e);
}

/* A kind of part that nobody has defined is an error, not an empty part. */
static bool check_tag(struct json v, struct str *tag, struct arena *mem, struct err *e)
{
    struct json kind = GET_ANY(v, "kind", "type");

    if (!read_str(mem, kind, tag, e))
        return false;
    return !tag->p || str_eq(*tag, STR("text")) || str_eq(*tag, STR("file")) ||
           str_eq(*tag, STR("data")) ||
           json_fail(kind, e, "unknown kind of part; expected text, file or data");
}

static bool read_part(struct arena *mem, enum a2a_dialect dialect, struct json v, struct block *out,
                      struct err *e)
{
    struct json text, file, raw, url, data;
    struct str tag = STR_NONE;
    bool flat;

    if (!must_be_object(mem, v, "a part", e) || !check_tag(v, &tag, mem, e))
        return false;
    text = GET_ANY(v, "text");
    file = GET_ANY(v, "file");
    raw = GET_ANY(v, "raw");
    url = GET_ANY(v, "url", "uri");
    data = json_get(v, STR("data")); /* null is a value */
    flat = str_eq(tag, STR("file")) && !json_here(file);
    if (json_here(text) + json_here(file) + json_here(raw) + json_here(url) + json_here(data) != 1)
        return json_fail(v, e, "expected exactly one of text, file, raw, url and data");
    if (json_here(text))
        return read_text(mem, v, text, out, e);
    if (json_here(file))
        return read_file_object(mem, file, out, e);
    if (json_here(data) && !flat)
        return read_data(dialect, data, out);
    return read_file(mem, v, flat && json_here(data) ? data : raw, url, out, e);
}

static bool read_parts(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                       struct json v, struct blocks *out, struct err *e)
{
    struct block *part;
    size_t n = json_count(v);

    if (json_type(v) != JSON_ARRAY)
        return json_fail(v, e, "expected an array of parts");
    if (n > (size_t)limits->parts) {
        json_fail(v, e, "more than %lld parts (limits.parts)", (long long)limits->parts);
        e->code = ERR_LIMIT;
        return false;
    }
    part = ARENA_ARRAY(mem, struct block, n);
    out->v = part;
    out->n = n;
    JSON_EACH(item, v)
    {
        if (!read_part(mem, dialect, item, part++, e))
            return false;
    }
    return true;
}

/* ---- messages -------------------------------------------------------------------------------- */

static bool read_role(struct arena *mem, struct json v, struct json message, bool *from_agent,
                      struct err *e)
{
    struct str role = STR_NONE;

    if (!read_str(mem, v, &role, e))
        return false;
    *from_agent = str_eq(role, STR("agent")) || str_eq(role, STR("ROLE_AGENT"));
    if (*from_agent || str_eq(role, STR("user")) || str_eq(role, STR("ROLE_USER")))
        return true;
    return role.p ? json_fail(v, e, "expected the role user or agent")
                  : json_fail(message, e, "missing required member \"role\"");
}

static bool read_message_ids(struct arena *mem, const struct a2a_dialect_row *d, struct json v,
                             struct a2a_message *out, struct err *e)
{
    if (!read_str(mem, a2a_get(v, "messageId"), &out->id, e) ||
        !read_str(mem, GET_ANY(v, "contextId", "sessionId"), &out->context, e) ||
        !read_str(mem, a2a_get(v, "taskId"), &out->task, e))
        return false;
    return out->id.n || !d->message_ids ||
           json_fail(v, e, "missing required member \"messageId\" (string)");
}

bool a2a_read_message(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                      struct json v, struct a2a_message *out, struct err *e)
{
    struct a2a_message m = { 0 };
    struct json parts;

    if (!must_be_object(mem, v, "a message", e))
        return false;
    parts = GET_ANY(v, "parts", "content");
    if (!json_here(parts))
        return json_fail(v, e, "missing required member \"parts\" (array)");
    if (!read_message_ids(mem, &a2a_dialects[dialect], v, &m, e) ||
        !read_role(mem, json_get(v, STR("role")), v, &m.from_agent, e) ||
        !read_parts(mem, dialect, limits, parts, &m.parts, e) ||
        !read_raw_object(a2a_get(v, "metadata"), &m.metadata, e) ||
        !read_strs(mem, a2a_get(v, "extensions"), limits, &m.extensions, e) ||
        !read_strs(mem, a2a_get(v, "referenceTaskIds"), limits, &m.references, e))
        return false;
    if (!m.parts.n)
        return json_fail(parts, e, "expected at least one part");
    *out = m;
    return true;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static bool read_state(struct arena *mem, struct json v, enum task_state *out, struct err *e)
{
    struct str name = STR_NONE;

    if (!read_str(mem, v, &name, e))
        return false;
    return a2a_state_named(name, out) ||
           json_fail(v, e, "unknown state of a task: " STR_FMT, STR_ARG(str_head(name, 40)));
}

/* A peer's message in a status may be incomplete: it is for people, so nothing is required. */
static const struct a2a_message *read_status_message(struct arena *mem, enum a2a_dialect dialect,
                                                     const struct limits *limits, struct json v)
{
    struct a2a_message m, *out;
    struct err ignored;

    if (json_type(v) != JSON_OBJECT || !a2a_read_message(mem, dialect, limits, v, &m, &ignored))
        return NULL;
    out = ARENA_NEW(mem, struct a2a_message);
    *out = m;
    return out;
}

static bool read_status(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                        struct json v, struct a2a_status *out, struct err *e)
{
    if (json_type(v) == JSON_STRING)
        return read_state(mem, v, &out->state, e);
    if (!must_be_object(mem, v, "a status", e) ||
        !read_state(mem, json_get(v, STR("state")), &out->state, e) ||
        !read_str(mem, json_get(v, STR("timestamp")), &out->time, e))
        return false;
    out->message = read_status_message(mem, dialect, limits, json_get(v, STR("message")));
    return true;
}

bool a2a_read_artifact(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                       struct json v, struct a2a_artifact *out, struct err *e)
{
    struct a2a_artifact a = { 0 };
    struct json index;

    if (!must_be_object(mem, v, "an artifact", e) ||
        !read_str(mem, a2a_get(v, "artifactId"), &a.id, e) ||
        !read_str(mem, json_get(v, STR("name")), &a.name, e) ||
        !read_str(mem, json_get(v, STR("description")), &a.description, e) ||
        !read_raw_object(json_get(v, STR("metadata")), &a.metadata, e) ||
        !read_parts(mem, dialect, limits, json_get(v, STR("parts")), &a.parts, e))
        return false;
    index = json_get(v, STR("index")); /* 0.1 has no ids, but numbers */
    if (!a.id.n)
        a.id = json_type(index) == JSON_NUMBER ? json_raw(index) : a.name.n ? a.name : STR("0");
    *out = a;
    return true;
}

static bool read_artifacts(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                           struct json v, struct a2a_task *out, struct err *e)
{
    struct a2a_artifact *at;

    if (!json_here(v) || json_type(v) == JSON_NULL)
        return true;
    if (json_type(v) != JSON_ARRAY)
        return json_fail(v, e, "expected an array of artifacts");
    out->artifacts = json_count(v);
    out->artifact = at = ARENA_ARRAY(mem, struct a2a_artifact, out->artifacts);
    JSON_EACH(item, v)
    {
        if (!a2a_read_artifact(mem, dialect, limits, item, at++, e))
            return false;
    }
    return true;
}

static bool read_history(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                         struct json v, struct a2a_task *out, struct err *e)
{
    struct a2a_message *at;

    if (!json_here(v) || json_type(v) == JSON_NULL)
        return true;
    if (json_type(v) != JSON_ARRAY)
        return json_fail(v, e, "expected an array of messages");
    out->messages = json_count(v);
    out->history = at = ARENA_ARRAY(mem, struct a2a_message, out->messages);
    JSON_EACH(item, v)
    {
        if (!a2a_read_message(mem, dialect, limits, item, at++, e))
            return false;
    }
    return true;
}

bool a2a_read_task(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                   struct json v, struct a2a_task *out, struct err *e)
{
    struct a2a_task t = { 0 };

    if (!must_be_object(mem, v, "a task", e) || !read_str(mem, json_get(v, STR("id")), &t.id, e) ||
        !read_str(mem, GET_ANY(v, "contextId", "sessionId"), &t.context, e) ||
        !read_status(mem, dialect, limits, json_get(v, STR("status")), &t.status, e) ||
        !read_artifacts(mem, dialect, limits, json_get(v, STR("artifacts")), &t, e) ||
        !read_history(mem, dialect, limits, GET_ANY(v, "history", "messages"), &t, e) ||
        !read_raw_object(json_get(v, STR("metadata")), &t.metadata, e))
        return false;
    if (!t.id.n)
        return json_fail(v, e, "missing required member \"id\" (string)");
    *out = t;
    return true;
}

/* ---- updates --------------------------------------------------------------------------------- */

static bool read_update_ids(struct arena *mem, struct json v, struct a2a_update *out, struct err *e)
{
    return read_str(mem, GET_ANY(v, "taskId", "id"), &out->task_id, e) &&
           read_str(mem, GET_ANY(v, "contextId", "sessionId"), &out->context, e) &&
           read_raw_object(json_get(v, STR("metadata")), &out->metadata, e);
}

static bool read_status_update(struct arena *mem, enum a2a_dialect dialect,
                               const struct limits *limits, struct json v, struct a2a_update *out,
                               struct err *e)
{
    out->kind = A2A_STATUS;
    out->final = json_true(json_get(v, STR("final")));
    return must_be_object(mem, v, "a status update", e) && read_update_ids(mem, v, out, e) &&
           read_status(mem, dialect, limits, json_get(v, STR("status")), &out->status, e);
}

static bool read_artifact_update(struct arena *mem, enum a2a_dialect dialect,
                                 const struct limits *limits, struct json v, struct a2a_update *out,
                                 struct err *e)
{
    struct json artifact = json_get(v, STR("artifact"));
    struct json flags = a2a_dialects[dialect].flags_inside ? artifact : v;

    out->kind = A2A_ARTIFACT;
    out->append = json_true(json_get(flags, STR("append")));
    out->last = json_true(a2a_get(flags, "lastChunk"));
    return must_be_object(mem, v, "an artifact update", e) && read_update_ids(mem, v, out, e) &&
           a2a_read_artifact(mem, dialect, limits, artifact, &out->artifact, e);
}

/* Which member of a wrapper, or which "kind", or which members of a bare object tell the kind. */
static struct json unwrap_update(struct json v, enum a2a_update_kind *kind)
{
    static const struct {
        const char *wrapper;
        struct str kind;
    } rows[] = {
        [A2A_TASK] = { "task", { "task", 4 } },
        [A2A_MESSAGE] = { "message", { "message", 7 } },
        [A2A_STATUS] = { "statusUpdate", { "status-update", 13 } },
        [A2A_ARTIFACT] = { "artifactUpdate", { "artifact-update", 15 } },
    };
    struct json tag = json_get(v, STR("kind"));

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct json inner = a2a_get(v, rows[i].wrapper);

        *kind = (enum a2a_update_kind)i;
        if (json_is(tag, rows[i].kind))
            return v;
        if (!json_here(tag) && json_type(inner) == JSON_OBJECT)
            return inner;
    }
    if (json_here(json_get(v, STR("artifact"))))
        *kind = A2A_ARTIFACT;
    else if (json_here(json_get(v, STR("final"))) || json_here(a2a_get(v, "taskId")))
        *kind = A2A_STATUS;
    else if (json_here(json_get(v, STR("status"))))
        *kind = A2A_TASK;
    else if (json_here(json_get(v, STR("role"))))
        *kind = A2A_MESSAGE;
    else
        return (struct json){ 0 };
    return v;
}

bool a2a_read_update(struct arena *mem, enum a2a_dialect dialect, const struct limits *limits,
                     struct json v, struct a2a_update *out, struct err *e)
{
    struct a2a_update u = { 0 };
    enum a2a_update_kind kind;
    struct json inner = unwrap_update(v, &kind);
    bool ok = false;

    if (!json_here(inner))
        return json_fail(v, e, "expected a task, a message, a status update or an artifact update");
    u.kind = kind;
    switch (kind) {
    case A2A_TASK: ok = a2a_read_task(mem, dialect, limits, inner, &u.task, e); break;
    case A2A_MESSAGE: ok = a2a_read_message(mem, dialect, limits, inner, &u.message, e); break;
    case A2A_STATUS: ok = read_status_update(mem, dialect, limits, inner, &u, e); break;
    case A2A_ARTIFACT: ok = read_artifact_update(mem, dialect, limits, inner, &u, e); break;
    }
    if (ok)
        *out = u;
    return ok;
}

/* ---- push configurations --------------------------------------------------------------------- */

/* 0.3 has a list of schemes; the first one is used. */
static bool read_authentication(struct arena *mem, struct json v, struct a2a_push *out,
                                struct err *e)
{
    struct json scheme = json_get(v, STR("scheme")),
                first = json_first(json_get(v, STR("schemes")));

    if (!json_here(v) || json_type(v) == JSON_NULL)
        return true;
    if (!must_be_object(mem, v, "an authentication", e))
        return false;
    return read_str(mem, json_here(scheme) ? scheme : first, &out->scheme, e) &&
           read_str(mem, json_get(v, STR("credentials")), &out->credentials, e);
}

bool a2a_read_push(struct arena *mem, struct json v, struct a2a_push *out, struct err *e)
{
    struct a2a_push p = { 0 };
    struct json inner, url;

    if (!must_be_object(mem, v, "a push configuration", e))
        return false;
    if (json_type(json_get(v, STR("config"))) == JSON_OBJECT)
        v = json_get(v, STR("config")); /* the request of 0.3 over HTTP+JSON */
    inner = a2a_get(v, "pushNotificationConfig");
    if (json_here(inner)) {
        if (!must_be_object(mem, inner, "a push configuration", e) ||
            !read_str(mem, GET_ANY(v, "taskId", "id"), &p.task, e))
            return false;
    } else {
        inner = v;
        if (!read_str(mem, a2a_get(v, "taskId"), &p.task, e))
            return false;
    }
    url = json_get(inner, STR("url"));
    if (!read_str(mem, json_get(inner, STR("id")), &p.id, e) || !read_str(mem, url, &p.url, e) ||
        !read_str(mem, json_get(inner, STR("token")), &p.token, e) ||
        !read_authentication(mem, json_get(inner, STR("authentication")), &p, e))
        return false;
    if (!p.url.n)
        return json_fail(inner, e, "missing required member \"url\" (string)");
    *out = p;
    return true;
}
