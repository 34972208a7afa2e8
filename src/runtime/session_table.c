#include "runtime/session_table.h"

#include "base/mem.h"
#include "config/server_read.h"

struct session_params {
    struct str cwd;
    struct json servers;
};

static const struct pick params_fields[] = {
    PICK_FIELD("cwd", PICK_STR, struct session_params, cwd, PICK_MUST),
    PICK_FIELD("mcpServers", PICK_ARRAY, struct session_params, servers, PICK_MUST),
};

/* The servers are in the session's memory until its upstreams have copied them. */
static bool read_params(struct session_entry *s, struct json params, struct server_list *list,
                        struct err *e)
{
    struct session_params p = { 0 };
    const struct session_table *t = s->table;

    if (!pick(&s->mem, params, PICK_TABLE(params_fields), PICK_LENIENT, &p, e))
        return false;
    if (!p.cwd.n || p.cwd.p[0] != '/')
        return json_fail(json_get(params, STR("cwd")), e, "an absolute path is expected");
    s->cwd = arena_cstr(&s->mem, p.cwd);
    return server_specs_from_acp(&s->mem, p.servers, s->cwd, t->limits, NULL, list, e);
}

static void free_session(struct session_entry *s)
{
    struct arena mem = s->mem;

    mem_free(s);
    arena_fini(&mem);
}

bool session_table_new(struct session_table *t, struct json params, struct session_entry **out,
                       struct err *e)
{
    struct session_entry *s;
    struct session_servers_opts opts = t->base;
    struct server_list list = { 0 };

    if ((int64_t)t->count >= t->limits->sessions)
        return fail(e, ERR_LIMIT, "there are %zu sessions (limits.sessions); end one first",
                    t->count);
    s = MEM_NEW(struct session_entry);
    s->table = t;
    if (!read_params(s, params, &list, e)) {
        free_session(s);
        return false;
    }
    id_new(loop_wall(opts.host->loop), s->id);
    opts.cwd = s->cwd;
    s->servers = session_servers_open(&opts, list.v, list.n);
    s->next = t->first;
    t->first = s;
    t->count++;
    *out = s;
    return true;
}

struct session_entry *session_table_find(const struct session_table *t, struct str id)
{
    struct session_entry *s = t->first;

    while (s && !str_eq(id, str_of(s->id)))
        s = s->next;
    return s;
}

static void on_closed(void *ctx)
{
    struct session_entry *s = ctx;
    void (*ended)(void *ctx) = s->ended;
    void *ended_ctx = s->ended_ctx;

    free_session(s);
    if (ended)
        ended(ended_ctx);
}

void session_table_end(struct session_entry *s, void (*done)(void *ctx), void *ctx)
{
    struct session_entry **at = &s->table->first;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->table->count--;
    s->ended = done;
    s->ended_ctx = ctx;
    session_servers_close(s->servers, on_closed, s);
}
