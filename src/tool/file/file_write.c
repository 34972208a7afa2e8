/* file_write.c - creates a file inside the root, or replaces its content, atomically. */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/file/diff.h"
#include "tool/local_workspace.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

struct file_write {
    struct tool_job job; /* first; of the preview, and for its memory */
    struct file_writing writing;
    struct file_reading reading; /* of the preview */
    struct str old;
};

static void on_written(struct op *op, const struct err *e, void *ctx)
{
    struct file_write *f = ctx;
    struct call *call = f->job.call;

    (void)op;
    if (e) {
        tool_failed(call, e);
        return;
    }
    tool_wrote(call, &f->writing);
    call_text(call,
              arena_printf(call->mem, "%s " STR_FMT ": " COUNT_FMT,
                           f->writing.created ? "Created" : "Replaced",
                           STR_ARG(f->writing.place.given), COUNT_ARG(f->writing.text.n, "byte")));
    call_done(call);
}

/* From what it holds to what it will hold: all between the first and the last difference. */
static struct str diff_of(struct file_write *f)
{
    struct str fresh = f->writing.text, old = f->old;
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
    diff_put(&out, &f->job.mem, f->writing.place.given, old, &edit, 1);
    return out.n ? buf_str(&out) : STR("(the file already has this content)");
}

static bool run_diff(struct tool_job *w, struct err *e)
{
    (void)e;
    w->answer = diff_of(CONTAINER_OF(w, struct file_write, job));
    return true;
}

/*
 * Without the file, or the folder it will be in, all of it is new. A file that is too large to be
 * compared has no diff: the content is shown.
 */
static void on_old_text(struct op *op, const struct err *e, void *ctx)
{
    struct file_write *f = ctx;

    (void)op;
    f->old = e ? STR("") : f->reading.text;
    if (!e || e->code == ERR_NOT_FOUND)
        tool_job_start(&f->job, run_diff, tool_job_previewed);
    else if (e->code == ERR_LIMIT)
        tool_job_previewed(&f->job);
    else
        tool_failed(f->job.call, e);
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
        call_failed(call,
                    "content: %zu bytes; at most %lld are written (the constant file_write_bytes)",
                    args.content.n, (long long)most);
        return NULL;
    }
    f = TOOL_JOB_NEW(call, struct file_write);
    f->writing = (struct file_writing){ .host = call->host,
                                        .mem = &f->job.mem,
                                        .place = place,
                                        .text = args.content,
                                        .parents = args.parents,
                                        .only_new = args.only_new };
    return f;
}

static void start(struct call *call)
{
    struct file_write *f = begin(call);

    if (f)
        workspace_write(workspace_of(call->host), &f->writing, &call->op, on_written, f);
}

static void preview(struct call *call)
{
    struct file_write *f = begin(call);

    if (!f)
        return;
    f->reading =
        (struct file_reading){ .host = call->host, .mem = &f->job.mem, .place = f->writing.place };
    workspace_read(workspace_of(call->host), &f->reading, &call->op, on_old_text, f);
}

const struct tool tool_file_write = {
    .name = "file_write",
    .title = "Write a file",
    .description = "Create a text file inside the root folder, or replace its content. To change "
                   "part of a file, prefer file_edit.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"path\":{\"type\":\"string\","
                    "\"description\":\"Path, relative to the working folder.\"},"
                    "\"content\":{\"type\":\"string\",\"description\":\"The whole content.\"},"
                    "\"parents\":{\"type\":\"boolean\","
                    "\"description\":\"Create missing parent folders.\"},"
                    "\"only_new\":{\"type\":\"boolean\","
                    "\"description\":\"Fail if the file exists.\"}},"
                    "\"required\":[\"path\",\"content\"]}",
    .kind = TOOL_EDIT,
    .idempotent = true,
    .start = start,
    .preview = preview,
};
