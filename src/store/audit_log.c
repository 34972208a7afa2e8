#include "store/audit_log.h"

#include "base/clock.h"
#include "base/container.h"
#include "base/digits.h"
#include "base/log.h"
#include "store/audit_write.h"

/* ---- one record ---------------------------------------------------------------------------- */

/* The text of the time is reused within a millisecond, because many calls share it. */
static struct str time_text(struct audit_log *log)
{
    int64_t now = loop_now(log->spool.loop);

    if (now != log->time_of || !log->time[0])
        clock_text(loop_wall(log->spool.loop), log->time);
    log->time_of = now;
    return (struct str){ log->time, CLOCK_TEXT - 1 };
}

static void write_entry(struct jw *w, const struct audit_entry *r, struct str time)
{
    char args[DIGITS_HEX];

    digits_put_hex(args, r->args);
    jw_object(w);
    jw_kplain(w, "time", time);
    jw_kstr(w, "who", str_of(r->caller));
    jw_kstr(w, "principal", r->principal.n ? r->principal : STR_NONE);
    jw_kstr(w, "trace", r->trace);
    jw_kstr(w, "work", r->work);
    jw_kint(w, "depth", r->depth);
    jw_kstr(w, "tool", str_of(r->tool));
    jw_kplain(w, "args", (struct str){ args, DIGITS_HEX });
    jw_kplain(w, "verdict", str_of(r->verdict));
    jw_kplain(w, "by", str_of(r->by));
    jw_kplain(w, "outcome", str_of(r->outcome));
    jw_kint(w, "ms", r->took_ms);
    jw_kstr(w, "from", r->from);
    jw_object_end(w);
}

static void record(struct audit_sink *sink, const struct audit_entry *entry)
{
    struct audit_log *log = CONTAINER_OF(sink, struct audit_log, sink);
    struct jw w = spool_begin(&log->spool);

    write_entry(&w, entry, time_text(log));
    spool_end(&log->spool);
}

/* ---- writing ------------------------------------------------------------------------------- */

static bool write_lines(struct spool *s, struct str lines, struct err *e)
{
    struct audit_log *log = CONTAINER_OF(s, struct audit_log, spool);

    const char *folder = log->state->open(log->state, e);

    return folder && audit_write(folder, log->limits, lines, e);
}

static void on_failed(struct spool *s, const struct err *e)
{
    (void)s;
    LOG(LOG_WARN, "audit", "the audit log cannot record calls", LOG_Z("why", e->text));
}

static const struct spool_kind audit_spool = { write_lines, on_failed, NULL };

/* ---- life ---------------------------------------------------------------------------------- */

void audit_log_init(struct audit_log *log, struct loop *loop, const struct limits *limits,
                    struct state_port *state)
{
    *log = (struct audit_log){ .sink = { record }, .limits = limits, .state = state };
    spool_init(&log->spool, &audit_spool, loop, (size_t)limits->audit_backlog_bytes,
               limits->audit_gather_ms);
}

void audit_log_close(struct audit_log *log, void (*done)(void *ctx), void *ctx)
{
    spool_close(&log->spool, done, ctx);
}

void audit_log_fini(struct audit_log *log)
{
    spool_fini(&log->spool);
}
