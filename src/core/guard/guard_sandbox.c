#include "core/guard/guard_sandbox.h"

#include "base/auto.h"
#include "core/guard/guard_check_parts.h"
#include "core/guard/guard_read_only.h"
#include "core/sandbox_policy.h"
#include "core/tool/path_args.h"

#include <stdio.h>

/* ---- the facts ----------------------------------------------------------------------------- */

static void find_support(const struct sandbox_policy *p, struct guard_sandbox *s)
{
    struct err e = { 0 };

    s->enforced = sandbox_policy_enforces(p, s->kind, &e);
    s->best_effort = p->best_effort;
    snprintf(s->missing, sizeof(s->missing), "%.230s", e.text);
}

static bool deletes_outside(const struct host *host, struct json args)
{
    AUTO_ARENA mem = { 0 };
    struct pick_strs paths;

    return !path_args(&mem, host, args, &paths);
}

struct guard_sandbox guard_sandbox_of(const struct host *host, const struct guard_scope *scope,
                                      const struct tool *tool, struct json args)
{
    static const struct sandbox_policy none = { .standard = SANDBOX_OFF };
    const struct sandbox_policy *p = host->sandbox ? host->sandbox : &none;
    struct tool_sandbox wish = { .what = TOOL_SANDBOX_DEFAULT };
    struct guard_sandbox s = { .standard = p->standard };

    if (tool->sandbox)
        wish = tool->sandbox(host, args);
    if (tool->kind == TOOL_DELETE && !tool->alias)
        s.deletes_outside = deletes_outside(host, args);
    else if (!tool->sandbox || wish.what == TOOL_SANDBOX_NOTHING)
        return s;
    s.runs = tool->sandbox != NULL;
    if (guard_is_read_only(scope))
        s.standard = SANDBOX_READ_ONLY;
    s.kind = wish.what == TOOL_SANDBOX_CHOSEN ? wish.kind : s.standard;
    s.elsewhere = wish.elsewhere;
    find_support(p, &s);
    return s;
}

struct call_sandbox guard_sandbox_for_call(const struct guard_sandbox *s)
{
    return (struct call_sandbox){ .kind = s->kind, .best_effort = !s->enforced };
}

/* ---- the check ----------------------------------------------------------------------------- */

/* Profiles that confine a call to the root folder, and to as much network as the user gives. */
static bool is_inside(const struct guard_sandbox *s)
{
    return s->kind != SANDBOX_OFF && (sandbox_freedom(s->kind) <= 1 || s->kind == s->standard);
}

/* Commands that trefoil does not start itself: those of other agents, for which we only answer. */
static bool runs_unconfined(const struct tool *t)
{
    return t->kind == TOOL_EXECUTE && !t->sandbox && !t->read_only && !t->polls;
}

bool guard_may_leave_sandbox(const struct tool *t)
{
    return !t->alias && (t->sandbox || t->kind == TOOL_DELETE || runs_unconfined(t) ||
                         (t->kind == TOOL_FETCH && t->open_world));
}

bool guard_leaves_sandbox(const struct guard_facts *f)
{
    const struct guard_sandbox *s = &f->sandbox;
    const struct tool *t = f->tool;

    if (t->alias)
        return false;
    if (s->runs || t->kind == TOOL_DELETE)
        return s->elsewhere || s->deletes_outside || !is_inside(s) || !s->enforced;
    return runs_unconfined(t) || (t->kind == TOOL_FETCH && t->open_world);
}

static const char *inside_text(const struct guard_facts *f)
{
    static const char *const texts[SANDBOX_KINDS] = {
        [SANDBOX_READ_ONLY] = "it runs in sandbox profile read-only: writes .vault/, no network",
        [SANDBOX_WORKSPACE] = "it runs in sandbox profile workspace: writes the root folder, no "
                              "network",
        [SANDBOX_NETWORK] = "it runs in sandbox profile network: writes the root folder, connects "
                            "to some TCP ports",
        [SANDBOX_OFF] = "it runs without a sandbox",
    };

    if (f->tool->alias)
        return "its MCP server runs in its own sandbox";
    if (f->tool->kind == TOOL_DELETE)
        return "it deletes inside the root folder";
    return f->sandbox.runs ? texts[f->sandbox.kind] : "it runs no programs";
}

#define WAIVE "; [guard.permission] %s = \"auto\" in the user's config.toml allows it"

static void say_leaving(const struct guard_facts *f, struct guard_check_finding *to)
{
    const struct guard_sandbox *s = &f->sandbox;
    const char *kind = guard_kind_names[f->tool->kind];

    if (f->tool->kind == TOOL_FETCH)
        guard_say(to, GUARD_ASK, "it reaches the network" WAIVE, kind);
    else if (s->deletes_outside)
        guard_say(to, GUARD_ASK, "it deletes outside the root folder" WAIVE, kind);
    else if (!s->runs && f->tool->kind != TOOL_DELETE)
        guard_say(to, GUARD_ASK, "trefoil's sandbox does not confine it" WAIVE, kind);
    else if (s->elsewhere)
        guard_say(to, GUARD_ASK, "it runs in a terminal of the editor, not in a sandbox" WAIVE,
                  kind);
    else if (s->kind == SANDBOX_OFF && s->standard == SANDBOX_OFF)
        guard_say(to, GUARD_ASK, "[sandbox] default is off, so no sandbox confines it" WAIVE, kind);
    else if (!is_inside(s))
        guard_say(to, GUARD_ASK, "it asks for sandbox profile %s instead of %s" WAIVE,
                  sandbox_kind_name(s->kind), sandbox_kind_name(s->standard), kind);
    else
        guard_say(to, GUARD_ASK, "%s", s->missing);
}

void guard_check_sandbox_of(const struct guard_facts *f, bool waived,
                            struct guard_check_finding *to)
{
    const struct guard_sandbox *s = &f->sandbox;

    guard_pass(to, inside_text(f));
    if (!guard_leaves_sandbox(f))
        return;
    if (waived)
        guard_pass(to, "it acts outside the sandbox, and the user's configuration allows that");
    else if (!s->enforced && s->best_effort && s->runs && is_inside(s) && !s->elsewhere)
        guard_say(to, GUARD_ALLOW, "best-effort sandbox: %s", s->missing);
    else
        say_leaving(f, to);
}
