/*
 * acp_home.h - the HOME of an agent's process: a folder in the state directory, one per session,
 * which the sandbox profile `agent` makes writable.
 *
 * The agent keeps its sessions and caches there, so that it can resume a session. It cannot read or
 * change the user's own HOME. The credential files of its preset are copied in; if the agent has
 * renewed a credential, the file is copied back when the process ends.
 */
#ifndef PROTO_ACP_CLIENT_ACP_HOME_H
#define PROTO_ACP_CLIENT_ACP_HOME_H

#include "proto/acp/client/acp_parts.h"

/* Create the HOME of a session. *out is in mem; NULL: there is no state directory. */
bool acp_home_open(struct arena *mem, const struct acp_session *s, const char **out, struct err *e);

/* Write a file into the folder `home`. Returns its path in mem, or NULL and sets *e. */
const char *acp_home_write(struct arena *mem, const char *home, const char *name, struct str text,
                           struct err *e);

#endif
