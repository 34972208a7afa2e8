/*
 * task_screen.h - a task that is worked on, as a person or a program sees it: its events on a
 * console, rendered as those of `run` are, or with --json as they are stored, one a line.
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
    bool gone;             /* nobody reads what we print */
    bool asks;             /* questions are put to the person there (task_asking.h) */
    enum task_state state; /* as far as it was told */
    void (*on_gone)(void *ctx);
    void *ctx;
};

/* on_gone: nobody reads any more; may be NULL. Fails when there is no stdout. */
bool task_screen_open(struct task_screen *s, struct app *app, struct loop *loop, bool thoughts,
                      void (*on_gone)(void *ctx), void *ctx, struct err *e);

/* The first line says what all is about. */
void task_screen_begin(struct task_screen *s, struct str id, struct str agent);

void task_screen_event(struct task_screen *s, int64_t seq, int64_t at, struct str kind,
                       struct str body);

/* One of all tasks: a line of its own. */
void task_screen_feed(struct task_screen *s, const struct store_feed_event *ev);

/* A line aside. */
void task_screen_note(struct task_screen *s, struct str text);

/* Runs the loop until all is written; `now`: what waits is dropped. False: nobody read it. */
bool task_screen_close(struct task_screen *s, bool now);

#endif
