/* memory.c - notes of agents: values under a scope and a key. */
#include "store/steps.h"

#include <inttypes.h>

static bool no_memory(const struct store_memory *m, struct err *e)
{
    return fail(e, ERR_NOT_FOUND, "there is no note " STR_FMT " in " STR_FMT,
                STR_ARG(str_head(m->key, 80)), STR_ARG(str_head(m->scope, 60)));
}

/* Read the version of a note; 0: there is none. */
static bool find_version(struct run *r, const struct store_memory *m, int64_t *out, struct err *e)
{
    sqlite3_stmt *st;
    enum sql_got got = sql_one(r->sql, "SELECT version FROM memory WHERE scope = ? AND key = ?",
                               VALUES(V_TEXT(m->scope), V_TEXT(m->key)), &st, e);

    *out = 0;
    if (got != SQL_ROW)
        return got == SQL_DONE;
    *out = sql_int(st, 0);
    sql_end(st);
    return true;
}

bool memory_put(struct run *r, struct store_step *step, struct err *e)
{
    struct store_memory *m = &step->memory;
    int64_t version;

    if (!find_version(r, m, &version, e))
        return false;
    if (m->version && m->version != version)
        return fail(e, ERR_INVALID,
                    STR_FMT " has changed: it has version %" PRId64 ", not %" PRId64,
                    STR_ARG(str_head(m->key, 80)), version, m->version);
    if (!sql_do(r->sql,
                "INSERT INTO memory VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (scope, key)"
                " DO UPDATE SET value = ?3, updated = ?4, version = ?5",
                VALUES(V_TEXT(m->scope), V_TEXT(m->key), V_TEXT(m->value), V_INT(r->now),
                       V_INT(version + 1)),
                e))
        return false;
    m->version = version + 1;
    m->updated = r->now;
    return true;
}

bool memory_delete(struct run *r, struct store_step *step, struct err *e)
{
    const struct store_memory *m = &step->memory;

    return sql_do(r->sql, "DELETE FROM memory WHERE scope = ? AND key = ?",
                  VALUES(V_TEXT(m->scope), V_TEXT(m->key)), e) &&
           (sqlite3_changes(r->sql->db) || no_memory(m, e));
}

static void read_memory(struct run *r, sqlite3_stmt *st, struct store_memory *m)
{
    m->key = sql_text(st, 0, r->mem);
    m->value = sql_text(st, 1, r->mem);
    m->updated = sql_int(st, 2);
    m->version = sql_int(st, 3);
}

bool memory_get(struct run *r, struct store_step *step, struct err *e)
{
    struct store_memory *m = &step->memory;
    sqlite3_stmt *st;

    switch (sql_one(r->sql,
                    "SELECT key, value, updated, version FROM memory WHERE scope = ? AND key = ?",
                    VALUES(V_TEXT(m->scope), V_TEXT(m->key)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return no_memory(m, e);
    case SQL_ROW: break;
    }
    read_memory(r, st, m);
    sql_end(st);
    return true;
}

bool memory_list(struct run *r, struct store_step *step, struct err *e)
{
    struct store_memory_page *p = &step->memories;
    size_t most = page_most(r, p->most);
    int64_t bytes = 0;
    enum sql_got got = SQL_FAILED;
    sqlite3_stmt *st = sql_begin(
        r->sql,
        "SELECT key, value, updated, version FROM memory WHERE scope = ?1 AND"
        " (?2 IS NULL OR key > ?2) AND (?3 IS NULL OR"
        " instr(lower(key), lower(?3)) OR instr(lower(value), lower(?3)))"
        " ORDER BY key LIMIT ?4",
        VALUES(V_TEXT(p->scope), V_MAYBE(p->after), V_MAYBE(p->text), V_INT((int64_t)most + 1)), e);

    p->v = ARENA_ARRAY(r->mem, struct store_memory, most);
    p->n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW && p->n < most &&
           bytes < r->limits->store_page_bytes) {
        struct store_memory *m = &p->v[p->n++];

        m->scope = p->scope;
        read_memory(r, st, m);
        bytes += (int64_t)m->value.n;
    }
    p->more = got == SQL_ROW;
    if (p->more)
        sql_end(st);
    return got != SQL_FAILED;
}
