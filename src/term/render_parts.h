/*
 * render_parts.h - internals of a renderer: lines and running calls (render_write.c), the spinner
 * (render_spinner.c).
 */
#ifndef TERM_RENDER_PARTS_H
#define TERM_RENDER_PARTS_H

#include "term/render.h"

/* A call that has not ended. */
struct render_run {
    struct render_run *next;
    struct buf id, label;
    int64_t begun;
};

enum { RENDER_LINE_KEPT = 1 << 16 };

enum paint { PLAIN, DIM, RED, GREEN, YELLOW, BOLD };

/* No line is longer than what may wait for a reader. */
static inline size_t render_line_most(const struct render *r)
{
    return (size_t)r->opt.limits->output_backlog_bytes;
}

/* ---- writing ------------------------------------------------------------------------------- */

void render_put(struct render *r, enum render_side side, struct str bytes);

/* Aside, a piece of a line: whatever comes next has its own colour. */
void render_put_painted(struct render *r, enum paint p, struct str bytes);

/* The side is at the beginning of a line. */
void render_end_line(struct render *r, enum render_side side);

/* Begin a line of our own; render_line_end writes it aside. */
struct buf *render_line_new(struct render *r);
void render_paint(struct render *r, enum paint p);
void render_line_end(struct render *r);

/* A mark in front, then a sentence. */
void render_put_line(struct render *r, enum paint p, const char *mark, struct str text);

/* ---- what runs ----------------------------------------------------------------------------- */

/* Where it hangs, or would: *at is NULL when it does not run. */
struct render_run **render_run_find(struct render *r, struct str id);
void render_run_drop(struct render_run **at);
void render_runs_drop(struct render *r);

/* Also again, when its arguments are known. */
void render_run_note(struct render *r, const struct event_tool *t);

/* ---- the spinner --------------------------------------------------------------------------- */

/* Nothing is printed for now: show the spinner after a moment. */
void render_begin_waiting(struct render *r);
void render_stop_waiting(struct render *r);
void render_erase_spinner(struct render *r);

/* The escape sequence of a colour. */
struct str render_paint_code(enum paint p);

#endif
