/*
 * acp_client_home.h - the HOME of an agent's process: a folder in the state directory, one per session,
 * which the sandbox profile `agent` makes writable.
 *
 * The agent keeps its sessions and caches there, so that it can resume a session. It cannot change
 * the user's own HOME. When the process starts, the files that its preset names are copied in. When
 * it has ended, or when the next process of the session starts, a credential that it has renewed is
 * copied back, unless the user's file has changed meanwhile (state/credentials.h).
 *
 * Only files with tokens are copied back. Settings are not: they can name programs, which the
 * user's own agent would run without a sandbox.
 */
#ifndef PROTO_ACP_CLIENT_ACP_CLIENT_HOME_H
#define PROTO_ACP_CLIENT_ACP_CLIENT_HOME_H

#include "proto/acp/client/acp_client_parts.h"

/* Create the HOME of a session. *out is in mem; NULL: there is no state directory. */
bool acp_home_open(struct arena *mem, const struct acp_driven *s, const char **out, struct err *e);

/* Delete the HOME of a session that is not stored, so that it can never be resumed. */
void acp_home_drop(const struct acp_driven *s);

/* Write a file into the folder `home`. Returns its path in mem, or NULL and sets *e. */
const char *acp_home_write(struct arena *mem, const char *home, const char *name, struct str text,
                           struct err *e);

/* Copy the files of the preset into the HOME of a process that is about to start. */
void acp_home_lend(struct acp_link *c, const char *home);

/* The process has ended: copy renewed credentials back. */
void acp_home_return(struct acp_link *c);

#endif
