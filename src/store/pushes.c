/*
 * pushes.c - push configurations. A trigger deletes those of a deleted task.
 *
 * PUT replaces a configuration of the same id. Configurations that are done do not count against
 * the limits.
 */
#include "store/steps.h"

static bool push_task(struct run *r, struct str id, int64_t *n, struct err *e)
{
    sqlite3_stmt *st;

    switch (sql_one(r->sql, "SELECT n FROM tasks WHERE id = ?", VALUES(V_TEXT(id)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE:
        return fail(e, ERR_NOT_FOUND, "there is no task " STR_FMT, STR_ARG(str_head(id, 40)));
    case SQL_ROW: break;
    }
    *n = sql_int(st, 0);
    sql_end(st);
    return true;
}

static bool push_count(struct run *r, const struct store_push *p, int64_t task, struct err *e)
{
    int64_t owned, here, all;
    sqlite3_stmt *st;

    if (sql_one(r->sql,
                "SELECT count(*) FILTER (WHERE owner = ?1), count(*) FILTER (WHERE task = ?2),"
                " count(*) FROM pushes WHERE done = 0 AND NOT (task = ?2 AND id = ?3)",
                VALUES(V_TEXT(p->owner), V_INT(task), V_TEXT(p->id)), &st, e) != SQL_ROW)
        return false;
    owned = sql_int(st, 0);
    here = sql_int(st, 1);
    all = sql_int(st, 2);
    sql_end(st);
    if (owned < p->most && here < p->most && all < p->total)
        return true;
    return fail(e, ERR_LIMIT,
                "there are too many push configurations: at most %lld of one client or task, and "
                "%lld in all",
                (long long)p->most, (long long)p->total);
}

bool db_push_put(struct run *r, struct store_step *step, struct err *e)
{
    struct store_push *p = &step->push;
    int64_t task = 0;

    return push_task(r, p->task, &task, e) && push_count(r, p, task, e) &&
           sql_do(
               r->sql,
               "INSERT INTO pushes (task, id, owner, setup, sent, done) VALUES (?, ?, ?, ?, ?, 0)"
               " ON CONFLICT (task, id) DO UPDATE SET owner = excluded.owner,"
               " setup = excluded.setup, sent = excluded.sent, done = 0",
               VALUES(V_INT(task), V_TEXT(p->id), V_TEXT(p->owner), V_TEXT(p->setup),
                      V_INT(p->sent)),
               e);
}

/* One that was deleted or replaced meanwhile is not there: that is no error. */
bool db_push_sent(struct run *r, struct store_step *step, struct err *e)
{
    struct store_push *p = &step->push;

    return sql_do(r->sql,
                  "UPDATE pushes SET sent = max(sent, ?3), done = ?4"
                  " WHERE id = ?2 AND task = (SELECT n FROM tasks WHERE id = ?1)",
                  VALUES(V_TEXT(p->task), V_TEXT(p->id), V_INT(p->sent), V_INT(p->done)), e);
}

bool db_push_delete(struct run *r, struct store_step *step, struct err *e)
{
    return sql_do(r->sql,
                  "DELETE FROM pushes WHERE id = ?2 AND task = (SELECT n FROM tasks WHERE id = ?1)",
                  VALUES(V_TEXT(step->push.task), V_TEXT(step->push.id)), e);
}

bool db_pushes(struct run *r, struct store_step *step, struct err *e)
{
    struct store_push_page *p = &step->pushes;
    enum sql_got got = SQL_FAILED;
    sqlite3_stmt *st =
        sql_begin(r->sql,
                  "SELECT t.id, p.id, p.owner, p.setup, p.sent, p.done FROM pushes p"
                  " JOIN tasks t ON t.n = p.task WHERE CASE WHEN ?1 IS NULL THEN p.done = 0"
                  " ELSE t.id = ?1 END ORDER BY p.n",
                  VALUES(V_MAYBE(p->task)), e);
    size_t room = 0;

    p->v = NULL;
    p->n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW) {
        if (p->n == room) {
            p->v = arena_grow(r->mem, p->v, room * sizeof(*p->v), (room * 2 + 16) * sizeof(*p->v));
            room = room * 2 + 16;
        }
        p->v[p->n++] = (struct store_push){
            .task = sql_text(st, 0, r->mem),
            .id = sql_text(st, 1, r->mem),
            .owner = sql_text(st, 2, r->mem),
            .setup = sql_text(st, 3, r->mem),
            .sent = sql_int(st, 4),
            .done = sql_int(st, 5) != 0,
        };
    }
    return got == SQL_DONE;
}
