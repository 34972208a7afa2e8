/*
 * session_queue.h - the sessions that are open in this process, and the callers that wait for them.
 *
 * A process has at most one struct session of an id at a time. A caller that opens a session which
 * is open already waits in its queue until the session is closed. So the prompts of a session run
 * one after the other, whichever protocol they came by. Between processes the store decides
 * (store.h).
 *
 *   WAITING -> HOLDING -> gone
 *
 * Only the owner of a session can wait for it. A wait that could never end is refused: the work
 * that holds the session itself waits for the caller.
 */
#ifndef CORE_SESSION_SESSION_QUEUE_H
#define CORE_SESSION_SESSION_QUEUE_H

#include "base/id.h"
#include "base/str.h"
#include "loop/op.h"

struct open_session;

/* One who holds a session, or waits for it. Lives until session_claim_end. */
struct session_claim {
    const struct op *under; /* the work it is for; NULL: nobody's. Lives as long as the claim */
    void (*ready)(struct session_claim *c); /* it holds the session now: called from the loop */
    struct open_session *of;                /* NULL: none; the rest is the table's */
    struct session_claim *next;
};

/* Zero it. Program lifetime. */
struct open_sessions {
    struct open_session *first;
    unsigned looks;
};

struct session_wanted {
    struct str id;
    struct str owner; /* the principal who wants it */
    int64_t most;     /* that may wait */
};

/*
 * Ask for a session, by `under` and `ready` of *c. It is held at once when *waits is false after
 * this. ERR_NOT_FOUND: it belongs to another principal; ERR_LIMIT: too many wait; ERR_DENIED: the
 * wait could never end.
 */
bool session_claim_begin(struct open_sessions *t, struct session_claim *c,
                         const struct session_wanted *want, bool *waits, struct err *e);

/* Leave the session or the queue; the next one's ready() is called. Nothing for one of none. */
void session_claim_end(struct open_sessions *t, struct session_claim *c);

#endif
