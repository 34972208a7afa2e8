/*
 * acp_list.c - session/list and session/delete. Both look into the stores of the user's roots, one
 * after the other, also of roots that are not open.
 *
 * The cursor of a list is "ROOT" (the name of a root, from its beginning) or "ROOT:POSITION".
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "core/session/session_read.h"
#include "proto/acp/agent/acp_method.h"
#include "proto/acp/agent/acp_session.h"

enum { PAGE_SESSIONS = 100, PAGE_BYTES = 4 << 20 };

/* A walk over the stores. In the memory of its request. */
struct acp_walk {
    struct rpc_in *in;
    struct str session, folder, cursor; /* params */
    struct acp_stored_root *root;
    size_t roots, at;
    const char *cwd;          /* filter; NULL: none */
    struct store_port *store; /* the open store; NULL: none */
    struct store_ask ask;
    struct store_step step;
    struct store_cursor from; /* position in the store at which the list begins */
    struct acp_close_wait wait;

    struct buf out; /* the result */
    struct jw w;
    int64_t listed;
};

static struct acp_roots *roots_of(const struct acp_walk *k)
{
    return acp_conn_of(k->in)->agent->roots;
}

static struct str self_of(const struct acp_walk *k)
{
    return str_of(acp_conn_of(k->in)->principal.name);
}

/* Open the next store that can be opened. False: there is none left. */
static bool walk_open(struct acp_walk *k)
{
    struct acp_roots *roots = roots_of(k);
    struct err e;

    for (; k->at < k->roots; k->at++) {
        k->store = roots->kind->store_open(roots, &k->root[k->at], &e);
        if (k->store)
            return true;
        if (e.code != ERR_NOT_FOUND)
            LOG(LOG_WARN, "acp", "the sessions of a root cannot be read", LOG_Z("why", e.text));
    }
    return false;
}

static void walk_close(struct acp_walk *k)
{
    struct acp_roots *roots = roots_of(k);

    store_ask_fini(&k->ask);
    roots->kind->store_close(roots, k->store);
    k->store = NULL;
}

static void walk_step(struct acp_walk *k, op_done_fn *done)
{
    k->ask = (struct store_ask){ .step = &k->step, .steps = 1 };
    store_start(k->store, &k->ask, &k->in->op, done, k);
}

static bool walk_begin(struct acp_walk *k)
{
    struct acp_roots *roots = roots_of(k);
    struct err e;

    if (roots->kind->stored(roots, k->in->mem, k->folder, &k->cwd, &k->root, &k->roots, &e))
        return true;
    rpc_error_of(k->in, &e);
    return false;
}

/* ---- list ------------------------------------------------------------------------------------ */

static const struct pick list_fields[] = {
    PICK_FIELD("cwd", PICK_STR, struct acp_walk, folder, 0),
    PICK_FIELD("cursor", PICK_STR, struct acp_walk, cursor, 0),
};

static void write_session(struct jw *w, const struct store_session *s)
{
    char when[CLOCK_TEXT];

    clock_text(s->updated, when);
    jw_object(w);
    jw_kstr(w, "sessionId", s->id);
    jw_kstr(w, "cwd", s->cwd);
    if (s->title.n)
        jw_kstr(w, "title", s->title);
    jw_kstr(w, "updatedAt", str_of(when));
    jw_object_end(w);
}

static void write_cursor(struct acp_walk *k, const struct store_cursor *at)
{
    char text[SESSION_CURSOR_TEXT];

    if (at)
        session_cursor_write(*at, text);
    jw_kstr(&k->w, "nextCursor",
            at ? arena_printf(k->in->mem, "%s:%s", k->root[k->at].name, text)
               : str_of(k->root[k->at].name));
}

/* at: the list continues at this position; NULL: it ends, or continues with the next root. */
static void list_answer(struct acp_walk *k, const struct store_cursor *at)
{
    jw_array_end(&k->w);
    if (at || k->at < k->roots)
        write_cursor(k, at);
    jw_object_end(&k->w);
    if (k->out.full)
        rpc_error(k->in, RPC_INTERNAL_ERROR, "the titles of the sessions are too long for a list");
    else
        rpc_result_raw(k->in, buf_str(&k->out));
}

static void list_next(struct acp_walk *k);

static void on_page(struct op *op, const struct err *e, void *ctx)
{
    struct acp_walk *k = ctx;
    struct store_session_page *page = &k->step.sessions;
    struct store_cursor end = page->cursor;
    bool more = !e && page->more;

    (void)op;
    if (e)
        LOG(LOG_WARN, "acp", "the sessions of a root cannot be read", LOG_Z("why", e->text));
    for (size_t i = 0; !e && i < page->n; i++)
        write_session(&k->w, &page->v[i]);
    k->listed += e ? 0 : (int64_t)page->n;
    walk_close(k);
    if (more) {
        list_answer(k, &end);
        return;
    }
    k->from = (struct store_cursor){ 0 };
    k->at++;
    list_next(k);
}

static void list_next(struct acp_walk *k)
{
    if (k->in->op.canceled) {
        acp_error_of(k->in, &(struct err){ ERR_CANCELED, "cancelled" }, STR_NONE);
    } else if (k->listed >= PAGE_SESSIONS || !walk_open(k)) {
        list_answer(k, NULL);
    } else {
        k->step = (struct store_step){ .what = STORE_SESSIONS,
                                       .sessions = { .owner = self_of(k),
                                                     .cwd = str_of(k->cwd),
                                                     .cursor = k->from,
                                                     .most = PAGE_SESSIONS - k->listed } };
        walk_step(k, on_page);
    }
}

/* A cursor of a root that no longer exists is as wrong as one that we have not made. */
static bool read_cursor(struct acp_walk *k)
{
    struct str at = k->cursor, name = str_cut(&at, ':');
    struct err e;

    while (k->at < k->roots && !str_eq(str_of(k->root[k->at].name), name))
        k->at++;
    if (k->at < k->roots && (!at.p || session_cursor_read(at, &k->from, &e)))
        return true;
    rpc_error(k->in, RPC_INVALID_PARAMS,
              "params.cursor: \"" STR_FMT "\" is not a nextCursor of this list",
              STR_ARG(utf8_head(k->cursor, 60)));
    return false;
}

void acp_on_list(struct rpc_in *in)
{
    struct acp_walk *k = ARENA_NEW(in->mem, struct acp_walk);

    k->in = in;
    if (!rpc_params(in, PICK_TABLE(list_fields), k))
        return;
    if (k->folder.p && !str_starts(k->folder, STR("/"))) {
        rpc_error(in, RPC_INVALID_PARAMS, "params.cwd: expected an absolute path");
        return;
    }
    if (!walk_begin(k) || (k->cursor.p && !read_cursor(k)))
        return;
    buf_init_in(&k->out, in->mem, PAGE_BYTES);
    k->w = jw_to(&k->out);
    jw_object(&k->w);
    jw_plain_key(&k->w, STR("sessions"));
    jw_array(&k->w);
    list_next(k);
}

/* ---- delete ---------------------------------------------------------------------------------- */

static const struct pick delete_fields[] = {
    PICK_FIELD("sessionId", PICK_STR, struct acp_walk, session, PICK_MUST),
};

static void delete_next(struct acp_walk *k);

static void on_deleted(struct op *op, const struct err *e, void *ctx)
{
    struct acp_walk *k = ctx;

    (void)op;
    walk_close(k);
    if (!e)
        roots_of(k)->kind->deleted(roots_of(k), &k->root[k->at], k->session);
    if (e && e->code != ERR_NOT_FOUND)
        acp_error_of(k->in, e, STR_NONE);
    else
        acp_result_empty(k->in);
}

static void on_found(struct op *op, const struct err *e, void *ctx)
{
    struct acp_walk *k = ctx;
    struct err foreign;
    bool ours = !e && session_check_owner(&k->step.session, self_of(k), &foreign);

    (void)op;
    if (!ours) {
        walk_close(k);
        k->at++;
        delete_next(k);
        return;
    }
    store_ask_fini(&k->ask);
    k->step = (struct store_step){ .what = STORE_SESSION_DELETE, .session = { .id = k->session } };
    walk_step(k, on_deleted);
}

/* A session that does not exist counts as deleted. */
static void delete_next(struct acp_walk *k)
{
    if (k->in->op.canceled) {
        acp_error_of(k->in, &(struct err){ ERR_CANCELED, "cancelled" }, STR_NONE);
        return;
    }
    if (!walk_open(k)) {
        acp_result_empty(k->in);
        return;
    }
    k->step = (struct store_step){ .what = STORE_SESSION_LOAD, .session = { .id = k->session } };
    walk_step(k, on_found);
}

static void on_closed(struct op *op, const struct err *e, void *ctx)
{
    struct acp_walk *k = ctx;

    (void)op;
    (void)e;
    if (walk_begin(k))
        delete_next(k);
}

void acp_on_delete(struct rpc_in *in)
{
    struct acp_walk *k = ARENA_NEW(in->mem, struct acp_walk);
    struct acp_session *s;

    k->in = in;
    if (!rpc_params(in, PICK_TABLE(delete_fields), k))
        return;
    s = acp_conn_find(acp_conn_of(in), k->session);
    if (!s) {
        if (walk_begin(k))
            delete_next(k);
        return;
    }
    acp_session_await_close(s, &k->wait, &in->op, on_closed, k);
    acp_session_close(s);
}
