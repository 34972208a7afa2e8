/*
 * file_read.c - a text file inside the root, or some of its lines.
 *
 * The path is resolved by the kernel beneath the root (openat2, RESOLVE_BENEATH): no symbolic
 * link, "..", /proc link or race leads out of it. Reading happens on the pool, since a disk may
 * be slow.
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/pick.h"
#include "base/utf8.h"
#include "loop/job.h"
#include "tool/tools.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct file_read {
    struct job job; /* first */
    struct call *call;
    struct str path;      /* as given */
    const char *relative; /* beneath the root */
    int64_t line, lines;
    struct str text;  /* malloc'd by the job's arena */
    struct arena mem; /* the pool thread's own */
};

/* ---- on the pool thread ------------------------------------------------------------------ */

static int open_beneath(int root, const char *path)
{
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };

    return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static bool fail_open(const struct file_read *f, struct err *e)
{
    int code = errno;

    if (code == EXDEV || code == ELOOP)
        return fail(e, ERR_DENIED, STR_FMT " leads out of the root folder %s",
                    STR_ARG(utf8_head(f->path, 100)), f->call->host->root);
    fail_sys(e, "open " STR_FMT, STR_ARG(utf8_head(f->path, 100)));
    return false;
}

static bool read_all(struct file_read *f, int fd, size_t size, struct err *e)
{
    size_t max = (size_t)f->call->host->limits->file_read_bytes, n = 0;
    char *p = arena_alloc(&f->mem, size + 1);

    for (;;) {
        ssize_t got = read(fd, p + n, size + 1 - n);

        if (got < 0)
            return fail_sys(e, "read " STR_FMT, STR_ARG(utf8_head(f->path, 100)));
        n += (size_t)got;
        if (got == 0)
            break;
        if (n > size) { /* it grows while we read */
            if (size >= max)
                return fail(e, ERR_LIMIT, "the file has more than %zu bytes", max);
            p = arena_grow(&f->mem, p, size + 1, 2 * size + 4096);
            size = 2 * size + 4095;
        }
    }
    f->text = (struct str){ p, n };
    return true;
}

static bool work(struct job *job, struct err *e)
{
    struct file_read *f = CONTAINER_OF(job, struct file_read, job);
    int64_t max = f->call->host->limits->file_read_bytes;
    AUTO_FD fd = open_beneath(f->call->host->root_fd, f->relative);
    struct stat st;

    if (fd < 0)
        return fail_open(f, e);
    if (fstat(fd, &st) < 0)
        return fail_sys(e, "stat " STR_FMT, STR_ARG(utf8_head(f->path, 100)));
    if (S_ISDIR(st.st_mode))
        return fail(e, ERR_INVALID, STR_FMT " is a folder", STR_ARG(utf8_head(f->path, 100)));
    if (!S_ISREG(st.st_mode))
        return fail(e, ERR_INVALID, STR_FMT " is not a regular file",
                    STR_ARG(utf8_head(f->path, 100)));
    if (st.st_size > max)
        return fail(e, ERR_LIMIT,
                    "the file has %lld bytes; at most %lld are read "
                    "(limits.file_read_bytes)",
                    (long long)st.st_size, (long long)max);
    return read_all(f, fd, (size_t)st.st_size, e);
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

static void finish(struct file_read *f)
{
    struct str text = f->text;
    size_t valid;

    if (f->line > 1 || f->lines)
        text = pick_lines(text, f->line, f->lines ? f->lines : INT64_MAX);
    valid = utf8_valid(text);
    if (valid < text.n || str_find_byte(text, 0) >= 0) {
        call_failed(f->call, STR_FMT " is not UTF-8 text (byte %zu)",
                    STR_ARG(utf8_head(f->path, 100)), valid);
        return;
    }
    call_text(f->call, text);
    call_done(f->call);
}

static void on_read(struct op *op, const struct err *e, void *who)
{
    struct file_read *f = CONTAINER_OF(op, struct file_read, job.op);

    (void)who;
    if (!e)
        finish(f);
    else if (e->code == ERR_CANCELED)
        call_done(f->call); /* the call knows that it was cancelled */
    else
        call_failed(f->call, "%s", e->text);
}

static void free_mem(void *ptr)
{
    arena_fini(ptr);
}

/* An absolute path inside the root is meant relative to it. */
static struct str beneath_root(const struct host *host, struct str path)
{
    struct str root = str_of(host->root);

    if (!str_starts(path, root))
        return path;
    path = str_skip(path, root.n);
    if (!path.n)
        return STR(".");
    if (path.p[0] != '/')
        return (struct str){ path.p - root.n, path.n + root.n };
    while (path.n && path.p[0] == '/')
        path = str_skip(path, 1);
    return path.n ? path : STR(".");
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
    struct file_read *f;
    struct err e;

    if (!json_here(call->args)) {
        call_failed(call, "the argument \"path\" is missing");
        return;
    }
    if (!pick(call->mem, call->args, PICK_TABLE(arg_fields), PICK_STRICT, &args, &e)) {
        call_failed(call, "%s", e.text);
        return;
    }
    if (!args.path.n || str_find_byte(args.path, 0) >= 0) {
        call_failed(call, "path: expected a file name without NUL");
        return;
    }
    f = ARENA_NEW(call->mem, struct file_read);
    f->call = call;
    f->path = args.path;
    f->relative = arena_cstr(call->mem, beneath_root(call->host, args.path));
    f->line = args.line;
    f->lines = args.lines;
    arena_defer(call->mem, free_mem, &f->mem);
    job_start(&f->job, call->host->loop, &call->op, work, on_read, NULL);
}

const struct tool tool_file_read = {
    .name = "file_read",
    .title = "Read a file",
    .description = "Reads a text file inside the root folder, whole or some of its lines.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"path\":{\"type\":\"string\",\"minLength\":1,"
                    "\"description\":\"File to read, relative to the root folder.\"},"
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
