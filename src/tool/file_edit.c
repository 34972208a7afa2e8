/*
 * file_edit.c - replace a text inside a file by another one.
 *
 * The old text must be there exactly as given, and once: a replacement in a place nobody meant
 * is worse than none. The answer shows what changed.
 */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/diff.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

struct file_edit {
    struct tool_job job; /* first */
    struct place place;
    struct str old_text, new_text;
    bool all;
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
    struct str path = utf8_head(f->place.given, 100);
    int64_t most = f->job.host->limits->edit_places;

    if (!n)
        return fail(e, ERR_NOT_FOUND,
                    "old_text is not in " STR_FMT "; it must match exactly, with all spaces",
                    STR_ARG(path));
    if (n > 1 && !f->all)
        return fail(e, ERR_INVALID,
                    "old_text is in " STR_FMT " %zu times; give more of its surroundings, or "
                    "replace_all",
                    STR_ARG(path), n);
    if ((int64_t)n > most)
        return fail(e, ERR_LIMIT,
                    "old_text is there %zu times; at most %lld places are changed at once "
                    "(limits.edit_places)",
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
    diff_put(&diff, &f->job.mem, f->place.given, text, edit, n);
    return buf_str(&diff);
}

/* Opens the file and finds out what it will hold; the answer shows the difference. */
static bool change(struct file_edit *f, struct dir_entry *entry, struct str *out, struct err *e)
{
    const struct limits *l = f->job.host->limits;
    struct arena *mem = &f->job.mem;
    struct diff_edit *edit;
    struct str text;
    size_t n;

    if (!entry_through_links(&f->place, mem, entry, e) ||
        !entry_read(entry, &f->place, mem, l->file_read_bytes, "file_read_bytes", &text, e))
        return false;
    n = count(text, f->old_text);
    if (!check_count(f, n, e))
        return false;
    edit = ARENA_ARRAY(mem, struct diff_edit, n);
    *out = apply(f, text, edit, n, (size_t)l->file_write_bytes);
    if (!out->p)
        return fail(e, ERR_LIMIT,
                    "the file would have more than %lld bytes (limits.file_write_bytes)",
                    (long long)l->file_write_bytes);
    f->job.answer = show(f, text, edit, n);
    return true;
}

static bool run(struct tool_job *w, struct err *e)
{
    struct file_edit *f = CONTAINER_OF(w, struct file_edit, job);
    AUTO_ENTRY entry = { .folder = -1 };
    enum entry_was was;
    struct str fresh;

    return change(f, &entry, &fresh, e) && entry_write(&entry, &f->place, fresh, &was, e);
}

static bool run_preview(struct tool_job *w, struct err *e)
{
    struct file_edit *f = CONTAINER_OF(w, struct file_edit, job);
    AUTO_ENTRY entry = { .folder = -1 };
    struct str fresh;

    return change(f, &entry, &fresh, e);
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

/* NULL: the call has failed with the reason. */
static struct file_edit *begin(struct call *call)
{
    struct file_edit_args args = { 0 };
    struct place place;
    struct file_edit *f;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) ||
        !tool_place_to_write(call, args.path, &place))
        return NULL;
    if (!args.old_text.n || str_eq(args.old_text, args.new_text)) {
        call_failed(call, "old_text must not be empty, and new_text must differ from it");
        return NULL;
    }
    f = TOOL_JOB_NEW(call, struct file_edit);
    f->place = place;
    f->old_text = args.old_text;
    f->new_text = args.new_text;
    f->all = args.all;
    return f;
}

static void start(struct call *call)
{
    struct file_edit *f = begin(call);

    if (f)
        tool_job_start(&f->job, run, NULL);
}

static void preview(struct call *call)
{
    struct file_edit *f = begin(call);

    if (f)
        tool_job_start(&f->job, run_preview, tool_job_previewed);
}

const struct tool tool_file_edit = {
    .name = "file_edit",
    .title = "Edit a file",
    .description = "Replaces a text inside a file of the root folder. old_text must match exactly "
                   "and occur once, unless replace_all is given. Answers with a unified diff.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"path\":{\"type\":\"string\",\"minLength\":1,"
                    "\"description\":\"File to edit, relative to the working folder.\"},"
                    "\"old_text\":{\"type\":\"string\",\"minLength\":1,"
                    "\"description\":\"The text to replace, exactly as it stands there.\"},"
                    "\"new_text\":{\"type\":\"string\","
                    "\"description\":\"What shall stand there instead.\"},"
                    "\"replace_all\":{\"type\":\"boolean\","
                    "\"description\":\"Replace it in every place.\"}},"
                    "\"required\":[\"path\",\"old_text\",\"new_text\"],"
                    "\"additionalProperties\":false}",
    .kind = TOOL_EDIT,
    .start = start,
    .preview = preview,
};
