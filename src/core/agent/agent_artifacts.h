/*
 * agent_artifacts.h - the artifacts of an agent that was called, as content blocks of the call's
 * result.
 */
#ifndef CORE_AGENT_AGENT_ARTIFACTS_H
#define CORE_AGENT_AGENT_ARTIFACTS_H

#include "core/artifact.h"

struct call;

/*
 * A block for each part: a link stays a link, all else is embedded as artifact://SESSION/ID, with
 * #N for the parts after the first. A part that is larger than a message may be is left out.
 */
void agent_made_write(const struct artifact_set *made, struct call *call, const char *session);

#endif
