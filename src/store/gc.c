/*
 * gc.c - deletes old sessions. One request checks the oldest few and deletes some of them, so that
 * no commit takes long; `more` asks for another request.
 */
#include "store/steps.h"

enum { LOOK_AT = 256, DELETE_MOST = 16 };

struct candidate {
    int64_t n, updated, bytes;
    bool in_use;
};

/* The oldest sessions, oldest first. */
static bool find_oldest(struct run *r, struct candidate *v, size_t *n, struct err *e)
{
    enum sql_got got = SQL_FAILED;
    sqlite3_stmt *st = sql_begin(
        r->sql,
        "SELECT n, updated, bytes, process, lease FROM sessions" SESSIONS_WITHOUT_LIVE_TASK
        " ORDER BY updated, n LIMIT ?",
        VALUES(V_INT(LOOK_AT)), e);

    *n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW)
        v[(*n)++] = (struct candidate){ sql_int(st, 0), sql_int(st, 1), sql_int(st, 2),
                                        is_held(r, sql_text(st, 3, r->mem), sql_int(st, 4)) };
    return got == SQL_DONE;
}

bool gc_sessions(struct run *r, struct store_step *step, struct err *e)
{
    struct store_gc *g = &step->gc;
    int64_t oldest = r->now - (g->keep_ms ? g->keep_ms : r->limits->session_keep_ms);
    int64_t most = g->keep_bytes ? g->keep_bytes : r->limits->session_keep_bytes;
    struct candidate *v = ARENA_ARRAY(r->mem, struct candidate, LOOK_AT);
    int64_t total;
    size_t n;

    g->deleted = g->freed = 0;
    g->more = false;
    if (!sql_ask_int(r->sql, "SELECT coalesce(sum(bytes), 0) FROM sessions", &total, e) ||
        !find_oldest(r, v, &n, e))
        return false;
    for (size_t i = 0; i < n && !g->more; i++) {
        if (v[i].in_use || (v[i].updated >= oldest && total <= most))
            continue;
        if (!session_erase(r, v[i].n, e))
            return false;
        total -= v[i].bytes;
        g->freed += v[i].bytes;
        g->more = ++g->deleted == DELETE_MOST;
    }
    return true;
}
