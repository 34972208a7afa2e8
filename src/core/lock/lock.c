/*
 * lock.c - the table of locks: claims of holders and of calls that write, from first to last.
 *
 *   LOOKS -> PUTS -> WAITS -> HAS -> LEAVES
 *     |        |                      |
 *     +--------+-> HAS                +-> freed, when the store has deleted it
 *
 * The order of claims is the order in which they are inserted into the store: a claim waits for the
 * earlier ones. One store request inserts a claim and reads the earlier ones. So if two processes
 * claim the same path at the same time, they agree on which claim is first. The list of this
 * process has the same order: an inserted entry moves to the end of the list, and rows of this
 * process are skipped in the result of the store.
 *
 * A turn first checks whether its paths are locked. If not, it is not stored, and other processes
 * do not see it. It is still in the list: if another task takes a lock while the call of the turn
 * writes, later calls of this process wait for the turn.
 */
#include "core/lock/lock_parts.h"

#include "base/container.h"
#include "base/id.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/tool/path_below.h"

static const struct err closed = { ERR_CLOSED, "trefoil is shutting down" };

static void judge(struct lock_entry *e, const struct lock_others *others);
static void look(struct lock_entry *e);
static void drop(struct lock_entry *e);

/* ---- the table ------------------------------------------------------------------------------- */

struct lock_table *lock_table_new(struct loop *loop, const struct limits *limits,
                                  struct store_port *store, enum lock_conflict conflict)
{
    struct lock_table *t = MEM_NEW(struct lock_table);

    *t =
        (struct lock_table){ .loop = loop, .limits = limits, .store = store, .conflict = conflict };
    return t;
}

void lock_table_use(struct lock_table *t, enum lock_conflict conflict)
{
    t->conflict = conflict;
}

static void free_if_over(struct lock_table *t)
{
    if (t->closing && !t->first)
        mem_free(t);
}

/* ---- entries --------------------------------------------------------------------------------- */

static void unlink_entry(struct lock_entry *e)
{
    LIST_UNLINK(e->table->first, e, next);
    e->next = NULL;
}

static void append(struct lock_entry *e)
{
    struct lock_entry **at = &e->table->first;

    while (*at)
        at = &(*at)->next;
    *at = e;
}

static struct lock_entry *new_entry(struct lock_table *t, struct op *op)
{
    struct lock_entry *e = MEM_NEW(struct lock_entry);

    e->table = t;
    e->op = op;
    append(e);
    return e;
}

static void remove_entry(struct lock_entry *e)
{
    struct lock_table *t = e->table;

    unlink_entry(e);
    arena_fini(&e->mem);
    mem_free(e);
    free_if_over(t);
}

/* Claims that waited for a released one may be next. */
static void wake(struct lock_table *t)
{
    for (struct lock_entry *e = t->first; e; e = e->next) {
        if (e->state != LOCK_WAITS || e->asking || lock_blocked(e, NULL, NULL) != LOCK_FREE)
            continue;
        if (t->store)
            look(e);
        else
            judge(e, NULL);
    }
}

/* Release the claim, and delete its row. */
static void leave(struct lock_entry *e)
{
    struct lock_table *t = e->table;

    timer_clear(t->loop, &e->timer);
    if (e->state == LOCK_HAS)
        lock_tell(e, false);
    e->state = LOCK_LEAVES;
    e->op = NULL;
    e->hold = NULL;
    if (e->stored && !e->asking && t->store)
        drop(e);
    wake(t);
    if (!e->asking)
        remove_entry(e);
}

static void settle(struct lock_entry *e, const struct err *err)
{
    struct op *op = e->op;

    e->op = NULL;
    if (err)
        op_fail(op, err);
    else
        op_ok(op);
}

static void give_up(struct lock_entry *e, const struct err *err)
{
    if (e->hold)
        e->hold->state = NULL;
    else
        ((struct lock_turn *)(void *)e->op)->state = NULL;
    settle(e, err);
    leave(e);
}

static void grant(struct lock_entry *e)
{
    timer_clear(e->table->loop, &e->timer);
    e->state = LOCK_HAS;
    e->acquired = loop_wall(e->table->loop);
    if (e->hold)
        e->hold->acquired = e->acquired;
    lock_tell(e, true);
    settle(e, NULL);
}

/*
 * The store is about to close: its remaining rows end with the process, and this process cannot
 * learn any more when others are done.
 */
void lock_table_free(struct lock_table *t)
{
    struct lock_entry *next;

    if (!t)
        return;
    t->store = NULL;
    for (struct lock_entry *e = t->first; e; e = next) {
        next = e->next;
        if (!timer_is_set(&e->timer))
            continue;
        timer_clear(t->loop, &e->timer);
        if (e->state == LOCK_LEAVES)
            remove_entry(e);
        else
            give_up(e, &closed);
    }
    t->closing = true;
    free_if_over(t);
}

/* ---- asking the store ------------------------------------------------------------------------ */

static void ask(struct lock_entry *e, size_t steps, op_done_fn *done)
{
    timer_clear(e->table->loop, &e->timer);
    e->ask = (struct store_ask){ .step = e->step, .steps = steps };
    e->asking = true;
    store_start(e->table->store, &e->ask, NULL, done, e);
}

static void on_drop_time(struct timer *timer)
{
    drop(CONTAINER_OF(timer, struct lock_entry, timer));
}

/* A row that stays in the store would block all others for as long as this process runs. */
static void on_dropped(struct op *op, const struct err *err, void *ctx)
{
    struct lock_entry *e = ctx;
    struct lock_table *t = e->table;

    (void)op;
    e->asking = false;
    store_ask_fini(&e->ask);
    if (err && err->code != ERR_CLOSED && t->store)
        timer_set(t->loop, &e->timer, t->limits->lock_look_ms, on_drop_time);
    else
        remove_entry(e);
}

static void drop(struct lock_entry *e)
{
    e->step[0] = (struct store_step){ STORE_LOCK_DROP, .lock = { .task = e->claim.task } };
    ask(e, 1, on_dropped);
}

static void on_looked(struct op *op, const struct err *err, void *ctx)
{
    struct lock_entry *e = ctx;
    struct arena mem = e->ask.mem; /* the ask may be used for another request meanwhile */
    struct store_lock_page page = e->step[e->ask.steps - 1].locks;
    struct lock_others others;

    (void)op;
    e->asking = false;
    e->stored |= !err && e->step[0].what == STORE_LOCK_PUT;
    if (e->state == LOCK_LEAVES) {
        if (e->stored && e->table->store)
            drop(e);
        else
            remove_entry(e);
    } else if (err) {
        give_up(e, err);
    } else {
        others = lock_others_read(&mem, e->table, &page, e);
        judge(e, &others);
    }
    arena_fini(&mem);
}

static void look(struct lock_entry *e)
{
    e->step[0] = (struct store_step){ .what = STORE_LOCKS };
    ask(e, 1, on_looked);
}

/* Store the claim; its place in the order is the last one. */
static void put(struct lock_entry *e)
{
    unlink_entry(e);
    append(e);
    e->state = LOCK_PUTS;
    if (!e->table->store) {
        judge(e, NULL);
        return;
    }
    e->step[0] = (struct store_step){
        STORE_LOCK_PUT,
        .lock = { .task = e->claim.task,
                  .agent = e->agent,
                  .paths = lock_paths_write(&e->mem, &e->claim.paths),
                  .exclusive = e->claim.exclusive },
    };
    e->step[1] = (struct store_step){ .what = STORE_LOCKS };
    ask(e, 2, on_looked);
}

/* ---- deciding -------------------------------------------------------------------------------- */

static void refuse(struct lock_entry *e, enum err_code code, struct str by, const char *why)
{
    struct str what = utf8_head(e->claim.paths.v[0], 60);
    struct err err;

    fail(&err, code, "\"" STR_FMT "\"%s is locked by task " STR_FMT "%s", STR_ARG(what),
         e->claim.paths.n > 1 ? " (or another of its paths)" : "", STR_ARG(utf8_head(by, 60)), why);
    give_up(e, &err);
}

static void on_look_time(struct timer *timer)
{
    look(CONTAINER_OF(timer, struct lock_entry, timer));
}

/* Wait for a claim of another process, by reading the store again after a while. */
static void wait_for_others(struct lock_entry *e, struct str by)
{
    const struct lock_table *t = e->table;
    int64_t now = loop_now(t->loop);

    if (!e->until)
        e->until = now + t->limits->lock_wait_ms;
    if (!t->store)
        give_up(e, &closed);
    else if (now >= e->until)
        refuse(e, ERR_TIMEOUT, by, " in another process; waited for limits.lock_wait_ms");
    else
        timer_set(t->loop, &e->timer, t->limits->lock_look_ms, on_look_time);
}

static void judge_order(struct lock_entry *e, const struct lock_others *others)
{
    struct str by = STR_NONE;
    enum lock_block block = lock_blocked(e, others, &by);

    e->state = LOCK_WAITS;
    if (block == LOCK_FREE)
        grant(e);
    else if (e->hold && e->table->conflict == LOCK_FAIL)
        refuse(e, ERR_DENIED, by, " ([tasks] lock_conflict = \"fail\")");
    else if (block == LOCK_BY_OTHERS)
        wait_for_others(e, by);
}

/*
 * Decide by the current claims whether the entry holds its paths, waits or fails. `others` is NULL
 * without a store.
 */
static void judge(struct lock_entry *e, const struct lock_others *others)
{
    bool waits = e->table->conflict == LOCK_WAIT || e->table->conflict == LOCK_FAIL;

    if (e->state == LOCK_LOOKS && lock_is_locked(e, others)) {
        put(e);
    } else if (e->state == LOCK_LOOKS) {
        grant(e);
    } else if (e->hold && !waits) {
        e->hold->conflicts = e->table->conflict == LOCK_WARN && lock_has_rival(e, others);
        grant(e);
    } else {
        judge_order(e, others);
    }
}

/* ---- holders --------------------------------------------------------------------------------- */

static void cancel_hold(struct op *op)
{
    struct lock_hold *h = CONTAINER_OF(op, struct lock_hold, op);

    give_up(h->state, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind hold_kind = { .name = "lock", .cancel = cancel_hold };

static bool read_paths(struct lock_table *t, const struct pick_strs *in, struct arena *mem,
                       struct pick_strs *out, struct err *e)
{
    if ((int64_t)in->n > t->limits->lock_paths)
        return fail(e, ERR_LIMIT,
                    "the task asks to lock %zu paths; at most %lld (the constant lock_paths)",
                    in->n, (long long)t->limits->lock_paths);
    *out = (struct pick_strs){ ARENA_ARRAY(mem, struct str, in->n + 1), in->n, true };
    for (size_t i = 0; i < in->n; i++) {
        struct str below;

        if (!path_below(mem, NULL, NULL, in->v[i], &below))
            return fail(e, ERR_INVALID,
                        "\"" STR_FMT "\" cannot be locked: it is not a path below the root",
                        STR_ARG(utf8_head(in->v[i], 100)));
        out->v[i] = arena_str(mem, below);
    }
    return true;
}

void lock_take(struct lock_table *t, struct lock_hold *h, struct op *parent, op_done_fn *done,
               void *ctx)
{
    struct lock_entry *e;
    struct err err;

    op_begin(&h->op, &hold_kind, t->loop, parent, done, ctx);
    h->acquired = loop_wall(t->loop);
    h->conflicts = false;
    h->state = NULL;
    if (!h->paths.n) {
        op_ok(&h->op);
        return;
    }
    h->state = e = new_entry(t, &h->op);
    e->hold = h;
    e->agent = arena_str(&e->mem, h->agent);
    e->claim = (struct lock_claim){ .task = arena_str(&e->mem, h->task),
                                    .exclusive = h->mode == LOCK_EXCLUSIVE };
    if (read_paths(t, &h->paths, &e->mem, &e->claim.paths, &err))
        put(e);
    else
        give_up(e, &err);
}

void lock_release(struct lock_table *t, struct lock_hold *h)
{
    struct lock_entry *e = h->state;

    (void)t;
    if (e && e->op) {
        op_cancel(e->op);
    } else if (e) {
        h->state = NULL;
        leave(e);
    }
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void cancel_turn(struct op *op)
{
    struct lock_turn *w = CONTAINER_OF(op, struct lock_turn, op);

    give_up(w->state, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind turn_kind = { .name = "turn to write", .cancel = cancel_turn };

static void claim_turn(struct lock_entry *e, const struct pick_strs *paths)
{
    char id[ID_TEXT];

    id_new(loop_wall(e->table->loop), id);
    e->claim = (struct lock_claim){
        .task = arena_printf(&e->mem, "%s%s", lock_turn_prefix.p, id),
        .paths = { ARENA_ARRAY(&e->mem, struct str, paths->n), paths->n, true },
        .exclusive = true,
        .turn = true,
    };
    for (size_t i = 0; i < paths->n; i++)
        e->claim.paths.v[i] = arena_str(&e->mem, paths->v[i]);
}

void lock_turn_take(struct lock_table *t, struct lock_turn *w, struct op *parent, op_done_fn *done,
                    void *ctx)
{
    struct lock_entry *e;

    op_begin(&w->op, &turn_kind, t->loop, parent, done, ctx);
    w->state = NULL;
    if (!w->paths.n || t->conflict == LOCK_WARN) {
        op_ok(&w->op);
        return;
    }
    w->state = e = new_entry(t, &w->op);
    claim_turn(e, &w->paths);
    if (t->store && !lock_is_locked(e, NULL))
        look(e);
    else
        judge(e, NULL);
}

void lock_turn_end(struct lock_table *t, struct lock_turn *w)
{
    struct lock_entry *e = w->state;

    (void)t;
    if (e && e->op) {
        op_cancel(e->op);
    } else if (e) {
        w->state = NULL;
        leave(e);
    }
}
