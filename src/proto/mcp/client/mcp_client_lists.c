/*
 * mcp_client_lists.c - lists the tools of a server, page by page, and keeps the list up to date.
 *
 * A list is read into c->next and replaces c->tools when it is complete. If a server sends too many
 * pages, or repeats a cursor, the list ends there. Invalid tools are omitted and logged. If a
 * change is announced while a list is being read, the list is read once more afterwards, with a
 * delay: a server that announces a change whenever it is asked must not keep us busy.
 *
 * Legacy servers announce changes without a request. Modern servers do so after
 * subscriptions/listen, a request that stays open and is sent again when it fails.
 */
#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/pick.h"
#include "base/utf8.h"
#include "proto/mcp/client/mcp_client_headers.h"
#include "proto/mcp/client/mcp_client_parts.h"

static void send_list(struct mcp_client *c, struct str cursor);

static const struct limits *limits_of(const struct mcp_client *c)
{
    return c->world.rpc->limits;
}

/* ---- tools ------------------------------------------------------------------------------- */

void mcp_tools_fini(struct mcp_tools *t)
{
    while (t->pages) {
        struct mcp_page *page = t->pages;

        t->pages = page->next;
        rpc_out_fini(&page->answer);
        mem_free(page);
    }
    mem_free(t->tool);
    *t = (struct mcp_tools){ 0 };
}

const struct mcp_remote_tool *mcp_tools_find(const struct mcp_tools *t, struct str name)
{
    for (size_t i = 0; i < t->count; i++)
        if (str_eq(t->tool[i].name, name))
            return &t->tool[i];
    return NULL;
}

bool mcp_tool_wants_task(struct json tool)
{
    return json_is(json_get(json_get(tool, STR("execution")), STR("taskSupport")), STR("required"));
}

static void add_tool(struct mcp_tools *t, struct str name, struct json tool)
{
    if (t->count == t->room) {
        t->room = t->room ? t->room * 2 : 16;
        t->tool = mem_resize(t->tool, t->room * sizeof(*t->tool));
    }
    t->tool[t->count++] = (struct mcp_remote_tool){ name, tool };
    t->bytes += json_raw(tool).n;
    t->has_tasks |= mcp_tool_wants_task(tool);
}

static void leave_out(struct mcp_client *c, struct str name, const struct err *why)
{
    LOG(LOG_WARN, "mcp", "a tool is skipped", LOG_Z("server", c->spec->name), LOG_S("tool", name),
        LOG_Z("why", why->text));
    if (!c->next.left_out++)
        fail(&c->next.why, why->code, "tool \"" STR_FMT "\": %s", STR_ARG(utf8_head(name, 64)),
             why->text);
}

/* Limit the size of definitions, because every client and every model gets them. */
static bool has_room(const struct mcp_client *c, struct json tool, struct err *e)
{
    const struct limits *l = limits_of(c);
    size_t n = json_raw(tool).n;

    if (n > (size_t)l->mcp_tool_bytes)
        return fail(e, ERR_LIMIT,
                    "its definition has %zu bytes, at most %lld are accepted "
                    "(limits.mcp_tool_bytes)",
                    n, (long long)l->mcp_tool_bytes);
    if (c->next.bytes + n > (size_t)l->mcp_tools_bytes)
        return fail(
            e, ERR_LIMIT,
            "the definitions of all tools of the server exceed %lld bytes (limits.mcp_tools_bytes)",
            (long long)l->mcp_tools_bytes);
    return true;
}

struct definition {
    struct str name;
    struct json schema;
};

static const struct pick definition_fields[] = {
    PICK_FIELD("name", PICK_STR, struct definition, name, PICK_MUST),
    PICK_FIELD("inputSchema", PICK_OBJECT, struct definition, schema, PICK_MUST),
};

static bool read_tool(struct mcp_client *c, struct arena *mem, struct json v, struct str *name,
                      struct err *e)
{
    struct definition d = { 0 };

    if (!pick(mem, v, PICK_TABLE(definition_fields), PICK_LENIENT, &d, e))
        return false;
    if (!d.name.n)
        return fail(e, ERR_INVALID, "its name is empty");
    if (json_has_lone_surrogate(json_get(v, STR("name"))))
        return fail(e, ERR_INVALID, "its name contains a lone surrogate");
    if (mcp_tools_find(&c->next, d.name))
        return fail(e, ERR_INVALID, "duplicate tool name");
    if (mcp_client_mirrors(c) && !mcp_mirror_check(mem, d.schema, e))
        return false;
    *name = d.name;
    return true;
}

/* False: there are too many tools. */
static bool take_tools(struct mcp_client *c, struct mcp_page *page, struct json list)
{
    struct arena *mem = &page->answer.mem;

    JSON_EACH(v, list)
    {
        struct str name = STR_NONE;
        struct err e;

        if (!read_tool(c, mem, v, &name, &e) || !has_room(c, v, &e))
            leave_out(c, json_str(mem, json_get(v, STR("name"))), &e);
        else if ((int64_t)c->next.count < limits_of(c)->mcp_list_items)
            add_tool(&c->next, name, v);
        else
            return false;
    }
    return true;
}

/* ---- pages ------------------------------------------------------------------------------- */

static struct mcp_page *keep_page(struct mcp_client *c)
{
    struct mcp_page *page = MEM_NEW(struct mcp_page);

    page->answer = c->list.out;
    page->next = c->next.pages;
    c->next.pages = page;
    c->list.out.mem = (struct arena){ 0 };
    c->list.out.text = (struct buf){ 0 };
    c->pages++;
    return page;
}

static bool seen_before(struct mcp_client *c, struct str cursor)
{
    for (struct mcp_page *p = c->next.pages; p; p = p->next)
        if (p->cursor.p && str_eq(p->cursor, cursor))
            return true;
    return false;
}

static void cut_off(struct mcp_client *c, const char *why)
{
    LOG(LOG_WARN, "mcp", "the list of tools is truncated", LOG_Z("server", c->spec->name),
        LOG_Z("why", why), LOG_N("tools", (int64_t)c->next.count));
}

/* The cursor of the next page, or STR_NONE. An empty cursor is valid. */
static struct str next_cursor(struct mcp_client *c, struct mcp_page *page)
{
    struct json v = json_get(page->answer.result, STR("nextCursor"));
    struct str cursor = json_str(&page->answer.mem, v);

    if (json_type(v) == JSON_MISSING || json_type(v) == JSON_NULL)
        return STR_NONE;
    if (!cursor.p)
        cut_off(c, "nextCursor is not a string");
    else if (seen_before(c, cursor))
        cut_off(c, "the server repeated a cursor");
    else if ((int64_t)c->pages >= limits_of(c)->mcp_list_pages)
        cut_off(c, "too many pages (the constant mcp_list_pages)");
    else
        return page->cursor = cursor;
    return STR_NONE;
}

/* ---- when it is complete ------------------------------------------------------------------- */

static void on_relist(struct timer *t)
{
    mcp_lists_refresh(CONTAINER_OF(t, struct mcp_client, relist));
}

static void end_listing(struct mcp_client *c)
{
    c->listing = false;
    c->pages = 0;
    mcp_works_listed(c);
    if (c->list_again)
        timer_set(c->world.rpc->loop, &c->relist, limits_of(c)->mcp_relist_ms, on_relist);
    c->list_again = false;
}

static void mcp_lists_listen(struct mcp_client *c);

/* The old tools stay valid until the owner has handled the new ones. */
static void publish(struct mcp_client *c)
{
    struct mcp_tools old = c->tools;
    bool first = c->step == STEP_LISTING;

    c->tools = c->next;
    c->next = (struct mcp_tools){ 0 };
    end_listing(c);
    if (first) {
        mcp_client_go(c, STEP_READY);
        mcp_lists_listen(c);
        c->events->on_ready(c);
    } else if (c->events->on_tools) {
        c->events->on_tools(c);
    }
    mcp_tools_fini(&old);
}

static void give_up(struct mcp_client *c, const struct err *e)
{
    bool first = c->step == STEP_LISTING;

    mcp_tools_fini(&c->next);
    end_listing(c);
    if (first)
        mcp_client_end(c, e);
    else
        LOG(LOG_WARN, "mcp", "cannot list the tools again", LOG_Z("server", c->spec->name),
            LOG_Z("why", e->text));
}

static void on_page(struct mcp_client *c)
{
    struct mcp_page *page = keep_page(c);
    struct json list = json_get(page->answer.result, STR("tools"));
    struct str cursor;
    struct err e;

    if (json_type(list) != JSON_ARRAY) {
        mcp_client_fail(c, &e, ERR_INVALID, "answered tools/list without an array of tools");
        give_up(c, &e);
        return;
    }
    if (!take_tools(c, page, list)) {
        cut_off(c, "too many tools (the constant mcp_list_items)");
        publish(c);
        return;
    }
    cursor = next_cursor(c, page);
    if (cursor.p)
        send_list(c, cursor);
    else
        publish(c);
}

static void on_list_done(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_client *c = ctx;
    struct err refused;

    (void)op;
    if (c->step == STEP_CLOSING)
        rpc_out_fini(&c->list.out);
    else if (e)
        give_up(c, e);
    else if (mcp_req_code(&c->list) == RPC_METHOD_NOT_FOUND)
        publish(c); /* the server has no tools */
    else if (!mcp_req_ok(&c->list, &refused))
        give_up(c, &refused);
    else
        on_page(c);
    if (c->list.out.op.settled)
        rpc_out_fini(&c->list.out);
}

static void send_list(struct mcp_client *c, struct str cursor)
{
    struct jw *w = mcp_req_begin(c);

    jw_object(w);
    jw_kstr(w, "cursor", cursor);
    mcp_write_meta(c, w, &(struct mcp_about){ 0 });
    jw_object_end(w);
    mcp_req_send(c, &c->list, NULL, "tools/list", mcp_req_patience(c), on_list_done, c);
}

/* ---- when to list ------------------------------------------------------------------------- */

void mcp_lists_refresh(struct mcp_client *c)
{
    if (c->listing) {
        c->list_again = true;
        return;
    }
    timer_clear(c->world.rpc->loop, &c->relist);
    c->listing = true;
    send_list(c, STR_NONE);
}

void mcp_lists_begin(struct mcp_client *c)
{
    mcp_client_go(c, STEP_LISTING);
    mcp_lists_refresh(c);
}

void mcp_lists_changed(struct mcp_client *c)
{
    if (c->listing)
        c->list_again = true;
    else if (c->step == STEP_READY && !timer_is_set(&c->relist))
        timer_set(c->world.rpc->loop, &c->relist, limits_of(c)->mcp_relist_ms, on_relist);
}

void mcp_lists_stop(struct mcp_client *c)
{
    timer_clear(c->world.rpc->loop, &c->relist);
    timer_clear(c->world.rpc->loop, &c->relisten);
}

/* ---- listening ----------------------------------------------------------------------------- */

static const int64_t FOREVER = INT64_MAX / 4;

static void on_relisten(struct timer *t)
{
    mcp_lists_listen(CONTAINER_OF(t, struct mcp_client, relisten));
}

/* The request ended, failed, or is not supported. */
static void on_listen_done(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_client *c = ctx;
    bool refused = !e && json_here(c->listen.out.error);

    (void)op;
    rpc_out_fini(&c->listen.out);
    c->listening = false;
    if (c->step != STEP_READY || refused || (c->listen.status >= 400 && c->listen.status < 500))
        return;
    timer_set(c->world.rpc->loop, &c->relisten, limits_of(c)->mcp_relisten_ms, on_relisten);
}

static void mcp_lists_listen(struct mcp_client *c)
{
    struct jw *w;

    if (!c->modern || !c->refreshes || c->listening || c->step != STEP_READY)
        return;
    c->listening = true;
    w = mcp_req_begin(c);
    jw_object(w);
    jw_kraw(w, "notifications", STR("{\"toolsListChanged\":true}"));
    mcp_write_meta(c, w, &(struct mcp_about){ 0 });
    jw_object_end(w);
    mcp_req_send(c, &c->listen, NULL, "subscriptions/listen", FOREVER, on_listen_done, c);
}
