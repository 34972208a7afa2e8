#include "proto/mcp/server/mcp_codec.h"

#include "base/auto.h"
#include "proto/mcp/server/mcp_tasks.h"

/* ---- the server -------------------------------------------------------------------------- */

void mcp_write_server_info(struct jw *w, const char *key, const struct mcp_server *server,
                           enum mcp_version v)
{
    jw_plain_key(w, str_of(key));
    jw_object(w);
    jw_kstr(w, "name", str_of(server->name));
    if (mcp_features[v].titles)
        jw_kstr(w, "title", str_of(server->title));
    jw_kstr(w, "version", str_of(server->version));
    jw_object_end(w);
}

static void write_part(struct jw *w, const char *name, bool changes, bool subscribe)
{
    jw_plain_key(w, str_of(name));
    jw_object(w);
    if (changes)
        jw_kbool(w, "listChanged", true);
    if (subscribe)
        jw_kbool(w, "subscribe", true);
    jw_object_end(w);
}

/* Announce only what is served: other methods answer "method not found". */
void mcp_write_capabilities(struct jw *w, const struct offer *offer, enum mcp_version v,
                            bool lasting)
{
    const struct mcp_features *has = &mcp_features[v];
    unsigned completing = 1u << OFFER_PROMPTS | 1u << OFFER_RESOURCES;
    bool changes = lasting || has->announces;

    jw_plain_key(w, STR("capabilities"));
    jw_object(w);
    jw_kraw(w, "logging", STR("{}"));
    if (has->completions && (offer->parts & completing))
        jw_kraw(w, "completions", STR("{}"));
    if (offer->parts & 1u << OFFER_PROMPTS)
        write_part(w, "prompts", changes, false);
    if (offer->parts & 1u << OFFER_RESOURCES)
        write_part(w, "resources", changes, lasting);
    if (offer->parts & 1u << OFFER_TOOLS)
        write_part(w, "tools", changes, false);
    if (has->tasks && mcp_keeps_tasks(offer))
        jw_kraw(w, "extensions", STR("{\"" MCP_TASKS "\":{}}"));
    jw_object_end(w);
}

void mcp_write_initialize(struct jw *w, const struct mcp_server *server, enum mcp_version v,
                          bool lasting)
{
    jw_object(w);
    jw_kstr(w, "protocolVersion", str_of(mcp_features[v].name));
    mcp_write_capabilities(w, server->offer, v, lasting);
    mcp_write_server_info(w, "serverInfo", server, v);
    jw_kstr(w, "instructions", str_of(server->instructions));
    jw_object_end(w);
}

/* ---- what is offered --------------------------------------------------------------------- */

static bool has_hints(const struct tool *t)
{
    return t->read_only || t->additive || t->idempotent || !t->open_world;
}

/*
 * Only hints that differ from their defaults: each list costs every client context. Whether a tool
 * is destructive or idempotent means nothing if it is read-only. Versions whose tools have no title
 * have it here.
 */
static void write_hints(struct jw *w, const struct tool *t, const struct mcp_features *has)
{
    if (has->titles && !has_hints(t))
        return;
    jw_plain_key(w, STR("annotations"));
    jw_object(w);
    if (!has->titles)
        jw_kstr(w, "title", str_of(t->title));
    if (t->read_only)
        jw_kbool(w, "readOnlyHint", true);
    else if (t->additive)
        jw_kbool(w, "destructiveHint", false);
    if (t->idempotent && !t->read_only)
        jw_kbool(w, "idempotentHint", true);
    if (!t->open_world)
        jw_kbool(w, "openWorldHint", false);
    jw_object_end(w);
}

/* The members that tools, resources and prompts have in common, at the start and at the end. */
static void write_names(struct jw *w, const char *name, const char *title, const char *description,
                        const struct mcp_features *has)
{
    jw_kstr(w, "name", str_of(name));
    if (has->titles)
        jw_kstr(w, "title", str_of(title));
    jw_kstr(w, "description", str_of(description));
}

static void write_extras(struct jw *w, const char *icons, const char *meta,
                         const struct mcp_features *has)
{
    if (has->icons)
        jw_kraw(w, "icons", str_of(icons));
    if (has->meta)
        jw_kraw(w, "_meta", str_of(meta));
}

void mcp_write_tool(struct jw *w, const struct tool *t, enum mcp_version v)
{
    const struct mcp_features *has = &mcp_features[v];

    jw_object(w);
    write_names(w, t->name, t->title, t->description, has);
    jw_kraw(w, "inputSchema", str_of(t->input_schema));
    if (has->structured)
        jw_kraw(w, "outputSchema", str_of(t->output_schema));
    if (has->annotations && t->annotations)
        jw_kraw(w, "annotations", str_of(t->annotations));
    else if (has->annotations)
        write_hints(w, t, has);
    write_extras(w, t->icons, t->meta, has);
    jw_object_end(w);
}

void mcp_write_resource(struct jw *w, const struct resource *r, enum mcp_version v)
{
    const struct mcp_features *has = &mcp_features[v];

    jw_object(w);
    jw_kstr(w, r->is_template ? "uriTemplate" : "uri", str_of(r->uri));
    write_names(w, r->name, r->title, r->description, has);
    jw_kstr(w, "mimeType", str_of(r->mime_type));
    if (r->size > 0 && !r->is_template)
        jw_kint(w, "size", r->size);
    jw_kraw(w, "annotations", str_of(r->annotations));
    write_extras(w, r->icons, r->meta, has);
    jw_object_end(w);
}

void mcp_write_prompt(struct jw *w, const struct prompt *p, enum mcp_version v)
{
    const struct mcp_features *has = &mcp_features[v];

    jw_object(w);
    write_names(w, p->name, p->title, p->description, has);
    jw_kraw(w, "arguments", str_of(p->arguments));
    write_extras(w, p->icons, p->meta, has);
    jw_object_end(w);
}

/* ---- results ----------------------------------------------------------------------------- */

static void write_text_block(struct jw *w, struct str text)
{
    jw_object(w);
    jw_kstr(w, "type", STR("text"));
    jw_kstr(w, "text", text);
    jw_object_end(w);
}

/* A block of a kind that the version does not have is written as text. */
static void write_block(struct jw *w, struct arena *mem, struct json block,
                        const struct mcp_features *has)
{
    struct json type = json_get(block, STR("type"));

    if (json_is(type, STR("audio")) && !has->audio)
        write_text_block(w, STR("[audio, which this protocol version cannot carry]"));
    else if (json_is(type, STR("resource_link")) && !has->links)
        write_text_block(w, json_str(mem, json_get(block, STR("uri"))));
    else
        jw_raw(w, json_raw(block));
}

static bool may_hold(struct str content, bool knows, struct str type)
{
    return !knows && str_find(content, type) >= 0;
}

/* Blocks are parsed only if the version may lack one of their types. */
static void write_blocks(struct jw *w, const struct call *call, const struct mcp_features *has)
{
    struct json_opts opts = limits_json(call->host->limits);
    struct str content = buf_str(&call->content), text;
    AUTO_ARENA mem = { 0 };
    struct json all = { 0 };
    struct err e;

    if (call->has_blocks && (may_hold(content, has->links, STR("resource_link")) ||
                             may_hold(content, has->audio, STR("audio")))) {
        text = arena_printf(&mem, "[" STR_FMT "]", STR_ARG(content));
        json_read(&mem, text, &opts, &all, &e);
    }
    JSON_EACH(block, all)
    {
        write_block(w, &mem, block, has);
    }
    if (!json_here(all) && content.n)
        jw_raw(w, content);
}

void mcp_write_result(struct jw *w, const struct call *call, enum mcp_version v)
{
    jw_plain_key(w, STR("content"));
    jw_array(w);
    write_blocks(w, call, &mcp_features[v]);
    jw_array_end(w);
    if (mcp_features[v].structured && call->structured.n)
        jw_kraw(w, "structuredContent", buf_str(&call->structured));
    if (call->is_error)
        jw_kbool(w, "isError", true);
}

void mcp_write_failure(struct jw *w, const struct err *e)
{
    jw_plain_key(w, STR("content"));
    jw_array(w);
    write_text_block(w, str_of(e->text));
    jw_array_end(w);
    jw_kbool(w, "isError", true);
}
