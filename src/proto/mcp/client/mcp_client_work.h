/* mcp_client_work.h - one core call that a server runs; shared by the mcp_client_*.c files. */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_WORK_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_WORK_H

#include "proto/mcp/client/mcp_client_in.h"

struct mcp_answered;

/* Input that the server requests from our caller. */
struct mcp_input {
    struct ask ask; /* first */
    struct mcp_work *work;
    struct str key;    /* as the server wrote it, raw, with its quotes */
    struct str answer; /* raw */
};

struct mcp_work {
    struct mcp_req req; /* first */
    struct mcp_client *c;
    struct call *call;
    struct mcp_work *older, *newer;
    const char *method;
    struct str tool;              /* tool of a tools/call; STR_NONE: another request, with these */
    struct json params;           /* params */
    int64_t token;                /* of its progress */
    struct trace trace;           /* sent with the request */
    struct open_trace open_trace; /* registers that trace while the request is in flight */
    char parent[TRACE_PARENT_TEXT];
    bool as_task; /* ask a server of 2025-11-25 to make it a task */

    int64_t since, until; /* of the request in flight: its start, and its latest end */
    int64_t held_at;      /* when the first of the asks that are still open was opened; */
    /* number of open asks */
    size_t held;

    struct op pause; /* while `paused` */
    bool paused, relisted;

    /* Input, round by round (mcp_client_rounds.c). */
    int rounds;
    struct mcp_input *input; /* of this round */
    size_t inputs, open;     /* number of inputs; number of asks without an answer */
    struct err broke;        /* code 0: all asks were answered so far */
    enum ask_kind lacks;     /* when broke.code is ERR_DENIED */
    struct str responses;    /* sent with the request, raw, or STR_NONE */
    struct str state;        /* also sent with the request, byte for byte as received */

    /* The task that the server made of it (mcp_client_tasks.c). */
    struct str task;    /* its id on the server; STR_NONE: not a task */
    struct timer look;  /* the next poll, while `waits` (then the op `pause` is open) */
    int64_t task_until; /* when the wait for the task ends */
    int64_t asked_at;   /* since when that timeout is suspended because asks are open */
    int64_t poll_ms;
    uint64_t looks;
    char told[256]; /* its last statusMessage, or the head of it */
    bool waits;
    struct mcp_answered *answered; /* answers that were already sent to the server */
};

/* Send the request, the first time or again. */
void mcp_work_send(struct mcp_work *k);

/* The result requests input: get it, then send the request again. */
void mcp_work_round(struct mcp_work *k, struct json result);

/* Ask for each of inputRequests, then mcp_work_send or mcp_task_update. */
void mcp_work_ask(struct mcp_work *k, struct json requests);

/* A call is about to be sent: must it wait until the server has our roots (mcp_client_roots.c)? */
bool mcp_roots_wait(struct mcp_work *k);

/* Withdraw the asks of a round. */
void mcp_work_stop_round(struct mcp_work *k);

/* A request is sent now: start its maximum time. */
void mcp_work_clock(struct mcp_work *k);

/* The maximum time for one request. */
int64_t mcp_work_timeout(const struct mcp_work *k);

/* The result is a task: wait for its end. */
void mcp_task_begin(struct mcp_work *k, struct json result);

/* All input is there: send it to the server. */
void mcp_task_update(struct mcp_work *k);

/* Has the server already got the input that it requests under this key? */
bool mcp_task_was_told(const struct mcp_work *k, struct json key);

/* The connection ends: stop waiting for the task, and let the server cancel it. */
void mcp_task_stop(struct mcp_work *k, const struct err *why);
void mcp_task_drop(struct mcp_work *k);

/* Settle the call: with the server's result or error, or with an error of ours. */
void mcp_work_forward(struct mcp_work *k, struct json result, struct json error);
void mcp_work_fail(struct mcp_work *k, const struct err *e);
void mcp_work_wrong(struct mcp_work *k, const char *what);
void mcp_work_lacks(struct mcp_work *k, enum ask_kind kind);

#endif
