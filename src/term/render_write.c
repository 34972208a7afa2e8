/*
 * render_write.c - write the lines of a renderer.
 *
 * Invariants: `open` is set for an output if its last byte was not a line feed. The spinner is
 * erased before anything is written (render_put).
 */
#include "term/render_parts.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/display.h"
#include "base/mem.h"

#include <stdio.h>

static const char *const paints[] = { "\x1b[0m",  "\x1b[2m",  "\x1b[31m",
                                      "\x1b[32m", "\x1b[33m", "\x1b[1m" };

/* ---- writing ------------------------------------------------------------------------------- */

static void put_raw(struct render *r, enum render_side side, struct str bytes)
{
    if (bytes.n)
        r->opt.sink->put(r->opt.sink, side, bytes);
}

struct str render_paint_code(enum paint p)
{
    return str_of(paints[p]);
}

void render_put(struct render *r, enum render_side side, struct str bytes)
{
    if (!bytes.n)
        return;
    render_erase_spinner(r);
    put_raw(r, side, bytes);
    r->open[side] = bytes.p[bytes.n - 1] != '\n';
    if (r->opt.together)
        r->open[!side] = r->open[side];
    render_begin_waiting(r);
}

void render_put_painted(struct render *r, enum paint p, struct str bytes)
{
    render_erase_spinner(r);
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
