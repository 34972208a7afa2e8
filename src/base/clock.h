/*
 * clock.h - what time it is.
 *
 * Only edges ask the machine (loop_now() in loop.h serves everyone else, so tests own it).
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Milliseconds that only go forward, for deadlines. */
int64_t clock_mono_ms(void);

/* Milliseconds since the machine was started, asleep or not: the same for all its processes. */
int64_t clock_boot_ms(void);

/* Milliseconds since 1970 UTC. */
int64_t clock_wall_ms(void);

/* The kernel stamps files with a coarser clock: so far a stamp may be behind clock_wall_ms(). */
int64_t clock_file_lag_ms(void);

enum { CLOCK_TEXT = 25 };

/* 2026-11-15T09:30:00.123Z, NUL-terminated. For years 0 to 9999; others print as 9999. */
void clock_text(int64_t wall_ms, char out[CLOCK_TEXT]);

/* Seconds that the local zone is ahead of UTC at that time. */
long clock_offset(int64_t wall_ms);

#endif
