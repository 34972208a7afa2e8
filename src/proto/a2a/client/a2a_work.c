#include "proto/a2a/client/a2a_work.h"

#include "base/container.h"
#include "base/display.h"
#include "base/log.h"
#include "base/utf8.h"

#include <assert.h>

enum { REASON_MOST = 200 };

/* ---- states ---------------------------------------------------------------------------------- */

static const char *const state_names[A2A_WORK_STATES] = {
    [A2A_WORK_MEETING] = "meeting",     [A2A_WORK_SENDING] = "sending",
    [A2A_WORK_WAITING] = "waiting",     [A2A_WORK_FOLLOWING] = "following",
    [A2A_WORK_POLLING] = "polling",     [A2A_WORK_ASKING] = "asking",
    [A2A_WORK_CANCELING] = "canceling", [A2A_WORK_OVER] = "over",
};

#define TO(state) (1u << A2A_WORK_##state)

static const unsigned state_next[A2A_WORK_STATES] = {
    [A2A_WORK_MEETING] = TO(SENDING) | TO(WAITING) | TO(CANCELING) | TO(OVER),
    [A2A_WORK_SENDING] = TO(SENDING) | TO(WAITING) | TO(ASKING) | TO(CANCELING) | TO(OVER),
    [A2A_WORK_WAITING] = TO(SENDING) | TO(FOLLOWING) | TO(POLLING) | TO(CANCELING) | TO(OVER),
    [A2A_WORK_FOLLOWING] = TO(WAITING) | TO(ASKING) | TO(CANCELING) | TO(OVER),
    [A2A_WORK_POLLING] = TO(WAITING) | TO(ASKING) | TO(CANCELING) | TO(OVER),
    [A2A_WORK_ASKING] = TO(SENDING) | TO(CANCELING) | TO(OVER),
    [A2A_WORK_CANCELING] = TO(OVER),
};

void a2a_work_set_state(struct a2a_work *w, enum a2a_work_state to)
{
    assert(state_next[w->state] & (1u << to));
    LOG(LOG_TRACE, "a2a", "state", LOG_Z("from", state_names[w->state]),
        LOG_Z("to", state_names[to]));
    w->state = to;
}

/* ---- the end --------------------------------------------------------------------------------- */

void a2a_work_end(struct a2a_work *w, enum turn_stop stop, const struct err *why)
{
    struct agent_prompt *p = w->prompt;

    a2a_work_set_state(w, A2A_WORK_OVER);
    timer_clear(w->peer->o.loop, &w->timer);
    open_trace_end(&w->open_trace);
    if (w->released || p->op.settled)
        return;
    p->stop = stop;
    if (why && why->code)
        p->why = *why;
    op_ok(&p->op);
}

void a2a_work_stop(struct a2a_work *w)
{
    bool running = w->c->task.n && !task_state_final(w->status);

    if (running && !w->turn->parked && !w->released)
        a2a_work_cancel_task(w);
    else
        a2a_work_end(w, TURN_CANCELED, NULL);
}

static void forget_task(struct a2a_work *w)
{
    w->c->open = false;
    w->c->task = STR_NONE;
}

/* The words of the agent about the end of its task. */
static void read_reason(struct a2a_work *w, const char *otherwise, struct err *out)
{
    const struct a2a_message *m = w->last.message;
    struct str text = m ? a2a_text_of(&w->mem, m->parts) : STR("");

    text = shown_text(&w->mem, utf8_head(text, REASON_MOST));
    if (text.n)
        fail(out, ERR_SYSTEM, STR_FMT, STR_ARG(text));
    else
        fail(out, ERR_SYSTEM, "%s", otherwise);
}

void a2a_work_finish(struct a2a_work *w)
{
    struct err why;

    if (w->messaged) {
        a2a_work_end(w, TURN_END, NULL);
        return;
    }
    forget_task(w);
    if (w->status == TASK_COMPLETED) {
        a2a_report_end(&w->report, &w->last);
        a2a_work_end(w, TURN_END, NULL);
    } else if (w->status == TASK_CANCELED) {
        a2a_work_end(w, TURN_CANCELED, NULL);
    } else if (w->status == TASK_REJECTED) {
        read_reason(w, "the remote agent rejected the task", &why);
        a2a_work_end(w, TURN_REFUSED, &why);
    } else {
        read_reason(w, "the remote agent failed", &why);
        a2a_work_end(w, TURN_FAILED, &why);
    }
}
