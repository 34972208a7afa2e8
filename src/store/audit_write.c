/*
 * audit_write.c - writes one batch of records, under a lock on the file: find the last seal, append
 * the lines and a seal that refers to it, and start a new file if this one is full.
 *
 * A batch and its seal are one write. If a crash interrupts it, its lines have no seal, and the
 * next seal counts them separately. A batch refers to the seal that audit_head.h names as the last,
 * or to one after it (if a crash came before the head was written). So missing parts of the log
 * stay detectable.
 */
#include "store/audit_write.h"

#include "base/auto.h"
#include "base/buf.h"
#include "store/audit_head.h"
#include "store/audit_log.h"
#include "store/audit_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 8 << 10, /* bytes per read in the search for the last seal */
};

struct file {
    const char *folder;
    char path[AUDIT_PATH];
    int fd;
    off_t size;
    bool torn;                   /* its last line has no line feed */
    off_t since;                 /* position after its last seal */
    char prev[AUDIT_HASH + 1];   /* the last seal of the log ... */
    char before[AUDIT_HASH + 1]; /* ... and the seal before it */
    struct audit_head head;
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
        close(f->fd); /* another process began a new file while we waited */
    }
}

/* ---- the chain ----------------------------------------------------------------------------- */

static void start_chain(char prev[AUDIT_HASH + 1])
{
    memset(prev, '0', AUDIT_HASH);
    prev[AUDIT_HASH] = 0;
}

static bool is_start(const char prev[AUDIT_HASH + 1])
{
    char zeros[AUDIT_HASH + 1];

    start_chain(zeros);
    return memcmp(zeros, prev, AUDIT_HASH) == 0;
}

/* `at`: the position of the text in the file. */
static bool last_seal(struct file *f, struct str text, off_t at)
{
    const char *begin = text.p;
    bool found = false;

    while (text.p) {
        struct audit_seal seal;

        if (!audit_seal_read(str_cut(&text, '\n'), &seal))
            continue;
        memcpy(f->prev, seal.hash.p, AUDIT_HASH);
        memcpy(f->before, seal.prev.p, AUDIT_HASH);
        f->since = text.p ? at + (off_t)(text.p - begin) : f->size;
        found = true;
    }
    return found;
}

/*
 * The seal is nearly always in the last chunk. A seal across two chunks is whole in the earlier
 * one.
 */
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
        if (last_seal(f, (struct str){ chunk, (size_t)n }, from) || from == 0)
            return true;
        end = from + AUDIT_SEAL;
    }
    return true;
}

/* The last seal of the log is in an older file. */
static bool find_seal_before(struct file *f, int64_t number, struct err *e)
{
    struct file old = { .fd = -1 };
    struct stat st;
    bool ok;

    if (!audit_file(f->folder, number, old.path, e))
        return false;
    old.fd = open(old.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (old.fd < 0)
        return errno == ENOENT || fail_sys(e, "open %.150s", old.path);
    memcpy(old.prev, f->prev, sizeof(old.prev));
    memcpy(old.before, f->before, sizeof(old.before));
    old.size = fstat(old.fd, &st) == 0 ? st.st_size : 0;
    ok = find_seal(&old, e);
    memcpy(f->prev, old.prev, sizeof(f->prev));
    memcpy(f->before, old.before, sizeof(f->before));
    close(old.fd);
    return ok;
}

/* Determine the seal that the next one refers to. */
static bool read_head(struct file *f, struct err *e)
{
    struct audit_head *h = &f->head;

    if (!audit_head_read(f->folder, h, e)) {
        if (e->code != ERR_NOT_FOUND)
            return false;
        audit_head_new(h, f->prev);
        return audit_head_write(f->folder, h, e);
    }
    if (str_eq(str_of(f->before), str_of(h->last)) && !str_eq(str_of(f->prev), str_of(h->last)) &&
        !is_start(f->prev)) {
        memcpy(h->last, f->prev, sizeof(h->last));
        h->seals++;
    }
    return true;
}

static bool look_at(struct file *f, struct err *e)
{
    struct stat st;

    if (fstat(f->fd, &st) != 0)
        return fail_sys(e, "stat %.150s", f->path);
    f->size = st.st_size;
    f->torn = false;
    f->since = 0;
    start_chain(f->prev);
    start_chain(f->before);
    return (f->size ? find_seal(f, e) : find_seal_before(f, 1, e)) && read_head(f, e);
}

/* ---- a new file ---------------------------------------------------------------------------- */

/*
 * Delete the files from this number on. First the head is changed, so that after a crash the log
 * has more files than expected, never fewer.
 */
static bool drop_files(struct file *f, int64_t number, struct err *e)
{
    struct file oldest = { .folder = f->folder, .fd = -1 };
    char path[AUDIT_PATH];

    start_chain(oldest.prev);
    if (number == 0)
        memcpy(oldest.prev, f->head.last, sizeof(oldest.prev));
    for (int64_t i = number; i < AUDIT_FILES_MOST && is_start(oldest.prev); i++)
        if (!find_seal_before(&oldest, i, e))
            return false;
    if (!is_start(oldest.prev)) {
        memcpy(f->head.first, oldest.prev, sizeof(f->head.first));
        if (!audit_head_write(f->folder, &f->head, e))
            return false;
    }
    for (int64_t i = number > 0 ? number : 1; i < AUDIT_FILES_MOST; i++)
        if (!audit_file(f->folder, i, path, e) || (unlink(path) != 0 && errno != ENOENT))
            return fail_sys(e, "delete %.150s", path);
    return true;
}

/* Rename audit.1.jsonl to audit.2.jsonl and so on; the oldest file is deleted. */
static bool move_up(struct file *f, int64_t files, struct err *e)
{
    char from[AUDIT_PATH], to[AUDIT_PATH];

    if (!drop_files(f, files - 1, e))
        return false;
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
    close(f->fd); /* and a process that waits for the lock sees that it is no longer the current
                   * file */
    return open_locked(f, e) && look_at(f, e); /* another process may have begun it */
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

/* A crash may have left a whole seal without its line feed. */
static bool end_seal(struct file *f, struct err *e)
{
    if (!f->torn || f->since < f->size)
        return true;
    if (!write_all(f, STR("\n"), e))
        return false;
    f->torn = false;
    f->since = ++f->size;
    return true;
}

/* Collect the lines that a crash has left since the last seal, and the lines of the batch. */
static bool put_lines(struct file *f, struct buf *sealed, struct str lines, uint64_t *torn,
                      struct err *e)
{
    size_t left = (size_t)(f->size - f->since);
    ssize_t n;

    buf_init(sealed, AUDIT_HASH + left + 1 + lines.n + AUDIT_SEAL);
    buf_reserve(sealed, sealed->max);
    buf_put(sealed, (struct str){ f->head.last, AUDIT_HASH });
    n = left ? pread(f->fd, sealed->p + AUDIT_HASH, left, f->since) : 0;
    if (n < 0 || (size_t)n != left)
        return fail_sys(e, "read %.150s", f->path);
    buf_added(sealed, left);
    if (f->torn)
        buf_putc(sealed, '\n');
    *torn = audit_count_lines(str_skip(buf_str(sealed), AUDIT_HASH));
    buf_put(sealed, lines);
    return true;
}

/* Write the log, sync it, then write the head. On failure the log is truncated. */
static bool commit(struct file *f, struct str text, uint64_t records, struct err *e)
{
    f->head.seals++;
    f->head.records += (int64_t)records;
    if (write_all(f, text, e) && (fdatasync(f->fd) == 0 || fail_sys(e, "sync %.150s", f->path)) &&
        audit_head_write(f->folder, &f->head, e))
        return true;
    if (ftruncate(f->fd, f->size) != 0)
        return fail_in(e, "cannot remove what was written of a batch from %.150s", f->path);
    return false;
}

static bool add(struct file *f, const struct limits *limits, struct str lines, struct err *e)
{
    AUTO_BUF sealed = { 0 };
    uint64_t torn = 0;
    size_t kept;

    if (!look_at(f, e))
        return false;
    if (f->size + (off_t)lines.n > limits->audit_bytes && f->size > 0 && !begin_new(f, limits, e))
        return false;
    if (!end_seal(f, e) || !put_lines(f, &sealed, lines, &torn, e) ||
        !audit_seal_put(&sealed, f->head.key, torn, f->head.last, e))
        return false;
    kept = AUDIT_HASH + (size_t)(f->size - f->since); /* already in the file */
    return commit(f, str_skip(buf_str(&sealed), kept), audit_count_lines(lines), e);
}

bool audit_expire(const char *folder, int64_t before_ms, int64_t *files, int64_t *bytes,
                  struct err *e)
{
    struct file f = { .folder = folder, .fd = -1 };
    char path[AUDIT_PATH];
    int64_t from = 0;
    struct stat st;
    bool ok = true;

    if (!audit_file(folder, 0, f.path, e))
        return false;
    if (access(f.path, F_OK) != 0)
        return true;
    for (int64_t i = 1; i < AUDIT_FILES_MOST; i++) {
        if (!audit_file(folder, i, path, e))
            return false;
        if (stat(path, &st) != 0 || (!from && (int64_t)st.st_mtim.tv_sec * 1000 >= before_ms))
            continue;
        from = from ? from : i;
        *files += 1;
        *bytes += st.st_size;
    }
    if (!from)
        return true;
    if (!open_locked(&f, e))
        return false;
    ok = look_at(&f, e) && drop_files(&f, from, e);
    close(f.fd);
    return ok;
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
        return fail_sys(e, "create directory %.150s", logs);
    if (!open_locked(&f, e))
        return false;
    ok = add(&f, limits, lines, e);
    if (f.fd >= 0)
        close(f.fd);
    return ok;
}
