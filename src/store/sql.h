/*
 * sql.h - one connection to the database, with its prepared statements.
 *
 * Prepared statements are found by the address of their text, so each text must be a literal that
 * occurs in one place only. sql_begin starts a statement with its values; sql_row reads its rows
 * one by one. After the last row, or a failure, the statement can be started again. Until then the
 * values must stay valid.
 *
 * Only one thread at a time may use a connection.
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include "base/arena.h"
#include "base/err.h"

#include <sqlite3.h>

enum { SQL_STATEMENTS = 112 };

struct sql {
    sqlite3 *db;
    struct {
        const char *text;
        sqlite3_stmt *st;
    } made[SQL_STATEMENTS];
    size_t count;
    bool broke;   /* a statement failed, for another reason than a constraint */
    bool corrupt; /* a statement failed because the database is damaged */
};

enum sql_mode { SQL_WRITE, SQL_CREATE, SQL_READ };

bool sql_open(struct sql *s, const char *path, enum sql_mode mode, int64_t busy_ms, struct err *e);

/* *s may be {0}. */
void sql_close(struct sql *s);

/* Fill *e with the last error of SQLite. Sets s->broke, unless a constraint was violated. */
bool sql_fail(struct sql *s, const char *what, struct err *e);

/* Run SQL statements that have no bound parameters and return no rows. */
bool sql_exec(struct sql *s, const char *text, struct err *e);

/* Run a statement whose result is one integer. */
bool sql_ask_int(struct sql *s, const char *text, int64_t *out, struct err *e);

/* ---- statements with values ----------------------------------------------------------------- */

enum sql_type { SQL_INT, SQL_TEXT, SQL_MAYBE, SQL_BLOB };

struct sql_value {
    enum sql_type type;
    int64_t i;
    struct str s; /* STR_NONE is an empty text as SQL_TEXT, and NULL as SQL_MAYBE or SQL_BLOB */
};

#define V_INT(x) ((struct sql_value){ .type = SQL_INT, .i = (x) })
#define V_TEXT(x) ((struct sql_value){ .type = SQL_TEXT, .s = (x) })
#define V_MAYBE(x) ((struct sql_value){ .type = SQL_MAYBE, .s = (x) })
#define V_BLOB(x) ((struct sql_value){ .type = SQL_BLOB, .s = (x) })
#define VALUES(...)                                                                                \
    (const struct sql_value[]){ __VA_ARGS__ },                                                     \
        sizeof((const struct sql_value[]){ __VA_ARGS__ }) / sizeof(struct sql_value)

/* Start a statement. NULL on failure. */
sqlite3_stmt *sql_begin(struct sql *s, const char *text, const struct sql_value *v, size_t n,
                        struct err *e);

enum sql_got { SQL_FAILED, SQL_DONE, SQL_ROW };

/* Read the next row. SQL_DONE: there are no more rows. */
enum sql_got sql_row(struct sql *s, sqlite3_stmt *st, struct err *e);

/* End a statement before its last row. */
void sql_end(sqlite3_stmt *st);

/* Start a statement and run it to its end. */
bool sql_do(struct sql *s, const char *text, const struct sql_value *v, size_t n, struct err *e);

/*
 * Start a statement and read its first row. SQL_DONE: there is none. The caller must call sql_end
 * only if the result is SQL_ROW.
 */
enum sql_got sql_one(struct sql *s, const char *text, const struct sql_value *v, size_t n,
                     sqlite3_stmt **out, struct err *e);

/* A column of the current row, copied to mem; STR_NONE if it is NULL. */
struct str sql_text(sqlite3_stmt *st, int column, struct arena *mem);

static inline int64_t sql_int(sqlite3_stmt *st, int column)
{
    return sqlite3_column_int64(st, column);
}

#endif
