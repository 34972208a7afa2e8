/*
 * question.h - questions of agents to the person at a terminal, one after the other.
 *
 *   permission   what would be run, as its message shows it (core/tool/call_description.h), and a
 *                key for each option (core/guard/permission_option.h); an empty line rejects
 *   form         a line for each property of its schema, checked by its type
 *   page         its address, and whether it was opened
 *
 * This module reads no keys and owns no screen: the owner of the terminal implements asking_kind
 * and passes each line to asking_line. Cancelling a call withdraws its question.
 */
#ifndef TERM_QUESTION_H
#define TERM_QUESTION_H

#include "core/tool/call.h"

struct asking;

struct asking_kind {
    /* Whole lines, harmless for terminals. */
    void (*show)(struct asking *a, struct str lines);

    /* A line is wanted, with this in front; nothing, once it is not wanted any more. */
    void (*want)(struct asking *a, struct str prompt);
    void (*unwant)(struct asking *a);
};

struct asking {
    const struct asking_kind *kind;
    struct shown_question *first; /* is being asked; the others wait */
};

/* Can a user at a terminal answer this kind of question? */
bool asking_can(enum ask_kind kind);

/* Ask; the answer goes to `ask`. */
void asking_put(struct asking *a, struct ask *ask);

/* Answer without asking the user: a permission is granted for this call. */
void asking_allow(struct ask *ask);

/* The line that the user typed, without its line feed. STR_NONE: the user does not answer. */
void asking_line(struct asking *a, struct str line);

#endif
