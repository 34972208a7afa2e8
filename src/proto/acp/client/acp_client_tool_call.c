/*
 * acp_client_tool_call.c - tool calls that the agent reports.
 *
 * An update contains only the members that have changed, so the call is kept until it ends.
 */
#include "base/buf.h"
#include "base/list.h"
#include "base/utf8.h"
#include "proto/acp/client/acp_client_parts.h"
#include "proto/acp/client/acp_client_terminals.h"

/* ---- words ----------------------------------------------------------------------------------- */

enum tool_kind acp_tool_kind(struct json word)
{
    static const struct {
        struct str word;
        enum tool_kind kind;
    } rows[] = {
        { STR("read"), TOOL_READ },     { STR("edit"), TOOL_EDIT },
        { STR("delete"), TOOL_DELETE }, { STR("move"), TOOL_MOVE },
        { STR("search"), TOOL_SEARCH }, { STR("execute"), TOOL_EXECUTE },
        { STR("fetch"), TOOL_FETCH },   { STR("think"), TOOL_THINK },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (json_is(word, rows[i].word))
            return rows[i].kind;
    return TOOL_KINDS;
}

static void read_status(struct json word, enum called_status *out)
{
    static const struct {
        struct str word;
        enum called_status status;
    } rows[] = {
        { STR("pending"), CALLED_PENDING },
        { STR("in_progress"), CALLED_RUNNING },
        { STR("completed"), CALLED_DONE },
        { STR("failed"), CALLED_FAILED },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (json_is(word, rows[i].word))
            *out = rows[i].status;
}

/* ---- members --------------------------------------------------------------------------------- */

static void keep_text(struct arena *mem, struct json v, struct str *to)
{
    struct str s = json_str(mem, v);

    if (s.n)
        *to = arena_str(mem, s);
}

/* Claude Code and others have put the name of the tool into _meta before ACP had a member for it. */
static void read_name(struct arena *mem, struct json update, struct event_tool *ev)
{
    struct json meta = json_get(update, STR("_meta"));

    keep_text(mem, json_get(json_get(meta, STR("claudeCode")), STR("toolName")), &ev->name);
    keep_text(mem, json_get(update, STR("name")), &ev->name);
}

static void read_place(struct arena *mem, struct json update, struct event_tool *ev)
{
    struct json first = json_first(json_get(update, STR("locations")));

    keep_text(mem, json_get(first, STR("path")), &ev->path);
    json_int(json_get(first, STR("line")), &ev->line);
}

/* ---- content --------------------------------------------------------------------------------- */

/* Texts and blocks of the content of a call. */
struct call_content {
    struct arena *mem;
    struct buf text, blocks;
    struct event_tool *event;
    bool has_diff;
};

static void put_line(struct call_content *c, struct str text)
{
    if (!text.n)
        return;
    if (c->text.n)
        buf_putc(&c->text, '\n');
    buf_put(&c->text, text);
}

static void put_block(struct call_content *c, struct json block)
{
    put_line(c, acp_content_text(c->mem, block));
    if (json_type(block) != JSON_OBJECT)
        return;
    if (c->blocks.n)
        buf_putc(&c->blocks, ',');
    buf_put(&c->blocks, json_raw(block));
}

/* An event has one diff. Further files are only named. */
static void put_diff(struct call_content *c, struct json item)
{
    struct str path = json_str(c->mem, json_get(item, STR("path")));
    struct str fresh = json_str(c->mem, json_get(item, STR("newText")));

    if (c->has_diff || !fresh.p) {
        put_line(c, arena_printf(c->mem, "[changed: " STR_FMT "]", STR_ARG(path)));
        return;
    }
    c->has_diff = true;
    c->event->path = path.n ? arena_str(c->mem, path) : c->event->path;
    c->event->old_text = arena_maybe(c->mem, json_str(c->mem, json_get(item, STR("oldText"))));
    c->event->new_text = arena_str(c->mem, fresh);
}

/* What a terminal of ours shows now. Terminals of the agent itself are unknown. */
static void put_terminal(struct call_content *c, struct acp_turn *t, struct json id)
{
    struct str output = acp_terminal_output(t->session, json_str(c->mem, id));

    if (output.n && acp_turn_count(t, output.n)) /* a short update can name much output */
        put_line(c, arena_str(c->mem, output));
}

static void put_item(struct call_content *c, struct acp_turn *t, struct json item)
{
    struct json type = json_get(item, STR("type"));

    if (json_is(type, STR("content")))
        put_block(c, json_get(item, STR("content")));
    else if (json_is(type, STR("diff")))
        put_diff(c, item);
    else if (json_is(type, STR("terminal")))
        put_terminal(c, t, json_get(item, STR("terminalId")));
}

/* rawOutput is shown if the agent sends no content. */
static void put_raw_output(struct call_content *c, struct json raw)
{
    if (c->text.n || !json_here(raw) || json_type(raw) == JSON_NULL)
        return;
    put_line(c, json_type(raw) == JSON_STRING ? json_str(c->mem, raw) : json_raw(raw));
}

static void read_content(struct acp_turn *t, struct json update, struct event_tool *ev)
{
    size_t most = (size_t)t->prompt->turn->session->world->limits->message_bytes;
    struct json content = json_get(update, STR("content"));
    struct call_content c = { .mem = &t->mem, .event = ev };

    buf_init_in(&c.text, &t->mem, most);
    buf_init_in(&c.blocks, &t->mem, most);
    JSON_EACH(item, content)
    put_item(&c, t, item);
    put_raw_output(&c, json_get(update, STR("rawOutput")));
    if (c.text.n)
        ev->text = buf_str(&c.text);
    if (c.blocks.n)
        ev->content = buf_str(&c.blocks);
}

/* ---- the call -------------------------------------------------------------------------------- */

enum { CALLS_MOST = 10000 };

/* NULL: too many calls have not ended. */
static struct acp_tool_call *find_call(struct acp_turn *t, struct str id)
{
    struct acp_tool_call *call = t->calls;

    while (call && !str_eq(call->event.id, id))
        call = call->next;
    if (call)
        return call;
    if (t->open_calls >= CALLS_MOST)
        return NULL;
    t->open_calls++;
    call = ARENA_NEW(&t->mem, struct acp_tool_call);
    call->event = (struct event_tool){ .id = arena_str(&t->mem, id), .kind = TOOL_KINDS };
    call->next = t->calls;
    t->calls = call;
    return call;
}

/* A name is required in the history. */
static struct str name_of(const struct event_tool *ev)
{
    static const char *const kinds[TOOL_KINDS + 1] = {
        [TOOL_READ] = "read",   [TOOL_EDIT] = "edit",     [TOOL_DELETE] = "delete",
        [TOOL_MOVE] = "move",   [TOOL_SEARCH] = "search", [TOOL_EXECUTE] = "execute",
        [TOOL_FETCH] = "fetch", [TOOL_THINK] = "think",   [TOOL_KINDS] = "tool",
    };

    return ev->name.n ? ev->name : str_of(kinds[ev->kind]);
}

static void merge(struct acp_turn *t, struct json update, struct event_tool *ev)
{
    struct json args = json_get(update, STR("rawInput"));
    enum tool_kind kind = acp_tool_kind(json_get(update, STR("kind")));

    if (kind != TOOL_KINDS)
        ev->kind = kind;
    read_name(&t->mem, update, ev);
    keep_text(&t->mem, json_get(update, STR("title")), &ev->title);
    if (json_type(args) == JSON_OBJECT)
        ev->args = arena_str(&t->mem, json_raw(args));
    read_place(&t->mem, update, ev);
    read_content(t, update, ev);
    read_status(json_get(update, STR("status")), &ev->status);
}

bool acp_tool_call_merge(struct acp_turn *t, struct json update, struct event_tool *out)
{
    struct str id = json_str(&t->mem, json_get(update, STR("toolCallId")));
    struct acp_tool_call *call;

    if (!id.n)
        return false;
    call = find_call(t, id);
    if (!call)
        return false;
    merge(t, update, &call->event);
    *out = call->event;
    out->name = name_of(out);
    if (out->status >= CALLED_DONE) {
        LIST_UNLINK(t->calls, call, next);
        t->open_calls--;
    } else {
        out->content = out->old_text = out->new_text = STR_NONE;
    }
    return true;
}
