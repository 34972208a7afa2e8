#include "wire/sse_write.h"

#include <stdio.h>

static void add_sse_piece(struct sse_pieces *out, struct str s)
{
    out->at[out->n++] = s;
}

/* Up to the first CR or LF; each of them, and both together, ends a line for the reader. */
static struct str line_of(struct str s)
{
    ptrdiff_t lf = str_find_byte(s, '\n');
    ptrdiff_t cr;

    if (lf >= 0)
        s = str_head(s, (size_t)lf);
    cr = str_find_byte(s, '\r');
    return cr >= 0 ? str_head(s, (size_t)cr) : s;
}

static void add_field(struct sse_pieces *out, struct str name, struct str value)
{
    if (!value.p)
        return;
    add_sse_piece(out, name);
    add_sse_piece(out, line_of(value));
    add_sse_piece(out, STR("\n"));
}

/* Each line becomes "data: LINE\n", so at most seven times the bytes. */
static void put_lines(struct buf *lines, struct str data)
{
    buf_init(lines, data.n * 7 + 16);
    for (;;) {
        struct str line = line_of(data);

        buf_put(lines, STR("data: "));
        buf_put(lines, line);
        buf_putc(lines, '\n');
        if (line.n == data.n)
            return;
        data = str_skip(data, line.n + (str_starts(str_skip(data, line.n), STR("\r\n")) ? 2 : 1));
    }
}

static void add_data(struct sse_pieces *out, struct str data)
{
    if (!data.p)
        return;
    if (line_of(data).n == data.n) {
        add_sse_piece(out, STR("data: "));
        add_sse_piece(out, data);
        add_sse_piece(out, STR("\n\n"));
        return;
    }
    put_lines(&out->lines, data);
    add_sse_piece(out, buf_str(&out->lines));
    add_sse_piece(out, STR("\n"));
}

void sse_write(const struct sse_out *ev, struct sse_pieces *out)
{
    out->n = 0;
    out->lines = (struct buf){ 0 };
    add_field(out, STR("event: "), ev->event);
    add_field(out, STR("id: "), ev->id);
    if (ev->retry_ms) {
        int n = snprintf(out->retry, sizeof(out->retry), "retry: %u\n", ev->retry_ms);

        add_sse_piece(out, (struct str){ out->retry, (size_t)n });
    }
    if (ev->data.p)
        add_data(out, ev->data);
    else if (out->n)
        add_sse_piece(out, STR("\n"));
}

void sse_pieces_fini(struct sse_pieces *p)
{
    buf_fini(&p->lines);
}
