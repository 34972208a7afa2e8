/*
 * agent_artifacts.h - write the artifacts of a called agent as content blocks of the call's result.
 */
#ifndef CORE_AGENT_AGENT_ARTIFACTS_H
#define CORE_AGENT_AGENT_ARTIFACTS_H

#include "core/artifact.h"

struct call;

/*
 * Write one block per part. A link stays a link. Any other part is embedded as a resource. The
 * first part of an artifact has the URI artifact://SESSION/ID, the second artifact://SESSION/ID#1,
 * and so on. A part that does not fit into the content of a call is omitted.
 */
void agent_made_write(const struct artifact_set *made, struct call *call, const char *session);

#endif
