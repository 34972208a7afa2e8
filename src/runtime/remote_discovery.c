#include "runtime/remote_discovery.h"

#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"

static void discovery_read(struct remote_discovery *d);

/* ---- life ------------------------------------------------------------------------------------ */

static void discovery_free(struct remote_discovery *d)
{
    struct remote_discovery **at = &d->all->first;

    while (*at != d)
        at = &(*at)->next;
    *at = d->next;
    timer_clear(d->all->loop, &d->retry);
    a2a_peer_drop(d->peer);
    mem_free(d);
}

static void check_idle(struct remote_discoveries *all)
{
    void (*on_idle)(void *ctx) = all->on_idle;

    if (!all->closing || all->first || !on_idle)
        return;
    all->on_idle = NULL;
    on_idle(all->idle_ctx);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void on_retry(struct timer *t)
{
    discovery_read(CONTAINER_OF(t, struct remote_discovery, retry));
}

static void discovery_found(struct remote_discovery *d)
{
    const struct a2a_peer_card *card = &d->peer->card;

    d->state = DISCOVERY_FOUND;
    LOG(LOG_INFO, "a2a", "discovered a remote agent", LOG_Z("agent", d->name),
        LOG_S("card", card->name), LOG_S("url", d->peer->url.text),
        LOG_N("skills", (int64_t)card->skills));
    if (d->all->on_found)
        d->all->on_found(d->all->found_ctx);
}

/* The first failure is a warning; the others say nothing new. */
static void discovery_failed(struct remote_discovery *d, const struct err *e)
{
    d->state = DISCOVERY_WAITING;
    LOG(d->warned ? LOG_DEBUG : LOG_WARN, "a2a", "cannot reach a remote agent; will try again",
        LOG_Z("agent", d->name), LOG_S("url", d->peer->url.origin), LOG_Z("why", e->text));
    d->warned = true;
    timer_set(d->all->loop, &d->retry, d->all->limits->a2a_discover_ms, on_retry);
}

static void on_met(struct op *op, const struct err *e, void *ctx)
{
    struct remote_discovery *d = ctx;
    struct remote_discoveries *all = d->all;

    (void)op;
    d->state = DISCOVERY_WAITING;
    if (!d->wanted) {
        discovery_free(d);
        check_idle(all);
    } else if (e) {
        discovery_failed(d, e);
    } else {
        discovery_found(d);
    }
}

static void discovery_read(struct remote_discovery *d)
{
    d->state = DISCOVERY_READING;
    a2a_meet(&d->meeting, d->peer, NULL, on_met, d);
}

/* ---- the list -------------------------------------------------------------------------------- */

void discoveries_mark(struct remote_discoveries *all)
{
    for (struct remote_discovery *d = all->first; d; d = d->next)
        d->wanted = false;
}

void discoveries_want(struct remote_discoveries *all, const char *name, struct a2a_peer *peer)
{
    struct remote_discovery *d = all->first;

    while (d && !(d->peer == peer && str_eq(str_of(d->name), str_of(name))))
        d = d->next;
    if (d) {
        d->wanted = true;
        return;
    }
    d = MEM_NEW(struct remote_discovery);
    d->all = all;
    str_to_c(str_of(name), d->name, sizeof(d->name));
    d->peer = a2a_peer_hold(peer);
    d->wanted = true;
    d->next = all->first;
    all->first = d;
    discovery_read(d);
}

void discoveries_drop(struct remote_discoveries *all)
{
    for (struct remote_discovery *d = all->first, *next; d; d = next) {
        next = d->next;
        if (d->wanted)
            continue;
        if (d->state == DISCOVERY_READING)
            op_cancel(&d->meeting.op);
        else
            discovery_free(d);
    }
}

void discoveries_close(struct remote_discoveries *all, void (*on_idle)(void *ctx), void *ctx)
{
    all->closing = true;
    all->on_idle = on_idle;
    all->idle_ctx = ctx;
    discoveries_mark(all);
    discoveries_drop(all);
    check_idle(all);
}
