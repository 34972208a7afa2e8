/*
 * trace.h - traces, which prevent agents from calling each other without end.
 *
 * When an agent calls another agent, the call carries a trace: an id, which is the same for the
 * whole chain of calls, and a depth, which is the number of agents in the chain so far. An agent in
 * the chain may forward the id without the depth. To restore the depth, we remember the id of each
 * call that we sent and that is not answered yet. A call that arrives with one of these ids and
 * without a depth was caused by our call, so its depth is the depth of our call plus one. There is
 * one exception: a client may use one id for several parallel calls. These have the same W3C parent
 * as the running calls of that client, while a call that our call caused has another parent,
 * because we send a new parent with each call.
 */
#ifndef CORE_TRACE_H
#define CORE_TRACE_H

#include "base/arena.h"
#include "base/str.h"

enum {
    TRACE_DEPTH = 5,        /* the maximum of limits.trace_depth */
    TRACE_PARENT_TEXT = 56, /* size of a W3C traceparent of version 00, with its NUL */
};

struct trace {
    struct str id; /* id of the trace; STR_NONE: not assigned yet */
    int depth;     /* 0: called by a person or a program; n: called by the nth agent of a chain */
    int arrived;   /* the depth when the call arrived in this process */
    struct str parent; /* W3C traceparent as received, or STR_NONE */
    struct str state;  /* W3C tracestate as received, without trefoil's member, or STR_NONE */
    bool counted;      /* the call arrived with a depth */
    bool malformed;    /* the received trace id is invalid: the call must be rejected */
};

/*
 * Is the depth above the limit `most`? The guard uses this function, and so do protocols that can
 * reject a call before the guard sees it.
 */
static inline bool trace_too_deep(int depth, int64_t most)
{
    return depth > most;
}

/* ---- W3C Trace Context ---------------------------------------------------------------------- */

/*
 * Return the trace id of a traceparent: 32 hexadecimal digits. STR_NONE: `parent` is not a valid
 * traceparent.
 */
struct str trace_parent_id(struct str parent);

/* Write the traceparent for a request with this trace: the same trace id, and a new parent id. */
void trace_parent_new(const struct trace *t, char out[TRACE_PARENT_TEXT]);

/* ---- calls in flight ----------------------------------------------------------------------- */

/*
 * A call that we sent and that is not answered yet. It was caused by a call that we received. All
 * pointers must stay valid until open_trace_end.
 */
struct open_trace {
    struct str id, parent; /* the trace id and the parent id, as they were sent */
    struct str from;       /* the traceparent of the received call */
    int depth, arrived;    /* the depth that was sent; trace.arrived of the received call */
    struct open_trace *next, **link;
};

/* Zero it. Lives as long as the program. */
struct open_traces {
    struct open_trace *first;
};

void open_trace_begin(struct open_traces *all, struct open_trace *one);
/* If open_trace_begin was not called, this does nothing. */
void open_trace_end(struct open_trace *one);

/* A call has arrived: set the members of *t that the call did not specify. `all` may be NULL. */
void trace_arrives(struct trace *t, const struct open_traces *all);

#endif
