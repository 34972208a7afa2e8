/* store_bench.h - what the measurements of the store share: a clock, samples, bare SQLite. */
#ifndef TESTS_BENCH_STORE_BENCH_H
#define TESTS_BENCH_STORE_BENCH_H

#include "base/mem.h"
#include "store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "store_bench: %s\n", what);
    exit(1);
}

/* ---- samples -------------------------------------------------------------------------------- */

enum { SAMPLES = 1 << 20 };

struct tally {
    int64_t done;
    int64_t *sample;
};

static inline void note(struct tally *t, int64_t since)
{
    if (!t->sample)
        t->sample = mem_alloc(SAMPLES * sizeof(*t->sample));
    if (t->done < SAMPLES)
        t->sample[t->done] = now_ns() - since;
    t->done++;
}

static inline int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Rate and latencies, without the end of the line. */
static inline void report(struct tally *t, int64_t took)
{
    size_t n = (size_t)(t->done < SAMPLES ? t->done : SAMPLES);

    must(n > 0, "nothing was measured");
    qsort(t->sample, n, sizeof(*t->sample), by_size);
    printf("rate=%.0f p50_us=%.1f p99_us=%.1f", (double)t->done * 1e9 / (double)took,
           (double)t->sample[n / 2] / 1e3, (double)t->sample[n * 99 / 100] / 1e3);
    mem_free(t->sample);
}

/* ---- bare SQLite ---------------------------------------------------------------------------- */

static inline sqlite3 *bare_open(const char *path, enum store_durability durability)
{
    sqlite3 *db;

    must(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK,
         "open");
    sqlite3_exec(db, "PRAGMA cache_size = -1024", NULL, NULL, NULL);
    sqlite3_exec(
        db, durability == STORE_POWER ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
        NULL, NULL, NULL);
    return db;
}

static inline sqlite3_stmt *prepared(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st;

    must(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL) == SQLITE_OK, sql);
    return st;
}

/* To its end; of a row, its number and sequence number as the place of an event. */
static inline int64_t step_once(sqlite3_stmt *st)
{
    int64_t place = 0;
    int got = sqlite3_step(st);

    if (got == SQLITE_ROW) {
        place = sqlite3_column_int64(st, 0) << 32 | sqlite3_column_int64(st, 1);
        got = sqlite3_step(st);
    }
    must(got == SQLITE_DONE, "step");
    sqlite3_reset(st);
    return place;
}

#endif
