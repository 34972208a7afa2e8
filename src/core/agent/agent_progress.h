/*
 * agent_progress.h - what an agent does, told to whoever called it as progress.
 *
 * Words are gathered: a caller hears of them at most every TELL_PACE_MS, as the end of what was
 * said so far. That a tool begins or ends is told at once. Progress counts what was told; nobody
 * knows how much there will be. After limits.agent_progress_ms of silence a caller is told that the
 * work goes on: clients take long silence for a call that hangs, and cancel it.
 */
#ifndef CORE_AGENT_AGENT_PROGRESS_H
#define CORE_AGENT_AGENT_PROGRESS_H

#include "core/event.h"
#include "core/tool/call.h"

enum { TELL_PACE_MS = 100, TELL_BYTES = 400 };

struct agent_tell {
    struct call *call;
    struct timer timer; /* set: something waits to be told */
    struct timer quiet; /* since something was told */
    int64_t told;       /* so far */
    int64_t next;       /* when words may be told again */
    struct buf said;    /* the end of what the agent says, or the last note of a tool */
    bool cut;           /* there was more before it */
    bool is_note;
};

void agent_tell_begin(struct agent_tell *t, struct call *call);

void agent_tell_event(struct agent_tell *t, const struct event *ev);

/* Nothing more is told; what waits is not. May be called twice. */
void agent_tell_end(struct agent_tell *t);

#endif
