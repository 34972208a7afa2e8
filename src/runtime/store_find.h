/*
 * store_find.h - helpers for commands: wait for the store, and find an object by the beginning of
 * its id. Instead of an id, commands accept the beginning of the id or of its short form (id.h), if
 * only one id matches.
 */
#ifndef RUNTIME_STORE_FIND_H
#define RUNTIME_STORE_FIND_H

#include "core/store.h"

/* Waits for one op. Start the op with the callback op_wait_done and a struct op_wait as ctx. */
struct op_wait {
    struct loop *loop;
    bool done, ok;
    struct err err;
};

void op_wait_done(struct op *op, const struct err *e, void *ctx);

/* Run the loop until the op is done. */
bool op_wait(struct op_wait *w, struct err *e);

/* Start the request and run its loop until it is done, even if the loop is stopped meanwhile. */
bool store_wait(struct store_port *port, struct store_ask *ask, struct err *e);

/* A search through ids that the caller passes in one by one. */
struct id_search {
    const char *what; /* what the ids identify, for errors: "session", "task" */
    struct str beginning;
    size_t n;  /* number of matches */
    bool over; /* the search is finished, because one id is equal to `beginning` or two ids match */
};

/* Does this id match? The last match is the result of the search. */
bool id_search_meets(struct id_search *s, struct str id);

/* End the search. ERR_NOT_FOUND: no id matches. ERR_INVALID: several ids match. */
bool id_search_end(const struct id_search *s, struct err *e);

#endif
