/*
 * session_queue.h - the sessions that are open in this process, and the callers that wait for them.
 *
 * A process opens a session at most once at a time. A caller that opens a session which is already
 * open waits in the queue of that session until it is closed. So the prompts of a session run one
 * after the other, whichever protocol delivered them. Between processes the store decides
 * (store.h).
 *
 *   WAITING -> HOLDING -> ended
 *
 * Only the owner of a session can wait for it. A wait that would deadlock is refused: the work that
 * holds the session waits, directly or indirectly, for the caller.
 */
#ifndef CORE_SESSION_SESSION_QUEUE_H
#define CORE_SESSION_SESSION_QUEUE_H

#include "base/id.h"
#include "base/str.h"
#include "loop/op.h"

struct open_session;

/* The place of a caller: it holds a session or waits for one. Must live until session_claim_end. */
struct session_claim {
    const struct op *under; /* op of the caller's work, for finding deadlocks; may be NULL */
    void (*ready)(struct session_claim *c); /* the wait is over, and the claim holds the session */
    struct open_session *of;                /* NULL: no session. Private from here on */
    struct session_claim *next;
};

/* Zero it. Program lifetime. */
struct open_sessions {
    struct open_session *first;
    unsigned looks;
};

struct session_wanted {
    struct str id;
    struct str owner; /* the principal that opens it */
    int64_t most;     /* how many claims may wait for it */
};

/*
 * Claim a session; c->under and c->ready must be set. After success, *waits is false if *c holds
 * the session, or true if *c is in its queue. ERR_NOT_FOUND: the session belongs to another
 * principal. ERR_LIMIT: the queue is full. ERR_DENIED: the wait would deadlock.
 */
bool session_claim_begin(struct open_sessions *t, struct session_claim *c,
                         const struct session_wanted *want, bool *waits, struct err *e);

/*
 * Release the session or leave its queue. If another claim waits, the first one holds the session
 * now, and its ready() is called. Does nothing for a claim that has no session.
 */
void session_claim_end(struct open_sessions *t, struct session_claim *c);

#endif
