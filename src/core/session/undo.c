/*
 * undo.c - restores the files that the last turn changed.
 *
 *   page     read the next images, newest first, with the fencing token of the session
 *   put      restore these images with the port; back to page if there are more
 *   forget   in one request: delete the images and append an undo record
 *
 * A process that is killed at any moment loses nothing: the images stay in the store until all
 * files are restored, and restoring a file twice does no harm.
 */
#include "core/session/undo.h"

#include "base/container.h"
#include "base/utf8.h"
#include "core/guard/guard_check.h"
#include "core/guard/guard_read_only.h"

#include <sys/stat.h>

enum { RECORD_BYTES = 512, NAMES_BYTES = 1 << 16 };

struct str file_image_text(const struct file_image *i)
{
    struct str s = i->content.p ? i->content : STR("");

    if (i->absent || i->too_large || !S_ISREG((mode_t)i->mode) || utf8_valid(s) < s.n ||
        str_find_byte(s, 0) >= 0)
        return STR_NONE;
    return s;
}

static void undo_ask_store(struct undo *u, op_done_fn *done)
{
    struct session *s = u->session;

    store_ask_fini(&u->ask);
    u->ask = (struct store_ask){ .step = u->step,
                                 .steps = ARRAY_LEN(u->step),
                                 .durability = s->world->durability };
    store_start(s->world->store, &u->ask, &u->op, done, u);
}

/* ---- forgetting ------------------------------------------------------------------------------ */

static struct str undo_record(struct undo *u)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, &u->mem, RECORD_BYTES);
    jw_object(&w);
    jw_kstr(&w, "turn", str_of(u->turn));
    jw_kint(&w, "files", (int64_t)u->restored);
    jw_object_end(&w);
    return buf_str(&out);
}

static void on_undo_finished(struct op *op, const struct err *e, void *ctx)
{
    struct undo *u = ctx;
    const struct store_append *a = &u->step[1].append;
    struct err damaged;

    (void)op;
    if (e)
        op_fail(&u->op, e);
    else if (!history_add(u->session->history, a->last_seq, a->event->kind, a->event->body,
                          &damaged))
        op_fail(&u->op, &damaged);
    else
        op_ok(&u->op);
}

static void undo_finish(struct undo *u)
{
    struct session *s = u->session;
    struct store_event *event = ARENA_NEW(&u->mem, struct store_event);

    *event = (struct store_event){ .kind = STR("undo"), .body = undo_record(u) };
    u->step[0] = (struct store_step){
        STORE_IMAGES_DELETE,
        .image = { .session = str_of(s->id), .turn = str_of(u->turn), .fence = s->fence },
    };
    u->step[1] = (struct store_step){
        STORE_APPEND,
        .append = { .session = str_of(s->id), .fence = s->fence, .event = event, .events = 1 },
    };
    undo_ask_store(u, on_undo_finished);
}

/* ---- restoring ------------------------------------------------------------------------------- */

static void ask_page(struct undo *u, int64_t after);

static void on_put(struct op *op, const struct err *e, void *ctx)
{
    struct undo *u = ctx;
    const struct store_image_page *page = &u->step[1].images;

    (void)op;
    u->restored += u->put.restored;
    if (e && u->failed.code == ERR_NONE)
        u->failed = *e;
    if (u->op.canceled)
        op_fail(&u->op, &(struct err){ ERR_CANCELED, "cancelled" });
    else if (page->more)
        ask_page(u, page->after);
    else if (u->failed.code != ERR_NONE)
        op_fail(&u->op, &u->failed);
    else
        undo_finish(u);
}

/* A path that does not fit as a whole is omitted. */
static void note_files(struct undo *u, const struct store_image_page *page)
{
    for (size_t i = 0; i < page->n; i++) {
        if (u->files.max - u->files.n <= page->v[i].path.n) {
            u->files.full = true;
            return;
        }
        buf_put(&u->files, page->v[i].path);
        buf_putc(&u->files, '\n');
    }
}

static void on_page(struct op *op, const struct err *e, void *ctx)
{
    struct undo *u = ctx;
    const struct store_image_page *page = &u->step[1].images;
    struct undo_port *port = u->session->world->undo;
    struct err none;

    (void)op;
    if (!e && !u->turn[0] && !str_to_c(page->turn, u->turn, sizeof(u->turn))) {
        fail(&none, ERR_INVALID, "the store has a turn with an unknown ID format");
        e = &none;
    } else if (!e && !page->n) {
        fail(&none, ERR_NOT_FOUND,
             "there is nothing to undo: no turn of this session changed a file");
        e = &none;
    }
    if (e) {
        op_fail(&u->op, e);
        return;
    }
    note_files(u, page);
    u->put = (struct undo_put){ .host = &u->session->host,
                                .vault_only = guard_is_read_only(&u->session->scope),
                                .image = page->v,
                                .images = page->n };
    port->put(port, &u->put, &u->op, on_put, u);
}

/*
 * Each page is read together with an update under our token, so that files are changed only while
 * this process holds the session.
 */
static void ask_page(struct undo *u, int64_t after)
{
    struct session *s = u->session;

    u->step[0] = (struct store_step){ STORE_SESSION_UPDATE,
                                      .session = { .id = str_of(s->id), .fence = s->fence } };
    u->step[1] = (struct store_step){
        STORE_IMAGES,
        .images = { .session = str_of(s->id),
                    .turn = u->turn[0] ? str_of(u->turn) : STR_NONE,
                    .newest_first = true,
                    .after = after },
    };
    undo_ask_store(u, on_page);
}

/* ---- an op ----------------------------------------------------------------------------------- */

/* Cancelling the op also cancels the request or job below it, whose end settles this op. */
static void cancel_undo(struct op *op)
{
    (void)op;
}

static const struct op_kind undo_kind = { .name = "undo", .cancel = cancel_undo };

static bool undo_check(const struct session *s, struct err *e)
{
    if (s->state == SESSION_WORKING)
        return fail(e, ERR_DENIED, "a turn is running; it can be undone after it has ended");
    if (!s->world->store || !s->world->undo || !s->fence)
        return fail(e, ERR_NOT_FOUND,
                    "there is nothing to undo: file changes of this session are not stored");
    return true;
}

void undo_start(struct undo *u, struct session *s, struct op *parent, op_done_fn *done, void *ctx)
{
    struct err e;

    u->session = s;
    buf_init_in(&u->files, &u->mem, NAMES_BYTES);
    op_begin(&u->op, &undo_kind, s->world->loop, parent, done, ctx);
    if (undo_check(s, &e))
        ask_page(u, 0);
    else
        op_fail(&u->op, &e);
}

void undo_fini(struct undo *u)
{
    store_ask_fini(&u->ask);
    arena_fini(&u->mem);
}
