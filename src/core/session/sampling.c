/* sampling.c - runs a sampling request of an MCP server as a call of the tool model_sample. */
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

/* ---- the conversation ------------------------------------------------------------------------ */

struct params {
    struct json messages;
    struct str system;
    int64_t max_tokens;
    double temperature;
};

static const struct pick param_fields[] = {
    PICK_FIELD("messages", PICK_ARRAY, struct params, messages, PICK_MUST),
    PICK_FIELD("systemPrompt", PICK_STR, struct params, system, 0),
    PICK_RANGE("maxTokens", struct params, max_tokens, PICK_MUST, 1, INT64_MAX),
    PICK_FIELD("temperature", PICK_DOUBLE, struct params, temperature, 0),
};

static bool read_block(struct arena *mem, struct json v, struct block *out, struct err *e)
{
    struct json type = json_get(v, STR("type"));

    if (json_is(type, STR("text"))) {
        *out =
            (struct block){ .kind = BLOCK_TEXT, .text = json_str(mem, json_get(v, STR("text"))) };
        return out->text.p || json_fail(v, e, "text: expected a string");
    }
    if (!json_is(type, STR("image")) && !json_is(type, STR("audio")))
        return json_fail(v, e, "expected text, image or audio");
    *out = (struct block){ .kind = BLOCK_MEDIA,
                           .type = json_str(mem, json_get(v, STR("mimeType"))),
                           .data = json_str(mem, json_get(v, STR("data"))) };
    return (out->type.p && out->data.p) || json_fail(v, e, "expected mimeType and data");
}

/* The content is one block or, since MCP 2025-11-25, an array of blocks. */
static bool read_message(struct arena *mem, struct json v, struct message *out, struct err *e)
{
    struct json content = json_get(v, STR("content"));
    bool many = json_type(content) == JSON_ARRAY;
    size_t n = many ? json_count(content) : 1, i = 0;
    struct block *b = ARENA_ARRAY(mem, struct block, n ? n : 1);

    *out = (struct message){ json_is(json_get(v, STR("role")), STR("assistant")) ? ROLE_ASSISTANT
                                                                                 : ROLE_USER,
                             b, n };
    if (!many)
        return read_block(mem, content, b, e);
    JSON_EACH(block, content)
    {
        if (!read_block(mem, block, &b[i++], e))
            return false;
    }
    return true;
}

static bool read_request(struct sampling *s, struct json params, struct err *e)
{
    struct arena *mem = s->call.mem;
    struct params p = { .temperature = -1 };
    struct message *m;
    size_t n = 0;

    if (!pick(mem, params, PICK_TABLE(param_fields), PICK_LENIENT, &p, e))
        return false;
    if (!json_count(p.messages))
        return json_fail(p.messages, e, "expected at least one message");
    m = ARENA_ARRAY(mem, struct message, json_count(p.messages));
    JSON_EACH(v, p.messages)
    {
        if (!read_message(mem, v, &m[n++], e))
            return false;
    }
    s->request = (struct model_request){
        .model = s->opts.model->name,
        .system = p.system,
        .message = m,
        .messages = n,
        .max_tokens = p.max_tokens,
        .temperature = p.temperature,
    };
    return true;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static struct str text_of(struct arena *mem, const struct message *m)
{
    struct str text = STR("");

    for (size_t i = 0; i < m->blocks; i++)
        if (m->block[i].kind == BLOCK_TEXT)
            text = arena_printf(mem, STR_FMT STR_FMT, STR_ARG(text), STR_ARG(m->block[i].text));
    return text;
}

static void write_answer(struct sampling *s)
{
    struct jw w = jw_to(&s->call.structured);

    jw_object(&w);
    jw_kstr(&w, "role", STR("assistant"));
    jw_plain_key(&w, STR("content"));
    jw_object(&w);
    jw_kstr(&w, "type", STR("text"));
    jw_kstr(&w, "text", text_of(s->call.mem, &s->turn.answer));
    jw_object_end(&w);
    jw_kstr(&w, "model", s->turn.model.n ? s->turn.model : s->opts.model->name);
    jw_kstr(&w, "stopReason", s->turn.stop == STOP_LENGTH ? STR("maxTokens") : STR("endTurn"));
    jw_object_end(&w);
}

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct sampling *s = ctx;
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
        write_answer(s);
        call_done(&s->call);
    }
}

/* ---- the call -------------------------------------------------------------------------------- */

static void sample_run(struct call *call)
{
    struct sampling *s = call->ctx;
    struct err e;

    if (!read_request(s, call->args, &e)) {
        call_broke(call, &e);
        return;
    }
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
