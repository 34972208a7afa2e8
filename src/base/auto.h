/*
 * auto.h - locals that clean up after themselves.
 *
 * For resources that belong to one function. TAKE_FD hands one to a new owner and disarms
 * the cleanup, so the move is visible at the call.
 */
#ifndef BASE_AUTO_H
#define BASE_AUTO_H

#include "base/arena.h"

#include <unistd.h>

static inline void auto_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

#define AUTO_FD __attribute__((cleanup(auto_close_fd))) int
#define AUTO_ARENA __attribute__((cleanup(arena_fini))) struct arena
#define TAKE_FD(fd)                                                                                \
    ({                                                                                             \
        int took_ = (fd);                                                                          \
        (fd) = -1;                                                                                 \
        took_;                                                                                     \
    })

#endif
