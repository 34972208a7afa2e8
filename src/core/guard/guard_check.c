#include "core/guard/guard_check.h"

#include "base/utf8.h"
#include "core/guard/command_pattern.h"
#include "core/guard/guard_check_parts.h"
#include "core/guard/guard_read_only.h"
#include "core/guard/guard_taint.h"
#include "core/guard/protected_path.h"
#include "core/guard/tool_pattern.h"
#include "core/tool/exposure.h"

#include <stdarg.h>
#include <stdio.h>

const char *const guard_row_names[GUARD_ROWS] = {
    [GUARD_IDENTITY] = "identity",   [GUARD_DEPTH] = "depth",           [GUARD_RATE] = "rate",
    [GUARD_EXPOSURE] = "exposure",   [GUARD_CAPABILITY] = "capability", [GUARD_MODE] = "mode",
    [GUARD_PROTECTED] = "protected", [GUARD_PERMISSION] = "permission", [GUARD_SANDBOX] = "sandbox",
    [GUARD_LOOP] = "loop",           [GUARD_TAINT] = "taint",           [GUARD_SECRETS] = "secrets",
};

const char *const guard_kind_names[TOOL_KINDS] = {
    [TOOL_READ] = "read",   [TOOL_EDIT] = "edit",     [TOOL_DELETE] = "delete",
    [TOOL_MOVE] = "move",   [TOOL_SEARCH] = "search", [TOOL_EXECUTE] = "execute",
    [TOOL_FETCH] = "fetch", [TOOL_THINK] = "think",
};

const char *const guard_says_names[3] = { "allow", "ask", "deny" };
const char *const guard_permission_names[4] = { NULL, "auto", "ask", "deny" };

bool guard_permission_named(struct str word, enum guard_permission *out)
{
    for (size_t i = PERMISSION_AUTO; i < ARRAY_LEN(guard_permission_names); i++)
        if (str_eq(word, str_of(guard_permission_names[i]))) {
            *out = (enum guard_permission)i;
            return true;
        }
    return false;
}

void guard_pass(struct guard_check_finding *to, const char *why)
{
    *to->out = (struct guard_finding){ GUARD_ALLOW, false, why };
}

void guard_say(struct guard_check_finding *to, enum guard_says says, const char *fmt, ...)
{
    va_list ap;

    if (says < to->out->says)
        return;
    va_start(ap, fmt);
    vsnprintf(to->text, to->size, fmt, ap);
    va_end(ap);
    *to->out = (struct guard_finding){ says, says == GUARD_ALLOW, to->text };
}

const char *guard_scope_name(const struct guard_scope *s)
{
    return s->name ? s->name : "this caller";
}

struct str guard_scope_section(const struct guard_scope *s)
{
    struct str name = str_of(guard_scope_name(s));
    ptrdiff_t end = name.p[0] == '[' ? str_find_byte(name, ']') : -1;

    return end < 0 ? name : str_head(name, (size_t)end + 1);
}

/* ---- identity, depth, rate ----------------------------------------------------------------- */

static void check_identity(const struct guard_facts *f, struct guard_check_finding *to)
{
    guard_pass(to, f->origin == ORIGIN_KEY ? "the caller has an API key"
                                           : "the caller is on this machine");
    if (!f->caller || !f->caller[0])
        guard_say(to, GUARD_DENY, "the caller has no name");
    else if (f->origin == ORIGIN_NONE || !f->principal.n)
        guard_say(to, GUARD_DENY, "%.40s is not authenticated", f->caller);
}

static void check_depth(const struct guard_facts *f, struct guard_check_finding *to)
{
    guard_pass(to, "the chain of agents is short enough");
    if (trace_too_deep(f->depth, f->limits->trace_depth))
        guard_say(to, GUARD_DENY, "the chain of agent calls is longer than %lld",
                  (long long)f->limits->trace_depth);
}

static void check_rate(const struct guard_facts *f, struct guard_check_finding *to)
{
    guard_pass(to, "the caller is within its rate limit");
    if (f->wait_ms > 0)
        guard_say(to, GUARD_DENY, "%.40s has reached its rate limit; try again in %lld s",
                  f->caller ? f->caller : "the caller", (long long)((f->wait_ms + 999) / 1000));
}

/* ---- lists --------------------------------------------------------------------------------- */

static bool is_offered(const struct guard_scope *s, const struct tool *t)
{
    return !s->only_looks || t->alias || tool_kind_only_looks(t->kind);
}

bool guard_offers(const struct guard_scope *s, const struct tool *t)
{
    for (; s; s = s->inside ? NULL : s->parent)
        if (!is_offered(s, t))
            return false;
    return true;
}

static void check_exposure(const struct guard_facts *f, struct guard_check_finding *to)
{
    struct tool_called called = tool_called_of(f->tool);
    const struct pick_strs all = { 0 };
    bool inside = false;

    guard_pass(to, "the tool is offered to this caller");
    if (f->tool->withheld)
        guard_say(to, GUARD_DENY, "%s", f->tool->withheld);
    for (const struct guard_scope *s = f->scope; s; inside |= s->inside, s = s->parent) {
        bool offered = s->expose_listed && !inside
                           ? tool_exposed_by_agent(&s->expose, &s->hidden, called)
                           : tool_exposed_by_kernel(inside ? &all : &s->expose, &s->hidden, called);

        if (!offered)
            guard_say(to, GUARD_DENY, "%.64s is not offered by %.40s", f->tool->name,
                      guard_scope_name(s));
        else if (!inside && !is_offered(s, f->tool))
            guard_say(to, GUARD_DENY, "%.64s is not offered in read-only mode (%.40s)",
                      f->tool->name, guard_scope_name(s));
    }
}

/* The caller sees no other reason why the same command is allowed without env. */
static const char *env_hint(const struct guard_facts *f)
{
    return !f->tool->alias && f->tool->kind == TOOL_EXECUTE && command_has_env(f->args)
               ? "; command patterns do not match calls that set env"
               : "";
}

static struct pattern_call pattern_call_of(const struct guard_facts *f)
{
    return (struct pattern_call){
        .tool = str_of(f->tool->name),
        .alias = str_of(f->tool->alias),
        .other = str_of(f->tool->other_name),
        .args = f->args,
        .root = f->root,
        .cwd = f->cwd,
    };
}

bool guard_call_fits(const struct guard_facts *f, const struct pick_strs *patterns)
{
    const struct pattern_call call = pattern_call_of(f);

    return patterns->n && tool_patterns_fit(patterns, &call, PATTERN_ALLOWS);
}

static void check_capability(const struct guard_facts *f, struct guard_check_finding *to)
{
    const struct pattern_call call = pattern_call_of(f);

    guard_pass(to, "no list denies it");
    for (const struct guard_scope *s = f->scope; s; s = s->parent) {
        if (tool_patterns_fit(&s->disallowed, &call, PATTERN_DENIES))
            guard_say(to, GUARD_DENY, "%.64s is in the disallowed_tools of %.40s%s", f->tool->name,
                      guard_scope_name(s), env_hint(f));
        else if (s->allowed.set && !tool_patterns_fit(&s->allowed, &call, PATTERN_ALLOWS))
            guard_say(to, GUARD_DENY, "%.64s is not in the allowed_tools of %.40s%s", f->tool->name,
                      guard_scope_name(s), env_hint(f));
    }
}

/* ---- what steers trefoil ------------------------------------------------------------------- */

static void check_protected(const struct guard_facts *f, struct guard_check_finding *to)
{
    guard_pass(to, "it changes no file that controls trefoil or other programs");
    if (f->protects == GUARD_DENY)
        guard_say(to, GUARD_DENY, "tools cannot write to .trefoil/, except to agents and skills");
    else if (f->protects == GUARD_ASK)
        guard_say(to, GUARD_ASK,
                  "it would change a definition of an agent or a skill, or a file that controls "
                  "trefoil, git, an editor or a shell");
}

/* ---- permission ---------------------------------------------------------------------------- */

/* A whole tool in a list only restricts; the part in brackets selects the calls that may run. */
static bool allows_this_call(const struct guard_scope *s, const struct pattern_call *call)
{
    for (size_t i = 0; s->trusted && i < s->allowed.n; i++)
        if (str_find_byte(s->allowed.v[i], '(') >= 0 &&
            tool_pattern_fits(s->allowed.v[i], call, PATTERN_ALLOWS))
            return true;
    return false;
}

static bool waives(const struct guard_scope *s, const struct guard_facts *f)
{
    const struct pattern_call call = pattern_call_of(f);

    return s && (s->permission[f->tool->kind] == PERMISSION_AUTO || allows_this_call(s, &call));
}

/*
 * The user may skip the default questions for all, or for the agent or endpoint that the work
 * begins with. An agent that is called from there has no more rights, whatever its file says.
 */
static bool default_is_waived(const struct guard_facts *f)
{
    const struct guard_scope *first = NULL, *last = NULL;

    for (const struct guard_scope *s = f->scope; s; s = s->parent) {
        if (s->actor)
            first = s;
        last = s;
    }
    return waives(first, f) || waives(last, f);
}

/* Does a rule of the user ([guard] allow) match the call? */
static bool is_ruled(const struct guard_facts *f)
{
    for (const struct guard_scope *s = f->scope; s; s = s->parent)
        if (guard_call_fits(f, &s->rules))
            return true;
    return false;
}

static void check_permission(const struct guard_facts *f, struct guard_check_finding *to)
{
    const char *kind = guard_kind_names[f->tool->kind];

    guard_pass(to, "permission for this kind of tool is auto");
    for (const struct guard_scope *s = f->scope; s; s = s->parent) {
        enum guard_permission p = s->permission[f->tool->kind];

        if (p == PERMISSION_ASK || p == PERMISSION_DENY)
            guard_say(to, p == PERMISSION_ASK ? GUARD_ASK : GUARD_DENY,
                      "permission for tools of kind %s is %s in %.40s", kind,
                      guard_permission_names[p], guard_scope_name(s));
    }
    if (to->out->says == GUARD_ASK && is_ruled(f))
        guard_pass(to, "a rule of [guard] allow matches the call");
}

/* ---- leaving the sandbox ------------------------------------------------------------------- */

static void check_sandbox(const struct guard_facts *f, struct guard_check_finding *to)
{
    bool waived = guard_leaves_sandbox(f) && (default_is_waived(f) || is_ruled(f));

    guard_check_sandbox_of(f, waived, to);
}

/* ---- loops --------------------------------------------------------------------------------- */

static void check_loop(const struct guard_facts *f, struct guard_check_finding *to)
{
    const struct guard_repeats *r = &f->repeats;
    const struct limits *l = f->limits;
    int64_t by = f->tool->polls ? l->loop_poll_factor : 1;

    guard_pass(to, "it is not a repeated call");
    if (r->same_call >= l->loop_call_warn * by)
        guard_say(to, GUARD_ALLOW, "this is call %d of %.64s with the same arguments", r->same_call,
                  f->tool->name);
    if (r->same_outcome >= l->loop_outcome_warn * by)
        guard_say(to, GUARD_ALLOW, "%.64s with these arguments gave the same result %d times",
                  f->tool->name, r->same_outcome);
    if (r->same_call >= l->loop_call_block * by)
        guard_say(to, GUARD_DENY, "this would be call %d of %.64s with the same arguments",
                  r->same_call, f->tool->name);
    if (r->same_outcome >= l->loop_outcome_block * by)
        guard_say(to, GUARD_DENY, "%.64s with these arguments gave the same result %d times",
                  f->tool->name, r->same_outcome);
    if (r->ping_pong >= l->loop_ping_pong * by)
        guard_say(to, GUARD_DENY, "the same few calls alternate for the %dth time", r->ping_pong);
}

/* ---- scopes -------------------------------------------------------------------------------- */

/* The calls that approval_mode leaves to a person. Only a trusted definition can skip a default
 * question. */
static void approve(struct guard_scope *s, struct str word)
{
    bool edits = str_eq(word, STR("default")), all = edits || str_eq(word, STR("auto_edit"));

    for (size_t i = 0; s->trusted && str_eq(word, STR("yolo")) && i < TOOL_KINDS; i++)
        s->permission[i] = PERMISSION_AUTO;
    if (edits)
        s->permission[TOOL_EDIT] = s->permission[TOOL_MOVE] = PERMISSION_ASK;
    if (all)
        s->permission[TOOL_EXECUTE] = s->permission[TOOL_DELETE] = PERMISSION_ASK;
}

struct guard_scope guard_scope_of_agent(const struct agent_def *def,
                                        const struct guard_scope *parent)
{
    struct guard_scope s = {
        .name = def->name,
        .parent = parent,
        .mode = agent_def_mode(def),
        .actor = true,
        .trusted = def->trusted,
        .allowed = def->allowed,
        .disallowed = def->disallowed,
    };

    approve(&s, def->approval_mode);
    return s;
}

/* ---- the table ----------------------------------------------------------------------------- */

static void (*const checks[GUARD_ROWS])(const struct guard_facts *f,
                                        struct guard_check_finding *to) = {
    [GUARD_IDENTITY] = check_identity,
    [GUARD_DEPTH] = check_depth,
    [GUARD_RATE] = check_rate,
    [GUARD_EXPOSURE] = check_exposure,
    [GUARD_CAPABILITY] = check_capability,
    [GUARD_MODE] = guard_check_mode,
    [GUARD_PROTECTED] = check_protected,
    [GUARD_PERMISSION] = check_permission,
    [GUARD_SANDBOX] = check_sandbox,
    [GUARD_LOOP] = check_loop,
    [GUARD_TAINT] = guard_check_taint,
    [GUARD_SECRETS] = guard_check_secrets,
};

void guard_judge(const struct guard_facts *f, struct guard_verdict *out)
{
    out->says = GUARD_ALLOW;
    out->by = GUARD_ROWS;
    out->answered = GUARD_ASK;
    out->answer[0] = 0;
    out->sandbox = f->sandbox;
    for (size_t i = 0; i < GUARD_ROWS; i++) {
        struct guard_check_finding to = { &out->row[i], out->text[i], sizeof(out->text[i]) };

        checks[i](f, &to);
        if (out->row[i].says > out->says) {
            out->says = out->row[i].says;
            out->by = (enum guard_row)i;
        }
    }
}

struct str guard_reasons(const struct guard_verdict *v, char *out, size_t size)
{
    size_t n = 0;

    out[0] = 0;
    for (size_t i = 0; i < GUARD_ROWS && n + 1 < size; i++) {
        if (v->row[i].says != v->says)
            continue;
        n += (size_t)snprintf(out + n, size - n, "%s%s (%s)", n ? "; " : "", v->row[i].why,
                              guard_row_names[i]);
    }
    return utf8_head((struct str){ out, strlen(out) }, size - 1);
}
