/*
 * state_import.c - `trefoil state import [FILE]`: imports the conversations of a database in the
 * project. An older version of trefoil may have created the database, or it is part of a cloned
 * repository.
 *
 * The file is not trusted. It is copied into the state directory, and the copy is checked and read.
 * Nothing is written to the folder of the file.
 */
#include "app/state_import.h"

#include "app/store_handle.h"
#include "base/auto.h"
#include "store/import.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

/* ---- the copy -------------------------------------------------------------------------------- */

static bool copy_bytes(int from, int to, int64_t size, const char *path, struct err *e)
{
    while (size > 0) {
        ssize_t n = sendfile(to, from, NULL, (size_t)size);

        if (n < 0)
            return fail_sys(e, "cannot copy %.150s", path);
        if (n == 0)
            return fail(e, ERR_INVALID,
                        "%.150s became shorter while it was copied: stop the program that writes "
                        "to it, and import again",
                        path);
        size -= n;
    }
    return true;
}

/* Copy the file. O_NONBLOCK: opening a FIFO must not block. */
static bool copy_file(const char *path, const char *to, const struct limits *limits, struct err *e)
{
    AUTO_FD in = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), out = -1;
    struct stat st;

    if (in < 0) {
        enum err_code code = errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_SYSTEM;

        fail_sys(e, "cannot open %.150s", path);
        e->code = code;
        return false;
    }
    if (fstat(in, &st) < 0 || !S_ISREG(st.st_mode))
        return fail(e, ERR_INVALID, "%.150s is not a regular file", path);
    if (st.st_size > limits->state_import_bytes)
        return fail(e, ERR_LIMIT,
                    "%.150s has %lld bytes; at most %lld are imported"
                    " (limits.state_import_bytes)",
                    path, (long long)st.st_size, (long long)limits->state_import_bytes);
    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return (out >= 0 || fail_sys(e, "cannot create %.150s", to)) &&
           copy_bytes(in, out, st.st_size, path, e);
}

static void remove_copy(struct app *app, const char *copy)
{
    static const char *const ends[] = { "", "-wal", "-shm", "-journal" };

    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        unlink(arena_printf(&app->project.mem, "%s%s", copy, ends[i]).p);
}

/* Copy the database, and its write-ahead log if a killed process has left one. */
static bool make_copy(struct app *app, const char *file, const char *copy, struct err *e)
{
    const struct limits *limits = &app->project.config.limits;
    const char *log = arena_printf(&app->project.mem, "%s-wal", file).p;
    struct err missing;

    remove_copy(app, copy);
    return copy_file(file, copy, limits, e) &&
           (copy_file(log, arena_printf(&app->project.mem, "%s-wal", copy).p, limits, &missing) ||
            missing.code == ERR_NOT_FOUND || fail(e, missing.code, "%s", missing.text));
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_text(const struct store_import *i, const char *file, bool only_shown)
{
    printf("%s holds %" PRId64 " sessions (%" PRId64 " records), %" PRId64 " tasks (%" PRId64
           " unfinished), %" PRId64 " answers, %" PRId64 " locks, %" PRId64 " notes\n",
           file, i->sessions, i->records, i->tasks, i->unfinished, i->answers, i->locks, i->notes);
    if (!only_shown)
        printf("imported %" PRId64 " sessions (%" PRId64 " records), and nothing else\n",
               i->imported, i->imported_records);
}

static void print_json(struct app *app, const struct store_import *i, const char *file)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    (void)app;
    buf_init(&out, 64 << 10);
    jw_object(&w);
    jw_kstr(&w, "file", str_of(file));
    jw_kint(&w, "sessions", i->sessions);
    jw_kint(&w, "records", i->records);
    jw_kint(&w, "tasks", i->tasks);
    jw_kint(&w, "unfinished_tasks", i->unfinished);
    jw_kint(&w, "answers", i->answers);
    jw_kint(&w, "locks", i->locks);
    jw_kint(&w, "notes", i->notes);
    jw_kint(&w, "imported_sessions", i->imported);
    jw_kint(&w, "imported_records", i->imported_records);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    print_output(&out);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Create or upgrade the database of the root, and return its path. */
static bool make_database(struct app *app, const char **out, struct err *e)
{
    struct store_handle handle;

    *out = state_dir_file(&app->project.state, &app->project.mem, STATE_DATABASE);
    if (!store_handle_create(&handle, app, *out, e))
        return false;
    store_handle_close(&handle);
    return true;
}

static bool state_import_all(struct app *app, const char *copy, bool only_shown,
                             struct store_import *i, struct err *e)
{
    const struct limits *limits = &app->project.config.limits;
    const char *to;

    return store_import_look(copy, limits, i, e) &&
           (only_shown ||
            (make_database(app, &to, e) && store_import_copy(copy, to, limits, i, e)));
}

int state_import(struct app *app, const char *file, bool only_shown)
{
    struct store_import i = { 0 };
    const char *copy;
    struct err e;
    bool ok;

    if (!file)
        file =
            arena_printf(&app->project.mem, "%s/.trefoil/" STATE_DATABASE, app->project.root.path)
                .p;
    app->project.state.told = true; /* the user knows about the database */
    if (!state_dir_open(&app->project.state, &e))
        return print_error(&e);
    copy = state_dir_file(&app->project.state, &app->project.mem, "import.db");
    ok = make_copy(app, file, copy, &e) && (state_import_all(app, copy, only_shown, &i, &e) ||
                                            fail_in(&e, "cannot import %.80s", file));
    remove_copy(app, copy);
    if (!ok)
        return print_error_given(&e);
    if (app->opt.json)
        print_json(app, &i, file);
    else
        print_text(&i, file, only_shown);
    return EXIT_OK;
}
