/*
 * mcp_listen.c - subscriptions/listen: a request that stays open and notifies its client of
 * changes.
 *
 * The first message lists the accepted subscriptions. Every message carries the id of the request,
 * so that several listens can share a stream. The request ends when the client cancels it, or with
 * a result when we stop.
 */
#include "base/container.h"
#include "proto/mcp/server/mcp_tasks.h"

struct mcp_listen {
    struct op op; /* first; child of the request's */
    struct rpc_in *in;
    struct mcp_server *server;
    struct offer_watch watch;
    bool part[OFFER_PARTS];
    struct pick_strs uris;
    struct mcp_task_watches tasks;
    struct mcp_listen *next, **link;
};

struct wishes {
    bool part[OFFER_PARTS];
    struct pick_strs uris, tasks;
};

struct listen {
    struct wishes wishes;
};

static const struct pick wish_fields[] = {
    PICK_FIELD("toolsListChanged", PICK_BOOL, struct wishes, part[OFFER_TOOLS], 0),
    PICK_FIELD("promptsListChanged", PICK_BOOL, struct wishes, part[OFFER_PROMPTS], 0),
    PICK_FIELD("resourcesListChanged", PICK_BOOL, struct wishes, part[OFFER_RESOURCES], 0),
    PICK_FIELD("resourceSubscriptions", PICK_STRS, struct wishes, uris, 0),
    PICK_FIELD("taskIds", PICK_STRS, struct wishes, tasks, 0),
};

static const struct pick listen_fields[] = {
    PICK_NESTED("notifications", struct listen, wishes, PICK_MUST, wish_fields),
};

/* ---- reporting --------------------------------------------------------------------------- */

void mcp_write_subscription(struct jw *w, const struct rpc_in *in)
{
    jw_plain_key(w, STR("_meta"));
    jw_object(w);
    jw_kraw(w, MCP_META "subscriptionId", json_raw(in->id));
    jw_object_end(w);
}

static void write_honoured(struct jw *w, const struct mcp_listen *l)
{
    static const char *const names[OFFER_PARTS] = {
        [OFFER_TOOLS] = "toolsListChanged",
        [OFFER_PROMPTS] = "promptsListChanged",
        [OFFER_RESOURCES] = "resourcesListChanged",
    };

    jw_object(w);
    for (size_t i = 0; i < OFFER_PARTS; i++)
        if (l->part[i])
            jw_kbool(w, names[i], true);
    if (l->uris.n) {
        jw_plain_key(w, STR("resourceSubscriptions"));
        jw_array(w);
        for (size_t i = 0; i < l->uris.n; i++)
            jw_str(w, l->uris.v[i]);
        jw_array_end(w);
    }
    mcp_task_watches_write(w, &l->tasks);
    jw_object_end(w);
}

static void acknowledge(const struct mcp_listen *l)
{
    struct rpc_in *in = l->in;
    AUTO_BUF params = { 0 };
    struct jw w = jw_to(&params);

    buf_init(&params, (size_t)in->peer->rpc->limits->message_bytes * 2);
    jw_object(&w);
    jw_plain_key(&w, STR("notifications"));
    write_honoured(&w, l);
    mcp_write_subscription(&w, l->in);
    jw_object_end(&w);
    peer_notify(in->peer, in->via, "notifications/subscriptions/acknowledged", buf_str(&params));
}

static void on_changed(struct offer_watch *watch, enum offer_part part)
{
    struct mcp_listen *l = CONTAINER_OF(watch, struct mcp_listen, watch);
    AUTO_BUF params = { 0 };
    struct jw w = jw_to(&params);

    if (!l->part[part] || !l->in->via)
        return;
    buf_init(&params, (size_t)l->in->peer->rpc->limits->message_bytes);
    jw_object(&w);
    mcp_write_subscription(&w, l->in);
    jw_object_end(&w);
    peer_notify(l->in->peer, l->in->via, mcp_changed_methods[part], buf_str(&params));
}

static void on_updated(struct offer_watch *watch, struct str uri)
{
    struct mcp_listen *l = CONTAINER_OF(watch, struct mcp_listen, watch);

    for (size_t i = 0; i < l->uris.n && l->in->via; i++) {
        if (str_eq(l->uris.v[i], uri)) {
            mcp_notify_updated(l->in->peer, l->in->via, uri, json_raw(l->in->id));
            return;
        }
    }
}

/* ---- life -------------------------------------------------------------------------------- */

static void leave(struct mcp_listen *l)
{
    mcp_task_watches_end(&l->tasks);
    offer_unwatch(&l->watch);
    *l->link = l->next;
    if (l->next)
        l->next->link = l->link;
}

static void cancel(struct op *op)
{
    struct mcp_listen *l = CONTAINER_OF(op, struct mcp_listen, op);

    leave(l);
    op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind listen_kind = { .name = "listen", .cancel = cancel };

/* After the client's cancel no response is sent. */
static void on_listen_done(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_listen *l = CONTAINER_OF(op, struct mcp_listen, op);

    (void)ctx;
    if (e)
        rpc_error_of(l->in, e);
}

static void listen_begin(struct mcp_listen *l)
{
    struct mcp_server *server = l->server;

    l->next = server->listens;
    l->link = &server->listens;
    if (l->next)
        l->next->link = &l->next;
    server->listens = l;
    l->watch = (struct offer_watch){ .changed = on_changed, .updated = on_updated };
    offer_watch(server->offer, &l->watch);
    op_begin(&l->op, &listen_kind, server->rpc->loop, &l->in->op, on_listen_done, NULL);
}

static void on_tasks_found(struct mcp_task_watches *ws)
{
    struct mcp_listen *l = CONTAINER_OF(ws, struct mcp_listen, tasks);

    if (l->in->op.canceled || mcp_conv_of(l->in)->ended) {
        rpc_error_of(l->in, &(struct err){ ERR_CLOSED, "the client disconnected" });
        return;
    }
    listen_begin(l);
    acknowledge(l);
    mcp_task_watches_begin(ws, &l->op);
}

static bool is_too_much(struct rpc_in *in, const char *member, size_t n)
{
    int64_t most = in->peer->rpc->limits->mcp_subscriptions;

    if ((int64_t)n <= most)
        return false;
    rpc_error(in, RPC_INVALID_PARAMS,
              "params.notifications.%s: more than %lld (the constant mcp_subscriptions)", member,
              (long long)most);
    return true;
}

void mcp_on_listen(struct rpc_in *in)
{
    struct mcp_server *server = mcp_conv_of(in)->server;
    struct mcp_listen *l = ARENA_NEW(in->mem, struct mcp_listen);
    struct listen params = { 0 };

    if (!rpc_params(in, PICK_TABLE(listen_fields), &params) ||
        is_too_much(in, "resourceSubscriptions", params.wishes.uris.n) ||
        is_too_much(in, "taskIds", params.wishes.tasks.n))
        return;
    l->in = in;
    l->server = server;
    for (unsigned i = 0; i < OFFER_PARTS; i++)
        l->part[i] = params.wishes.part[i] && (server->offer->parts & 1u << i);
    if (server->offer->parts & 1u << OFFER_RESOURCES)
        l->uris = params.wishes.uris;
    mcp_task_watches_find(&l->tasks, in, params.wishes.tasks, on_tasks_found);
}

static void listen_end(struct mcp_listen *l)
{
    struct jw *w;

    leave(l);
    w = rpc_result_begin(l->in);
    jw_object(w);
    jw_kstr(w, "resultType", STR("complete"));
    mcp_write_subscription(w, l->in);
    jw_object_end(w);
    rpc_result_end(l->in);
    op_ok(&l->op);
}

void mcp_listens_end(struct mcp_server *server, const struct mcp_conv *conv)
{
    struct mcp_listen *next;

    for (struct mcp_listen *l = server->listens; l; l = next) {
        next = l->next;
        if (!conv || mcp_conv_of(l->in) == conv)
            listen_end(l);
    }
}
