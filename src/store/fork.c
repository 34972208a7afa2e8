/*
 * fork.c - copy a session into a new one, inside the transaction of its batch.
 *
 * The copy ends before the first prompt that has no finished turn yet. Records keep their sequence
 * numbers, because `compact` and `cut` records refer to them. The source is only read, so the verb
 * needs no token and works while another process holds the source. The new session has no holder.
 * Turn states and pre-images are not copied: a fork has nothing to resume and nothing to undo.
 */
#include "store/steps.h"

struct fork_source {
    int64_t n, upto; /* the row; the last sequence number to copy */
    int64_t bytes;   /* of the records to copy */
};

/*
 * The source, if it has the owner that the caller names. The boundary is found backwards from the
 * newest record by the primary key, so a long history costs no scan.
 */
static bool fork_find(struct run *r, const struct store_fork *f, struct fork_source *out,
                      struct err *e)
{
    sqlite3_stmt *st;

    switch (sql_one(r->sql,
                    "SELECT s.n, coalesce((SELECT e.place & 4294967295 FROM events e"
                    " WHERE e.place > coalesce((SELECT f.place FROM events f"
                    "  WHERE f.place BETWEEN s.n << 32 AND (s.n + 1 << 32) - 1 AND f.kind = 'end'"
                    "  ORDER BY f.place DESC LIMIT 1), s.n << 32)"
                    " AND e.place < s.n + 1 << 32 AND e.kind = 'prompt'"
                    " ORDER BY e.place LIMIT 1) - 1, s.last_seq)"
                    " FROM sessions s WHERE s.id = ?1 AND s.owner = ?2",
                    VALUES(V_TEXT(f->from), V_TEXT(f->owner)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return session_missing(f->from, e);
    case SQL_ROW: break;
    }
    *out = (struct fork_source){ .n = sql_int(st, 0), .upto = sql_int(st, 1) };
    sql_end(st);
    return true;
}

/* The copy must fit below limits.store_bytes: its size is known only here, not to room_make. */
static bool fork_measure(struct run *r, struct fork_source *s, struct err *e)
{
    int64_t free;
    sqlite3_stmt *st;

    if (sql_one(r->sql,
                "SELECT coalesce(sum(length(CAST(kind AS BLOB)) + length(CAST(body AS BLOB))), 0)"
                " FROM events"
                " WHERE place BETWEEN ?1 << 32 AND ?1 << 32 | ?2",
                VALUES(V_INT(s->n), V_INT(s->upto)), &st, e) != SQL_ROW)
        return false;
    s->bytes = sql_int(st, 0);
    sql_end(st);
    return room_left(r, s->bytes, &free, e) &&
           (free >= 0 || room_refuse(r, "the session cannot be forked", e));
}

static bool fork_copy(struct run *r, const struct store_fork *f, const struct fork_source *s,
                      struct err *e)
{
    return sql_do(
               r->sql,
               "INSERT INTO sessions (id, agent, cwd, model, mode, title, settings, created,"
               " updated, last_seq, bytes, version, fence, process, lease, owner)"
               " SELECT ?2, agent, cwd, model, mode, title, settings, ?3, ?3, ?4, ?5, 1, 1, '',"
               " 0, owner FROM sessions WHERE n = ?1",
               VALUES(V_INT(s->n), V_TEXT(f->id), V_INT(r->now), V_INT(s->upto), V_INT(s->bytes)),
               e) &&
           sql_do(r->sql,
                  "INSERT INTO events SELECT ?3 << 32 | (place & 4294967295), at, kind, body"
                  " FROM events WHERE place BETWEEN ?1 << 32 AND ?1 << 32 | ?2",
                  VALUES(V_INT(s->n), V_INT(s->upto), V_INT(sqlite3_last_insert_rowid(r->sql->db))),
                  e);
}

bool session_fork_copy(struct run *r, struct store_step *step, struct err *e)
{
    struct store_fork *f = &step->fork;
    struct fork_source s = { 0 };

    if (!fork_find(r, f, &s, e) || !fork_measure(r, &s, e) || !fork_copy(r, f, &s, e))
        return false;
    f->last_seq = s.upto;
    return true;
}
