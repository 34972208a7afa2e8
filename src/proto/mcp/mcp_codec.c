#include "proto/mcp/mcp_codec.h"

void mcp_write_initialize(struct jw *w, const struct mcp_server *server, enum mcp_version v)
{
    jw_object(w);
    jw_kstr(w, "protocolVersion", str_of(mcp_features[v].name));
    jw_key(w, STR("capabilities"));
    jw_raw(w, STR("{\"tools\":{}}"));
    jw_key(w, STR("serverInfo"));
    jw_object(w);
    jw_kstr(w, "name", str_of(server->name));
    jw_kstr(w, "version", str_of(server->version));
    jw_object_end(w);
    jw_kstr(w, "instructions", str_of(server->instructions));
    jw_object_end(w);
}

/* A tool that is not read-only is taken for destructive unless it says otherwise. */
static void write_annotations(struct jw *w, const struct tool *t)
{
    jw_key(w, STR("annotations"));
    jw_object(w);
    jw_kstr(w, "title", str_of(t->title));
    jw_kbool(w, "readOnlyHint", t->read_only);
    jw_kbool(w, "idempotentHint", t->idempotent);
    jw_kbool(w, "openWorldHint", t->open_world);
    jw_object_end(w);
}

static void write_tool(struct jw *w, const struct tool *t, const struct mcp_features *has)
{
    jw_object(w);
    jw_kstr(w, "name", str_of(t->name));
    if (has->titles)
        jw_kstr(w, "title", str_of(t->title));
    jw_kstr(w, "description", str_of(t->description));
    jw_kraw(w, "inputSchema", str_of(t->input_schema));
    if (has->structured)
        jw_kraw(w, "outputSchema", str_of(t->output_schema));
    if (has->annotations)
        write_annotations(w, t);
    jw_object_end(w);
}

void mcp_write_tools(struct jw *w, const struct offer *offer, enum mcp_version v)
{
    const struct tool *tool;

    jw_object(w);
    jw_key(w, STR("tools"));
    jw_array(w);
    for (size_t i = 0; (tool = offer_tool_at(offer, i)); i++)
        write_tool(w, tool, &mcp_features[v]);
    jw_array_end(w);
    jw_object_end(w);
}

void mcp_write_result(struct jw *w, const struct call *call, enum mcp_version v)
{
    jw_object(w);
    jw_key(w, STR("content"));
    jw_array(w);
    if (call->content.n)
        jw_raw(w, buf_str(&call->content));
    jw_array_end(w);
    if (mcp_features[v].structured && call->structured.n)
        jw_kraw(w, "structuredContent", buf_str(&call->structured));
    if (call->is_error)
        jw_kbool(w, "isError", true);
    jw_object_end(w);
}

void mcp_write_failure(struct jw *w, const struct err *e)
{
    jw_object(w);
    jw_key(w, STR("content"));
    jw_array(w);
    jw_object(w);
    jw_kstr(w, "type", STR("text"));
    jw_kstr(w, "text", str_of(e->text));
    jw_object_end(w);
    jw_array_end(w);
    jw_kbool(w, "isError", true);
    jw_object_end(w);
}
