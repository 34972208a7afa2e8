#include "term/line_history.h"

#include "base/auto.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "loop/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { FIRST_ROOM = 64, PRIVATE = 0600 };

void line_history_init(struct line_history *h, size_t lines_most, size_t bytes_most)
{
    *h = (struct line_history){ .lines_most = lines_most, .bytes_most = bytes_most };
}

void line_history_fini(struct line_history *h)
{
    for (size_t i = 0; i < h->n; i++)
        mem_free((char *)h->line[i].p);
    mem_free(h->line);
    line_history_init(h, h->lines_most, h->bytes_most);
}

static void drop_oldest(struct line_history *h)
{
    h->bytes -= h->line[0].n;
    mem_free((char *)h->line[0].p);
    memmove(h->line, h->line + 1, --h->n * sizeof(*h->line));
}

static struct str line_history_copy(struct str s)
{
    return (struct str){ memcpy(mem_alloc(s.n), s.p, s.n), s.n };
}

static bool worth_keeping(const struct line_history *h, struct str line)
{
    if (!line.n || line.p[0] == ' ' || !h->lines_most || line.n > h->bytes_most)
        return false;
    return !h->n || !str_eq(h->line[h->n - 1], line);
}

bool line_history_add(struct line_history *h, struct str line)
{
    if (!worth_keeping(h, line))
        return false;
    while (h->n == h->lines_most || h->bytes + line.n > h->bytes_most)
        drop_oldest(h);
    if (h->n == h->room) {
        h->room = h->room ? 2 * h->room : FIRST_ROOM;
        h->line = mem_resize(h->line, h->room * sizeof(*h->line));
    }
    h->line[h->n++] = line_history_copy(line);
    h->bytes += line.n;
    return true;
}

/* ---- the file ------------------------------------------------------------------------------ */

static void put_escaped(struct buf *out, struct str line)
{
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == '\n')
            buf_put(out, STR("\\n"));
        else if (line.p[i] == '\\')
            buf_put(out, STR("\\\\"));
        else
            buf_putc(out, line.p[i]);
    }
    buf_putc(out, '\n');
}

static void add_escaped(struct line_history *h, struct str line)
{
    AUTO_BUF plain;

    buf_init(&plain, line.n);
    for (size_t i = 0; i < line.n; i++) {
        bool escaped = line.p[i] == '\\' && i + 1 < line.n;

        i += escaped;
        buf_putc(&plain, escaped && line.p[i] == 'n' ? '\n' : line.p[i]);
    }
    if (utf8_valid(buf_str(&plain)) == plain.n && !memchr(line.p, 0, line.n))
        line_history_add(h, buf_str(&plain));
}

/* The end of the file, at most so many bytes; *cut: there is more of it. */
static bool read_end(struct buf *out, const char *path, bool *cut, struct err *e)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    ssize_t got = 1;

    *cut = false;
    if (fd < 0)
        return errno == ENOENT || fail_sys(e, "open %s", path);
    if (fstat(fd, &st) < 0)
        return fail_sys(e, "stat %s", path);
    if (!S_ISREG(st.st_mode))
        return fail(e, ERR_INVALID, "%s is not a regular file", path);
    *cut = st.st_size > (off_t)out->max;
    if (*cut && lseek(fd, st.st_size - (off_t)out->max, SEEK_SET) < 0)
        return fail_sys(e, "read %s", path);
    while (got > 0 && out->n < out->max) {
        size_t some = out->max - out->n < 65536 ? out->max - out->n : 65536;

        got = read(fd, buf_reserve(out, some), some);
        if (got > 0)
            buf_added(out, (size_t)got);
    }
    return got >= 0 || fail_sys(e, "read %s", path);
}

static bool write_anew(const struct line_history *h, const char *path, struct err *e)
{
    AUTO_BUF out;

    buf_init(&out, 2 * h->bytes + h->n);
    for (size_t i = 0; i < h->n; i++)
        put_escaped(&out, h->line[i]);
    return file_write(path, buf_str(&out), PRIVATE, e);
}

bool line_history_load(struct line_history *h, const char *path, struct err *e)
{
    AUTO_BUF file;
    struct str rest;
    size_t lines = 0;
    bool cut;

    buf_init(&file, h->bytes_most);
    if (!read_end(&file, path, &cut, e))
        return false;
    rest = buf_str(&file);
    if (cut)
        str_cut(&rest, '\n'); /* it begins in the middle of a line */
    for (; rest.n; lines++)
        add_escaped(h, str_cut(&rest, '\n'));
    return (!cut && lines <= 2 * h->lines_most) || write_anew(h, path, e);
}

bool line_history_append(const char *path, struct str line, struct err *e)
{
    AUTO_FD fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, PRIVATE);
    AUTO_BUF out;

    buf_init(&out, 2 * line.n + 1);
    put_escaped(&out, line);
    if (fd < 0)
        return fail_sys(e, "open %s", path);
    if (write(fd, out.p, out.n) != (ssize_t)out.n)
        return fail_sys(e, "write %s", path);
    return true;
}
