/*
 * local_workspace.h - the workspace of this machine: files beneath the folders of the host
 * (beneath.h), read and written on pool threads, and commands (local_terminal.h).
 */
#ifndef TOOL_LOCAL_WORKSPACE_H
#define TOOL_LOCAL_WORKSPACE_H

#include "core/workspace.h"

/* It has no state: one object for all hosts. Not const: a test executable replaces its kind. */
extern struct workspace local_workspace;

/* The workspace of a host. */
static inline struct workspace *workspace_of(const struct host *host)
{
    return host->workspace ? host->workspace : &local_workspace;
}

#endif
