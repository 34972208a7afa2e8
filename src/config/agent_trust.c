#include "config/agent_trust.h"

#include "config/trust.h"
#include "core/guard/tool_pattern.h"
#include "tool/tools.h"

enum { BELOW_USERS = 100 }; /* more than there are levels */

/* ---- what it would loosen ------------------------------------------------------------------ */

static void add_claim(struct arena *mem, const char **all, const char *entry)
{
    *all = *all ? arena_printf(mem, "%s, %s", *all, entry).p : entry;
}

/* Is it about a tool whose calls may leave the sandbox? */
static bool pattern_waives(struct str pattern)
{
    if (str_find_byte(pattern, '(') < 0)
        return false;
    for (size_t i = 0; i < builtin_tool_count; i++) {
        const struct tool *t = builtin_tools[i];
        const struct pattern_call call = { .tool = str_of(t->name) };

        if (guard_may_leave_sandbox(t) && tool_pattern_names(pattern, &call))
            return true;
    }
    return false;
}

static void claim_patterns(struct arena *mem, const struct agent_def *def, const char **all)
{
    for (size_t i = 0; i < def->allowed.n; i++)
        if (pattern_waives(def->allowed.v[i]))
            add_claim(mem, all,
                      arena_printf(mem, "allowed_tools " STR_FMT, STR_ARG(def->allowed.v[i])).p);
}

/* A name in either form; private_tools of [mcp] bind every agent anyway. */
static void claim_exposed(struct arena *mem, const struct config *c, const struct agent_def *def,
                          const char **all)
{
    const struct pick_strs none = { 0 };

    for (size_t i = 0; i < def->expose.n; i++)
        if (!tool_exposed_by_kernel(
                &c->expose_tools, &none,
                (struct tool_called){ .name = def->expose.v[i], .alias = def->expose.v[i] }))
            add_claim(mem, all,
                      arena_printf(mem, "expose_tools " STR_FMT, STR_ARG(def->expose.v[i])).p);
}

/* A command of the project runs as soon as the agent is used, and may get the user's variables. */
static void claim_program(struct arena *mem, const struct agent_def *def, const char **all)
{
    if (def->command.n)
        add_claim(mem, all, arena_printf(mem, "command " STR_FMT, STR_ARG(def->command.v[0])).p);
    for (size_t i = 0; i < def->envs; i++)
        add_claim(mem, all, arena_printf(mem, "env %s", def->env[i].name).p);
    for (size_t i = 0; i < def->pass_env.n; i++)
        add_claim(mem, all, arena_printf(mem, "pass_env " STR_FMT, STR_ARG(def->pass_env.v[i])).p);
}

/* Prompts leave this machine, together with secrets that the definition names. */
static void claim_remote(struct arena *mem, const struct agent_def *def, const char **all)
{
    if (def->remote)
        add_claim(mem, all,
                  arena_printf(mem, "sends prompts to " STR_FMT, STR_ARG(def->remote->url)).p);
}

static const struct agent_entry *users_of(const struct agent_list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (!list->v[i].from_project && str_eq(str_of(list->v[i].def.name), str_of(name)))
            return &list->v[i];
    return NULL;
}

static const char *loosens(struct arena *mem, const struct config *c, const struct agent_entry *a,
                           const struct agent_entry *users)
{
    const char *all = NULL;

    if (str_eq(a->def.approval_mode, STR("yolo")))
        add_claim(mem, &all, "approval_mode yolo");
    claim_patterns(mem, &a->def, &all);
    claim_exposed(mem, c, &a->def, &all);
    claim_program(mem, &a->def, &all);
    claim_remote(mem, &a->def, &all);
    if (users)
        add_claim(mem, &all, arena_printf(mem, "replaces the agent of %s", users->def.origin).p);
    return all;
}

/* ---- trust --------------------------------------------------------------------------------- */

static bool is_accepted(struct arena *mem, const struct config *c, const struct agent_entry *a,
                        struct notes *notes)
{
    struct str hash;
    struct err e;

    if (c->trust)
        return true;
    if (!json_here(c->trusted_agents))
        return false;
    if (trust_hash_agent(mem, &a->def, &hash, &e))
        return trust_lists(c->trusted_agents, hash);
    note(mem, notes, LOG_WARN, "%s; the agent %s is not trusted", e.text, a->def.name);
    return false;
}

static void mark(struct arena *mem, const struct config *c, struct agent_list *list,
                 struct agent_entry *a, struct notes *notes)
{
    const struct agent_entry *users = users_of(list, a->def.name);

    a->loosens = a->bad ? NULL : loosens(mem, c, a, users);
    a->def.trusted = !a->bad && (c->trust || (a->loosens && is_accepted(mem, c, a, notes)));
    if (users && !a->def.trusted)
        a->level += BELOW_USERS;
    if (!a->loosens)
        return;
    list->claim[list->claims++] = *a;
    if (!a->def.trusted)
        note(mem, notes, LOG_WARN,
             "%s: the agent %s is not trusted, so this has no effect: %s; `trefoil trust` shows "
             "and accepts it",
             a->def.origin, a->def.name, a->loosens);
}

void agents_mark_trusted(struct arena *mem, const struct config *config, struct agent_list *list,
                         struct notes *notes)
{
    list->claim = ARENA_ARRAY(mem, struct agent_entry, list->n);
    for (size_t i = 0; i < list->n; i++) {
        if (list->v[i].from_project)
            mark(mem, config, list, &list->v[i], notes);
        else
            list->v[i].def.trusted = true;
    }
}
