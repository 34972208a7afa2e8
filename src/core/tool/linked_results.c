/* linked_results.c - keeps long results in memory until they expire. */
#include "core/tool/linked_results.h"

#include "base/container.h"
#include "base/id.h"
#include "base/mem.h"

#include <inttypes.h>

#define URI_HEAD "trefoil://results/"

struct kept_result {
    struct kept_result *next; /* the next younger one */
    struct arena mem;
    struct str uri, owner, json;
    int64_t until;
};

struct kept_results {
    struct loop *loop;
    const struct limits *limits;
    struct kept_result *first, **end; /* the oldest first */
    size_t bytes;
    struct timer expiry; /* for the oldest result */
};

static void on_expiry(struct timer *t);

static void watch_expiry(struct kept_results *k)
{
    int64_t left = k->first ? k->first->until - loop_now(k->loop) : 0;

    if (k->first)
        timer_set(k->loop, &k->expiry, left > 0 ? left : 0, on_expiry);
    else
        timer_clear(k->loop, &k->expiry);
}

static void drop_at(struct kept_results *k, struct kept_result **at)
{
    struct kept_result *r = *at;

    *at = r->next;
    if (!r->next)
        k->end = at;
    k->bytes -= r->json.n;
    arena_fini(&r->mem);
    mem_free(r);
}

static void on_expiry(struct timer *t)
{
    struct kept_results *k = CONTAINER_OF(t, struct kept_results, expiry);

    while (k->first && k->first->until <= loop_now(k->loop))
        drop_at(k, &k->first);
    watch_expiry(k);
}

struct kept_results *kept_results_new(struct loop *loop, const struct limits *limits)
{
    struct kept_results *k = MEM_NEW(struct kept_results);

    k->loop = loop;
    k->limits = limits;
    k->end = &k->first;
    return k;
}

void kept_results_free(struct kept_results *k)
{
    if (!k)
        return;
    while (k->first)
        drop_at(k, &k->first);
    watch_expiry(k);
    mem_free(k);
}

static struct kept_result **oldest_of(struct kept_results *k, struct str owner)
{
    struct kept_result **at = &k->first;

    while (*at && !str_eq((*at)->owner, owner))
        at = &(*at)->next;
    return *at ? at : &k->first;
}

static struct str new_uri(struct arena *mem)
{
    uint64_t id[2];

    id_random(id, sizeof(id));
    return arena_printf(mem, URI_HEAD "%016" PRIx64 "%016" PRIx64, id[0], id[1]);
}

struct str kept_results_add(struct kept_results *k, struct arena *mem, struct str owner,
                            struct str json)
{
    size_t most = (size_t)k->limits->result_keep_bytes;
    struct kept_result *r;

    if (json.n > most || !owner.n)
        return STR_NONE;
    while (k->bytes + json.n > most)
        drop_at(k, oldest_of(k, owner));
    r = MEM_NEW(struct kept_result);
    r->uri = new_uri(&r->mem);
    r->owner = arena_str(&r->mem, owner);
    r->json = arena_str(&r->mem, json);
    r->until = loop_now(k->loop) + k->limits->result_keep_ms;
    *k->end = r;
    k->end = &r->next;
    k->bytes += json.n;
    watch_expiry(k);
    return arena_str(mem, r->uri);
}

struct str kept_results_find(const struct kept_results *k, struct str uri, struct str principal)
{
    for (const struct kept_result *r = k ? k->first : NULL; r; r = r->next)
        if (str_eq(r->uri, uri) && str_eq(r->owner, principal))
            return r->until > loop_now(k->loop) ? r->json : STR_NONE;
    return STR_NONE;
}
