/*
 * state.h - the port to the state directory of a root folder. The directory contains all files that
 * trefoil trusts (database, memory, audit log), and is never inside the project. Implementation:
 * state/state_dir.h.
 */
#ifndef CORE_STATE_H
#define CORE_STATE_H

#include "base/err.h"

struct state_port {
    /*
     * Return the absolute path of the directory, and create it if it does not exist. Returns NULL
     * and sets *e if the directory cannot be used. The function blocks. It may be called from any
     * thread.
     */
    const char *(*open)(struct state_port *s, struct err *e);

    /* Like open, but creates nothing. ERR_NOT_FOUND: this root has no state directory. */
    const char *(*find)(struct state_port *s, struct err *e);
};

#endif
