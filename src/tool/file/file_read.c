/*
 * file_read.c - reads a file of the workspace: a text (the whole text or some lines) or an image.
 */
#include "base/container.h"
#include "base/utf8.h"
#include "tool/local_workspace.h"
#include "tool/tool_job.h"
#include "tool/tools.h"

struct file_read {
    struct file_reading reading; /* first */
    struct call *call;
    struct arena mem; /* of the reading */
};

static void answer_image(struct file_read *f)
{
    struct buf block;
    struct jw w = jw_to(&block);

    buf_init_in(&block, f->call->mem, f->reading.text.n + 256);
    jw_object(&w);
    jw_kstr(&w, "type", STR("image"));
    jw_kstr(&w, "data", f->reading.text);
    jw_kstr(&w, "mimeType", str_of(f->reading.image));
    jw_object_end(&w);
    call_block(f->call, buf_str(&block));
    call_done(f->call);
}

static void answer_text(struct file_read *f)
{
    struct str text = f->reading.text;
    size_t valid = utf8_valid(text);

    if (valid < text.n || str_find_byte(text, 0) >= 0) {
        call_failed(f->call, STR_FMT " is not UTF-8 text (byte %zu)",
                    STR_ARG(utf8_head(f->reading.place.given, 100)), valid);
        return;
    }
    call_text(f->call, text);
    call_done(f->call);
}

static void on_read(struct op *op, const struct err *e, void *ctx)
{
    struct file_read *f = ctx;

    (void)op;
    if (e)
        tool_failed(f->call, e);
    else if (f->reading.image)
        answer_image(f);
    else
        answer_text(f);
}

/* An editor has no images, so they are read from this machine. */
static bool is_image_name(struct str path)
{
    static const struct str ends[] = { STR(".png"), STR(".jpg"), STR(".jpeg"), STR(".gif"),
                                       STR(".webp") };

    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (path.n > ends[i].n && str_eq_nocase(str_skip(path, path.n - ends[i].n), ends[i]))
            return true;
    return false;
}

static void free_mem(void *ptr)
{
    arena_fini(ptr);
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
    struct workspace *w = workspace_of(call->host);
    struct place place;
    struct file_read *f;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args) || !tool_place(call, args.path, &place))
        return;
    f = ARENA_NEW(call->mem, struct file_read);
    *f = (struct file_read){ .call = call };
    arena_defer(call->mem, free_mem, &f->mem);
    f->reading = (struct file_reading){ .host = call->host,
                                        .mem = &f->mem,
                                        .place = place,
                                        .from_line = args.line,
                                        .line_count = args.lines,
                                        .takes_image = true };
    workspace_read(is_image_name(args.path) ? &local_workspace : w, &f->reading, &call->op, on_read,
                   f);
}

const struct tool tool_file_read = {
    .name = "file_read",
    .title = "Read a file",
    .description = "Read a text file or some of its lines, or an image (PNG, JPEG, GIF, WebP).",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"path\":{\"type\":\"string\","
                    "\"description\":\"Path, relative to the working folder.\"},"
                    "\"line\":{\"type\":\"integer\",\"minimum\":1,"
                    "\"description\":\"First line to return; default 1.\"},"
                    "\"lines\":{\"type\":\"integer\",\"minimum\":1,"
                    "\"description\":\"Number of lines to return; default all.\"}},"
                    "\"required\":[\"path\"]}",
    .kind = TOOL_READ,
    .read_only = true,
    .idempotent = true,
    .start = start,
};
