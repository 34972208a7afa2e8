/*
 * session_read.c - reads a session: first the row, then the records page by page, up to last_seq of
 * the row.
 */
#include "core/session/session_read.h"

#include "base/container.h"
#include "core/principal.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- cursors of a list ----------------------------------------------------------------------- */

void session_cursor_write(struct store_cursor cursor, char out[SESSION_CURSOR_TEXT])
{
    snprintf(out, SESSION_CURSOR_TEXT, "%" PRId64 "-%" PRId64, cursor.updated, cursor.n);
}

bool session_cursor_read(struct str text, struct store_cursor *out, struct err *e)
{
    struct str n = text, updated = str_cut(&n, '-');
    uint64_t at, row;

    if (!str_uint(updated, 1, INT64_MAX, &at) || !str_uint(n, 1, INT64_MAX, &row))
        return fail(e, ERR_INVALID, "\"" STR_FMT "\" is not a cursor of a list of sessions",
                    STR_ARG(str_head(text, SESSION_CURSOR_TEXT)));
    *out = (struct store_cursor){ (int64_t)at, (int64_t)row };
    return true;
}

/* ---- history --------------------------------------------------------------------------------- */

static void reading_end(struct session_reading *r, const struct err *e)
{
    store_ask_fini(&r->ask);
    if (!e) {
        op_ok(&r->op);
        return;
    }
    history_free(r->history);
    r->history = NULL;
    op_fail(&r->op, e);
}

static void reading_ask(struct session_reading *r, op_done_fn *done)
{
    r->ask = (struct store_ask){ .step = &r->step, .steps = 1 };
    store_start(r->store, &r->ask, &r->op, done, r);
}

static bool reading_add(struct session_reading *r, struct err *e)
{
    struct store_event_page *p = &r->step.events;

    for (size_t i = 0; i < p->n && p->v[i].seq <= r->session.last_seq; i++) {
        if (!history_add(r->history, p->v[i].seq, p->v[i].kind, p->v[i].body, e))
            return false;
        p->after = p->v[i].seq;
    }
    return true;
}

static void reading_on_page(struct op *op, const struct err *e, void *ctx)
{
    struct session_reading *r = ctx;
    struct err why;

    (void)op;
    if (!e && !reading_add(r, &why))
        e = &why;
    if (e || !r->step.events.more || r->step.events.after >= r->session.last_seq) {
        reading_end(r, e);
        return;
    }
    store_ask_fini(&r->ask);
    reading_ask(r, reading_on_page);
}

static bool reading_allowed(const struct session_reading *r, struct err *e)
{
    struct str owner = r->reader.p ? principal_sees(r->reader) : STR_NONE;

    return !owner.p || str_eq(owner, r->session.owner) ||
           fail(e, ERR_NOT_FOUND, "there is no session " STR_FMT,
                STR_ARG(str_head(r->session.id, 80)));
}

static void reading_on_row(struct op *op, const struct err *e, void *ctx)
{
    struct session_reading *r = ctx;
    struct err why;

    (void)op;
    if (!e) {
        r->session = store_session_copy(r->mem, &r->step.session);
        if (!reading_allowed(r, &why))
            e = &why;
    }
    if (e) {
        reading_end(r, e);
        return;
    }
    store_ask_fini(&r->ask);
    r->step = (struct store_step){ STORE_EVENTS, .events = { .session = r->session.id } };
    reading_ask(r, reading_on_page);
}

/* The store request in flight settles, and that settles the op. */
static void reading_cancel(struct op *op)
{
    (void)op;
}

static const struct op_kind reading_kind = { .name = "read session", .cancel = reading_cancel };

void session_read(struct session_reading *r, struct store_port *store, const struct limits *limits,
                  struct arena *mem, struct str id, struct str reader, struct op *parent,
                  op_done_fn *done, void *ctx)
{
    op_begin(&r->op, &reading_kind, store->loop, parent, done, ctx);
    r->store = store;
    r->mem = mem;
    r->reader = arena_maybe(mem, reader);
    r->history = history_new(limits, mem);
    r->step = (struct store_step){ STORE_SESSION_LOAD, .session = { .id = arena_str(mem, id) } };
    reading_ask(r, reading_on_row);
}

/* ---- fork ------------------------------------------------------------------------------------ */

void session_fork(struct session_forking *f, struct store_port *store,
                  enum store_durability durability, struct str from, struct str owner,
                  struct op *parent, op_done_fn *done, void *ctx)
{
    id_new(loop_wall(store->loop), f->id);
    f->step = (struct store_step){ STORE_SESSION_FORK,
                                   .fork = { .from = from, .owner = owner, .id = str_of(f->id) } };
    f->ask = (struct store_ask){ .step = &f->step, .steps = 1, .durability = durability };
    store_start(store, &f->ask, parent, done, ctx);
}
