#include "store/sql.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The errno of a failure. After a failed commit, only the file that was written still has it. */
static int errno_of(struct sql *s)
{
    int sys = sqlite3_system_errno(s->db);
    sqlite3_file *log = NULL;

    if (!sys)
        sqlite3_file_control(s->db, NULL, SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log && log->pMethods)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &sys);
    if (!sys)
        sqlite3_file_control(s->db, NULL, SQLITE_FCNTL_LAST_ERRNO, &sys);
    return sys;
}

/* SQLite opens a database on a read-only mount for reading only, without a reason. */
static bool is_read_only_mount(struct sql *s, int sys)
{
    const char *path = s->db ? sqlite3_db_filename(s->db, "main") : NULL;
    struct statvfs fs;

    return sys == EROFS || (path && statvfs(path, &fs) == 0 && (fs.f_flag & ST_RDONLY));
}

static bool fail_read_only(struct sql *s, const char *what, struct err *e)
{
    const char *path = s->db ? sqlite3_db_filename(s->db, "main") : NULL;

    return fail(e, ERR_SYSTEM, "%s: %s%sRead-only file system (EROFS)", what,
                path && strcmp(path, what) != 0 ? path : "",
                path && strcmp(path, what) != 0 ? ": " : "");
}

bool sql_fail(struct sql *s, const char *what, struct err *e)
{
    int code = sqlite3_extended_errcode(s->db), sys = errno_of(s);
    const char *text = sqlite3_errmsg(s->db);

    if ((code & 0xff) == SQLITE_CONSTRAINT)
        return fail(e, ERR_INVALID, "%s: %s", what, text);
    s->broke = true;
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        s->corrupt = true;
        return fail(e, ERR_INVALID,
                    "%s: %s; the file was not changed: move it away or restore a backup", what,
                    text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fail(e, ERR_TIMEOUT, "%s: the database is locked by another process", what);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        if (is_read_only_mount(s, sys))
            return fail_read_only(s, what, e);
        return fail(e, ERR_SYSTEM, "%s: the database or its directory is not writable", what);
    case SQLITE_CANTOPEN:
        if (is_read_only_mount(s, sys))
            return fail_read_only(s, what, e);
        return fail(e, sys == EACCES ? ERR_DENIED : ERR_SYSTEM, "%s: cannot open the database%s%s",
                    what, sys ? ": " : "", sys ? strerror(sys) : "");
    case SQLITE_FULL: return fail(e, ERR_SYSTEM, "%s: the disk is full", what);
    case SQLITE_IOERR:
        if (sys == ENOSPC || sys == EDQUOT || sys == EFBIG)
            return fail(e, ERR_SYSTEM, "%s: the disk is full", what);
        if (sys == EROFS)
            return fail_read_only(s, what, e);
        return fail(e, ERR_SYSTEM, "%s: %s: %s", what, text, sys ? strerror(sys) : "no reason");
    }
    return fail(e, ERR_SYSTEM, "%s: %s", what, text);
}

/*
 * SQLite would create the file readable for all users; its other files get the mode of this one.
 * Only a missing file is opened here: closing a database file loses the locks that this process has
 * on it.
 */
static bool create_private(const char *path, struct err *e)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno == EEXIST || fail_sys(e, "create %.150s", path);
}

static pthread_once_t configured = PTHREAD_ONCE_INIT;

/* Without statistics about memory, SQLite needs no lock for each allocation. */
static void configure(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

bool sql_open(struct sql *s, const char *path, enum sql_mode mode, int64_t busy_ms, struct err *e)
{
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;

    pthread_once(&configured, configure);
    *s = (struct sql){ 0 };
    flags |= mode == SQL_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (mode == SQL_CREATE && !create_private(path, e))
        return false;
    if (sqlite3_open_v2(path, &s->db, flags, NULL) == SQLITE_OK) {
        sqlite3_busy_timeout(s->db, (int)busy_ms);
        return true;
    }
    sql_fail(s, path, e);
    sql_close(s);
    return false;
}

void sql_close(struct sql *s)
{
    for (size_t i = 0; i < s->count; i++)
        sqlite3_finalize(s->made[i].st);
    sqlite3_close(s->db);
    *s = (struct sql){ 0 };
}

bool sql_exec(struct sql *s, const char *text, struct err *e)
{
    return sqlite3_exec(s->db, text, NULL, NULL, NULL) == SQLITE_OK || sql_fail(s, "store", e);
}

/* ---- statements ----------------------------------------------------------------------------- */

static sqlite3_stmt *make(struct sql *s, const char *text, struct err *e)
{
    sqlite3_stmt *st;

    assert(s->count < SQL_STATEMENTS);
    if (sqlite3_prepare_v3(s->db, text, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL) != SQLITE_OK) {
        sql_fail(s, "store", e);
        return NULL;
    }
    s->made[s->count].text = text;
    s->made[s->count++].st = st;
    return st;
}

static sqlite3_stmt *find(struct sql *s, const char *text, struct err *e)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->made[i].text == text)
            return s->made[i].st;
    return make(s, text, e);
}

static int bind_text(sqlite3_stmt *st, int at, struct str s)
{
    return sqlite3_bind_text64(st, at, s.p ? s.p : "", s.n, SQLITE_STATIC, SQLITE_UTF8);
}

static int bind(sqlite3_stmt *st, int at, const struct sql_value *v)
{
    switch (v->type) {
    case SQL_INT: return sqlite3_bind_int64(st, at, v->i);
    case SQL_TEXT: return bind_text(st, at, v->s);
    case SQL_MAYBE: return v->s.p ? bind_text(st, at, v->s) : sqlite3_bind_null(st, at);
    case SQL_BLOB: return sqlite3_bind_blob64(st, at, v->s.p, v->s.n, SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

sqlite3_stmt *sql_begin(struct sql *s, const char *text, const struct sql_value *v, size_t n,
                        struct err *e)
{
    sqlite3_stmt *st = find(s, text, e);

    if (!st)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (bind(st, (int)i + 1, &v[i]) != SQLITE_OK) {
            sql_fail(s, "store", e);
            sql_end(st);
            return NULL;
        }
    return st;
}

void sql_end(sqlite3_stmt *st)
{
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
}

enum sql_got sql_row(struct sql *s, sqlite3_stmt *st, struct err *e)
{
    int got = sqlite3_step(st);

    if (got == SQLITE_ROW)
        return SQL_ROW;
    if (got != SQLITE_DONE)
        sql_fail(s, "store", e);
    sql_end(st);
    return got == SQLITE_DONE ? SQL_DONE : SQL_FAILED;
}

bool sql_do(struct sql *s, const char *text, const struct sql_value *v, size_t n, struct err *e)
{
    sqlite3_stmt *st = sql_begin(s, text, v, n, e);
    enum sql_got got = SQL_ROW;

    if (!st)
        return false;
    while (got == SQL_ROW)
        got = sql_row(s, st, e);
    return got == SQL_DONE;
}

enum sql_got sql_one(struct sql *s, const char *text, const struct sql_value *v, size_t n,
                     sqlite3_stmt **out, struct err *e)
{
    *out = sql_begin(s, text, v, n, e);
    return *out ? sql_row(s, *out, e) : SQL_FAILED;
}

bool sql_ask_int(struct sql *s, const char *text, int64_t *out, struct err *e)
{
    sqlite3_stmt *st;
    enum sql_got got = sql_one(s, text, NULL, 0, &st, e);

    if (got == SQL_DONE)
        return fail(e, ERR_INVALID, "store: %s yields nothing", text);
    if (got == SQL_FAILED)
        return false;
    *out = sql_int(st, 0);
    sql_end(st);
    return true;
}

struct str sql_text(sqlite3_stmt *st, int column, struct arena *mem)
{
    const void *p = sqlite3_column_blob(st, column);
    size_t n = (size_t)sqlite3_column_bytes(st, column);

    if (sqlite3_column_type(st, column) == SQLITE_NULL)
        return STR_NONE;
    return arena_str(mem, (struct str){ p ? p : "", n });
}
