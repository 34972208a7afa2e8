/*
 * session_read.h - use stored sessions without opening them: list, read, fork.
 *
 * None of these functions takes a session (store.h), so they work even while another process holds
 * the session and a turn is running there.
 */
#ifndef CORE_SESSION_SESSION_READ_H
#define CORE_SESSION_SESSION_READ_H

#include "base/id.h"
#include "base/limits.h"
#include "core/session/history.h"
#include "core/store.h"

/* ---- cursors of a list ----------------------------------------------------------------------- */

enum { SESSION_CURSOR_TEXT = 40 };

/* Write the end of a page as text, which a client sends back unchanged to get the next page. */
void session_cursor_write(struct store_cursor cursor, char out[SESSION_CURSOR_TEXT]);

/*
 * Parse a cursor that was written as text. ERR_INVALID: the text is not an output of
 * session_cursor_write.
 */
bool session_cursor_read(struct str text, struct store_cursor *out, struct err *e);

/* ---- history --------------------------------------------------------------------------------- */

/* An op that reads a session. Zero it. */
struct session_reading {
    struct op op;                 /* first */
    struct store_session session; /* result: the session, with its texts in mem */
    struct history *history;      /* result: the history, in mem; the caller calls history_free */

    struct store_port *store; /* private from here on */
    struct arena *mem;
    struct store_ask ask;
    struct store_step step;
    struct str reader;
};

/*
 * Read the session `id` and all records that it has now, on behalf of the principal `reader`
 * (STR_NONE: this process itself). ERR_NOT_FOUND: the session does not exist, or `reader` is
 * neither its owner nor the operator. Other errors come from the store. After a failure there is no
 * history.
 */
void session_read(struct session_reading *r, struct store_port *store, const struct limits *limits,
                  struct arena *mem, struct str id, struct str reader, struct op *parent,
                  op_done_fn *done, void *ctx);

/* ---- fork ------------------------------------------------------------------------------------ */

/* A request that forks a session (struct store_fork). Zero it; its op is ask.op. */
struct session_forking {
    struct store_ask ask; /* first */
    struct store_step step;
    char id[ID_TEXT]; /* result: id of the new session */
};

/*
 * Copy the session `from` up to its last finished turn into a new session with the same owner.
 * ERR_NOT_FOUND: the session does not exist, or `owner` does not own it. `from` and `owner` are
 * borrowed until the op is done.
 */
void session_fork(struct session_forking *f, struct store_port *store,
                  enum store_durability durability, struct str from, struct str owner,
                  struct op *parent, op_done_fn *done, void *ctx);

#endif
