/*
 * auto.h - local variables that release their resource at the end of their scope.
 *
 * TAKE_FD passes a descriptor to a new owner: it sets the variable to -1, so that the end of the
 * scope closes nothing.
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
