/*
 * mcp_forward.c - forwards the result of an MCP server to our client.
 *
 * The result is forwarded byte for byte, except its first level: _meta gets the marks of the guard,
 * a modern client gets the members that a modern result requires, and members that only the newest
 * version knows are removed for older clients.
 */
#include "base/auto.h"
#include "core/guard/guard.h"
#include "proto/mcp/server/mcp_method.h"

#define IN_META "io.modelcontextprotocol/"

void mcp_write_marks(struct jw *w, const struct call *call)
{
    struct guard_marks marks = guard_marks(call);

    jw_kplain(w, "trefoil/trust", str_of(marks.trust));
    jw_kplain(w, "trefoil/type", str_of(marks.type));
}

/* Members of _meta that the protocol defines describe the connection to the server, not ours. */
static bool is_known_in_meta(const struct rpc_in *in, struct arena *mem, struct json key)
{
    struct str name = json_str(mem, key);

    if (str_eq(name, STR("trefoil/trust")) || str_eq(name, STR("trefoil/type")) ||
        str_eq(name, STR(IN_META "related-task")))
        return false;
    return mcp_has(in)->modern || !str_starts(name, STR(IN_META));
}

static void write_meta(struct jw *w, struct rpc_in *in, const struct call *call, struct json theirs)
{
    jw_plain_key(w, STR("_meta"));
    jw_object(w);
    mcp_write_marks(w, call);
    JSON_MEMBERS(key, theirs)
    if (is_known_in_meta(in, in->mem, key))
        jw_member(w, key);
    if (mcp_has(in)->modern && !json_here(json_get(theirs, STR(IN_META "serverInfo"))))
        mcp_write_server_info(w, IN_META "serverInfo", mcp_conv_of(in)->server, mcp_version_of(in));
    jw_object_end(w);
}

static bool is_left_out(const struct rpc_in *in, struct json key)
{
    if (json_is(key, STR("_meta")))
        return true;
    return !mcp_has(in)->modern && (json_is(key, STR("resultType")) || json_is(key, STR("ttlMs")) ||
                                    json_is(key, STR("cacheScope")));
}

/* The text from one member to another, including the commas. */
static struct str span(struct json first, struct json last)
{
    const char *from = json_raw(first).p;
    struct str end = json_raw(json_value(last));

    return (struct str){ from, (size_t)(end.p + end.n - from) };
}

struct pieces {
    struct str v[RPC_PIECES];
    size_t n;
};

/* If there are too many pieces, they are joined, which costs a copy. */
static void add_piece(struct pieces *p, struct arena *mem, struct str s)
{
    if (p->n + 2 < RPC_PIECES) { /* reserve the last ones for the end of the object */
        p->v[p->n++] = s;
        return;
    }
    p->v[p->n - 1] = arena_printf(mem, STR_FMT STR_FMT, STR_ARG(p->v[p->n - 1]), STR_ARG(s));
}

static void add_members(struct pieces *p, struct rpc_in *in, struct json root)
{
    struct json first = { 0 }, last = { 0 };

    JSON_MEMBERS(key, root)
    {
        bool out = is_left_out(in, key);

        if (out && json_here(first)) {
            add_piece(p, in->mem, STR(","));
            add_piece(p, in->mem, span(first, last));
            first = (struct json){ 0 };
        } else if (!out && !json_here(first)) {
            first = key;
        }
        last = key;
    }
    if (json_here(first)) {
        add_piece(p, in->mem, STR(","));
        add_piece(p, in->mem, span(first, last));
    }
}

void mcp_forward_result(struct mcp_request *r, enum mcp_cache cache)
{
    struct rpc_in *in = r->in;
    struct call *call = &r->call;
    struct json root = call->result;
    struct pieces p = { 0 };
    AUTO_BUF front;
    struct jw w = jw_to(&front);

    if (!json_here(root))
        root = mcp_reread(in->mem, in->peer->rpc->limits, call->raw_result);
    buf_init(&front, (size_t)in->peer->rpc->limits->message_bytes);
    if (json_type(root) != JSON_OBJECT) { /* too large to parse */
        rpc_result_raw(in, call->raw_result);
        return;
    }
    jw_object(&w);
    if (mcp_has(in)->modern && !json_here(json_get(root, STR("resultType"))))
        jw_kstr(&w, "resultType", STR("complete"));
    if (mcp_has(in)->modern && !json_here(json_get(root, STR("ttlMs"))))
        mcp_write_cache(&w, in, cache);
    write_meta(&w, in, call, json_get(root, STR("_meta")));
    add_piece(&p, in->mem, buf_str(&front));
    add_members(&p, in, root);
    p.v[p.n++] = STR("}");
    rpc_result_pieces(in, p.v, p.n);
}
