/*
 * task_asking.h - put questions of a task to the person who follows it at a terminal.
 *
 * The follower reports all open questions whenever they may have changed, as they are stored: new
 * ones are asked, and those that are no longer open (another client answered first) are withdrawn.
 * An answer takes the usual way.
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
    bool here;             /* this process runs the task: truncated calls can be allowed, too */
    bool lost;             /* the terminal is closed: no more questions */
    bool closing;
};

/* Can the person at this screen be asked? Not with --json. */
bool task_asking_can(const struct task_screen *screen);

/* The screen prints nothing about questions beside the questions themselves. */
void task_asking_open(struct task_asking *t, struct task_screen *screen, struct task_engine *engine,
                      struct str id);

/* The open questions: as in task_info. Does nothing before it is opened. */
void task_asking_see(struct task_asking *t, struct str asks);

/* The terminal has been closed: questions are withdrawn from it, and stay open. */
void task_asking_lose(struct task_asking *t);

/* Take back what is asked; runs the loop until that is done. */
void task_asking_close(struct task_asking *t);

#endif
