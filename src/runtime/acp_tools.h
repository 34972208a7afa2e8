/* acp_tools.h - what other rooms do for agents that speak ACP: files, commands and credentials. */
#ifndef RUNTIME_ACP_TOOLS_H
#define RUNTIME_ACP_TOOLS_H

#include "proto/acp/client/acp_client.h"

extern const struct acp_tools acp_tools;

#endif
