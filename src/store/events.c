/* events.c - appends events of sessions and tasks, and reads them in pages. */
#include "store/steps.h"

static int64_t place_of(int64_t n, int64_t seq)
{
    return n << 32 | seq;
}

bool events_insert(struct run *r, const char *statement, int64_t n, int64_t last_seq, int64_t at,
                   const struct store_event *v, size_t count, struct err *e)
{
    int64_t place = place_of(n, last_seq - (int64_t)count);

    for (size_t i = 0; i < count; i++)
        if (!sql_do(r->sql, statement,
                    VALUES(V_INT(++place), V_INT(at), V_TEXT(v[i].kind), V_TEXT(v[i].body)), e))
            return false;
    return true;
}

bool events_append(struct run *r, struct store_step *step, struct err *e)
{
    struct store_append *a = &step->append;
    struct session_growth by = { .events = (int64_t)a->events };
    int64_t n;

    for (size_t i = 0; i < a->events; i++)
        by.bytes += (int64_t)(a->event[i].body.n + a->event[i].kind.n);
    return session_touch(r, a->session, a->fence, by, &n, &a->last_seq, e) &&
           events_insert(r, "INSERT INTO events VALUES (?, ?, ?, ?)", n, a->last_seq, r->now,
                         a->event, a->events, e);
}

/* A page ends after `most` events, or with the event that exceeds the limit of bytes. */
bool events_page(struct run *r, const char *statement, int64_t n, struct store_event_page *p,
                 struct err *e)
{
    size_t most = page_most(r, p->most);
    int64_t bytes = 0;
    enum sql_got got = SQL_FAILED;
    sqlite3_stmt *st = sql_begin(r->sql, statement,
                                 VALUES(V_INT(place_of(n, p->after)), V_INT(place_of(n + 1, 0)),
                                        V_INT((int64_t)most + 1), V_MAYBE(p->kind)),
                                 e);

    p->v = ARENA_ARRAY(r->mem, struct store_event, most);
    p->n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW && p->n < most &&
           bytes < r->limits->store_page_bytes) {
        struct store_event *event = &p->v[p->n++];

        *event = (struct store_event){ .seq = sql_int(st, 0),
                                       .at = sql_int(st, 1),
                                       .kind = sql_text(st, 2, r->mem),
                                       .body = sql_text(st, 3, r->mem) };
        bytes += (int64_t)event->body.n;
    }
    p->more = got == SQL_ROW;
    if (p->more)
        sql_end(st);
    return got != SQL_FAILED;
}

bool events_load(struct run *r, struct store_step *step, struct err *e)
{
    int64_t n;

    return session_find(r, step->events.session, &n, e) &&
           events_page(r,
                       "SELECT place & 0xffffffff, at, kind, body FROM events"
                       " WHERE place > ? AND place < ? AND (?4 IS NULL OR kind = ?4)"
                       " ORDER BY place LIMIT ?3",
                       n, &step->events, e);
}
