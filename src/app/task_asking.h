/*
 * task_asking.h - what a task asks, put to the person who follows it at a terminal.
 *
 * Whoever follows tells again and again what is open, as it is stored: what is new is asked, what is
 * open no more - somebody was faster - is taken back. An answer goes the way that all go.
 */
#ifndef APP_TASK_ASKING_H
#define APP_TASK_ASKING_H

#include "app/task_screen.h"
#include "term/question.h"

struct task_asking {
    struct task_screen *screen;
    struct task_engine *engine;
    struct str id;         /* of the task */
    struct host host;      /* as much of one as questions need */
    struct shown_ask *all; /* all that were ever asked: their keys are not used again */
    size_t busy;           /* asked, or answers under way */
    bool here;             /* this process works on the task: what is cut can be allowed, too */
    bool lost;             /* the terminal is gone: nothing is asked any more */
    bool closing;
};

/* Can the person at this screen be asked? Not one who wants JSON. */
bool task_asking_can(const struct task_screen *screen);

/* The screen says no more of questions than they do themselves. */
void task_asking_open(struct task_asking *t, struct task_screen *screen, struct task_engine *engine,
                      struct str id);

/* What is open now: as in task_info. Nothing, before it is opened. */
void task_asking_see(struct task_asking *t, struct str asks);

/* Nobody is at the terminal any more: what is asked is taken back, and stays open. */
void task_asking_lose(struct task_asking *t);

/* Take back what is asked; runs the loop until that is done. */
void task_asking_close(struct task_asking *t);

#endif
