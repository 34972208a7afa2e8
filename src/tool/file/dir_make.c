/* dir_make.c - creates a folder inside the root, and its missing parent folders. */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

#include <errno.h>
#include <fcntl.h>

struct dir_make {
    struct tool_job job; /* first */
    struct place place;
    bool parents;
};

/* A folder that is there is as good as a new one; anything else is not. */
static bool was_there(const struct dir_make *d, struct err *e)
{
    int fd;

    if (!beneath_open(&d->place, O_PATH | O_DIRECTORY, 0, &fd, e))
        return fail(e, ERR_INVALID, STR_FMT " already exists and is not a folder",
                    STR_ARG(utf8_head(d->place.given, 100)));
    close(fd);
    return true;
}

static bool run(struct tool_job *w, struct err *e)
{
    struct dir_make *d = CONTAINER_OF(w, struct dir_make, job);
    AUTO_ENTRY n = { .folder = -1 };
    bool made;

    if (d->parents && !beneath_make_parents(&d->place, &w->mem, e))
        return false;
    if (!entry_of(&d->place, &n, e))
        return false;
    made = mkdirat(n.folder, n.name, 0777) == 0;
    if (!made && errno != EEXIST)
        return place_fail(&d->place, "make", e);
    if (!made && !was_there(d, e))
        return false;
    w->answer = arena_printf(&w->mem, "%s " STR_FMT,
                             made ? "Made" : "Already exists:", STR_ARG(d->place.given));
    return true;
}

struct dir_make_args {
    struct str path;
    bool parents;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("path", PICK_STR, struct dir_make_args, path, PICK_MUST),
    PICK_FIELD("parents", PICK_BOOL, struct dir_make_args, parents, 0),
};

static void start(struct call *call)
{
    struct dir_make_args args = { .parents = true };
    struct place place;
    struct dir_make *d;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) ||
        !tool_place_to_write(call, args.path, &place))
        return;
    d = TOOL_JOB_NEW(call, struct dir_make);
    d->place = place;
    d->parents = args.parents;
    tool_job_start(&d->job, run, NULL);
}

const struct tool tool_dir_make = {
    .name = "dir_make",
    .title = "Make a folder",
    .description = "Create a folder inside the root folder. Leave an existing "
                   "folder unchanged.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"path\":{\"type\":\"string\","
                    "\"description\":\"Path, relative to the working folder.\"},"
                    "\"parents\":{\"type\":\"boolean\",\"default\":true,"
                    "\"description\":\"Create missing parent folders.\"}},"
                    "\"required\":[\"path\"]}",
    .kind = TOOL_EDIT,
    .idempotent = true,
    .additive = true,
    .start = start,
};
