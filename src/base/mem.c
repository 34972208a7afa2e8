#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

/* The one place that may. */
#undef malloc
#undef calloc
#undef realloc
#undef free

__attribute__((cold, noreturn)) static void die(size_t n)
{
    fprintf(stderr, "trefoil: out of memory (%zu bytes)\n", n);
    abort();
}

void *mem_alloc(size_t n)
{
    void *p = malloc(n ? n : 1);

    if (!p)
        die(n);
    return p;
}

void *mem_zero(size_t n)
{
    void *p = calloc(1, n ? n : 1);

    if (!p)
        die(n);
    return p;
}

void *mem_resize(void *p, size_t n)
{
    void *q = realloc(p, n ? n : 1);

    if (!q)
        die(n);
    return q;
}

void mem_free(void *p)
{
    free(p);
}
