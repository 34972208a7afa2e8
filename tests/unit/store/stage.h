/*
 * stage.h - an agent at work on a stage: a model that speaks its lines, tools that do as they are
 * told, a client that notes what it hears, a real store behind.
 */
#ifndef TESTS_UNIT_STORE_STAGE_H
#define TESTS_UNIT_STORE_STAGE_H

#include "core/agent/local.h"
#include "core/guard/guard.h"
#include "core/session/turn.h"
#include "proto/mcp/client/mcp_sampling.h"
#include "store_world.h"

/* What the model says when it is asked once. */
struct line {
    const char *text, *thought;
    struct {
        const char *id, *name, *args;
    } call[3];
    enum model_stop stop;
    struct model_usage usage;
    enum err_code fails; /* instead; after the text, if there is one */
    bool hangs;          /* until it is cancelled */
};

enum { LINES = 16, HEARD = 1 << 16 };

struct stage {
    struct world world;
    struct provider provider, other;
    struct line line[LINES];
    size_t lines, asked;
    char last[HEARD]; /* the last message it was sent, as text */
    size_t messages, tools;
    char system[256];
    struct str asked_model;

    struct guard guard;
    struct offer offer;
    struct offer_source source;
    struct agent_def def;
    struct local_agent local;
    struct session_world sworld;
    struct session session;
    struct session_opening opening;
    struct turn turn;
    bool opened, done, closed;
    struct err err;

    struct work_client client;
    char heard[HEARD];
    bool able; /* to be asked */
    struct ask *ask;

    int runs;           /* of the tool count */
    struct call *stuck; /* of the tool wait */
};

static struct stage *the_stage;

/* ---- the model ------------------------------------------------------------------------------- */

static void note_blocks(char *out, size_t size, const struct message *m)
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < m->blocks && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%.*s", i ? "|" : "", (int)m->block[i].text.n,
                              m->block[i].text.p ? m->block[i].text.p : "");
}

static void fill_answer(struct model_turn *t, const struct line *l)
{
    struct block *b = ARENA_ARRAY(t->mem, struct block, 5);
    size_t n = 0;

    if (l->thought)
        b[n++] = (struct block){ .kind = BLOCK_THOUGHT, .text = str_of(l->thought) };
    if (l->text)
        b[n++] = (struct block){ .kind = BLOCK_TEXT, .text = str_of(l->text) };
    for (size_t i = 0; i < 3 && l->call[i].name && !l->fails; i++)
        b[n++] = (struct block){ .kind = BLOCK_CALL,
                                 .id = str_of(l->call[i].id),
                                 .name = str_of(l->call[i].name),
                                 .args = str_of(l->call[i].args) };
    t->answer = (struct message){ ROLE_ASSISTANT, b, n };
    t->stop = l->stop;
    t->usage = l->usage;
    t->model = t->request->model;
}

static void stage_cancel(struct op *op)
{
    if (the_stage->line[the_stage->asked - 1].hangs)
        op_fail(op, &(struct err){ ERR_CANCELED, "canceled" });
}

static const struct op_kind stage_op = { .name = "model", .cancel = stage_cancel };

static void speak(struct model_turn *t, const struct line *l)
{
    const struct model_events *ev = t->events;

    if (l->thought && ev && ev->on_thought)
        ev->on_thought(t, str_of(l->thought));
    if (l->text && ev && ev->on_text)
        ev->on_text(t, str_of(l->text));
    for (size_t i = 0; i < 3 && l->call[i].name && ev && ev->on_call; i++)
        ev->on_call(t, str_of(l->call[i].id), str_of(l->call[i].name));
}

static void stage_start(struct provider *p, struct model_turn *t)
{
    struct stage *s = the_stage;
    const struct line *l = &s->line[s->asked++];
    struct err e;

    (void)p;
    s->messages = t->request->messages;
    s->tools = t->request->tools;
    s->asked_model = t->request->model;
    str_to_c(str_head(t->request->system, sizeof(s->system) - 1), s->system, sizeof(s->system));
    note_blocks(s->last, sizeof(s->last), &t->request->message[s->messages - 1]);
    if (s->asked > s->lines)
        TAP_NOT("the model was asked %zu times", s->asked);
    fill_answer(t, l);
    speak(t, l);
    if (l->hangs)
        return;
    if (l->fails) {
        fail(&e, l->fails, "the model failed");
        op_fail(&t->op, &e);
    } else {
        op_ok(&t->op);
    }
}

static const struct provider_kind stage_kind = { "stage", &stage_op, stage_start };

/* ---- the tools ------------------------------------------------------------------------------- */

static void run_say(struct call *call)
{
    struct str text = json_str(call->mem, json_get(call->args, STR("text")));

    if (!text.p) {
        call_failed(call, "text: expected a string");
        return;
    }
    call_text(call, text);
    call_done(call);
}

static void run_count(struct call *call)
{
    the_stage->runs++;
    call_text(call, STR("counted"));
    call_done(call);
}

static void run_wait(struct call *call)
{
    the_stage->stuck = call;
}

static void run_plan(struct call *call)
{
    buf_put(&call->structured, STR("{\"entries\":[{\"content\":\"one\",\"priority\":\"low\","
                                   "\"status\":\"pending\"}]}"));
    call_text(call, STR("planned"));
    call_done(call);
}

static const struct tool say_tool = { .name = "say",
                                      .title = "Say",
                                      .description = "says",
                                      .input_schema = "{\"type\":\"object\"}",
                                      .kind = TOOL_READ,
                                      .start = run_say };
static const struct tool count_tool = { .name = "count",
                                        .input_schema = "{\"type\":\"object\"}",
                                        .kind = TOOL_EXECUTE,
                                        .start = run_count };
static const struct tool wait_tool = {
    .name = "wait", .input_schema = "{\"type\":\"object\"}", .kind = TOOL_READ, .start = run_wait
};
static const struct tool plan_tool = { .name = "plan",
                                       .input_schema = "{\"type\":\"object\"}",
                                       .kind = TOOL_THINK,
                                       .tells = TOOL_TELLS_PLAN,
                                       .start = run_plan };
static const struct tool far_tool = { .name = "mcp_far_say",
                                      .alias = "far:say",
                                      .input_schema = "{\"type\":\"object\"}",
                                      .kind = TOOL_FETCH,
                                      .read_only = true,
                                      .start = run_say };
static void on_sampled(struct op *op, const struct err *e, void *ctx)
{
    struct ask *ask = CONTAINER_OF(op, struct ask, op);
    struct call *call = ctx;

    if (e)
        call_failed(call, "%s", e->text);
    else
        call_text(call, json_raw(ask->answer));
    call_done(call);
}

/* A server that asks for our model. */
static void run_sample(struct call *call)
{
    call_ask(call, ARENA_NEW(call->mem, struct ask), ASK_SAMPLE, STR("sample"),
             STR("{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\","
                 "\"text\":\"think\"}}],\"maxTokens\":9}"),
             on_sampled, call);
}

static const struct tool sample_tool = { .name = "mcp_far_sample",
                                         .alias = "far:sample",
                                         .input_schema = "{\"type\":\"object\"}",
                                         .kind = TOOL_FETCH,
                                         .read_only = true,
                                         .start = run_sample };
static const struct tool manual_tool = { .name = "mcp_far_reset",
                                         .alias = "far:reset",
                                         .input_schema = "{\"type\":\"object\"}",
                                         .kind = TOOL_FETCH,
                                         .manual = true,
                                         .start = run_count };
static const struct tool *const stage_tools[] = { &sample_tool, &say_tool, &count_tool, &wait_tool,
                                                  &plan_tool,   &far_tool, &manual_tool };

/* ---- the client ------------------------------------------------------------------------------ */

/* One line for each event, without ids that differ from run to run. */
static void on_event(struct work_client *c, const struct event *ev)
{
    struct stage *s = CONTAINER_OF(c, struct stage, client);
    size_t n = strlen(s->heard);
    char *to = s->heard + n;
    size_t room = sizeof(s->heard) - n;

    switch (ev->kind) {
    case EVENT_TEXT: snprintf(to, room, "text " STR_FMT "\n", STR_ARG(ev->text)); break;
    case EVENT_THOUGHT: snprintf(to, room, "thought " STR_FMT "\n", STR_ARG(ev->text)); break;
    case EVENT_TOOL:
        snprintf(to, room, "tool " STR_FMT " %d " STR_FMT "\n", STR_ARG(ev->tool.id),
                 ev->tool.status, STR_ARG(ev->tool.text));
        break;
    case EVENT_PLAN: snprintf(to, room, "plan " STR_FMT "\n", STR_ARG(ev->plan)); break;
    case EVENT_NOTICE:
        snprintf(to, room, "notice %d " STR_FMT "\n", ev->notice.kind, STR_ARG(ev->notice.text));
        break;
    case EVENT_ASK: snprintf(to, room, "ask %s\n", ev->ask.open ? "open" : "closed"); break;
    case EVENT_END:
        snprintf(to, room, "end %s " STR_FMT "\n", turn_stop_names[ev->end.stop],
                 STR_ARG(ev->end.text));
        break;
    case EVENT_SESSION:
        snprintf(to, room, "session " STR_FMT "\n", STR_ARG(ev->session.title));
        break;
    case EVENT_PROMPT: snprintf(to, room, "prompt " STR_FMT "\n", STR_ARG(ev->block->text)); break;
    case EVENT_USAGE:
        snprintf(to, room, "usage %lld %lld %.4f\n", (long long)ev->usage.turn.input,
                 (long long)ev->usage.turn.output, ev->usage.cost_usd);
        break;
    case EVENT_ARTIFACT:
    case EVENT_KINDS: break;
    }
}

static bool on_can(const struct work_client *c, enum ask_kind kind)
{
    return CONTAINER_OF(c, const struct stage, client)->able && kind == ASK_PERMISSION;
}

static void on_ask(struct work_client *c, struct ask *ask)
{
    CONTAINER_OF(c, struct stage, client)->ask = ask;
}

static const struct work_client_kind stage_client = { on_event, on_can, on_ask, NULL };

/* ---- the stage ------------------------------------------------------------------------------- */

static void keep_agent(struct agent *a)
{
    a->refs = 1; /* it is the stage's */
}

static void stage_init(struct stage *s)
{
    *s = (struct stage){ .client = { &stage_client } };
    the_stage = s;
    world_init(&s->world);
    s->provider = s->other = (struct provider){ &stage_kind, "stage", s->world.loop, NULL };
    guard_init(&s->guard, &s->world.limits);
    s->guard.own.permission[TOOL_EXECUTE] = PERMISSION_AUTO; /* by default it would ask */
    offer_init(&s->offer,
               &(struct host){ .loop = s->world.loop,
                               .limits = &s->world.limits,
                               .root_fd = -1,
                               .root = s->world.place.path,
                               .guard = &s->guard },
               1u << OFFER_TOOLS);
    s->source = (struct offer_source){ .tool = stage_tools, .tools = ARRAY_LEN(stage_tools) };
    offer_join(&s->offer, &s->source);
    s->def = (struct agent_def){ .name = "actor" };
    s->local = (struct local_agent){
        .agent = { .kind = &local_agent_kind,
                   .own = &s->local,
                   .caps = LOCAL_AGENT_CAPS,
                   .def = &s->def,
                   .model = STR("m1"),
                   .scope = { .name = "the agent actor", .parent = &s->guard.own },
                   .offer = &s->offer,
                   .refs = 1,
                   .release = keep_agent },
        .model = { .provider = &s->provider, .name = STR("m1"), .price = { -1, -1, -1, -1 } },
        .system = STR("Act."),
    };
}

/* The store is opened, as a program that starts would. */
static void stage_up(struct stage *s)
{
    OK(world_open(&s->world));
    s->sworld = (struct session_world){
        .loop = s->world.loop,
        .limits = &s->world.limits,
        .store = store_port(s->world.store),
        .durability = STORE_PROCESS,
        .sampling = &mcp_sampling_codec,
    };
}

static void on_opened(struct op *op, const struct err *e, void *ctx)
{
    struct stage *s = ctx;

    (void)op;
    s->err = e ? *e : (struct err){ 0 };
    s->opened = true;
}

static inline bool stage_open(struct stage *s, const char *id)
{
    s->opened = false;
    session_open(&s->session, &s->opening, &s->sworld,
                 &(struct session_opts){ .id = str_of(id),
                                         .agent = &s->local.agent,
                                         .origin = ORIGIN_TERMINAL,
                                         .principal = STR("user:1") },
                 NULL, on_opened, s);
    OK(until(s->world.loop, until_true, &s->opened));
    return !s->err.code;
}

static void on_stage_closed(void *ctx)
{
    ((struct stage *)ctx)->closed = true;
}

static inline void stage_close(struct stage *s)
{
    s->closed = false;
    session_close(&s->session, on_stage_closed, s);
    OK(until(s->world.loop, until_true, &s->closed));
}

static void stage_fini(struct stage *s)
{
    offer_fini(&s->offer);
    guard_fini(&s->guard);
    world_fini(&s->world);
}

#define AUTO_STAGE __attribute__((cleanup(stage_fini))) struct stage

static inline void add_line(struct stage *s, struct line l)
{
    s->line[s->lines++] = l;
}

static void on_turn(struct op *op, const struct err *e, void *ctx)
{
    struct stage *s = ctx;

    (void)op;
    s->err = e ? *e : (struct err){ 0 };
    s->done = true;
}

static inline void stage_prompt(struct stage *s, const char *text)
{
    struct block b = { .kind = BLOCK_TEXT, .text = str_of(text) };

    s->done = false;
    s->heard[0] = '\0';
    turn_start(&s->turn, &s->session, &s->client, &(struct turn_prompt){ .block = &b, .blocks = 1 },
               NULL, on_turn, s);
}

static inline void stage_wait(struct stage *s)
{
    OK(until(s->world.loop, until_true, &s->done));
}

/* Ask, and wait for the end. */
static inline void stage_ask(struct stage *s, const char *text)
{
    stage_prompt(s, text);
    stage_wait(s);
}

#endif
