#include "base/percent.h"

#include "base/utf8.h"

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool percent_decode(struct arena *mem, struct str in, enum percent_rule rule, struct str *out)
{
    char *p = arena_alloc(mem, in.n + 1);
    struct str text;
    size_t n = 0;

    for (size_t i = 0; i < in.n; i++) {
        if (in.p[i] == '%' && i + 2 < in.n && hex(in.p[i + 1]) >= 0 && hex(in.p[i + 2]) >= 0) {
            p[n++] = (char)(hex(in.p[i + 1]) << 4 | hex(in.p[i + 2]));
            i += 2;
        } else if (in.p[i] == '%' && rule == PERCENT_STRICT) {
            return false;
        } else {
            p[n++] = in.p[i];
        }
    }
    text = (struct str){ p, n };
    if (utf8_valid(text) != text.n)
        return false;
    *out = text;
    return true;
}
