#include "base/clock.h"

#include "base/digits.h"

#include <string.h>
#include <time.h>

static int64_t read_ms(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t clock_mono_ms(void)
{
    return read_ms(CLOCK_MONOTONIC);
}

int64_t clock_boot_ms(void)
{
    return read_ms(CLOCK_BOOTTIME);
}

int64_t clock_wall_ms(void)
{
    return read_ms(CLOCK_REALTIME);
}

void clock_text(int64_t wall_ms, char out[CLOCK_TEXT])
{
    const int64_t first = -62167219200000, last = 253402300799999; /* years 0 and 9999 */
    struct tm tm;
    time_t sec;

    if (wall_ms < first || wall_ms > last)
        wall_ms = last;
    sec = (time_t)(wall_ms / 1000 - (wall_ms % 1000 < 0));
    gmtime_r(&sec, &tm);
    memcpy(out, "0000-00-00T00:00:00.000Z", CLOCK_TEXT);
    digits_put_padded(out, (uint64_t)(tm.tm_year + 1900), 4);
    digits_put_padded(out + 5, (uint64_t)(tm.tm_mon + 1), 2);
    digits_put_padded(out + 8, (uint64_t)tm.tm_mday, 2);
    digits_put_padded(out + 11, (uint64_t)tm.tm_hour, 2);
    digits_put_padded(out + 14, (uint64_t)tm.tm_min, 2);
    digits_put_padded(out + 17, (uint64_t)tm.tm_sec, 2);
    digits_put_padded(out + 20, (uint64_t)(wall_ms - (int64_t)sec * 1000), 3);
}
