/*
 * guard.c - the decision about one call, from tool_run to its end.
 *
 *   NEW ──> JUDGING ──> RUNNING ──> SETTLED
 *            │ │  ▲                  ▲ ▲ ▲
 *            │ │  └─────── ASKED ────┼─┘ │
 *            │ │           ▲ │       │   │
 *            │ ├─> SHOWING ┘ │       │   │
 *            │ │       │     ▼       │   │
 *            └─┴───────┼──> REFUSED ─┘   │
 *                      └─────────────────┘
 *
 *   NEW       the guard has not seen the call; a call without a tool stays in this state
 *   JUDGING   the facts are collected and judged; ends within the same turn of the loop
 *   SHOWING   tool->preview finds out what the call would change, for the question
 *   ASKED     the question is open. An approval leads back to JUDGING: the tool is looked up again,
 *             its definition must not have changed, and the call is judged again (guard_ask.c)
 *   RUNNING   allowed: the tool works, or waits for its turn to write
 *   REFUSED   denied, rejected by a person, or no person can be asked
 *   SETTLED   the call has ended; also directly from SHOWING and ASKED when it is cancelled
 */
#include "core/guard/guard_parts.h"

#include "base/hash.h"
#include "base/log.h"
#include "core/guard/guard_read_only.h"
#include "core/guard/guard_taint.h"
#include "core/guard/path_rules.h"
#include "core/guard/protected_path.h"
#include "core/guard/taint_label.h"
#include "core/lock/lock_for_call.h"
#include "core/tool/exposure.h"

#include <assert.h>
#include <stdio.h>

/* The cost of a call, counted against the rate of its caller. */
static const int costs[TOOL_KINDS] = {
    [TOOL_READ] = 1,   [TOOL_EDIT] = 2,    [TOOL_DELETE] = 2, [TOOL_MOVE] = 2,
    [TOOL_SEARCH] = 2, [TOOL_EXECUTE] = 5, [TOOL_FETCH] = 5,  [TOOL_THINK] = 1,
};

void guard_init(struct guard *g, const struct limits *limits)
{
    *g = (struct guard){
        .limits = limits,
        .own = { .name = "[guard]", .taint = GUARD_ASK, .secrets = GUARD_ASK },
        .secret = hash_secret(),
    };
    for (size_t i = 0; i < ORIGINS; i++)
        g->face[i] = (struct guard_scope){ .name = origin_rows[i].scope,
                                           .parent = &g->own,
                                           .actor = origin_rows[i].is_client };
    g->tasks = (struct guard_scope){ .name = "tasks", .parent = &g->own };
    rate_table_init(&g->rates, (size_t)limits->rate_clients);
}

void guard_fini(struct guard *g)
{
    rate_table_fini(&g->rates);
}

const struct guard_scope *guard_face(const struct guard *g, enum origin origin)
{
    return &g->face[origin];
}

const struct guard_scope *guard_first_scope(const struct guard *g, enum origin origin)
{
    return origin_is_terminal(origin) ? guard_face(g, origin) : &g->own;
}

/* ---- the state ----------------------------------------------------------------------------- */

static const char *const state_names[GUARD_STATES] = {
    [GUARD_NEW] = "new",         [GUARD_JUDGING] = "judging", [GUARD_SHOWING] = "showing",
    [GUARD_ASKED] = "asked",     [GUARD_RUNNING] = "running", [GUARD_REFUSED] = "refused",
    [GUARD_SETTLED] = "settled",
};

#define TO(state) (1u << (state))

static const unsigned next_states[GUARD_STATES] = {
    [GUARD_NEW] = TO(GUARD_JUDGING),
    [GUARD_JUDGING] = TO(GUARD_SHOWING) | TO(GUARD_ASKED) | TO(GUARD_RUNNING) | TO(GUARD_REFUSED),
    [GUARD_SHOWING] = TO(GUARD_ASKED) | TO(GUARD_SETTLED),
    [GUARD_ASKED] = TO(GUARD_JUDGING) | TO(GUARD_REFUSED) | TO(GUARD_SETTLED),
    [GUARD_RUNNING] = TO(GUARD_SETTLED),
    [GUARD_REFUSED] = TO(GUARD_SETTLED),
};

void guard_set_state(struct call *call, enum guard_state to)
{
    enum guard_state from = call->pass.state;

    assert(next_states[from] & TO(to));
    LOG(LOG_TRACE, "guard", "decision", LOG_Z("tool", call->what), LOG_Z("from", state_names[from]),
        LOG_Z("to", state_names[to]));
    call->pass.state = to;
}

/* ---- the facts ----------------------------------------------------------------------------- */

static int64_t rate_of(const struct guard *g, bool remote)
{
    return remote ? g->limits->rate_per_min : g->limits->rate_local_per_min;
}

int64_t guard_pace(struct guard *g, struct str principal, bool remote, int64_t cost, int64_t now_ms)
{
    return rate_table_spend(&g->rates, principal, rate_of(g, remote), cost, now_ms, false);
}

static uint64_t digest(const struct guard *g, struct str text)
{
    return hash_str_long(g->secret, text);
}

uint64_t guard_call_digest(const struct guard *g, const struct tool *tool, struct json args)
{
    uint64_t name = digest(g, str_of(tool->name));

    return json_here(args) ? (name * 31) ^ digest(g, json_raw(args)) : name;
}

static struct guard_facts gather(struct guard *g, const struct host *host,
                                 const struct caller *caller, const struct tool *tool,
                                 struct json args, uint64_t call, enum guard_paying paying)
{
    const struct guard_scope *scope =
        caller->scope ? caller->scope : guard_first_scope(g, caller->origin);
    struct guard_facts f = {
        .caller = caller->name,
        .origin = caller->origin,
        .principal = caller->principal,
        .depth = caller->trace.depth,
        .tool = tool,
        .args = args,
        .scope = scope,
        .root = host->root,
        .cwd = host->cwd,
        .limits = g->limits,
        .taint = caller->taint,
    };

    if (paying != GUARD_HAS_PAID)
        f.wait_ms =
            rate_table_spend(&g->rates, caller->principal, rate_of(g, caller->remote),
                             costs[tool->kind], loop_now(host->loop), paying == GUARD_ONLY_LOOKS);
    f.protects = guard_protected(host, tool, args);
    f.sandbox = guard_sandbox_of(host, scope, tool, args);
    f.secret = guard_secret_in(g->own_secrets, tool, args);
    if (f.taint.n)
        f.writes_outside = guard_writes_outside(host, tool, args);
    if (guard_is_read_only(scope))
        f.in_vault = guard_in_vault(host, args);
    if (caller->history)
        f.repeats = guard_history_look(caller->history, call);
    return f;
}

void guard_look(struct guard *g, const struct host *host, const struct caller *caller,
                const struct tool *tool, struct json args, struct guard_verdict *out)
{
    struct guard_facts f =
        gather(g, host, caller, tool, args, guard_call_digest(g, tool, args), GUARD_ONLY_LOOKS);

    guard_judge(&f, out);
    if (out->says == GUARD_ASK)
        out->says = guard_remembered(g, host, caller, tool, args, out);
}

void guard_judge_call(struct call *call, const struct tool *tool, enum guard_paying paying,
                      struct guard_verdict *out)
{
    struct guard_facts f = gather(call->host->guard, call->host, call->caller, tool, call->args,
                                  call->pass.digest, paying);

    guard_judge(&f, out);
    call->vault_only = guard_is_read_only(f.scope);
    call->removes = tool_kind_removes(tool->kind);
    call->may_define = f.protects == GUARD_ASK;
    call->sandbox = guard_sandbox_for_call(&f.sandbox);
    call->path_rules = path_rules_of(call->mem, f.scope, tool);
    call->pass.says = (uint8_t)out->says;
    call->pass.row = (uint8_t)out->by;
}

/* ---- letting in ---------------------------------------------------------------------------- */

/* The model reads a warning together with the result. */
static void keep_warning(struct call *call, const struct guard_verdict *v)
{
    for (size_t i = 0; i < GUARD_ROWS; i++)
        if (v->row[i].warns)
            call->warning = arena_printf(call->mem, "%s", v->row[i].why);
}

void guard_let_in(struct call *call, const struct tool *tool, const struct guard_verdict *v)
{
    struct guard_history *h = call->caller->history;

    guard_set_state(call, GUARD_RUNNING);
    keep_warning(call, v);
    if (h)
        call->pass.turn = guard_history_add(h, call->pass.digest);
    write_turn_begin(call, tool);
}

void guard_refuse(struct call *call, const char *fmt, const char *why)
{
    struct err e;

    guard_set_state(call, GUARD_REFUSED);
    call->pass.says = GUARD_DENY;
    fail(&e, ERR_DENIED, fmt, call->what, why);
    call_broke(call, &e);
}

void guard_deny(struct call *call, const struct guard_verdict *v)
{
    char why[1024];

    guard_reasons(v, why, sizeof(why));
    guard_refuse(call, "%s was denied: %.320s", why);
}

/* The verdict is to ask: a remembered answer decides, or a person. */
static void guard_ask_or_remember(struct call *call, const struct tool *tool,
                                  struct guard_verdict *v)
{
    struct guard *g = call->host->guard;

    switch (guard_remembered(g, call->host, call->caller, tool, call->args, v)) {
    case GUARD_ALLOW: guard_let_in(call, tool, v); break;
    case GUARD_ASK: guard_ask(call, tool, v); break;
    case GUARD_DENY:
        guard_refuse(
            call, "%s was rejected earlier, and that answer is remembered (%s)",
            str_eq(str_of(v->answer), STR("session"))
                ? "for this session"
                : arena_printf(call->mem, "`trefoil trust forget %s` revokes it", v->answer).p);
        break;
    }
}

void guard_start(struct call *call)
{
    struct guard *g = call->host->guard;
    const struct tool *tool = call->tool;
    struct guard_verdict v;

    call->pass = (struct guard_pass){ .begun = loop_now(call->host->loop) };
    guard_set_state(call, GUARD_JUDGING);
    if (call->caller->history || g->audit)
        call->pass.digest = guard_call_digest(g, tool, call->args);
    if (tool->alias) {
        call->untrusted = true;
        call->from = taint_source(call->mem, str_of(tool->alias));
    }
    guard_judge_call(call, tool, GUARD_PAYS, &v);
    if (v.says == GUARD_DENY)
        guard_deny(call, &v);
    else if (v.says == GUARD_ASK)
        guard_ask_or_remember(call, tool, &v);
    else
        guard_let_in(call, tool, &v);
}

/* ---- afterwards ---------------------------------------------------------------------------- */

static uint64_t outcome_digest(const struct guard *g, const struct call *call, enum err_code code)
{
    if (call->raw_result.p)
        return digest(g, call->raw_result);
    if (call->raw_error.p)
        return digest(g, call->raw_error);
    return digest(g, buf_str(&call->content)) + (uint64_t)code;
}

static void audit(struct guard *g, struct call *call, enum err_code code)
{
    const struct guard_pass *p = &call->pass;
    const struct caller *c = call->caller;
    bool failed = call->is_error || call->raw_error.p;

    g->audit->record(g->audit, &(struct audit_entry){
                                   .caller = c->name,
                                   .principal = c->principal,
                                   .trace = c->trace.id,
                                   .work = c->work,
                                   .depth = c->trace.depth,
                                   .tool = call->what,
                                   .args = p->digest,
                                   .verdict = guard_says_names[p->says],
                                   .by = p->row < GUARD_ROWS ? guard_row_names[p->row] : NULL,
                                   .outcome = code     ? err_code_name(code)
                                              : failed ? "error"
                                                       : "ok",
                                   .took_ms = loop_now(call->host->loop) - p->begun,
                                   .from = guard_marks(call).from,
                               });
}

void guard_settled(struct call *call, enum err_code code)
{
    struct guard *g = call->host->guard;

    if (call->untrusted && !call->from.p)
        call->from = taint_source(call->mem, str_of(call->what));
    if (call->untrusted && call->caller->history)
        guard_suspect(call);
    if (call->pass.state == GUARD_RUNNING && call->caller->history)
        guard_history_outcome(call->caller->history, call->pass.turn,
                              outcome_digest(g, call, code));
    guard_set_state(call, GUARD_SETTLED);
    if (g->audit)
        audit(g, call, code);
}

/* ---- marks --------------------------------------------------------------------------------- */

struct guard_marks guard_marks(const struct call *call)
{
    return (struct guard_marks){
        .trust = call->untrusted ? "untrusted" : "trusted",
        .type = "data",
        .from = call->untrusted ? call->from : STR_NONE,
    };
}
