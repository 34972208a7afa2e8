/*
 * task_screen.h - shows the events of a running task to a person or a program: on a console,
 * rendered like the events of `run`, or with --json in their stored form, one per line.
 */
#ifndef APP_TASK_TASK_SCREEN_H
#define APP_TASK_TASK_SCREEN_H

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
    bool asks;             /* questions are shown to the person at the terminal (task_asking.h) */
    enum task_state state; /* the state that was reported last */
    void (*on_gone)(void *ctx);
    void *ctx;
};

/*
 * Open the screen. on_gone is called when the reader of our output has closed it; it may be NULL.
 * Fails if there is no stdout.
 */
bool task_screen_open(struct task_screen *s, struct app *app, struct loop *loop, bool thoughts,
                      void (*on_gone)(void *ctx), void *ctx, struct err *e);

/* Write the first line, which names the task. */
void task_screen_begin(struct task_screen *s, struct str id, struct str agent);

void task_screen_event(struct task_screen *s, int64_t seq, int64_t at, struct str kind,
                       struct str body);

/* Write one event of the feed of all tasks (core/store_tasks.h) as a line. */
void task_screen_feed(struct task_screen *s, const struct store_feed_event *ev);

/* Write a notice as a separate line. */
void task_screen_note(struct task_screen *s, struct str text);

/*
 * Run the loop until all output is written, and close the screen. If `now` is true, drop pending
 * output instead. Returns false if the reader has closed our output.
 */
bool task_screen_close(struct task_screen *s, bool now);

#endif
