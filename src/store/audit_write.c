/*
 * audit_write.c - one batch of records, under a lock on the file: read the hash of the last line,
 * chain the new lines to it, begin a new file where this one is full.
 */
#include "store/audit_write.h"

#include "base/auto.h"
#include "base/buf.h"
#include "base/mac.h"
#include "store/audit_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TAIL = 64 << 10, /* in which the last line is looked for: longer than any */
    PATH_MOST = 4096,
    CHAIN = 256, /* bytes that the chain adds to a line, at most */
};

#define FRONT "{\"hash\":\""

struct file {
    const char *folder;
    char path[PATH_MOST];
    int fd;
    off_t size;
    bool torn; /* its last line has no end */
    char prev[AUDIT_HASH + 1];
};

/* ---- the file ------------------------------------------------------------------------------ */

static bool name_file(const char *folder, int64_t number, char out[PATH_MOST], struct err *e)
{
    int n = number ? snprintf(out, PATH_MOST, "%s/logs/audit.%lld.jsonl", folder, (long long)number)
                   : snprintf(out, PATH_MOST, "%s/logs/audit.jsonl", folder);

    return n < PATH_MOST || fail(e, ERR_LIMIT, "the path of the audit log is too long");
}

/* Is what we have locked still the file of that name? */
static bool is_current(const struct file *f)
{
    struct stat ours, named;

    return fstat(f->fd, &ours) == 0 && stat(f->path, &named) == 0 && ours.st_ino == named.st_ino &&
           ours.st_dev == named.st_dev;
}

static bool open_locked(struct file *f, struct err *e)
{
    for (;;) {
        f->fd = open(f->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (f->fd < 0)
            return fail_sys(e, "open %.150s", f->path);
        if (flock(f->fd, LOCK_EX) != 0) {
            fail_sys(e, "lock %.150s", f->path);
            close(f->fd);
            f->fd = -1;
            return false;
        }
        if (is_current(f))
            return true;
        close(f->fd); /* somebody began a new one while we waited */
    }
}

/* ---- the chain ----------------------------------------------------------------------------- */

static void start_chain(char prev[AUDIT_HASH + 1])
{
    memset(prev, '0', AUDIT_HASH);
    prev[AUDIT_HASH] = 0;
}

/* The hash of the last line in a text that is one. */
static bool last_hash(struct str text, char prev[AUDIT_HASH + 1])
{
    bool found = false;

    while (text.p) {
        struct str line = str_cut(&text, '\n');

        if (!text.p || !str_starts(line, STR(FRONT)) || line.n < sizeof(FRONT) + AUDIT_HASH)
            continue;
        memcpy(prev, line.p + sizeof(FRONT) - 1, AUDIT_HASH);
        found = true;
    }
    return found;
}

static bool read_tail(struct file *f, struct err *e)
{
    AUTO_BUF tail;
    struct stat st;
    ssize_t n;
    char *to;

    buf_init(&tail, TAIL);
    to = buf_reserve(&tail, TAIL);
    if (fstat(f->fd, &st) != 0)
        return fail_sys(e, "look at %.150s", f->path);
    f->size = st.st_size;
    n = pread(f->fd, to, TAIL, f->size > TAIL ? f->size - TAIL : 0);
    if (n < 0)
        return fail_sys(e, "read %.150s", f->path);
    f->torn = n > 0 && to[n - 1] != '\n';
    last_hash((struct str){ to, (size_t)n }, f->prev);
    return true;
}

static void to_hex(const char bytes[MAC_BYTES], char out[AUDIT_HASH + 1])
{
    static const char digit[] = "0123456789abcdef";

    for (size_t i = 0; i < MAC_BYTES; i++) {
        out[2 * i] = digit[(unsigned char)bytes[i] >> 4];
        out[2 * i + 1] = digit[bytes[i] & 15];
    }
    out[AUDIT_HASH] = '\0';
}

/* record: an object without its chain. hashed: what the hash is of, for this call only. */
static bool put_line(struct file *f, struct buf *out, struct buf *hashed, struct str record,
                     struct err *e)
{
    const struct str prev = { f->prev, AUDIT_HASH };
    char mac[MAC_BYTES], hash[AUDIT_HASH + 1];

    buf_clear(hashed);
    if (!buf_put(hashed, prev) || !buf_put(hashed, record))
        return fail(e, ERR_LIMIT, "a record is too long");
    if (!mac_sha256(STR(AUDIT_KEY), buf_str(hashed), mac, e))
        return false;
    to_hex(mac, hash);
    buf_put(out, STR(FRONT));
    buf_put(out, (struct str){ hash, AUDIT_HASH });
    buf_put(out, STR("\",\"prev\":\""));
    buf_put(out, prev);
    buf_put(out, STR("\","));
    buf_put(out, str_skip(record, 1));
    buf_putc(out, '\n');
    memcpy(f->prev, hash, sizeof(f->prev));
    return true;
}

/* ---- a new file ---------------------------------------------------------------------------- */

/* audit.1.jsonl becomes audit.2.jsonl and so on; the oldest goes. */
static bool move_up(struct file *f, int64_t files, struct err *e)
{
    char from[PATH_MOST], to[PATH_MOST];

    if (files == 1 && ftruncate(f->fd, 0) == 0)
        return true;
    for (int64_t i = files - 1; i > 0; i--) {
        if (!name_file(f->folder, i - 1, from, e) || !name_file(f->folder, i, to, e))
            return false;
        if (rename(from, to) != 0 && errno != ENOENT)
            return fail_sys(e, "rename %.150s", from);
    }
    return true;
}

static bool begin_new(struct file *f, const struct limits *limits, struct err *e)
{
    if (!move_up(f, limits->audit_files, e))
        return false;
    close(f->fd); /* and whoever waits for it sees that it is no longer the current one */
    f->size = 0;
    f->torn = false;
    return open_locked(f, e);
}

/* ---- a batch ------------------------------------------------------------------------------- */

static bool write_all(const struct file *f, struct str text, struct err *e)
{
    while (text.n) {
        ssize_t n = write(f->fd, text.p, text.n);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_sys(e, "write %.150s", f->path);
        text = str_skip(text, (size_t)n);
    }
    return true;
}

static bool add(struct file *f, const struct limits *limits, struct str lines, struct err *e)
{
    AUTO_BUF out = { 0 };
    AUTO_BUF hashed = { 0 };

    if (!read_tail(f, e))
        return false;
    if (f->size + (off_t)lines.n > limits->audit_bytes && f->size > 0 && !begin_new(f, limits, e))
        return false;
    buf_init(&out, lines.n * 2 + (lines.n / 2) * CHAIN + 1);
    buf_init(&hashed, lines.n + AUDIT_HASH);
    if (f->torn)
        buf_putc(&out, '\n');
    while (lines.n)
        if (!put_line(f, &out, &hashed, str_cut(&lines, '\n'), e))
            return false;
    return write_all(f, buf_str(&out), e);
}

bool audit_write(const char *folder, const struct limits *limits, struct str lines, struct err *e)
{
    struct file f = { .folder = folder, .fd = -1 };
    char logs[PATH_MOST];
    bool ok;

    start_chain(f.prev);
    if (!name_file(folder, 0, f.path, e))
        return false;
    snprintf(logs, sizeof(logs), "%s/logs", folder);
    if (mkdir(logs, 0700) != 0 && errno != EEXIST)
        return fail_sys(e, "make the folder %.150s", logs);
    if (!open_locked(&f, e))
        return false;
    ok = add(&f, limits, lines, e);
    if (f.fd >= 0)
        close(f.fd);
    return ok;
}
