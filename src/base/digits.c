#include "base/digits.h"

#include <string.h>

/* Two at a time: a division takes as long as all the rest. */
static char *put_pair(char *end, uint64_t v)
{
    end[-1] = (char)('0' + v % 10);
    end[-2] = (char)('0' + v / 10);
    return end - 2;
}

size_t digits_put(char *out, uint64_t v)
{
    char text[DIGITS_MOST], *p = text + sizeof(text);
    size_t n;

    for (; v >= 100; v /= 100)
        p = put_pair(p, v % 100);
    if (v >= 10)
        p = put_pair(p, v);
    else
        *--p = (char)('0' + v);
    n = (size_t)(text + sizeof(text) - p);
    memcpy(out, p, n);
    return n;
}

size_t digits_put_signed(char *out, int64_t v)
{
    if (v >= 0)
        return digits_put(out, (uint64_t)v);
    out[0] = '-';
    return 1 + digits_put(out + 1, 0 - (uint64_t)v);
}

void digits_put_padded(char *out, uint64_t v, size_t width)
{
    while (width) {
        out[--width] = (char)('0' + v % 10);
        v /= 10;
    }
}

void digits_put_hex(char out[DIGITS_HEX], uint64_t v)
{
    for (size_t i = DIGITS_HEX; i-- > 0; v >>= 4)
        out[i] = "0123456789abcdef"[v & 15];
}
