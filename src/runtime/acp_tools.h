/* acp_tools.h - the files and commands of the built-in tools, for agents that speak ACP. */
#ifndef RUNTIME_ACP_TOOLS_H
#define RUNTIME_ACP_TOOLS_H

#include "proto/acp/client/acp_client.h"

extern const struct acp_tools acp_tools;

#endif
