#include "runtime/remote_agents.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"
#include "base/version.h"
#include "config/remote_read.h"

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

struct a2a_peer *remote_agents_peer(struct remote_agents *r, const struct remote_spec *spec,
                                    struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct remote_spec s = remote_spec_copy(&mem, spec);

    if (!remote_resolve(&mem, r->root, r->limits, &s, e))
        return NULL;
    for (struct remote_peer *one = r->first; one; one = one->next)
        if (remote_spec_same(&one->spec, &s))
            return a2a_peer_hold(one->peer);
    return add_peer(r, &s, e);
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

void remote_agents_close(struct remote_agents *r, void (*done)(void *ctx), void *ctx)
{
    r->done = done;
    r->done_ctx = ctx;
    r->closed.fn = on_no_http;
    if (r->http)
        http_client_close(r->http, on_http_closed, r);
    else
        loop_post(r->loop, &r->closed);
}
