/* json_scan.h - the inner loops that read and write JSON strings. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stddef.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Printable ASCII except quote and backslash: needs no escape inside a JSON string. */
static inline int json_plain(signed char c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

#ifdef __SSE2__
enum { JSON_BLOCK = 16 };

/* For the 16 bytes at p: bit i of the result is set if p[i] is not plain. */
static inline unsigned json_odd_bits(const char *p)
{
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(0x20);
    __m128i c = _mm_loadu_si128((const void *)p);
    /* signed compare: below 0x20 and above 0x7f are both "less than a space" */
    __m128i odd = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(c, quote), _mm_cmpeq_epi8(c, slash)),
                               _mm_cmplt_epi8(c, space));

    return (unsigned)_mm_movemask_epi8(odd);
}
#endif

/* Copy the plain bytes at the start of p, and return their number. `to` has room for all n. */
static inline size_t json_copy_plain(char *to, const char *p, size_t n)
{
    size_t i = 0;
#ifdef __SSE2__
    for (; n - i >= JSON_BLOCK; i += JSON_BLOCK) {
        unsigned odd = json_odd_bits(p + i);

        memcpy(to + i, p + i, JSON_BLOCK);
        if (odd)
            return i + (size_t)__builtin_ctz(odd);
    }
    if (i) { /* the rest: check the last 16 bytes; the first of them are plain */
        unsigned odd = json_odd_bits(p + n - JSON_BLOCK);

        memcpy(to + n - JSON_BLOCK, p + n - JSON_BLOCK, JSON_BLOCK);
        return odd ? n - JSON_BLOCK + (size_t)__builtin_ctz(odd) : n;
    }
#endif
    for (; i < n && json_plain((signed char)p[i]); i++)
        to[i] = p[i];
    return i;
}

/* The number of plain bytes at the start of p. */
static inline size_t json_plain_run(const char *p, size_t n)
{
    size_t i = 0;
#ifdef __SSE2__
    for (; n - i >= JSON_BLOCK; i += JSON_BLOCK) {
        unsigned odd = json_odd_bits(p + i);

        if (odd)
            return i + (size_t)__builtin_ctz(odd);
    }
#endif
    while (i < n && json_plain((signed char)p[i]))
        i++;
    return i;
}

#endif
