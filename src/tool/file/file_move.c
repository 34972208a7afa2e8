/* file_move.c - moves or renames a file or folder inside the root. */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

#include <errno.h>
#include <stdio.h>

struct file_move {
    struct tool_job job; /* first */
    struct place from, to;
    bool parents, replace;
};

static bool fail_move(const struct file_move *f, struct err *e)
{
    if (errno == EEXIST || errno == ENOTEMPTY)
        return fail(e, ERR_INVALID, STR_FMT " already exists%s",
                    STR_ARG(utf8_head(f->to.given, 100)),
                    f->replace ? "" : "; set `replace` to replace it");
    if (errno == EXDEV)
        return fail(e, ERR_INVALID, STR_FMT " and " STR_FMT " are on different file systems",
                    STR_ARG(utf8_head(f->from.given, 80)), STR_ARG(utf8_head(f->to.given, 80)));
    return place_fail(&f->from, "move", e);
}

static bool run(struct tool_job *w, struct err *e)
{
    struct file_move *f = CONTAINER_OF(w, struct file_move, job);
    AUTO_ENTRY from = { .folder = -1 };
    AUTO_ENTRY to = { .folder = -1 };

    if (!entry_of(&f->from, &from, e))
        return false;
    if (f->parents && !beneath_make_parents(&f->to, &w->mem, e))
        return false;
    if (!entry_of(&f->to, &to, e))
        return false;
    if (renameat2(from.folder, from.name, to.folder, to.name, f->replace ? 0 : RENAME_NOREPLACE) <
        0)
        return fail_move(f, e);
    w->answer = arena_printf(&w->mem, "Moved " STR_FMT " to " STR_FMT, STR_ARG(f->from.given),
                             STR_ARG(f->to.given));
    return true;
}

struct file_move_args {
    struct str from, to;
    bool parents, replace;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("from", PICK_STR, struct file_move_args, from, PICK_MUST),
    PICK_FIELD("to", PICK_STR, struct file_move_args, to, PICK_MUST),
    PICK_FIELD("parents", PICK_BOOL, struct file_move_args, parents, 0),
    PICK_FIELD("replace", PICK_BOOL, struct file_move_args, replace, 0),
};

static void start(struct call *call)
{
    struct file_move_args args = { 0 };
    struct place from, to;
    struct file_move *f;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) ||
        !tool_place_to_write(call, args.from, &from) || !tool_place_to_write(call, args.to, &to))
        return;
    f = TOOL_JOB_NEW(call, struct file_move);
    f->from = from;
    f->to = to;
    f->parents = args.parents;
    f->replace = args.replace;
    tool_job_start(&f->job, run, NULL);
}

const struct tool tool_file_move = {
    .name = "file_move",
    .title = "Move a file",
    .description = "Move or rename a file or folder inside the root folder. Fail if the target "
                   "exists, unless `replace` is true.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"from\":{\"type\":\"string\","
                    "\"description\":\"Path, relative to the working folder.\"},"
                    "\"to\":{\"type\":\"string\","
                    "\"description\":\"New path, including the name.\"},"
                    "\"parents\":{\"type\":\"boolean\","
                    "\"description\":\"Create missing parent folders.\"},"
                    "\"replace\":{\"type\":\"boolean\","
                    "\"description\":\"Replace a file at the new path.\"}},"
                    "\"required\":[\"from\",\"to\"]}",
    .kind = TOOL_MOVE,
    .start = start,
};
