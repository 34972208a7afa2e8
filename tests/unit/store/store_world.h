/* store_world.h - a real store in a folder of its own, asked and waited for. */
#ifndef TESTS_UNIT_STORE_WORLD_H
#define TESTS_UNIT_STORE_WORLD_H

#include "../loop/until.h"
#include "place.h"
#include "store/store.h"

struct world {
    struct place place;
    struct limits limits;
    struct loop *loop;
    struct store *store;
    const char *path;
    enum store_durability durability;
    struct err e; /* of the last ask */
    bool closed;
};

static inline void world_on_closed(void *ctx)
{
    ((struct world *)ctx)->closed = true;
}

static inline bool world_open(struct world *w)
{
    w->closed = false;
    return store_open(w->loop, &w->limits, w->path, &w->store, &w->e);
}

static inline void world_close(struct world *w)
{
    store_close(w->store, world_on_closed, w);
    OK(until(w->loop, until_true, &w->closed));
    w->store = NULL;
}

/* Before it is opened: limits may be changed. */
static inline void world_init(struct world *w)
{
    *w = (struct world){ .place = place_new(), .durability = STORE_POWER };
    limits_preset(&w->limits);
    w->loop = loop_new(LOOP_REAL_CLOCK);
    w->path = place_file(&w->place, "t.db");
}

static inline void world_fini(struct world *w)
{
    if (w->store)
        world_close(w);
    loop_free(w->loop);
    place_fini(&w->place);
}

#define AUTO_WORLD __attribute__((cleanup(world_fini))) struct world

struct asked {
    struct store_ask ask;
    struct err e;
    bool done;
};

static inline void world_on_done(struct op *op, const struct err *e, void *ctx)
{
    struct asked *a = ctx;

    (void)op;
    a->e.code = ERR_NONE;
    if (e)
        a->e = *e;
    a->done = true;
}

static inline void world_start(struct world *w, struct asked *a, struct store_step *step, size_t n)
{
    a->ask.step = step;
    a->ask.steps = n;
    a->done = false;
    store_start(store_port(w->store), &a->ask, NULL, world_on_done, a);
}

/* Ask, and wait. What was answered lives as long as the place. */
static inline bool world_ask_all(struct world *w, struct store_step *step, size_t n)
{
    struct asked a = { .ask.durability = w->durability };

    world_start(w, &a, step, n);
    OK(until(w->loop, until_true, &a.done));
    w->e = a.e;
    if (a.ask.mem.chunk)
        arena_defer(
            &w->place.mem, (void (*)(void *))arena_fini,
            memcpy(arena_alloc(&w->place.mem, sizeof(a.ask.mem)), &a.ask.mem, sizeof(a.ask.mem)));
    return a.e.code == ERR_NONE;
}

static inline bool world_ask(struct world *w, struct store_step *step)
{
    return world_ask_all(w, step, 1);
}

/* ---- the usual steps ------------------------------------------------------------------------ */

/* A new session; its token. */
static inline int64_t world_session(struct world *w, const char *id)
{
    struct store_step s = { STORE_SESSION_CREATE,
                            .session = { .id = str_of(id), .agent = STR("coder") } };

    OK(world_ask(w, &s));
    return s.session.fence;
}

static inline struct store_step append_step(const char *id, int64_t fence,
                                            const struct store_event *v, size_t n)
{
    return (struct store_step){
        STORE_APPEND, .append = { .session = str_of(id), .fence = fence, .event = v, .events = n }
    };
}

/* One event; its number, or 0. */
static inline int64_t world_append(struct world *w, const char *id, int64_t fence, const char *body)
{
    struct store_event v = { .kind = STR("text"), .body = str_of(body) };
    struct store_step s = append_step(id, fence, &v, 1);

    return world_ask(w, &s) ? s.append.last_seq : 0;
}

static inline struct store_step load_step(const char *id)
{
    return (struct store_step){ STORE_SESSION_LOAD, .session = { .id = str_of(id) } };
}

#endif
