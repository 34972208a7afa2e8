/*
 * question.h - questions of agents to the person at a terminal, one after the other.
 *
 *   permission   shows the call (core/tool/call_description.h) and a key for each option
 *                (core/guard/permission_option.h). An empty line rejects the call
 *   form         asks for each property of its schema, one line each, and checks the type
 *   page         shows the address of a web page, and asks whether the user has opened it
 *
 * This module reads no keys and owns no screen: the owner of the terminal implements asking_kind
 * and passes each line to asking_line. Cancelling a call withdraws its question.
 */
#ifndef TERM_QUESTION_H
#define TERM_QUESTION_H

#include "core/tool/call.h"

struct asking;

struct asking_kind {
    /* Print these lines, which are safe to show on a terminal. */
    void (*show)(struct asking *a, struct str lines);

    /* Show the prompt and read a line, which is passed to asking_line; `unwant` cancels that. */
    void (*want)(struct asking *a, struct str prompt);
    void (*unwant)(struct asking *a);
};

struct asking {
    const struct asking_kind *kind;
    struct shown_question *first; /* the question that the user is asked; the others wait */
};

/* Can a user at a terminal answer this kind of question? */
bool asking_can(enum ask_kind kind);

/* Ask the user; the answer settles `ask`. */
void asking_put(struct asking *a, struct ask *ask);

/* Answer a permission question without asking the user: allow this call. */
void asking_allow(struct ask *ask);

/* Handle a line that the user typed, without its line feed. STR_NONE: the user does not answer. */
void asking_line(struct asking *a, struct str line);

#endif
