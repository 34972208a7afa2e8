/*
 * sql.h - one connection to the database, with its prepared statements.
 *
 * Statements are found by the address of their text, so each text must be a literal in one place. A
 * statement is started with its values, and read row by row until sql_row finds no more rows; then,
 * or on failure, it is ready for its next use. Values are borrowed until then.
 *
 * One thread at a time.
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include "base/arena.h"
#include "base/err.h"

#include <sqlite3.h>

enum { SQL_STATEMENTS = 96 };

struct sql {
    sqlite3 *db;
    struct {
        const char *text;
        sqlite3_stmt *st;
    } made[SQL_STATEMENTS];
    size_t count;
    bool broke;   /* a statement failed, and not because of the request: see sql_fail */
    bool corrupt; /* and the reason was that the database is damaged */
};

enum sql_mode { SQL_WRITE, SQL_CREATE, SQL_READ };

bool sql_open(struct sql *s, const char *path, enum sql_mode mode, int64_t busy_ms, struct err *e);

/* {0} is fine. */
void sql_close(struct sql *s);

/* Report the error of SQLite as our own sentence. Sets broke unless it was a constraint. */
bool sql_fail(struct sql *s, const char *what, struct err *e);

/* Statements without values or rows. */
bool sql_exec(struct sql *s, const char *text, struct err *e);

/* The one integer that a statement yields. */
bool sql_ask_int(struct sql *s, const char *text, int64_t *out, struct err *e);

/* ---- statements with values ----------------------------------------------------------------- */

enum sql_type { SQL_INT, SQL_TEXT, SQL_MAYBE, SQL_BLOB };

struct sql_value {
    enum sql_type type;
    int64_t i;
    struct str s; /* STR_NONE: an empty text; NULL as a blob or as a text that may be missing */
};

#define V_INT(x) ((struct sql_value){ .type = SQL_INT, .i = (x) })
#define V_TEXT(x) ((struct sql_value){ .type = SQL_TEXT, .s = (x) })
#define V_MAYBE(x) ((struct sql_value){ .type = SQL_MAYBE, .s = (x) })
#define V_BLOB(x) ((struct sql_value){ .type = SQL_BLOB, .s = (x) })
#define VALUES(...)                                                                                \
    (const struct sql_value[]){ __VA_ARGS__ },                                                     \
        sizeof((const struct sql_value[]){ __VA_ARGS__ }) / sizeof(struct sql_value)

/* NULL and *e on failure. */
sqlite3_stmt *sql_begin(struct sql *s, const char *text, const struct sql_value *v, size_t n,
                        struct err *e);

enum sql_got { SQL_FAILED, SQL_DONE, SQL_ROW };

/* Read the next row. */
enum sql_got sql_row(struct sql *s, sqlite3_stmt *st, struct err *e);

/* End a statement before its last row. */
void sql_end(sqlite3_stmt *st);

/* Begin and run to the end. */
bool sql_do(struct sql *s, const char *text, const struct sql_value *v, size_t n, struct err *e);

/*
 * Begin, and read the first row. SQL_DONE: there is none. Only after SQL_ROW must the caller end
 * it.
 */
enum sql_got sql_one(struct sql *s, const char *text, const struct sql_value *v, size_t n,
                     sqlite3_stmt **out, struct err *e);

/* Columns of the current row. A copy in mem; NULL is STR_NONE. */
struct str sql_text(sqlite3_stmt *st, int column, struct arena *mem);

static inline int64_t sql_int(sqlite3_stmt *st, int column)
{
    return sqlite3_column_int64(st, column);
}

#endif
