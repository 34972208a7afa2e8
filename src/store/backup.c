/*
 * backup.c - check or back up an open store. Both use separate read-only connections, so commits
 * continue. SQLite keeps their snapshot until they are done.
 */
#include "base/auto.h"
#include "base/id.h"
#include "store/sql.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

enum { PATIENCE_MS = 5000 };

/* ---- the brake ------------------------------------------------------------------------------ */

void store_brake_pull(struct store_brake *b)
{
    pthread_mutex_lock(&b->lock);
    b->pulled = true;
    if (b->db)
        sqlite3_interrupt(b->db);
    pthread_mutex_unlock(&b->lock);
}

/* Set the connection that the brake interrupts; NULL: none. False: the brake was pulled. */
static bool put_under(struct store_brake *b, sqlite3 *db)
{
    bool pulled;

    if (!b)
        return true;
    pthread_mutex_lock(&b->lock);
    b->db = db;
    pulled = b->pulled;
    pthread_mutex_unlock(&b->lock);
    return !pulled;
}

/*
 * A process that was killed while it created the database has left a journal. Only a connection
 * that may write can roll it back, and does so before it reads anything.
 */
static bool open_to_read(struct sql *s, const char *path, struct err *e)
{
    int64_t ignored;

    if (!sql_open(s, path, SQL_READ, PATIENCE_MS, e))
        return false;
    if (sql_ask_int(s, "PRAGMA schema_version", &ignored, e) ||
        sqlite3_extended_errcode(s->db) != SQLITE_READONLY_ROLLBACK)
        return true; /* other errors are reported later */
    sql_close(s);
    return sql_open(s, path, SQL_WRITE, PATIENCE_MS, e);
}

typedef bool long_fn(struct sql *s, const char *to, struct err *e);

/* Run fn with a read-only connection. If the brake was pulled, its result is ignored. */
static bool run_under(struct store_brake *b, const char *path, long_fn *fn, const char *to,
                      struct err *e)
{
    struct sql s;
    bool ok;

    if (!open_to_read(&s, path, e))
        return false;
    ok = put_under(b, s.db) && (fn(&s, to, e) || fail_in(e, "%s", path));
    if (!put_under(b, NULL))
        ok = fail(e, ERR_CANCELED, "%s: interrupted", path);
    sql_close(&s);
    return ok;
}

/* ---- the check ------------------------------------------------------------------------------ */

/* Read the first problem that quick_check reports, or "ok". */
static bool quick_check(struct sql *s, const char *to, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    sqlite3_stmt *st;
    struct str said;

    (void)to;
    switch (sql_one(s, "PRAGMA quick_check(1)", NULL, 0, &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE: return true;
    case SQL_ROW: break;
    }
    said = sql_text(st, 0, &mem);
    sql_end(st);
    if (str_eq(said, STR("ok")))
        return true;
    return fail(e, ERR_INVALID, STR_FMT "; the database was not changed: restore a backup",
                STR_ARG(str_head(said, 100)));
}

bool store_file_check(const char *path, struct store_brake *brake, struct err *e)
{
    return run_under(brake, path, quick_check, NULL, e);
}

/* ---- backup --------------------------------------------------------------------------------- */

/* SQLite writes into an existing empty file, so create one that only the user can read. */
static bool make_empty(const char *path, struct err *e)
{
    AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    return fd >= 0 || fail_sys(e, "make %s", path);
}

static bool copy_into(struct sql *s, const char *to, struct err *e)
{
    return sql_do(s, "VACUUM INTO ?", VALUES(V_TEXT(str_of(to))), e);
}

static bool sync_file(const char *path, struct err *e)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);

    return (fd >= 0 && fsync(fd) == 0) || fail_sys(e, "sync %s", path);
}

/* Rename the complete copy to its name, which must not exist. */
static bool put_in_place(const char *part, const char *to, struct err *e)
{
    if (renameat2(AT_FDCWD, part, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno == EEXIST)
        return fail(e, ERR_INVALID, "%s exists; name a file that does not", to);
    return fail_sys(e, "rename %s to %s", part, to);
}

bool store_file_backup(const char *path, const char *to, struct store_brake *brake, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct stat st;
    const char *part;
    uint32_t any;

    if (lstat(to, &st) == 0)
        return fail(e, ERR_INVALID, "%s exists; name a file that does not", to);
    id_random(&any, sizeof(any));
    part = arena_printf(&mem, "%s.%08x.part", to, any).p;
    if (!make_empty(part, e))
        return false;
    if (run_under(brake, path, copy_into, part, e) && sync_file(part, e) &&
        put_in_place(part, to, e))
        return true;
    unlink(part);
    return false;
}
