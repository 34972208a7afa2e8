/* mcp_client_work.h - a "work": one core call that a server runs. For the mcp_client_*.c files. */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_WORK_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_WORK_H

#include "proto/mcp/client/mcp_client_parts.h"

struct mcp_answered;

/* Input that the server requests from our caller. */
struct mcp_input {
    struct ask ask; /* first */
    struct mcp_work *work;
    struct str key;    /* the raw key of the server, with its quotes */
    struct str answer; /* raw JSON */
};

struct mcp_work {
    struct mcp_req req; /* first */
    struct mcp_client *c;
    struct call *call;
    struct mcp_work *older, *newer;
    const char *method;
    struct str tool;              /* the tool of a tools/call; STR_NONE: another request */
    struct json params;           /* the params of another request */
    int64_t token;                /* its progress token */
    struct trace trace;           /* sent with the request */
    struct open_trace open_trace; /* registers `trace` while the request is in progress */
    char parent[TRACE_PARENT_TEXT];
    bool as_task; /* ask a server of 2025-11-25 to run the call as a task */

    int64_t since, until; /* start and deadline of the current request */
    int64_t held_at;      /* when the first of the open asks began */
    size_t held;          /* number of open asks */

    struct op pause; /* open while `paused` */
    bool paused, relisted;

    /* Input, round by round (mcp_client_rounds.c). */
    int rounds;
    struct mcp_input *input; /* the input of this round */
    size_t inputs, open;     /* number of inputs; number of asks without an answer */
    struct err broke;        /* why an ask failed; code 0: none failed */
    enum ask_kind lacks;     /* the missing kind, if broke.code is ERR_DENIED */
    struct str responses;    /* sent with the request, raw, or STR_NONE */
    struct str state;        /* also sent with the request, byte for byte as received */

    /* The task by which the server runs the call (mcp_client_tasks.c). */
    struct str task; /* its id on the server; STR_NONE: not a task */
    /* starts the next poll of the task; set while `waits` is true and the op `pause` is open */
    struct timer look;
    int64_t task_until; /* when the wait for the task ends */
    int64_t asked_at;   /* when that timeout was paused, because asks are open */
    int64_t poll_ms;
    uint64_t looks;
    char told[256]; /* the last statusMessage of the task, possibly truncated */
    bool waits;
    struct mcp_answered *answered; /* answers that were already sent to the server */
};

/* Send the request; may be called again to resend it. */
void mcp_work_send(struct mcp_work *k);

/* The result requests input: get the input, then resend the request. */
void mcp_work_round(struct mcp_work *k, struct json result);

/* Ask the caller for each of inputRequests, then call mcp_work_send or mcp_task_update. */
void mcp_work_ask(struct mcp_work *k, struct json requests);

/* A call is about to be sent: must it wait until the server has our roots (mcp_client_roots.c)? */
bool mcp_roots_wait(struct mcp_work *k);

/* Withdraw the asks of a round. */
void mcp_work_stop_round(struct mcp_work *k);

/* A request is being sent: set its deadline. */
void mcp_work_clock(struct mcp_work *k);

/* The maximum time for one request. */
int64_t mcp_work_timeout(const struct mcp_work *k);

/* The result is a task: wait for its end. */
void mcp_task_begin(struct mcp_work *k, struct json result);

/* All input has arrived: send it to the server. */
void mcp_task_update(struct mcp_work *k);

/* Was the input that the server requests under this key sent already? */
bool mcp_task_was_told(const struct mcp_work *k, struct json key);

/* The connection ends: stop waiting for the task, and ask the server to cancel it. */
void mcp_task_stop(struct mcp_work *k, const struct err *why);
void mcp_task_drop(struct mcp_work *k);

/* Settle the call: with the server's result or error, or with an error of ours. */
void mcp_work_forward(struct mcp_work *k, struct json result, struct json error);
void mcp_work_fail(struct mcp_work *k, const struct err *e);
void mcp_work_wrong(struct mcp_work *k, const char *what);
void mcp_work_lacks(struct mcp_work *k, enum ask_kind kind);

#endif
