#include "runtime/session_log.h"

#include "base/auto.h"
#include "base/clock.h"
#include "base/container.h"
#include "base/mem.h"
#include "state/log_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- on the pool ---------------------------------------------------------------------------- */

/*
 * Set *e from errno, with the path of the file. The log is in one of two directories (log_dir.h),
 * so the path is read from the descriptor.
 */
static bool fail_in_dir(int dir, const char *done, const char *name, struct err *e)
{
    int sys = errno;
    char link[32], path[160] = "";

    snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
    if (readlink(link, path, sizeof(path) - 1) < 0)
        path[0] = 0;
    errno = sys;
    return fail_sys(e, "%s %s/%.60s", done, path, name);
}

static bool write_all(int dir, const char *name, int fd, struct str text, struct err *e)
{
    while (text.n) {
        ssize_t n = write(fd, text.p, text.n);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_in_dir(dir, "write", name, e);
        text = str_skip(text, (size_t)n);
    }
    return true;
}

static bool write_lines(struct spool *s, struct str lines, struct err *e)
{
    const struct session_log *log = CONTAINER_OF(s, struct session_log, spool);
    AUTO_FD dir = -1, fd = -1;
    struct stat st;

    if (!log_dir_open(log->root, log->state, &dir, e))
        return false;
    if (fstatat(dir, log->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0 &&
        st.st_size + (off_t)lines.n > log->limits->session_log_bytes &&
        renameat(dir, log->name, dir, log->old) != 0)
        return fail_in_dir(dir, "rename", log->name, e);
    fd = openat(dir, log->name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                0600);
    if (fd < 0)
        return fail_in_dir(dir, "open", log->name, e);
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return fail(e, ERR_INVALID, "%.150s is not a regular file", log->name);
    return write_all(dir, log->name, fd, lines, e);
}

/* ---- on the loop ---------------------------------------------------------------------------- */

static void on_failed(struct spool *s, const struct err *e)
{
    struct session_log *log = CONTAINER_OF(s, struct session_log, spool);
    char text[sizeof(e->text) + 40];
    struct event ev = { .kind = EVENT_NOTICE, .notice = { NOTICE_WARNING, { text, 0 } } };

    snprintf(text, sizeof(text), "the log of the session has gaps: %s", e->text);
    ev.notice.text = str_of(text);
    log->to->kind->event(log->to, &ev);
}

/*
 * Report the written bytes. They are reported after the write, so that retention sees them when it
 * measures the logs.
 */
static void on_written(struct spool *s, size_t bytes)
{
    struct session_log *log = CONTAINER_OF(s, struct session_log, spool);

    if (log->grown)
        log->grown(log->grown_ctx, bytes);
}

static const struct spool_kind spool_kind = { write_lines, on_failed, on_written };

static void write_line(struct session_log *log, struct str below, const struct event *ev)
{
    struct jw w = spool_begin(&log->spool);
    char time[CLOCK_TEXT];

    clock_text(loop_wall(log->spool.loop), time);
    jw_object(&w);
    jw_kstr(&w, "time", str_of(time));
    jw_kstr(&w, "below", below);
    jw_plain_key(&w, STR("event"));
    event_write(&w, ev);
    jw_object_end(&w);
    spool_end(&log->spool);
}

void session_log_note(struct session_log *log, const struct event *ev)
{
    if (log->open)
        write_line(log, STR_NONE, ev);
}

static void tee_event(struct work_client *c, const struct event *ev)
{
    struct session_log *log = CONTAINER_OF(c, struct session_log, client);

    write_line(log, STR_NONE, ev);
    log->to->kind->event(log->to, ev);
}

static bool tee_can(const struct work_client *c, enum ask_kind kind)
{
    const struct session_log *log = CONTAINER_OF(c, struct session_log, client);

    return log->to->kind->can(log->to, kind);
}

static void tee_ask(struct work_client *c, struct ask *ask)
{
    struct session_log *log = CONTAINER_OF(c, struct session_log, client);

    log->to->kind->ask(log->to, ask);
}

static void tee_below(struct work_client *c, struct str session, const struct event *ev)
{
    struct session_log *log = CONTAINER_OF(c, struct session_log, client);

    write_line(log, session, ev);
    if (log->to->kind->below)
        log->to->kind->below(log->to, session, ev);
}

static const struct work_client_kind log_kind = { tee_event, tee_can, tee_ask, tee_below };

/* ---- opening and closing -------------------------------------------------------------------- */

static char *join(const char *text, const char *end)
{
    size_t n = strlen(text) + strlen(end) + 1;
    char *joined = mem_alloc(n);

    snprintf(joined, n, "%s%s", text, end);
    return joined;
}

void session_log_open(struct session_log *log, struct loop *loop, const struct limits *limits,
                      const char *root, struct state_port *state, const char *session,
                      struct work_client *to)
{
    *log = (struct session_log){ .client = { &log_kind },
                                 .to = to,
                                 .limits = limits,
                                 .root = join(root, ""),
                                 .state = state,
                                 .name = join(session, ".log"),
                                 .old = join(session, ".1.log"),
                                 .open = true };
    spool_init(&log->spool, &spool_kind, loop, (size_t)limits->session_log_backlog_bytes,
               limits->session_log_gather_ms);
}

struct closing {
    struct session_log *log;
    void (*done)(void *ctx);
    void *ctx;
};

static void on_closed(void *ctx)
{
    struct closing closing = *(struct closing *)ctx;

    spool_fini(&closing.log->spool);
    mem_free(closing.log->root);
    mem_free(closing.log->name);
    mem_free(closing.log->old);
    mem_free(ctx);
    *closing.log = (struct session_log){ 0 };
    closing.done(closing.ctx);
}

void session_log_close(struct session_log *log, void (*done)(void *ctx), void *ctx)
{
    struct closing *closing;

    if (!log->open) {
        done(ctx);
        return;
    }
    log->open = false;
    closing = MEM_NEW(struct closing);
    *closing = (struct closing){ log, done, ctx };
    spool_close(&log->spool, on_closed, closing);
}
