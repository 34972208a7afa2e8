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
#include "base/digits.h"
#include "base/mac.h"
#include "store/audit_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 8 << 10, /* read at once when the last seal is looked for */
    PATH_MOST = 4096,
    SEAL_MOST = 256, /* no seal is longer, line feeds on both sides included */
};

/* {"hash":"H","prev":"P","lines":N} */
#define BEFORE_HASH "{\"hash\":\""
#define BEFORE_PREV "\",\"prev\":\""
#define BEFORE_LINES "\",\"lines\":"

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

static bool cut_front(struct str *s, struct str front)
{
    if (!str_starts(*s, front))
        return false;
    *s = str_skip(*s, front.n);
    return true;
}

static bool cut_hash(struct str *s, struct str *hash)
{
    if (s->n < AUDIT_HASH)
        return false;
    *hash = str_head(*s, AUDIT_HASH);
    *s = str_skip(*s, AUDIT_HASH);
    return true;
}

/* Is the line a whole seal? No record is one: they begin with other keys. */
static bool is_seal(struct str line, struct str *hash)
{
    struct str prev;

    return cut_front(&line, STR(BEFORE_HASH)) && cut_hash(&line, hash) &&
           cut_front(&line, STR(BEFORE_PREV)) && cut_hash(&line, &prev) &&
           cut_front(&line, STR(BEFORE_LINES)) && str_ends(line, STR("}"));
}

static bool last_seal(struct str text, char prev[AUDIT_HASH + 1])
{
    bool found = false;

    while (text.p) {
        struct str hash;

        if (!is_seal(str_cut(&text, '\n'), &hash))
            continue;
        memcpy(prev, hash.p, AUDIT_HASH);
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
        end = from + SEAL_MOST;
    }
    return true;
}

static bool look_at(struct file *f, struct err *e)
{
    struct stat st;

    if (fstat(f->fd, &st) != 0)
        return fail_sys(e, "look at %.150s", f->path);
    f->size = st.st_size;
    return find_seal(f, e);
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

static uint64_t count_lines(struct str lines)
{
    uint64_t n = 0;

    for (; lines.n; n++)
        str_cut(&lines, '\n');
    return n;
}

/* sealed: the hash of the seal before and the lines, which is what the new one is of. */
static bool put_seal(struct buf *sealed, const struct file *f, uint64_t lines, struct err *e)
{
    char mac[MAC_BYTES], hash[AUDIT_HASH + 1], count[DIGITS_MOST];

    if (!mac_sha256(STR(AUDIT_KEY), buf_str(sealed), mac, e))
        return false;
    to_hex(mac, hash);
    buf_put(sealed, STR(BEFORE_HASH));
    buf_put(sealed, (struct str){ hash, AUDIT_HASH });
    buf_put(sealed, STR(BEFORE_PREV));
    buf_put(sealed, (struct str){ f->prev, AUDIT_HASH });
    buf_put(sealed, STR(BEFORE_LINES));
    buf_put(sealed, (struct str){ count, digits_put(count, lines) });
    buf_put(sealed, STR("}\n"));
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
    AUTO_BUF sealed = { 0 };

    if (!look_at(f, e))
        return false;
    if (f->size + (off_t)lines.n > limits->audit_bytes && f->size > 0 && !begin_new(f, limits, e))
        return false;
    if (f->torn && !write_all(f, STR("\n"), e))
        return false;
    buf_init(&sealed, AUDIT_HASH + lines.n + SEAL_MOST);
    buf_reserve(&sealed, sealed.max);
    buf_put(&sealed, (struct str){ f->prev, AUDIT_HASH });
    buf_put(&sealed, lines);
    return put_seal(&sealed, f, count_lines(lines), e) &&
           write_all(f, str_skip(buf_str(&sealed), AUDIT_HASH), e);
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
