/*
 * clock.h - read the clocks of the system.
 *
 * Most code uses loop_now() and loop_wall() (loop.h) instead, so that tests can set the time.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Milliseconds of a clock that never goes back, for deadlines. */
int64_t clock_mono_ms(void);

/*
 * Milliseconds since the machine was started, including the time during which it was suspended. All
 * processes get the same value.
 */
int64_t clock_boot_ms(void);

/* Milliseconds since 1970 UTC. */
int64_t clock_wall_ms(void);

/*
 * The maximum number of milliseconds by which the time stamp of a file written now can be earlier
 * than clock_wall_ms(). The kernel rounds time stamps down.
 */
int64_t clock_file_lag_ms(void);

enum { CLOCK_TEXT = 25 };

/* Write a time as text, such as "2026-11-15T09:30:00.123Z", and a NUL. A time outside the years 0
 * to 9999 is replaced by the end of 9999. */
void clock_text(int64_t wall_ms, char out[CLOCK_TEXT]);

/* How many seconds the local time zone is ahead of UTC at that time. */
long clock_offset(int64_t wall_ms);

#endif
