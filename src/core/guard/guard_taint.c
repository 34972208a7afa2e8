#include "core/guard/guard_taint.h"

#include "base/auto.h"
#include "base/log.h"
#include "core/guard/guard_check_parts.h"
#include "core/guard/injection_score.h"
#include "core/guard/protected_path.h"
#include "core/guard/taint_label.h"
#include "core/sandbox_policy.h"
#include "core/tool/path_args.h"

bool guard_writes_outside(const struct host *host, const struct tool *tool, struct json args)
{
    AUTO_ARENA mem = { 0 };
    struct pick_strs paths;

    return !tool->alias && tool_kind_writes(tool->kind) && host->root &&
           !path_args(&mem, host, args, &paths);
}

/* ---- suspicion ------------------------------------------------------------------------------ */

static void add_warning(struct call *call, const char *names)
{
    const char *before = call->warning.n ? "; " : "";

    call->warning =
        arena_printf(call->mem, STR_FMT "%sthis data looks like an attempt to instruct you (%s)",
                     STR_ARG(call->warning), before, names);
}

void guard_suspect(struct call *call)
{
    const struct str parts[] = { call->raw_result, call->raw_error, buf_str(&call->content),
                                 buf_str(&call->structured) };
    size_t left = (size_t)call->host->limits->injection_bytes;
    struct injection found = { 0 };
    char names[INJECTION_NAMES];

    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        injection_scan(parts[i], true, left, &found);
        left -= str_head(parts[i], left).n;
    }
    if (found.score < INJECTION_SUSPICIOUS)
        return;
    injection_names(&found, names);
    call->from = taint_suspect(call->mem, call->from, str_of(names));
    add_warning(call, names);
    LOG(LOG_WARN, "guard", "suspicious data", LOG_Z("tool", call->what), LOG_Z("signals", names));
}

/* ---- sinks ---------------------------------------------------------------------------------- */

static bool reaches_network(const struct guard_facts *f)
{
    return f->tool->kind == TOOL_FETCH || (f->sandbox.runs && sandbox_freedom(f->sandbox.kind) > 1);
}

static bool writes_outside(const struct guard_facts *f)
{
    return f->writes_outside;
}

static bool messages_agent(const struct guard_facts *f)
{
    return f->tool->messages;
}

static bool feeds_other_server(const struct guard_facts *f)
{
    struct str server = str_of(f->tool->alias);

    return server.p && !taint_only_from(f->taint, str_cut(&server, ':'));
}

static bool acts_on_suspicion(const struct guard_facts *f)
{
    return taint_is_suspicious(f->taint) && !f->tool->read_only &&
           (f->tool->kind == TOOL_EXECUTE || f->tool->kind == TOOL_DELETE);
}

static const struct sink {
    bool (*is)(const struct guard_facts *f);
    const char *what;
} sinks[] = {
    { reaches_network, "it reaches the network" },
    { guard_leaves_sandbox, "it leaves the sandbox" },
    { writes_outside, "it writes outside the root folder" },
    { messages_agent, "it sends a message to another agent" },
    { feeds_other_server, "it sends arguments to another MCP server" },
    { acts_on_suspicion, "it has side effects" },
};

static const struct sink *find_sink(const struct guard_facts *f)
{
    for (size_t i = 0; i < ARRAY_LEN(sinks); i++)
        if (sinks[i].is(f))
            return &sinks[i];
    return NULL;
}

/* ---- the check ------------------------------------------------------------------------------ */

void guard_check_taint(const struct guard_facts *f, struct guard_check_finding *to)
{
    enum guard_says says = GUARD_ALLOW;
    const struct sink *sink;
    char from[TAINT_SHOWN];

    guard_pass(to, "the caller has read no untrusted data");
    if (!f->taint.n)
        return;
    guard_pass(to, "it sends no untrusted data away");
    sink = find_sink(f);
    if (!sink)
        return;
    for (const struct guard_scope *s = f->scope; s; s = s->parent)
        says = s->taint > says ? s->taint : says;
    if (says == GUARD_ALLOW && taint_is_suspicious(f->taint))
        says = GUARD_ASK;
    if (says == GUARD_ALLOW)
        guard_pass(to, "[guard] taint is auto");
    else
        guard_say(to, says, "%s, and data from %s is not trusted", sink->what,
                  taint_shown(f->taint, from));
}
