/*
 * turns_hold.c - what a turn holds while its model speaks: so many sessions in one process, each
 * with a prompt in the store and an answer that has begun. The model is here, so no HTTP counts.
 *
 * usage: turns_hold FOLDER TURNS      prints bytes=N, of anonymous memory for each
 */
#include "core/agent/local.h"
#include "core/guard/guard.h"
#include "core/session/turn.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void hold(struct provider *p, struct model_turn *t)
{
    (void)p;
    t->events->on_text(t, STR("A first word"));
}

static const struct op_kind hold_op = { .name = "hold" };
static const struct provider_kind hold_kind = { "hold", &hold_op, hold };

struct held {
    struct session session;
    struct session_opening opening;
    struct turn turn;
    struct work_client client;
    struct block block;
};

static size_t speaking, wanted;
static struct loop *loop;

static void on_event(struct work_client *c, const struct event *ev)
{
    (void)c;
    if (ev->kind == EVENT_TEXT && ++speaking == wanted)
        loop_stop(loop);
}

static bool can(const struct work_client *c, enum ask_kind kind)
{
    (void)c;
    (void)kind;
    return false;
}

static const struct work_client_kind client_kind = { .event = on_event, .can = can };

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    (void)ctx;
}

static void on_opened(struct op *op, const struct err *e, void *ctx)
{
    struct held *h = ctx;

    (void)op;
    if (e) {
        fprintf(stderr, "%s\n", e->text);
        exit(1);
    }
    h->client.kind = &client_kind;
    h->block = (struct block){ .kind = BLOCK_TEXT, .text = STR("Do something.") };
    turn_start(&h->turn, &h->session, &h->client,
               &(struct turn_prompt){ .block = &h->block, .blocks = 1 }, NULL, on_done, h);
}

static long anon_kb(void)
{
    char line[128];
    long kb = 0;
    FILE *f = fopen("/proc/self/status", "re");

    while (f && fgets(line, sizeof(line), f))
        sscanf(line, "RssAnon: %ld", &kb);
    if (f)
        fclose(f);
    return kb;
}

int main(int argc, char **argv)
{
    struct limits limits;
    struct guard guard;
    struct offer offer;
    struct agent_def def = { .name = "bench" };
    struct provider provider = { .kind = &hold_kind, .name = "hold" };
    struct local_agent agent = {
        .agent = { .kind = &local_agent_kind,
                   .own = &agent,
                   .def = &def,
                   .offer = &offer,
                   .refs = 1 },
    };
    struct session_world world = { .limits = &limits };
    struct store *store;
    struct held *held;
    char path[4096];
    struct err e;
    long before;

    if (argc != 3)
        return 2;
    wanted = strtoul(argv[2], NULL, 10);
    limits_preset(&limits);
    world.loop = provider.loop = loop = loop_new(LOOP_REAL_CLOCK);
    guard_init(&guard, &limits);
    offer_init(&offer,
               &(struct host){ .loop = loop, .limits = &limits, .root_fd = -1, .root = argv[1] },
               1);
    agent.agent.scope.parent = &guard.own;
    agent.model = (struct agent_model){ .provider = &provider, .name = STR("hold") };
    snprintf(path, sizeof(path), "%s/hold-%d.db", argv[1], (int)getpid());
    if (!store_open(loop, &limits, path, &store, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    world.store = store_port(store);
    before = anon_kb();
    held = calloc(wanted, sizeof(*held));
    for (size_t i = 0; held && i < wanted; i++)
        session_open(&held[i].session, &held[i].opening, &world,
                     &(struct session_opts){ .agent = &agent.agent }, NULL, on_opened, &held[i]);
    loop_run(loop);
    printf("bytes=%ld\n", (anon_kb() - before) * 1024 / (long)wanted);
    fflush(stdout);
    _exit(0); /* everything is under way */
}
