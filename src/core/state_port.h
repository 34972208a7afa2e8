/*
 * state_port.h - the state directory of the root: where everything is kept that trefoil trusts
 * (database, memory, audit log). It is never inside the project; see app/state_dir.h.
 */
#ifndef CORE_STATE_PORT_H
#define CORE_STATE_PORT_H

#include "base/err.h"

struct state_port {
    /*
     * The absolute path of the directory, which is created on first use. NULL and *e: it cannot be
     * used. May be called from any thread. Blocking.
     */
    const char *(*open)(struct state_port *s, struct err *e);
};

#endif
