/*
 * approvals_json.h - what a task asks, as JSON: `approvals --json` and /api/approvals.
 *
 * {"task","key","agent","owner","kind","tool","arguments","message","url"?,"schema"?,"asked",
 *  "waits_seconds","open"}
 *
 * Arguments are those of the call, short and without secrets (args_brief.h). open: somebody works on
 * the task and would take an answer; else it asks again, under another key, when it goes on.
 */
#ifndef APP_APPROVALS_JSON_H
#define APP_APPROVALS_JSON_H

#include "core/task.h"

/* One open question. All but `task` point into its asks or live in mem. */
struct approval {
    const struct task_info *task;
    struct str key, kind, tool, message;
    struct json args, params;
    int64_t asked; /* ms */
};

/* The first of a task, and the next: false when there is none. Zero *at first. */
struct approval_walk {
    struct json asks, at;
    bool begun;
};

bool approval_next(struct approval_walk *at, struct arena *mem, const struct limits *limits,
                   const struct task_info *t, struct approval *out);

/* All of a task, as elements of an array. */
void approvals_write(struct jw *w, struct arena *mem, const struct limits *limits,
                     const struct task_info *t, int64_t now);

#endif
