/*
 * acp_change.c - session/set_mode, session/set_config_option and session/set_model: changes of an
 * open session. A prompt may be running: the mode applies from the next tool call, the agent, model
 * and effort from the next prompt.
 */
#include "base/utf8.h"
#include "proto/acp/agent/acp_method.h"
#include "proto/acp/agent/acp_session.h"
#include "proto/acp/agent/acp_settings.h"
#include "proto/acp/agent/acp_update.h"

/* In the memory of its request. */
struct acp_change {
    struct session_changing changing;
    struct rpc_in *in;
    struct acp_session *session;
    struct agent *agent;    /* the new agent; NULL: unchanged */
    struct agent_want want; /* the choices after the change */
    bool lists;             /* the response has all config options */
};

/* ---- the response ---------------------------------------------------------------------------- */

static void answer_options(struct rpc_in *in, const struct acp_session *s)
{
    struct jw *w = rpc_result_begin(in);

    jw_object(w);
    acp_options_write(w, s);
    jw_object_end(w);
    rpc_result_end(in);
}

/* Both places that show the mode are updated, whichever of them the client has changed. */
static void tell_change(const struct acp_change *c)
{
    if (c->session->running) /* the turn has reported it */
        return;
    if (!c->agent)
        acp_update_mode(c->session);
    acp_update_options(c->session);
}

static void on_changed(struct op *op, const struct err *e, void *ctx)
{
    struct acp_change *c = ctx;
    struct acp_session *s = c->session;

    (void)op;
    s->changes--;
    agent_drop(c->agent);
    if (e) {
        acp_error_of(c->in, e, STR_NONE);
    } else {
        tell_change(c);
        if (c->lists)
            answer_options(c->in, s);
        else
            acp_result_empty(c->in);
    }
    acp_session_check(s);
}

static struct acp_change *new_change(struct rpc_in *in, struct acp_session *s, bool lists)
{
    struct acp_change *c = ARENA_NEW(in->mem, struct acp_change);

    c->in = in;
    c->session = s;
    c->want = s->want;
    c->lists = lists;
    return c;
}

static void start_change(struct acp_change *c, const struct session_change *to)
{
    c->session->changes++;
    session_change(&c->session->session, &c->changing, to, &c->in->op, on_changed, c);
}

/* ---- the mode -------------------------------------------------------------------------------- */

static void change_mode(struct acp_change *c, struct str id)
{
    struct acp_session *s = c->session;
    enum acp_mode to;

    if (!acp_mode_named(id, &to)) {
        rpc_error(c->in, RPC_INVALID_PARAMS,
                  "unknown mode \"" STR_FMT "\"; expected auto, ask or read-only",
                  STR_ARG(utf8_head(id, 40)));
        return;
    }
    if (to != ACP_MODE_READ_ONLY && acp_mode_is_fixed(s)) {
        rpc_error(c->in, RPC_INVALID_PARAMS,
                  "the agent %s can only be used in the mode read-only, because its definition or "
                  "your configuration says so",
                  s->session.agent->def->name);
        return;
    }
    acp_mode_set_asks(s, to == ACP_MODE_ASK);
    start_change(c, &(struct session_change){
                        .mode = str_of(agent_mode_name(acp_mode_core(to))),
                        .settings = acp_settings_text(c->in->mem, &s->want, s->asks) });
}

/* ---- the agent, its model and its effort ----------------------------------------------------- */

static void change_agent(struct acp_change *c)
{
    struct acp_session *s = c->session;
    struct agent_registry_port *registry = s->root->registry;
    struct err e;

    c->agent = registry->kind->take(registry, &c->want, &e);
    if (!c->agent) {
        rpc_error(c->in, RPC_INVALID_PARAMS, "%s", e.text);
        return;
    }
    acp_session_want(s, &c->want);
    start_change(
        c, &(struct session_change){
               .agent = c->agent, .settings = acp_settings_text(c->in->mem, &s->want, s->asks) });
}

static void change_model(struct acp_change *c, struct str value)
{
    c->want.model = str_eq(value, STR("default")) ? STR_NONE : value;
    change_agent(c);
}

static void change_effort(struct acp_change *c, struct str value)
{
    c->want.effort = agent_effort_named(value);
    if (c->want.effort == EFFORT_DEFAULT && !str_eq(value, STR("default")))
        rpc_error(c->in, RPC_INVALID_PARAMS,
                  "unknown thought level \"" STR_FMT
                  "\"; expected default, none, low, medium or high",
                  STR_ARG(utf8_head(value, 40)));
    else
        change_agent(c);
}

/* Another agent begins with the model of its own definition. */
static void change_name(struct acp_change *c, struct str value)
{
    c->want = (struct agent_want){ .name = value };
    change_agent(c);
}

static const struct {
    struct str id;
    void (*change)(struct acp_change *c, struct str value);
} options[] = {
    { STR("mode"), change_mode },
    { STR("model"), change_model },
    { STR("thought_level"), change_effort },
    { STR("agent"), change_name },
};

/* ---- the requests ---------------------------------------------------------------------------- */

struct change_params {
    struct str session, id;
    struct json value;
};

static const struct pick mode_fields[] = {
    PICK_FIELD("sessionId", PICK_STR, struct change_params, session, PICK_MUST),
    PICK_FIELD("modeId", PICK_STR, struct change_params, id, PICK_MUST),
};

static const struct pick model_fields[] = {
    PICK_FIELD("sessionId", PICK_STR, struct change_params, session, PICK_MUST),
    PICK_FIELD("modelId", PICK_STR, struct change_params, id, PICK_MUST),
};

static const struct pick option_fields[] = {
    PICK_FIELD("sessionId", PICK_STR, struct change_params, session, PICK_MUST),
    PICK_FIELD("configId", PICK_STR, struct change_params, id, PICK_MUST),
    PICK_FIELD("value", PICK_ANY, struct change_params, value, PICK_MUST),
};

void acp_on_set_mode(struct rpc_in *in)
{
    struct change_params params = { 0 };
    struct acp_session *s;

    if (!rpc_params(in, PICK_TABLE(mode_fields), &params))
        return;
    s = acp_session_open_of(in, params.session);
    if (s)
        change_mode(new_change(in, s, false), params.id);
}

void acp_on_set_model(struct rpc_in *in)
{
    struct change_params params = { 0 };
    struct acp_session *s;

    if (!rpc_params(in, PICK_TABLE(model_fields), &params))
        return;
    s = acp_session_open_of(in, params.session);
    if (s)
        change_model(new_change(in, s, false), params.id);
}

void acp_on_set_option(struct rpc_in *in)
{
    struct change_params params = { 0 };
    struct acp_session *s;
    size_t i = 0;

    if (!rpc_params(in, PICK_TABLE(option_fields), &params))
        return;
    s = acp_session_open_of(in, params.session);
    while (i < ARRAY_LEN(options) && !str_eq(params.id, options[i].id))
        i++;
    if (!s)
        return;
    if (i == ARRAY_LEN(options))
        rpc_error(in, RPC_INVALID_PARAMS,
                  "unknown config option \"" STR_FMT
                  "\"; expected mode, model, thought_level or agent",
                  STR_ARG(utf8_head(params.id, 40)));
    else if (json_type(params.value) != JSON_STRING)
        rpc_error(in, RPC_INVALID_PARAMS, "params.value: expected a string");
    else
        options[i].change(new_change(in, s, true), json_str(in->mem, params.value));
}
