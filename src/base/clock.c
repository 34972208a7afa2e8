#include "base/clock.h"

#include "base/digits.h"

#include <stdbool.h>
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

/* One tick, rounded up, and the part of a millisecond that a stamp in milliseconds leaves out. */
int64_t clock_file_lag_ms(void)
{
    struct timespec t;

    clock_getres(CLOCK_REALTIME_COARSE, &t);
    return (int64_t)t.tv_sec * 1000 + (t.tv_nsec + 999999) / 1000000 + 1;
}

/*
 * Calendars are slow, and callers that need the time as text often need it again within the same
 * second: each thread keeps its last one.
 */
static int64_t second_of(int64_t wall_ms)
{
    return wall_ms / 1000 - (wall_ms % 1000 < 0);
}

static void write_second(int64_t second, char out[CLOCK_TEXT])
{
    time_t sec = (time_t)second;
    struct tm tm;

    gmtime_r(&sec, &tm);
    memcpy(out, "0000-00-00T00:00:00.000Z", CLOCK_TEXT);
    digits_put_padded(out, (uint64_t)(tm.tm_year + 1900), 4);
    digits_put_padded(out + 5, (uint64_t)(tm.tm_mon + 1), 2);
    digits_put_padded(out + 8, (uint64_t)tm.tm_mday, 2);
    digits_put_padded(out + 11, (uint64_t)tm.tm_hour, 2);
    digits_put_padded(out + 14, (uint64_t)tm.tm_min, 2);
    digits_put_padded(out + 17, (uint64_t)tm.tm_sec, 2);
}

void clock_text(int64_t wall_ms, char out[CLOCK_TEXT])
{
    static _Thread_local struct {
        int64_t second;
        char text[CLOCK_TEXT];
    } last;
    const int64_t first = -62167219200000, end = 253402300799999; /* years 0 and 9999 */
    int64_t second;

    if (wall_ms < first || wall_ms > end)
        wall_ms = end;
    second = second_of(wall_ms);
    if (second != last.second || !last.text[0]) {
        write_second(second, last.text);
        last.second = second;
    }
    memcpy(out, last.text, CLOCK_TEXT);
    digits_put_padded(out + 20, (uint64_t)(wall_ms - second * 1000), 3);
}

long clock_offset(int64_t wall_ms)
{
    static _Thread_local struct {
        int64_t second;
        long offset;
        bool known;
    } last;
    int64_t second = second_of(wall_ms);

    if (second != last.second || !last.known) {
        time_t sec = (time_t)second;
        struct tm tm;

        localtime_r(&sec, &tm);
        last.second = second;
        last.offset = tm.tm_gmtoff;
        last.known = true;
    }
    return last.offset;
}
