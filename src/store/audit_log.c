#include "store/audit_log.h"

#include "base/clock.h"
#include "base/container.h"
#include "base/json.h"
#include "base/log.h"
#include "store/audit_write.h"

#include <inttypes.h>
#include <stdio.h>

static void kick(struct audit_log *log);
static void kick_later(struct audit_log *log);

/* ---- one record ---------------------------------------------------------------------------- */

static void write_entry(struct jw *w, const struct audit_entry *r)
{
    char time[CLOCK_TEXT], args[17];

    clock_text(r->wall_ms, time);
    snprintf(args, sizeof(args), "%016" PRIx64, r->args);
    jw_object(w);
    jw_kstr(w, "time", str_of(time));
    jw_kstr(w, "who", str_of(r->who));
    jw_kstr(w, "principal", r->principal.n ? r->principal : STR_NONE);
    jw_kstr(w, "trace", r->trace);
    jw_kint(w, "depth", r->depth);
    jw_kstr(w, "tool", str_of(r->tool));
    jw_kstr(w, "args", str_of(args));
    jw_kstr(w, "verdict", str_of(r->verdict));
    jw_kstr(w, "by", str_of(r->by));
    jw_kstr(w, "outcome", str_of(r->outcome));
    jw_kint(w, "ms", r->took_ms);
    jw_kstr(w, "from", r->from);
    jw_object_end(w);
}

/* Whole or not at all. */
static void end_line(struct audit_log *log, size_t before)
{
    if (buf_putc(&log->filling, '\n') && !log->filling.full)
        return;
    log->filling.n = before;
    log->filling.full = false;
    log->lost++;
}

/* How many are missing stands before the next one that is not. */
static void tell_lost(struct audit_log *log)
{
    size_t before = log->filling.n;
    struct jw w = jw_to(&log->filling);
    uint64_t lost = log->lost;

    if (!lost)
        return;
    log->lost = 0;
    jw_object(&w);
    jw_kint(&w, "lost", (int64_t)lost);
    jw_object_end(&w);
    end_line(log, before);
    if (log->lost) /* still no room: this line was none of them */
        log->lost = lost;
}

static void record(struct audit_sink *sink, const struct audit_entry *entry)
{
    struct audit_log *log = CONTAINER_OF(sink, struct audit_log, sink);
    struct jw w = jw_to(&log->filling);
    size_t before;

    tell_lost(log);
    before = log->filling.n;
    write_entry(&w, entry);
    end_line(log, before);
    if (log->filling.n > (size_t)log->limits->audit_backlog_bytes / 2)
        kick(log);
    else
        kick_later(log);
}

/* ---- writing ------------------------------------------------------------------------------- */

static bool write_batch(struct job *job, struct err *e)
{
    struct audit_log *log = CONTAINER_OF(job, struct audit_log, job);

    return log->make_folder(log->root, e) &&
           audit_write(log->folder, log->limits, buf_str(&log->writing), e);
}

static void end(struct audit_log *log)
{
    void (*closed)(void *who) = log->closed;

    log->closed = NULL;
    if (closed)
        closed(log->closed_who);
}

static void on_written(struct op *op, const struct err *e, void *who)
{
    struct audit_log *log = who;

    (void)op;
    log->busy = false;
    buf_trim(&log->writing, 1 << 16);
    if (e && !log->complained)
        LOG(LOG_WARN, "audit", "calls are not recorded", LOG_Z("why", e->text));
    log->complained |= e != NULL;
    tell_lost(log);
    if (!log->filling.n)
        end(log);
    else if (log->closed)
        kick(log);
    else
        kick_later(log);
}

static void kick(struct audit_log *log)
{
    struct buf lines = log->filling;

    timer_clear(log->loop, &log->later);
    if (log->busy || !lines.n)
        return;
    log->busy = true;
    log->filling = log->writing;
    log->writing = lines;
    job_start(&log->job, log->loop, NULL, write_batch, on_written, log);
}

static void on_later(struct timer *t)
{
    kick(CONTAINER_OF(t, struct audit_log, later));
}

static void kick_later(struct audit_log *log)
{
    if (!log->busy && !timer_is_set(&log->later))
        timer_set(log->loop, &log->later, log->limits->audit_gather_ms, on_later);
}

/* ---- life ---------------------------------------------------------------------------------- */

void audit_log_init(struct audit_log *log, struct loop *loop, const struct limits *limits,
                    const char *root, const char *folder, audit_folder_fn *make_folder)
{
    *log = (struct audit_log){ .sink = { record },
                               .loop = loop,
                               .limits = limits,
                               .root = root,
                               .folder = folder,
                               .make_folder = make_folder };
    buf_init(&log->filling, (size_t)limits->audit_backlog_bytes);
    buf_init(&log->writing, (size_t)limits->audit_backlog_bytes);
}

void audit_log_close(struct audit_log *log, void (*done)(void *who), void *who)
{
    log->closed = done;
    log->closed_who = who;
    kick(log);
    if (!log->busy)
        end(log);
}

void audit_log_fini(struct audit_log *log)
{
    buf_fini(&log->filling);
    buf_fini(&log->writing);
}
