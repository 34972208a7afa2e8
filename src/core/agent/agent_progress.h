/*
 * agent_progress.h - reports the work of a called agent to its caller, as progress messages.
 *
 * Text of the agent is collected: the caller gets at most one message every TELL_PACE_MS, with the
 * end of the text so far. The start and the end of a tool call are reported at once. The progress
 * value is the number of messages; there is no total. After limits.agent_progress_ms without a
 * message, the caller gets "still working", because clients cancel calls that are silent for too
 * long.
 */
#ifndef CORE_AGENT_AGENT_PROGRESS_H
#define CORE_AGENT_AGENT_PROGRESS_H

#include "core/event.h"
#include "core/tool/call.h"

enum { TELL_PACE_MS = 100, TELL_BYTES = 400 };

struct agent_tell {
    struct call *call;
    struct timer timer; /* set while a message waits until it may be sent */
    struct timer quiet; /* sends "still working" */
    int64_t told;       /* number of messages sent */
    int64_t next;       /* loop time before which no text is sent */
    struct buf said;    /* the end of the agent's text, or a note about a tool */
    bool cut;           /* the beginning of the text was dropped from `said` */
    /* `said` is a note about a tool, not text of the agent */
    bool is_note;
};

/* Start reporting to the caller of this call. Memory is allocated from call->mem. */
void agent_tell_begin(struct agent_tell *t, struct call *call);

/* Report an event of the agent, if callers get events of this kind. */
void agent_tell_event(struct agent_tell *t, const struct event *ev);

/* Stop reporting. A message that has not been sent is dropped. May be called twice. */
void agent_tell_end(struct agent_tell *t);

#endif
