/*
 * answer_file.h - stores the remembered answers of a project (core/guard/answer_store.h), as
 * answers.json in the state directory of its root.
 *
 *   { "version": 1, "answers": [ {"id","allows","when","principal","agent","tool","arguments"} ] }
 *
 * The file is private to the user (0600), and is replaced as a whole. A process that changes it
 * holds an exclusive lock on answers.lock, so that two processes do not lose each other's answers.
 * Readers need no lock. If the file cannot be read, there are no answers, and the guard asks about
 * every call.
 */
#ifndef STATE_ANSWER_FILE_H
#define STATE_ANSWER_FILE_H

#include "core/guard/answer_store.h"
#include "core/state.h"

enum { ANSWERS_MOST = 512 }; /* if there are more answers, the oldest are dropped */

struct answer_file {
    struct answer_store port; /* first */
    struct state_port *state; /* must outlive the struct */
};

/* Initialize *f without opening anything. */
void answer_file_init(struct answer_file *f, struct state_port *state);

struct answer_list {
    struct answer_entry *v;
    size_t n;
};

/* Read all answers, the oldest first, into mem. A missing file has no answers. */
bool answer_file_read(struct answer_file *f, struct arena *mem, struct answer_list *out,
                      struct err *e);

/*
 * Delete the answer whose id begins with `id`; NULL: delete all. *out_n is the number of deleted
 * answers. ERR_NOT_FOUND: no id begins with `id`. ERR_INVALID: several ids begin with it.
 */
bool answer_file_forget(struct answer_file *f, const char *id, size_t *out_n, struct err *e);

#endif
