/*
 * task_result.h - the result of a run: the answer in the requested format, and what the run made.
 */
#ifndef CORE_TASK_TASK_RESULT_H
#define CORE_TASK_TASK_RESULT_H

#include "core/task/task_run.h"

/* The result as JSON, in the memory of the run; task.h describes it. */
struct str task_result_write(struct task_run *r);

/* Record what an event adds to the result: a written file, an artifact, a line of stream-json. */
void task_run_made(struct task_run *r, const struct event *ev);

/* Find the paths that the answer names. The session must still be open. */
void task_run_find_named(struct task_run *r);

/*
 * Check which files found by task_run_find_named have changed, then call done. False: there is
 * nothing to check, and done is not called.
 */
bool task_run_look_at_files(struct task_run *r, op_done_fn *done);

/* ---- output_format: task_format.c ------------------------------------------------------------ */

/* Keep the event if the format wants events. */
void task_format_event(struct task_run *r, const struct event *ev);

/* The answer as output_format wants it. */
struct str task_format_answer(struct task_run *r, struct str answer);

#endif
