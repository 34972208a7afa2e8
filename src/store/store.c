#include "store/store.h"

#include "base/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

struct store {
    sqlite3 *db;
    int schema;
};

/* Step n brings schema n to n + 1. Steps are never changed, only added. */
static const char *const steps[] = {
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;",
};

enum { SCHEMA = sizeof(steps) / sizeof(steps[0]), BUSY_MS = 2000 };

static bool fail_db(struct store *s, const char *what, struct err *e)
{
    int code = sqlite3_extended_errcode(s->db) & 0xff;

    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return fail(e, ERR_INVALID,
                    "%s: %s; it was left as it is: move it away or restore a backup", what,
                    sqlite3_errmsg(s->db));
    if (code == SQLITE_FULL || (code == SQLITE_IOERR && sqlite3_system_errno(s->db) == ENOSPC))
        return fail(e, ERR_SYSTEM, "%s: the disk is full", what);
    return fail(e, ERR_SYSTEM, "%s: %s", what, sqlite3_errmsg(s->db));
}

static bool run(struct store *s, const char *sql, struct err *e)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail_db(s, "store", e);
}

/* The one integer a statement yields. */
static bool ask(struct store *s, const char *sql, int *out, struct err *e)
{
    sqlite3_stmt *stmt;
    bool ok;

    if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        return fail_db(s, "store", e);
    ok = sqlite3_step(stmt) == SQLITE_ROW || fail_db(s, "store", e);
    if (ok)
        *out = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    return ok;
}

static bool step_up(struct store *s, struct err *e)
{
    char sql[64];

    for (; s->schema < SCHEMA; s->schema++)
        if (!run(s, steps[s->schema], e))
            return false;
    snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", SCHEMA);
    return run(s, sql, e);
}

/* All steps and the note of this opening, or nothing. */
static bool migrate(struct store *s, int64_t now, struct err *e)
{
    char sql[160];

    snprintf(sql, sizeof(sql),
             "INSERT INTO meta VALUES ('opened_ms', '%" PRId64 "')"
             " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
             now);
    if (!run(s, "BEGIN IMMEDIATE", e))
        return false;
    if (ask(s, "PRAGMA user_version", &s->schema, e)) {
        if (s->schema > SCHEMA)
            fail(e, ERR_INVALID, "store: schema %d is newer than this program knows (%d)",
                 s->schema, SCHEMA);
        else if (step_up(s, e) && run(s, sql, e) && run(s, "COMMIT", e))
            return true;
    }
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool set_up(struct store *s, int64_t now, struct err *e)
{
    sqlite3_busy_timeout(s->db, BUSY_MS);
    return run(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -256;",
               e) &&
           migrate(s, now, e);
}

static bool open_db(const char *path, int flags, struct store **out, struct err *e)
{
    struct store *s = MEM_NEW(struct store);

    flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    if (sqlite3_open_v2(path, &s->db, flags, NULL) == SQLITE_OK) {
        *out = s;
        return true;
    }
    fail_db(s, path, e);
    store_close(s);
    return false;
}

bool store_open(const char *path, int64_t now, struct store **out, struct err *e)
{
    struct store *s;

    if (!open_db(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &s, e))
        return false;
    if (!set_up(s, now, e)) {
        fail_in(e, "%s", path);
        store_close(s);
        return false;
    }
    *out = s;
    return true;
}

bool store_look(const char *path, struct store **out, struct err *e)
{
    struct store *s;

    if (!open_db(path, SQLITE_OPEN_READONLY, &s, e))
        return false;
    if (!ask(s, "PRAGMA user_version", &s->schema, e)) {
        fail_in(e, "%s", path);
        store_close(s);
        return false;
    }
    *out = s;
    return true;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    sqlite3_close_v2(s->db);
    mem_free(s);
}

int store_schema(const struct store *s)
{
    return s->schema;
}

bool store_check(struct store *s, struct err *e)
{
    sqlite3_stmt *stmt;
    bool ok;

    if (sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &stmt, NULL) != SQLITE_OK)
        return fail_db(s, "check", e);
    ok = sqlite3_step(stmt) == SQLITE_ROW || fail_db(s, "check", e);
    if (ok && strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") != 0)
        ok = fail(e, ERR_INVALID, "store: %s", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    return ok;
}
