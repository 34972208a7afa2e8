/*
 * acp_method.h - the handlers of the methods that a client calls (acp_methods.c has the table), and
 * what they share.
 */
#ifndef PROTO_ACP_AGENT_ACP_METHOD_H
#define PROTO_ACP_AGENT_ACP_METHOD_H

#include "base/pick.h"
#include "proto/acp/agent/acp_connection.h"

extern const struct peer_kind acp_agent_peer;

/* Answer with the result {}. */
void acp_result_empty(struct rpc_in *in);

/*
 * Answer with an error: -32002 for a session that does not exist, -32800 for a cancelled request,
 * -32602 for invalid params, else -32603. `session` may be STR_NONE.
 */
void acp_error_of(struct rpc_in *in, const struct err *e, struct str session);

rpc_handler_fn acp_on_initialize, acp_on_authenticate, acp_on_logout, acp_on_cancel_request;
rpc_handler_fn acp_on_new, acp_on_load, acp_on_resume, acp_on_fork, acp_on_close, acp_on_delete,
    acp_on_list;
rpc_handler_fn acp_on_prompt, acp_on_cancel;
rpc_handler_fn acp_on_add_server, acp_on_remove_server;
rpc_handler_fn acp_on_set_mode, acp_on_set_option, acp_on_set_model;

#endif
