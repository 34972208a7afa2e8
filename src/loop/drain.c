#include "loop/drain.h"

#include "base/container.h"
#include "base/list.h"
#include "base/log.h"

static void finish(struct drain *d, bool in_time)
{
    if (d->over)
        return;
    d->over = true;
    timer_clear(d->loop, &d->deadline);
    loop_unpost(d->loop, &d->check);
    d->done(d, in_time);
}

static void on_check(struct post *p)
{
    struct drain *d = CONTAINER_OF(p, struct drain, check);

    if (d->begun && !d->parts)
        finish(d, true);
}

static void on_deadline(struct timer *t)
{
    struct drain *d = CONTAINER_OF(t, struct drain, deadline);

    for (struct drain_part *p = d->parts; p; p = p->next)
        LOG(LOG_DEBUG, "loop", "not finished in time", LOG_Z("part", p->name));
    finish(d, false);
}

void drain_init(struct drain *d, struct loop *loop, void (*done)(struct drain *d, bool in_time))
{
    *d = (struct drain){ .loop = loop, .done = done, .check.fn = on_check };
}

static void ask(struct drain_part *part)
{
    part->asked = true;
    part->stop(part);
}

void drain_join(struct drain *d, struct drain_part *part)
{
    part->drain = d;
    part->asked = false;
    part->next = d->parts;
    d->parts = part;
    if (d->begun)
        ask(part);
}

void drain_leave(struct drain_part *part)
{
    struct drain *d = part->drain;

    if (!d)
        return;
    LIST_UNLINK(d->parts, part, next);
    part->drain = NULL;
    loop_post(d->loop, &d->check);
}

static struct drain_part *first_not_asked(const struct drain *d)
{
    struct drain_part *p = d->parts;

    while (p && p->asked)
        p = p->next;
    return p;
}

/* A part may leave, and take others with it, while it is asked: so always look from the start. */
void drain_begin(struct drain *d, int64_t deadline_ms)
{
    struct drain_part *p;

    if (d->over)
        return;
    if (d->begun) {
        timer_set(d->loop, &d->deadline, 0, on_deadline);
        return;
    }
    d->begun = true;
    timer_set(d->loop, &d->deadline, deadline_ms, on_deadline);
    while ((p = first_not_asked(d)))
        ask(p);
    loop_post(d->loop, &d->check);
}
