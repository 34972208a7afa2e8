/*
 * acp_client_elicitation.c - elicitation/create: a form that the user fills in, or a page to visit. Core's
 * questions have the same JSON, so the params and the answer are passed on unchanged.
 */
#include "base/container.h"
#include "proto/acp/client/acp_client_parts.h"

struct elicitation {
    struct acp_request request; /* first */
    struct turn_question question;
};

static void on_filled_in(struct op *op, const struct err *e, void *ctx)
{
    struct elicitation *r = ctx;
    struct rpc_in *in = r->request.in;

    (void)op;
    if (!e)
        rpc_result_raw(in, json_raw(r->question.answer));
    else if (e->code == ERR_CANCELED)
        rpc_result_raw(in, STR("{\"action\":\"cancel\"}"));
    else
        rpc_result_raw(in, STR("{\"action\":\"decline\"}"));
    turn_question_fini(&r->question);
    acp_request_end(&r->request);
}

static void cancel_elicitation(struct acp_request *request)
{
    op_cancel(&CONTAINER_OF(request, struct elicitation, request)->question.op);
}

/* The question may belong to a request of ours instead of a session; we answer only in a session. */
static struct acp_turn *turn_to_ask(struct rpc_in *in)
{
    struct acp_driven *s = acp_driven_of(in);

    if (s && s->turn && s->turn->state == ACP_TURN_PROMPTING)
        return s->turn;
    rpc_result_raw(in, STR("{\"action\":\"cancel\"}"));
    return NULL;
}

void acp_on_elicitation(struct rpc_in *in)
{
    bool url = json_is(json_get(in->params, STR("mode")), STR("url"));
    struct acp_turn *t;
    struct elicitation *r;

    if (!url && json_type(json_get(in->params, STR("requestedSchema"))) != JSON_OBJECT) {
        rpc_error(in, RPC_INVALID_PARAMS, "requestedSchema is missing");
        return;
    }
    t = turn_to_ask(in);
    if (!t)
        return;
    r = ARENA_NEW(in->mem, struct elicitation);
    r->question = (struct turn_question){
        .id = json_str(in->mem, json_get(in->params, STR("toolCallId"))),
        .kind = url ? ASK_URL : ASK_FORM,
        .params = json_raw(in->params),
    };
    if (!r->question.id.p)
        r->question.id = STR("");
    r->request.cancel = cancel_elicitation;
    acp_request_begin(&r->request, in, t->session);
    turn_ask(&r->question, t->prompt->turn, "question", on_filled_in, r);
}
