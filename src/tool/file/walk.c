#include "tool/file/walk.h"

#include "base/auto.h"
#include "core/guard/path_rules.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>

enum { PATH_MOST = 1 << 16 };

/* ---- one folder -------------------------------------------------------------------------- */

struct names {
    char **v;
    size_t n, room;
};

static bool is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All names of a folder, sorted; at most as many as the walk may still see. */
static void read_names(struct walk *w, DIR *dir, struct arena *mem, struct names *out)
{
    int64_t most = w->job->host->limits->walk_entries;
    struct dirent *at;

    while (!tool_job_stopped(w->job) && (at = readdir(dir))) {
        if (is_dot(at->d_name))
            continue;
        if (w->seen + (int64_t)out->n >= most) {
            w->cut = true;
            break;
        }
        if (out->n == out->room) {
            size_t room = out->room ? 2 * out->room : 64;

            out->v = arena_grow(mem, out->v, out->room * sizeof(*out->v), room * sizeof(*out->v));
            out->room = room;
        }
        out->v[out->n++] = arena_cstr(mem, str_of(at->d_name));
    }
    if (out->n)
        qsort(out->v, out->n, sizeof(*out->v), by_name);
}

/* ---- what is ignored --------------------------------------------------------------------- */

/* The rules of a folder, if it has any; a strange .gitignore says nothing. */
static const struct ignore *read_rules(struct walk *w, int folder, struct str at,
                                       const struct ignore *above, struct arena *mem)
{
    const struct dir_entry n = { .folder = folder, .name = ".gitignore" };
    const struct place p = { .given = STR(".gitignore") };
    struct str text;
    struct err e;

    if (w->everything ||
        !entry_read(&n, &p, mem, w->job->host->limits->ignore_bytes, "ignore_bytes", &text, &e))
        return above;
    return ignore_read(mem, text, arena_str(mem, at), above);
}

/* Those of the folders above the starting one; its own come with the walk. */
static const struct ignore *rules_above(struct walk *w, const struct place *from, struct arena *mem)
{
    const struct ignore *rules = NULL;

    for (size_t i = 0; i < w->prefix.n; i++) {
        struct place at = *from;
        AUTO_FD fd = -1;
        struct err e;

        if (i > 0 && w->prefix.p[i - 1] != '/')
            continue;
        at.path = i ? arena_cstr(mem, str_head(w->prefix, i)) : ".";
        at.rules = NULL; /* they are about what is shown */
        if (beneath_open(&at, O_PATH | O_DIRECTORY, 0, &fd, &e))
            rules = read_rules(w, fd, str_head(w->prefix, i), rules, mem);
    }
    return rules;
}

static bool leave_out(const struct walk *w, const struct ignore *rules, const char *name,
                      bool is_folder, struct arena *mem)
{
    if (str_eq(str_of(name), STR(".git")))
        return true;
    if (!rules)
        return false;
    return ignored(
        rules, arena_printf(mem, STR_FMT STR_FMT, STR_ARG(w->prefix), STR_ARG(buf_str(&w->path))),
        is_folder);
}

static bool denied(const struct walk *w, struct arena *mem)
{
    struct str path = buf_str(&w->path);
    struct err e;

    if (!w->rules)
        return false;
    if (w->begin.n)
        path = arena_printf(mem, STR_FMT "/" STR_FMT, STR_ARG(w->begin), STR_ARG(path));
    return !path_rules_check(w->rules, path, &e);
}

/* The folder of logs by whatever name. */
static bool is_hidden(const struct walk *w, const struct stat *st)
{
    return w->hides_logs && st->st_dev == w->logs.st_dev && st->st_ino == w->logs.st_ino;
}

/* ---- walking ----------------------------------------------------------------------------- */

static void walk_folder(struct walk *w, int fd, const struct ignore *above, int64_t depth);

static void go_below(struct walk *w, const struct walk_item *item, const struct ignore *rules,
                     int64_t depth)
{
    const struct limits *l = w->job->host->limits;
    int fd;

    if (w->depth && depth >= w->depth)
        return;
    fd = depth < l->walk_depth
             ? openat(item->folder, item->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
             : -1;
    if (fd < 0) {
        w->unread++;
        return;
    }
    buf_putc(&w->path, '/');
    walk_folder(w, fd, rules, depth);
}

static void look_at(struct walk *w, int folder, const char *name, const struct ignore *rules,
                    int64_t depth)
{
    struct walk_item item = { .name = name, .folder = folder };
    AUTO_ARENA mem = { 0 };
    bool is_folder;

    if (fstatat(folder, name, &item.st, AT_SYMLINK_NOFOLLOW) < 0) /* gone meanwhile */
        return;
    is_folder = S_ISDIR(item.st.st_mode);
    if (is_folder && is_hidden(w, &item.st))
        return;
    if (leave_out(w, rules, name, is_folder, &mem) || denied(w, &mem))
        return;
    item.path = arena_str(&mem, buf_str(&w->path));
    if (!w->visit(w, &item))
        w->over = true;
    else if (is_folder)
        go_below(w, &item, rules, depth);
}

/* Takes the descriptor over. */
static void walk_folder(struct walk *w, int fd, const struct ignore *above, int64_t depth)
{
    AUTO_ARENA mem = { 0 };
    DIR *dir = fdopendir(fd);
    size_t base = w->path.n;
    struct names names = { 0 };
    const struct ignore *rules;
    struct str at;

    if (!dir) {
        close(fd);
        w->unread++;
        return;
    }
    at = arena_printf(&mem, STR_FMT STR_FMT, STR_ARG(w->prefix), STR_ARG(buf_str(&w->path)));
    rules = read_rules(w, dirfd(dir), at, above, &mem);
    read_names(w, dir, &mem, &names);
    for (size_t i = 0; i < names.n && !w->over && !tool_job_stopped(w->job); i++) {
        w->path.n = base;
        w->seen++;
        if (buf_put(&w->path, str_of(names.v[i])))
            look_at(w, dirfd(dir), names.v[i], rules, depth + 1);
    }
    w->path.n = base;
    closedir(dir);
}

/* Where the walk begins, as .gitignore files count: nothing, when the path makes detours. */
static struct str prefix_of(struct arena *mem, const struct place *from)
{
    struct str rest = str_of(from->path), out = STR("");

    while (rest.p) {
        struct str part = str_cut(&rest, '/');

        if (str_eq(part, STR("..")))
            return STR("");
        if (part.n && !str_eq(part, STR(".")))
            out = arena_printf(mem, STR_FMT STR_FMT "/", STR_ARG(out), STR_ARG(part));
    }
    return out;
}

bool walk_run(struct walk *w, const struct place *from, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF path = { 0 };
    int fd;

    if (!beneath_open(from, O_RDONLY | O_DIRECTORY, 0, &fd, e))
        return false;
    buf_init(&path, PATH_MOST);
    w->path = path;
    w->prefix = prefix_of(&mem, from);
    w->rules = from->rules;
    w->hides_logs = from->hides_logs && fstatat(from->root_fd, ".trefoil/logs", &w->logs, 0) == 0;
    w->begin = w->rules ? beneath_path(from, fd, &mem) : STR_NONE;
    walk_folder(w, fd, w->everything ? NULL : rules_above(w, from, &mem), 0);
    path = w->path;
    return !tool_job_stopped(w->job) || fail(e, ERR_CANCELED, "cancelled");
}

struct str walk_full_path(struct arena *mem, const struct place *from, struct str path)
{
    struct str base = from->given;

    while (base.n && base.p[base.n - 1] == '/')
        base.n--;
    while (str_starts(base, STR("./")))
        base = str_skip(base, 2);
    if (from->given.p[0] != '/' && (!base.n || str_eq(base, STR("."))))
        return arena_str(mem, path);
    return arena_printf(mem, STR_FMT "/" STR_FMT, STR_ARG(base), STR_ARG(path));
}

struct str walk_remarks(const struct walk *w, struct arena *mem)
{
    const struct limits *l = w->job->host->limits;
    struct str cut = STR(""), unread = STR("");

    if (w->cut)
        cut = arena_printf(mem, "\n[stopped after %lld entries (the constant walk_entries)]",
                           (long long)l->walk_entries);
    if (w->unread)
        unread = arena_printf(mem, "\n[skipped " COUNT_FMT ": unreadable or nested too deeply]",
                              COUNT_ARG(w->unread, "folder"));
    return arena_printf(mem, STR_FMT STR_FMT, STR_ARG(cut), STR_ARG(unread));
}
