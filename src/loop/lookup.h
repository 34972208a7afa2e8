/*
 * lookup.h - get the addresses of a host name without blocking the loop.
 *
 * The resolver of the system may block for many seconds and cannot be interrupted. So each lookup
 * has its own thread. If the lookup is dropped, the thread continues, but nothing waits for it:
 * neither the thread pool (job.h) nor the end of the program. The owner must limit the number of
 * lookups.
 */
#ifndef LOOP_LOOKUP_H
#define LOOP_LOOKUP_H

#include "loop/loop.h"

#include <netdb.h>

struct lookup;

/*
 * Called once, from the loop. `list` is the result of getaddrinfo, valid during this callback;
 * NULL: the name has no addresses. The lookup is freed when this returns.
 */
typedef void lookup_done_fn(void *ctx, const struct addrinfo *list);

/* `host` is copied; `port` is set in each address. NULL: the thread cannot be created. */
struct lookup *lookup_start(struct loop *loop, const char *host, uint16_t port,
                            lookup_done_fn *done, void *ctx, struct err *e);

/* Drop the lookup: done is not called any more. Do not call it inside done. */
void lookup_drop(struct lookup *l);

#endif
