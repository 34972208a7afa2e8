#include "proto/mcp/server/mcp_conversation.h"

#include "base/container.h"
#include "core/tool/exposure.h"
#include "proto/mcp/server/mcp_method.h"
#include "proto/mcp/server/mcp_park.h"

/* ---- notifications ----------------------------------------------------------------------- */

const char *const mcp_changed_methods[OFFER_PARTS] = {
    [OFFER_TOOLS] = "notifications/tools/list_changed",
    [OFFER_RESOURCES] = "notifications/resources/list_changed",
    [OFFER_PROMPTS] = "notifications/prompts/list_changed",
};

static void on_changed(struct offer_watch *w, enum offer_part part)
{
    struct mcp_conv *conv = CONTAINER_OF(w, struct mcp_conv, watch);

    if (conv->ready && (conv->server->offer->parts & 1u << part))
        peer_notify(&conv->peer, NULL, mcp_changed_methods[part], STR_NONE);
}

static void on_updated(struct offer_watch *w, struct str uri)
{
    struct mcp_conv *conv = CONTAINER_OF(w, struct mcp_conv, watch);

    if (mcp_is_subscribed(conv, uri))
        mcp_notify_updated(&conv->peer, NULL, uri, STR_NONE);
}

void mcp_conv_watch(struct mcp_conv *conv)
{
    if (conv->watch.link || !conv->lasting)
        return;
    conv->watch = (struct offer_watch){ .changed = on_changed, .updated = on_updated };
    offer_watch(conv->server->offer, &conv->watch);
}

/* ---- life -------------------------------------------------------------------------------- */

void mcp_conv_set_version(struct mcp_conv *conv, enum mcp_version version)
{
    conv->peer.version = version;
    conv->peer.batches = mcp_features[version].batches;
}

const struct guard_scope *mcp_conv_scope(const struct mcp_conv *conv)
{
    return conv->server->scope[conv->principal.origin];
}

void mcp_conv_init(struct mcp_conv *conv, struct mcp_server *server, struct link *link,
                   enum mcp_version version)
{
    *conv = (struct mcp_conv){ .server = server, .log_level = CALL_INFO };
    peer_init(&conv->peer, server->rpc, &mcp_server_peer, link, conv);
    mcp_conv_set_version(conv, version);
}

void mcp_conv_end(struct mcp_conv *conv)
{
    conv->ended = true;
    mcp_listens_end(conv->server, conv);
    peer_await_no_more(&conv->peer);
    if (conv->parked)
        mcp_park_cancel(conv->server, conv);
}

bool mcp_conv_idle(const struct mcp_conv *conv)
{
    return peer_idle(&conv->peer) && !conv->parked;
}

void mcp_conv_fini(struct mcp_conv *conv)
{
    offer_unwatch(&conv->watch);
    mcp_unsubscribe_all(conv);
    guard_grants_fini(&conv->grants);
    peer_fini(&conv->peer);
}

void mcp_server_end(struct mcp_server *server)
{
    mcp_listens_end(server, NULL);
    mcp_park_cancel(server, NULL);
}

/* ---- abilities --------------------------------------------------------------------------- */

/* elicitation {} means forms; pages were added later and are always named. */
struct mcp_abilities mcp_abilities_read(struct json capabilities, enum mcp_version version)
{
    const struct mcp_features *has = &mcp_features[version];
    struct json elicit = json_get(capabilities, STR("elicitation"));
    bool url = json_type(json_get(elicit, STR("url"))) == JSON_OBJECT;
    bool form = json_type(json_get(elicit, STR("form"))) == JSON_OBJECT;
    struct mcp_abilities out = { 0 };

    if (json_type(elicit) == JSON_OBJECT && has->elicitation) {
        out.can[ASK_FORM] = form || !url;
        out.can[ASK_PERMISSION] = out.can[ASK_FORM];
        out.can[ASK_URL] = url && has->elicit_url;
    }
    out.can[ASK_SAMPLE] = json_type(json_get(capabilities, STR("sampling"))) == JSON_OBJECT;
    out.can[ASK_ROOTS] = json_type(json_get(capabilities, STR("roots"))) == JSON_OBJECT;
    return out;
}
