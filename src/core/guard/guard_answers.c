/*
 * guard_answers.c - answers that hold longer than one call: for a session (guard_grants.h) or for
 * the project (answer_store.h).
 *
 * Only callers that are the user of this machine give and use answers for the project; HTTP clients
 * over TCP get the session at most. An answer that allows does not cover untrusted data or files
 * that control trefoil: these calls are asked about each time.
 */
#include "core/guard/guard_parts.h"

#include "base/auto.h"
#include "base/log.h"
#include "core/guard/answer_store.h"
#include "core/guard/guard_grants.h"
#include "core/tool/args_summary.h"
#include "core/tool/exposure.h"

#include <stdio.h>

static bool may_use_project(const struct guard *g, const struct caller *caller)
{
    return g->answers && origin_is_user(caller->origin);
}

struct permission_offer guard_offer_of(const struct call *call)
{
    return (struct permission_offer){
        .session = call->caller->grants != NULL,
        .project = !call->pass.cut && may_use_project(call->host->guard, call->caller),
    };
}

/* ---- looking up ----------------------------------------------------------------------------- */

static enum guard_says find_in_project(struct guard *g, const struct host *host,
                                       const struct caller *caller, const struct tool *tool,
                                       struct json args, char id[ANSWER_ID])
{
    AUTO_ARENA mem = { 0 };
    struct answer_key key = answer_key_of(&mem, host, caller, tool, args);
    struct err e;

    return answer_key_id(&mem, &key, id, &e) ? g->answers->find(g->answers, id) : GUARD_ASK;
}

static bool answer_covers(const struct guard_verdict *v, enum guard_says answer)
{
    return answer == GUARD_DENY ||
           (v->row[GUARD_TAINT].says == GUARD_ALLOW && v->row[GUARD_PROTECTED].says == GUARD_ALLOW);
}

enum guard_says guard_remembered(struct guard *g, const struct host *host,
                                 const struct caller *caller, const struct tool *tool,
                                 struct json args, struct guard_verdict *v)
{
    char id[ANSWER_ID] = "session";
    enum guard_says answer = GUARD_ASK;

    if (caller->grants)
        answer = guard_granted(caller->grants, str_of(tool->name));
    if (answer == GUARD_ASK && may_use_project(g, caller))
        answer = find_in_project(g, host, caller, tool, args, id);
    if (answer == GUARD_ASK || !answer_covers(v, answer))
        return GUARD_ASK;
    v->answered = answer;
    snprintf(v->answer, sizeof(v->answer), "%s", id);
    return answer;
}

/* ---- keeping -------------------------------------------------------------------------------- */

static bool keep_in_project(const struct call *call, bool allows, struct err *e)
{
    struct guard *g = call->host->guard;
    const struct caller *c = call->caller;
    struct answer_key key = answer_key_of(call->mem, call->host, c, call->tool, call->args);
    struct answer_entry entry = {
        .allows = allows,
        .wall_ms = loop_wall(call->host->loop),
        .principal = c->principal,
        .agent = key.agent,
        .tool = key.tool,
    };
    bool cut;

    entry.args = args_brief(call->mem, call->args, &cut);
    return answer_key_id(call->mem, &key, entry.id, e) && g->answers->keep(g->answers, &entry, e);
}

void guard_remember(struct call *call, enum permission_option option)
{
    const struct permission_row *row = &permission_options[option];
    struct err e;

    if (row->scope == PERMISSION_SESSION && call->caller->grants)
        guard_grant(call->caller->grants, str_of(call->what), row->allows);
    else if (row->scope == PERMISSION_PROJECT && !keep_in_project(call, row->allows, &e))
        LOG(LOG_WARN, "guard", "cannot store an answer for the project", LOG_Z("tool", call->what),
            LOG_Z("why", e.text));
}
