/* mcp_sampling.h - read and write sampling/createMessage, which one of our models answers. */
#ifndef PROTO_MCP_CLIENT_MCP_SAMPLING_H
#define PROTO_MCP_CLIENT_MCP_SAMPLING_H

#include "core/session/sampling.h"

extern const struct sampling_codec mcp_sampling_codec;

#endif
