/* acp_list.c - session/list and session/delete. */
#include "base/clock.h"
#include "proto/acp/agent/acp_method.h"
#include "proto/acp/agent/acp_session.h"

void acp_on_list(struct rpc_in *in)
{
    rpc_error(in, RPC_INTERNAL_ERROR, "session/list is not available yet");
}

void acp_on_delete(struct rpc_in *in)
{
    rpc_error(in, RPC_INTERNAL_ERROR, "session/delete is not available yet");
}
