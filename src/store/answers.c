/*
 * answers.c - answers to questions of tasks. They are kept with their task until it ends, so that a
 * second answer to the same question is rejected; the row of the task lists the open questions.
 */
#include "store/steps.h"

#include "base/json.h"

struct asked_task {
    int64_t n, lease;
    struct str state, asks, process;
    bool final;
};

static bool not_open(const struct store_answer *a, const char *why, struct err *e)
{
    return fail(e, ERR_NOT_FOUND, "question " STR_FMT " of task " STR_FMT " %s",
                STR_ARG(str_head(a->key, 40)), STR_ARG(str_head(a->task, 80)), why);
}

static bool find_task(struct run *r, struct str id, struct asked_task *out, struct err *e)
{
    sqlite3_stmt *st;

    switch (sql_one(r->sql, "SELECT n, lease, state, asks, process, final FROM tasks WHERE id = ?",
                    VALUES(V_TEXT(id)), &st, e)) {
    case SQL_FAILED: return false;
    case SQL_DONE:
        return fail(e, ERR_NOT_FOUND, "there is no task " STR_FMT, STR_ARG(str_head(id, 80)));
    case SQL_ROW: break;
    }
    *out = (struct asked_task){ .n = sql_int(st, 0),
                                .lease = sql_int(st, 1),
                                .state = sql_text(st, 2, r->mem),
                                .asks = sql_text(st, 3, r->mem),
                                .process = sql_text(st, 4, r->mem),
                                .final = sql_int(st, 5) != 0 };
    sql_end(st);
    return true;
}

/* The process that runs the task has written the open questions. */
static bool is_open(struct run *r, struct str asks, struct str key)
{
    struct json_opts opts = { .max_depth = JSON_DEPTH_CEILING, .max_values = UINT32_MAX };
    struct json v;
    struct err e;

    return asks.n && json_read(r->mem, asks, &opts, &v, &e) && json_here(json_get(v, key));
}

static bool was_answered(struct run *r, int64_t n, struct str key, bool *out, struct err *e)
{
    sqlite3_stmt *st;
    enum sql_got got = sql_one(r->sql, "SELECT 1 FROM task_answers WHERE task = ? AND key = ?",
                               VALUES(V_INT(n), V_TEXT(key)), &st, e);

    *out = got == SQL_ROW;
    if (got == SQL_ROW)
        sql_end(st);
    return got != SQL_FAILED;
}

static bool check(struct run *r, const struct store_answer *a, const struct asked_task *t,
                  struct err *e)
{
    bool answered;

    if (t->final)
        return not_open(a, "is no longer open: the task has ended", e);
    if (!was_answered(r, t->n, a->key, &answered, e))
        return false;
    if (answered)
        return not_open(a, "has been answered already", e);
    if (!is_open(r, t->asks, a->key))
        return not_open(a, "is not open", e);
    return is_held(r, t->process, t->lease) ||
           not_open(a,
                    "is no longer open: the process that worked on the task has ended. When "
                    "another process resumes the task, its questions have new keys",
                    e);
}

bool db_task_answer(struct run *r, struct store_step *step, struct err *e)
{
    struct store_answer *a = &step->answer;
    struct asked_task t = { 0 };

    if (!find_task(r, a->task, &t, e) || !check(r, a, &t, e) ||
        !sql_do(r->sql, "INSERT INTO task_answers (task, key, answer, by) VALUES (?, ?, ?, ?)",
                VALUES(V_INT(t.n), V_TEXT(a->key), V_TEXT(a->answer), V_TEXT(a->by)), e))
        return false;
    a->n = sqlite3_last_insert_rowid(r->sql->db);
    return true;
}

bool db_task_answers(struct run *r, struct store_step *step, struct err *e)
{
    struct store_answer_page *p = &step->answers;
    size_t most = page_most(r, 0);
    enum sql_got got = SQL_FAILED;
    sqlite3_stmt *st = sql_begin(r->sql,
                                 "SELECT n, key, answer, by FROM task_answers"
                                 " WHERE task = (SELECT n FROM tasks WHERE id = ?) AND n > ?"
                                 " ORDER BY n LIMIT ?",
                                 VALUES(V_TEXT(p->task), V_INT(p->after), V_INT((int64_t)most)), e);

    p->v = ARENA_ARRAY(r->mem, struct store_answer, most);
    p->n = 0;
    while (st && (got = sql_row(r->sql, st, e)) == SQL_ROW)
        p->v[p->n++] = (struct store_answer){ .task = p->task,
                                              .key = sql_text(st, 1, r->mem),
                                              .answer = sql_text(st, 2, r->mem),
                                              .by = sql_text(st, 3, r->mem),
                                              .n = sql_int(st, 0) };
    return got == SQL_DONE;
}

bool answers_drop(struct run *r, int64_t n, struct err *e)
{
    return sql_do(r->sql, "DELETE FROM task_answers WHERE task = ?", VALUES(V_INT(n)), e);
}
