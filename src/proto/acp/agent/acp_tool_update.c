#include "proto/acp/agent/acp_tool_update.h"

#include "base/auto.h"
#include "base/list.h"
#include "base/mem.h"
#include "proto/acp/acp_names.h"
#include "proto/acp/agent/acp_block.h"
#include "proto/acp/agent/acp_update.h"

/* ---- the calls that the client knows --------------------------------------------------------- */

static struct acp_call *find_call(const struct acp_session *s, struct str id)
{
    struct acp_call *c = s->at->calls;

    while (c && !str_eq(str_of(c->id), id))
        c = c->next;
    return c;
}

static struct acp_call *add_call(struct acp_session *s, struct str id)
{
    struct acp_call *c = mem_zero(sizeof(*c) + id.n + 1);

    memcpy(c->id, id.p, id.n);
    c->next = s->at->calls;
    s->at->calls = c;
    return c;
}

static void drop_call(struct acp_session *s, struct acp_call *c)
{
    LIST_UNLINK(s->at->calls, c, next);
    mem_free(c->terminal);
    mem_free(c);
}

bool acp_call_is_open(const struct acp_session *s, struct str id)
{
    return find_call(s, id) != NULL;
}

void acp_calls_free(struct acp_stream *stream)
{
    while (stream->calls) {
        struct acp_call *c = stream->calls;

        stream->calls = c->next;
        mem_free(c->terminal);
        mem_free(c);
    }
}

/* ---- members --------------------------------------------------------------------------------- */

static bool has_ended(enum called_status status)
{
    return status == CALLED_DONE || status == CALLED_FAILED || status == CALLED_CANCELED;
}

static void write_block_item(struct jw *w, struct json block)
{
    jw_object(w);
    jw_kplain(w, "type", STR("content"));
    jw_kraw(w, "content", json_raw(block));
    jw_object_end(w);
}

/* Copied byte for byte, because ACP and MCP have the same blocks. False: not written. */
static bool write_blocks(struct jw *w, const struct acp_session *s, struct str content)
{
    AUTO_ARENA mem = { 0 };
    struct json_opts opts = limits_json(s->root->limits);
    struct json list;
    struct err e;

    if (!content.n ||
        !json_read(&mem, arena_printf(&mem, "[" STR_FMT "]", STR_ARG(content)), &opts, &list, &e))
        return false;
    JSON_EACH(block, list)
    {
        write_block_item(w, block);
    }
    return true;
}

static void write_text_item(struct jw *w, struct str text)
{
    jw_object(w);
    jw_kplain(w, "type", STR("content"));
    jw_plain_key(w, STR("content"));
    acp_text_write(w, text);
    jw_object_end(w);
}

static void write_diff(struct jw *w, const struct event_tool *t)
{
    if (!t->new_text.p || !t->path.p)
        return;
    jw_object(w);
    jw_kplain(w, "type", STR("diff"));
    jw_kstr(w, "path", t->path);
    if (t->old_text.p)
        jw_kstr(w, "oldText", t->old_text);
    else
        jw_kraw(w, "oldText", STR("null"));
    jw_kstr(w, "newText", t->new_text);
    jw_object_end(w);
}

static void write_terminal(struct jw *w, const char *terminal)
{
    jw_object(w);
    jw_kplain(w, "type", STR("terminal"));
    jw_kstr(w, "terminalId", str_of(terminal));
    jw_object_end(w);
}

/* An array replaces the one before, so it names the terminal each time. */
static void write_content(struct jw *w, const struct acp_session *s, const struct acp_call *c,
                          const struct event_tool *t)
{
    if (!t->text.n && !t->content.n && !t->new_text.p)
        return;
    jw_plain_key(w, STR("content"));
    jw_array(w);
    if (c->terminal)
        write_terminal(w, c->terminal);
    write_diff(w, t);
    if (!write_blocks(w, s, t->content) && t->text.n)
        write_text_item(w, t->text);
    jw_array_end(w);
}

static void write_place(struct jw *w, const struct event_tool *t)
{
    if (!t->path.p)
        return;
    jw_plain_key(w, STR("locations"));
    jw_array(w);
    jw_object(w);
    jw_kstr(w, "path", t->path);
    if (t->line > 0)
        jw_kint(w, "line", t->line);
    jw_object_end(w);
    jw_array_end(w);
}

/* What only another trefoil can use. */
static void write_meta(struct jw *w, const struct event_tool *t)
{
    if (!t->trust && !t->session.p && !t->done.p)
        return;
    jw_plain_key(w, STR("_meta"));
    jw_object(w);
    jw_plain_key(w, STR("trefoil"));
    jw_object(w);
    jw_kstr(w, "trust", str_of(t->trust));
    jw_kstr(w, "from", t->from.n ? t->from : STR_NONE);
    jw_kstr(w, "session", t->session);
    if (t->done.p) {
        jw_plain_key(w, STR("progress"));
        jw_object(w);
        jw_kraw(w, "done", t->done);
        jw_kraw(w, "total", t->total);
        jw_object_end(w);
    }
    jw_object_end(w);
    jw_object_end(w);
}

/* ---- updates --------------------------------------------------------------------------------- */

static void write_first(struct jw *w, const struct event_tool *t)
{
    jw_kstr(w, "title", t->title.n ? t->title : t->name);
    jw_kstr(w, "name", t->name);
    jw_kplain(w, "kind", str_of(acp_tool_kind_name(t->kind)));
}

static bool send_call(struct acp_session *s, struct acp_call *c, const struct event_tool *t,
                      bool first, bool whole)
{
    struct jw *w = acp_update_begin(s, first ? "tool_call" : "tool_call_update");

    jw_kstr(w, "toolCallId", t->id);
    if (first)
        write_first(w, t);
    jw_kplain(w, "status", str_of(acp_status_name(t->status)));
    if (whole && !c->has_args)
        jw_kraw(w, "rawInput", t->args);
    if (!c->has_args || first)
        write_place(w, t);
    if (whole)
        write_content(w, s, c, t);
    write_meta(w, t);
    c->has_args = c->has_args || t->args.p;
    return acp_update_end(s);
}

void acp_update_tool(struct acp_session *s, const struct event_tool *t)
{
    struct acp_call *c = find_call(s, t->id);
    bool first = !c;

    if (first)
        c = add_call(s, t->id);
    if (!send_call(s, c, t, first, true))
        send_call(s, c, t, first, false);
    if (has_ended(t->status))
        drop_call(s, c);
}

void acp_call_has_terminal(struct acp_session *s, struct str call, struct str terminal)
{
    struct acp_call *c = call.n ? find_call(s, call) : NULL;
    struct jw *w;

    if (!c)
        return;
    mem_free(c->terminal);
    c->terminal = mem_zero(terminal.n + 1);
    memcpy(c->terminal, terminal.p, terminal.n);
    w = acp_update_begin(s, "tool_call_update");
    jw_kstr(w, "toolCallId", str_of(c->id));
    jw_plain_key(w, STR("content"));
    jw_array(w);
    write_terminal(w, c->terminal);
    jw_array_end(w);
    acp_update_end(s);
}

void acp_calls_end(struct acp_session *s)
{
    while (s->at->calls) {
        struct jw *w = acp_update_begin(s, "tool_call_update");

        jw_kstr(w, "toolCallId", str_of(s->at->calls->id));
        jw_kplain(w, "status", STR("failed"));
        acp_update_end(s);
        drop_call(s, s->at->calls);
    }
}
