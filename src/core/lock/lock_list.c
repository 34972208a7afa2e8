/*
 * lock_list.c - lists the locks that are held in all processes of a root.
 *
 * The store has a row for every claim. Turns of calls and claims that wait are not listed. The
 * state of a claim of this process is known; a claim of another process waits if an earlier claim
 * conflicts with it.
 */
#include "core/lock/lock_parts.h"

#include "base/auto.h"
#include "base/container.h"

struct lock_listing {
    struct store_ask ask; /* first */
    struct store_step step;
    struct lock_list *list;
    struct lock_table *table;
};

static void on_cancel(struct op *op)
{
    (void)op; /* the store request settles soon */
}

static const struct op_kind list_kind = { .name = "list of locks", .cancel = on_cancel };

static void add(struct lock_list *l, const struct store_lock *row, int64_t acquired)
{
    l->v[l->n++] = (struct lock_info){
        .task = arena_str(&l->mem, row->task),
        .agent = arena_str(&l->mem, row->agent),
        .paths = arena_str(&l->mem, row->paths),
        .mode = row->exclusive ? "exclusive" : "shared",
        .acquired = acquired,
    };
}

static struct lock_claim claim_of(struct arena *mem, const struct store_lock *row)
{
    return (struct lock_claim){ .task = row->task,
                                .paths = lock_paths_read(mem, row->paths),
                                .exclusive = row->exclusive,
                                .turn = str_starts(row->task, lock_turn_prefix) };
}

/* With "wait" a row that clashes with an earlier one holds nothing yet. */
static bool is_held(const struct lock_table *t, const struct lock_claim *claim, size_t at)
{
    const struct lock_entry *ours = lock_entry_of(t, claim[at].task);

    if (claim[at].turn)
        return false;
    if (ours)
        return ours->state == LOCK_HAS;
    for (size_t i = 0; i < at && t->conflict == LOCK_WAIT; i++)
        if (lock_clash(&claim[i], &claim[at]))
            return false;
    return true;
}

static void list_rows(struct lock_list *l, const struct lock_table *t, struct arena *mem,
                      const struct store_lock_page *page)
{
    struct lock_claim *claim = ARENA_ARRAY(mem, struct lock_claim, page->n + 1);

    l->v = ARENA_ARRAY(&l->mem, struct lock_info, page->n + 1);
    for (size_t i = 0; i < page->n; i++) {
        const struct lock_entry *ours = lock_entry_of(t, page->v[i].task);

        claim[i] = claim_of(mem, &page->v[i]);
        if (is_held(t, claim, i))
            add(l, &page->v[i], ours ? ours->acquired : page->v[i].acquired);
    }
}

static void on_rows(struct op *op, const struct err *e, void *ctx)
{
    struct lock_listing *k = ctx;
    struct lock_list *l = k->list;

    (void)op;
    if (!e)
        list_rows(l, k->table, &k->ask.mem, &k->step.locks);
    store_ask_fini(&k->ask);
    if (e)
        op_fail(&l->op, e);
    else
        op_ok(&l->op);
}

/* Without a store only the locks of this process are known. */
static void list_entries(struct lock_list *l, const struct lock_table *t)
{
    size_t n = 0;

    for (const struct lock_entry *e = t->first; e; e = e->next)
        n++;
    l->v = ARENA_ARRAY(&l->mem, struct lock_info, n + 1);
    for (const struct lock_entry *e = t->first; e; e = e->next)
        if (e->hold && e->state == LOCK_HAS)
            add(l,
                &(struct store_lock){ .task = e->claim.task,
                                      .agent = e->agent,
                                      .paths = lock_paths_write(&l->mem, &e->claim.paths),
                                      .exclusive = e->claim.exclusive },
                e->acquired);
}

void lock_list(struct lock_table *t, struct lock_list *l, struct op *parent, op_done_fn *done,
               void *ctx)
{
    struct lock_listing *k;

    op_begin(&l->op, &list_kind, t->loop, parent, done, ctx);
    l->v = NULL;
    l->n = 0;
    l->state = NULL;
    if (!t->store) {
        list_entries(l, t);
        op_ok(&l->op);
        return;
    }
    l->state = k = ARENA_NEW(&l->mem, struct lock_listing);
    k->list = l;
    k->table = t;
    k->step = (struct store_step){ .what = STORE_LOCKS };
    k->ask.step = &k->step;
    k->ask.steps = 1;
    store_start(t->store, &k->ask, &l->op, on_rows, k);
}

/* ---- changes --------------------------------------------------------------------------------- */

void lock_table_watch(struct lock_table *t, lock_changed_fn *changed, void *ctx)
{
    t->changed = changed;
    t->changed_ctx = ctx;
}

void lock_tell(const struct lock_entry *e, bool held)
{
    const struct lock_table *t = e->table;
    AUTO_ARENA mem = { 0 };

    if (e->claim.turn || !t->changed)
        return;
    t->changed(t->changed_ctx,
               &(struct lock_info){
                   .task = e->claim.task,
                   .agent = e->agent,
                   .paths = lock_paths_write(&mem, &e->claim.paths),
                   .mode = e->claim.exclusive ? "exclusive" : "shared",
                   .acquired = e->acquired,
               },
               held);
}
