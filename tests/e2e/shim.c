/*
 * Preloaded into a trefoil, it lies between the store and the kernel, and between everybody and the
 * clock. What it does is said by a page that the test maps, too (SHIM_PAGE names its file), so that
 * it can be changed meanwhile, and is still there when the process is not.
 *
 * An instant is a moment before, within or after a write to a file of the store, or before or after
 * one of its files is cut or synced. All that can be on the disk when a process is killed is there
 * at an instant.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Kinds of instants. */
enum { NONE, BEFORE_WRITE, WITHIN_WRITE, AFTER_WRITE, BEFORE_SYNC, AFTER_SYNC, AT_CUT };

/* Kept as shim.py knows it: 8 bytes each. */
struct page {
    _Atomic int64_t clock_ms; /* added to the time of day */
    _Atomic int64_t error;    /* what writing to the store fails with; 0: it does not */
    _Atomic int64_t kill_at;  /* the instant to die at; 0: none */
    _Atomic int64_t kill_in;  /* the commit to die at, at an instant of this kind; 0: none */
    _Atomic int64_t kill_kind;
    _Atomic int64_t instants; /* so far */
    _Atomic int64_t commits;  /* that were written so far */
    _Atomic int64_t died;     /* at an instant of this kind */
    _Atomic int64_t open;     /* some of a transaction is written, but not its end */
};

static struct page nobody;
static struct page *page = &nobody;
static bool ending; /* the header of the last frame of a transaction is written */

__attribute__((constructor)) static void map_page(void)
{
    const char *path = getenv("SHIM_PAGE");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *p =
        fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (p != MAP_FAILED)
        page = p;
    if (fd >= 0)
        close(fd);
}

/* ---- instants -------------------------------------------------------------------------------- */

/* A frame of the log is a header and a page; with the page of the last one it is committed. */
enum { HEADER_BYTES = 24, LOG_HEADER_BYTES = 32 };

static void die(int kind)
{
    atomic_store(&page->died, kind);
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

static void instant(int kind)
{
    if (atomic_fetch_add(&page->instants, 1) + 1 == atomic_load(&page->kill_at))
        die(kind);
}

/* An instant of a commit: it is being written, was written, is being synced. */
static void commit_instant(int kind, int64_t commit)
{
    int64_t in = atomic_load(&page->kill_in);

    if (in && commit >= in && kind == atomic_load(&page->kill_kind))
        die(kind);
}

static bool ends_with(const char *path, ssize_t n, const char *end)
{
    size_t len = strlen(end);

    return n >= (ssize_t)len && !memcmp(path + n - len, end, len);
}

enum file { OTHER, DATABASE, LOG };

static enum file file_of(int fd)
{
    char link[32], path[1024];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path));
    if (ends_with(path, n, "/trefoil.db-wal"))
        return LOG;
    return ends_with(path, n, "/trefoil.db") ? DATABASE : OTHER;
}

static bool fails(void)
{
    errno = (int)atomic_load(&page->error);
    return errno != 0;
}

/* The second word of a header is not 0 in the last frame of a transaction. */
static void note_frame(const unsigned char *p, size_t n)
{
    if (n == HEADER_BYTES) {
        ending = p[4] | p[5] | p[6] | p[7];
        atomic_store(&page->open, 1);
    } else if (n > LOG_HEADER_BYTES && ending) {
        ending = false;
        atomic_store(&page->open, 0);
        commit_instant(AFTER_WRITE, atomic_fetch_add(&page->commits, 1) + 1);
    }
}

/* ---- what SQLite calls ----------------------------------------------------------------------- */

typedef ssize_t pwrite_fn(int, const void *, size_t, off64_t);
typedef int sync_fn(int);
typedef int cut_fn(int, off64_t);

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* Half of it, when that is all there will be. */
static void write_half(pwrite_fn *next, int fd, const void *p, size_t n, off64_t at, bool commits)
{
    bool here = atomic_load(&page->instants) + 1 == atomic_load(&page->kill_at);
    int64_t in = atomic_load(&page->kill_in);

    commits = commits && in && atomic_load(&page->commits) + 1 >= in;
    if (here || (commits && atomic_load(&page->kill_kind) == WITHIN_WRITE))
        next(fd, p, n / 2, at);
}

EXPORT ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    pwrite_fn *next = (pwrite_fn *)real("pwrite64");
    enum file file = file_of(fd);
    bool commits = file == LOG && ending && n > LOG_HEADER_BYTES;
    ssize_t got;

    if (file == OTHER)
        return next(fd, p, n, at);
    if (fails())
        return -1;
    instant(BEFORE_WRITE);
    if (commits)
        commit_instant(BEFORE_WRITE, atomic_load(&page->commits) + 1);
    write_half(next, fd, p, n, at, commits);
    instant(WITHIN_WRITE);
    if (commits)
        commit_instant(WITHIN_WRITE, atomic_load(&page->commits) + 1);
    got = next(fd, p, n, at);
    if (file == LOG)
        note_frame(p, n);
    instant(AFTER_WRITE);
    return got;
}

EXPORT int fdatasync(int fd)
{
    sync_fn *next = (sync_fn *)real("fdatasync");
    enum file file = file_of(fd);
    int got;

    if (file == OTHER)
        return next(fd);
    if (fails())
        return -1;
    instant(BEFORE_SYNC);
    commit_instant(BEFORE_SYNC, atomic_load(&page->commits));
    got = next(fd);
    instant(AFTER_SYNC);
    commit_instant(AFTER_SYNC, atomic_load(&page->commits));
    return got;
}

EXPORT int ftruncate64(int fd, off64_t n)
{
    cut_fn *next = (cut_fn *)real("ftruncate64");
    int got;

    if (file_of(fd) == OTHER)
        return next(fd, n);
    if (fails())
        return -1;
    instant(AT_CUT);
    got = next(fd, n);
    instant(AT_CUT);
    return got;
}

/* ---- the clock ------------------------------------------------------------------------------- */

typedef int clock_fn(clockid_t, struct timespec *);

EXPORT int clock_gettime(clockid_t id, struct timespec *t)
{
    int64_t ms = atomic_load(&page->clock_ms);
    int got = ((clock_fn *)real("clock_gettime"))(id, t);

    if (got || !ms || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE))
        return got;
    ms += (int64_t)t->tv_sec * 1000;
    t->tv_sec = ms / 1000;
    t->tv_nsec += ms % 1000 * 1000000;
    t->tv_sec += (t->tv_nsec >= 1000000000) - (t->tv_nsec < 0);
    t->tv_nsec += t->tv_nsec < 0 ? 1000000000 : t->tv_nsec >= 1000000000 ? -1000000000 : 0;
    return got;
}

EXPORT int gettimeofday(struct timeval *restrict v, void *restrict zone)
{
    struct timespec t;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &t))
        return -1;
    v->tv_sec = t.tv_sec;
    v->tv_usec = t.tv_nsec / 1000;
    return 0;
}

EXPORT time_t time(time_t *out)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    if (out)
        *out = t.tv_sec;
    return t.tv_sec;
}

/* ---- file systems ---------------------------------------------------------------------------- */

/* SHIM_FS is the number of a file system that all files seem to lie on. */
EXPORT int fstatfs64(int fd, struct statfs64 *out)
{
    int (*real)(int, struct statfs64 *) = dlsym(RTLD_NEXT, "fstatfs64");
    const char *fs = getenv("SHIM_FS");
    int got = real(fd, out);

    if (fs)
        out->f_type = strtol(fs, NULL, 0);
    return got;
}

EXPORT int fstatfs(int fd, struct statfs *out)
{
    return fstatfs64(fd, (struct statfs64 *)out);
}
