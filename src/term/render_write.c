/*
 * render_write.c - lines of a render, and the spinner that turns while there are none.
 *
 * Invariants: a side is `open` while its last byte was not a line feed. The spinner is on the
 * screen only while aside is not open, and everything that writes erases it first (render_put).
 */
#include "term/render_parts.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/display.h"
#include "base/mem.h"

#include <stdio.h>

enum {
    SPIN_AFTER_MS = 300,
    SPIN_EVERY_MS = 100,
    COLUMNS = 80,
};

static const char *const paints[] = { "\x1b[0m",  "\x1b[2m",  "\x1b[31m",
                                      "\x1b[32m", "\x1b[33m", "\x1b[1m" };

/* ---- writing ------------------------------------------------------------------------------- */

static void put_raw(struct render *r, enum render_side side, struct str bytes)
{
    if (bytes.n)
        r->opt.sink->put(r->opt.sink, side, bytes);
}

static void erase_spinner(struct render *r)
{
    if (r->spinning)
        put_raw(r, RENDER_ASIDE, STR("\r\x1b[K"));
    r->spinning = false;
}

static void on_tick(struct timer *t);

void render_begin_waiting(struct render *r)
{
    if (!r->opt.spin || !r->working || r->asking)
        return;
    r->since = loop_now(r->opt.loop);
    timer_set(r->opt.loop, &r->tick, SPIN_AFTER_MS, on_tick);
}

void render_put(struct render *r, enum render_side side, struct str bytes)
{
    if (!bytes.n)
        return;
    erase_spinner(r);
    put_raw(r, side, bytes);
    r->open[side] = bytes.p[bytes.n - 1] != '\n';
    if (r->opt.together)
        r->open[!side] = r->open[side];
    render_begin_waiting(r);
}

void render_put_painted(struct render *r, enum paint p, struct str bytes)
{
    erase_spinner(r);
    if (r->opt.colour)
        put_raw(r, RENDER_ASIDE, str_of(paints[p]));
    render_put(r, RENDER_ASIDE, bytes);
    if (r->opt.colour)
        put_raw(r, RENDER_ASIDE, str_of(paints[PLAIN]));
}

void render_end_line(struct render *r, enum render_side side)
{
    if (r->open[side])
        render_put(r, side, STR("\n"));
}

void render_paint(struct render *r, enum paint p)
{
    if (r->opt.colour)
        buf_put(&r->line, str_of(paints[p]));
}

struct buf *render_line_new(struct render *r)
{
    buf_clear(&r->line);
    return &r->line;
}

void render_line_end(struct render *r)
{
    bool cut = r->line.full;

    if (r->opt.together)
        render_end_line(r, RENDER_ANSWER);
    render_end_line(r, RENDER_ASIDE);
    render_paint(r, PLAIN);
    render_put(r, RENDER_ASIDE, buf_str(&r->line));
    render_put(r, RENDER_ASIDE, cut ? STR(" (cut)\n") : STR("\n"));
    buf_trim(&r->line, RENDER_LINE_KEPT);
}

void render_put_line(struct render *r, enum paint p, const char *mark, struct str text)
{
    render_line_new(r);
    render_paint(r, p);
    buf_put(&r->line, str_of(mark));
    show_lines(&r->line, str_trim(text));
    render_line_end(r);
}

/* ---- what runs ----------------------------------------------------------------------------- */

struct render_run **render_run_find(struct render *r, struct str id)
{
    struct render_run **at = &r->runs;

    while (*at && !str_eq(buf_str(&(*at)->id), id))
        at = &(*at)->next;
    return at;
}

void render_run_drop(struct render_run **at)
{
    struct render_run *gone = *at;

    *at = gone->next;
    buf_fini(&gone->id);
    buf_fini(&gone->label);
    mem_free(gone);
}

void render_runs_drop(struct render *r)
{
    while (r->runs)
        render_run_drop(&r->runs);
}

void render_run_note(struct render *r, const struct event_tool *t)
{
    struct render_run **at = render_run_find(r, t->id);

    if (!*at) {
        *at = MEM_NEW(struct render_run);
        buf_init(&(*at)->id, t->id.n + 1);
        buf_put(&(*at)->id, t->id);
        buf_init(&(*at)->label, 4096);
        (*at)->begun = loop_now(r->opt.loop);
    }
    if (t->status == CALLED_RUNNING && !t->text.p && !t->done.p)
        (*at)->begun = loop_now(r->opt.loop);
    if ((*at)->label.n && !t->args.n && !t->path.n)
        return;
    buf_clear(&(*at)->label);
    render_tool_label(&(*at)->label, t->name, t->path, t->args, r->opt.root);
}

/* ---- the spinner --------------------------------------------------------------------------- */

/* As much of a text as is not wider than that, when all that is not ASCII is two columns wide. */
static struct str fit(struct str s, size_t columns)
{
    size_t wide = 0, n = 0;

    while (n < s.n) {
        bool begins = ((unsigned char)s.p[n] & 0xc0) != 0x80;

        wide += !begins ? 0 : (unsigned char)s.p[n] < 0x80 ? 1 : 2;
        if (begins && wide > columns)
            break;
        n++;
    }
    return str_head(s, n);
}

static void draw_spinner(struct render *r)
{
    static const char frames[] = "-\\|/";
    size_t columns = (size_t)(r->opt.columns > 8 ? r->opt.columns : COLUMNS);
    char left[48];
    AUTO_BUF out;
    int n = snprintf(left, sizeof(left), "%c %lld s", frames[r->frame++ % 4],
                     (long long)(loop_now(r->opt.loop) - r->since) / 1000);

    buf_init(&out, 8192);
    buf_put(&out, STR("\r\x1b[K"));
    if (r->opt.colour)
        buf_put(&out, str_of(paints[DIM]));
    buf_put(&out, (struct str){ left, (size_t)n });
    if (r->runs && columns > (size_t)n + 4) {
        buf_put(&out, STR("  "));
        buf_put(&out, fit(buf_str(&r->runs->label), columns - (size_t)n - 4));
    }
    if (r->opt.colour)
        buf_put(&out, str_of(paints[PLAIN]));
    put_raw(r, RENDER_ASIDE, buf_str(&out));
    r->spinning = true;
}

static void on_tick(struct timer *t)
{
    struct render *r = CONTAINER_OF(t, struct render, tick);

    if (!r->open[RENDER_ASIDE])
        draw_spinner(r);
    timer_set(r->opt.loop, &r->tick, SPIN_EVERY_MS, on_tick);
}

void render_stop_waiting(struct render *r)
{
    timer_clear(r->opt.loop, &r->tick);
    erase_spinner(r);
}
