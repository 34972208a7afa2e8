#include "store/import.h"

#include "base/auto.h"
#include "base/clock.h"
#include "core/principal.h"
#include "store/schema.h"
#include "store/sql.h"

enum { PATIENCE_MS = 5000, TITLE_MOST = 200, NAME_MOST = 64 };

/* ---- untrusted databases --------------------------------------------------------------------- */

/* Nothing in the schema may call functions with effects, write the schema, or be very long. */
static bool open_wary(struct sql *s, const char *path, enum sql_mode mode,
                      const struct limits *limits, struct err *e)
{
    if (!sql_open(s, path, mode, PATIENCE_MS, e))
        return false;
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, (int)limits->store_value_bytes + (1 << 20));
    if (sql_exec(s, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", e))
        return true;
    fail_in(e, "%s", path);
    sql_close(s);
    return false;
}

/* ---- checking the schema --------------------------------------------------------------------- */

/* The whole schema as one text. */
static bool schema_text(struct sql *s, struct arena *mem, struct str *out, struct err *e)
{
    sqlite3_stmt *st;

    switch (sql_one(s,
                    "SELECT group_concat(type || ' ' || name || ' ' || tbl_name || ' ' ||"
                    " coalesce(sql, ''), char(10)) FROM (SELECT * FROM sqlite_schema"
                    " ORDER BY type, name)",
                    NULL, 0, &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return fail(e, ERR_INVALID, "there is no schema");
    case SQL_ROW: break;
    }
    *out = sql_text(st, 0, mem);
    sql_end(st);
    return true;
}

static bool expected_text(int version, struct arena *mem, struct str *out, struct err *e)
{
    struct sql fresh;
    bool ok;

    if (!sql_open(&fresh, ":memory:", SQL_WRITE, PATIENCE_MS, e))
        return false;
    ok = schema_raise(&fresh, version, e) && schema_text(&fresh, mem, out, e);
    sql_close(&fresh);
    return ok;
}

/* A database with an additional view, trigger or column is rejected. */
static bool check_schema(struct sql *s, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct str has, wants;
    int version;

    if (!schema_read(s, &version, e))
        return false;
    if (version < 2 || version > schema_newest)
        return fail(e, ERR_INVALID, "it has schema %d; this program imports schemas 2 to %d",
                    version, schema_newest);
    if (!schema_text(s, &mem, &has, e) || !expected_text(version, &mem, &wants, e))
        return false;
    return str_eq(has, wants) || fail(e, ERR_INVALID, "its schema is not a trefoil schema");
}

static bool check_integrity(struct sql *s, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    sqlite3_stmt *st;
    struct str said;

    switch (sql_one(s, "PRAGMA integrity_check(1)", NULL, 0, &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return true;
    case SQL_ROW: break;
    }
    said = sql_text(st, 0, &mem);
    sql_end(st);
    return str_eq(said, STR("ok")) ||
           fail(e, ERR_INVALID, "it is damaged: " STR_FMT, STR_ARG(str_head(said, 100)));
}

/* ---- contents -------------------------------------------------------------------------------- */

static bool count_all(struct sql *s, struct store_import *out, struct err *e)
{
    return sql_ask_int(s, "SELECT count(*) FROM sessions", &out->sessions, e) &&
           sql_ask_int(s, "SELECT count(*) FROM events", &out->records, e) &&
           sql_ask_int(s, "SELECT count(*) FROM tasks", &out->tasks, e) &&
           sql_ask_int(s, "SELECT count(*) FROM tasks WHERE final = 0", &out->unfinished, e) &&
           sql_ask_int(s, "SELECT count(*) FROM task_answers", &out->answers, e) &&
           sql_ask_int(s, "SELECT count(*) FROM locks", &out->locks, e) &&
           sql_ask_int(s, "SELECT count(*) FROM memory", &out->notes, e);
}

bool store_import_look(const char *path, const struct limits *limits, struct store_import *out,
                       struct err *e)
{
    struct sql s;
    bool ok;

    *out = (struct store_import){ 0 };
    if (!open_wary(&s, path, SQL_WRITE, limits, e))
        return false;
    ok = check_schema(&s, e) && check_integrity(&s, e) && schema_raise(&s, schema_newest, e) &&
         count_all(&s, out, e);
    sql_close(&s);
    return ok;
}

/* ---- copying --------------------------------------------------------------------------------- */

/*
 * Ids become names of files, so they must look like ours. Events after the last finished turn are
 * not imported: no interrupted work continues.
 */
static const char choose[] =
    "CREATE TEMP TABLE chosen AS SELECT s.n AS n, s.id AS id,"
    " (SELECT max(e.place) FROM old.events e WHERE e.kind = 'end'"
    "  AND e.place BETWEEN s.n << 32 AND (s.n + 1 << 32) - 1) AS upto"
    " FROM old.sessions s WHERE s.n BETWEEN 1 AND 2147483646 AND length(s.id) = 36"
    " AND s.id NOT GLOB '*[^0-9a-f-]*' AND s.id NOT IN (SELECT id FROM main.sessions);"
    "DELETE FROM temp.chosen WHERE upto IS NULL";

static bool copy_sessions(struct sql *s, struct store_import *out, struct err *e)
{
    struct principal self = principal_self(ORIGIN_NONE);

    if (!sql_do(s,
                "INSERT INTO main.sessions (id, agent, cwd, model, mode, title, settings, created,"
                " updated, last_seq, bytes, version, fence, process, lease, owner)"
                " SELECT id, substr(agent, 1, ?3), '', '',"
                " CASE mode WHEN 'read-only' THEN mode ELSE 'read-write' END,"
                " substr(title, 1, ?4), '', max(0, min(created, ?1)), max(0, min(updated, ?1)),"
                " 0, 0, 1, 1, '', 0, ?2 FROM old.sessions WHERE id IN (SELECT id FROM temp.chosen)",
                VALUES(V_INT(clock_wall_ms()), V_TEXT(str_of(self.name)), V_INT(NAME_MOST),
                       V_INT(TITLE_MOST)),
                e))
        return false;
    out->imported = sqlite3_changes(s->db);
    return true;
}

static bool copy_records(struct sql *s, const struct limits *limits, struct store_import *out,
                         struct err *e)
{
    if (!sql_do(s,
                "INSERT INTO main.events (place, at, kind, body)"
                " SELECT m.n << 32 | (e.place & 4294967295), max(0, min(e.at, ?1)), e.kind,"
                " CASE e.kind WHEN 'prompt' THEN json_set(e.body, '$.from', 'import')"
                " ELSE e.body END"
                " FROM temp.chosen c JOIN main.sessions m ON m.id = c.id"
                " JOIN old.events e ON e.place BETWEEN c.n << 32 AND c.upto"
                " WHERE e.kind IN ('prompt', 'answer', 'result', 'compact', 'cut', 'end', 'undo',"
                " 'plan', 'artifact', 'notice') AND length(CAST(e.body AS BLOB)) <= ?2"
                " AND json_valid(e.body) AND json_type(e.body) = 'object'",
                VALUES(V_INT(clock_wall_ms()), V_INT(limits->store_value_bytes)), e))
        return false;
    out->imported_records = sqlite3_changes(s->db);
    return true;
}

static bool set_sizes(struct sql *s, struct err *e)
{
    return sql_exec(
        s,
        "UPDATE main.sessions SET (last_seq, bytes) = (SELECT coalesce(max(place & 4294967295), 0),"
        " coalesce(sum(length(CAST(body AS BLOB))), 0) FROM main.events"
        " WHERE place BETWEEN sessions.n << 32 AND (sessions.n + 1 << 32) - 1)"
        " WHERE id IN (SELECT id FROM temp.chosen)",
        e);
}

static bool copy_all(struct sql *s, const struct limits *limits, struct store_import *out,
                     struct err *e)
{
    if (sql_exec(s, "BEGIN IMMEDIATE", e) && sql_exec(s, choose, e) && copy_sessions(s, out, e) &&
        copy_records(s, limits, out, e) && set_sizes(s, e) && sql_exec(s, "COMMIT", e))
        return true;
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool store_import_copy(const char *path, const char *to, const struct limits *limits,
                       struct store_import *out, struct err *e)
{
    struct sql s;
    bool ok;

    if (!open_wary(&s, to, SQL_WRITE, limits, e))
        return false;
    ok = sql_do(&s, "ATTACH ? AS old", VALUES(V_TEXT(str_of(path))), e) &&
         copy_all(&s, limits, out, e);
    sql_close(&s);
    return ok;
}
