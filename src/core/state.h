/*
 * state.h - the port to the state directory of a root. The directory holds all files that trefoil
 * trusts (database, memory, audit log) and is never inside the project; see state/state_dir.h.
 */
#ifndef CORE_STATE_H
#define CORE_STATE_H

#include "base/err.h"

struct state_port {
    /*
     * The absolute path of the directory, which is created on first use. NULL and *e: it cannot be
     * used. May be called from any thread. Blocking.
     */
    const char *(*open)(struct state_port *s, struct err *e);

    /* The same, but creates nothing. ERR_NOT_FOUND: nothing is kept for this root. */
    const char *(*find)(struct state_port *s, struct err *e);
};

#endif
