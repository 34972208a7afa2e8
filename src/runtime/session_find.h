/*
 * session_find.h - finds a session in the store, for commands. Functions that read the store run
 * the loop until the store has answered.
 */
#ifndef RUNTIME_SESSION_FIND_H
#define RUNTIME_SESSION_FIND_H

#include "runtime/store_find.h"

/*
 * A search through sessions that the caller passes in one by one, the last changed session first.
 * If ids.beginning is set, the search looks for the only session whose id begins with this text;
 * else it looks for the last changed session of `agent` and `owner`.
 */
struct session_search {
    struct arena *mem;                   /* memory of `found` and `skipped` */
    struct id_search ids;                /* a search by the beginning of an id */
    struct str agent;                    /* name of an agent; STR_NONE: any */
    struct str owner;                    /* principal that owns the session; STR_NONE: any */
    struct store_session found, skipped; /* `skipped`: a newer session that is in use */
    bool any, skips;                     /* `found` is set; `skipped` is set */
};

/* Check one session. False: the search is finished, so no further sessions are needed. */
bool session_search_meets(struct session_search *f, const struct store_session *s);

/* End the search; f->found is the result. ERR_NOT_FOUND: no match. ERR_INVALID: several match. */
bool session_search_end(const struct session_search *f, struct err *e);

/*
 * Find the only session whose id begins with this text. ERR_NOT_FOUND: no match. ERR_INVALID:
 * several match. Texts are copied to mem.
 */
bool session_named(struct store_port *port, struct arena *mem, struct str beginning,
                   struct store_session *out, struct err *e);

#endif
