/*
 * sessions.c - sessions, and the processes that hold them.
 *
 * The column `process` has the name of the process (holder.h) that holds the session, empty for
 * none; every write extends its lease (steps.h). The token grows whenever the holder changes, so an
 * earlier token is never valid again. The column `owner` is a principal and never changes.
 */
#include "store/steps.h"

#include <inttypes.h>

#define COLUMNS                                                                                    \
    "n, id, agent, cwd, model, mode, title, settings, created, updated, last_seq, bytes, "         \
    "version, fence,"                                                                              \
    " process, lease, owner"

/* Read the current row, in the order of COLUMNS. */
static void read_row(struct run *r, sqlite3_stmt *st, struct store_session *s)
{
    *s = (struct store_session){
        .id = sql_text(st, 1, r->mem),
        .agent = sql_text(st, 2, r->mem),
        .cwd = sql_text(st, 3, r->mem),
        .model = sql_text(st, 4, r->mem),
        .mode = sql_text(st, 5, r->mem),
        .title = sql_text(st, 6, r->mem),
        .settings = sql_text(st, 7, r->mem),
        .created = sql_int(st, 8),
        .updated = sql_int(st, 9),
        .last_seq = sql_int(st, 10),
        .bytes = sql_int(st, 11),
        .version = sql_int(st, 12),
        .fence = sql_int(st, 13),
        .in_use = is_held(r, sql_text(st, 14, r->mem), sql_int(st, 15)),
        .owner = sql_text(st, 16, r->mem),
    };
}

bool session_missing(struct str id, struct err *e)
{
    return fail(e, ERR_NOT_FOUND, "there is no session " STR_FMT, STR_ARG(str_head(id, 80)));
}

bool session_find(struct run *r, struct str id, int64_t *n, struct err *e)
{
    sqlite3_stmt *st;

    switch (sql_one(r->sql, "SELECT n FROM sessions WHERE id = ?", VALUES(V_TEXT(id)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return session_missing(id, e);
    case SQL_ROW: break;
    }
    *n = sql_int(st, 0);
    sql_end(st);
    return true;
}

/* ---- the holder ------------------------------------------------------------------------------ */

struct session_holder {
    int64_t n, fence, version, lease;
    struct str process;
};

static bool find_holder(struct run *r, struct str id, struct session_holder *h, struct err *e)
{
    sqlite3_stmt *st;

    switch (sql_one(r->sql, "SELECT n, fence, version, lease, process FROM sessions WHERE id = ?",
                    VALUES(V_TEXT(id)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return session_missing(id, e);
    case SQL_ROW: break;
    }
    *h = (struct session_holder){ sql_int(st, 0), sql_int(st, 1), sql_int(st, 2), sql_int(st, 3),
                                  sql_text(st, 4, r->mem) };
    sql_end(st);
    return true;
}

static bool refuse_second(struct str id, const struct session_holder *h, struct err *e)
{
    char label[HOLDER_LABEL];

    holder_label(h->process, label);
    return fail(e, ERR_DENIED,
                "session " STR_FMT
                " is in use by %s; stop that process or continue the session there",
                STR_ARG(str_head(id, 80)), label);
}

/* A write found no row with that id and token: report which of the two is wrong. */
static bool refuse_stale(struct run *r, struct str id, int64_t fence, struct err *e)
{
    struct session_holder h;

    if (!find_holder(r, id, &h, e))
        return false;
    return fail(e, ERR_DENIED,
                "session " STR_FMT " was taken over by another process (token %" PRId64
                ", now %" PRId64 ")",
                STR_ARG(str_head(id, 80)), fence, h.fence);
}

bool session_take(struct run *r, struct store_step *step, struct err *e)
{
    struct store_session *s = &step->session;
    struct session_holder h;
    sqlite3_stmt *st;

    if (!find_holder(r, s->id, &h, e))
        return false;
    if (!str_eq(h.process, str_of(r->holder)) && is_held(r, h.process, h.lease))
        return refuse_second(s->id, &h, e);
    if (sql_one(r->sql,
                "UPDATE sessions SET fence = fence + 1, version = version + 1, process = ?2,"
                " lease = ?3 WHERE n = ?1 RETURNING " COLUMNS,
                VALUES(V_INT(h.n), V_TEXT(str_of(r->holder)), V_INT(lease_end(r))), &st,
                e) != SQL_ROW)
        return false;
    read_row(r, st, s);
    return sql_row(r->sql, st, e) == SQL_DONE;
}

/* The token grows here too: a process that has left cannot write with its old token. */
bool session_leave(struct run *r, struct store_step *step, struct err *e)
{
    const struct store_session *s = &step->session;

    if (!sql_do(r->sql,
                "UPDATE sessions SET fence = fence + 1, version = version + 1, process = ''"
                " WHERE id = ? AND fence = ?",
                VALUES(V_TEXT(s->id), V_INT(s->fence)), e))
        return false;
    return sqlite3_changes(r->sql->db) || refuse_stale(r, s->id, s->fence, e);
}

/*
 * Two statements instead of RETURNING, for which SQLite opens a temporary table each time: its page
 * cache is allocated and freed with every append, and the allocator gives it back to the kernel.
 */
bool session_touch(struct run *r, struct str id, int64_t fence, struct session_growth by,
                   int64_t *n, int64_t *last_seq, struct err *e)
{
    sqlite3_stmt *st;

    if (!sql_do(r->sql,
                "UPDATE sessions SET updated = max(updated, ?3), version = version + 1,"
                " last_seq = last_seq + ?4, bytes = bytes + ?5, lease = ?6"
                " WHERE id = ?1 AND fence = ?2",
                VALUES(V_TEXT(id), V_INT(fence), V_INT(r->now), V_INT(by.events), V_INT(by.bytes),
                       V_INT(lease_end(r))),
                e))
        return false;
    if (!sqlite3_changes(r->sql->db))
        return refuse_stale(r, id, fence, e);
    if (sql_one(r->sql, "SELECT n, last_seq FROM sessions WHERE id = ?", VALUES(V_TEXT(id)), &st,
                e) != SQL_ROW)
        return false;
    *n = sql_int(st, 0);
    *last_seq = sql_int(st, 1);
    sql_end(st);
    return true;
}

/* ---- create, change, delete ----------------------------------------------------------------- */

bool session_create(struct run *r, struct store_step *step, struct err *e)
{
    struct store_session *s = &step->session;

    if (!sql_do(r->sql,
                "INSERT INTO sessions (id, agent, cwd, model, mode, title, settings, created,"
                " updated, last_seq, bytes, version, fence, process, lease, owner)"
                " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 0, 0, 1, 1, ?9, ?10, ?11)",
                VALUES(V_TEXT(s->id), V_TEXT(s->agent), V_TEXT(s->cwd), V_TEXT(s->model),
                       V_TEXT(s->mode), V_TEXT(s->title), V_TEXT(s->settings), V_INT(r->now),
                       V_TEXT(str_of(r->holder)), V_INT(lease_end(r)), V_TEXT(s->owner)),
                e))
        return e->code == ERR_INVALID && !r->sql->corrupt
                   ? fail(e, ERR_INVALID, "session " STR_FMT " already exists",
                          STR_ARG(str_head(s->id, 80)))
                   : false;
    s->created = s->updated = r->now;
    s->last_seq = s->bytes = 0;
    s->version = s->fence = 1;
    s->in_use = true;
    return true;
}

bool session_update(struct run *r, struct store_step *step, struct err *e)
{
    struct store_session *s = &step->session;
    struct session_holder h;
    int64_t n, seq;

    if (!find_holder(r, s->id, &h, e))
        return false;
    if (s->version && s->version != h.version)
        return fail(e, ERR_INVALID,
                    "session " STR_FMT " has changed: it has version %" PRId64 ", not %" PRId64,
                    STR_ARG(str_head(s->id, 80)), h.version, s->version);
    if (!session_touch(r, s->id, s->fence, (struct session_growth){ 0, 0 }, &n, &seq, e) ||
        !sql_do(r->sql,
                "UPDATE sessions SET agent = coalesce(?2, agent), cwd = coalesce(?3, cwd),"
                " model = coalesce(?4, model), mode = coalesce(?5, mode),"
                " title = coalesce(?6, title), settings = coalesce(?7, settings) WHERE n = ?1",
                VALUES(V_INT(n), V_MAYBE(s->agent), V_MAYBE(s->cwd), V_MAYBE(s->model),
                       V_MAYBE(s->mode), V_MAYBE(s->title), V_MAYBE(s->settings)),
                e))
        return false;
    s->version = h.version + 1;
    return true;
}

bool session_erase(struct run *r, int64_t n, struct err *e)
{
    return sql_do(r->sql, "DELETE FROM events WHERE place BETWEEN ?1 << 32 AND (?1 + 1 << 32) - 1",
                  VALUES(V_INT(n)), e) &&
           sql_do(r->sql, "DELETE FROM turns WHERE session = ?", VALUES(V_INT(n)), e) &&
           sql_do(r->sql, "DELETE FROM images WHERE session = ?", VALUES(V_INT(n)), e) &&
           sql_do(r->sql, "DELETE FROM sessions WHERE n = ?", VALUES(V_INT(n)), e);
}

bool session_delete(struct run *r, struct store_step *step, struct err *e)
{
    const struct store_session *s = &step->session;
    struct session_holder h;

    if (!find_holder(r, s->id, &h, e))
        return false;
    if (s->fence && s->fence != h.fence)
        return refuse_stale(r, s->id, s->fence, e);
    if (!s->fence && is_held(r, h.process, h.lease))
        return refuse_second(s->id, &h, e);
    return session_erase(r, h.n, e);
}

/* ---- reading -------------------------------------------------------------------------------- */

bool session_load(struct run *r, struct store_step *step, struct err *e)
{
    struct str id = step->session.id;
    sqlite3_stmt *st;

    switch (sql_one(r->sql, "SELECT " COLUMNS " FROM sessions WHERE id = ?", VALUES(V_TEXT(id)),
                    &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return session_missing(id, e);
    case SQL_ROW: break;
    }
    read_row(r, st, &step->session);
    sql_end(st);
    return true;
}

/* A filter that is STR_NONE binds NULL and lets every row pass. */
static sqlite3_stmt *session_list_begin(struct run *r, const struct store_session_page *p,
                                        size_t most, struct err *e)
{
    bool first = !p->cursor.updated && !p->cursor.n;

    return sql_begin(r->sql,
                     "SELECT " COLUMNS " FROM sessions INDEXED BY sessions_by_update"
                     " WHERE (updated, n) < (?1, ?2) AND (?3 IS NULL OR owner = ?3)"
                     " AND (?4 IS NULL OR agent = ?4) AND (?5 IS NULL OR cwd = ?5)"
                     " ORDER BY updated DESC, n DESC LIMIT ?6",
                     VALUES(V_INT(first ? INT64_MAX : p->cursor.updated),
                            V_INT(first ? INT64_MAX : p->cursor.n), V_MAYBE(p->owner),
                            V_MAYBE(p->agent), V_MAYBE(p->cwd), V_INT((int64_t)most + 1)),
                     e);
}

bool session_list(struct run *r, struct store_step *step, struct err *e)
{
    struct store_session_page *p = &step->sessions;
    size_t most = page_most(r, p->most);
    sqlite3_stmt *st = session_list_begin(r, p, most, e);
    enum sql_got got = SQL_FAILED;

    p->v = ARENA_ARRAY(r->mem, struct store_session, most);
    p->n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW && p->n < most) {
        read_row(r, st, &p->v[p->n]);
        p->cursor = (struct store_cursor){ p->v[p->n++].updated, sql_int(st, 0) };
    }
    p->more = got == SQL_ROW;
    if (p->more)
        sql_end(st);
    return got != SQL_FAILED;
}
