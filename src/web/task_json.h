/*
 * task_json.h - writes tasks, their events and locks as JSON, for `--json` and /api/tasks.
 *
 *   task    {"id","agent","state","text","task","context","session","model","mode","owner",
 *           "created","updated","ended"?,"version","events","asks"?,"result"?}
 *   event   {"seq","time","kind","body"}; task.h describes the body. In a stream of all tasks:
 *           {"task","agent","context","seq","time","kind","body"}
 *   lock    {"task","agent","paths":[...],"mode","acquired"}
 *
 * Times are text (clock.h). Members whose value is unknown are omitted.
 */
#ifndef WEB_TASK_JSON_H
#define WEB_TASK_JSON_H

#include "core/lock/lock.h"
#include "core/task/task.h"

/*
 * Write a task. If `whole` is true, include the result, the open questions and the whole prompt,
 * which lists omit or shorten.
 */
void task_write(struct jw *w, const struct task_info *t, bool whole);

void task_event_write(struct jw *w, int64_t seq, int64_t at, struct str kind, struct str body);

void task_feed_write(struct jw *w, const struct store_feed_event *ev);

void task_lock_write(struct jw *w, const struct lock_info *l);

/*
 * task_response gets the agent's answer from the result of a task, and task_stop gets the reason
 * why the turn ended. STR_NONE: the result has no such member.
 */
struct str task_response(struct arena *mem, const struct limits *limits, struct str result);
struct str task_stop(struct arena *mem, const struct limits *limits, struct str result);

/*
 * Write the end of a page as a word, such as "1760000000000-12", and read such a word, which a
 * client has sent back. task_cursor_read returns false if the word is not valid.
 */
void task_cursor_write(struct jw *w, const struct store_cursor *c);
bool task_cursor_read(struct str word, struct store_cursor *out);

#endif
