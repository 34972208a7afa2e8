/* sampling.c - runs a sampling request as a call of the tool model_sample. */
#include "core/session/sampling.h"

#include "base/container.h"

struct sampling {
    struct sampling_opts opts;
    struct host host;
    struct ask *ask;
    struct tool tool;
    struct call call;
    struct model_request request;
    struct model_turn turn;
};

bool sampling_can(const struct agent_model *model)
{
    return model->provider && !str_eq(str_of(model->provider->kind->name), STR("offline"));
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct sampling *s = ctx;
    struct jw w = jw_to(&s->call.structured);
    struct err refused;

    (void)op;
    if (s->opts.spent)
        s->opts.spent(s->opts.ctx, &s->turn);
    if (e) {
        call_broke(&s->call, e);
    } else if (s->turn.stop == STOP_REFUSED || s->turn.stop == STOP_CONTEXT) {
        fail(&refused, ERR_DENIED, "the model refused to answer");
        call_broke(&s->call, &refused);
    } else {
        s->opts.codec->write(&w, s->call.mem, &s->turn);
        call_done(&s->call);
    }
}

/* ---- the call -------------------------------------------------------------------------------- */

static void sample_run(struct call *call)
{
    struct sampling *s = call->ctx;
    struct err e;

    if (!s->opts.codec->read(call->mem, call->args, &s->request, &e)) {
        call_broke(call, &e);
        return;
    }
    s->request.model = s->opts.model->name;
    s->turn = (struct model_turn){ .mem = call->mem, .request = &s->request };
    model_ask(s->opts.model->provider, &s->turn, &call->op, on_answer, s);
}

static void on_called(struct op *op, const struct err *e, void *ctx)
{
    struct sampling *s = ctx;
    struct json_opts opts = limits_json(s->opts.host->limits);
    struct json answer;
    struct err bad;

    (void)op;
    if (e)
        ask_refuse(s->ask, e);
    else if (json_read(s->call.mem, buf_str(&s->call.structured), &opts, &answer, &bad))
        ask_answer(s->ask, answer);
    else
        ask_refuse(s->ask, &bad);
}

void sampling_start(struct ask *ask, const struct sampling_opts *opts)
{
    struct arena *mem = ask->call->mem;
    struct json_opts json = limits_json(opts->host->limits);
    struct sampling *s = ARENA_NEW(mem, struct sampling);
    struct json params;
    struct err e;

    s->tool = (struct tool){
        .name = "model_sample",
        .title = "Ask the model",
        .input_schema = "{\"type\":\"object\"}",
        .kind = TOOL_FETCH,
        .unlisted = true,
        .timeout_ms = CALL_NO_DEADLINE, /* the provider has its own deadline */
        .ctx = s,
        .start = sample_run,
    };
    s->opts = *opts;
    s->ask = ask;
    s->host = *opts->host;
    s->host.offer = NULL; /* model_sample is not in any offer */
    if (!json_read(mem, ask->params, &json, &params, &e)) {
        ask_refuse(ask, &e);
        return;
    }
    tool_run(&s->tool, &s->call, &s->host, opts->caller, mem, params, &ask->op, on_called, s);
}
