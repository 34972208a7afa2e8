/*
 * answer_file.h - answers that hold for a project, kept as answers.json in the state directory of
 * its root (core/guard/answer_store.h).
 *
 *   { "version": 1, "answers": [ {"id","allows","when","principal","agent","tool","arguments"} ] }
 *
 * The file is private to the user (0600), and replaced as a whole. A process that changes it holds
 * an exclusive lock on answers.lock, so that two processes do not lose each other's answers.
 * Readers need no lock. A file that cannot be read holds no answers: every call is asked about.
 */
#ifndef STATE_ANSWER_FILE_H
#define STATE_ANSWER_FILE_H

#include "core/guard/answer_store.h"
#include "core/state.h"

enum { ANSWERS_MOST = 512 }; /* the oldest ones are dropped */

struct answer_file {
    struct answer_store port; /* first */
    struct state_port *state; /* outlives it */
};

/* Opens nothing. */
void answer_file_init(struct answer_file *f, struct state_port *state);

struct answer_list {
    struct answer_entry *v;
    size_t n;
};

/* All answers, the oldest first, in mem. Without a file: none. */
bool answer_file_read(struct answer_file *f, struct arena *mem, struct answer_list *out,
                      struct err *e);

/*
 * Delete the answers whose id begins with `id`; NULL: all. *out_n is how many. ERR_NOT_FOUND: no
 * answer has that id. ERR_INVALID: several have.
 */
bool answer_file_forget(struct answer_file *f, const char *id, size_t *out_n, struct err *e);

#endif
