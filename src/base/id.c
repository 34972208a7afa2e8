#include "base/id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

void id_random(void *out, size_t n)
{
    char *p = out;

    while (n) {
        ssize_t got = getrandom(p, n, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            perror("trefoil: getrandom");
            abort();
        }
        p += got;
        n -= (size_t)got;
    }
}

/* Random bytes are read from the kernel in blocks: each id would cost a system call otherwise. */
static const uint8_t *next_random(size_t n)
{
    static uint8_t run[2048];
    static size_t used = sizeof(run);

    if (used + n > sizeof(run)) {
        id_random(run, sizeof(run));
        used = 0;
    }
    used += n;
    return run + used - n;
}

/* The 12 bits behind the time count up within one millisecond and start low in the next. */
static unsigned next_count(int64_t *ms)
{
    static int64_t last_ms;
    static unsigned count;

    if (*ms > last_ms) {
        uint16_t seed;

        memcpy(&seed, next_random(sizeof(seed)), sizeof(seed));
        last_ms = *ms;
        count = seed & 0x3ff;
    } else if (++count > 0xfff) {
        last_ms++;
        count = 0;
    }
    *ms = last_ms;
    return count;
}

uint64_t id_number(void)
{
    uint64_t n;

    do
        memcpy(&n, next_random(sizeof(n)), sizeof(n));
    while (!n);
    return n;
}

static char *put_hex(char *to, const uint8_t *bytes, size_t n)
{
    static const char digit[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        *to++ = digit[bytes[i] >> 4];
        *to++ = digit[bytes[i] & 15];
    }
    return to;
}

void id_new(int64_t wall_ms, char out[ID_TEXT])
{
    static const uint8_t group[] = { 4, 2, 2, 2, 6 };
    unsigned count = next_count(&wall_ms);
    uint8_t id[16], *at = id;

    for (int shift = 40; shift >= 0; shift -= 8)
        *at++ = (uint8_t)(wall_ms >> shift);
    *at++ = (uint8_t)(0x70 | count >> 8);
    *at++ = (uint8_t)count;
    memcpy(at, next_random(8), 8);
    *at = 0x80 | (*at & 0x3f);
    at = id;
    for (size_t i = 0; i < sizeof(group); at += group[i++]) {
        if (i)
            *out++ = '-';
        out = put_hex(out, at, group[i]);
    }
    *out = 0;
}
