/* task_artifacts.c - finds paths in texts, and checks which of the files have changed. */
#include "core/task/task_artifacts.h"

#include "base/auto.h"
#include "base/clock.h"
#include "base/container.h"
#include "loop/file.h"

#include <stdlib.h>

static const struct str folders[] = {
    { ".vault/", 7 }, { ".vaultspec/", 11 }, { "src/", 4 },
    { "crates/", 7 }, { "tests/", 6 },       { "test/", 5 },
};

static const struct str endings[] = { { ".md", 3 }, { ".rs", 3 }, { ".toml", 5 }, { ".py", 3 } };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

static bool may_stand_before(char c)
{
    return is_space(c) || is_quote(c) || c == '(';
}

static bool ends(char c)
{
    return is_space(c) || is_quote(c) || c == ')' || c == ',' || c == ';' || c == ':';
}

/* "src/" alone names no file, and neither does ".md". */
static bool is_artifact(struct str path)
{
    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        if (str_starts(path, folders[i]) && path.n > folders[i].n)
            return true;
    for (size_t i = 0; i < ARRAY_LEN(endings); i++)
        if (str_ends(path, endings[i]) && path.n > endings[i].n)
            return true;
    return false;
}

void task_artifacts_add(struct task_artifacts *a, struct str path)
{
    if (!path.n || a->n == TASK_ARTIFACTS_MOST)
        return;
    for (size_t i = 0; i < a->n; i++)
        if (str_eq(a->v[i], path))
            return;
    if (a->n == a->room) {
        size_t room = a->room ? 2 * a->room : 8;

        a->v = arena_grow(a->mem, a->v, a->room * sizeof(*a->v), room * sizeof(*a->v));
        a->room = room;
    }
    a->v[a->n++] = arena_str(a->mem, path);
}

/* Remove the full stop after a path at the end of a sentence. */
static struct str without_dots(struct str path)
{
    while (path.n && path.p[path.n - 1] == '.')
        path.n--;
    return path;
}

void task_artifacts_find(struct task_artifacts *a, struct str text)
{
    size_t at = 0;

    while (at < text.n) {
        size_t end = at;
        struct str path;

        while (end < text.n && !ends(text.p[end]) && text.p[end] != '(')
            end++;
        path = without_dots((struct str){ text.p + at, end - at });
        if ((end == text.n || text.p[end] != '(') && is_artifact(path))
            task_artifacts_add(a, path);
        at = end > at ? end : at + 1;
        while (at < text.n && !may_stand_before(text.p[at - 1]))
            at++;
    }
}

static int by_bytes(const void *a, const void *b)
{
    const struct str *x = a, *y = b;
    size_t n = x->n < y->n ? x->n : y->n;
    int c = n ? memcmp(x->p, y->p, n) : 0;

    return c ? c : (x->n > y->n) - (x->n < y->n);
}

void task_artifacts_sort(struct task_artifacts *a)
{
    if (a->n)
        qsort(a->v, a->n, sizeof(*a->v), by_bytes);
}

/* ---- changed files --------------------------------------------------------------------------- */

static bool has_changed(const struct task_files *f, struct str path, struct arena *mem)
{
    int64_t changed;
    struct err e;

    return str_find_byte(path, 0) < 0 &&
           file_changed_beneath(f->root, arena_cstr(mem, path), &changed, &e) &&
           changed >= f->since - clock_file_lag_ms();
}

static bool check_files(struct job *job, struct err *e)
{
    struct task_files *f = CONTAINER_OF(job, struct task_files, job);
    struct task_artifacts *a = &f->named;
    AUTO_ARENA mem = { 0 };
    size_t n = 0;

    (void)e;
    for (size_t i = 0; i < a->n; i++)
        if (has_changed(f, a->v[i], &mem))
            a->v[n++] = a->v[i];
    a->n = n;
    return true;
}

void task_files_check(struct task_files *f, struct loop *loop, struct op *parent, op_done_fn *done,
                      void *ctx)
{
    job_start(&f->job, loop, parent, check_files, done, ctx);
}
