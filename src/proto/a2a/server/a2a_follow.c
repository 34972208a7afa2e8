#include "proto/a2a/server/a2a_follow.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"

/* ---- listeners ------------------------------------------------------------------------------- */

static void follow_check(struct a2a_follow *f);

static void follow_free(struct a2a_follow *f)
{
    a2a_view_fini(&f->view);
    mem_free(f);
}

void a2a_follow_leave(struct a2a_listener *l)
{
    struct a2a_follow *f = l->follow;

    if (!f)
        return;
    LIST_UNLINK(f->listeners, l, next);
    if (f->hears_next == l)
        f->hears_next = l->next;
    l->follow = NULL;
    follow_check(f);
}

/* Without listeners, the subscription ends; its end frees the follow. */
static void follow_check(struct a2a_follow *f)
{
    if (f->listeners || f->calling)
        return;
    if (f->ended)
        follow_free(f);
    else
        op_cancel(&f->watch.op);
}

static void follow_tell_ready(struct a2a_follow *f)
{
    for (struct a2a_listener *l = f->listeners; l; l = f->hears_next) {
        f->hears_next = l->next;
        if (l->ready || f->view.seq < l->at_least)
            continue;
        l->ready = true;
        l->on_ready(l);
    }
    f->hears_next = NULL;
}

static void follow_tell_update(struct a2a_follow *f, const struct a2a_update *u, int64_t seq)
{
    for (struct a2a_listener *l = f->listeners; l; l = f->hears_next) {
        f->hears_next = l->next;
        if (l->ready)
            l->on_update(l, u, seq);
    }
    f->hears_next = NULL;
}

/* ---- the subscription ------------------------------------------------------------------------ */

/* Those who wait for this event get the view with it, not the update. */
static bool on_follow_event(struct task_watch *w, int64_t seq, int64_t at, struct str kind,
                            struct str body)
{
    struct a2a_follow *f = CONTAINER_OF(w, struct a2a_follow, watch);
    AUTO_ARENA scratch = { 0 };
    struct a2a_update u = { 0 };

    f->calling = true;
    if (a2a_view_add(&f->view, &scratch, seq, at, kind, body, &u))
        follow_tell_update(f, &u, seq);
    follow_tell_ready(f);
    f->calling = false;
    follow_check(f);
    return true;
}

static void unlink_follow(struct a2a_follow *f)
{
    LIST_UNLINK(f->server->follows, f, next);
}

static void on_follow_over(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_follow *f = ctx;
    struct a2a_listener *l;

    (void)op;
    unlink_follow(f);
    f->ended = f->calling = true;
    while ((l = f->listeners)) {
        if (!e && !l->ready) {
            l->ready = true;
            l->on_ready(l);
        }
        if (f->listeners != l) /* it has left */
            continue;
        f->listeners = l->next;
        l->follow = NULL;
        l->on_end(l, e);
    }
    follow_free(f);
}

static struct a2a_follow *follow_find(struct a2a_server *s, struct str id)
{
    struct a2a_follow *f = s->follows;

    /* one without listeners is being cancelled */
    while (f && (!str_eq(id, str_of(f->id)) || !f->listeners))
        f = f->next;
    return f;
}

static struct a2a_follow *follow_new(struct a2a_server *s, const struct task_info *info)
{
    struct a2a_follow *f = MEM_NEW(struct a2a_follow);

    f->server = s;
    f->next = s->follows;
    s->follows = f;
    str_to_c(info->id, f->id, sizeof(f->id));
    a2a_view_init(&f->view, info, s->limits);
    f->watch = (struct task_watch){ .id = str_of(f->id), .event = on_follow_event };
    return f;
}

void a2a_follow_join(struct a2a_server *s, const struct task_info *info, struct a2a_listener *l,
                     int64_t at_least)
{
    struct a2a_follow *f = at_least == A2A_FROM_START ? NULL : follow_find(s, info->id);
    bool fresh = !f;

    if (fresh)
        f = follow_new(s, info);
    l->follow = f;
    l->next = f->listeners;
    f->listeners = l;
    l->at_least = at_least;
    l->ready = at_least == A2A_FROM_START;
    if (fresh) {
        task_watch(s->agents->tasks, &f->watch, NULL, on_follow_over, f);
        return;
    }
    if (f->view.seq >= at_least) {
        l->ready = true;
        l->on_ready(l);
    }
}
