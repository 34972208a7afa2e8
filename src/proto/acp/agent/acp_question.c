#include "proto/acp/agent/acp_question.h"

#include "base/auto.h"
#include "base/container.h"
#include "proto/acp/acp_names.h"
#include "proto/acp/agent/acp_block.h"
#include "proto/acp/agent/acp_session.h"
#include "proto/acp/agent/acp_tool_update.h"

/* A request to the client, below the ask. In the memory of the call that asks. */
struct acp_question {
    struct rpc_out out;
    struct ask *ask;
};

static struct acp_session *session_of(const struct work_client *client)
{
    return CONTAINER_OF(client, struct acp_session, client);
}

bool acp_question_can(const struct work_client *client, enum ask_kind kind)
{
    const struct acp_conn *c = session_of(client)->conn;

    switch (kind) {
    case ASK_PERMISSION: return true;
    case ASK_FORM: return c->can.form;
    case ASK_URL: return c->can.url;
    case ASK_SAMPLE:
    case ASK_ROOTS: /* the agent answers it itself */
    case ASK_KINDS: break;
    }
    return false;
}

/* ---- the request ----------------------------------------------------------------------------- */

static struct json read_params(struct ask *ask)
{
    struct json_opts opts = limits_json(ask->call->host->limits);
    struct json v = { 0 };
    struct err e;

    json_read(ask->call->mem, ask->params, &opts, &v, &e);
    return v;
}

static void write_options(struct jw *w, struct arena *mem, struct json options)
{
    jw_plain_key(w, STR("options"));
    jw_array(w);
    JSON_EACH(o, options)
    {
        jw_object(w);
        jw_kstr(w, "optionId", json_str(mem, json_get(o, STR("id"))));
        jw_kstr(w, "name", json_str(mem, json_get(o, STR("name"))));
        jw_kstr(w, "kind", json_str(mem, json_get(o, STR("kind"))));
        jw_object_end(w);
    }
    jw_array_end(w);
}

static void write_message(struct jw *w, struct str message)
{
    jw_plain_key(w, STR("content"));
    jw_array(w);
    jw_object(w);
    jw_kplain(w, "type", STR("content"));
    jw_plain_key(w, STR("content"));
    acp_text_write(w, message);
    jw_object_end(w);
    jw_array_end(w);
}

/* The client has got the call before; a question that belongs to no call gets an id of its own. */
static void write_call(struct jw *w, struct acp_session *s, const struct ask *ask,
                       struct str message)
{
    struct arena *mem = ask->call->mem;
    struct str id = turn_call_id(ask);
    const struct tool *tool = ask->about ? ask->about->tool : NULL;

    if (!id.n)
        id = arena_printf(mem, "question-%llu", (unsigned long long)++s->numbers);
    jw_plain_key(w, STR("toolCall"));
    jw_object(w);
    jw_kstr(w, "toolCallId", id);
    if (!acp_call_is_open(s, id)) {
        jw_kstr(w, "title", tool ? str_of(tool->title ? tool->title : tool->name) : message);
        jw_kplain(w, "kind", str_of(acp_tool_kind_name(tool ? tool->kind : TOOL_KINDS)));
    }
    jw_kplain(w, "status", STR("pending"));
    write_message(w, message);
    jw_object_end(w);
}

static struct str permission_params(struct acp_session *s, struct ask *ask)
{
    struct arena *mem = ask->call->mem;
    struct json params = read_params(ask);
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, (size_t)s->root->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "sessionId", str_of(s->id));
    write_call(&w, s, ask, json_str(mem, json_get(params, STR("message"))));
    write_options(&w, mem, json_get(params, STR("options")));
    jw_object_end(&w);
    return out.full ? STR_NONE : buf_str(&out);
}

/* Core has the params of MCP; ACP adds to them where the question belongs. */
static struct str elicitation_params(struct acp_session *s, struct ask *ask)
{
    struct json params = read_params(ask);
    struct str id = turn_call_id(ask);
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, ask->call->mem, (size_t)s->root->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "sessionId", str_of(s->id));
    if (id.n)
        jw_kstr(&w, "toolCallId", id);
    jw_kplain(&w, "mode", ask->kind == ASK_URL ? STR("url") : STR("form"));
    JSON_MEMBERS(key, params)
    {
        if (!json_is(key, STR("mode")))
            jw_member(&w, key);
    }
    jw_object_end(&w);
    return out.full ? STR_NONE : buf_str(&out);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void refuse(struct ask *ask, enum err_code code, const char *what, struct str why)
{
    struct err e;

    fail(&e, code, "%s: " STR_FMT, what, STR_ARG(str_head(why, 160)));
    ask_refuse(ask, &e);
}

/* The bytes of an answer must live as long as the call. */
static void answer_with(struct ask *ask, struct str raw)
{
    struct json_opts opts = limits_json(ask->call->host->limits);
    struct json v;
    struct err e;

    if (json_read(ask->call->mem, arena_str(ask->call->mem, raw), &opts, &v, &e))
        ask_answer(ask, v);
    else
        ask_refuse(ask, &e);
}

/* "cancelled" alone rejects the call: the client cancels the turn with session/cancel. */
static void take_permission(struct ask *ask, struct json result)
{
    struct arena *mem = ask->call->mem;
    struct json outcome = json_get(result, STR("outcome"));
    struct json option = json_get(outcome, STR("optionId"));
    struct buf out;
    struct jw w = jw_to(&out);

    if (json_is(json_get(outcome, STR("outcome")), STR("cancelled"))) {
        answer_with(ask, STR("{\"action\":\"cancel\"}"));
    } else if (json_is(json_get(outcome, STR("outcome")), STR("selected")) &&
               json_type(option) == JSON_STRING) {
        buf_init_in(&out, mem, json_raw(option).n + 32);
        jw_object(&w);
        jw_kraw(&w, "option", json_raw(option));
        jw_object_end(&w);
        answer_with(ask, buf_str(&out));
    } else {
        refuse(ask, ERR_INVALID, "the client's response to session/request_permission is malformed",
               STR("expected outcome.outcome \"selected\" with optionId, or \"cancelled\""));
    }
}

static void take_elicitation(struct ask *ask, struct json result)
{
    if (json_type(json_get(result, STR("action"))) == JSON_STRING)
        answer_with(ask, json_raw(result));
    else
        refuse(ask, ERR_INVALID, "the client's response to elicitation/create is malformed",
               STR("expected action \"accept\", \"decline\" or \"cancel\""));
}

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct acp_question *q = ctx;
    AUTO_ARENA mem = { 0 };

    (void)op;
    if (e)
        ask_refuse(q->ask, e);
    else if (json_here(q->out.error))
        refuse(q->ask, ERR_DENIED, "the client rejected the question",
               json_str(&mem, json_get(q->out.error, STR("message"))));
    else if (q->ask->kind == ASK_PERMISSION)
        take_permission(q->ask, q->out.result);
    else
        take_elicitation(q->ask, q->out.result);
    rpc_out_fini(&q->out);
}

void acp_question_ask(struct work_client *client, struct ask *ask)
{
    struct acp_session *s = session_of(client);
    bool permission = ask->kind == ASK_PERMISSION;
    struct str params = permission ? permission_params(s, ask) : elicitation_params(s, ask);
    struct acp_question *q = ARENA_NEW(ask->call->mem, struct acp_question);

    if (!params.p || s->conn->state == ACP_CONN_ENDING) {
        refuse(ask, ERR_CLOSED, "the client cannot be asked",
               params.p ? STR("it has disconnected") : STR("the question is too large"));
        return;
    }
    q->ask = ask;
    peer_call(&s->conn->peer, NULL, &q->out, &ask->op,
              permission ? "session/request_permission" : "elicitation/create", params,
              s->root->limits->ask_ms, on_answer, q);
}
