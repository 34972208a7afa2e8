#include "core/agent/skill.h"

#include "base/buf.h"

enum { MORE_LINE = 32 }; /* "\n- and N more" */

/* Write a description as one line: white space and control characters become single spaces. */
static void put_flat(struct buf *b, struct str s)
{
    s = str_trim(s);
    for (size_t i = 0; i < s.n; i++) {
        bool blank = (unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f;

        if (!blank)
            buf_putc(b, s.p[i]);
        else if (b->n && b->p[b->n - 1] != ' ')
            buf_putc(b, ' ');
    }
}

/* Write the whole line, or nothing if it does not fit. */
static bool put_line(struct buf *b, const struct skill *s)
{
    size_t before = b->n;

    buf_printf(b, "%s- %s: ", b->n ? "\n" : "", s->name);
    put_flat(b, s->description);
    if (!b->full)
        return true;
    b->n = before;
    b->full = false;
    return false;
}

struct str skills_lines(struct arena *mem, const struct skill_list *list, size_t max)
{
    struct buf b;
    size_t i = 0;

    buf_init_in(&b, mem, max > MORE_LINE ? max - MORE_LINE : 0);
    while (list && i < list->n && put_line(&b, &list->v[i]))
        i++;
    b.max = max;
    if (list && i < list->n)
        buf_printf(&b, "%s- and %zu more", b.n ? "\n" : "", list->n - i);
    return b.n ? buf_str(&b) : STR("");
}
