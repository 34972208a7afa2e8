/*
 * task_question.h - the questions of a running task and their answers.
 *
 * A question stays open until it is answered or withdrawn, or for limits.task_ask_ms. Its key is
 * unique in the task, also across processes, so that a late answer cannot reach another question.
 */
#ifndef CORE_TASK_TASK_QUESTION_H
#define CORE_TASK_TASK_QUESTION_H

#include "core/task/task_run.h"

enum { TASK_KEY_TEXT = 64 };

/*
 * An open question. Its op is a child of the agent's ask, so that it is cancelled when the agent
 * withdraws the ask.
 */
struct task_question {
    struct op op; /* first */
    struct task_run *run;
    struct ask *ask;
    struct str key;
    struct str json; /* the question as it is stored */
    int64_t asked;   /* when the question was asked: wall time in ms */
    struct timer timer;
    struct task_question *next;
};

/* The client of the turn of a task: events go to the log, and asks become questions of the task. */
extern const struct work_client_kind task_client_kind;

/* Return the open questions as a JSON object in mem; "" if there are none. */
struct str task_run_asks(const struct task_run *r, struct arena *mem);

/* Open a question for an ask of the agent or tool. */
void task_run_ask(struct task_run *r, struct ask *ask);

/* Close a question with a stored answer. False: it is not open, or the answer is not JSON. */
bool task_run_answer(struct task_run *r, struct str key, struct str answer, struct str by);

/* Close the questions that were answered through other processes. */
void task_run_take_answers(struct task_run *r, const struct store_answer_page *p);

/* ---- checking an answer: task_answer.c ------------------------------------------------------- */

/*
 * Find the open question of a->info with this key, and check the answer. If `key` is empty and only
 * one question is open, that question is used and its key is written to `key`. The errors are the
 * same as for task_answer.
 */
bool task_answer_check(struct task_ask *a, const struct limits *limits, struct json answer,
                       char key[TASK_KEY_TEXT], struct err *e);

/*
 * Find the principal that closed a question in a page of events of kind "answered". STR_NONE: the
 * page has no such event.
 */
struct str task_answered_by(struct arena *mem, const struct limits *limits,
                            const struct store_event_page *p, struct str key);

#endif
