#include "store/schema.h"

#include "core/principal.h"

#include <stdio.h>

/*
 * Step n changes schema n into n + 1. Steps are only added, never changed: existing databases have
 * run them.
 *
 * events.place is the session's n << 32 | seq, so that the events of a session are stored together
 * and in order without a second index; likewise task_events.place. An index ends with the n of its
 * rows, which grows with each new row: so the tasks of an owner, a context or an agent are in the
 * order of their creation. Columns that grow are last in a row, so that the others can be changed
 * in place.
 *
 * operator() is the principal of the user who runs this process.
 */
static const char *const steps[] = {
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;",

    "CREATE TABLE sessions ("
    " n INTEGER PRIMARY KEY,"
    " id TEXT NOT NULL UNIQUE,"
    " agent TEXT NOT NULL, cwd TEXT NOT NULL, model TEXT NOT NULL, mode TEXT NOT NULL,"
    " title TEXT NOT NULL, settings TEXT NOT NULL,"
    " created INTEGER NOT NULL, updated INTEGER NOT NULL,"
    " last_seq INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " version INTEGER NOT NULL, fence INTEGER NOT NULL,"
    " owner TEXT NOT NULL, lease INTEGER NOT NULL) STRICT;"
    "CREATE INDEX sessions_by_update ON sessions (updated, n);"
    "CREATE TABLE events ("
    " place INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL)"
    " STRICT;"
    "CREATE TABLE turns ("
    " n INTEGER PRIMARY KEY,"
    " session INTEGER NOT NULL, turn TEXT NOT NULL,"
    " state TEXT NOT NULL, calls TEXT NOT NULL, results TEXT NOT NULL,"
    " finished INTEGER NOT NULL, updated INTEGER NOT NULL,"
    " version INTEGER NOT NULL, fence INTEGER NOT NULL,"
    " UNIQUE (session, turn)) STRICT;"
    "CREATE INDEX turns_open ON turns (n) WHERE finished = 0;"
    "CREATE TABLE images ("
    " n INTEGER PRIMARY KEY,"
    " session INTEGER NOT NULL, turn TEXT NOT NULL, path TEXT NOT NULL,"
    " mode INTEGER NOT NULL, content BLOB,"
    " UNIQUE (session, turn, path)) STRICT;"
    "CREATE TABLE memory ("
    " scope TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
    " updated INTEGER NOT NULL, version INTEGER NOT NULL,"
    " PRIMARY KEY (scope, key)) STRICT;",

    "CREATE TABLE tasks ("
    " n INTEGER PRIMARY KEY,"
    " id TEXT NOT NULL UNIQUE,"
    " created INTEGER NOT NULL, updated INTEGER NOT NULL,"
    " ended INTEGER NOT NULL, expires INTEGER NOT NULL,"
    " last_seq INTEGER NOT NULL, version INTEGER NOT NULL, fence INTEGER NOT NULL,"
    " process TEXT NOT NULL, lease INTEGER NOT NULL,"
    " final INTEGER NOT NULL, canceled INTEGER NOT NULL,"
    " context TEXT NOT NULL, owner TEXT NOT NULL, agent TEXT NOT NULL, model TEXT NOT NULL,"
    " mode TEXT NOT NULL, session TEXT NOT NULL, state TEXT NOT NULL, text TEXT NOT NULL,"
    " asks TEXT NOT NULL, spec TEXT NOT NULL, result TEXT NOT NULL) STRICT;"
    "CREATE INDEX tasks_by_context ON tasks (context);"
    "CREATE INDEX tasks_by_owner ON tasks (owner);"
    "CREATE INDEX tasks_by_agent ON tasks (agent);"
    "CREATE INDEX tasks_by_both ON tasks (owner, agent);"
    "CREATE INDEX tasks_live ON tasks (n) WHERE final = 0;"
    "CREATE INDEX tasks_ended ON tasks (ended) WHERE final = 1;"
    "CREATE INDEX tasks_expiring ON tasks (expires) WHERE final = 1;"
    "CREATE TABLE task_events ("
    " place INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL)"
    " STRICT;"
    /* The number of tasks: counting a million rows for each new task would take too long. */
    "CREATE TABLE task_count (tasks INTEGER NOT NULL) STRICT;"
    "INSERT INTO task_count VALUES (0);"
    "CREATE TRIGGER task_came AFTER INSERT ON tasks"
    " BEGIN UPDATE task_count SET tasks = tasks + 1; END;"
    "CREATE TRIGGER task_left AFTER DELETE ON tasks"
    " BEGIN UPDATE task_count SET tasks = tasks - 1; END;"
    "CREATE TABLE locks ("
    " n INTEGER PRIMARY KEY,"
    " task TEXT NOT NULL, agent TEXT NOT NULL, paths TEXT NOT NULL,"
    " exclusive INTEGER NOT NULL, acquired INTEGER NOT NULL,"
    " process TEXT NOT NULL, lease INTEGER NOT NULL) STRICT;"
    "CREATE INDEX locks_by_task ON locks (task);",

    "CREATE TABLE task_feed ("
    " n INTEGER PRIMARY KEY,"
    " place INTEGER NOT NULL, task TEXT NOT NULL) STRICT;",
    "CREATE TABLE task_answers ("
    " n INTEGER PRIMARY KEY,"
    " task INTEGER NOT NULL, key TEXT NOT NULL, answer TEXT NOT NULL, by TEXT NOT NULL,"
    " UNIQUE (task, key)) STRICT;",

    /* The owner of a session is a principal, like that of a task; it used to be the process. */
    "ALTER TABLE sessions RENAME COLUMN owner TO process;"
    "ALTER TABLE sessions ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
    "UPDATE tasks SET owner = CASE owner WHEN 'key' THEN 'key:default' ELSE operator() END;"
    "UPDATE sessions SET owner = coalesce("
    " (SELECT t.owner FROM tasks t WHERE t.session = sessions.id), operator());"
    "CREATE INDEX sessions_by_owner ON sessions (owner);",

    "CREATE TABLE pushes ("
    " n INTEGER PRIMARY KEY,"
    " task INTEGER NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL, setup TEXT NOT NULL,"
    " sent INTEGER NOT NULL, done INTEGER NOT NULL, UNIQUE (task, id)) STRICT;"
    "CREATE INDEX pushes_open ON pushes (n) WHERE done = 0;"
    "CREATE TRIGGER task_left_pushes AFTER DELETE ON tasks"
    " BEGIN DELETE FROM pushes WHERE task = old.n; END;",
};

static void put_operator(sqlite3_context *to, int n, sqlite3_value **v)
{
    struct principal self = principal_self(ORIGIN_NONE);

    (void)n;
    (void)v;
    sqlite3_result_text(to, self.name, -1, SQLITE_TRANSIENT);
}

const int schema_newest = (int)ARRAY_LEN(steps);

bool schema_read(struct sql *s, int *out, struct err *e)
{
    int64_t n;

    if (!sql_ask_int(s, "PRAGMA user_version", &n, e))
        return false;
    *out = (int)n;
    return true;
}

/* Inside a transaction: run one step, unless another process has run it meanwhile. */
static bool take_step(struct sql *s, int *now, int upto, struct err *e)
{
    char mark[64];

    if (!schema_read(s, now, e))
        return false;
    if (*now > schema_newest)
        return fail(e, ERR_INVALID, "store: schema %d is newer than this program knows (%d)", *now,
                    schema_newest);
    if (*now >= upto)
        return true;
    snprintf(mark, sizeof(mark), "PRAGMA user_version = %d", *now + 1);
    return sql_exec(s, steps[*now], e) && sql_exec(s, mark, e);
}

bool schema_raise(struct sql *s, int upto, struct err *e)
{
    int now = 0;

    sqlite3_create_function(s->db, "operator", 0, SQLITE_UTF8, NULL, put_operator, NULL, NULL);
    /* An up to date database is not written to. */
    if (!schema_read(s, &now, e))
        return false;
    while (now < upto || now > schema_newest) {
        if (!sql_exec(s, "BEGIN IMMEDIATE", e))
            return false;
        if (!take_step(s, &now, upto, e) || !sql_exec(s, "COMMIT", e)) {
            sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
            return false;
        }
        now = now < upto ? now + 1 : now;
    }
    return true;
}
