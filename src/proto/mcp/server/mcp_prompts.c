#include "base/utf8.h"
#include "proto/mcp/server/mcp_method.h"
#include "proto/mcp/server/mcp_park.h"

void mcp_on_prompts_list(struct rpc_in *in)
{
    const struct offer *offer = mcp_offer_of(in);
    const struct prompt *prompt;
    struct mcp_list_page page;
    struct jw *w;

    if (!mcp_page_read(in, &page))
        return;
    w = mcp_result_begin(in);
    jw_plain_key(w, STR("prompts"));
    jw_array(w);
    for (; (prompt = offer_prompt_at(offer, page.at)) && mcp_page_take(&page); page.at++)
        mcp_write_prompt(w, prompt, mcp_version_of(in));
    jw_array_end(w);
    if (prompt)
        mcp_page_cursor(w, in->mem, page.at);
    mcp_result_end(in, MCP_CACHE_LIST);
}

struct prompt_get {
    struct str name;
    struct json args;
    struct mcp_round round;
};

static const struct pick get_fields[] = {
    PICK_FIELD("name", PICK_STR, struct prompt_get, name, PICK_MUST),
    PICK_FIELD("arguments", PICK_OBJECT, struct prompt_get, args, 0),
    MCP_ROUND_FIELDS(struct prompt_get, round),
};

/* Check that all arguments are strings and that the required ones are present. */
static bool check_args(struct rpc_in *in, const struct prompt *prompt, struct json args)
{
    struct json declared = { 0 };

    JSON_MEMBERS(key, args)
    {
        if (json_type(json_value(key)) == JSON_STRING)
            continue;
        rpc_error(in, RPC_INVALID_PARAMS, "params.arguments." STR_FMT ": expected a string",
                  STR_ARG(utf8_head(json_str(in->mem, key), 100)));
        return false;
    }
    if (prompt->arguments)
        declared = mcp_reread(in->mem, in->peer->rpc->limits, str_of(prompt->arguments));
    JSON_EACH(arg, declared)
    {
        struct str name = json_str(in->mem, json_get(arg, STR("name")));

        if (!json_true(json_get(arg, STR("required"))) || json_here(json_get(args, name)))
            continue;
        rpc_error(in, RPC_INVALID_PARAMS,
                  "params.arguments: missing required argument \"" STR_FMT "\"",
                  STR_ARG(utf8_head(name, 100)));
        return false;
    }
    return true;
}

static void answer_get(struct mcp_request *r, const struct err *e)
{
    struct jw *w;

    if (mcp_answer_common(r, e, MCP_CACHE_NEVER))
        return;
    if (e) {
        rpc_error_of(r->in, e);
    } else if (r->call.is_error) {
        rpc_error_data(r->in, RPC_INVALID_PARAMS, mcp_failure_text(r), STR_NONE);
    } else {
        w = mcp_result_begin(r->in);
        jw_kstr(w, "description", r->call.note);
        jw_plain_key(w, STR("messages"));
        jw_array(w);
        if (r->call.content.n)
            jw_raw(w, buf_str(&r->call.content));
        jw_array_end(w);
        mcp_result_end(r->in, MCP_CACHE_NEVER);
    }
}

void mcp_on_prompts_get(struct rpc_in *in)
{
    struct offer *offer = mcp_offer_of(in);
    struct prompt_get params = { 0 };
    const struct prompt *prompt;
    struct mcp_request *r;

    if (!rpc_params(in, PICK_TABLE(get_fields), &params) || mcp_park_resume(in, &params.round))
        return;
    prompt = offer_prompt(offer, params.name);
    if (!prompt) {
        rpc_error(in, RPC_INVALID_PARAMS, "Unknown prompt: " STR_FMT,
                  STR_ARG(utf8_head(params.name, 100)));
        return;
    }
    if (!check_args(in, prompt, params.args))
        return;
    r = mcp_request_begin(in, &params.round, &params.args, answer_get);
    call_run(&r->call, &offer->host, &r->caller, r->mem,
             &(struct call_about){ .what = prompt->name, .ctx = prompt->ctx, .args = params.args },
             prompt->get, mcp_request_op(r), mcp_request_done, r);
    if (!r->call.note.p && prompt->description)
        r->call.note = arena_str(r->mem, str_of(prompt->description));
}
