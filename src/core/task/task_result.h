/*
 * task_result.h - the result of a run (task_run.h): the answer in the requested format, and the
 * files and artifacts.
 */
#ifndef CORE_TASK_TASK_RESULT_H
#define CORE_TASK_TASK_RESULT_H

#include "core/task/task_run.h"

/* Return the result as JSON, in the memory of the run. task_info.result describes the format. */
struct str task_result_write(struct task_run *r);

/* Record what an event adds to the result: a written file, an artifact, a line of stream-json. */
void task_run_made(struct task_run *r, const struct event *ev);

/* Find the paths that the answer names. The session must still be open. */
void task_run_find_named(struct task_run *r);

/*
 * Check which of the files found by task_run_find_named were changed, then call `done`. Returns
 * false if there is nothing to check; then `done` is not called.
 */
bool task_run_look_at_files(struct task_run *r, op_done_fn *done);

/* ---- output_format: task_format.c ------------------------------------------------------------ */

/* Keep the event for the result if the output_format is stream-json. */
void task_format_event(struct task_run *r, const struct event *ev);

/* Format the answer as output_format requests. */
struct str task_format_answer(struct task_run *r, struct str answer);

#endif
