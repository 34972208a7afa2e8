#include "proto/a2a/client/a2a_request.h"

/* ---- parameters ------------------------------------------------------------------------------ */

struct request_writing {
    struct jw *w;
    const struct a2a_interface *face;
    const struct a2a_ask *ask;
};

/* 1.0 says when not to wait; 0.3 says whether to wait, and its bindings have different defaults. */
static void write_configuration(const struct request_writing *in)
{
    struct jw *w = in->w;

    jw_plain_key(w, STR("configuration"));
    jw_object(w);
    if (in->face->dialect == A2A_1_0 && in->ask->op == A2A_SEND && !in->ask->waits)
        jw_kbool(w, "returnImmediately", true);
    if (in->face->dialect != A2A_1_0)
        jw_kbool(w, "blocking", in->ask->waits || in->ask->op == A2A_STREAM);
    jw_object_end(w);
}

/* tasks/send of 0.1: the client chooses the id of the task. */
static void write_old_message(const struct request_writing *in)
{
    const struct a2a_message *m = in->ask->message;

    jw_kstr(in->w, "id", m->task.p ? m->task : m->id);
    jw_kstr(in->w, "sessionId", m->context);
    jw_plain_key(in->w, STR("message"));
    a2a_write_message(in->w, A2A_0_1, m);
}

static void write_message(const struct request_writing *in)
{
    if (in->face->dialect == A2A_0_1 || in->face->dialect == A2A_PLAIN) {
        write_old_message(in);
        return;
    }
    jw_plain_key(in->w, STR("message"));
    a2a_write_message(in->w, in->face->dialect, in->ask->message);
    write_configuration(in);
}

static void write_list(const struct request_writing *in)
{
    const struct a2a_ask *ask = in->ask;

    jw_kstr(in->w, "contextId", ask->context);
    jw_kstr(in->w, "status", ask->state);
    jw_kstr(in->w, "pageToken", ask->page_token);
    if (ask->page_size)
        jw_kint(in->w, "pageSize", ask->page_size);
}

static void write_params(const struct request_writing *in)
{
    struct jw *w = in->w;

    jw_object(w);
    jw_kstr(w, "tenant", in->face->tenant);
    if (in->ask->message)
        write_message(in);
    else
        jw_kstr(w, "id", in->ask->task);
    if (in->ask->op == A2A_LIST)
        write_list(in);
    if (in->ask->history >= 0 && in->ask->op == A2A_GET)
        jw_kint(w, "historyLength", in->ask->history);
    jw_object_end(w);
}

/* ---- JSON-RPC -------------------------------------------------------------------------------- */

static bool write_rpc(struct arena *mem, const struct request_writing *in, int64_t id,
                      struct a2a_request *out, struct err *e)
{
    const char *method = a2a_method(in->ask->op, in->face->dialect);
    struct jw *w = in->w;

    (void)mem;
    if (!method)
        return fail(e, ERR_INVALID, "version %s of A2A does not have this operation",
                    a2a_dialects[in->face->dialect].version);
    jw_object(w);
    jw_kplain(w, "jsonrpc", STR("2.0"));
    jw_kint(w, "id", id);
    jw_kplain(w, "method", str_of(method));
    jw_plain_key(w, STR("params"));
    write_params(in);
    jw_object_end(w);
    *out = (struct a2a_request){ .method = "POST", .url = in->face->url.text };
    return true;
}

/* ---- HTTP+JSON ------------------------------------------------------------------------------- */

static const struct {
    const char *method;
    const char *before, *after; /* the path before and after the id of the task */
    bool message;               /* the body is a message */
} routes[A2A_OPS] = {
    [A2A_SEND] = { "POST", "/message:send", NULL, true },
    [A2A_STREAM] = { "POST", "/message:stream", NULL, true },
    [A2A_GET] = { "GET", "/tasks/", "", false },
    [A2A_LIST] = { "GET", "/tasks", NULL, false },
    [A2A_CANCEL] = { "POST", "/tasks/", ":cancel", false },
    [A2A_SUBSCRIBE] = { "POST", "/tasks/", ":subscribe", false },
    [A2A_EXTENDED_CARD] = { "GET", "/extendedAgentCard", NULL, false },
};

static void add_query(struct buf *out, struct arena *mem, const char *name, struct str value)
{
    if (!value.n)
        return;
    value = a2a_url_escape(mem, value);
    buf_printf(out, "%c%s=" STR_FMT, str_find_byte(buf_str(out), '?') < 0 ? '?' : '&', name,
               STR_ARG(value));
}

static void put_query(struct buf *out, struct arena *mem, const struct a2a_ask *ask)
{
    if (ask->op == A2A_GET && ask->history >= 0)
        add_query(out, mem, "historyLength", arena_printf(mem, "%lld", (long long)ask->history));
    if (ask->op != A2A_LIST)
        return;
    add_query(out, mem, "contextId", ask->context);
    add_query(out, mem, "status", ask->state);
    add_query(out, mem, "pageToken", ask->page_token);
    if (ask->page_size)
        add_query(out, mem, "pageSize", arena_printf(mem, "%lld", (long long)ask->page_size));
}

static struct str rest_url(struct arena *mem, const struct request_writing *in)
{
    const struct a2a_ask *ask = in->ask;
    struct str base = in->face->url.text;
    struct buf out;

    buf_init_in(&out, mem, base.n + 8 * (ask->task.n + ask->context.n + ask->page_token.n) + 4096);
    while (str_ends(base, STR("/")))
        base.n--;
    buf_put(&out, base);
    if (in->face->dialect == A2A_0_3_REST && !str_ends(base, STR("/v1")))
        buf_put(&out, STR("/v1"));
    if (in->face->tenant.n)
        buf_printf(&out, "/" STR_FMT, STR_ARG(a2a_url_escape(mem, in->face->tenant)));
    if (in->face->dialect == A2A_0_3_REST && ask->op == A2A_EXTENDED_CARD)
        buf_put(&out, STR("/card"));
    else
        buf_put(&out, str_of(routes[ask->op].before));
    if (routes[ask->op].after)
        buf_printf(&out, STR_FMT "%s", STR_ARG(a2a_url_escape(mem, ask->task)),
                   routes[ask->op].after);
    put_query(&out, mem, ask);
    return buf_str(&out);
}

static bool write_rest(struct arena *mem, const struct request_writing *in, struct a2a_request *out,
                       struct err *e)
{
    enum a2a_op op = in->ask->op;

    if (!routes[op].method || (op == A2A_LIST && in->face->dialect == A2A_0_3_REST))
        return fail(e, ERR_INVALID, "version %s of A2A does not have this operation",
                    a2a_dialects[in->face->dialect].version);
    *out = (struct a2a_request){ .method = routes[op].method, .url = rest_url(mem, in) };
    if (routes[op].message) {
        jw_object(in->w);
        write_message(in);
        jw_object_end(in->w);
    } else if (str_eq(str_of(routes[op].method), STR("POST"))) {
        jw_object(in->w);
        jw_object_end(in->w);
    }
    return true;
}

/* ---- the plain routes of older programs ------------------------------------------------------ */

/* POST /a2a/tasks/send takes the JSON-RPC request; the answer is a bare task. */
static bool write_plain(struct arena *mem, const struct request_writing *in, int64_t id,
                        struct a2a_request *out, struct err *e)
{
    struct str base = arena_printf(mem, STR_FMT "/a2a/tasks/", STR_ARG(in->face->url.origin));
    struct str task = a2a_url_escape(mem, in->ask->task);

    *out = (struct a2a_request){ .method = "POST" };
    if (in->ask->op == A2A_SEND) {
        const struct a2a_interface old = { .dialect = A2A_0_1 };
        const struct request_writing body = { in->w, &old, in->ask };

        if (!write_rpc(mem, &body, id, out, e))
            return false;
        out->url = arena_printf(mem, STR_FMT "send", STR_ARG(base));
    } else if (in->ask->op == A2A_GET) {
        out->method = "GET";
        out->url = arena_printf(mem, STR_FMT STR_FMT, STR_ARG(base), STR_ARG(task));
    } else if (in->ask->op == A2A_CANCEL) {
        jw_object(in->w);
        jw_object_end(in->w);
        out->url = arena_printf(mem, STR_FMT STR_FMT "/cancel", STR_ARG(base), STR_ARG(task));
    } else {
        return fail(e, ERR_INVALID, "version 0.1 of A2A does not have this operation");
    }
    return true;
}

bool a2a_request_write(struct arena *mem, const struct limits *limits,
                       const struct a2a_interface *face, const struct a2a_ask *ask, int64_t id,
                       struct a2a_request *out, struct err *e)
{
    struct buf body;
    struct jw w = jw_to(&body);
    const struct request_writing in = { &w, face, ask };
    bool ok;

    buf_init_in(&body, mem, (size_t)limits->message_bytes);
    if (face->dialect == A2A_PLAIN)
        ok = write_plain(mem, &in, id, out, e);
    else
        ok = face->rest ? write_rest(mem, &in, out, e) : write_rpc(mem, &in, id, out, e);
    if (!ok)
        return false;
    if (body.full)
        return fail(e, ERR_LIMIT, "the message is larger than %lld bytes (limits.message_bytes)",
                    (long long)limits->message_bytes);
    out->body = body.n ? buf_str(&body) : STR_NONE;
    return true;
}
