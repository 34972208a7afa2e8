/*
 * mcp_subscribe.c - resources/subscribe of the legacy versions; a conversation has a set of URIs.
 */
#include "base/mem.h"
#include "proto/mcp/server/mcp_method.h"
#include "proto/mcp/server/uri_template.h"

struct mcp_subscription {
    struct mcp_subscription *next;
    size_t n;
    char uri[];
};

struct subscribe {
    struct str uri;
};

static const struct pick subscribe_fields[] = {
    PICK_FIELD("uri", PICK_STR, struct subscribe, uri, PICK_MUST),
};

/* The link to the subscription of this URI, or the end of the list. */
static struct mcp_subscription **place_of(const struct mcp_conv *conv, struct str uri)
{
    struct mcp_subscription **at = (struct mcp_subscription **)&conv->subscriptions;

    while (*at && !str_eq((struct str){ (*at)->uri, (*at)->n }, uri))
        at = &(*at)->next;
    return at;
}

bool mcp_is_subscribed(const struct mcp_conv *conv, struct str uri)
{
    return *place_of(conv, uri) != NULL;
}

static void subscription_drop(struct mcp_conv *conv, struct mcp_subscription **at)
{
    struct mcp_subscription *s = *at;

    *at = s->next;
    mem_free(s);
    conv->subscription_count--;
}

void mcp_unsubscribe_all(struct mcp_conv *conv)
{
    while (conv->subscriptions)
        subscription_drop(conv, &conv->subscriptions);
}

static void subscription_add(struct mcp_conv *conv, struct str uri)
{
    struct mcp_subscription *s = mem_alloc(sizeof(*s) + uri.n);

    s->next = conv->subscriptions;
    s->n = uri.n;
    memcpy(s->uri, uri.p, uri.n);
    conv->subscriptions = s;
    conv->subscription_count++;
    mcp_conv_watch(conv);
}

void mcp_on_subscribe(struct rpc_in *in)
{
    struct mcp_conv *conv = mcp_conv_of(in);
    int64_t most = in->peer->rpc->limits->mcp_subscriptions;
    struct subscribe params = { 0 };
    struct json vars;

    if (!rpc_params(in, PICK_TABLE(subscribe_fields), &params))
        return;
    if (!uri_template_find(conv->server->offer, params.uri, in->mem, &vars)) {
        mcp_refuse_uri(in, params.uri);
        return;
    }
    if (!mcp_is_subscribed(conv, params.uri)) {
        if ((int64_t)conv->subscription_count >= most) {
            rpc_error(
                in, RPC_INVALID_PARAMS,
                "the client already subscribes to %lld resources (the constant mcp_subscriptions)",
                (long long)most);
            return;
        }
        subscription_add(conv, params.uri);
    }
    mcp_result_empty(in);
}

void mcp_on_unsubscribe(struct rpc_in *in)
{
    struct mcp_conv *conv = mcp_conv_of(in);
    struct subscribe params = { 0 };
    struct mcp_subscription **at;

    if (!rpc_params(in, PICK_TABLE(subscribe_fields), &params))
        return;
    at = place_of(conv, params.uri);
    if (*at)
        subscription_drop(conv, at);
    mcp_result_empty(in);
}

void mcp_notify_updated(struct peer *p, struct link *via, struct str uri, struct str id)
{
    AUTO_BUF params;
    struct jw w = jw_to(&params);

    buf_init(&params, (size_t)p->rpc->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "uri", uri);
    if (id.p) {
        jw_plain_key(&w, STR("_meta"));
        jw_object(&w);
        jw_kraw(&w, MCP_META "subscriptionId", id);
        jw_object_end(&w);
    }
    jw_object_end(&w);
    if (!params.full)
        peer_notify(p, via, "notifications/resources/updated", buf_str(&params));
}
