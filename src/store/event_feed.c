/*
 * event_feed.c - the feed: the events of all tasks, in one order.
 *
 * One process writes at a time, so numbers are assigned in the order of commits: a client that has
 * seen a number misses nothing if it asks for the following ones. A row only refers to the event;
 * it also names its task, because the row number of a deleted task may be reused. The newest row is
 * never deleted, so that its number is not reused.
 */
#include "store/steps.h"

/* Trim the feed after every so many events, too, not only when a task is created. */
enum { TRIM_EVERY = 1024 };

bool feed_append(struct run *r, const struct store_task *t, int64_t n, struct err *e)
{
    int64_t place = (n << 32 | t->last_seq) - (int64_t)t->events;
    bool trim = false;

    for (size_t i = 0; i < t->events; i++) {
        place++;
        if (!t->event[i].feed)
            continue;
        if (!sql_do(r->sql, "INSERT INTO task_feed (place, task) VALUES (?, ?)",
                    VALUES(V_INT(place), V_TEXT(t->id)), e))
            return false;
        trim |= sqlite3_last_insert_rowid(r->sql->db) % TRIM_EVERY == 0;
    }
    return !trim || feed_trim(r, e);
}

bool feed_trim(struct run *r, struct err *e)
{
    return sql_do(r->sql, "DELETE FROM task_feed WHERE n <= (SELECT max(n) FROM task_feed) - ?",
                  VALUES(V_INT(r->limits->task_feed)), e);
}

static void read_row(struct run *r, sqlite3_stmt *st, struct store_feed_event *out)
{
    *out = (struct store_feed_event){
        .n = sql_int(st, 0),
        .task = sql_text(st, 1, r->mem),
        .context = sql_text(st, 2, r->mem),
        .owner = sql_text(st, 3, r->mem),
        .agent = sql_text(st, 4, r->mem),
        .event = { .seq = sql_int(st, 5),
                   .at = sql_int(st, 6),
                   .kind = sql_text(st, 7, r->mem),
                   .body = sql_text(st, 8, r->mem),
                   .feed = true },
    };
}

static bool fill(struct run *r, sqlite3_stmt *st, struct store_feed_page *p, size_t most,
                 struct err *e)
{
    enum sql_got got = SQL_FAILED;
    int64_t bytes = 0;

    p->v = ARENA_ARRAY(r->mem, struct store_feed_event, most);
    p->n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW && p->n < most &&
           bytes < r->limits->store_page_bytes) {
        read_row(r, st, &p->v[p->n]);
        bytes += (int64_t)p->v[p->n++].event.body.n;
    }
    p->more = got == SQL_ROW;
    if (p->more)
        sql_end(st);
    return got != SQL_FAILED;
}

/* Read the newest number first: every event up to it is in this page or in a later one. */
bool db_task_feed(struct run *r, struct store_step *step, struct err *e)
{
    struct store_feed_page *p = &step->feed;
    size_t most = page_most(r, p->most);
    sqlite3_stmt *st;

    if (!sql_ask_int(r->sql, "SELECT coalesce(max(n), 0) FROM task_feed", &p->last, e) ||
        !sql_ask_int(r->sql, "SELECT coalesce(min(n), 0) FROM task_feed", &p->first, e))
        return false;
    st = sql_begin(r->sql,
                   "SELECT f.n, t.id, t.context, t.owner, t.agent, f.place & 0xffffffff, v.at,"
                   " v.kind, v.body FROM task_feed f"
                   " CROSS JOIN tasks t ON t.n = f.place >> 32 AND t.id = f.task"
                   " CROSS JOIN task_events v ON v.place = f.place"
                   " WHERE f.n > ? ORDER BY f.n LIMIT ?",
                   VALUES(V_INT(p->after), V_INT((int64_t)most + 1)), e);
    return fill(r, st, p, most, e);
}
