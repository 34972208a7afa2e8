/*
 * render_spinner.c - the spinner that a terminal shows while nothing is printed: the elapsed time
 * and the running tool.
 *
 * Invariant: the spinner is on the screen only while the side output is at the beginning of a line.
 */
#include "term/render_parts.h"

#include "base/auto.h"
#include "base/container.h"

#include <stdio.h>

enum {
    SPIN_AFTER_MS = 300,
    SPIN_EVERY_MS = 100,
    COLUMNS = 80,
};

static void spinner_put(struct render *r, struct str bytes)
{
    r->opt.sink->put(r->opt.sink, RENDER_ASIDE, bytes);
}

void render_erase_spinner(struct render *r)
{
    if (r->spinning)
        spinner_put(r, STR("\r\x1b[K"));
    r->spinning = false;
}

/* The longest head of a text that fits; a character that is not ASCII counts as two columns. */
static struct str spinner_fit(struct str s, size_t columns)
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
        buf_put(&out, render_paint_code(DIM));
    buf_put(&out, (struct str){ left, (size_t)n });
    if (r->runs && columns > (size_t)n + 4) {
        buf_put(&out, STR("  "));
        buf_put(&out, spinner_fit(buf_str(&r->runs->label), columns - (size_t)n - 4));
    }
    if (r->opt.colour)
        buf_put(&out, render_paint_code(PLAIN));
    spinner_put(r, buf_str(&out));
    r->spinning = true;
}

static void on_spinner_tick(struct timer *t)
{
    struct render *r = CONTAINER_OF(t, struct render, tick);

    if (!r->open[RENDER_ASIDE])
        draw_spinner(r);
    timer_set(r->opt.loop, &r->tick, SPIN_EVERY_MS, on_spinner_tick);
}

void render_begin_waiting(struct render *r)
{
    if (!r->opt.spin || !r->working || r->asking)
        return;
    r->since = loop_now(r->opt.loop);
    timer_set(r->opt.loop, &r->tick, SPIN_AFTER_MS, on_spinner_tick);
}

void render_stop_waiting(struct render *r)
{
    timer_clear(r->opt.loop, &r->tick);
    render_erase_spinner(r);
}
