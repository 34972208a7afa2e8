/*
 * task_call.h - a task that is one call of a tool.
 *
 * Like every task it is stored as SUBMITTED before it is published, and can be read, followed,
 * answered and cancelled. The tool's questions are questions of the task. Its start, progress and
 * end are tool events with the id of the task.
 *
 * A call has no history to resume from. When its process ends first, the task fails with that
 * reason; the tool is not run again.
 */
#ifndef CORE_TASK_TASK_CALL_H
#define CORE_TASK_TASK_CALL_H

#include "core/task/task.h"
#include "core/tool/offer.h"

/* Everything but the offer is copied. */
struct task_call_spec {
    struct offer *offer; /* of the tool and its host; lives as long as the engine */
    struct str tool;
    struct json args;            /* an object, or missing */
    const struct caller *caller; /* its kind, history and grants are not used */
    struct str context;          /* as in struct task_spec */
    unsigned can; /* bits, 1u << enum ask_kind: the kinds of questions that may be asked */
    /*
     * Write how the settled call ended, in the caller's format: one JSON value, which is stored as
     * "call" in the result of the task. e: NULL unless the call failed. May be NULL.
     */
    void (*write)(struct jw *w, const struct call *call, const struct err *e);
};

/* Create a task that runs a tool; like task_create. ERR_NOT_FOUND: there is no such tool. */
void task_create_call(struct task_engine *g, struct task_ask *a, const struct task_call_spec *spec,
                      struct op *parent, op_done_fn *done, void *ctx);

#endif
