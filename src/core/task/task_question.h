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

/* An op under the agent's question, so that we learn when the agent withdraws it. */
struct task_question {
    struct op op; /* first */
    struct task_run *run;
    struct ask *ask;
    struct str key;
    struct str json; /* as stored */
    int64_t asked;   /* wall time in ms */
    struct timer timer;
    struct task_question *next;
};

/* The client of a task's turn: events go to the log, questions become questions of the task. */
extern const struct work_client_kind task_client_kind;

/* The open questions as a JSON object in mem; "" if there are none. */
struct str task_run_asks(const struct task_run *r, struct arena *mem);

/* Open a question. */
void task_run_ask(struct task_run *r, struct ask *ask);

/* Close a question with an answer that is stored. False: it is not open, or the answer is no JSON. */
bool task_run_answer(struct task_run *r, struct str key, struct str answer, struct str by);

/* Close the questions that were answered through other processes. */
void task_run_take_answers(struct task_run *r, const struct store_answer_page *p);

/* ---- checking an answer: task_answer.c -------------------------------------------------------- */

/*
 * Which open question of a->info does the answer belong to, and is it valid for it? key "" stands
 * for the only open question, and is filled in.
 */
bool task_answer_check(struct task_ask *a, const struct limits *limits, struct json answer,
                       char key[TASK_KEY_TEXT], struct err *e);

/* Who closed a question, according to the events of kind "answered"; STR_NONE: not in this page. */
struct str task_answered_by(struct arena *mem, const struct limits *limits,
                            const struct store_event_page *p, struct str key);

#endif
