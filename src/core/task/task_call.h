/*
 * task_call.h - a task that is one call of a tool.
 *
 * Like every task, it is stored as SUBMITTED before it is published, and clients can read, follow,
 * answer and cancel it. Questions of the tool become questions of the task. The start, progress and
 * end of the tool are events of kind "tool" with the id of the task.
 *
 * A call cannot be resumed, because it has no history. If its process ends before the call, the
 * task fails with that reason; the tool is not run again.
 */
#ifndef CORE_TASK_TASK_CALL_H
#define CORE_TASK_TASK_CALL_H

#include "core/task/task.h"
#include "core/tool/offer.h"

/* A request for a task that calls a tool. task_create_call copies all data, except *offer. */
struct task_call_spec {
    /* the set of tools (offer.h) that contains the tool; outlives the engine */
    struct offer *offer;
    struct str tool;
    struct json args;            /* the arguments of the tool: an object, or missing */
    const struct caller *caller; /* the caller. Its members kind, history and grants are not used */
    struct str context;          /* as in struct task_spec */
    unsigned can; /* bits 1u << enum ask_kind: the kinds of questions that may be asked */
    /*
     * Write the outcome of the call in the caller's format, as one JSON value. It is stored as
     * "call" in the result of the task. `e` is NULL unless the call failed. May be NULL.
     */
    void (*write)(struct jw *w, const struct call *call, const struct err *e);
};

/* Like task_create, for a task that runs a tool. ERR_NOT_FOUND: there is no such tool. */
void task_create_call(struct task_engine *g, struct task_ask *a, const struct task_call_spec *spec,
                      struct op *parent, op_done_fn *done, void *ctx);

#endif
