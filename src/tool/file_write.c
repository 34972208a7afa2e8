/* file_write.c - create a file inside the root, or replace what it holds. All or nothing. */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/diff.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

#include <fcntl.h>

struct file_write {
    struct tool_job job; /* first */
    struct place place;
    struct str content;
    bool parents, only_new;
};

static bool run(struct tool_job *w, struct err *e)
{
    struct file_write *f = CONTAINER_OF(w, struct file_write, job);
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

/* From what it holds to what it will hold: all between the first and the last difference. */
static struct str diff_of(struct file_write *f, struct str old)
{
    struct str fresh = f->content;
    size_t head = 0, tail = 0, most = old.n < fresh.n ? old.n : fresh.n;
    struct diff_edit edit;
    struct buf out;

    while (head < most && old.p[head] == fresh.p[head])
        head++;
    while (tail < most - head && old.p[old.n - 1 - tail] == fresh.p[fresh.n - 1 - tail])
        tail++;
    edit = (struct diff_edit){ head, old.n - tail,
                               str_head(str_skip(fresh, head), fresh.n - tail - head) };
    buf_init_in(&out, &f->job.mem, SIZE_MAX / 2);
    diff_put(&out, &f->job.mem, f->place.given, old, &edit, 1);
    return out.n ? buf_str(&out) : STR("(the file holds this already)");
}

/*
 * Without the file, or the folder it will be in, all of it is new. A file that is too large to be
 * compared has no diff: the content is shown.
 */
static bool run_preview(struct tool_job *w, struct err *e)
{
    struct file_write *f = CONTAINER_OF(w, struct file_write, job);
    int64_t most = w->host->limits->file_read_bytes;
    AUTO_ENTRY n = { .folder = -1 };
    struct str old = STR("");

    if (entry_through_links(&f->place, &w->mem, &n, e) &&
        entry_read(&n, &f->place, &w->mem, most, "file_read_bytes", &old, e))
        w->answer = diff_of(f, old);
    else if (e->code == ERR_NOT_FOUND)
        w->answer = diff_of(f, STR(""));
    else
        return e->code == ERR_LIMIT;
    return true;
}

struct file_write_args {
    struct str path, content;
    bool parents, only_new;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("path", PICK_STR, struct file_write_args, path, PICK_MUST),
    PICK_FIELD("content", PICK_STR, struct file_write_args, content, PICK_MUST),
    PICK_FIELD("parents", PICK_BOOL, struct file_write_args, parents, 0),
    PICK_FIELD("only_new", PICK_BOOL, struct file_write_args, only_new, 0),
};

/* NULL: the call has failed with the reason. */
static struct file_write *begin(struct call *call)
{
    int64_t most = call->host->limits->file_write_bytes;
    struct file_write_args args = { 0 };
    struct place place;
    struct file_write *f;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) ||
        !tool_place_to_write(call, args.path, &place))
        return NULL;
    if ((int64_t)args.content.n > most) {
        call_failed(call, "content: %zu bytes; at most %lld are written (limits.file_write_bytes)",
                    args.content.n, (long long)most);
        return NULL;
    }
    f = TOOL_JOB_NEW(call, struct file_write);
    f->place = place;
    f->content = args.content;
    f->parents = args.parents;
    f->only_new = args.only_new;
    return f;
}

static void start(struct call *call)
{
    struct file_write *f = begin(call);

    if (f)
        tool_job_start(&f->job, run, NULL);
}

static void preview(struct call *call)
{
    struct file_write *f = begin(call);

    if (f)
        tool_job_start(&f->job, run_preview, tool_job_previewed);
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
    .preview = preview,
};
