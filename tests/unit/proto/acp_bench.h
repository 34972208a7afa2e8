/*
 * acp_bench.h - an ACP session whose agent is the test: what we send to the agent is kept, and the
 * test writes the lines of the agent. No process is started, and time is simulated.
 */
#ifndef TESTS_UNIT_PROTO_ACP_BENCH_H
#define TESTS_UNIT_PROTO_ACP_BENCH_H

#include "base/container.h"
#include "base/mem.h"
#include "proto/acp/client/acp_client_parts.h"
#include "proto/acp/client/acp_client_preset.h"

#include <stdio.h>

struct acp_bench {
    struct loop *loop;
    struct limits limits;
    struct rpc rpc;
    struct offer offer;
    struct session_world world;
    struct acp_world acp;
    struct acp_program program;
    struct agent_def def;
    struct agent agent;
    struct session session;
    struct session_opening opening;
    struct turn turn;
    struct link link;
    struct work_client client;
    struct acp_link *conn;
    struct arena mem;
    struct buf sent;   /* lines that the agent got */
    struct buf events; /* lines of the events that the client got */
    struct json yes;   /* the answer to every question; missing: the client cannot be asked */
    bool opened, over, closed;
};

static inline void bench_settle(struct acp_bench *b)
{
    while (loop_run_once(b->loop))
        ;
}

/* ---- the agent ------------------------------------------------------------------------------- */

static inline void bench_hear(struct link *link, const struct str *piece, size_t n)
{
    struct acp_bench *b = CONTAINER_OF(link, struct acp_bench, link);

    for (size_t i = 0; i < n; i++)
        buf_put(&b->sent, piece[i]);
    buf_putc(&b->sent, '\n');
}

static inline void bench_close_link(struct link *link)
{
    (void)link;
}

static const struct link_kind bench_link = { .name = "bench",
                                             .send = bench_hear,
                                             .close = bench_close_link };

/* A line of the agent. */
static inline void bench_say(struct acp_bench *b, struct str line)
{
    struct acp_driven *s = b->session.conversation.data;

    if (s && s->conn)
        peer_receive(&s->conn->peer, &b->link,
                     &(struct frame){ .kind = FRAME_MESSAGE, .text = line });
    bench_settle(b);
}

/* A process that is READY and has opened the session "s1". */
static inline void bench_connect(struct acp_bench *b)
{
    struct acp_driven *s = MEM_NEW(struct acp_driven);
    struct acp_link *c = MEM_NEW(struct acp_link);

    s->conversation = &b->session.conversation;
    s->session = &b->session;
    s->agent = agent_hold(&b->agent);
    s->program = &b->program;
    s->conn = c;
    s->open = true;
    snprintf(s->id, sizeof(s->id), "s1");
    c->session = s;
    c->state = ACP_CONN_READY;
    c->can.image = c->can.embedded = true;
    peer_init(&c->peer, &b->rpc, &acp_peer_kind, &b->link, c);
    c->peer.version = ACP_VERSION;
    b->session.conversation.data = s;
    b->session.conversation.kind = &acp_agent_kind;
    b->conn = c;
    acp_conn_watch(c);
}

/* ---- the client ------------------------------------------------------------------------------ */

static inline void bench_event(struct work_client *client, const struct event *ev)
{
    struct acp_bench *b = CONTAINER_OF(client, struct acp_bench, client);
    struct jw w = jw_to(&b->events);

    event_write(&w, ev);
    buf_putc(&b->events, '\n');
}

static inline bool bench_can(const struct work_client *client, enum ask_kind kind)
{
    (void)kind;
    return json_here(CONTAINER_OF(client, const struct acp_bench, client)->yes);
}

static inline void bench_ask(struct work_client *client, struct ask *ask)
{
    ask_answer(ask, CONTAINER_OF(client, struct acp_bench, client)->yes);
}

static const struct work_client_kind bench_client = { .event = bench_event,
                                                      .can = bench_can,
                                                      .ask = bench_ask };

/* ---- files: there are none ------------------------------------------------------------------- */

static inline bool bench_place(struct call *call, struct str path, bool writes, struct place *out)
{
    (void)path;
    (void)writes;
    (void)out;
    call_failed(call, "there are no files");
    return false;
}

static const struct acp_tools bench_tools = { .place = bench_place };

/* ---- life ------------------------------------------------------------------------------------ */

static inline void bench_set(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    *(bool *)ctx = true;
}

static inline void bench_on_closed(void *ctx)
{
    *(bool *)ctx = true;
}

static inline void bench_keep(struct agent *a)
{
    (void)a;
}

static inline void bench_open(struct acp_bench *b)
{
    const struct json_opts opts = { .max_depth = 8, .max_values = 64 };
    struct session_opts session = { .agent = &b->agent, .origin = ORIGIN_TERMINAL };
    struct err e;

    *b = (struct acp_bench){ .loop = loop_new(LOOP_FAKE_CLOCK), .link = { .kind = &bench_link } };
    limits_preset(&b->limits);
    rpc_init(&b->rpc, b->loop, &b->limits);
    buf_init(&b->sent, 64 << 20);
    buf_init(&b->events, 64 << 20);
    json_read(&b->mem, STR("{\"action\":\"accept\"}"), &opts, &b->yes, &e);
    offer_init(&b->offer, &(struct host){ .loop = b->loop, .limits = &b->limits, .root = "/r" },
               1u << OFFER_TOOLS);
    b->world = (struct session_world){ .loop = b->loop, .limits = &b->limits };
    b->acp = (struct acp_world){ .rpc = &b->rpc, .tools = &bench_tools, .name = "t" };
    b->def = (struct agent_def){ .name = "fake", .title = "fake" };
    b->program =
        (struct acp_program){ .world = &b->acp, .def = &b->def, .preset = &acp_preset_other };
    b->agent = (struct agent){ .kind = &acp_agent_kind,
                               .own = &b->program,
                               .def = &b->def,
                               .caps = ACP_AGENT_CAPS,
                               .offer = &b->offer,
                               .refs = 1,
                               .release = bench_keep };
    b->client.kind = &bench_client;
    session_open(&b->session, &b->opening, &b->world, &session, NULL, bench_set, &b->opened);
    bench_settle(b);
    bench_connect(b);
}

static inline void bench_prompt(struct acp_bench *b, const struct block *block)
{
    b->over = false;
    turn_start(&b->turn, &b->session, &b->client,
               &(struct turn_prompt){ .block = block, .blocks = 1 }, NULL, bench_set, &b->over);
    bench_settle(b);
}

/* Cancel what runs, and close the session. */
static inline void bench_fini(struct acp_bench *b)
{
    if (!b->over) {
        op_cancel(&b->turn.op);
        bench_settle(b);
        loop_advance(b->loop, b->limits.acp_cancel_ms + 1);
        bench_settle(b);
    }
    session_close(&b->session, bench_on_closed, &b->closed);
    bench_settle(b);
    offer_fini(&b->offer);
    rpc_fini(&b->rpc);
    buf_fini(&b->sent);
    buf_fini(&b->events);
    arena_fini(&b->mem);
    loop_free(b->loop);
}

#endif
