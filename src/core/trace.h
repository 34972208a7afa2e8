/*
 * trace.h - from where a call comes, over all hops: the guard against agents that call each other
 * without end.
 *
 * A trace has an id that stays the same from hop to hop, and a depth: how many agents lie behind
 * the call. An agent in between may pass on the id and drop the depth. So we remember which calls
 * we have sent out and what is not answered yet: a call that comes in with such an id and without a
 * depth was caused by one of them and counts as one hop deeper. But clients use one id for many
 * calls of their own, side by side: those name the same W3C parent as the calls that are under way
 * for the client, where one that was caused by our call names another (we send a new one each time).
 */
#ifndef CORE_TRACE_H
#define CORE_TRACE_H

#include "base/arena.h"
#include "base/str.h"

enum {
    TRACE_DEPTH = 5,        /* the most that limits.trace_depth may say */
    TRACE_PARENT_TEXT = 56, /* of a traceparent of version 00, with its NUL */
};

struct trace {
    struct str id;     /* STR_NONE: not assigned yet */
    int depth;         /* 0: a person or program called us; n: the nth agent in a chain */
    int arrived;       /* what the depth was when the call came into this process */
    struct str parent; /* W3C traceparent as it came, or STR_NONE */
    struct str state;  /* W3C tracestate as it came, without our own member, or STR_NONE */
    bool counted;      /* it said how deep it is */
    bool malformed;    /* it has an id of ours that is none: to be refused */
};

/* The one check, for the guard and for protocols that can reject earlier. */
static inline bool trace_too_deep(int depth, int64_t most)
{
    return depth > most;
}

/* ---- W3C ----------------------------------------------------------------------------------- */

/* Its trace id, 32 hexadecimal digits; STR_NONE: it is no traceparent. */
struct str trace_parent_id(struct str parent);

/* The traceparent of a request with this trace: the same trace id, and a new parent id. */
void trace_parent_new(const struct trace *t, char out[TRACE_PARENT_TEXT]);

/* ---- calls that we sent out ---------------------------------------------------------------- */

/* One that is not answered yet. All that it points to lives until open_trace_end. */
struct open_trace {
    struct str id, parent; /* as they were sent */
    struct str from;       /* the traceparent of the call that caused it, as it came in */
    int depth, arrived;    /* sent, and of the call that caused it */
    struct open_trace *next, **link;
};

/* Zero it. Program lifetime. */
struct open_traces {
    struct open_trace *first;
};

void open_trace_begin(struct open_traces *all, struct open_trace *one);
void open_trace_end(struct open_trace *one); /* nothing for one that did not begin */

/* A call came in: set what it did not say. all may be NULL. */
void trace_arrives(struct trace *t, const struct open_traces *all);

#endif
