/*
 * agent_artifacts.h - write the artifacts of a called agent as content blocks of the call's result.
 */
#ifndef CORE_AGENT_AGENT_ARTIFACTS_H
#define CORE_AGENT_AGENT_ARTIFACTS_H

#include "core/artifact.h"

struct call;

/*
 * Write one block per part. A link stays a link; other parts are embedded with the URI
 * artifact://SESSION/ID, and #N from the second part on. A part that is larger than the content of
 * a call may be is omitted.
 */
void agent_made_write(const struct artifact_set *made, struct call *call, const char *session);

#endif
