#include "tool/local_workspace.h"

#include "base/base64.h"
#include "base/container.h"
#include "loop/job.h"
#include "tool/file/beneath.h"
#include "tool/local_terminal.h"

#include <fcntl.h>

/* The job settles the op, also when it is cancelled. */
static void local_cancel(struct op *op)
{
    (void)op;
}

static const struct op_kind local_read_kind = { .name = "local read", .cancel = local_cancel };
static const struct op_kind local_write_kind = { .name = "local write", .cancel = local_cancel };

/* ctx is the op of the reading or writing. */
static void on_local_job(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    if (e)
        op_fail(ctx, e);
    else
        op_ok(ctx);
}

/* ---- reading ----------------------------------------------------------------------------- */

struct local_read {
    struct job job; /* first */
    struct file_reading *r;
};

/* The first bytes identify an image, not its name. */
static const struct {
    struct str begins;
    size_t at; /* and at this offset */
    struct str then;
    const char *type;
} images[] = {
    { STR("\x89PNG\r\n\x1a\n"), 0, STR(""), "image/png" },
    { STR("\xff\xd8\xff"), 0, STR(""), "image/jpeg" },
    { STR("GIF8"), 5, STR("a"), "image/gif" },
    { STR("RIFF"), 8, STR("WEBP"), "image/webp" },
};

static const char *image_type(struct str content)
{
    for (size_t i = 0; i < ARRAY_LEN(images); i++)
        if (str_starts(content, images[i].begins) && content.n >= images[i].at &&
            str_starts(str_skip(content, images[i].at), images[i].then))
            return images[i].type;
    return NULL;
}

/* A file that will be written is found as the write finds it, link by link. */
static bool read_bytes(struct file_reading *r, struct str *out, struct err *e)
{
    int64_t most = r->host->limits->file_read_bytes;
    AUTO_ENTRY n = { .folder = -1 };

    if (!r->place.writes)
        return beneath_read(&r->place, r->mem, most, "file_read_bytes", out, e);
    return entry_through_links(&r->place, r->mem, &n, e) &&
           entry_read(&n, &r->place, r->mem, most, "file_read_bytes", out, e);
}

/* Images become text of the message that carries them, so they have a limit of their own. */
static bool read_on_pool(struct job *job, struct err *e)
{
    struct file_reading *r = CONTAINER_OF(job, struct local_read, job)->r;
    int64_t image_most = r->host->limits->image_bytes;
    struct str content;

    if (!read_bytes(r, &content, e))
        return false;
    r->image = r->takes_image ? image_type(content) : NULL;
    if (!r->image) {
        r->text = r->from_line > 1 || r->line_count
                      ? text_lines(content, r->from_line, r->line_count)
                      : content;
        return true;
    }
    if ((int64_t)content.n > image_most)
        return fail(e, ERR_LIMIT,
                    "the image has %zu bytes; at most %lld are shown "
                    "(the constant image_bytes)",
                    content.n, (long long)image_most);
    r->text = base64_encode(r->mem, BASE64_PLAIN, content);
    return true;
}

static void local_read(struct workspace *w, struct file_reading *r, struct op *parent,
                       op_done_fn *done, void *ctx)
{
    struct local_read *l = ARENA_NEW(r->mem, struct local_read);

    (void)w;
    l->r = r;
    op_begin(&r->op, &local_read_kind, r->host->loop, parent, done, ctx);
    job_start(&l->job, r->host->loop, &r->op, read_on_pool, on_local_job, &r->op);
}

/* ---- writing ----------------------------------------------------------------------------- */

struct local_write {
    struct job job; /* first */
    struct file_writing *f;
};

/* Does the file hold what the caller expects? */
static bool check_expected(struct file_writing *f, const struct dir_entry *n, struct err *e)
{
    struct str now;

    if (!f->expected.p)
        return true;
    return entry_read(n, &f->place, f->mem, f->host->limits->file_read_bytes, "file_read_bytes",
                      &now, e) &&
           (str_eq(now, f->expected) || workspace_fail_changed(&f->place, e));
}

static bool write_on_pool(struct job *job, struct err *e)
{
    struct file_writing *f = CONTAINER_OF(job, struct local_write, job)->f;
    AUTO_ENTRY n = { .folder = -1 };
    enum entry_was was;
    struct stat st;

    if (f->parents && !beneath_make_parents(&f->place, f->mem, e))
        return false;
    if (!entry_through_links(&f->place, f->mem, &n, e))
        return false;
    if (f->only_new && fstatat(n.folder, n.name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return workspace_fail_exists(&f->place, e);
    if (!check_expected(f, &n, e) || !entry_write(&n, &f->place, f->text, &was, e))
        return false;
    f->created = was == ENTRY_NEW;
    return true;
}

static void local_write(struct workspace *w, struct file_writing *f, struct op *parent,
                        op_done_fn *done, void *ctx)
{
    struct local_write *l = ARENA_NEW(f->mem, struct local_write);

    (void)w;
    l->f = f;
    op_begin(&f->op, &local_write_kind, f->host->loop, parent, done, ctx);
    job_start(&l->job, f->host->loop, &f->op, write_on_pool, on_local_job, &f->op);
}

static const struct workspace_kind local_kind = {
    .name = "local",
    .local = true,
    .read = local_read,
    .write = local_write,
    .run = local_terminal_run,
    .input = local_terminal_input,
    .kill = local_terminal_kill,
    .release = local_terminal_release,
};

struct workspace local_workspace = { &local_kind };
