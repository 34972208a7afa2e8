/*
 * agent_progress.h - reports what a called agent does to its caller, as progress.
 *
 * Text is collected: the caller gets at most one message every TELL_PACE_MS, with the end of the
 * text so far. The start and the end of a tool call are reported at once. The progress value counts
 * the messages; there is no total. After limits.agent_progress_ms without a message the caller gets
 * "still working", because clients cancel a call that is silent for long.
 */
#ifndef CORE_AGENT_AGENT_PROGRESS_H
#define CORE_AGENT_AGENT_PROGRESS_H

#include "core/event.h"
#include "core/tool/call.h"

enum { TELL_PACE_MS = 100, TELL_BYTES = 400 };

struct agent_tell {
    struct call *call;
    struct timer timer; /* set while a message waits for the pace */
    struct timer quiet; /* sends "still working" */
    int64_t told;       /* messages sent so far */
    int64_t next;       /* loop time before which no text is sent */
    struct buf said;    /* the end of the agent's text, or a note about a tool */
    bool cut;           /* `said` has lost its beginning */
    /* `said` is a note, not text of the agent */
    bool is_note;
};

/* Start to report to the caller of this call. Its memory is that of the call. */
void agent_tell_begin(struct agent_tell *t, struct call *call);

/* Report an event of the agent, if it is of interest to the caller. */
void agent_tell_event(struct agent_tell *t, const struct event *ev);

/* Stop reporting; a message that still waits is dropped. May be called twice. */
void agent_tell_end(struct agent_tell *t);

#endif
