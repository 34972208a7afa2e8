/*
 * mcp_world.h - MCP over HTTP with fake clients, a clock of our own and tools that do as told.
 *
 *   hold     is done when the test says so (world_take)
 *   quick    is done at once, says "done"
 *   where    has an argument that a modern client repeats in Mcp-Param-Region
 */
#ifndef TESTS_MCP_WORLD_H
#define TESTS_MCP_WORLD_H

#include "core/tool/offer.h"
#include "fake_stream.h"
#include "proto/mcp/server/mcp_session.h"

enum { WORLD_CLIENTS = 8, WORLD_HELD = 8 };

struct world {
    struct loop *loop;
    struct limits limits;
    struct rpc rpc;
    struct offer offer;
    struct offer_source source;
    struct mcp_server server;
    struct mcp_sessions sessions;
    struct mcp_http mcp;
    struct http_server *http;
    struct fake_stream client[WORLD_CLIENTS];
    bool open[WORLD_CLIENTS];
    char seen[1 << 16];
    char session[MCP_SESSION_ID]; /* the last that was begun */
    struct call *held[WORLD_HELD];
    int holding;
    int cancelled; /* calls of hold */
    bool closed;
};

/* Change w->limits before the first request. */
struct world *world_new(void);

/* Close everything, and check that nothing is left. */
void world_free(struct world *w);

/*
 * Client i, connected anew if need be, sends a request. `more`: further header lines. "$S" in them
 * stands for w->session. The second waits, and returns all that it got since it was last asked.
 */
void world_send(struct world *w, int i, const char *method, const char *target, const char *more,
                const char *body);
const char *world_ask(struct world *w, int i, const char *method, const char *target,
                      const char *more, const char *body);

/* What client i got since it was last asked. */
const char *world_says(struct world *w, int i);

/* Client i is gone; the second if it was there at all. */
void world_hang_up(struct world *w, int i);
void world_hang_up_if(struct world *w, int i);

void world_wait(struct world *w, int64_t ms);

/* Begin a session in a version, by client i; its id is in w->session. */
void world_greet(struct world *w, int i, const char *version);

/* The oldest call of hold that is not taken yet. */
struct call *world_take(struct world *w);

/* It makes progress; it is done; each with all that follows. */
void world_progress(struct world *w, struct call *call, const char *done);
void world_finish(struct world *w, struct call *call, const char *text);

/* The id of the last event in what a client got. */
const char *world_last_id(const char *says);

#define SESSION "Mcp-Session-Id: $S\r\n"
#define BOTH "Accept: application/json, text/event-stream\r\n"
#define CALL(id, tool)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool   \
    "\",\"_meta\":{\"progressToken\":\"t" #id "\"}}}"
#define LIST "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"

/* The same for 2026-07-28, with the headers it needs. */
#define META                                                                                       \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define MODERN(method) "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " method "\r\n" BOTH
#define MODERN_CALL(id, tool)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" tool   \
    "\",\"_meta\":{\"progressToken\":1," META "}}}"

bool world_found(const char *text, const char *part);

#define HAS(text, part)                                                                            \
    do {                                                                                           \
        const char *t_ = (text), *p_ = (part);                                                     \
        if (!world_found(t_, p_))                                                                  \
            TAP_NOT("\"%s\" is not in \"%.900s\"", p_, t_);                                        \
    } while (0)

#define LACKS(text, part)                                                                          \
    do {                                                                                           \
        const char *t_ = (text), *p_ = (part);                                                     \
        if (world_found(t_, p_))                                                                   \
            TAP_NOT("\"%s\" is in \"%.900s\"", p_, t_);                                            \
    } while (0)

#endif
