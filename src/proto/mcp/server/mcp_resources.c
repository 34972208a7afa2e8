#include "core/tool/linked_results.h"
#include "proto/mcp/server/mcp_method.h"
#include "proto/mcp/server/mcp_park.h"
#include "proto/mcp/server/uri_template.h"

/* Resources and templates are in one list of the offer, and two on the wire. */
static void write_list(struct rpc_in *in, const char *name, bool templates)
{
    const struct offer *offer = mcp_offer_of(in);
    const struct resource *r;
    struct mcp_list_page page;
    struct jw *w;

    if (!mcp_page_read(in, &page))
        return;
    w = mcp_result_begin(in);
    jw_plain_key(w, str_of(name));
    jw_array(w);
    for (; (r = offer_resource_at(offer, page.at)); page.at++) {
        if (r->is_template != templates)
            continue;
        if (!mcp_page_take(&page))
            break;
        mcp_write_resource(w, r, mcp_version_of(in));
    }
    jw_array_end(w);
    if (r)
        mcp_page_cursor(w, in->mem, page.at);
    mcp_result_end(in, MCP_CACHE_LIST);
}

static void list_resources(struct rpc_in *in)
{
    write_list(in, "resources", false);
}

void mcp_on_resources_list(struct rpc_in *in)
{
    mcp_when_gathered(in, list_resources);
}

void mcp_on_templates_list(struct rpc_in *in)
{
    write_list(in, "resourceTemplates", true);
}

/* ---- reading ----------------------------------------------------------------------------- */

struct resource_read {
    struct str uri;
    struct mcp_round round;
};

static const struct pick read_fields[] = {
    PICK_FIELD("uri", PICK_STR, struct resource_read, uri, PICK_MUST),
    MCP_ROUND_FIELDS(struct resource_read, round),
};

void mcp_refuse_uri(struct rpc_in *in, struct str uri)
{
    AUTO_BUF data;
    struct jw w = jw_to(&data);

    buf_init(&data, (size_t)in->peer->rpc->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "uri", uri);
    jw_object_end(&w);
    rpc_error_data(in, mcp_has(in)->modern ? RPC_INVALID_PARAMS : MCP_NOT_FOUND,
                   STR("Resource not found"), data.full ? STR_NONE : buf_str(&data));
}

static void answer_read(struct mcp_request *r, const struct err *e)
{
    struct jw *w;

    if (mcp_answer_common(r, e, MCP_CACHE_READ))
        return;
    if (e && e->code == ERR_NOT_FOUND) {
        mcp_refuse_uri(r->in, r->call.uri);
    } else if (e) {
        rpc_error_of(r->in, e);
    } else if (r->call.is_error) {
        rpc_error_data(r->in, RPC_INTERNAL_ERROR, mcp_failure_text(r), STR_NONE);
    } else {
        w = mcp_result_begin(r->in);
        jw_plain_key(w, STR("contents"));
        jw_array(w);
        if (r->call.content.n)
            jw_raw(w, buf_str(&r->call.content));
        jw_array_end(w);
        mcp_result_end(r->in, MCP_CACHE_READ);
    }
}

/* A result that was too long for its answer (core/tool/linked_results.h). */
static bool read_kept(struct rpc_in *in, struct str uri)
{
    struct str json = kept_results_find(mcp_offer_of(in)->host.kept, uri,
                                        str_of(mcp_conv_of(in)->principal.name));
    struct jw *w;

    if (!json.p)
        return false;
    w = mcp_result_begin(in);
    jw_plain_key(w, STR("contents"));
    jw_array(w);
    jw_object(w);
    jw_kstr(w, "uri", uri);
    jw_kstr(w, "mimeType", STR("application/json"));
    jw_kstr(w, "text", json);
    jw_object_end(w);
    jw_array_end(w);
    mcp_result_end(in, MCP_CACHE_READ);
    return true;
}

void mcp_on_resources_read(struct rpc_in *in)
{
    struct offer *offer = mcp_offer_of(in);
    struct resource_read params = { 0 };
    const struct resource *resource;
    struct mcp_request *r;
    struct json vars;

    if (!rpc_params(in, PICK_TABLE(read_fields), &params) || mcp_park_resume(in, &params.round))
        return;
    resource = uri_template_find(offer, params.uri, in->mem, &vars);
    if (!resource) {
        if (!read_kept(in, params.uri))
            mcp_refuse_uri(in, params.uri);
        return;
    }
    r = mcp_request_begin(in, &params.round, &vars, answer_read);
    call_run(&r->call, &offer->host, &r->caller, r->mem,
             &(struct call_about){ .what = resource->name,
                                   .ctx = resource->ctx,
                                   .args = vars,
                                   .uri = arena_str(r->mem, params.uri) },
             resource->read, mcp_request_op(r), mcp_request_done, r);
}
