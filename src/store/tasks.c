/*
 * tasks.c - tasks, and the processes that hold them.
 *
 * As with sessions, a process (the column `process`; `owner` is a principal) holds a task with a
 * token that grows with each process that takes the task. A final task is held by no process and is
 * never changed again. A cancellation is a request to the process that runs the task, not a change:
 * the version stays. When another process takes a task, the questions of the old process are
 * closed.
 *
 * A statement names only the indexed columns that it changes: SQLite writes the index of every
 * column that is named.
 */
#include "store/steps.h"

#include <inttypes.h>

enum { DELETE_MOST = 64 };

#define COLUMNS                                                                                    \
    "n, id, context, owner, agent, model, mode, session, state, text, spec, result, asks, final,"  \
    " expires, created, updated, ended, last_seq, version, fence, canceled, process, lease"

enum { PROCESS_COLUMN = 22, LEASE_COLUMN };

/* Read the current row, in the order of COLUMNS. */
static void read_row(struct run *r, sqlite3_stmt *st, struct store_task *t)
{
    *t = (struct store_task){
        .id = sql_text(st, 1, r->mem),
        .context = sql_text(st, 2, r->mem),
        .owner = sql_text(st, 3, r->mem),
        .agent = sql_text(st, 4, r->mem),
        .model = sql_text(st, 5, r->mem),
        .mode = sql_text(st, 6, r->mem),
        .session = sql_text(st, 7, r->mem),
        .state = sql_text(st, 8, r->mem),
        .text = sql_text(st, 9, r->mem),
        .spec = sql_text(st, 10, r->mem),
        .result = sql_text(st, 11, r->mem),
        .asks = sql_text(st, 12, r->mem),
        .final = sql_int(st, 13) != 0,
        .expires = sql_int(st, 14),
        .created = sql_int(st, 15),
        .updated = sql_int(st, 16),
        .ended = sql_int(st, 17),
        .last_seq = sql_int(st, 18),
        .version = sql_int(st, 19),
        .fence = sql_int(st, 20),
        .canceled = sql_int(st, 21) != 0,
        .in_use = is_held(r, sql_text(st, PROCESS_COLUMN, r->mem), sql_int(st, LEASE_COLUMN)),
    };
}

static bool no_task(struct str id, struct err *e)
{
    return fail(e, ERR_NOT_FOUND, "there is no task " STR_FMT, STR_ARG(str_head(id, 80)));
}

static bool is_over(struct str id, struct str state, struct err *e)
{
    return fail(e, ERR_INVALID,
                "task " STR_FMT " has already ended (" STR_FMT ") and cannot change",
                STR_ARG(str_head(id, 80)), STR_ARG(str_head(state, 40)));
}

/* A statement that yields the row of one task. */
static bool read_one(struct run *r, sqlite3_stmt *st, struct store_task *t, struct err *e)
{
    read_row(r, st, t);
    return sql_row(r->sql, st, e) == SQL_DONE;
}

bool db_task_load(struct run *r, struct store_step *step, struct err *e)
{
    struct str id = step->task.id;
    sqlite3_stmt *st;

    switch (
        sql_one(r->sql, "SELECT " COLUMNS " FROM tasks WHERE id = ?", VALUES(V_TEXT(id)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return no_task(id, e);
    case SQL_ROW: break;
    }
    return read_one(r, st, &step->task, e);
}

/* ---- leaving -------------------------------------------------------------------------------- */

bool task_erase(struct run *r, int64_t n, struct err *e)
{
    return sql_do(r->sql,
                  "DELETE FROM task_events WHERE place BETWEEN ?1 << 32 AND (?1 + 1 << 32) - 1",
                  VALUES(V_INT(n)), e) &&
           sql_do(r->sql, "DELETE FROM tasks WHERE n = ?", VALUES(V_INT(n)), e);
}

/* Read the row numbers that a statement with a bound and a count yields, DELETE_MOST at most. */
static bool find_leaving(struct run *r, const char *statement, int64_t bound, int64_t most,
                         int64_t v[DELETE_MOST], size_t *n, struct err *e)
{
    enum sql_got got = SQL_FAILED;
    sqlite3_stmt *st = sql_begin(
        r->sql, statement, VALUES(V_INT(bound), V_INT(most < DELETE_MOST ? most : DELETE_MOST)), e);

    *n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW)
        v[(*n)++] = sql_int(st, 0);
    return got == SQL_DONE;
}

static bool erase_all(struct run *r, const int64_t *v, size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++)
        if (!task_erase(r, v[i], e))
            return false;
    return true;
}

bool db_tasks_expire(struct run *r, struct store_step *step, struct err *e)
{
    int64_t v[DELETE_MOST];
    size_t n;

    if (!find_leaving(r,
                      "SELECT n FROM tasks INDEXED BY tasks_expiring"
                      " WHERE final = 1 AND expires <= ? ORDER BY expires LIMIT ?",
                      r->now, DELETE_MOST, v, &n, e) ||
        !erase_all(r, v, n, e))
        return false;
    step->gc.deleted = (int64_t)n;
    step->gc.freed = 0;
    step->gc.more = n == DELETE_MOST;
    return true;
}

/* ---- creating ------------------------------------------------------------------------------- */

/* Events have the time of their change, which is never earlier than that of an earlier change. */
static bool append(struct run *r, const struct store_task *t, int64_t n, struct err *e)
{
    return events_insert(r, "INSERT INTO task_events VALUES (?, ?, ?, ?)", n, t->last_seq,
                         t->updated, t->event, t->events, e) &&
           feed_append(r, t, n, e);
}

static bool insert(struct run *r, const struct store_task *t, struct err *e)
{
    if (sql_do(r->sql,
               "INSERT INTO tasks (id, created, updated, ended, expires, last_seq, version, fence,"
               " process, lease, final, canceled, context, owner, agent, model, mode, session,"
               " state, text, asks, spec, result)"
               " VALUES (?1, ?2, ?2, 0, 0, ?3, 1, 1, ?4, ?5, 0, 0, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
               " ?13, ?14, ?15, ?16)",
               VALUES(V_TEXT(t->id), V_INT(r->now), V_INT((int64_t)t->events),
                      V_TEXT(str_of(r->holder)), V_INT(lease_end(r)), V_TEXT(t->context),
                      V_TEXT(t->owner), V_TEXT(t->agent), V_TEXT(t->model), V_TEXT(t->mode),
                      V_TEXT(t->session), V_TEXT(t->state), V_TEXT(t->text), V_TEXT(t->asks),
                      V_TEXT(t->spec), V_TEXT(t->result)),
               e))
        return true;
    return e->code == ERR_INVALID && !r->sql->corrupt
               ? fail(e, ERR_INVALID, "task " STR_FMT " already exists",
                      STR_ARG(str_head(t->id, 80)))
               : false;
}

/* Find the final tasks to delete to make room for a new task. */
static bool find_room(struct run *r, int64_t capacity, int64_t v[DELETE_MOST], size_t *n,
                      struct err *e)
{
    int64_t most = capacity ? capacity : r->limits->tasks, count;

    *n = 0;
    if (!sql_ask_int(r->sql, "SELECT tasks FROM task_count", &count, e))
        return false;
    if (count < most)
        return true;
    if (!find_leaving(r,
                      "SELECT n FROM tasks INDEXED BY tasks_ended"
                      " WHERE final = 1 AND ended < ? ORDER BY ended LIMIT ?",
                      INT64_MAX, count - most + 1, v, n, e))
        return false;
    return *n || fail(e, ERR_BUSY,
                      "there are %" PRId64 " unfinished tasks (limits.tasks is %" PRId64
                      "): wait for a task to end, or cancel one",
                      count, most);
}

bool db_task_create(struct run *r, struct store_step *step, struct err *e)
{
    struct store_task *t = &step->task;
    int64_t n, leaving[DELETE_MOST];
    size_t count;

    if (!find_room(r, t->capacity, leaving, &count, e) || !insert(r, t, e))
        return false;
    n = sqlite3_last_insert_rowid(r->sql->db);
    t->created = t->updated = r->now;
    t->ended = 0;
    t->last_seq = (int64_t)t->events;
    t->version = t->fence = 1;
    t->in_use = true;
    t->final = t->canceled = false;
    return append(r, t, n, e) && feed_trim(r, e) && erase_all(r, leaving, count, e);
}

/* ---- changing ------------------------------------------------------------------------------- */

/* A write found no matching row: report the reason. */
static bool refuse(struct run *r, const struct store_task *t, struct err *e)
{
    struct store_step now = { STORE_TASK_LOAD, .task = { .id = t->id } };

    if (!db_task_load(r, &now, e))
        return false;
    if (now.task.fence != t->fence)
        return fail(e, ERR_DENIED,
                    "task " STR_FMT " was taken over by another process (token %" PRId64
                    ", now %" PRId64 ")",
                    STR_ARG(str_head(t->id, 80)), t->fence, now.task.fence);
    if (now.task.final)
        return is_over(t->id, now.task.state, e);
    return fail(e, ERR_INVALID,
                "task " STR_FMT " has changed: it has version %" PRId64 ", not %" PRId64,
                STR_ARG(str_head(t->id, 80)), now.task.version, t->version);
}

/*
 * Check token, version and state, and update the columns that change often. Two statements instead
 * of RETURNING, as in session_touch.
 */
static bool touch(struct run *r, struct store_task *t, int64_t *n, struct err *e)
{
    sqlite3_stmt *st;

    if (!sql_do(r->sql,
                "UPDATE tasks SET updated = max(updated, ?4), version = version + 1,"
                " last_seq = last_seq + ?5, lease = ?6, model = coalesce(?7, model),"
                " mode = coalesce(?8, mode), session = coalesce(?9, session),"
                " state = coalesce(?10, state), text = coalesce(?11, text),"
                " asks = coalesce(?12, asks), spec = coalesce(?13, spec),"
                " result = coalesce(?14, result)"
                " WHERE id = ?1 AND fence = ?2 AND (?3 = 0 OR version = ?3) AND final = 0",
                VALUES(V_TEXT(t->id), V_INT(t->fence), V_INT(t->version), V_INT(r->now),
                       V_INT((int64_t)t->events), V_INT(lease_end(r)), V_MAYBE(t->model),
                       V_MAYBE(t->mode), V_MAYBE(t->session), V_MAYBE(t->state), V_MAYBE(t->text),
                       V_MAYBE(t->asks), V_MAYBE(t->spec), V_MAYBE(t->result)),
                e))
        return false;
    if (!sqlite3_changes(r->sql->db))
        return refuse(r, t, e);
    if (sql_one(r->sql,
                "SELECT n, created, updated, last_seq, version, canceled FROM tasks WHERE id = ?",
                VALUES(V_TEXT(t->id)), &st, e) != SQL_ROW)
        return false;
    *n = sql_int(st, 0);
    t->created = sql_int(st, 1);
    t->updated = sql_int(st, 2);
    t->last_seq = sql_int(st, 3);
    t->version = sql_int(st, 4);
    t->canceled = sql_int(st, 5) != 0;
    sql_end(st);
    return true;
}

static bool rename_it(struct run *r, const struct store_task *t, int64_t n, struct err *e)
{
    if (!t->context.p && !t->owner.p && !t->agent.p)
        return true;
    return sql_do(r->sql,
                  "UPDATE tasks SET context = coalesce(?2, context), owner = coalesce(?3, owner),"
                  " agent = coalesce(?4, agent) WHERE n = ?1",
                  VALUES(V_INT(n), V_MAYBE(t->context), V_MAYBE(t->owner), V_MAYBE(t->agent)), e);
}

static bool end_it(struct run *r, struct store_task *t, int64_t n, struct err *e)
{
    t->in_use = !t->final;
    if (!t->final)
        return true;
    t->ended = t->updated;
    if (!t->expires)
        t->expires = r->now + r->limits->task_keep_ms;
    return answers_drop(r, n, e) &&
           sql_do(r->sql,
                  "UPDATE tasks SET final = 1, ended = ?2, expires = ?3, process = ''"
                  " WHERE n = ?1",
                  VALUES(V_INT(n), V_INT(t->ended), V_INT(t->expires)), e);
}

bool db_task_update(struct run *r, struct store_step *step, struct err *e)
{
    struct store_task *t = &step->task;
    int64_t n;

    return touch(r, t, &n, e) && rename_it(r, t, n, e) && end_it(r, t, n, e) && append(r, t, n, e);
}

bool db_task_cancel(struct run *r, struct store_step *step, struct err *e)
{
    struct store_task *t = &step->task;
    sqlite3_stmt *st;

    switch (sql_one(r->sql,
                    "UPDATE tasks SET canceled = 1 WHERE id = ? AND final = 0 RETURNING " COLUMNS,
                    VALUES(V_TEXT(t->id)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return db_task_load(r, step, e) && is_over(t->id, t->state, e);
    case SQL_ROW: break;
    }
    return read_one(r, st, t, e);
}

/* ---- holders -------------------------------------------------------------------------------- */

struct task_holder {
    int64_t n, lease, fence;
    struct str process, state;
    bool final;
};

static bool find_holder(struct run *r, struct str id, struct task_holder *h, struct err *e)
{
    sqlite3_stmt *st;

    switch (sql_one(r->sql, "SELECT n, lease, process, state, final, fence FROM tasks WHERE id = ?",
                    VALUES(V_TEXT(id)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return no_task(id, e);
    case SQL_ROW: break;
    }
    *h = (struct task_holder){ .n = sql_int(st, 0),
                               .lease = sql_int(st, 1),
                               .process = sql_text(st, 2, r->mem),
                               .state = sql_text(st, 3, r->mem),
                               .final = sql_int(st, 4) != 0,
                               .fence = sql_int(st, 5) };
    sql_end(st);
    return true;
}

/* A caller with the token got it from the process that runs the task. */
static bool task_refuse_second(struct str id, struct str holder, struct err *e)
{
    char label[HOLDER_LABEL];

    holder_label(holder, label);
    return fail(e, ERR_DENIED, "%s works on task " STR_FMT, label, STR_ARG(str_head(id, 80)));
}

bool db_task_take(struct run *r, struct store_step *step, struct err *e)
{
    struct store_task *t = &step->task;
    struct task_holder h;
    sqlite3_stmt *st;

    if (!find_holder(r, t->id, &h, e))
        return false;
    if (h.final)
        return is_over(t->id, h.state, e);
    if (t->fence != h.fence && !str_eq(h.process, str_of(r->holder)) &&
        is_held(r, h.process, h.lease))
        return task_refuse_second(t->id, h.process, e);
    if (!answers_drop(r, h.n, e) || !locks_drop_others(r, t->id, e))
        return false;
    if (sql_one(r->sql,
                "UPDATE tasks SET fence = fence + 1, version = version + 1, process = ?2,"
                " lease = ?3, asks = '' WHERE n = ?1 RETURNING " COLUMNS,
                VALUES(V_INT(h.n), V_TEXT(str_of(r->holder)), V_INT(lease_end(r))), &st,
                e) != SQL_ROW)
        return false;
    return read_one(r, st, t, e);
}

/* ---- pages ---------------------------------------------------------------------------------- */

static int64_t weight(const struct store_task *t)
{
    return (int64_t)(t->text.n + t->spec.n + t->result.n + t->asks.n);
}

/* Rows of a statement, all or those that no process holds, until the page is full. */
static bool fill(struct run *r, sqlite3_stmt *st, struct store_task_page *p, size_t most,
                 bool only_lost, struct err *e)
{
    enum sql_got got = SQL_FAILED;
    int64_t bytes = 0;

    p->v = ARENA_ARRAY(r->mem, struct store_task, most);
    p->n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW) {
        struct str process = sql_text(st, PROCESS_COLUMN, r->mem);

        if (only_lost && is_held(r, process, sql_int(st, LEASE_COLUMN)))
            continue;
        if (p->n == most || bytes >= r->limits->store_page_bytes)
            break;
        read_row(r, st, &p->v[p->n]);
        bytes += weight(&p->v[p->n]);
        p->cursor = (struct store_cursor){ p->v[p->n++].created, sql_int(st, 0) };
    }
    p->more = got == SQL_ROW;
    if (p->more)
        sql_end(st);
    return got != SQL_FAILED;
}

#define PAGE(by)                                                                                   \
    "SELECT " COLUMNS " FROM tasks " by                                                            \
    " AND n < ?1 AND (?2 IS NULL OR context = ?2) AND (?3 IS NULL OR owner = ?3)"                  \
    " AND (?4 IS NULL OR agent = ?4) AND (?5 = 0 OR final = 0) AND (?6 = 0 OR asks <> '')"         \
    " ORDER BY n DESC LIMIT ?7"

/* The statement whose index leaves the fewest rows to check. */
static const char *statement_for(const struct store_task_page *p)
{
    if (p->context.p)
        return PAGE("INDEXED BY tasks_by_context WHERE context = ?2");
    if (p->only_live || p->only_asking)
        return PAGE("INDEXED BY tasks_live WHERE final = 0");
    if (p->owner.p && p->agent.p)
        return PAGE("INDEXED BY tasks_by_both WHERE owner = ?3 AND agent = ?4");
    if (p->owner.p)
        return PAGE("INDEXED BY tasks_by_owner WHERE owner = ?3");
    if (p->agent.p)
        return PAGE("INDEXED BY tasks_by_agent WHERE agent = ?4");
    return PAGE("NOT INDEXED WHERE 1");
}

bool db_tasks(struct run *r, struct store_step *step, struct err *e)
{
    struct store_task_page *p = &step->tasks;
    size_t most = page_most(r, p->most);
    sqlite3_stmt *st =
        sql_begin(r->sql, statement_for(p),
                  VALUES(V_INT(p->cursor.n ? p->cursor.n : INT64_MAX), V_MAYBE(p->context),
                         V_MAYBE(p->owner), V_MAYBE(p->agent), V_INT(p->only_live),
                         V_INT(p->only_asking), V_INT((int64_t)most + 1)),
                  e);

    return fill(r, st, p, most, false, e);
}

bool db_tasks_lost(struct run *r, struct store_step *step, struct err *e)
{
    struct store_task_page *p = &step->tasks;
    sqlite3_stmt *st = sql_begin(r->sql,
                                 "SELECT " COLUMNS " FROM tasks INDEXED BY tasks_live"
                                 " WHERE final = 0 AND n > ? ORDER BY n",
                                 VALUES(V_INT(p->cursor.n)), e);

    return fill(r, st, p, page_most(r, p->most), true, e);
}

bool db_task_events(struct run *r, struct store_step *step, struct err *e)
{
    struct task_holder h;

    return find_holder(r, step->events.session, &h, e) &&
           events_page(r,
                       "SELECT place & 0xffffffff, at, kind, body FROM task_events"
                       " WHERE place > ? AND place < ? AND (?4 IS NULL OR kind = ?4)"
                       " ORDER BY place LIMIT ?3",
                       h.n, &step->events, e);
}
