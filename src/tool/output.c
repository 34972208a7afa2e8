/*
 * output.c - keeps the head and the tail of an output. The tail buffer grows to twice the limit and
 * then drops its older half, so each byte is copied at most two times.
 */
#include "tool/output.h"

#include "base/utf8.h"

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

/* Without the bytes of a character whose start was dropped. */
static struct str cut_front(struct str s)
{
    size_t n = 0;

    while (n < 3 && n < s.n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n++;
    return str_skip(s, n);
}

/* Without the bytes of a character whose end was dropped. */
static struct str cut_back(struct str s)
{
    for (size_t k = 1; k <= 3 && k <= s.n; k++) {
        const char *c = s.p + s.n - k;

        if (((unsigned char)*c & 0xc0) == 0xc0 && !utf8_len(c, k))
            return str_head(s, s.n - k);
    }
    return s;
}

/* Between two drops more is held; what is shown does not depend on how it came in. */
struct str output_tail(const struct output *o)
{
    size_t n = o->tail.n < o->tail_most ? o->tail.n : o->tail_most;
    struct str tail = n ? str_skip(buf_str(&o->tail), o->tail.n - n) : STR("");

    return o->behind > n ? cut_front(tail) : tail;
}

struct str output_head(const struct output *o)
{
    struct str head = o->head.n ? buf_str(&o->head) : STR("");

    return o->behind > output_tail(o).n ? cut_back(head) : head;
}

uint64_t output_lost(const struct output *o)
{
    return o->behind + o->head.n - output_tail(o).n - output_head(o).n;
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
