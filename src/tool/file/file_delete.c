/*
 * file_delete.c - deletes a file or an empty folder inside the root; with an argument also a folder
 * that is not empty.
 *
 * For a symbolic link, the link is deleted, not its target. A tree is deleted from the leaves up.
 * Each entry is deleted with the descriptor of its parent folder, so that another process cannot
 * redirect the deletion by replacing a folder with a link.
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/utf8.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

struct file_delete {
    struct tool_job job; /* first */
    struct place place;
    bool recursive;
    int64_t removed;
};

static bool is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static bool remove_tree(struct file_delete *f, int folder, const char *name, int64_t depth,
                        struct err *e);

/* All that is in a folder; takes the descriptor over. */
static bool empty_folder(struct file_delete *f, int fd, int64_t depth, struct err *e)
{
    DIR *dir = fdopendir(fd);
    struct dirent *at;
    bool ok = true;

    if (!dir) {
        close(fd);
        return place_fail(&f->place, "list", e);
    }
    while (ok && (at = readdir(dir)))
        if (!is_dot(at->d_name))
            ok = remove_tree(f, dirfd(dir), at->d_name, depth + 1, e);
    closedir(dir);
    return ok;
}

static bool remove_folder(struct file_delete *f, int folder, const char *name, int64_t depth,
                          struct err *e)
{
    int64_t most = f->job.host->limits->walk_depth;
    int fd;

    if (f->recursive) {
        if (depth > most)
            return fail(e, ERR_LIMIT,
                        "folders are nested deeper than %lld (the constant walk_depth)",
                        (long long)most);
        fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            return place_fail(&f->place, "list the content of", e);
        if (!empty_folder(f, fd, depth, e))
            return false;
    }
    if (unlinkat(folder, name, AT_REMOVEDIR) < 0)
        return errno == ENOTEMPTY || errno == EEXIST
                   ? fail(e, ERR_INVALID,
                          STR_FMT " is a folder that is not empty; set \"recursive\" to delete it "
                                  "with its content",
                          STR_ARG(utf8_head(f->place.given, 100)))
                   : place_fail(&f->place, "delete", e);
    f->removed++;
    return true;
}

static bool remove_tree(struct file_delete *f, int folder, const char *name, int64_t depth,
                        struct err *e)
{
    struct stat st;

    if (tool_job_stopped(&f->job))
        return fail(e, ERR_CANCELED, "cancelled");
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return place_fail(&f->place, "delete", e);
    if (S_ISDIR(st.st_mode))
        return remove_folder(f, folder, name, depth, e);
    if (unlinkat(folder, name, 0) < 0)
        return place_fail(&f->place, "delete", e);
    f->removed++;
    return true;
}

static bool run(struct tool_job *w, struct err *e)
{
    struct file_delete *f = CONTAINER_OF(w, struct file_delete, job);
    AUTO_ENTRY n = { .folder = -1 };

    if (!entry_of(&f->place, &n, e))
        return false;
    if (!remove_tree(f, n.folder, n.name, 0, e)) {
        if (f->removed)
            fail_in(e, "%lld files and folders were deleted, then", (long long)f->removed);
        return false;
    }
    w->answer = arena_printf(&w->mem, "Deleted " STR_FMT, STR_ARG(f->place.given));
    if (f->removed > 1)
        w->answer = arena_printf(&w->mem, STR_FMT " (%lld files and folders)", STR_ARG(w->answer),
                                 (long long)f->removed);
    return true;
}

struct file_delete_args {
    struct str path;
    bool recursive;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("path", PICK_STR, struct file_delete_args, path, PICK_MUST),
    PICK_FIELD("recursive", PICK_BOOL, struct file_delete_args, recursive, 0),
};

static void start(struct call *call)
{
    struct file_delete_args args = { 0 };
    struct place place;
    struct file_delete *f;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) ||
        !tool_place_to_write(call, args.path, &place))
        return;
    f = TOOL_JOB_NEW(call, struct file_delete);
    f->place = place;
    f->recursive = args.recursive;
    tool_job_start(&f->job, run, NULL);
}

const struct tool tool_file_delete = {
    .name = "file_delete",
    .title = "Delete a file",
    .description = "Delete a file or an empty folder inside the root folder. With `recursive`, "
                   "delete a folder and its content. For a symbolic link, only the link is "
                   "deleted, not its target.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"path\":{\"type\":\"string\","
                    "\"description\":\"Path, relative to the working folder.\"},"
                    "\"recursive\":{\"type\":\"boolean\","
                    "\"description\":\"Delete the content of the folder, too.\"}},"
                    "\"required\":[\"path\"]}",
    .kind = TOOL_DELETE,
    .start = start,
};
