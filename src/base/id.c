#include "base/id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The 12 bits behind the time count up within one millisecond and start low in the next. */
static unsigned next_count(int64_t *ms)
{
    static int64_t last_ms;
    static unsigned count;

    if (*ms > last_ms) {
        uint16_t seed;

        id_random(&seed, sizeof(seed));
        last_ms = *ms;
        count = seed & 0x3ff;
    } else if (++count > 0xfff) {
        last_ms++;
        count = 0;
    }
    *ms = last_ms;
    return count;
}

void id_new(int64_t wall_ms, char out[ID_TEXT])
{
    uint8_t r[8];
    unsigned count = next_count(&wall_ms);

    id_random(r, sizeof(r));
    snprintf(out, ID_TEXT, "%08llx-%04llx-7%03x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             (unsigned long long)(wall_ms >> 16 & 0xffffffff),
             (unsigned long long)(wall_ms & 0xffff), count & 0xfff, 0x80 | (r[0] & 0x3f), r[1],
             r[2], r[3], r[4], r[5], r[6], r[7]);
}
