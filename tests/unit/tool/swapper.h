/* swapper.h - a thread that makes a folder of the root and a link to the outside change places. */
#ifndef TESTS_TOOL_SWAPPER_H
#define TESTS_TOOL_SWAPPER_H

#include "tool_bench.h"

#include <pthread.h>
#include <stdatomic.h>

struct swapper {
    pthread_t thread;
    char folder[128], link[128];
    atomic_bool stop;
    atomic_long swaps;
};

static void *swap(void *ctx)
{
    struct swapper *s = ctx;

    while (!atomic_load(&s->stop)) {
        renameat2(AT_FDCWD, s->folder, AT_FDCWD, s->link, RENAME_EXCHANGE);
        atomic_fetch_add(&s->swaps, 1);
    }
    return NULL;
}

/* The folder d, which is there, and a link to the outside begin to swap. */
static inline void swapper_start(struct swapper *s, const struct bench *b)
{
    atomic_init(&s->stop, false);
    atomic_init(&s->swaps, 0);
    OK(symlink("../outside", at(b, "l")) == 0);
    snprintf(s->folder, sizeof(s->folder), "%s", at(b, "d"));
    snprintf(s->link, sizeof(s->link), "%s", at(b, "l"));
    OK(pthread_create(&s->thread, NULL, swap, s) == 0);
}

static inline void swapper_stop(struct swapper *s)
{
    atomic_store(&s->stop, true);
    pthread_join(s->thread, NULL);
}

#endif
