/*
 * session_queue.c - claims on open sessions, and the search for deadlocks.
 *
 * A wait would deadlock in this case: the holder of the session, or work that it has started, waits
 * for a session that is held by work which has started the new caller. The parent ops of an op show
 * which work has started it.
 */
#include "core/session/session_queue.h"

#include "base/list.h"
#include "base/mem.h"
#include "core/principal.h"

struct open_session {
    char id[ID_TEXT];
    char owner[PRINCIPAL_TEXT];
    struct session_claim *holder;
    struct session_claim *first; /* head of the queue */
    int64_t waiting;
    unsigned looked; /* number of the last deadlock search that visited it */
    struct open_session *next;
};

static struct open_session *open_session_find(const struct open_sessions *t, struct str id)
{
    struct open_session *s = t->first;

    while (s && !str_eq(str_of(s->id), id))
        s = s->next;
    return s;
}

/* ---- cycles -------------------------------------------------------------------------------- */

static bool is_below(const struct op *op, const struct session_claim *holder)
{
    while (op && op != holder->under)
        op = op->parent;
    return op != NULL;
}

/* Does the holder of `s` wait, directly or indirectly, for work that is above `asker`? */
static bool waits_for(struct open_sessions *t, struct open_session *s, const struct op *asker)
{
    if (s->looked == t->looks)
        return false;
    s->looked = t->looks;
    if (is_below(asker, s->holder))
        return true;
    for (struct open_session *other = t->first; other; other = other->next)
        for (const struct session_claim *c = other->first; c; c = c->next)
            if (is_below(c->under, s->holder) && waits_for(t, other, asker))
                return true;
    return false;
}

/* ---- claims -------------------------------------------------------------------------------- */

static bool may_wait(struct open_sessions *t, struct open_session *s, const struct op *asker,
                     const struct session_wanted *want, struct err *e)
{
    if (!str_eq(str_of(s->owner), want->owner.p ? want->owner : STR("")))
        return fail(e, ERR_NOT_FOUND, "you have no session %s", s->id);
    t->looks++;
    if (waits_for(t, s, asker))
        return fail(e, ERR_DENIED,
                    "session %s waits for the result of this call and cannot take a prompt", s->id);
    if (s->waiting >= want->most)
        return fail(e, ERR_LIMIT,
                    "session %s is busy, and %lld prompts are waiting (limits.session_queue)",
                    s->id, (long long)s->waiting);
    return true;
}

static void join_queue(struct open_session *s, struct session_claim *c)
{
    struct session_claim **at = &s->first;

    while (*at)
        at = &(*at)->next;
    *at = c;
    c->next = NULL;
    c->of = s;
    s->waiting++;
}

static bool leave_queue(struct open_session *s, struct session_claim *c)
{
    struct session_claim **at = &s->first;

    while (*at && *at != c)
        at = &(*at)->next;
    if (!*at)
        return false;
    *at = c->next;
    s->waiting--;
    return true;
}

static void open_session_add(struct open_sessions *t, struct session_claim *c,
                             const struct session_wanted *want)
{
    struct open_session *s = MEM_NEW(struct open_session);

    str_to_c(want->id, s->id, sizeof(s->id));
    if (want->owner.p)
        str_to_c(want->owner, s->owner, sizeof(s->owner));
    s->holder = c;
    s->next = t->first;
    t->first = s;
    c->of = s;
}

static void open_session_remove(struct open_sessions *t, struct open_session *s)
{
    LIST_UNLINK(t->first, s, next);
    mem_free(s);
}

bool session_claim_begin(struct open_sessions *t, struct session_claim *c,
                         const struct session_wanted *want, bool *waits, struct err *e)
{
    struct open_session *s = open_session_find(t, want->id);

    if (s && !may_wait(t, s, c->under, want, e))
        return false;
    *waits = s != NULL;
    if (s)
        join_queue(s, c);
    else
        open_session_add(t, c, want);
    return true;
}

void session_claim_end(struct open_sessions *t, struct session_claim *c)
{
    struct open_session *s = c->of;

    c->of = NULL;
    if (!s || leave_queue(s, c))
        return;
    s->holder = s->first;
    if (!s->holder) {
        open_session_remove(t, s);
        return;
    }
    leave_queue(s, s->holder);
    s->holder->ready(s->holder);
}
