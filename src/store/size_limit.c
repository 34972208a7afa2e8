/*
 * size_limit.c - keep the database below limits.store_bytes.
 *
 * Before a batch writes, the oldest data is deleted until the batch fits: tasks that have ended,
 * and sessions that no process holds and no live task needs. If not enough can be deleted, new work
 * is rejected earlier than running work, so that running work can end. Rejected are:
 *
 *   new tasks         if less than the reserve, a fixed part of the limit, is free
 *   new sessions      if nothing is free
 *   longer sessions   if they exceed the limit by more than the reserve
 *   changed tasks     never: a task must be able to fail
 */
#include "store/steps.h"

#include <inttypes.h>

enum {
    PART = 8,
    RECENT_MS = 5000, /* keep a task that has just ended: its result is about to be fetched */
};

struct room_victim {
    int64_t n, since; /* the row; when it was last changed */
    bool found;
};

/* ---- sizes ---------------------------------------------------------------------------------- */

static int64_t events_bytes(const struct store_event *v, size_t n)
{
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += v[i].body.n;
    return (int64_t)bytes;
}

static int64_t task_bytes(const struct store_task *t)
{
    return (int64_t)(t->text.n + t->spec.n + t->result.n + t->asks.n) +
           events_bytes(t->event, t->events);
}

int64_t room_needed(const struct store_step *step)
{
    if (step->what == STORE_APPEND)
        return events_bytes(step->append.event, step->append.events);
    if (step->what == STORE_IMAGE_PUT)
        return (int64_t)step->image.content.n;
    if (step->what == STORE_MEMORY_PUT)
        return (int64_t)step->memory.value.n;
    if (step->what == STORE_TURN_WRITE)
        return (int64_t)(step->turn.calls.n + step->turn.results.n);
    if (step->what == STORE_TASK_CREATE || step->what == STORE_TASK_UPDATE)
        return task_bytes(&step->task);
    return 0;
}

/* The bytes of the file that are in use. Free pages are reused before the file grows. */
static bool room_find_used(struct run *r, int64_t *used, struct err *e)
{
    int64_t pages, free_pages, page;

    if (!sql_ask_int(r->sql, "PRAGMA page_count", &pages, e) ||
        !sql_ask_int(r->sql, "PRAGMA freelist_count", &free_pages, e) ||
        !sql_ask_int(r->sql, "PRAGMA page_size", &page, e))
        return false;
    *used = (pages - free_pages) * page;
    return true;
}

/* ---- what to delete ------------------------------------------------------------------------- */

static bool find_task(struct run *r, struct room_victim *out, struct err *e)
{
    sqlite3_stmt *st;

    *out = (struct room_victim){ 0 };
    switch (sql_one(r->sql,
                    "SELECT n, ended FROM tasks INDEXED BY tasks_ended"
                    " WHERE final = 1 AND ended < ? ORDER BY ended LIMIT 1",
                    VALUES(V_INT(r->now - RECENT_MS)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return true;
    case SQL_ROW: break;
    }
    *out = (struct room_victim){ sql_int(st, 0), sql_int(st, 1), true };
    sql_end(st);
    return true;
}

static bool find_session(struct run *r, struct room_victim *out, struct err *e)
{
    sqlite3_stmt *st =
        sql_begin(r->sql,
                  "SELECT n, updated, process, lease FROM sessions" SESSIONS_WITHOUT_LIVE_TASK
                  " ORDER BY updated, n",
                  NULL, 0, e);
    enum sql_got got = SQL_FAILED;

    *out = (struct room_victim){ 0 };
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW) {
        if (is_held(r, sql_text(st, 2, r->mem), sql_int(st, 3)))
            continue;
        *out = (struct room_victim){ sql_int(st, 0), sql_int(st, 1), true };
        sql_end(st);
        return true;
    }
    return got == SQL_DONE;
}

/* Delete the oldest task or session. *left: something was deleted. */
static bool erase_oldest(struct run *r, bool *left, struct err *e)
{
    struct room_victim task, session;

    if (!find_task(r, &task, e) || !find_session(r, &session, e))
        return false;
    *left = task.found || session.found;
    if (task.found && (!session.found || task.since <= session.since))
        return task_erase(r, task.n, e);
    return !session.found || session_erase(r, session.n, e);
}

/* ---- room ----------------------------------------------------------------------------------- */

bool room_make(struct run *r, int64_t needed, int64_t *free, struct err *e)
{
    int64_t most = r->limits->store_bytes - needed, spare = r->limits->store_bytes / PART, used;
    bool left = true;

    if (!room_find_used(r, &used, e))
        return false;
    while (most - used < spare && left)
        if (!erase_oldest(r, &left, e) || !room_find_used(r, &used, e))
            return false;
    *free = most - used;
    return true;
}

bool room_left(struct run *r, int64_t needed, int64_t *free, struct err *e)
{
    int64_t used;

    if (!room_find_used(r, &used, e))
        return false;
    *free = r->limits->store_bytes - used - needed;
    return true;
}

bool room_refuse(const struct run *r, const char *what, struct err *e)
{
    return fail(e, ERR_LIMIT,
                "%s: the store has reached its maximum size (limits.store_bytes is %" PRId64
                ") and all of its data is in use: end a session or a task, or raise the limit",
                what, r->limits->store_bytes);
}

bool room_admits(const struct run *r, const struct store_step *step, int64_t free, struct err *e)
{
    int64_t part = r->limits->store_bytes / PART;

    if (step->what == STORE_TASK_CREATE && free < part)
        return room_refuse(r, "cannot create a task", e);
    if ((step->what == STORE_SESSION_CREATE || step->what == STORE_SESSION_FORK) && free < 0)
        return room_refuse(r, "cannot create a session", e);
    if ((step->what == STORE_APPEND || step->what == STORE_IMAGE_PUT ||
         step->what == STORE_MEMORY_PUT) &&
        free < -part)
        return room_refuse(r, "cannot store more data", e);
    return true;
}
