/*
 * task_json.h - tasks, their events and locks as JSON: `--json` of the verbs and /api/tasks.
 *
 * A task   {"id","agent","state","text","task","context","session","model","mode","owner","created",
 *           "updated","ended"?,"version","events","asks"?,"result"?}
 * An event {"seq","time","kind","body"}, the body as task.h has it; where all tasks are followed
 *          {"task","agent","context","seq","time","kind","body"}
 * A lock   {"task","agent","paths":[...],"mode","acquired"}
 *
 * Times are text, as everywhere (clock.h); unknown members are omitted.
 */
#ifndef WEB_TASK_JSON_H
#define WEB_TASK_JSON_H

#include "core/lock/lock.h"
#include "core/task/task.h"

/* `whole`: with its result and open asks, and all that it is to do; lists have its beginning. */
void task_write(struct jw *w, const struct task_info *t, bool whole);

void task_event_write(struct jw *w, int64_t seq, int64_t at, struct str kind, struct str body);

void task_feed_write(struct jw *w, const struct store_feed_event *ev);

void task_lock_write(struct jw *w, const struct lock_info *l);

/* The answer at the end, and why it ended: out of a result, or STR_NONE. */
struct str task_response(struct arena *mem, const struct limits *limits, struct str result);
struct str task_stop(struct arena *mem, const struct limits *limits, struct str result);

/*
 * A page's place as a word that a client brings back, such as "1760000000000-12"; false: it is none.
 */
void task_cursor_write(struct jw *w, const struct store_cursor *c);
bool task_cursor_read(struct str word, struct store_cursor *out);

#endif
