/*
 * agent_homes.h - deletes the HOME folders of agents that run as programs (`homes/SESSION` in the
 * state directory, proto/acp/client/acp_client_home.h). The functions block.
 */
#ifndef STATE_AGENT_HOMES_H
#define STATE_AGENT_HOMES_H

#include "base/limits.h"

/*
 * Delete the folders that no process has used for limits.session_keep_ms. `state` is the path of
 * the state directory; NULL: there is none. `now` is the wall clock in ms.
 */
void agent_homes_sweep(const char *state, const struct limits *limits, int64_t now);

/* Delete the folder of a session. */
void agent_home_delete(const char *state, const char *session);

#endif
