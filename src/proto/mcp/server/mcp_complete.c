/* mcp_complete.c - completion/complete: possible values of an argument of a prompt or template. */
#include "base/utf8.h"
#include "proto/mcp/server/mcp_method.h"
#include "proto/mcp/server/uri_template.h"

enum { MOST_VALUES = 100 }; /* limit of the protocol for one answer */

struct reference {
    struct str type, name, uri;
};

struct argument {
    struct str name, value;
};

struct complete {
    struct reference ref;
    struct argument argument;
    struct json context;
};

static const struct pick ref_fields[] = {
    PICK_FIELD("type", PICK_STR, struct reference, type, PICK_MUST),
    PICK_FIELD("name", PICK_STR, struct reference, name, 0),
    PICK_FIELD("uri", PICK_STR, struct reference, uri, 0),
};

static const struct pick argument_fields[] = {
    PICK_FIELD("name", PICK_STR, struct argument, name, PICK_MUST),
    PICK_FIELD("value", PICK_STR, struct argument, value, PICK_MUST),
};

static const struct pick complete_fields[] = {
    PICK_NESTED("ref", struct complete, ref, PICK_MUST, ref_fields),
    PICK_NESTED("argument", struct complete, argument, PICK_MUST, argument_fields),
    PICK_FIELD("context", PICK_OBJECT, struct complete, context, 0),
};

/* The prompt or template whose argument is completed. */
struct subject {
    const char *name;
    void *ctx;
    call_start_fn *complete;
};

static bool find_subject(struct rpc_in *in, const struct reference *ref, struct subject *out)
{
    const struct offer *offer = mcp_offer_of(in);
    const struct prompt *p = NULL;
    const struct resource *r = NULL;
    struct json vars;

    if (str_eq(ref->type, STR("ref/prompt")))
        p = offer_prompt(offer, ref->name);
    else if (str_eq(ref->type, STR("ref/resource")) && ref->uri.p) {
        r = offer_template(offer, ref->uri);
        if (!r)
            r = uri_template_find(offer, ref->uri, in->mem, &vars);
    }
    if (p)
        *out = (struct subject){ p->name, p->ctx, p->complete };
    else if (r)
        *out = (struct subject){ r->name, r->ctx, r->complete };
    else
        rpc_error(in, RPC_INVALID_PARAMS,
                  "params.ref: no such prompt (ref/prompt with name) or resource (ref/resource "
                  "with uri)");
    return p || r;
}

static void write_completion(struct rpc_in *in, struct json values)
{
    size_t total = json_count(values), n = 0;
    struct jw *w = mcp_result_begin(in);

    jw_plain_key(w, STR("completion"));
    jw_object(w);
    jw_plain_key(w, STR("values"));
    jw_array(w);
    JSON_EACH(v, values)
    {
        if (n++ == MOST_VALUES)
            break;
        jw_raw(w, json_raw(v));
    }
    jw_array_end(w);
    jw_kint(w, "total", (int64_t)total);
    jw_kbool(w, "hasMore", total > MOST_VALUES);
    jw_object_end(w);
    mcp_result_end(in, MCP_CACHE_NEVER);
}

static void answer_complete(struct mcp_request *r, const struct err *e)
{
    struct rpc_in *in = r->in;
    struct str all;

    if (mcp_answer_common(r, e, MCP_CACHE_NEVER))
        return;
    if (e) {
        rpc_error_of(in, e);
        return;
    }
    if (r->call.is_error) {
        rpc_error_data(in, RPC_INVALID_PARAMS, mcp_failure_text(r), STR_NONE);
        return;
    }
    all = arena_printf(in->mem, "[" STR_FMT "]", STR_ARG(buf_str(&r->call.content)));
    write_completion(in, mcp_reread(in->mem, in->peer->rpc->limits, all));
}

/* Write {"name", "value", "context"?} for core. */
static struct json write_args(struct rpc_in *in, const struct complete *params)
{
    struct buf text;
    struct jw w = jw_to(&text);

    buf_init_in(&text, in->mem, SIZE_MAX);
    jw_object(&w);
    jw_kstr(&w, "name", params->argument.name);
    jw_kstr(&w, "value", params->argument.value);
    if (json_here(params->context))
        jw_kraw(&w, "context", json_raw(params->context));
    jw_object_end(&w);
    return mcp_reread(in->mem, in->peer->rpc->limits, buf_str(&text));
}

void mcp_on_complete(struct rpc_in *in)
{
    struct offer *offer = mcp_offer_of(in);
    struct complete params = { 0 };
    struct subject subject;
    struct mcp_request *r;
    struct json args;

    if (!rpc_params(in, PICK_TABLE(complete_fields), &params) ||
        !find_subject(in, &params.ref, &subject))
        return;
    if (!subject.complete) {
        write_completion(in, (struct json){ 0 });
        return;
    }
    args = write_args(in, &params);
    r = mcp_request_begin(in, NULL, &args, answer_complete);
    call_run(&r->call, &offer->host, &r->caller, r->mem,
             &(struct call_about){ .what = subject.name, .ctx = subject.ctx, .args = args },
             subject.complete, mcp_request_op(r), mcp_request_done, r);
}
