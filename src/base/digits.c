#include "base/digits.h"

#include <string.h>

size_t digits_put(char *out, uint64_t v)
{
    char text[DIGITS_MOST], *p = text + sizeof(text);
    size_t n;

    do {
        *--p = (char)('0' + v % 10);
        v /= 10;
    } while (v);
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
