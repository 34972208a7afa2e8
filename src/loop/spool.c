#include "loop/spool.h"

#include "base/container.h"

enum { KEEP = 1 << 16 };

static void kick(struct spool *s);
static void kick_later(struct spool *s);

/* ---- lines --------------------------------------------------------------------------------- */

static void end_line(struct spool *s, size_t before)
{
    if (buf_putc(&s->filling, '\n') && !s->filling.full)
        return;
    s->filling.n = before;
    s->filling.full = false;
    s->lost++;
}

/* How many are missing stands before the next one that is not. */
static void tell_lost(struct spool *s)
{
    size_t before = s->filling.n;
    struct jw w = jw_to(&s->filling);
    uint64_t lost = s->lost;

    if (!lost)
        return;
    s->lost = 0;
    jw_object(&w);
    jw_kint(&w, "lost", (int64_t)lost);
    jw_object_end(&w);
    end_line(s, before);
    if (s->lost) /* still no room: this line was none of them */
        s->lost = lost;
}

struct jw spool_begin(struct spool *s)
{
    tell_lost(s);
    s->line = s->filling.n;
    return jw_to(&s->filling);
}

void spool_end(struct spool *s)
{
    end_line(s, s->line);
    if (s->filling.n > s->filling.max / 2)
        kick(s);
    else
        kick_later(s);
}

/* ---- writing ------------------------------------------------------------------------------- */

static bool write_batch(struct job *job, struct err *e)
{
    struct spool *s = CONTAINER_OF(job, struct spool, job);

    return s->kind->write(s, buf_str(&s->writing), e);
}

static void end(struct spool *s)
{
    void (*closed)(void *ctx) = s->closed;

    s->closed = NULL;
    if (closed)
        closed(s->closed_ctx);
}

static void on_written(struct op *op, const struct err *e, void *ctx)
{
    struct spool *s = ctx;
    size_t bytes = s->writing.n;

    (void)op;
    s->busy = false;
    buf_trim(&s->writing, KEEP);
    if (e && !s->complained) {
        s->complained = true;
        s->kind->on_failed(s, e);
    }
    if (!e && s->kind->on_written)
        s->kind->on_written(s, bytes);
    tell_lost(s);
    if (!s->filling.n)
        end(s);
    else if (s->closed)
        kick(s);
    else
        kick_later(s);
}

static void kick(struct spool *s)
{
    struct buf lines = s->filling;

    timer_clear(s->loop, &s->later);
    if (s->busy || !lines.n)
        return;
    s->busy = true;
    s->filling = s->writing;
    s->writing = lines;
    job_start(&s->job, s->loop, NULL, write_batch, on_written, s);
}

static void on_later(struct timer *t)
{
    kick(CONTAINER_OF(t, struct spool, later));
}

static void kick_later(struct spool *s)
{
    if (!s->busy && !timer_is_set(&s->later))
        timer_set(s->loop, &s->later, s->gather_ms, on_later);
}

/* ---- life ---------------------------------------------------------------------------------- */

void spool_init(struct spool *s, const struct spool_kind *kind, struct loop *loop, size_t most,
                int64_t gather_ms)
{
    *s = (struct spool){ .kind = kind, .loop = loop, .gather_ms = gather_ms };
    buf_init(&s->filling, most);
    buf_init(&s->writing, most);
}

void spool_close(struct spool *s, void (*done)(void *ctx), void *ctx)
{
    s->closed = done;
    s->closed_ctx = ctx;
    kick(s);
    if (!s->busy)
        end(s);
}

void spool_fini(struct spool *s)
{
    buf_fini(&s->filling);
    buf_fini(&s->writing);
}
