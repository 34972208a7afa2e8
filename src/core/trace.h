/*
 * trace.h - the origin of a call, over all hops: the guard against agents that call each other
 * without end.
 *
 * A trace has an id that stays the same from hop to hop, and a depth: the number of agents behind
 * the call. An agent in between may pass on the id and drop the depth. So we remember the calls
 * that we have sent and that are not answered yet: a call that arrives with such an id and without
 * a depth was caused by one of them and counts as one hop deeper. But a client may use one id for
 * many parallel calls: those name the same W3C parent as its running calls, whereas a call that was
 * caused by our call names another parent (we send a new one each time).
 */
#ifndef CORE_TRACE_H
#define CORE_TRACE_H

#include "base/arena.h"
#include "base/str.h"

enum {
    TRACE_DEPTH = 5,        /* the maximum of limits.trace_depth */
    TRACE_PARENT_TEXT = 56, /* of a traceparent of version 00, with its NUL */
};

struct trace {
    struct str id;     /* STR_NONE: not assigned yet */
    int depth;         /* 0: a person or program called us; n: the nth agent in a chain */
    int arrived;       /* the depth when the call arrived in this process */
    struct str parent; /* W3C traceparent as received, or STR_NONE */
    struct str state;  /* W3C tracestate as received, without our member, or STR_NONE */
    bool counted;      /* the call arrived with a depth */
    bool malformed;    /* our field for the id is invalid: the call must be rejected */
};

/* The one check, for the guard and for protocols that can reject earlier. */
static inline bool trace_too_deep(int depth, int64_t most)
{
    return depth > most;
}

/* ---- W3C ----------------------------------------------------------------------------------- */

/* The trace id of a traceparent, 32 hexadecimal digits; STR_NONE: not a valid traceparent. */
struct str trace_parent_id(struct str parent);

/* The traceparent of a request with this trace: the same trace id, and a new parent id. */
void trace_parent_new(const struct trace *t, char out[TRACE_PARENT_TEXT]);

/* ---- calls in flight ----------------------------------------------------------------------- */

/* A call that is not answered yet. All pointers must stay valid until open_trace_end. */
struct open_trace {
    struct str id, parent; /* as they were sent */
    struct str from;       /* the traceparent of the call that caused it, as received */
    int depth, arrived;    /* sent, and of the call that caused it */
    struct open_trace *next, **link;
};

/* Zero it. Program lifetime. */
struct open_traces {
    struct open_trace *first;
};

void open_trace_begin(struct open_traces *all, struct open_trace *one);
void open_trace_end(struct open_trace *one); /* does nothing if *one was not begun */

/* A call has arrived: set the fields that it did not specify. all may be NULL. */
void trace_arrives(struct trace *t, const struct open_traces *all);

#endif
