/*
 * undo_look.c - reads the files that a call of a built-in tool would change.
 *
 * The result is complete or there is none, because half a folder cannot be restored. If the files
 * are too large or cannot be read, the result is one image that reports that
 * (file_image.too_large). A call that will fail (wrong arguments, a path that leads out) changes
 * nothing, so it has no images.
 *
 * The image of a folder comes before those of its content. A move has images of the moved files at
 * the old path, and images with `absent` set at the new path.
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/pick.h"
#include "loop/job.h"
#include "tool/file/beneath.h"
#include "tool/file/undo.h"
#include "tool/tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

/* How the tools name what they change. */
struct undo_args {
    struct str path, to;
    bool parents, recursive;
};

static const struct pick path_fields[] = {
    PICK_FIELD("path", PICK_STR, struct undo_args, path, PICK_MUST),
    PICK_FIELD("parents", PICK_BOOL, struct undo_args, parents, 0),
    PICK_FIELD("recursive", PICK_BOOL, struct undo_args, recursive, 0),
};

static const struct pick move_fields[] = {
    PICK_FIELD("from", PICK_STR, struct undo_args, path, PICK_MUST),
    PICK_FIELD("to", PICK_STR, struct undo_args, to, PICK_MUST),
    PICK_FIELD("parents", PICK_BOOL, struct undo_args, parents, 0),
};

struct change {
    const struct tool *tool;
    bool links;         /* it changes what a link leads to, not the link */
    bool parents, tree; /* when the arguments do not say */
};

static const struct change changes[] = {
    { .tool = &tool_file_write, .links = true }, { .tool = &tool_file_edit, .links = true },
    { .tool = &tool_file_move, .tree = true },   { .tool = &tool_file_delete },
    { .tool = &tool_dir_make, .parents = true },
};

struct looking {
    struct job job; /* first */
    struct undo_look *look;
    const struct host *host;
    const struct change *change;
    struct undo_args args;
    struct place place, to;

    /* Of the pool thread, until its end; the images live in its memory. */
    struct arena mem;
    struct file_image *image;
    size_t n, room;
    int64_t bytes;
    bool too_much;
};

/* ---- on the pool thread ------------------------------------------------------------------ */

static void add(struct looking *k, struct file_image image)
{
    if ((int64_t)k->n >= k->host->limits->undo_files) {
        k->too_much = true;
        return;
    }
    if (k->n == k->room) {
        size_t room = k->room ? 2 * k->room : 8;

        k->image = arena_grow(&k->mem, k->image, k->room * sizeof(image), room * sizeof(image));
        k->room = room;
    }
    k->image[k->n++] = image;
    k->bytes += (int64_t)image.content.n;
}

static struct str below(struct looking *k, struct str folder, struct str name)
{
    return arena_printf(&k->mem, STR_FMT "/" STR_FMT, STR_ARG(folder), STR_ARG(name));
}

static void add_entry(struct looking *k, const struct dir_entry *n, struct str path, bool tree,
                      int64_t depth);

/* All that is in a folder; takes the descriptor over. */
static void add_content(struct looking *k, int fd, struct str path, int64_t depth)
{
    DIR *dir = fdopendir(fd);

    if (!dir) {
        close(fd);
        k->too_much = true;
        return;
    }
    while (!k->too_much) {
        struct dir_entry n = { .folder = dirfd(dir) };
        struct dirent *at;
        struct str name;

        errno = 0;
        at = readdir(dir);
        if (!at) {
            k->too_much = errno != 0;
            break;
        }
        name = str_of(at->d_name);
        if (str_eq(name, STR(".")) || str_eq(name, STR("..")))
            continue;
        str_to_c(name, n.name, sizeof(n.name));
        add_entry(k, &n, below(k, path, name), true, depth + 1);
    }
    closedir(dir);
}

static void add_folder(struct looking *k, const struct dir_entry *n, struct str path, int64_t mode,
                       bool tree, int64_t depth)
{
    int fd;

    add(k, (struct file_image){ .path = path, .mode = mode });
    if (!tree || k->too_much)
        return;
    fd = depth < k->host->limits->walk_depth
             ? openat(n->folder, n->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
             : -1;
    if (fd < 0)
        k->too_much = true;
    else
        add_content(k, fd, path, depth);
}

static void add_link(struct looking *k, const struct dir_entry *n, struct str path, int64_t mode)
{
    char target[PATH_MAX];
    ssize_t len = readlinkat(n->folder, n->name, target, sizeof(target));

    if (len < 0)
        k->too_much = true;
    else
        add(k, (struct file_image){
                   .path = path,
                   .mode = mode,
                   .content = arena_str(&k->mem, (struct str){ target, (size_t)len }),
               });
}

static void add_file(struct looking *k, const struct dir_entry *n, struct str path, int64_t mode)
{
    struct file_image image = { .path = path, .mode = mode };
    struct err e;

    if (entry_read(n, &k->place, &k->mem, k->host->limits->undo_bytes - k->bytes, "undo_bytes",
                   &image.content, &e))
        add(k, image);
    else
        k->too_much = true;
}

static void add_entry(struct looking *k, const struct dir_entry *n, struct str path, bool tree,
                      int64_t depth)
{
    struct stat st;

    if (fstatat(n->folder, n->name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        if (errno == ENOENT)
            add(k, (struct file_image){ .path = path, .absent = true });
        else
            k->too_much = true;
    } else if (S_ISDIR(st.st_mode)) {
        add_folder(k, n, path, st.st_mode, tree, depth);
    } else if (S_ISLNK(st.st_mode)) {
        add_link(k, n, path, st.st_mode);
    } else {
        add_file(k, n, path, st.st_mode); /* what is no regular file cannot be read */
    }
}

/* A place whose folder is not there yet: the folders that will be made, then what is in them. */
static void add_new(struct looking *k, const struct place *p)
{
    struct str path = str_of(p->path), known = STR_NONE, rest = path;

    while (rest.p) {
        struct str name = str_cut(&rest, '/');
        struct place at = *p;
        AUTO_ENTRY n = { .folder = -1 };
        struct stat st;
        struct err e;

        at.path = arena_cstr(&k->mem, str_head(path, (size_t)(name.p + name.n - path.p)));
        if (!known.p && !entry_of(&at, &n, &e))
            return;
        if (!known.p && fstatat(n.folder, n.name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            continue;
        known = known.p ? below(k, known, name) : entry_path(&n, &at, &k->mem);
        if (!known.p)
            return;
        add(k, (struct file_image){ .path = known, .absent = true });
    }
}

/* False: the call will fail. */
static bool add_place(struct looking *k, const struct place *p, bool tree)
{
    AUTO_ENTRY n = { .folder = -1 };
    size_t before = k->n;
    struct str path;
    struct err e;

    if (k->change->links ? entry_through_links(p, &k->mem, &n, &e) : entry_of(p, &n, &e)) {
        path = entry_path(&n, p, &k->mem);
        if (path.p)
            add_entry(k, &n, path, tree, 0);
    } else if (k->args.parents && e.code == ERR_NOT_FOUND) {
        add_new(k, p);
    }
    return k->n > before && !k->too_much;
}

/* What moves is absent where it goes to. */
static void add_moved(struct looking *k)
{
    size_t moved = k->n;
    struct str from = k->image[0].path, to;

    if (!add_place(k, &k->to, false))
        return;
    to = k->image[k->n - 1].path;
    for (size_t i = 1; i < moved; i++)
        add(k, (struct file_image){
                   .path = below(k, to, str_skip(k->image[i].path, from.n + 1)),
                   .absent = true,
               });
}

static bool on_pool(struct job *job, struct err *e)
{
    struct looking *k = CONTAINER_OF(job, struct looking, job);

    (void)e;
    if (add_place(k, &k->place, k->change->tree || k->args.recursive) && k->to.path)
        add_moved(k);
    return true;
}

/* ---- on the loop ------------------------------------------------------------------------- */

static void on_job_done(struct op *op, const struct err *e, void *ctx)
{
    struct looking *k = ctx;
    struct undo_look *l = k->look;

    (void)op;
    if (e) {
        op_fail(&l->op, e);
        return;
    }
    l->image = k->image;
    l->images = k->n;
    if (k->too_much) {
        l->image = ARENA_NEW(l->mem, struct file_image);
        *l->image = (struct file_image){
            .path = arena_printf(l->mem, "%s/%s", k->place.in.path, k->place.path),
            .too_large = true,
        };
        l->images = 1;
    }
    op_ok(&l->op);
}

/* The job is asked to stop as well, and settles it. */
static void cancel_look(struct op *op)
{
    (void)op;
}

static const struct op_kind look_kind = { .name = "undo look", .cancel = cancel_look };

static const struct change *change_of(const struct tool *tool)
{
    for (size_t i = 0; i < ARRAY_LEN(changes); i++)
        if (tool->start == changes[i].tool->start)
            return &changes[i];
    return NULL;
}

/* Which places the arguments mean. */
static bool plan(struct looking *k, struct arena *mem, struct json args)
{
    bool moves = k->change->tool == &tool_file_move;
    const struct pick *row = moves ? move_fields : path_fields;
    size_t rows = moves ? ARRAY_LEN(move_fields) : ARRAY_LEN(path_fields);
    struct err e;

    k->args.parents = k->change->parents;
    return json_type(args) == JSON_OBJECT && pick(mem, args, row, rows, 0, &k->args, &e) &&
           place_to_write(k->host, k->look->vault_only, mem, k->args.path, &k->place, &e) &&
           (!moves || place_to_write(k->host, k->look->vault_only, mem, k->args.to, &k->to, &e));
}

static void free_mem(void *ptr)
{
    arena_fini(ptr);
}

void undo_look_start(struct undo_port *p, struct undo_look *l, struct op *parent, op_done_fn *done,
                     void *ctx)
{
    struct looking *k = ARENA_NEW(l->mem, struct looking);

    (void)p;
    *k = (struct looking){ .look = l, .host = l->host, .change = change_of(l->tool) };
    l->image = NULL;
    l->images = 0;
    op_begin(&l->op, &look_kind, l->host->loop, parent, done, ctx);
    if (!k->change || !plan(k, l->mem, l->args)) {
        op_ok(&l->op);
        return;
    }
    arena_defer(l->mem, free_mem, &k->mem);
    job_start(&k->job, l->host->loop, &l->op, on_pool, on_job_done, k);
}
