/*
 * audit_write.c - one batch of records, under a lock on the file: find the last seal, add the
 * lines and a seal that hangs on it, begin a new file where this one is full.
 *
 * A batch and its seal are one write. Where a crash tears it, its lines stand without a seal, and
 * no later one counts them: a seal is of the lines right before it.
 */
#include "store/audit_write.h"

#include "base/auto.h"
#include "base/buf.h"
#include "store/audit_log.h"
#include "store/audit_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 8 << 10, /* read at once when the last seal is looked for */
};

struct file {
    const char *folder;
    char path[AUDIT_PATH];
    int fd;
    off_t size;
    bool torn; /* its last line has no end */
    char prev[AUDIT_HASH + 1];
};

/* ---- the file ------------------------------------------------------------------------------ */

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

static bool last_seal(struct str text, char prev[AUDIT_HASH + 1])
{
    bool found = false;

    while (text.p) {
        struct audit_seal seal;

        if (!audit_seal_read(str_cut(&text, '\n'), &seal))
            continue;
        memcpy(prev, seal.hash.p, AUDIT_HASH);
        found = true;
    }
    return found;
}

/* Nearly always in the last chunk. A seal across the edge of two is whole in the earlier one. */
static bool find_seal(struct file *f, struct err *e)
{
    char chunk[CHUNK];
    off_t end = f->size;

    while (end > 0) {
        off_t from = end > CHUNK ? end - CHUNK : 0;
        ssize_t n = pread(f->fd, chunk, (size_t)(end - from), from);

        if (n < 0)
            return fail_sys(e, "read %.150s", f->path);
        if (end == f->size)
            f->torn = n > 0 && chunk[n - 1] != '\n';
        if (last_seal((struct str){ chunk, (size_t)n }, f->prev) || from == 0)
            return true;
        end = from + AUDIT_SEAL;
    }
    return true;
}

/* A new file hangs on the last seal of the one before it, whoever has begun it. */
static bool find_seal_before(struct file *f, struct err *e)
{
    struct file old = { .fd = -1 };
    struct stat st;
    bool ok;

    if (!audit_file(f->folder, 1, old.path, e))
        return false;
    old.fd = open(old.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (old.fd < 0)
        return errno == ENOENT || fail_sys(e, "open %.150s", old.path);
    memcpy(old.prev, f->prev, sizeof(old.prev));
    old.size = fstat(old.fd, &st) == 0 ? st.st_size : 0;
    ok = find_seal(&old, e);
    memcpy(f->prev, old.prev, sizeof(f->prev));
    close(old.fd);
    return ok;
}

static bool look_at(struct file *f, struct err *e)
{
    struct stat st;

    if (fstat(f->fd, &st) != 0)
        return fail_sys(e, "look at %.150s", f->path);
    f->size = st.st_size;
    f->torn = false;
    return f->size ? find_seal(f, e) : find_seal_before(f, e);
}

/* ---- a new file ---------------------------------------------------------------------------- */

/* audit.1.jsonl becomes audit.2.jsonl and so on; the oldest goes. */
static bool move_up(struct file *f, int64_t files, struct err *e)
{
    char from[AUDIT_PATH], to[AUDIT_PATH];

    if (files == 1 && ftruncate(f->fd, 0) == 0)
        return true;
    for (int64_t i = files - 1; i > 0; i--) {
        if (!audit_file(f->folder, i - 1, from, e) || !audit_file(f->folder, i, to, e))
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
    return open_locked(f, e) && look_at(f, e); /* somebody else may have begun it */
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
    AUTO_BUF sealed = { 0 };

    if (!look_at(f, e))
        return false;
    if (f->size + (off_t)lines.n > limits->audit_bytes && f->size > 0 && !begin_new(f, limits, e))
        return false;
    if (f->torn && !write_all(f, STR("\n"), e))
        return false;
    buf_init(&sealed, AUDIT_HASH + lines.n + AUDIT_SEAL);
    buf_reserve(&sealed, sealed.max);
    buf_put(&sealed, (struct str){ f->prev, AUDIT_HASH });
    buf_put(&sealed, lines);
    return audit_seal_put(&sealed, e) && write_all(f, str_skip(buf_str(&sealed), AUDIT_HASH), e);
}

bool audit_write(const char *folder, const struct limits *limits, struct str lines, struct err *e)
{
    struct file f = { .folder = folder, .fd = -1 };
    char logs[AUDIT_PATH];
    bool ok;

    start_chain(f.prev);
    if (!audit_file(folder, 0, f.path, e))
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
