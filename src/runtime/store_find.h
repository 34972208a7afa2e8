/*
 * store_find.h - functions of commands that read the store. They run the loop until the store has
 * answered. They accept the beginning of an id, or of its short form (id.h), if only one id
 * matches.
 */
#ifndef RUNTIME_STORE_FIND_H
#define RUNTIME_STORE_FIND_H

#include "core/store.h"

/* Waits for one op: start it with op_wait_done and a struct op_wait that has the loop. */
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

/* A search through ids that are passed in one by one. */
struct id_search {
    const char *what; /* "session", "task": in errors */
    struct str beginning;
    size_t n;  /* how many fit */
    bool over; /* the search is decided: an id is equal, or a second id matches */
};

/* Does this id match? The last match is the result. */
bool id_search_meets(struct id_search *s, struct str id);

/* After the last: ERR_NOT_FOUND, or ERR_INVALID when it is not the only one. */
bool id_search_end(const struct id_search *s, struct err *e);

#endif
