/*
 * acp_names.h - the names and numbers of ACP that both sides use. Pure.
 *
 * ACP is the Agent Client Protocol, version 1: https://agentclientprotocol.com. A client, such as
 * an editor, starts an agent and talks to it over stdio.
 */
#ifndef PROTO_ACP_ACP_NAMES_H
#define PROTO_ACP_ACP_NAMES_H

#include "core/event.h"

enum { ACP_PROTOCOL = 1 };

/* Error codes of ACP, beside those of JSON-RPC (rpc/message.h). */
enum acp_error {
    ACP_AUTH_REQUIRED = -32000,
    ACP_NOT_FOUND = -32002, /* a session or a file */
    ACP_CANCELED = -32800,
};

/* "read", "edit", ...: the kind of a tool call. TOOL_KINDS is "other". */
const char *acp_tool_kind_name(enum tool_kind kind);

/* "pending", "in_progress", ...: a cancelled call has failed, because ACP has no other word. */
const char *acp_status_name(enum called_status status);

/* The stop reason of a turn; NULL: an error is sent instead. */
const char *acp_stop_name(enum turn_stop stop);

#endif
