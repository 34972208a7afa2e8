/* local_begin.c - the entry points of the local agent: prompt, resume, compact. */
#include "core/agent/local_parts.h"

#include "base/mem.h"

static void local_release(struct agent_prompt *p)
{
    struct local_turn *w = p->work;

    local_tools_free(w);
    arena_fini(&w->ask_mem);
    mem_free(w);
}

static struct local_turn *local_turn_new(struct agent_prompt *p)
{
    struct local_turn *w = MEM_NEW(struct local_turn);

    *w = (struct local_turn){ .prompt = p, .turn = p->turn, .session = p->turn->session };
    w->agent = local_agent_of(turn_agent(p->turn));
    w->def = turn_agent(p->turn)->def;
    w->model = &w->agent->model;
    p->work = w;
    p->release = local_release;
    return w;
}

static void warn_budget(struct local_turn *w)
{
    if (w->def->budget_usd > 0 && (w->model->price.input < 0 || w->model->price.output < 0))
        turn_notice(w->turn, NOTICE_WARNING,
                    STR("the budget cannot be enforced: no price is configured for the model"));
}

static void local_prompt(struct agent_prompt *p)
{
    struct local_turn *w = local_turn_new(p);

    warn_budget(w);
    local_ask(w);
}

/* The answer was complete and stored when the process ended. */
static bool has_answered(struct history *h)
{
    size_t n;
    const struct message *m = history_messages(h, &n);

    return n && m[n - 1].role == ROLE_ASSISTANT;
}

static void local_resume(struct agent_prompt *p)
{
    struct local_turn *w = local_turn_new(p);
    struct session *s = w->session;
    const struct block **open;

    if (history_open_calls(s->history, &w->ask_mem, &open) && s->calls_started)
        local_tools_refuse(w, HISTORY_INTERRUPTED);
    else if (history_open_calls(s->history, &w->ask_mem, &open))
        local_tools(w);
    else if (has_answered(s->history))
        local_end(w, TURN_END, NULL);
    else
        local_ask(w);
}

static void local_compact(struct agent_prompt *p)
{
    struct local_turn *w = local_turn_new(p);

    w->only_shorten = true;
    local_shorten(w);
}

const struct agent_kind local_agent_kind = {
    .name = "local",
    .prompt = local_prompt,
    .resume = local_resume,
    .compact = local_compact,
};
