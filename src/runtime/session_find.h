/*
 * session_find.h - find a session in the store. For commands, which run the loop until the store
 * has answered.
 */
#ifndef RUNTIME_SESSION_FIND_H
#define RUNTIME_SESSION_FIND_H

#include "runtime/store_find.h"

/* A search through sessions that are passed in one by one, the last changed first. */
struct session_search {
    struct arena *mem;    /* of what was found */
    struct id_search ids; /* by the beginning of an id, when that is set; else the last one: */
    struct str agent;     /* of this agent; STR_NONE: of any */
    struct str owner;     /* and of this principal; STR_NONE: of any */
    struct store_session found, skipped; /* skipped: a newer one that another process has open */
    bool any, skips;
};

/* Look at one session. False: the search is decided, so no further sessions are needed. */
bool session_search_meets(struct session_search *f, const struct store_session *s);

/* After the last: f->found is the result. ERR_NOT_FOUND; ERR_INVALID when several match. */
bool session_search_end(const struct session_search *f, struct err *e);

/*
 * The only session whose id begins with this prefix. ERR_NOT_FOUND; ERR_INVALID when several
 * match. Texts are copied to mem.
 */
bool session_named(struct store_port *port, struct arena *mem, struct str beginning,
                   struct store_session *out, struct err *e);

#endif
