#include "web/server_json.h"
#include "loop/proc.h"

#include "base/display.h"
#include "web/process_memory.h"

const char *server_era_name(enum server_era era)
{
    switch (era) {
    case SERVER_ERA_AUTO: return "auto";
    case SERVER_ERA_LEGACY: return "legacy";
    case SERVER_ERA_MODERN: return "modern";
    }
    return "auto";
}

/* ---- a child ------------------------------------------------------------------------------- */

static const struct proc *proc_of(const struct upstream *u)
{
    return u->client ? mcp_client_facts(u->client).proc : NULL;
}

/* If a child has written no stderr yet, show that of the previous one. */
static const struct tail *tail_of(const struct upstream *u)
{
    const struct proc *p = proc_of(u);

    return p && p->tail.count ? &p->tail : NULL;
}

/* Resident kilobytes of its processes; 0 when there are none. */
static int64_t server_rss_kb(const struct upstream *u)
{
    const struct proc *p = proc_of(u);

    return p && p->keeper_pid ? tree_rss_kb(p->keeper_pid) : 0;
}

size_t server_tail_count(const struct upstream *u)
{
    const struct tail *t = tail_of(u);

    return t ? t->count : u->tails;
}

struct str server_tail(const struct upstream *u, size_t i)
{
    const struct tail *t = tail_of(u);

    return t ? tail_line(t, i) : u->tail[i];
}

static void write_tail(struct jw *w, const struct upstream *u)
{
    jw_plain_key(w, STR("stderr_tail"));
    jw_array(w);
    for (size_t i = 0; i < server_tail_count(u); i++)
        jw_str(w, server_tail(u, i));
    jw_array_end(w);
}

/* ---- what is configured -------------------------------------------------------------------- */

static void write_transport(struct jw *w, const struct server_spec *s)
{
    jw_plain_key(w, STR("transport"));
    jw_object(w);
    jw_kstr(w, "type", str_of(server_transport_name(s->transport)));
    jw_kstr(w, s->transport == SERVER_STDIO ? "command" : "url", s->shown);
    jw_object_end(w);
}

static void write_env_names(struct jw *w, const struct server_spec *s)
{
    jw_plain_key(w, STR("env"));
    jw_array(w);
    for (size_t i = 0; i < s->passes; i++)
        jw_str(w, s->pass[i]);
    for (size_t i = 0; i < s->envs; i++)
        jw_str(w, s->env[i].name);
    jw_array_end(w);
}

static void write_configured(struct jw *w, const struct upstream *u)
{
    const struct server_spec *s = &u->spec;

    jw_object(w);
    jw_kstr(w, "name", str_of(s->name));
    write_transport(w, s);
    jw_kint(w, "timeout_secs", (s->timeout_ms + 999) / 1000);
    write_env_names(w, s);
    jw_kstr(w, "state", str_of(upstream_state_name(u->state)));
    jw_kstr(w, "origin", str_of(s->origin));
    jw_kbool(w, "trusted", s->trusted);
    jw_kbool(w, "enabled", s->enabled);
    jw_kint(w, "restarts", u->starts > 0 ? u->starts - 1 : 0);
    if (u->last_error.code != ERR_NONE)
        jw_kstr(w, "last_error", str_of(u->last_error.text));
    if (upstream_retry_ms(u))
        jw_kint(w, "retry_ms", upstream_retry_ms(u));
    write_tail(w, u);
    jw_object_end(w);
}

/* ---- what is connected --------------------------------------------------------------------- */

static void write_tool(struct jw *w, const struct upstream *u, const struct tool *t)
{
    AUTO_BUF text;

    buf_init(&text, t->description ? strlen(t->description) + 128 : 128);
    buf_printf(&text, "[MCP:%s] %s", u->spec.name, t->description ? t->description : "");
    jw_object(w);
    jw_kstr(w, "name", str_of(t->name));
    jw_kstr(w, "description", buf_str(&text));
    jw_object_end(w);
}

static void write_tools(struct jw *w, const struct upstream *u)
{
    int64_t n = 0;

    jw_plain_key(w, STR("tools"));
    jw_array(w);
    for (size_t i = 0; i < u->tools; i++) {
        if (!u->tool[i].tool.name || u->tool[i].tool.withheld)
            continue;
        write_tool(w, u, &u->tool[i].tool);
        n++;
    }
    jw_array_end(w);
    jw_kint(w, "tools_count", n);
}

/* As the server spells them: `trefoil servers approve` takes these names. */
static void write_changed(struct jw *w, const struct upstream *u)
{
    if (!u->changed)
        return;
    jw_plain_key(w, STR("tools_changed"));
    jw_array(w);
    for (size_t i = 0; i < u->tools; i++) {
        if (!u->tool[i].changed)
            continue;
        jw_object(w);
        jw_kstr(w, "name", u->tool[i].original);
        jw_kbool(w, "quarantined", u->tool[i].tool.withheld != NULL);
        jw_object_end(w);
    }
    jw_array_end(w);
}

static void write_facts(struct jw *w, const struct upstream *u)
{
    struct mcp_client_facts facts = mcp_client_facts(u->client);

    jw_kstr(w, "transport", str_of(server_transport_name(facts.transport)));
    jw_kstr(w, "era", str_of(server_era_name(facts.era)));
    jw_kstr(w, "version", facts.version);
    jw_kstr(w, "server_name", facts.server_name);
    jw_kstr(w, "server_version", facts.server_version);
    if (facts.left_out) {
        jw_kint(w, "tools_left_out", (int64_t)facts.left_out);
        jw_kstr(w, "left_out_because", str_of(facts.out_why));
    }
    if (facts.proc)
        jw_kint(w, "pid", facts.proc->pid);
}

/* One whose tools are known, whether or not it is there at this moment. */
static void write_connected(struct jw *w, const struct upstream *u)
{
    jw_object(w);
    jw_kstr(w, "name", str_of(u->spec.name));
    write_tools(w, u);
    write_changed(w, u);
    jw_kbool(w, "connected", u->state == UP_READY);
    jw_kstr(w, "state", str_of(upstream_state_name(u->state)));
    if (u->state == UP_READY)
        write_facts(w, u);
    jw_kint(w, "rss_kb", server_rss_kb(u));
    jw_kint(w, "calls_running", (int64_t)u->running);
    jw_kint(w, "calls_waiting", (int64_t)u->waiting);
    jw_object_end(w);
}

static const struct upstream *next(struct mcp_upstreams *upstreams, const struct upstream *u)
{
    return upstreams ? mcp_upstreams_next(upstreams, u) : NULL;
}

void servers_write(struct jw *w, struct mcp_upstreams *upstreams)
{
    const struct upstream *u = NULL;

    jw_object(w);
    jw_plain_key(w, STR("configured"));
    jw_array(w);
    while ((u = next(upstreams, u)))
        write_configured(w, u);
    jw_array_end(w);
    jw_plain_key(w, STR("connected"));
    jw_array(w);
    while ((u = next(upstreams, u)))
        if (u->state == UP_READY || u->tools)
            write_connected(w, u);
    jw_array_end(w);
    jw_object_end(w);
}
