/*
 * session_queue.h - the sessions that are open in this process, and the callers that wait for them.
 *
 * In one process, only one caller at a time can have a session open. Another caller that opens the
 * session waits in its queue until the session is closed. So the prompts of a session run one after
 * the other, even if they arrive over different protocols. The store makes sure that only one
 * process at a time holds a session (store.h).
 *
 *   WAITING -> HOLDING -> ended
 *
 * Only the owner of a session can wait for it. A wait is refused if it would deadlock, because the
 * work that holds the session waits, directly or indirectly, for the caller.
 */
#ifndef CORE_SESSION_SESSION_QUEUE_H
#define CORE_SESSION_SESSION_QUEUE_H

#include "base/id.h"
#include "base/str.h"
#include "loop/op.h"

struct open_session;

/*
 * A caller's claim to a session: the caller holds the session or waits for it. The struct must live
 * until session_claim_end.
 */
struct session_claim {
    const struct op *under; /* op of the caller's work, to detect deadlocks; may be NULL */
    void (*ready)(struct session_claim *c); /* called when the wait ends and *c holds the session */
    struct open_session *of; /* the claimed session; NULL: none. Private from here on */
    struct session_claim *next;
};

/* Zero it. Lives as long as the program. */
struct open_sessions {
    struct open_session *first;
    unsigned looks;
};

struct session_wanted {
    struct str id;
    struct str owner; /* the principal that opens it */
    int64_t most;     /* how many claims may wait for the session */
};

/*
 * Claim a session; c->under and c->ready must be set. After success, *waits is false if *c holds
 * the session, or true if *c waits in the queue. ERR_NOT_FOUND: the session belongs to another
 * principal. ERR_LIMIT: the queue is full. ERR_DENIED: the wait would deadlock.
 */
bool session_claim_begin(struct open_sessions *t, struct session_claim *c,
                         const struct session_wanted *want, bool *waits, struct err *e);

/*
 * Release the session, or leave its queue. If *c held the session and other claims wait, the first
 * of them becomes the holder and its ready() is called. Does nothing if *c claims no session.
 */
void session_claim_end(struct open_sessions *t, struct session_claim *c);

#endif
