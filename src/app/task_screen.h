/*
 * task_screen.h - the output of a running task for a person or a program: its events on a
 * console, rendered like those of `run`, or with --json as they are stored, one per line.
 */
#ifndef APP_TASK_SCREEN_H
#define APP_TASK_SCREEN_H

#include "app/app.h"
#include "core/task/task.h"
#include "term/console.h"

struct task_screen {
    struct console console;
    struct render render;
    struct app *app;
    struct loop *loop;
    bool closed;
    bool gone;             /* the reader of our output has closed it */
    bool asks;             /* questions are put to the person there (task_asking.h) */
    enum task_state state; /* as last reported */
    void (*on_gone)(void *ctx);
    void *ctx;
};

/* on_gone: the reader has closed our output; may be NULL. Fails when there is no stdout. */
bool task_screen_open(struct task_screen *s, struct app *app, struct loop *loop, bool thoughts,
                      void (*on_gone)(void *ctx), void *ctx, struct err *e);

/* The first line names the task. */
void task_screen_begin(struct task_screen *s, struct str id, struct str agent);

void task_screen_event(struct task_screen *s, int64_t seq, int64_t at, struct str kind,
                       struct str body);

/* One event of the feed of all tasks: a separate line. */
void task_screen_feed(struct task_screen *s, const struct store_feed_event *ev);

/* A line aside. */
void task_screen_note(struct task_screen *s, struct str text);

/* Runs the loop until all is written; `now`: pending output is dropped. False: the reader had
 * closed it. */
bool task_screen_close(struct task_screen *s, bool now);

#endif
