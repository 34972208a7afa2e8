/* file_write.c - create a file inside the root, or replace what it holds. All or nothing. */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/tools.h"
#include "tool/work.h"

#include <fcntl.h>

struct file_write {
    struct work work; /* first */
    struct place place;
    struct str content;
    bool parents, only_new;
};

static bool run(struct work *w, struct err *e)
{
    struct file_write *f = CONTAINER_OF(w, struct file_write, work);
    AUTO_ENTRY n = { .folder = -1 };
    enum entry_was was;
    struct stat st;

    if (f->parents && !beneath_make_parents(&f->place, &w->mem, e))
        return false;
    if (!entry_through_links(&f->place, &w->mem, &n, e))
        return false;
    if (f->only_new && fstatat(n.folder, n.name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return fail(e, ERR_INVALID, STR_FMT " is there already and only_new was asked for",
                    STR_ARG(utf8_head(f->place.given, 100)));
    if (!entry_write(&n, &f->place, f->content, &was, e))
        return false;
    w->answer = arena_printf(&w->mem, "%s " STR_FMT ": " COUNT_FMT,
                             was == ENTRY_NEW ? "Created" : "Replaced", STR_ARG(f->place.given),
                             COUNT_ARG(f->content.n, "byte"));
    return true;
}

struct args {
    struct str path, content;
    bool parents, only_new;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("path", PICK_STR, struct args, path, PICK_MUST),
    PICK_FIELD("content", PICK_STR, struct args, content, PICK_MUST),
    PICK_FIELD("parents", PICK_BOOL, struct args, parents, 0),
    PICK_FIELD("only_new", PICK_BOOL, struct args, only_new, 0),
};

static void start(struct call *call)
{
    int64_t most = call->host->limits->file_write_bytes;
    struct args args = { 0 };
    struct place place;
    struct file_write *f;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) ||
        !tool_place_to_write(call, args.path, &place))
        return;
    if ((int64_t)args.content.n > most) {
        call_failed(call, "content: %zu bytes; at most %lld are written (limits.file_write_bytes)",
                    args.content.n, (long long)most);
        return;
    }
    f = WORK_NEW(call, struct file_write);
    f->place = place;
    f->content = args.content;
    f->parents = args.parents;
    f->only_new = args.only_new;
    work_start(&f->work, run, NULL);
}

const struct tool tool_file_write = {
    .name = "file_write",
    .title = "Write a file",
    .description = "Creates a text file inside the root folder or replaces all it holds. To change "
                   "a part of a file, file_edit is safer.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"path\":{\"type\":\"string\",\"minLength\":1,"
                    "\"description\":\"File to write, relative to the working folder.\"},"
                    "\"content\":{\"type\":\"string\",\"description\":\"All it will hold.\"},"
                    "\"parents\":{\"type\":\"boolean\","
                    "\"description\":\"Make the folders above it where they are missing.\"},"
                    "\"only_new\":{\"type\":\"boolean\","
                    "\"description\":\"Fail when the file is there already.\"}},"
                    "\"required\":[\"path\",\"content\"],\"additionalProperties\":false}",
    .kind = TOOL_EDIT,
    .idempotent = true,
    .start = start,
};
