/*
 * file_watch.c - compare snapshots of files; inotify tells when.
 *
 * An event of the kernel only means: take a snapshot soon. So it does no harm if there are too many
 * events. After each change all inotify handles are recreated for the folders that exist now.
 *
 *   quiet --event--> waiting (timer `settle`) --snapshot--> quiet
 *         --timer `look`------------------------snapshot--> quiet
 *
 * The owner is notified if the snapshot shows a change. A snapshot has two numbers. `sum` covers
 * the files, and is compared with `seen`, the last one of which the owner knows. `anchors` covers
 * the folders that must be watched: a folder above a missing path may be replaced while `sum` stays
 * the same.
 */
#include "loop/file_watch.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/hash.h"
#include "base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <uv.h>

/* One folder that the kernel watches for us. */
struct anchor {
    uv_fs_event_t uv;
    struct file_watch *owner;
    char *only; /* the one name in it that matters; NULL: all */
    struct anchor *next;
};

struct file_watch {
    struct file_watch_opts o;
    uint64_t secret;
    uint64_t seen, anchors_seen;
    struct anchor *anchors;
    size_t handles; /* not closed yet, those in `anchors` included */
    int64_t first;  /* event that is not told yet; 0: none */
    struct timer settle, look;
    struct post closed;
    bool closing;
    void (*done)(void *ctx);
    void *done_ctx;
};

/* What one look finds. */
struct sight {
    struct file_watch *w;
    uint64_t sum, anchors;
    bool arm; /* the kernel is to watch what is found */
};

/* ---- the kernel ---------------------------------------------------------------------------- */

static void on_settled(struct timer *t);

static void on_event(uv_fs_event_t *h, const char *name, int events, int status)
{
    struct anchor *a = CONTAINER_OF(h, struct anchor, uv);
    struct file_watch *w = a->owner;
    int64_t now = loop_now(w->o.loop), due = now + FILE_WATCH_QUIET_MS;

    (void)events;
    if (w->closing || (status == 0 && name && a->only && strcmp(name, a->only) != 0))
        return;
    if (!timer_is_set(&w->settle))
        w->first = now;
    if (due > w->first + FILE_WATCH_LATEST_MS)
        due = w->first + FILE_WATCH_LATEST_MS;
    timer_set(w->o.loop, &w->settle, due > now ? due - now : 0, on_settled);
}

static void finish_if_closed(struct file_watch *w)
{
    if (w->closing && !w->handles)
        loop_post(w->o.loop, &w->closed);
}

static void on_anchor_closed(uv_handle_t *h)
{
    struct anchor *a = CONTAINER_OF((uv_fs_event_t *)(void *)h, struct anchor, uv);
    struct file_watch *w = a->owner;

    w->handles--;
    mem_free(a->only);
    mem_free(a);
    finish_if_closed(w);
}

static void close_anchors(struct file_watch *w)
{
    while (w->anchors) {
        struct anchor *a = w->anchors;

        w->anchors = a->next;
        uv_close((uv_handle_t *)&a->uv, on_anchor_closed);
    }
}

static char *copy(struct str s)
{
    char *c = mem_alloc(s.n + 1);

    memcpy(c, s.p, s.n);
    c[s.n] = 0;
    return c;
}

/* One that cannot be watched is looked at now and then, like all of them. */
static void arm(struct sight *s, const char *folder, struct str only)
{
    struct file_watch *w = s->w;
    struct anchor *a;

    if (!s->arm)
        return;
    a = MEM_NEW(struct anchor);
    a->owner = w;
    a->only = only.p ? copy(only) : NULL;
    uv_fs_event_init(loop_uv(w->o.loop), &a->uv);
    a->next = w->anchors;
    w->anchors = a;
    w->handles++;
    uv_fs_event_start(&a->uv, on_event, folder, 0);
}

/* ---- looking ------------------------------------------------------------------------------- */

/* A salt tells what stands where; that of an entry is made of those above it. */
static uint64_t salt_below(const struct file_watch *w, uint64_t salt, const char *name)
{
    return salt * 31 + hash_str(w->secret, str_of(name));
}

static uint64_t sum_stat(const struct file_watch *w, uint64_t salt, const struct stat *st)
{
    const uint64_t part[] = { salt,
                              (uint64_t)st->st_mtim.tv_sec,
                              (uint64_t)st->st_mtim.tv_nsec,
                              (uint64_t)st->st_size,
                              (uint64_t)st->st_ino,
                              (uint64_t)st->st_mode };

    return hash_str(w->secret, (struct str){ (const char *)part, sizeof(part) });
}

static void see_folder(struct sight *s, const char *path, int depth, uint64_t salt);

/* The order in which a folder lists its entries means nothing: sums are added. */
static void see_entry(struct sight *s, int folder, const char *path, const char *name, int depth,
                      uint64_t salt)
{
    AUTO_ARENA mem = { 0 };
    struct stat st;

    if (fstatat(folder, name, &st, 0) < 0)
        return;
    salt = salt_below(s->w, salt, name);
    s->sum += sum_stat(s->w, salt, &st);
    if (S_ISDIR(st.st_mode) && depth > 0)
        see_folder(s, arena_printf(&mem, "%s/%s", path, name).p, depth - 1, salt);
}

/* What is in it, `depth` more levels deep. */
static void see_folder(struct sight *s, const char *path, int depth, uint64_t salt)
{
    DIR *dir = opendir(path);
    struct dirent *entry;

    if (!dir)
        return;
    arm(s, path, STR_NONE);
    for (size_t n = 0; n < s->w->o.most && (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        n++;
        see_entry(s, dirfd(dir), path, entry->d_name, depth, salt);
    }
    closedir(dir);
}

/* The nearest folder above that is there, and what in it would lead to the path. */
static void see_above(struct sight *s, const char *path)
{
    AUTO_ARENA mem = { 0 };
    char *folder = arena_cstr(&mem, str_of(path));
    struct stat st;
    char *slash;

    while ((slash = strrchr(folder, '/'))) {
        const char *above = slash == folder ? "/" : folder;
        struct str only = arena_str(&mem, str_of(slash + 1));

        *slash = 0;
        if (stat(above, &st) < 0)
            continue;
        s->anchors = salt_below(s->w, s->anchors * 31 + (uint64_t)st.st_ino, above);
        arm(s, above, only);
        return;
    }
}

static void see_path(struct sight *s, const struct file_watch_path *p, uint64_t salt)
{
    struct stat st;
    bool there = stat(p->path, &st) == 0;

    if (there)
        s->sum += sum_stat(s->w, salt, &st);
    see_above(s, p->path); /* also when it is there: it may be replaced */
    if (there && S_ISDIR(st.st_mode) && p->depth > 0)
        see_folder(s, p->path, p->depth - 1, salt);
}

static struct sight look(struct file_watch *w, bool arm_all)
{
    struct sight s = { .w = w, .arm = arm_all };

    for (size_t i = 0; i < w->o.paths; i++)
        see_path(&s, &w->o.path[i], i + 1);
    return s;
}

/* Watching begins before the last look, so that nothing falls between. */
static void arm_anew(struct file_watch *w)
{
    close_anchors(w);
    look(w, true);
}

bool file_watch_look(struct file_watch *w)
{
    struct sight s = look(w, false);
    bool changed = s.sum != w->seen;

    if (!changed && s.anchors == w->anchors_seen)
        return false;
    arm_anew(w);
    s = look(w, false);
    w->seen = s.sum;
    w->anchors_seen = s.anchors;
    return changed;
}

static void look_and_tell(struct file_watch *w)
{
    timer_clear(w->o.loop, &w->settle);
    if (file_watch_look(w))
        w->o.changed(w->o.ctx);
}

static void on_settled(struct timer *t)
{
    look_and_tell(CONTAINER_OF(t, struct file_watch, settle));
}

static void on_look(struct timer *t)
{
    struct file_watch *w = CONTAINER_OF(t, struct file_watch, look);

    timer_set(w->o.loop, t, w->o.look_ms, on_look);
    look_and_tell(w);
}

/* ---- life ---------------------------------------------------------------------------------- */

struct file_watch *file_watch_open(const struct file_watch_opts *o)
{
    struct file_watch *w = MEM_NEW(struct file_watch);
    struct sight s;

    w->o = *o;
    w->secret = hash_secret();
    arm_anew(w);
    s = look(w, false);
    w->seen = s.sum;
    w->anchors_seen = s.anchors;
    timer_set(o->loop, &w->look, o->look_ms, on_look);
    return w;
}

static void on_closed(struct post *p)
{
    struct file_watch *w = CONTAINER_OF(p, struct file_watch, closed);
    void (*done)(void *ctx) = w->done;
    void *ctx = w->done_ctx;

    mem_free(w);
    if (done)
        done(ctx);
}

void file_watch_close(struct file_watch *w, void (*done)(void *ctx), void *ctx)
{
    w->closing = true;
    w->done = done;
    w->done_ctx = ctx;
    w->closed.fn = on_closed;
    timer_clear(w->o.loop, &w->settle);
    timer_clear(w->o.loop, &w->look);
    close_anchors(w);
    finish_if_closed(w);
}
