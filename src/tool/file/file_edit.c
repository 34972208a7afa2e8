/*
 * file_edit.c - replaces a text in a file.
 *
 * The file must contain the old text exactly one time. Otherwise the call fails, because a
 * replacement in the wrong place is worse than an error. The result shows the change.
 *
 * The file is read, the new text is computed on a pool thread, and the file is written if its
 * content has not changed since it was read.
 */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/file/diff.h"
#include "tool/local_workspace.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

struct file_edit {
    struct tool_job job; /* first */
    struct file_reading reading;
    struct file_writing writing;
    struct str old_text, new_text;
    bool all;
    bool preview; /* nothing is written */
};

static size_t count(struct str text, struct str what)
{
    ptrdiff_t at;
    size_t n = 0;

    for (; (at = str_find(text, what)) >= 0; n++)
        text = str_skip(text, (size_t)at + what.n);
    return n;
}

static bool check_count(const struct file_edit *f, size_t n, struct err *e)
{
    struct str path = utf8_head(f->reading.place.given, 100);
    int64_t most = f->job.host->limits->edit_places;

    if (!n)
        return fail(e, ERR_NOT_FOUND,
                    "old_text was not found in " STR_FMT
                    "; it must match exactly, including spaces",
                    STR_ARG(path));
    if (n > 1 && !f->all)
        return fail(e, ERR_INVALID,
                    "old_text occurs in " STR_FMT
                    " %zu times; include more of the surrounding text, or set replace_all",
                    STR_ARG(path), n);
    if ((int64_t)n > most)
        return fail(e, ERR_LIMIT,
                    "old_text occurs %zu times; at most %lld places are changed at once "
                    "(the constant edit_places)",
                    n, (long long)most);
    return true;
}

/* The edits, and the text that comes out. */
static struct str apply(struct file_edit *f, struct str text, struct diff_edit *edit, size_t n,
                        size_t max)
{
    struct buf out;
    size_t at = 0;

    buf_init_in(&out, &f->job.mem, max);
    for (size_t i = 0; i < n; i++) {
        size_t from = at + (size_t)str_find(str_skip(text, at), f->old_text);

        edit[i] = (struct diff_edit){ from, from + f->old_text.n, f->new_text };
        buf_put(&out, (struct str){ text.p + at, from - at });
        buf_put(&out, f->new_text);
        at = edit[i].to;
    }
    buf_put(&out, str_skip(text, at));
    return out.full ? STR_NONE : out.p ? buf_str(&out) : STR("");
}

static struct str show(struct file_edit *f, struct str text, const struct diff_edit *edit, size_t n)
{
    struct buf diff;

    buf_init_in(&diff, &f->job.mem, SIZE_MAX / 2);
    diff_put(&diff, &f->job.mem, f->reading.place.given, text, edit, n);
    return buf_str(&diff);
}

/* What the file will hold; the answer shows the difference. */
static bool compute_edit(struct tool_job *w, struct err *e)
{
    struct file_edit *f = CONTAINER_OF(w, struct file_edit, job);
    const struct limits *l = w->host->limits;
    struct str text = f->reading.text;
    size_t n = count(text, f->old_text);
    struct diff_edit *edit;

    if (!check_count(f, n, e))
        return false;
    edit = ARENA_ARRAY(&w->mem, struct diff_edit, n);
    f->writing.text = apply(f, text, edit, n, (size_t)l->file_write_bytes);
    if (!f->writing.text.p)
        return fail(e, ERR_LIMIT,
                    "the file would have more than %lld bytes (the constant file_write_bytes)",
                    (long long)l->file_write_bytes);
    w->answer = show(f, text, edit, n);
    return true;
}

static void on_edit_written(struct op *op, const struct err *e, void *ctx)
{
    struct file_edit *f = ctx;

    (void)op;
    if (e) {
        tool_failed(f->job.call, e);
        return;
    }
    tool_wrote(f->job.call, &f->writing);
    call_text(f->job.call, f->job.answer);
    call_done(f->job.call);
}

static void on_computed(struct tool_job *w)
{
    struct file_edit *f = CONTAINER_OF(w, struct file_edit, job);

    if (f->preview) {
        tool_job_previewed(w);
        return;
    }
    f->writing.host = w->host;
    f->writing.mem = &w->mem;
    f->writing.place = f->reading.place;
    f->writing.expected = f->reading.text;
    workspace_write(workspace_of(w->host), &f->writing, &w->call->op, on_edit_written, f);
}

static void on_edit_read(struct op *op, const struct err *e, void *ctx)
{
    struct file_edit *f = ctx;

    (void)op;
    if (e)
        tool_failed(f->job.call, e);
    else
        tool_job_start(&f->job, compute_edit, on_computed);
}

struct file_edit_args {
    struct str path, old_text, new_text;
    bool all;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("path", PICK_STR, struct file_edit_args, path, PICK_MUST),
    PICK_FIELD("old_text", PICK_STR, struct file_edit_args, old_text, PICK_MUST),
    PICK_FIELD("new_text", PICK_STR, struct file_edit_args, new_text, PICK_MUST),
    PICK_FIELD("replace_all", PICK_BOOL, struct file_edit_args, all, 0),
};

static void start_edit(struct call *call, bool preview)
{
    struct file_edit_args args = { 0 };
    struct place place;
    struct file_edit *f;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) ||
        !tool_place_to_write(call, args.path, &place))
        return;
    if (!args.old_text.n || str_eq(args.old_text, args.new_text)) {
        call_failed(call, "old_text must not be empty, and new_text must differ from it");
        return;
    }
    f = TOOL_JOB_NEW(call, struct file_edit);
    f->reading = (struct file_reading){ .host = call->host, .mem = &f->job.mem, .place = place };
    f->old_text = args.old_text;
    f->new_text = args.new_text;
    f->all = args.all;
    f->preview = preview;
    workspace_read(workspace_of(call->host), &f->reading, &call->op, on_edit_read, f);
}

static void start(struct call *call)
{
    start_edit(call, false);
}

static void preview(struct call *call)
{
    start_edit(call, true);
}

const struct tool tool_file_edit = {
    .name = "file_edit",
    .title = "Edit a file",
    .description = "Replace text in a file inside the root folder. `old_text` must match exactly, "
                   "and only once unless `replace_all` is true. Return a unified diff.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"path\":{\"type\":\"string\","
                    "\"description\":\"Path, relative to the working folder.\"},"
                    "\"old_text\":{\"type\":\"string\","
                    "\"description\":\"Text to replace, exactly as in the file.\"},"
                    "\"new_text\":{\"type\":\"string\","
                    "\"description\":\"Text to insert instead.\"},"
                    "\"replace_all\":{\"type\":\"boolean\","
                    "\"description\":\"Replace all occurrences.\"}},"
                    "\"required\":[\"path\",\"old_text\",\"new_text\"]}",
    .kind = TOOL_EDIT,
    .start = start,
    .preview = preview,
};
