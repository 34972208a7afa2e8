/* mcp_client_work.h - one core call on its way to a server; of the mcp_client_*.c files. */
#ifndef PROTO_MCP_CLIENT_WORK_H
#define PROTO_MCP_CLIENT_WORK_H

#include "proto/mcp/mcp_client_in.h"

struct mcp_input;

struct mcp_work {
    struct mcp_req req; /* first */
    struct mcp_client *c;
    struct call *call;
    struct mcp_work *older, *newer;
    const char *method;
    struct str tool;    /* of tools/call, else STR_NONE: */
    struct json params; /* of any other request */
    int64_t token;      /* of its progress */
    struct trace trace; /* it carries */

    int64_t since, until; /* of the request under way: begun, and longest */
    int64_t held_at;      /* when the first of the asks opened that are open: */
    size_t held;

    struct op pause; /* while `paused` */
    bool paused, relisted;

    /* Input, round by round (mcp_client_rounds.c). */
    int rounds;
    struct mcp_input *input; /* of this round */
    size_t inputs, open;     /* in all; whose ask has no answer yet */
    struct err broke;        /* code 0: all asks were answered so far */
    enum ask_kind lacks;     /* when broke.code is ERR_DENIED */
    struct str responses;    /* what goes with the request, raw, or STR_NONE */
    struct str state;        /* the same, byte for byte as it came */
};

/* Send the request, the first time or again. */
void mcp_work_send(struct mcp_work *k);

/* The result wants input: get it, then send the request again. */
void mcp_work_round(struct mcp_work *k, struct json result);

/* Take back the asks of a round. */
void mcp_work_stop_round(struct mcp_work *k);

/* It is over. */
void mcp_work_fail(struct mcp_work *k, const struct err *e);
void mcp_work_wrong(struct mcp_work *k, const char *what);
void mcp_work_lacks(struct mcp_work *k, enum ask_kind kind);

#endif
