/*
 * local_caller.c - the local agent as the caller of its tools. Progress of the tools becomes
 * events. Their questions go to the client of the turn, except two: the agent answers questions
 * about roots itself, and its model answers sampling requests.
 */
#include "core/agent/local_parts.h"

#include "base/container.h"
#include "core/guard/taint_label.h"
#include "core/session/sampling.h"

static struct local_call *of_caller(struct caller *c)
{
    return CONTAINER_OF(c, struct local_call, caller);
}

static struct work_client *client_of(const struct caller *c)
{
    return CONTAINER_OF(c, const struct local_call, caller)->w->turn->client;
}

static bool can_sample(const struct local_turn *w)
{
    return w->session->world->sampling && sampling_can(w->model);
}

static bool local_caller_can(const struct caller *c, enum ask_kind kind)
{
    struct work_client *client = client_of(c);

    if (kind == ASK_ROOTS)
        return true;
    if (kind == ASK_SAMPLE)
        return can_sample(CONTAINER_OF(c, const struct local_call, caller)->w);
    return client->kind->can(client, kind);
}

/* Answer with the folders that the tools of the session may use. */
static void answer_roots(struct local_call *tc, struct ask *ask)
{
    const struct host *h = &tc->w->session->host;
    struct json_opts opts = limits_json(h->limits);
    struct buf out;
    struct jw w = jw_to(&out);
    struct json answer;
    struct err e;

    buf_init_in(&out, &tc->mem, 1 << 16);
    jw_object(&w);
    jw_plain_key(&w, STR("roots"));
    jw_array(&w);
    for (size_t i = 0; i <= h->includes; i++) {
        jw_object(&w);
        jw_kstr(&w, "uri",
                arena_printf(&tc->mem, "file://%s", i ? h->include[i - 1].path : h->root));
        jw_object_end(&w);
    }
    jw_array_end(&w);
    jw_object_end(&w);
    if (json_read(&tc->mem, buf_str(&out), &opts, &answer, &e))
        ask_answer(ask, answer);
    else
        ask_refuse(ask, &e);
}

static void on_spent(void *ctx, const struct model_turn *t)
{
    local_spend(ctx, t);
}

/* The MCP server that asks controls the request: mark it as untrusted. */
static void answer_sample(struct local_call *tc, struct ask *ask)
{
    tc->caller.taint = taint_join(&tc->mem, tc->caller.taint, ask->call->from);
    sampling_start(ask, &(struct sampling_opts){ .codec = tc->w->session->world->sampling,
                                                 .model = tc->w->model,
                                                 .caller = &tc->caller,
                                                 .host = &tc->w->session->host,
                                                 .spent = on_spent,
                                                 .ctx = tc->w });
}

static void tell_ask(struct local_call *tc, const struct ask *ask, bool open)
{
    struct event ev = { .kind = EVENT_ASK };

    ev.ask = (struct event_ask){
        .id = tc->block->id, .key = ask->key, .kind = ask->kind, .params = ask->params, .open = open
    };
    turn_tell(tc->w->turn, &ev);
}

static void local_caller_ask(struct caller *c, struct ask *ask)
{
    struct work_client *client = client_of(c);

    if (ask->kind == ASK_ROOTS) {
        answer_roots(of_caller(c), ask);
        return;
    }
    if (ask->kind == ASK_SAMPLE) {
        answer_sample(of_caller(c), ask);
        return;
    }
    turn_wall_stop(of_caller(c)->w->turn);
    tell_ask(of_caller(c), ask, true);
    client->kind->ask(client, ask);
}

static void local_caller_asked(struct caller *c, struct ask *ask)
{
    struct local_call *tc = of_caller(c);

    if (ask->kind == ASK_ROOTS || ask->kind == ASK_SAMPLE || !local_caller_can(c, ask->kind))
        return;
    turn_wall_go_on(tc->w->turn);
    if (!tc->w->prompt->op.settled)
        tell_ask(tc, ask, false);
}

static void local_caller_let_in(struct caller *c)
{
    local_call_runs(of_caller(c));
}

static void local_caller_progress(struct caller *c, const struct progress *p)
{
    struct local_call *tc = of_caller(c);
    struct event ev = { .kind = EVENT_TOOL, .tool = tc->event };

    ev.tool.text = p->message;
    ev.tool.done = p->done;
    ev.tool.total = p->total;
    turn_tell(tc->w->turn, &ev);
}

/* Log messages of tools are dropped: they are of no use to the clients of an agent. */
static void local_caller_log(struct caller *c, enum call_level level, struct str logger,
                             struct str data)
{
    (void)c;
    (void)level;
    (void)logger;
    (void)data;
}

static void local_caller_below(struct caller *c, struct str session, const struct event *ev)
{
    struct local_call *tc = of_caller(c);
    struct work_client *client = client_of(c);

    if (!tc->event.session.p)
        tc->event.session = arena_str(&tc->mem, session);
    if (client->kind->below)
        client->kind->below(client, session, ev);
}

static struct str local_caller_call_id(const struct caller *c)
{
    return CONTAINER_OF(c, const struct local_call, caller)->block->id;
}

static const struct caller_kind local_caller = {
    .call_id = local_caller_call_id,
    .can = local_caller_can,
    .ask = local_caller_ask,
    .asked = local_caller_asked,
    .let_in = local_caller_let_in,
    .progress = local_caller_progress,
    .log = local_caller_log,
    .below = local_caller_below,
};

void local_caller_init(struct local_call *tc)
{
    tc->caller.kind = &local_caller;
    turn_fill_caller(tc->w->turn, &tc->caller);
}
