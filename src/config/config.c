#include "config/config.h"

#include "base/toml/toml.h"
#include "config/foreign_servers.h"
#include "config/guard_read.h"
#include "config/tasks_read.h"
#include "config/trust.h"
#include "loop/file.h"

#include <stdio.h>
#include <unistd.h>

enum { CONFIG_DEPTH = 32 };

void config_preset(struct config *c)
{
    *c = (struct config){ .listen = STR("127.0.0.1:8733"), .log_level = LOG_WARN };
    limits_preset(&c->limits);
    c->guard.taint = GUARD_ASK;
    c->guard.secrets = GUARD_ASK;
    c->sandbox.standard = SANDBOX_WORKSPACE;
    c->a2a.listen_path = STR("/a2a");
}

enum tool_pinning config_pinning(const struct config *c, enum tool_pinning preset)
{
    enum tool_pinning user = c->pinning == PINNING_UNSET ? preset : c->pinning;

    return c->project_pinning > user ? c->project_pinning : user;
}

/* ---- the tables ------------------------------------------------------------------------- */

struct serve_table {
    struct str listen, api_key; /* api_keys_read.h reads this one ... */
    struct json keys;           /* ... and these */
    struct pick_strs hosts;
};

struct log_table {
    struct str level, format;
};

struct store_table {
    struct str durability;
};

struct config_mcp_table {
    struct json servers;
    struct pick_strs import, expose_tools, private_tools;
    struct str pinning;
    struct guard_table guard;
};

struct acp_table {
    struct str name, version;
};

struct file_tables {
    struct serve_table serve;
    struct log_table log;
    struct store_table store;
    struct config_mcp_table mcp;
    struct acp_table acp;
    struct guard_table guard;
    struct web_table web;
    struct json tasks, sandbox, a2a;
    struct json mcp_servers;
    struct json agents;
    struct json providers, models;
    struct json limits;
};

static const struct pick serve_fields[] = {
    PICK_FIELD("listen", PICK_STR, struct serve_table, listen, 0),
    PICK_FIELD("hosts", PICK_STRS, struct serve_table, hosts, 0),
    PICK_FIELD("api_key", PICK_STR, struct serve_table, api_key, 0),
    PICK_FIELD("keys", PICK_ARRAY, struct serve_table, keys, 0),
};

static const struct pick log_fields[] = {
    PICK_FIELD("level", PICK_STR, struct log_table, level, 0),
    PICK_FIELD("format", PICK_STR, struct log_table, format, 0),
};

static const struct pick store_fields[] = {
    PICK_FIELD("durability", PICK_STR, struct store_table, durability, 0),
};

static const struct pick mcp_fields[] = {
    PICK_FIELD("servers", PICK_ARRAY, struct config_mcp_table, servers, 0),
    PICK_FIELD("import", PICK_STRS, struct config_mcp_table, import, 0),
    PICK_FIELD("expose_tools", PICK_STRS, struct config_mcp_table, expose_tools, 0),
    PICK_FIELD("private_tools", PICK_STRS, struct config_mcp_table, private_tools, 0),
    PICK_FIELD("pinning", PICK_STR, struct config_mcp_table, pinning, 0),
    PICK_FIELD("mode", PICK_STR, struct config_mcp_table, guard.mode, 0),
    PICK_FIELD("permission", PICK_OBJECT, struct config_mcp_table, guard.permission, 0),
};

static const struct pick acp_fields[] = {
    PICK_FIELD("name", PICK_STR, struct acp_table, name, 0),
    PICK_FIELD("version", PICK_STR, struct acp_table, version, 0),
};

static const struct pick guard_fields[] = {
    PICK_FIELD("mode", PICK_STR, struct guard_table, mode, 0),
    PICK_FIELD("permission", PICK_OBJECT, struct guard_table, permission, 0),
    PICK_FIELD("taint", PICK_STR, struct guard_table, taint, 0),
    PICK_FIELD("secrets", PICK_STR, struct guard_table, secrets, 0),
    PICK_FIELD("audit", PICK_BOOL, struct guard_table, audit, 0),
    PICK_FIELD("user_trust", PICK_STR, struct guard_table, user_trust, 0),
    PICK_FIELD("allow", PICK_STRS, struct guard_table, allow, 0),
    PICK_FIELD("readonly_shell", PICK_STRS, struct guard_table, readonly_shell, 0),
};

static const struct pick file_fields[] = {
    PICK_NESTED("serve", struct file_tables, serve, 0, serve_fields),
    PICK_NESTED("log", struct file_tables, log, 0, log_fields),
    PICK_NESTED("store", struct file_tables, store, 0, store_fields),
    PICK_NESTED("mcp", struct file_tables, mcp, 0, mcp_fields),
    PICK_NESTED("acp", struct file_tables, acp, 0, acp_fields),
    PICK_NESTED("guard", struct file_tables, guard, 0, guard_fields),
    PICK_NESTED("web", struct file_tables, web, 0, web_fields),
    PICK_FIELD("tasks", PICK_OBJECT, struct file_tables, tasks, 0),
    PICK_FIELD("sandbox", PICK_OBJECT, struct file_tables, sandbox, 0),
    PICK_FIELD("a2a", PICK_OBJECT, struct file_tables, a2a, 0),
    PICK_FIELD("mcp_servers", PICK_ARRAY, struct file_tables, mcp_servers, 0),
    PICK_FIELD("agents", PICK_ARRAY, struct file_tables, agents, 0),
    PICK_FIELD("providers", PICK_OBJECT, struct file_tables, providers, 0),
    PICK_FIELD("models", PICK_OBJECT, struct file_tables, models, 0),
    PICK_FIELD("limits", PICK_OBJECT, struct file_tables, limits, 0),
};

/* ---- applying --------------------------------------------------------------------------- */

/* What a load gathers before it is laid together. */
struct config_loading {
    struct arena *mem;
    const struct root *root;
    struct config *c;
    struct pick_strs import;
    bool import_by_project;
    bool trust;                   /* the project, for this run */
    bool listens;                 /* the user has set the address */
    struct server_list own, user; /* of trefoil.toml or --config, and of the user's file */
};

static bool apply_log(struct json root, const struct log_table *t, struct config *c, struct err *e)
{
    struct json table = json_get(root, STR("log"));

    if (t->level.p && !log_level_named(t->level, &c->log_level))
        return json_fail(json_get(table, STR("level")), e,
                         "unknown level; expected error, warn, info, debug or trace");
    if (!t->format.p)
        return true;
    c->log_json = str_eq(t->format, STR("json"));
    if (!c->log_json && !str_eq(t->format, STR("text")))
        return json_fail(json_get(table, STR("format")), e,
                         "unknown format; expected text or json");
    return true;
}

/* A project may be a stranger's: what it would loosen stays as the user has it, with a note. */
static bool keep_users(const struct config_loading *l, bool from_project, struct json table,
                       const char *key, bool looser)
{
    struct json at = json_get(table, str_of(key));

    if (!from_project || l->trust || !looser)
        return false;
    note(l->mem, &l->c->notes, LOG_WARN,
         STR_FMT ": %s is ignored: a project cannot loosen what the user has set; the user's "
                 "config.toml, --config FILE or --trust can",
         STR_ARG(json_where(l->mem, json_here(at) ? at : table)), key);
    return true;
}

static bool apply_store(const struct config_loading *l, struct json root,
                        const struct store_table *t, bool from_project, struct err *e)
{
    struct json table = json_get(root, STR("store"));
    bool power = str_eq(t->durability, STR("power"));

    if (!t->durability.p)
        return true;
    if (!power && !str_eq(t->durability, STR("process")))
        return json_fail(json_get(table, STR("durability")), e,
                         "unknown durability; expected \"process\" (survives kill -9) or \"power\" "
                         "(also survives a power cut)");
    if (!keep_users(l, from_project, table, "durability",
                    !power && l->c->durability == STORE_POWER))
        l->c->durability = power ? STORE_POWER : STORE_PROCESS;
    return true;
}

static bool apply_tasks(const struct config_loading *l, struct json table, bool from_project,
                        struct err *e)
{
    static const int strictness[] = {
        [LOCK_WARN] = 0, [LOCK_TURNS] = 1, [LOCK_WAIT] = 2, [LOCK_FAIL] = 3
    };
    struct config *c = l->c;
    enum lock_conflict conflict = c->lock_conflict;
    bool isolate = c->isolate;

    if (!tasks_read(l->mem, table, &conflict, &isolate, e))
        return false;
    if (!keep_users(l, from_project, table, "lock_conflict",
                    strictness[conflict] < strictness[c->lock_conflict]))
        c->lock_conflict = conflict;
    if (!keep_users(l, from_project, table, "isolate", !isolate && c->isolate))
        c->isolate = isolate;
    return true;
}

/* A project can close what the user has opened, but open nothing. */
static bool apply_web(const struct config_loading *l, struct json root, const struct web_table *t,
                      bool from_project, struct err *e)
{
    struct json table = json_get(root, STR("web"));
    struct ip_range_list fresh;

    if (!json_here(json_get(table, STR("allow_private"))))
        return true;
    if (!web_ranges_read(l->mem, &l->c->limits, table, &t->allow_private, &fresh, e))
        return false;
    if (!keep_users(l, from_project, table, "allow_private", fresh.n > 0))
        l->c->reachable = fresh;
    return true;
}

/* A project may turn A2A on, unless the user has turned it off; its clients then may only read. */
static void apply_a2a_rights(const struct config_loading *l, struct json table,
                             const struct a2a_table *t, bool from_project)
{
    struct a2a_config *a = &l->c->a2a;
    bool writes = str_eq(t->mode, STR("read-write"));

    if (json_here(json_get(table, STR("enabled"))) &&
        !keep_users(l, from_project, table, "enabled", t->enabled && a->set && !a->on)) {
        a->on = t->enabled;
        a->set = true;
        a->why = arena_printf(l->mem, STR_FMT ": [a2a] enabled = %s",
                              STR_ARG(json_where(l->mem, json_get(table, STR("enabled")))),
                              t->enabled ? "true" : "false")
                     .p;
    }
    if (!keep_users(l, from_project, table, "push", t->push && a->no_push))
        a->no_push = !t->push;
    if (t->mode.p && !keep_users(l, from_project, table, "mode", writes && !a->read_write))
        a->read_write = writes;
}

static bool apply_a2a(const struct config_loading *l, struct json table, bool from_project,
                      struct err *e)
{
    struct a2a_config *a = &l->c->a2a;
    struct a2a_table t;

    if (!json_here(table))
        return true;
    if (!a2a_table_read(l->mem, table, a, &t, e))
        return false;
    apply_a2a_rights(l, table, &t, from_project);
    a->listen_path = t.listen_path;
    a->public_url = t.public_url;
    a->agent = t.agent;
    a->input_modes = t.input_modes;
    a->card = a2a_card_worded(t.card);
    if (!keep_users(l, from_project, table, "trusted_proxies",
                    json_here(json_get(table, STR("trusted_proxies")))))
        a->proxies = t.trusted_proxies;
    if (json_here(json_get(table, STR("external_agents"))))
        a->external_by_project = from_project;
    a->external_agents = t.external_agents;
    if (!json_here(json_get(table, STR("enabled"))) && !a->set)
        note(l->mem, &l->c->notes, LOG_WARN,
             STR_FMT ": [a2a] has no key \"enabled\", so A2A is off; enabled = true turns it on",
             STR_ARG(json_where(l->mem, table)));
    return true;
}

/* Without any file everything works at once; a file says what the user wants. */
static void decide_a2a(struct config *c)
{
    if (c->a2a.set)
        return;
    c->a2a.on = !c->file_count;
    c->a2a.why = c->file_count ? "the configuration does not contain [a2a] enabled = true"
                               : "there is no configuration file";
}

static bool apply_sandbox(const struct config_loading *l, struct json table, bool from_project,
                          struct err *e)
{
    bool loosens[SANDBOX_KEYS] = { false };

    if (!sandbox_read(l->mem, table, from_project && !l->trust, &l->c->sandbox, loosens, e))
        return false;
    for (size_t i = 0; i < SANDBOX_KEYS; i++)
        keep_users(l, from_project, table, sandbox_keys[i], loosens[i]);
    return true;
}

/* Rules of a project have no effect until the user accepts them: accept_rules. */
static bool apply_rules(const struct config_loading *l, struct json table,
                        const struct guard_table *t, bool from_project, struct err *e)
{
    struct config *c = l->c;

    if (!guard_rules_check(json_get(table, STR("allow")), &t->allow, e) ||
        !guard_rules_check(json_get(table, STR("readonly_shell")), &t->readonly_shell, e))
        return false;
    guard_rules_add(l->mem, from_project ? &c->project_rules : &c->guard.rules, &t->allow);
    if (!keep_users(l, from_project, table, "readonly_shell", t->readonly_shell.n > 0))
        guard_rules_add(l->mem, &c->guard.readonly_shell, &t->readonly_shell);
    return true;
}

/* A key that the author of a project knows, a name that a browser takes for ours, an address. */
static void note_opening(const struct config_loading *l, struct json table, bool listens)
{
    static const struct str keys[] = { STR("listen"), STR("hosts"), STR("api_key") };

    for (size_t i = listens ? 0 : 1; i < ARRAY_LEN(keys); i++)
        if (json_here(json_get(table, keys[i])))
            l->c->opened_by = arena_cstr(l->mem, json_where(l->mem, json_get(table, keys[i])));
}

/* An address that the user has set is the only one; otherwise serve.c asks for opened_by. */
static void apply_serve(struct config_loading *l, struct json root, const struct serve_table *t,
                        bool from_project)
{
    struct json table = json_get(root, STR("serve"));
    bool set = json_here(json_get(table, STR("listen")));

    if (!keep_users(l, from_project, table, "listen",
                    l->listens && !str_eq(t->listen, l->c->listen)))
        l->c->listen = t->listen;
    else
        set = false;
    l->c->hosts = t->hosts;
    l->listens |= set && !from_project;
    if (from_project)
        note_opening(l, table, set);
}

/* A table of a project, once as it counts and once as if it were the user's: what differs is inert. */
static bool apply_guard(const struct config_loading *l, struct json table,
                        const struct guard_table *t, bool from_project, struct guard_scope *to,
                        struct err *e)
{
    struct guard_scope wish = *to;

    if (!guard_table_apply(l->mem, table, t, false, &wish, e) ||
        !guard_table_apply(l->mem, table, t, from_project, to, e))
        return false;
    for (size_t i = 0; i < TOOL_KINDS; i++)
        if (wish.permission[i] != to->permission[i])
            keep_users(l, from_project, json_get(table, STR("permission")), guard_kind_names[i],
                       true);
    keep_users(l, from_project, table, "mode", wish.mode != to->mode);
    keep_users(l, from_project, table, "taint", wish.taint != to->taint);
    keep_users(l, from_project, table, "secrets", wish.secrets != to->secrets);
    return true;
}

/* A limit that a project would loosen stays as the user has it. */
static int64_t project_limit(const struct config_loading *l, struct json table,
                             const struct limit_row *row, int64_t value)
{
    int64_t now = limits_get(&l->c->limits, row);
    struct str where;

    if (limit_project_may(row, now, value))
        return value;
    where = json_where(l->mem, json_get(table, str_of(row->name)));
    note(l->mem, &l->c->notes, LOG_WARN,
         STR_FMT ": limits.%s = %lld is ignored: a project may %s; %lld is in force",
         STR_ARG(where), row->name, (long long)value,
         row->project == LIMIT_USERS_ONLY ? "not set this limit" : "only make a limit stricter",
         (long long)now);
    return now;
}

static bool apply_limits(const struct config_loading *l, struct json table, bool from_project,
                         struct err *e)
{
    struct limits *now = &l->c->limits, fresh = *now;

    if (!json_here(table))
        return true;
    if (!limits_read(l->mem, table, &fresh, e))
        return false;
    for (size_t i = 0; from_project && i < limit_count; i++)
        limits_set(&fresh, &limit_rows[i],
                   project_limit(l, table, &limit_rows[i], limits_get(&fresh, &limit_rows[i])));
    *now = fresh;
    return true;
}

/*
 * What clients may do. A project can narrow it, but not widen it: it may be a stranger's. The
 * guard has refused what is no mode.
 */
static void apply_mode(struct config_loading *l, struct json root, struct str mode,
                       bool from_project)
{
    struct json at = json_get(json_get(root, STR("mcp")), STR("mode"));

    if (str_eq(mode, STR("read-only")))
        l->c->mode = ENDPOINT_READ_ONLY;
    else if (str_eq(mode, STR("read-write")) && (!from_project || l->trust))
        l->c->mode = ENDPOINT_READ_WRITE;
    else if (mode.p && l->c->mode != ENDPOINT_READ_WRITE)
        note(l->mem, &l->c->notes, LOG_WARN,
             STR_FMT ": a project cannot give itself mode read-write; the user's config.toml, "
                     "--config FILE or --trust can",
             STR_ARG(json_where(l->mem, at)));
}

/* Names that the user's list has not are not offered. */
static void apply_exposed(struct config_loading *l, struct json root,
                          const struct config_mcp_table *t, bool from_project)
{
    struct pick_strs *now = &l->c->expose_tools, fresh = { .set = t->expose_tools.set };
    const struct pick_strs none = { 0 };

    fresh.v = ARENA_ARRAY(l->mem, struct str, t->expose_tools.n);
    for (size_t i = 0; i < t->expose_tools.n; i++) {
        struct str name = t->expose_tools.v[i];

        if (!keep_users(l, from_project, json_get(root, STR("mcp")), "expose_tools",
                        !tool_exposed_by_kernel(
                            now, &none, (struct tool_called){ .name = name, .alias = name })))
            fresh.v[fresh.n++] = name;
    }
    *now = fresh;
}

static bool apply_pinning(struct config_loading *l, struct json root, struct str word,
                          bool from_project, struct err *e)
{
    struct json table = json_get(root, STR("mcp"));
    enum tool_pinning now;

    if (!word.p)
        return true;
    if (!tool_pinning_named(word, &now))
        return json_fail(json_get(table, STR("pinning")), e, "expected off, warn or block");
    if (keep_users(l, from_project, table, "pinning", now < config_pinning(l->c, PINNING_WARN)))
        return true;
    *(from_project && !l->trust ? &l->c->project_pinning : &l->c->pinning) = now;
    return true;
}

static bool apply_mcp(struct config_loading *l, struct json root, const struct config_mcp_table *t,
                      bool from_project, struct err *e)
{
    apply_exposed(l, root, t, from_project);
    /* what one file calls private no other makes public */
    guard_rules_add(l->mem, &l->c->private_tools, &t->private_tools);
    apply_mode(l, root, t->guard.mode, from_project);
    if (!apply_pinning(l, root, t->pinning, from_project, e))
        return false;
    if (!json_here(json_get(json_get(root, STR("mcp")), STR("import"))))
        return true;
    for (size_t i = 0; i < t->import.n; i++)
        if (!foreign_check(json_get(json_get(root, STR("mcp")), STR("import")), t->import.v[i], e))
            return false;
    l->import = t->import;
    l->import_by_project = from_project;
    return true;
}

static bool read_array(const struct server_reader *r, struct json array, struct server_list *out,
                       struct err *e)
{
    JSON_EACH(entry, array)
    {
        struct server_spec s;

        if (!server_read(r, entry, (struct json){ 0 }, &s, e) ||
            !server_list_add(r->mem, out, &s, e))
            return false;
    }
    return true;
}

bool config_servers(const struct server_reader *r, struct json file, struct server_list *out,
                    struct err *e)
{
    return read_array(r, json_get(json_get(file, STR("mcp")), STR("servers")), out, e) &&
           read_array(r, json_get(file, STR("mcp_servers")), out, e);
}

static bool config_apply(struct config_loading *l, struct json root, bool from_project,
                         struct server_list *list, struct err *e)
{
    struct config *c = l->c;
    struct file_tables t = { .serve.listen = c->listen,
                             .serve.hosts = c->hosts,
                             .mcp.expose_tools = c->expose_tools,
                             .acp.name = c->acp_name,
                             .acp.version = c->acp_version,
                             .guard.audit = !c->no_audit };
    const struct server_reader r = { l->mem,    l->root->path, &c->limits,
                                     &c->notes, SHAPE_NATIVE,  from_project };

    if (!pick(l->mem, root, PICK_TABLE(file_fields), PICK_STRICT, &t, e) ||
        !apply_log(root, &t.log, c, e) || !apply_store(l, root, &t.store, from_project, e) ||
        !apply_tasks(l, t.tasks, from_project, e) || !apply_web(l, root, &t.web, from_project, e) ||
        !apply_sandbox(l, t.sandbox, from_project, e) || !apply_a2a(l, t.a2a, from_project, e) ||
        !apply_rules(l, json_get(root, STR("guard")), &t.guard, from_project, e))
        return false;
    if (!apply_limits(l, t.limits, from_project, e))
        return false;
    apply_serve(l, root, &t.serve, from_project);
    c->acp_name = t.acp.name;
    c->acp_version = t.acp.version;
    *(list == &l->user ? &c->user_agents : &c->agents) = t.agents;
    if (!keep_users(l, from_project, json_get(root, STR("guard")), "audit",
                    !t.guard.audit && !c->no_audit))
        c->no_audit = !t.guard.audit && !(from_project && !c->no_audit);
    return apply_guard(l, json_get(root, STR("guard")), &t.guard, from_project, &c->guard, e) &&
           guard_user_trust_apply(json_get(root, STR("guard")), &t.guard, from_project,
                                  &c->untrusted_users, e) &&
           apply_guard(l, json_get(root, STR("mcp")), &t.mcp.guard, from_project, &c->mcp, e) &&
           keys_read(&r, !from_project || l->trust, json_get(root, STR("serve")), &c->keys, e) &&
           apply_mcp(l, root, &t.mcp, from_project, e) &&
           models_read(&r, !from_project || l->trust, t.providers, t.models, &c->models, e) &&
           config_servers(&r, root, list, e);
}

/* A missing file is fine unless the user named it. */
static bool load_file(struct config_loading *l, const char *path, bool must, bool from_project,
                      struct server_list *list, struct err *e)
{
    struct config *c = l->c;
    struct str text;
    struct json root;

    if (!file_read(l->mem, path, (size_t)c->limits.config_bytes, &text, e))
        return !must && e->code == ERR_NOT_FOUND;
    if (!toml_read(l->mem, text, path, CONFIG_DEPTH, &root, e) ||
        !config_apply(l, root, from_project, list, e))
        return false;
    c->files[c->file_count++] = path;
    return true;
}

static bool load_files(struct config_loading *l, const char *chosen, struct err *e)
{
    const char *user = root_user_config(l->mem);

    if (chosen)
        return load_file(l, chosen, true, false, &l->own, e);
    return (!user || load_file(l, user, false, false, &l->user, e)) &&
           load_file(l, arena_printf(l->mem, "%s/trefoil.toml", l->root->path).p, false, true,
                     &l->own, e);
}

/* ---- laying together -------------------------------------------------------------------- */

/* One kind of files: how loud we are about what is amiss in them. */
struct layer {
    const struct server_list *list;
    enum log_level hidden;    /* one of a name above hides it */
    enum log_level all_tools; /* no allowed_tools; other programs have no such list */
};

static void note_all_tools(struct config_loading *l, const struct server_spec *s,
                           enum log_level level)
{
    if (s->enabled && !s->allowed.set)
        note(l->mem, &l->c->notes, level,
             "%s: server %s has no allowed_tools: all its tools are available", s->origin, s->name);
}

/* Add the servers of a layer that no higher layer overrides. */
static bool lay_under(struct config_loading *l, const struct layer *layer, struct err *e)
{
    struct server_list *all = &l->c->servers;

    for (size_t i = 0; i < layer->list->n; i++) {
        const struct server_spec *s = &layer->list->v[i], *over = server_list_find(all, s->name);

        if (over) {
            note(l->mem, &l->c->notes, layer->hidden, "the server %s in %s is overridden by %s",
                 s->name, s->origin, over->origin);
            continue;
        }
        if (!server_list_add(l->mem, all, s, e))
            return false;
        note_all_tools(l, s, layer->all_tools);
    }
    return true;
}

static bool lay_servers(struct config_loading *l, struct err *e)
{
    const struct server_reader base = {
        .mem = l->mem, .root = l->root->path, .limits = &l->c->limits, .notes = &l->c->notes
    };
    struct server_list project = { 0 }, user = { 0 };
    const struct layer layers[] = { { &l->own, LOG_DEBUG, LOG_WARN },
                                    { &l->user, LOG_DEBUG, LOG_WARN },
                                    { &project, LOG_WARN, LOG_INFO },
                                    { &user, LOG_WARN, LOG_INFO } };

    if (!foreign_read(&base, &l->import, l->import_by_project, &project, &user, e))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(layers); i++)
        if (!lay_under(l, &layers[i], e))
            return false;
    return true;
}

/* A server of the project that would compare less strictly than the user wants. */
static void note_pinning(struct arena *mem, struct config *c)
{
    for (size_t i = 0; i < c->servers.n; i++) {
        const struct server_spec *s = &c->servers.v[i];

        if (s->pinning != PINNING_UNSET &&
            s->pinning < server_pinning(s, config_pinning(c, PINNING_WARN)))
            note(mem, &c->notes, LOG_WARN,
                 "%s: pinning of server %s is ignored: a project cannot make it looser", s->origin,
                 s->name);
    }
}

/* Add the rules of the project that the user accepted, or all for this run. */
static void accept_rules(struct config_loading *l)
{
    struct config *c = l->c;
    struct json hashes = trust_rules(l->mem, l->root->path, &c->notes);
    struct pick_strs accepted = { .v = ARENA_ARRAY(l->mem, struct str, c->project_rules.n) };

    for (size_t i = 0; i < c->project_rules.n; i++)
        if (l->trust || trust_lists_rule(l->mem, hashes, c->project_rules.v[i]))
            accepted.v[accepted.n++] = c->project_rules.v[i];
    guard_rules_add(l->mem, &c->guard.rules, &accepted);
    if (accepted.n < c->project_rules.n)
        note(l->mem, &c->notes, LOG_WARN,
             "%zu of the project's rules in [guard] allow have no effect, because you have not "
             "accepted them; `trefoil trust` shows and accepts them",
             c->project_rules.n - accepted.n);
}

/* One sentence naming all that wait. */
static void note_untrusted(struct arena *mem, struct config *c)
{
    struct str names = STR("");

    for (size_t i = 0; i < c->servers.n; i++)
        if (c->servers.v[i].enabled && !c->servers.v[i].trusted)
            names = arena_printf(mem, STR_FMT "%s%s", STR_ARG(names), names.n ? ", " : "",
                                 c->servers.v[i].name);
    if (names.n)
        note(mem, &c->notes, LOG_WARN,
             "these servers are not trusted and not started: " STR_FMT
             "; `trefoil trust` shows and accepts them",
             STR_ARG(names));
}

bool config_load(struct arena *mem, const struct root *root, const char *chosen, bool trust,
                 struct config *c, struct err *e)
{
    struct config fresh;
    struct config_loading l = { .mem = mem, .root = root, .c = &fresh, .trust = trust };

    config_preset(&fresh);
    if (!load_files(&l, chosen, e) || !models_read_end(&fresh.models, e) || !lay_servers(&l, e))
        return false;
    trust_mark(mem, root->path, trust, &fresh.servers, &fresh.notes);
    fresh.trusted_agents = trust_agents(mem, root->path, NULL);
    accept_rules(&l);
    note_untrusted(mem, &fresh);
    note_pinning(mem, &fresh);
    decide_a2a(&fresh);
    fresh.chosen = chosen;
    fresh.trust = trust;
    *c = fresh;
    return true;
}
