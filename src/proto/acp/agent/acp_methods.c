/* acp_methods.c - the methods of our agent: the table, and which requests are admitted. */
#include "base/utf8.h"
#include "core/shown_error.h"
#include "proto/acp/acp_names.h"
#include "proto/acp/agent/acp_method.h"
#include "proto/acp/agent/acp_session.h"

#include <stdio.h>

/* clang-format off */
static const struct method methods[] = {
    /* name                             kind              from           to             handler */
    { STR("initialize"),                RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_initialize },
    { STR("authenticate"),              RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_authenticate },
    { STR("logout"),                    RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_logout },
    { STR("session/new"),               RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_new },
    { STR("session/load"),              RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_load },
    { STR("session/resume"),            RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_resume },
    { STR("session/list"),              RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_list },
    { STR("session/close"),             RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_close },
    { STR("session/delete"),            RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_delete },
    { STR("session/prompt"),            RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_prompt },
    { STR("session/cancel"),            RPC_NOTIFICATION, ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_cancel },
    { STR("session/set_mode"),          RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_set_mode },
    { STR("session/set_config_option"), RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_set_option },
    { STR("$/cancel_request"),          RPC_NOTIFICATION, ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_cancel_request },
    /* not in the stable protocol, but used by clients */
    { STR("session/fork"),              RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_fork },
    { STR("session/set_model"),         RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_set_model },
    /* ours */
    { STR("_trefoil/mcp_servers/add"),  RPC_REQUEST,      ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_add_server },
    { STR("_trefoil/mcp_servers/remove"), RPC_REQUEST,    ACP_PROTOCOL,  ACP_PROTOCOL,  acp_on_remove_server },
};
/* clang-format on */

static void admit(struct peer *p, const struct rpc_message *m, struct rpc_admit *out)
{
    const struct acp_conn *c = p->ctx;

    if (c->state != ACP_CONN_WAITING || str_eq(m->method, STR("initialize")))
        return;
    out->code = RPC_INVALID_REQUEST;
    snprintf(out->scratch, sizeof(out->scratch), STR_FMT ": call initialize first",
             STR_ARG(utf8_head(m->method, 80)));
    out->message = str_of(out->scratch);
    out->data = STR_NONE;
}

static void write_cancel(struct jw *w, struct str id, const struct err *why)
{
    (void)why;
    jw_object(w);
    jw_kraw(w, "requestId", id);
    jw_object_end(w);
}

static const struct err *shown(struct peer *p, const struct err *e, struct err *own)
{
    const struct acp_conn *c = p->ctx;

    return shown_error(c->principal.origin, e, own);
}

const struct peer_kind acp_agent_peer = {
    .name = "acp client",
    .methods = { methods, ARRAY_LEN(methods) },
    .cancel_method = "$/cancel_request",
    .write_cancel = write_cancel,
    .admit = admit,
    .shown = shown,
};

/* ---- params and answers ---------------------------------------------------------------------- */

void acp_result_empty(struct rpc_in *in)
{
    rpc_result_raw(in, STR("{}"));
}

void acp_error_of(struct rpc_in *in, const struct err *e, struct str session)
{
    if (e->code == ERR_NOT_FOUND && session.p)
        acp_session_unknown(in, session);
    else if (e->code == ERR_CANCELED)
        rpc_error(in, ACP_CANCELED, "the request was cancelled");
    else
        rpc_error_of(in, e);
}
