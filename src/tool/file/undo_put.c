/*
 * undo_put.c - restores files from their images.
 *
 * There are two passes over the images, newest first. The first pass deletes what did not exist
 * before the turn; the second restores what existed. So a new file does not prevent restoring a
 * folder with the same path. Files that have not changed are not written. A new folder is kept if
 * it contains files that the turn did not create.
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"
#include "loop/job.h"
#include "tool/file/beneath.h"
#include "tool/file/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum { FILE_MODE = 0777, FOLDER_MODE = 07777 };

struct putting {
    struct job job; /* first */
    struct undo_put *put;
    const struct host *host;
    struct arena mem; /* of the pool thread */
    bool *bad, *changed;
    size_t failed;
    struct err first;
};

/* An image, and where it belongs. */
struct undo_target {
    const struct store_image *image;
    struct place place;
    struct dir_entry entry;
    struct stat st;
    bool there;
};

static mode_t kind_of(const struct store_image *i)
{
    mode_t kind = (mode_t)i->mode & S_IFMT;

    return kind ? kind : S_IFREG;
}

/* Its path had no link in it but perhaps its last name; one that is there now is not followed. */
static bool find(struct putting *k, struct undo_target *t, struct err *e)
{
    if (!place_to_write(k->host, k->put->vault_only, &k->mem, t->image->path, &t->place, e))
        return false;
    t->place.no_links = true;
    return true;
}

/* What is there now. */
static bool see(struct undo_target *t, struct err *e)
{
    t->there = fstatat(t->entry.folder, t->entry.name, &t->st, AT_SYMLINK_NOFOLLOW) == 0;
    return t->there || errno == ENOENT || place_fail(&t->place, "look at", e);
}

/* ---- what must go ------------------------------------------------------------------------ */

static bool remove_now(struct undo_target *t, bool *changed, struct err *e)
{
    bool folder = S_ISDIR(t->st.st_mode);

    if (unlinkat(t->entry.folder, t->entry.name, folder ? AT_REMOVEDIR : 0) == 0) {
        *changed = true;
        return true;
    }
    if (folder && t->image->absent && (errno == ENOTEMPTY || errno == EEXIST))
        return true;
    return place_fail(&t->place, "remove", e);
}

static bool clear(struct putting *k, const struct store_image *i, bool *changed, struct err *e)
{
    struct undo_target t = { .image = i, .entry.folder = -1 };
    bool ok;

    if (!find(k, &t, e))
        return false;
    if (!entry_of(&t.place, &t.entry, e)) {
        *changed = !i->absent;
        return e->code == ERR_NOT_FOUND; /* without its folder it is not there */
    }
    ok = see(&t, e);
    *changed = !t.there && !i->absent;
    if (ok && t.there && (i->absent || (t.st.st_mode & S_IFMT) != kind_of(i)))
        ok = remove_now(&t, changed, e);
    entry_close(&t.entry);
    return ok;
}

/* ---- what comes back --------------------------------------------------------------------- */

/* By the descriptor: its path may lead elsewhere by now. */
static bool set_mode(const struct undo_target *t, mode_t mode, struct err *e)
{
    AUTO_FD fd = openat(t->entry.folder, t->entry.name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    char self[64];

    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    return (fd >= 0 && chmod(self, mode) == 0) || place_fail(&t->place, "change the mode of", e);
}

static bool restore_folder(struct putting *k, struct undo_target *t, bool *changed, struct err *e)
{
    mode_t mode = (mode_t)t->image->mode & FOLDER_MODE;

    (void)k;
    if (t->there && (t->st.st_mode & FOLDER_MODE) == mode)
        return true;
    if (!t->there && mkdirat(t->entry.folder, t->entry.name, 0700) < 0)
        return place_fail(&t->place, "make", e);
    *changed = true;
    return set_mode(t, mode, e);
}

static bool leads_there(const struct undo_target *t)
{
    char now[PATH_MAX];
    ssize_t n = readlinkat(t->entry.folder, t->entry.name, now, sizeof(now));

    return n >= 0 && str_eq((struct str){ now, (size_t)n }, t->image->content);
}

static bool restore_link(struct putting *k, struct undo_target *t, bool *changed, struct err *e)
{
    const char *to = arena_cstr(&k->mem, t->image->content);

    if (t->there && leads_there(t))
        return true;
    if (t->there && unlinkat(t->entry.folder, t->entry.name, 0) < 0)
        return place_fail(&t->place, "remove", e);
    *changed = true;
    return symlinkat(to, t->entry.folder, t->entry.name) == 0 || place_fail(&t->place, "make", e);
}

static bool holds_that(struct putting *k, const struct undo_target *t)
{
    struct str content = t->image->content, now;
    struct err e;

    return t->st.st_size == (off_t)content.n &&
           entry_read(&t->entry, &t->place, &k->mem, (int64_t)content.n, "undo_bytes", &now, &e) &&
           str_eq(now, content);
}

static bool restore_file(struct putting *k, struct undo_target *t, bool *changed, struct err *e)
{
    mode_t mode = (mode_t)t->image->mode & FILE_MODE;

    if (t->there && (t->st.st_mode & FILE_MODE) == mode && holds_that(k, t))
        return true;
    *changed = true;
    return entry_put(&t->entry, &t->place, t->image->content, mode, e);
}

static bool restore(struct putting *k, const struct store_image *i, bool *changed, struct err *e)
{
    struct undo_target t = { .image = i, .entry.folder = -1 };
    mode_t kind = kind_of(i);
    bool ok;

    if (i->absent)
        return true;
    if (!find(k, &t, e) || !beneath_make_parents(&t.place, &k->mem, e) ||
        !entry_of(&t.place, &t.entry, e))
        return false;
    ok = see(&t, e) && (S_ISDIR(kind)   ? restore_folder(k, &t, changed, e)
                        : S_ISLNK(kind) ? restore_link(k, &t, changed, e)
                                        : restore_file(k, &t, changed, e));
    entry_close(&t.entry);
    return ok;
}

/* ---- all of them ------------------------------------------------------------------------- */

typedef bool step_fn(struct putting *k, const struct store_image *i, bool *changed, struct err *e);

static void each(struct putting *k, step_fn *step)
{
    for (size_t i = 0; i < k->put->images; i++) {
        struct err e;

        if (!k->bad[i] && !step(k, &k->put->image[i], &k->changed[i], &e)) {
            k->bad[i] = true;
            if (!k->failed++)
                k->first = e;
        }
        arena_reset(&k->mem);
    }
}

static bool on_pool(struct job *job, struct err *e)
{
    struct putting *k = CONTAINER_OF(job, struct putting, job);

    each(k, clear);
    each(k, restore);
    if (!k->failed)
        return true;
    return fail(e, k->first.code, "%zu of %zu files could not be restored: %.150s", k->failed,
                k->put->images, k->first.text);
}

static void on_job_done(struct op *op, const struct err *e, void *ctx)
{
    struct putting *k = ctx;
    struct undo_put *u = k->put;

    (void)op;
    for (size_t i = 0; i < u->images; i++)
        u->restored += k->changed[i] && !k->bad[i];
    arena_fini(&k->mem);
    mem_free(k->bad);
    mem_free(k);
    if (e)
        op_fail(&u->op, e);
    else
        op_ok(&u->op);
}

/* The job is asked to stop as well, and settles it. */
static void cancel_put(struct op *op)
{
    (void)op;
}

static const struct op_kind put_kind = { .name = "undo put", .cancel = cancel_put };

static void undo_put_start(struct undo_port *p, struct undo_put *u, struct op *parent,
                           op_done_fn *done, void *ctx)
{
    struct putting *k = MEM_NEW(struct putting);

    (void)p;
    k->put = u;
    k->host = u->host;
    k->bad = mem_zero(2 * u->images * sizeof(bool));
    k->changed = k->bad + u->images;
    u->restored = 0;
    op_begin(&u->op, &put_kind, u->host->loop, parent, done, ctx);
    job_start(&k->job, u->host->loop, &u->op, on_pool, on_job_done, k);
}

struct undo_port tool_undo_port = { .look = undo_look_start, .put = undo_put_start };
