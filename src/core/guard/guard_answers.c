/*
 * guard_answers.c - answers that apply to more than one call: for a session (guard_grants.h) or for
 * the project (answer_store.h).
 *
 * Only callers that are users of this machine can give and use answers for the project. HTTP
 * clients over TCP can give answers for the session at most. Calls that involve untrusted data, or
 * files that control trefoil, are asked about each time, even if a remembered answer allows them.
 */
#include "core/guard/guard_parts.h"

#include "base/auto.h"
#include "base/log.h"
#include "core/guard/answer_store.h"
#include "core/guard/guard_grants.h"
#include "core/guard/secret_scan.h"
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

static bool answer_covers(const struct guard_verdict *v, enum guard_says answer)
{
    return answer == GUARD_DENY ||
           (v->row[GUARD_TAINT].says == GUARD_ALLOW && v->row[GUARD_PROTECTED].says == GUARD_ALLOW);
}

/* The answer with this id; *out_by: "session", or the id if it holds for the project. */
static enum guard_says find_answer(struct guard *g, const struct caller *caller, const char *id,
                                   const char **out_by)
{
    enum guard_says answer = caller->grants ? guard_granted(caller->grants, id) : GUARD_ASK;

    *out_by = answer == GUARD_ASK ? id : "session";
    if (answer == GUARD_ASK && may_use_project(g, caller))
        answer = g->answers->find(g->answers, id);
    return answer;
}

enum guard_says guard_remembered(struct guard *g, const struct host *host,
                                 const struct caller *caller, const struct tool *tool,
                                 struct json args, struct guard_verdict *v)
{
    AUTO_ARENA mem = { 0 };
    char id[ANSWER_ID];
    struct answer_key key;
    enum guard_says answer;
    const char *by;
    struct err e;

    if (!caller->grants && !may_use_project(g, caller))
        return GUARD_ASK;
    key = answer_key_of(&mem, host, caller, tool, args);
    if (!answer_key_id(&mem, &key, id, &e))
        return GUARD_ASK;
    answer = find_answer(g, caller, id, &by);
    if (answer == GUARD_ASK || !answer_covers(v, answer))
        return GUARD_ASK;
    v->answered = answer;
    snprintf(v->answer, sizeof(v->answer), "%s", by);
    return answer;
}

/* ---- keeping -------------------------------------------------------------------------------- */

static bool keep_answer(const struct call *call, const struct permission_row *row, struct err *e)
{
    struct guard *g = call->host->guard;
    const struct caller *c = call->caller;
    struct answer_key key = answer_key_of(call->mem, call->host, c, call->tool, call->args);
    struct answer_entry entry = {
        .allows = row->allows,
        .wall_ms = loop_wall(call->host->loop),
        .principal = c->principal,
        .agent = key.agent,
        .tool = key.tool,
    };
    bool cut;

    if (!answer_key_id(call->mem, &key, entry.id, e))
        return false;
    if (row->scope == PERMISSION_SESSION) {
        if (c->grants)
            guard_grant(c->grants, entry.id, row->allows);
        return true;
    }
    entry.args = secret_redact(call->mem, args_brief(call->mem, call->args, &cut));
    return g->answers->keep(g->answers, &entry, e);
}

void guard_remember(struct call *call, enum permission_option option)
{
    const struct permission_row *row = &permission_options[option];
    struct err e;

    if (row->scope != PERMISSION_ONCE && !keep_answer(call, row, &e))
        LOG(LOG_WARN, "guard", "cannot remember an answer", LOG_Z("tool", call->what),
            LOG_Z("why", e.text));
}
