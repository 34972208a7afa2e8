/* mcp_method.h - the handlers of the method table, and their helper functions. */
#ifndef PROTO_MCP_SERVER_MCP_METHOD_H
#define PROTO_MCP_SERVER_MCP_METHOD_H

#include "base/pick.h"
#include "proto/mcp/server/mcp_codec.h"
#include "proto/mcp/server/mcp_era.h"
#include "proto/mcp/server/mcp_request.h"

static inline enum mcp_version mcp_version_of(const struct rpc_in *in)
{
    return (enum mcp_version)in->version;
}

static inline const struct mcp_features *mcp_has(const struct rpc_in *in)
{
    return &mcp_features[in->version];
}

static inline struct offer *mcp_offer_of(const struct rpc_in *in)
{
    return mcp_conv_of(in)->server->offer;
}

/* Call list(in) when all sources of the offer are ready. On failure, answer with the error. */
void mcp_when_gathered(struct rpc_in *in, void (*list)(struct rpc_in *in));

/* A copy of a JSON value, valid as long as mem. */
struct json mcp_keep(struct arena *mem, const struct limits *limits, struct json v);

/* Parse raw JSON that we wrote or validated; missing if it is not JSON. */
struct json mcp_reread(struct arena *mem, const struct limits *limits, struct str raw);

/* ---- tools/call (mcp_tools.c) -------------------------------------------------------------- */

struct mcp_tool_call {
    struct str name;
    struct json args;
    struct mcp_round round;
};

/*
 * Return the tool if the client of the request may see it. Otherwise answer that there is no tool
 * `name`, and return NULL. `tool` may be NULL.
 */
const struct tool *mcp_offered_tool(struct rpc_in *in, const struct tool *tool, struct str name);

/* Run the tool while the client waits. takes_tasks: as in struct caller. */
void mcp_call_tool(struct rpc_in *in, const struct tool *tool, struct mcp_tool_call *params,
                   bool takes_tasks);

/* ---- answers (mcp_answer.c) --------------------------------------------------------------- */

/* May the client cache this result, and for how long? */
enum mcp_cache { MCP_CACHE_NEVER, MCP_CACHE_LIST, MCP_CACHE_READ };

/* Begin and end a result object; write its members in between. The members that the version
 * requires in every result are added. */
struct jw *mcp_result_begin(struct rpc_in *in);
void mcp_result_end(struct rpc_in *in, enum mcp_cache cache);

/* End the result object of a tool, with the marks of the guard: whether the result is trusted, and
 * its type. */
void mcp_result_end_of_tool(struct rpc_in *in, const struct call *call);

/* Write the marks of the guard as members of _meta (mcp_forward.c). */
void mcp_write_marks(struct jw *w, const struct call *call);

/* Answer with the result object of an upstream server, held by r->call (mcp_forward.c). */
void mcp_forward_result(struct mcp_request *r, enum mcp_cache cache);

/* Write the members of a modern result that tell how long the client may cache it. */
void mcp_write_cache(struct jw *w, const struct rpc_in *in, enum mcp_cache cache);

/* Answer with {}. */
void mcp_result_empty(struct rpc_in *in);

/*
 * Answer a call that was cancelled, that needs a missing capability of the client, or whose result
 * is forwarded. False: it is none of these, and was not answered.
 */
bool mcp_answer_common(struct mcp_request *r, const struct err *e, enum mcp_cache cache);

/* The data of an error: the capability that the client needs for this kind of ask. */
extern const struct str mcp_required[ASK_KINDS];

/* The error text of a failed call, for the model. */
struct str mcp_failure_text(struct mcp_request *r);

/* Answer that this resource does not exist (mcp_resources.c). */
void mcp_refuse_uri(struct rpc_in *in, struct str uri);

/* ---- pages of lists (mcp_list.c) ---------------------------------------------------------- */

struct mcp_list_page {
    size_t at;   /* index of the next item */
    size_t left; /* items that may still be written */
};

/* Read params.cursor. False: the cursor was invalid, and the error was answered. */
bool mcp_page_read(struct rpc_in *in, struct mcp_list_page *page);

/* Does the page have room for one more item? If not, the caller must end the page with
 * mcp_page_cursor. */
bool mcp_page_take(struct mcp_list_page *page);
void mcp_page_cursor(struct jw *w, struct arena *mem, size_t at);

/* ---- subscriptions (mcp_listen.c, mcp_subscribe.c) ---------------------------------------- */

extern const char *const mcp_changed_methods[OFFER_PARTS];

/* Notify that a resource has changed; id: raw subscriptionId, or STR_NONE. */
void mcp_notify_updated(struct peer *p, struct link *via, struct str uri, struct str id);

/* Write the member _meta of a notification of a subscriptions/listen. */
void mcp_write_subscription(struct jw *w, const struct rpc_in *in);

bool mcp_is_subscribed(const struct mcp_conv *conv, struct str uri);
void mcp_unsubscribe_all(struct mcp_conv *conv);

/*
 * Watch the offer, to notify the client of changes, if the conversation is lasting.
 */
void mcp_conv_watch(struct mcp_conv *conv);

/* Answer the subscriptions/listen requests of a conversation, or of all conversations (NULL). */
void mcp_listens_end(struct mcp_server *server, const struct mcp_conv *conv);

/* ---- handlers ----------------------------------------------------------------------------- */

rpc_handler_fn mcp_on_initialize, mcp_on_initialized, mcp_on_discover, mcp_on_ping;
rpc_handler_fn mcp_on_cancelled, mcp_on_set_level, mcp_on_noted;
rpc_handler_fn mcp_on_tools_list, mcp_on_tools_call;
rpc_handler_fn mcp_on_resources_list, mcp_on_templates_list, mcp_on_resources_read;
rpc_handler_fn mcp_on_subscribe, mcp_on_unsubscribe, mcp_on_listen;
rpc_handler_fn mcp_on_tasks_get, mcp_on_tasks_update, mcp_on_tasks_cancel;
rpc_handler_fn mcp_on_prompts_list, mcp_on_prompts_get, mcp_on_complete;

#endif
