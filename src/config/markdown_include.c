#include "config/markdown_include.h"

#include "base/utf8.h"

/* The files we are inside of, from the innermost out. */
struct inside {
    const struct inside *up;
    const char *file; /* relative to the root */
    struct file_id id;
    bool known; /* the id is: a text that was handed to us has none */
};

struct include_reader {
    struct arena *mem;
    const struct include_opts *opts;
    struct buf *out;
};

static bool put_text(struct include_reader *r, const struct inside *in, uint32_t line,
                     struct str text, struct err *e);

/* Without blanks at either end; *line moves on over the lines cut at the start. */
static struct str trim_lines(struct str text, uint32_t *line)
{
    struct str t = str_trim(text);

    for (const char *p = text.p; p && p < t.p; p++)
        *line += *p == '\n';
    return t;
}

/* ---- what is an include ----------------------------------------------------------------- */

static bool is_fence(struct str line)
{
    line = str_trim(line);
    return str_starts(line, STR("```")) || str_starts(line, STR("~~~"));
}

static bool path_of(struct str line, struct str *path)
{
    struct str s = str_trim(line);

    if (s.n < 2 || s.p[0] != '@')
        return false;
    s = str_skip(s, 1);
    if (str_find_byte(s, ' ') >= 0 || str_find_byte(s, '\t') >= 0 || s.p[0] == '@')
        return false;
    if (str_find_byte(s, '.') < 0 && str_find_byte(s, '/') < 0)
        return false;
    *path = s;
    return true;
}

static bool has_includes(struct str text)
{
    struct str path;

    while (text.p)
        if (path_of(str_cut(&text, '\n'), &path))
            return true;
    return false;
}

/* ---- going in --------------------------------------------------------------------------- */

static size_t depth_of(const struct inside *in)
{
    size_t n = 0;

    for (; in->up; in = in->up)
        n++;
    return n;
}

static bool is_inside(const struct inside *in, struct file_id id)
{
    for (; in; in = in->up)
        if (in->known && in->id.device == id.device && in->id.inode == id.inode)
            return true;
    return false;
}

static const char *beside(struct include_reader *r, const char *file, struct str path)
{
    const char *slash = strrchr(file, '/');

    if (!slash)
        return arena_cstr(r->mem, path);
    return arena_printf(r->mem, STR_FMT "/" STR_FMT, (int)(slash - file), file, STR_ARG(path)).p;
}

/* From the folder of the file, else from the root. A file that is there but may not be read, or
 * lies outside, is not looked for elsewhere. */
static bool markdown_include_find(struct include_reader *r, const struct inside *in,
                                  struct str path, struct inside *next, struct str *text,
                                  struct err *e)
{
    size_t max = (size_t)r->opts->limits->prompt_bytes;

    next->file = beside(r, in->file, path);
    if (file_read_beneath(r->mem, r->opts->root, next->file, max, text, &next->id, e))
        return true;
    if (e->code != ERR_NOT_FOUND)
        return false;
    next->file = arena_cstr(r->mem, path);
    return file_read_beneath(r->mem, r->opts->root, next->file, max, text, &next->id, e);
}

static bool put_file(struct include_reader *r, const struct inside *in, uint32_t line,
                     struct str path, struct err *e)
{
    struct inside next = { .up = in, .known = true };
    uint32_t first = 1;
    struct str text;

    if (depth_of(in) >= (size_t)r->opts->limits->include_depth)
        return fail(e, ERR_LIMIT,
                    "%s:%u: @" STR_FMT ": includes are nested more than %lld levels deep", in->file,
                    line, STR_ARG(path), (long long)r->opts->limits->include_depth);
    if (memchr(path.p, '\0', path.n))
        return fail(e, ERR_INVALID, "%s:%u: a path must not contain a NUL byte", in->file, line);
    if (!markdown_include_find(r, in, path, &next, &text, e)) {
        if (e->code == ERR_NOT_FOUND) /* that is for the file we were asked for */
            e->code = ERR_INVALID;
        return fail_in(e, "%s:%u: @" STR_FMT, in->file, line, STR_ARG(path));
    }
    if (is_inside(in, next.id))
        return fail(e, ERR_INVALID, "%s:%u: @" STR_FMT ": this file includes itself", in->file,
                    line, STR_ARG(path));
    if (utf8_valid(text) < text.n)
        return fail(e, ERR_INVALID, "%s:%u: @" STR_FMT ": not UTF-8", in->file, line,
                    STR_ARG(path));
    text = trim_lines(text, &first);
    return put_text(r, &next, first, text, e);
}

static bool put_line(struct include_reader *r, const struct inside *in, uint32_t number,
                     struct str line, bool code, struct err *e)
{
    struct str path;

    if (!code && path_of(line, &path)) {
        if (!put_file(r, in, number, path, e))
            return false;
    } else {
        buf_put(r->out, line);
    }
    if (!r->out->full)
        return true;
    return fail(e, ERR_LIMIT, "%s:%u: with its includes the text is longer than %lld bytes",
                in->file, number, (long long)r->opts->limits->prompt_bytes);
}

static bool put_text(struct include_reader *r, const struct inside *in, uint32_t line,
                     struct str text, struct err *e)
{
    bool code = false;

    while (text.p) {
        struct str one = str_cut(&text, '\n');

        if (is_fence(one))
            code = !code;
        if (!put_line(r, in, line++, one, code, e))
            return false;
        if (text.p)
            buf_putc(r->out, '\n');
    }
    return true;
}

static bool markdown_include_resolve(struct arena *mem, const struct include_opts *opts,
                                     const struct inside *in, uint32_t line, struct str text,
                                     struct str *out, struct err *e)
{
    struct include_reader r = { mem, opts, NULL };
    struct buf all;

    if (!has_includes(text)) {
        *out = text;
        return true;
    }
    buf_init_in(&all, mem, (size_t)opts->limits->prompt_bytes);
    r.out = &all;
    if (!put_text(&r, in, line, text, e))
        return false;
    *out = str_trim(buf_str(&all));
    return true;
}

bool include_resolve(struct arena *mem, const struct include_opts *opts, const char *file,
                     const struct file_id *id, uint32_t line, struct str text, struct str *out,
                     struct err *e)
{
    struct inside in = { .file = file, .known = id != NULL };

    if (id)
        in.id = *id;
    return markdown_include_resolve(mem, opts, &in, line, text, out, e);
}

bool include_read(struct arena *mem, const struct include_opts *opts, const char *file,
                  struct str *out, struct file_id *id, struct err *e)
{
    struct inside in = { .file = file, .known = true };
    uint32_t first = 1;
    struct str text;

    if (!file_read_beneath(mem, opts->root, file, (size_t)opts->limits->prompt_bytes, &text, &in.id,
                           e))
        return false;
    if (utf8_valid(text) < text.n)
        return fail(e, ERR_INVALID, "%s: not valid UTF-8 (byte %zu)", file, utf8_valid(text));
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_skip(text, 3);
    if (id)
        *id = in.id;
    text = trim_lines(text, &first);
    return markdown_include_resolve(mem, opts, &in, first, text, out, e);
}
