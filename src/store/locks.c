/*
 * locks.c - locks of tasks, and the processes that hold them.
 *
 * Locks of a dead process are not returned, and are deleted when any lock is inserted or deleted.
 * If this process cannot check whether the holder is alive, the lease of the lock or of its task
 * decides; the lease of the task is extended while the task works. A process deletes only its own
 * locks, since another process may have taken the task and locked it again.
 */
#include "store/steps.h"

#define FROM_LOCKS                                                                                 \
    "SELECT l.n, l.process, max(l.lease, coalesce(t.lease, 0)), l.task, l.agent, l.paths,"         \
    " l.exclusive, l.acquired FROM locks l LEFT JOIN tasks t ON t.id = l.task"

static bool row_is_held(struct run *r, sqlite3_stmt *st)
{
    return is_held(r, sql_text(st, 1, r->mem), sql_int(st, 2));
}

/* Append a number to an array that doubles when it is full. */
static int64_t *with(struct run *r, int64_t *v, size_t n, int64_t value)
{
    if (!(n & (n - 1))) /* 0, or a power of two */
        v = arena_grow(r->mem, v, n * sizeof(*v), (n ? n * 2 : 1) * sizeof(*v));
    v[n] = value;
    return v;
}

static bool drop_dead(struct run *r, struct err *e)
{
    enum sql_got got = SQL_FAILED;
    sqlite3_stmt *st = sql_begin(r->sql, FROM_LOCKS, NULL, 0, e);
    int64_t *v = NULL;
    size_t n = 0;

    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW)
        if (!row_is_held(r, st)) {
            v = with(r, v, n, sql_int(st, 0));
            n++;
        }
    for (size_t i = 0; i < n && got == SQL_DONE; i++)
        if (!sql_do(r->sql, "DELETE FROM locks WHERE n = ?", VALUES(V_INT(v[i])), e))
            return false;
    return got == SQL_DONE;
}

bool db_lock_put(struct run *r, struct store_step *step, struct err *e)
{
    struct store_lock *l = &step->lock;

    l->acquired = r->now;
    return drop_dead(r, e) &&
           sql_do(r->sql,
                  "INSERT INTO locks (task, agent, paths, exclusive, acquired, process, lease)"
                  " VALUES (?, ?, ?, ?, ?, ?, ?)",
                  VALUES(V_TEXT(l->task), V_TEXT(l->agent), V_TEXT(l->paths), V_INT(l->exclusive),
                         V_INT(l->acquired), V_TEXT(str_of(r->holder)), V_INT(lease_end(r))),
                  e);
}

bool db_lock_drop(struct run *r, struct store_step *step, struct err *e)
{
    return drop_dead(r, e) && sql_do(r->sql, "DELETE FROM locks WHERE task = ? AND process = ?",
                                     VALUES(V_TEXT(step->lock.task), V_TEXT(str_of(r->holder))), e);
}

bool locks_drop_others(struct run *r, struct str task, struct err *e)
{
    return sql_do(r->sql, "DELETE FROM locks WHERE task = ? AND process <> ?",
                  VALUES(V_TEXT(task), V_TEXT(str_of(r->holder))), e);
}

bool db_locks(struct run *r, struct store_step *step, struct err *e)
{
    struct store_lock_page *p = &step->locks;
    enum sql_got got = SQL_FAILED;
    sqlite3_stmt *st = sql_begin(r->sql, FROM_LOCKS " ORDER BY l.n", NULL, 0, e);
    size_t room = 0;

    *p = (struct store_lock_page){ 0 };
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW) {
        if (!row_is_held(r, st))
            continue;
        if (p->n == room) {
            p->v = arena_grow(r->mem, p->v, room * sizeof(*p->v), (room * 2 + 16) * sizeof(*p->v));
            room = room * 2 + 16;
        }
        p->v[p->n++] = (struct store_lock){
            .task = sql_text(st, 3, r->mem),
            .agent = sql_text(st, 4, r->mem),
            .paths = sql_text(st, 5, r->mem),
            .exclusive = sql_int(st, 6) != 0,
            .acquired = sql_int(st, 7),
        };
    }
    return got == SQL_DONE;
}
