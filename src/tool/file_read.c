/*
 * file_read.c - a file inside the root: text, whole or some of its lines; or an image.
 *
 * What is an image is told by its first bytes, not by its name.
 */
#include "base/base64.h"
#include "base/container.h"
#include "base/utf8.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

struct file_read {
    struct tool_job job; /* first */
    struct place place;
    int64_t line, lines;
    struct str content;
    const char *image; /* its MIME type; NULL: text */
};

/* ---- on the pool thread ------------------------------------------------------------------ */

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

/* Images become text of the message that carries them, so they have a bound of their own. */
static bool run(struct tool_job *w, struct err *e)
{
    struct file_read *f = CONTAINER_OF(w, struct file_read, job);
    const struct limits *l = w->host->limits;

    if (!beneath_read(&f->place, &w->mem, l->file_read_bytes, "file_read_bytes", &f->content, e))
        return false;
    f->image = image_type(f->content);
    if (!f->image)
        return true;
    if ((int64_t)f->content.n > l->image_bytes)
        return fail(e, ERR_LIMIT,
                    "the image has %zu bytes; at most %lld are shown "
                    "(limits.image_bytes)",
                    f->content.n, (long long)l->image_bytes);
    f->content = base64_encode(&w->mem, BASE64_PLAIN, f->content);
    return true;
}

/* ---- on the loop ------------------------------------------------------------------------- */

/* Lines `line` to `line + lines - 1`, counted from 1. */
static struct str pick_lines(struct str text, int64_t line, int64_t lines)
{
    const char *from = text.p, *end = text.p + text.n, *to;

    for (; line > 1 && from < end; line--) {
        const char *nl = memchr(from, '\n', (size_t)(end - from));

        from = nl ? nl + 1 : end;
    }
    for (to = from; lines > 0 && to < end; lines--) {
        const char *nl = memchr(to, '\n', (size_t)(end - to));

        to = nl ? nl + 1 : end;
    }
    return (struct str){ from, (size_t)(to - from) };
}

static void tell_image(struct file_read *f)
{
    struct call *call = f->job.call;
    struct buf block;
    struct jw w = jw_to(&block);

    buf_init_in(&block, call->mem, f->content.n + 256);
    jw_object(&w);
    jw_kstr(&w, "type", STR("image"));
    jw_kstr(&w, "data", f->content);
    jw_kstr(&w, "mimeType", str_of(f->image));
    jw_object_end(&w);
    call_block(call, buf_str(&block));
    call_done(call);
}

static void told(struct tool_job *w)
{
    struct file_read *f = CONTAINER_OF(w, struct file_read, job);
    struct str text = f->content;
    size_t valid;

    if (f->image) {
        tell_image(f);
        return;
    }
    if (f->line > 1 || f->lines)
        text = pick_lines(text, f->line, f->lines ? f->lines : INT64_MAX);
    valid = utf8_valid(text);
    if (valid < text.n || str_find_byte(text, 0) >= 0) {
        call_failed(w->call, STR_FMT " is not UTF-8 text (byte %zu)",
                    STR_ARG(utf8_head(f->place.given, 100)), valid);
        return;
    }
    call_text(w->call, text);
    call_done(w->call);
}

struct file_read_args {
    struct str path;
    int64_t line, lines;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("path", PICK_STR, struct file_read_args, path, PICK_MUST),
    PICK_RANGE("line", struct file_read_args, line, 0, 1, INT32_MAX),
    PICK_RANGE("lines", struct file_read_args, lines, 0, 1, INT32_MAX),
};

static void start(struct call *call)
{
    struct file_read_args args = { .line = 1 };
    struct place place;
    struct file_read *f;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) || !tool_place(call, args.path, &place))
        return;
    f = TOOL_JOB_NEW(call, struct file_read);
    f->place = place;
    f->line = args.line;
    f->lines = args.lines;
    tool_job_start(&f->job, run, told);
}

const struct tool tool_file_read = {
    .name = "file_read",
    .title = "Read a file",
    .description = "Reads a file inside the root folder: text, whole or some of its lines, or an "
                   "image (PNG, JPEG, GIF, WebP).",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"path\":{\"type\":\"string\",\"minLength\":1,"
                    "\"description\":\"File to read, relative to the working folder.\"},"
                    "\"line\":{\"type\":\"integer\",\"minimum\":1,"
                    "\"description\":\"First line to return, counted from 1.\"},"
                    "\"lines\":{\"type\":\"integer\",\"minimum\":1,"
                    "\"description\":\"How many lines to return; all when absent.\"}},"
                    "\"required\":[\"path\"],\"additionalProperties\":false}",
    .kind = TOOL_READ,
    .read_only = true,
    .idempotent = true,
    .start = start,
};
