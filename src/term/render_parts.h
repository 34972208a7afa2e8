/*
 * render_parts.h - internals of a renderer: lines and running calls (render_write.c), the spinner
 * (render_spinner.c).
 */
#ifndef TERM_RENDER_PARTS_H
#define TERM_RENDER_PARTS_H

#include "term/render.h"

/* A running tool call. */
struct render_run {
    struct render_run *next;
    struct buf id, label;
    int64_t begun;
};

enum { RENDER_LINE_KEPT = 1 << 16 };

enum paint { PLAIN, DIM, RED, GREEN, YELLOW, BOLD };

/* The maximum length of a line: the size of the output queue. */
static inline size_t render_line_most(const struct render *r)
{
    return (size_t)r->opt.limits->output_backlog_bytes;
}

/* ---- writing ------------------------------------------------------------------------------- */

void render_put(struct render *r, enum render_side side, struct str bytes);

/* Write a piece of a line to the side output, in this colour only. */
void render_put_painted(struct render *r, enum paint p, struct str bytes);

/* End the line of this side, if one has begun. */
void render_end_line(struct render *r, enum render_side side);

/* Begin a line; render_line_end writes it to the side output. */
struct buf *render_line_new(struct render *r);
void render_paint(struct render *r, enum paint p);
void render_line_end(struct render *r);

/* Write a line with a mark and a text to the side output. */
void render_put_line(struct render *r, enum paint p, const char *mark, struct str text);

/* ---- running tool calls -------------------------------------------------------------------- */

/* Find a call: returns the link that points to it; *link is NULL if the call is not running. */
struct render_run **render_run_find(struct render *r, struct str id);
void render_run_drop(struct render_run **at);
void render_runs_drop(struct render *r);

/* Add a call, or update it when its arguments are known. */
void render_run_note(struct render *r, const struct event_tool *t);

/* ---- the spinner --------------------------------------------------------------------------- */

/* The output pauses: show the spinner if nothing is printed for a moment. */
void render_begin_waiting(struct render *r);
void render_stop_waiting(struct render *r);
void render_erase_spinner(struct render *r);

/* The escape sequence of a colour. */
struct str render_paint_code(enum paint p);

#endif
