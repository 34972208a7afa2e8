/*
 * approval_json.h - a question of a task as JSON: `approvals --json` and /api/approvals.
 *
 * {"task","key","agent","owner","kind","tool","arguments","message","url"?,"schema"?,
 *  "options"?:[{"id","name","kind"}],"asked","waits_seconds","open"}; with "cut":true when
 * arguments, message, url or schema are truncated or omitted
 *
 * Arguments are those of the call, without secrets (args_summary.h), and the message of a permission
 * shows what would be run (core/tool/call_description.h). In lists all of these are short, and a
 * question that does not fit into the response is only named; /api/tasks/ID and `approvals show`
 * have the whole text. open: a process runs the task and accepts an answer; otherwise the task asks
 * again, under another key, when it continues.
 */
#ifndef WEB_APPROVAL_JSON_H
#define WEB_APPROVAL_JSON_H

#include "core/task/task.h"

/* One open question. All but `task` point into its asks or into mem. */
struct approval {
    const struct task_info *task;
    struct str key, kind, tool, message;
    struct json args, params;
    bool cut;      /* args are not all */
    int64_t asked; /* ms */
};

/* The first question of a task, and the next: false when there is none. Zero *at first. */
struct approval_walk {
    struct json asks, at;
    bool begun;
};

bool approval_next(struct approval_walk *at, struct arena *mem, const struct limits *limits,
                   const struct task_info *t, struct approval *out);

/* All of a task, as elements of an array. whole: with all arguments, else as in lists. */
void approvals_write(struct jw *w, struct arena *mem, const struct limits *limits,
                     const struct task_info *t, bool whole, int64_t now);

#endif
