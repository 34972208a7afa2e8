/*
 * agent_artifacts.h - what an agent has made while it was called: gathered as it is told, then written
 * as blocks of the call's result.
 */
#ifndef CORE_AGENT_AGENT_ARTIFACTS_H
#define CORE_AGENT_AGENT_ARTIFACTS_H

#include "core/event.h"

struct agent_made; /* the first of a list; NULL: nothing */

/* It has told of an artifact, or of more of one. All is kept in the memory of the call. */
void agent_made_add(struct agent_made **made, struct call *call, const struct event_artifact *a);

/*
 * A block each: a link to what has an address, all else inside, as artifact://SESSION/ID. What is
 * larger than a message may be is left out.
 */
void agent_made_write(const struct agent_made *made, struct call *call, const char *session);

#endif
