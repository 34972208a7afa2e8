/*
 * local_workspace.h - the workspace of this machine: files beneath the folders of the host
 * (beneath.h), read and written on pool threads, and commands (local_terminal.h).
 */
#ifndef TOOL_LOCAL_WORKSPACE_H
#define TOOL_LOCAL_WORKSPACE_H

#include "core/workspace.h"

/*
 * The local workspace has no state, so there is only one. The struct is not const, so that tests
 * can change it.
 */
extern struct workspace local_workspace;

/* Return the workspace of a host. */
static inline struct workspace *workspace_of(const struct host *host)
{
    return host->workspace ? host->workspace : &local_workspace;
}

#endif
