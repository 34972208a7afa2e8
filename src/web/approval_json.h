/*
 * approval_json.h - writes a question of a task as JSON, for `approvals --json` and /api/approvals:
 *
 * {"task","key","agent","owner","kind","tool","arguments","message","url"?,"schema"?,
 *  "options"?:[{"id","name","kind"}],"asked","waits_seconds","open"}; with "cut":true when
 * arguments, message, url or schema are truncated or omitted
 *
 * "arguments" contains the arguments of the call, without secrets (args_summary.h). The "message"
 * of a permission describes the call (core/tool/call_description.h). In lists, these texts are
 * shortened, and a question that does not fit into the response has only its ids; /api/tasks/ID and
 * `approvals show` have the whole text. If "open" is true, a process runs the task and accepts an
 * answer. Otherwise the task asks again, with another key, when it continues.
 */
#ifndef WEB_APPROVAL_JSON_H
#define WEB_APPROVAL_JSON_H

#include "core/task/task.h"

/* One open question. All members except `task` point into task->asks or mem. */
struct approval {
    const struct task_info *task;
    struct str key, kind, tool, message;
    struct json args, params;
    bool cut;      /* `args` are truncated */
    int64_t asked; /* when the question was asked, in ms since 1970 */
};

/* Iterate over the questions of a task. Zero *at first. False: there is no further question. */
struct approval_walk {
    struct json asks, at;
    bool begun;
};

bool approval_next(struct approval_walk *at, struct arena *mem, const struct limits *limits,
                   const struct task_info *t, struct approval *out);

/*
 * Write all questions of a task as elements of an array. If `whole` is true, texts are not
 * shortened as in lists.
 */
void approvals_write(struct jw *w, struct arena *mem, const struct limits *limits,
                     const struct task_info *t, bool whole, int64_t now);

#endif
