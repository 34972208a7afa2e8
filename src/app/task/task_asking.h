/*
 * task_asking.h - shows the questions of a task to the person who follows the task at a terminal.
 *
 * Whenever the open questions of the task may have changed, call task_asking_see with all of them.
 * New questions are shown. Questions that are no longer open (another client answered first) are
 * withdrawn from the terminal. Answers are sent with task_answer, like those of other clients.
 */
#ifndef APP_TASK_TASK_ASKING_H
#define APP_TASK_TASK_ASKING_H

#include "app/task/task_screen.h"
#include "term/question.h"

struct task_asking {
    struct task_screen *screen;
    struct task_engine *engine;
    struct str id;         /* id of the task */
    struct host host;      /* a host in which only the members that questions need are set */
    struct shown_ask *all; /* all questions so far; kept, because keys are never reused */
    /* number of questions that are shown, plus answers that are being sent */
    size_t busy;
    /* this process runs the task, so the person may allow calls whose text is truncated */
    bool here;
    bool lost; /* the terminal is closed: show no more questions */
    bool closing;
};

/* Can the person at this screen answer questions? With --json, no person can. */
bool task_asking_can(const struct task_screen *screen);

/* Start showing questions. The screen no longer prints the events about questions. */
void task_asking_open(struct task_asking *t, struct task_screen *screen, struct task_engine *engine,
                      struct str id);

/* Show the open questions, as in task_info.asks. Does nothing before task_asking_open. */
void task_asking_see(struct task_asking *t, struct str asks);

/*
 * Call this when the terminal was closed. The questions are no longer shown, but stay open in the
 * task.
 */
void task_asking_lose(struct task_asking *t);

/* Withdraw the shown questions, and run the loop until that is done. */
void task_asking_close(struct task_asking *t);

#endif
