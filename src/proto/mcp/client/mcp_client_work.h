/* mcp_client_work.h - one core call on its way to a server; of the mcp_client_*.c files. */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_WORK_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_WORK_H

#include "proto/mcp/client/mcp_client_in.h"

struct mcp_answered;

/* Input that the server requests from our caller. */
struct mcp_input {
    struct ask ask; /* first */
    struct mcp_work *work;
    struct str key;    /* as the server spells it, raw, with its quotes */
    struct str answer; /* raw */
};

struct mcp_work {
    struct mcp_req req; /* first */
    struct mcp_client *c;
    struct call *call;
    struct mcp_work *older, *newer;
    const char *method;
    struct str tool;              /* of tools/call, else STR_NONE: */
    struct json params;           /* of any other request */
    int64_t token;                /* of its progress */
    struct trace trace;           /* it carries */
    struct open_trace open_trace; /* it is under way with that */
    char parent[TRACE_PARENT_TEXT];
    bool as_task; /* the server of 2025-11-25 is asked to make a task of it */

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
    struct str state;        /* the same, byte for byte as received */

    /* The task that the server made of it (mcp_client_tasks.c). */
    struct str task;    /* its id there; STR_NONE: it is none */
    struct timer look;  /* while `waits`, which the op `pause` represents */
    int64_t task_until; /* the longest, */
    int64_t asked_at;   /* and since when its timeout is suspended because asks are open */
    int64_t poll_ms;
    uint64_t looks;
    char told[256]; /* its last statusMessage, or the head of it */
    bool waits;
    struct mcp_answered *answered; /* the answers that the server has got already */
};

/* Send the request, the first time or again. */
void mcp_work_send(struct mcp_work *k);

/* The result requests input: get it, then send the request again. */
void mcp_work_round(struct mcp_work *k, struct json result);

/* Ask for each of inputRequests, then mcp_work_send or mcp_task_update. */
void mcp_work_ask(struct mcp_work *k, struct json requests);

/* A call is about to go out (mcp_client_roots.c): must it wait until the server knows its roots? */
bool mcp_roots_wait(struct mcp_work *k);

/* Take back the asks of a round. */
void mcp_work_stop_round(struct mcp_work *k);

/* A request of it goes out now: its longest time begins. */
void mcp_work_clock(struct mcp_work *k);

/* Longest time for one request of it. */
int64_t mcp_work_timeout(const struct mcp_work *k);

/* The result is a task: wait for its end. */
void mcp_task_begin(struct mcp_work *k, struct json result);

/* All input is there: send it to the server. */
void mcp_task_update(struct mcp_work *k);

/* Has the server already got the input that it requests under this key? */
bool mcp_task_was_told(const struct mcp_work *k, struct json key);

/* The connection ends: the work waits no longer, and the server may stop. */
void mcp_task_stop(struct mcp_work *k, const struct err *why);
void mcp_task_drop(struct mcp_work *k);

/* It is over. */
void mcp_work_forward(struct mcp_work *k, struct json result, struct json error);
void mcp_work_fail(struct mcp_work *k, const struct err *e);
void mcp_work_wrong(struct mcp_work *k, const char *what);
void mcp_work_lacks(struct mcp_work *k, enum ask_kind kind);

#endif
