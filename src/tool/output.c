/*
 * output.c - the tail grows to twice its size and then drops its older half, so that a flood is
 * copied twice at most.
 */
#include "tool/output.h"

void output_init(struct output *o, size_t head_most, size_t tail_most)
{
    *o = (struct output){ .head_most = head_most, .tail_most = tail_most };
    buf_init(&o->head, head_most);
    buf_init(&o->tail, 2 * tail_most);
}

void output_fini(struct output *o)
{
    buf_fini(&o->head);
    buf_fini(&o->tail);
}

void output_put(struct output *o, struct str bytes)
{
    size_t room = o->head_most - o->head.n, n = bytes.n < room ? bytes.n : room;

    if (n)
        buf_put(&o->head, str_head(bytes, n));
    bytes = str_skip(bytes, n);
    o->behind += bytes.n;
    if (bytes.n > o->tail_most)
        bytes = str_skip(bytes, bytes.n - o->tail_most);
    if (o->tail.n + bytes.n > o->tail.max)
        buf_consume(&o->tail, o->tail.n - (o->tail_most - bytes.n));
    if (bytes.n)
        buf_put(&o->tail, bytes);
}

/* Between two drops more is held; what is shown does not depend on how it came in. */
struct str output_tail(const struct output *o)
{
    size_t n = o->tail.n < o->tail_most ? o->tail.n : o->tail_most;

    return n ? str_skip(buf_str(&o->tail), o->tail.n - n) : STR("");
}

uint64_t output_lost(const struct output *o)
{
    return o->behind - output_tail(o).n;
}

struct str output_take(struct output *o, uint64_t *lost)
{
    struct str tail = output_tail(o);
    uint64_t fresh = o->behind - o->taken;
    size_t n = fresh < tail.n ? (size_t)fresh : tail.n;

    *lost = fresh - n;
    o->taken = o->behind;
    return str_skip(tail, tail.n - n);
}
