/* turns.c - states of turns, and pre-images of the files that they changed. */
#include "store/steps.h"

static const struct session_growth nothing = { 0, 0 };

/* Two statements instead of RETURNING, as in session_touch. */
bool turn_write(struct run *r, struct store_step *step, struct err *e)
{
    struct store_turn *t = &step->turn;
    int64_t n, seq;
    sqlite3_stmt *st;

    if (!session_touch(r, t->session, t->fence, nothing, &n, &seq, e) ||
        !sql_do(r->sql,
                "INSERT INTO turns (session, turn, state, calls, results, finished, updated,"
                " version, fence) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8)"
                " ON CONFLICT (session, turn) DO UPDATE SET state = ?3, calls = ?4, results = ?5,"
                " finished = ?6, updated = ?7, version = version + 1, fence = ?8",
                VALUES(V_INT(n), V_TEXT(t->turn), V_TEXT(t->state), V_TEXT(t->calls),
                       V_TEXT(t->results), V_INT(t->finished), V_INT(r->now), V_INT(t->fence)),
                e) ||
        sql_one(r->sql, "SELECT version FROM turns WHERE session = ? AND turn = ?",
                VALUES(V_INT(n), V_TEXT(t->turn)), &st, e) != SQL_ROW)
        return false;
    t->updated = r->now;
    t->version = sql_int(st, 0);
    sql_end(st);
    return true;
}

#define COLUMNS                                                                                    \
    "t.n, s.id, t.turn, t.fence, t.state, t.calls, t.results, t.finished, t.updated, t.version,"   \
    " s.process, s.lease FROM turns t JOIN sessions s ON s.n = t.session"

static void read_turn(struct run *r, sqlite3_stmt *st, struct store_turn *t)
{
    *t = (struct store_turn){
        .session = sql_text(st, 1, r->mem),
        .turn = sql_text(st, 2, r->mem),
        .fence = sql_int(st, 3),
        .state = sql_text(st, 4, r->mem),
        .calls = sql_text(st, 5, r->mem),
        .results = sql_text(st, 6, r->mem),
        .finished = sql_int(st, 7) != 0,
        .updated = sql_int(st, 8),
        .version = sql_int(st, 9),
        .in_use = is_held(r, sql_text(st, 10, r->mem), sql_int(st, 11)),
    };
}

bool turn_load(struct run *r, struct store_step *step, struct err *e)
{
    struct store_turn *t = &step->turn;
    sqlite3_stmt *st;

    switch (sql_one(r->sql, "SELECT " COLUMNS " WHERE s.id = ? AND t.turn = ?",
                    VALUES(V_TEXT(t->session), V_TEXT(t->turn)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE:
        return fail(e, ERR_NOT_FOUND, "session " STR_FMT " has no turn " STR_FMT,
                    STR_ARG(str_head(t->session, 80)), STR_ARG(str_head(t->turn, 80)));
    case SQL_ROW: break;
    }
    read_turn(r, st, t);
    sql_end(st);
    return true;
}

bool turns_unfinished(struct run *r, struct store_step *step, struct err *e)
{
    struct store_turn_page *p = &step->turns;
    size_t most = page_most(r, p->most);
    enum sql_got got = SQL_FAILED;
    sqlite3_stmt *st = sql_begin(
        r->sql, "SELECT " COLUMNS " WHERE t.finished = 0 AND t.n > ? ORDER BY t.n LIMIT ?",
        VALUES(V_INT(p->after), V_INT((int64_t)most + 1)), e);

    p->v = ARENA_ARRAY(r->mem, struct store_turn, most);
    p->n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW && p->n < most) {
        p->after = sql_int(st, 0);
        read_turn(r, st, &p->v[p->n++]);
    }
    p->more = got == SQL_ROW;
    if (p->more)
        sql_end(st);
    return got != SQL_FAILED;
}

/* ---- pre-images ----------------------------------------------------------------------------- */

/* An empty file exists, so its content is not NULL. */
static struct str content_of(const struct store_image *i)
{
    if (i->absent)
        return STR_NONE;
    return i->content.p ? i->content : STR("");
}

/* Update the size of a session after pre-images were added or deleted. */
static bool weigh(struct run *r, int64_t n, int64_t more, struct err *e)
{
    return sql_do(r->sql, "UPDATE sessions SET bytes = bytes + ?2 WHERE n = ?1",
                  VALUES(V_INT(n), V_INT(more)), e);
}

bool image_put(struct run *r, struct store_step *step, struct err *e)
{
    const struct store_image *i = &step->image;
    struct str content = content_of(i);
    int64_t n, seq;

    if (!session_touch(r, i->session, i->fence, nothing, &n, &seq, e) ||
        !sql_do(r->sql,
                "INSERT INTO images (session, turn, path, mode, content) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (session, turn, path) DO NOTHING",
                VALUES(V_INT(n), V_TEXT(i->turn), V_TEXT(i->path), V_INT(i->mode), V_BLOB(content)),
                e))
        return false;
    return !sqlite3_changes(r->sql->db) || weigh(r, n, (int64_t)content.n, e);
}

bool images_delete(struct run *r, struct store_step *step, struct err *e)
{
    const struct store_image *i = &step->image;
    int64_t n, seq, bytes;
    sqlite3_stmt *st;

    if (!session_touch(r, i->session, i->fence, nothing, &n, &seq, e) ||
        sql_one(r->sql,
                "SELECT coalesce(sum(length(content)), 0) FROM images"
                " WHERE session = ? AND turn = ?",
                VALUES(V_INT(n), V_TEXT(i->turn)), &st, e) != SQL_ROW)
        return false;
    bytes = sql_int(st, 0);
    sql_end(st);
    return sql_do(r->sql, "DELETE FROM images WHERE session = ? AND turn = ?",
                  VALUES(V_INT(n), V_TEXT(i->turn)), e) &&
           weigh(r, n, -bytes, e);
}

static bool last_turn(struct run *r, int64_t n, struct str *turn, struct err *e)
{
    sqlite3_stmt *st;

    switch (sql_one(r->sql, "SELECT turn FROM images WHERE session = ? ORDER BY n DESC LIMIT 1",
                    VALUES(V_INT(n)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return true;
    case SQL_ROW: break;
    }
    *turn = sql_text(st, 0, r->mem);
    sql_end(st);
    return true;
}

static sqlite3_stmt *begin_images(struct run *r, const struct store_image_page *p, int64_t n,
                                  size_t most, struct err *e)
{
    int64_t from = p->newest_first && !p->after ? INT64_MAX : p->after;

    return sql_begin(r->sql,
                     p->newest_first
                         ? "SELECT n, path, mode, content FROM images"
                           " WHERE session = ? AND turn = ? AND n < ? ORDER BY n DESC LIMIT ?"
                         : "SELECT n, path, mode, content FROM images"
                           " WHERE session = ? AND turn = ? AND n > ? ORDER BY n LIMIT ?",
                     VALUES(V_INT(n), V_TEXT(p->turn), V_INT(from), V_INT((int64_t)most + 1)), e);
}

static struct store_image read_image(struct run *r, const struct store_image_page *p,
                                     sqlite3_stmt *st)
{
    struct str content = sql_text(st, 3, r->mem);

    return (struct store_image){
        .session = p->session,
        .turn = p->turn,
        .path = sql_text(st, 1, r->mem),
        .mode = sql_int(st, 2),
        .content = content,
        .absent = !content.p,
    };
}

bool images_load(struct run *r, struct store_step *step, struct err *e)
{
    struct store_image_page *p = &step->images;
    size_t most = page_most(r, p->most);
    int64_t n, bytes = 0;
    enum sql_got got = SQL_FAILED;
    sqlite3_stmt *st;

    if (!session_find(r, p->session, &n, e) || (!p->turn.p && !last_turn(r, n, &p->turn, e)))
        return false;
    st = begin_images(r, p, n, most, e);
    p->v = ARENA_ARRAY(r->mem, struct store_image, most);
    p->n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW && p->n < most &&
           bytes < r->limits->store_page_bytes) {
        p->after = sql_int(st, 0);
        p->v[p->n] = read_image(r, p, st);
        bytes += (int64_t)p->v[p->n++].content.n;
    }
    p->more = got == SQL_ROW;
    if (p->more)
        sql_end(st);
    return got != SQL_FAILED;
}
