/* file_list.c - lists all entries of a folder in the root: names, kinds and sizes. */
#include "base/container.h"
#include "tool/file/walk.h"
#include "tool/tools.h"

struct file_list {
    struct tool_job job; /* first */
    struct walk walk;
    struct place place;
    struct buf out;
    int64_t shown;
    bool cut;
};

/* One line: "src/", "README.md  4711", "link -> ", "pipe  (special)". */
static bool visit(struct walk *w, const struct walk_item *item)
{
    struct file_list *f = w->ctx;

    if (f->shown >= w->job->host->limits->list_entries) {
        f->cut = true;
        return false;
    }
    f->shown++;
    buf_put(&f->out, item->path);
    if (S_ISDIR(item->st.st_mode))
        buf_put(&f->out, STR("/\n"));
    else if (S_ISREG(item->st.st_mode))
        buf_printf(&f->out, "  %lld\n", (long long)item->st.st_size);
    else
        buf_put(&f->out, S_ISLNK(item->st.st_mode) ? STR("  (link)\n") : STR("  (special)\n"));
    return true;
}

static bool run(struct tool_job *w, struct err *e)
{
    struct file_list *f = CONTAINER_OF(w, struct file_list, job);

    buf_init_in(&f->out, &w->mem, (size_t)w->host->limits->message_bytes);
    if (!walk_run(&f->walk, &f->place, e))
        return false;
    if (!f->shown)
        buf_put(&f->out, STR("The folder is empty.\n"));
    if (f->cut)
        buf_printf(&f->out, "[truncated after %lld entries (the constant list_entries)]\n",
                   (long long)f->shown);
    f->out.n--; /* the last line end */
    buf_put(&f->out, walk_remarks(&f->walk, &w->mem));
    w->answer = buf_str(&f->out);
    return true;
}

struct file_list_args {
    struct str path;
    int64_t depth;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("path", PICK_STR, struct file_list_args, path, 0),
    PICK_RANGE("depth", struct file_list_args, depth, 0, 1, 100),
};

static void start(struct call *call)
{
    struct file_list_args args = { .path = STR("."), .depth = 1 };
    struct place place;
    struct file_list *f;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) || !tool_place(call, args.path, &place))
        return;
    f = TOOL_JOB_NEW(call, struct file_list);
    f->place = place;
    f->walk = (struct walk){
        .job = &f->job, .everything = true, .depth = args.depth, .visit = visit, .ctx = f
    };
    tool_job_start(&f->job, run, NULL);
}

const struct tool tool_file_list = {
    .name = "file_list",
    .title = "List a folder",
    .description =
        "List a folder, one entry per line: folders end in \"/\", files have their size in bytes. "
        "Omit .git.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"path\":{\"type\":\"string\",\"default\":\".\","
                    "\"description\":\"Path, relative to the working folder.\"},"
                    "\"depth\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,\"default\":1,"
                    "\"description\":\"Levels of folders to list.\"}}}",
    .kind = TOOL_READ,
    .read_only = true,
    .idempotent = true,
    .start = start,
};
