#include "runtime/remote_agents.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/version.h"
#include "config/remote_read.h"
#include "runtime/remote_discovery.h"

enum { PEERS_MOST = 256 };

/* One peer, and the spec as it is written. */
struct remote_peer {
    struct a2a_peer *peer;
    struct remote_spec spec; /* with values: a changed secret makes another peer */
    struct remote_peer *next;
};

struct remote_agents {
    struct loop *loop;
    const struct limits *limits;
    const char *root;
    struct http_client *http; /* NULL: not used yet */
    struct arena mem;
    const char *user_agent;
    struct remote_peer *first; /* the newest first */
    size_t count;
    struct remote_discoveries discoveries;
    struct post closed;
    void (*done)(void *ctx);
    void *done_ctx;
};

struct remote_agents *remote_agents_new(struct loop *loop, const struct limits *limits,
                                        const char *root)
{
    struct remote_agents *r = MEM_NEW(struct remote_agents);

    r->loop = loop;
    r->limits = limits;
    r->root = root;
    r->discoveries = (struct remote_discoveries){ .loop = loop, .limits = limits };
    r->user_agent = arena_printf(&r->mem, TREFOIL_NAME "/%s A2A", trefoil_version).p;
    return r;
}

/* ---- peers ----------------------------------------------------------------------------------- */

static void peer_free(struct remote_agents *r, struct remote_peer **at)
{
    struct remote_peer *one = *at;

    *at = one->next;
    a2a_peer_drop(one->peer);
    mem_free(one);
    r->count--;
}

/* Forget peers that no agent uses, the oldest first. */
static void make_room(struct remote_agents *r)
{
    struct remote_peer **at = &r->first;

    while (r->count >= PEERS_MOST && *at) {
        if ((*at)->peer->refs == 1)
            peer_free(r, at);
        else
            at = &(*at)->next;
    }
}

static struct http_client *http_of(struct remote_agents *r)
{
    if (!r->http)
        r->http = http_client_new(&(struct http_client_opts){
            .loop = r->loop, .limits = r->limits, .user_agent = r->user_agent });
    return r->http;
}

static struct a2a_peer *add_peer(struct remote_agents *r, const struct remote_spec *spec,
                                 struct err *e)
{
    const struct a2a_peer_opts opts = { .loop = r->loop,
                                        .limits = r->limits,
                                        .http = http_of(r),
                                        .user_agent = r->user_agent,
                                        .spec = spec,
                                        .zone = FETCH_CONFIGURED };
    struct a2a_peer *peer = a2a_peer_new(&opts, e);
    struct remote_peer *one;

    if (!peer)
        return NULL;
    make_room(r);
    one = MEM_NEW(struct remote_peer);
    *one = (struct remote_peer){ peer, peer->spec, r->first };
    r->first = one;
    r->count++;
    return a2a_peer_hold(peer);
}

static struct a2a_peer *find_peer(struct remote_agents *r, const struct remote_spec *spec)
{
    for (struct remote_peer *one = r->first; one; one = one->next)
        if (remote_spec_same(&one->spec, spec))
            return one->peer;
    return NULL;
}

struct a2a_peer *remote_agents_peer(struct remote_agents *r, const struct remote_spec *spec,
                                    struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct remote_spec s = remote_spec_copy(&mem, spec);
    struct a2a_peer *peer;

    if (!remote_resolve(&mem, r->root, r->limits, &s, e))
        return NULL;
    peer = find_peer(r, &s);
    return peer ? a2a_peer_hold(peer) : add_peer(r, &s, e);
}

/* ---- discovery ------------------------------------------------------------------------------- */

static void discover_one(struct remote_agents *r, const struct agent_def *def)
{
    struct err e;
    struct a2a_peer *peer = remote_agents_peer(r, def->remote, &e);

    if (peer)
        discoveries_want(&r->discoveries, def->name, peer);
    else
        LOG(LOG_WARN, "a2a", "cannot use a remote agent", LOG_Z("agent", def->name),
            LOG_Z("why", e.text));
    a2a_peer_drop(peer);
}

void remote_agents_discover(struct remote_agents *r, const struct agent_list *list,
                            void (*on_found)(void *ctx), void *ctx)
{
    struct remote_discoveries *all = &r->discoveries;

    all->on_found = on_found;
    all->found_ctx = ctx;
    discoveries_mark(all);
    for (size_t i = 0; i < list->n; i++) {
        const struct agent_entry *a = &list->v[i];

        if (!a->bad && a->def.remote && a->def.trusted)
            discover_one(r, &a->def);
    }
    discoveries_drop(all);
}

struct str remote_agents_description(struct remote_agents *r, const struct remote_spec *spec)
{
    AUTO_ARENA mem = { 0 };
    struct remote_spec s = remote_spec_copy(&mem, spec);
    const struct a2a_peer *peer;
    struct err e;

    if (!remote_resolve(&mem, r->root, r->limits, &s, &e))
        return STR_NONE;
    peer = find_peer(r, &s);
    return peer && peer->met >= 0 ? peer->card.description : STR_NONE;
}

/* ---- closing --------------------------------------------------------------------------------- */

static void on_http_closed(void *ctx)
{
    struct remote_agents *r = ctx;
    void (*done)(void *ctx) = r->done;
    void *done_ctx = r->done_ctx;

    while (r->first)
        peer_free(r, &r->first);
    arena_fini(&r->mem);
    mem_free(r);
    done(done_ctx);
}

static void on_no_http(struct post *p)
{
    on_http_closed(CONTAINER_OF(p, struct remote_agents, closed));
}

static void on_discoveries_idle(void *ctx)
{
    struct remote_agents *r = ctx;

    if (r->http)
        http_client_close(r->http, on_http_closed, r);
    else
        loop_post(r->loop, &r->closed);
}

void remote_agents_close(struct remote_agents *r, void (*done)(void *ctx), void *ctx)
{
    r->done = done;
    r->done_ctx = ctx;
    r->closed.fn = on_no_http;
    discoveries_close(&r->discoveries, on_discoveries_idle, r);
}
