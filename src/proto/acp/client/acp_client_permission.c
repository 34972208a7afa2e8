/*
 * acp_client_permission.c - session/request_permission: a question of the agent, which the guard judges and
 * perhaps passes on to the client of the turn (turn_ask).
 */
#include "base/container.h"
#include "base/utf8.h"
#include "proto/acp/client/acp_client_parts.h"

struct permission_request {
    struct acp_request request; /* first */
    struct turn_question question;
    struct event_tool about;
};

/* ---- the answer ------------------------------------------------------------------------------ */

static void answer_selected(struct rpc_in *in, struct str option)
{
    struct jw *w = rpc_result_begin(in);

    jw_object(w);
    jw_plain_key(w, STR("outcome"));
    jw_object(w);
    jw_kplain(w, "outcome", STR("selected"));
    jw_kstr(w, "optionId", option);
    jw_object_end(w);
    jw_object_end(w);
    rpc_result_end(in);
}

/* The turn was cancelled, or the agent has offered no option that rejects. */
static void answer_cancelled(struct rpc_in *in)
{
    rpc_result_raw(in, STR("{\"outcome\":{\"outcome\":\"cancelled\"}}"));
}

static void on_decided(struct op *op, const struct err *e, void *ctx)
{
    struct permission_request *r = ctx;

    (void)op;
    if (!e && r->question.option.n)
        answer_selected(r->request.in, r->question.option);
    else
        answer_cancelled(r->request.in);
    turn_question_fini(&r->question);
    acp_request_end(&r->request);
}

static void cancel_permission(struct acp_request *request)
{
    struct permission_request *r = CONTAINER_OF(request, struct permission_request, request);

    op_cancel(&r->question.op);
}

/* ---- the question ---------------------------------------------------------------------------- */

static void write_option(struct jw *w, struct arena *mem, struct json option)
{
    struct str id = json_str(mem, json_get(option, STR("optionId")));
    struct str kind = json_str(mem, json_get(option, STR("kind")));

    if (!id.n || !kind.n)
        return;
    jw_object(w);
    jw_kstr(w, "id", id);
    jw_kstr(w, "name", json_str(mem, json_get(option, STR("name"))));
    jw_kstr(w, "kind", kind);
    jw_object_end(w);
}

/* The params of core: {"message", "options"}. */
static struct str write_question(struct rpc_in *in, const struct acp_driven *s,
                                 const struct event_tool *about)
{
    struct str title = about->title.n ? about->title : about->name;
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, in->mem, 2 * json_raw(in->params).n + 1024);
    jw_object(&w);
    jw_kstr(&w, "message",
            arena_printf(in->mem, "The agent %s asks: " STR_FMT, s->agent->def->name,
                         STR_ARG(utf8_head(title, 500))));
    jw_plain_key(&w, STR("options"));
    jw_array(&w);
    JSON_EACH(option, json_get(in->params, STR("options")))
    write_option(&w, in->mem, option);
    jw_array_end(&w);
    jw_object_end(&w);
    return buf_str(&out);
}

/* Some agents ask about a call that they have not reported, so the question reports it. */
static void report_call(struct acp_turn *t, const struct event_tool *call)
{
    struct event ev = { .kind = EVENT_TOOL, .tool = *call };

    if (call->status < CALLED_DONE)
        turn_event(t->prompt->turn, &ev);
}

static void ask_permission(struct rpc_in *in, struct acp_turn *t, const struct event_tool *call)
{
    struct permission_request *r = ARENA_NEW(in->mem, struct permission_request);

    r->about = *call;
    r->question = (struct turn_question){
        .id = call->id,
        .kind = ASK_PERMISSION,
        .params = write_question(in, t->session, call),
        .about = &r->about,
    };
    r->request.cancel = cancel_permission;
    acp_request_begin(&r->request, in, t->session);
    turn_ask(&r->question, t->prompt->turn, arena_cstr(in->mem, call->name), on_decided, r);
}

void acp_on_permission(struct rpc_in *in)
{
    struct acp_driven *s = acp_driven_of(in);
    struct event_tool call;

    if (!s) {
        rpc_error_data(in, ACP_NOT_FOUND, STR("there is no such session"), STR_NONE);
        return;
    }
    if (!s->turn || s->turn->state != ACP_TURN_PROMPTING) {
        answer_cancelled(in);
        return;
    }
    if (!acp_turn_count(s->turn, json_raw(in->params).n)) {
        answer_cancelled(in);
        return;
    }
    if (!acp_tool_call_merge(s->turn, json_get(in->params, STR("toolCall")), &call)) {
        rpc_error(in, RPC_INVALID_PARAMS,
                  "toolCall.toolCallId is missing, or too many calls have not ended");
        return;
    }
    report_call(s->turn, &call);
    ask_permission(in, s->turn, &call);
}
