/* container.h - get the struct that contains a given member. */
#ifndef BASE_CONTAINER_H
#define BASE_CONTAINER_H

#include <stddef.h>

/* The struct `type` whose field `member` is at ptr. */
#define CONTAINER_OF(ptr, type, member)                                                            \
    ((type *)(void *)((char *)(ptr)-offsetof(type, member) +                                       \
                      0 * sizeof((ptr) == &((type *)0)->member)))

#endif
