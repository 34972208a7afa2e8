/*
 * http_client.c - libcurl's multi handles on our loop.
 *
 * libcurl says which descriptors it waits for and when it wants to be called; a sock is one such
 * descriptor. Its watch closes later than libcurl forgets it, hence the count.
 */
#include "wire/http_client.h"

#include "base/container.h"
#include "base/mem.h"
#include "wire/http_fetch.h"

#include <assert.h>
#include <stdlib.h>

struct sock {
    struct watch watch;
    struct pool *pool;
    curl_socket_t fd;
    unsigned wants; /* WATCH_*, as libcurl said */
    bool closing;
    struct sock *next, **link;
};

/* ---- transfers in a pool ---------------------------------------------------------------- */

/*
 * libcurl's maximum is of all connections, and it closes one when a fetch that is over passes
 * it; ours is of the idle ones. So it moves with the fetches; 0 would mean no maximum.
 */
static void keep_idle(struct pool *pool)
{
    int64_t most = pool->client->limits->fetch_kept_connections + pool->busy - 1;

    pool->client->api->multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, most > 0 ? (long)most : 1L);
}

bool pool_add(struct pool *pool, struct transfer *t, struct err *e)
{
    CURLMcode rc;

    t->pool = pool;
    t->busy = true;
    pool->busy++;
    keep_idle(pool);
    rc = pool->client->api->multi_add_handle(pool->multi, t->easy);
    return rc == CURLM_OK || fail(e, ERR_SYSTEM, "libcurl cannot start a request: code %d", rc);
}

static void not_busy(struct transfer *t)
{
    if (!t->busy)
        return;
    t->busy = false;
    t->pool->busy--;
    keep_idle(t->pool);
}

void pool_remove(struct transfer *t)
{
    if (!t->pool)
        return;
    not_busy(t);
    t->client->api->multi_remove_handle(t->pool->multi, t->easy);
    t->pool = NULL;
}

/* ---- reaping ---------------------------------------------------------------------------- */

static void reap(struct http_client *c)
{
    while (c->dead) {
        struct transfer *t = c->dead;

        c->dead = t->next;
        easy_close(t);
        mem_free(t);
    }
}

static void on_reap(struct post *p)
{
    reap(CONTAINER_OF(p, struct http_client, reap));
}

void client_bury(struct http_client *c, struct transfer *t)
{
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    c->live_count--;
    not_busy(t);
    t->next = c->dead;
    c->dead = t;
    loop_post(c->loop, &c->reap);
}

/* ---- driving libcurl -------------------------------------------------------------------- */

/* NULL for a handle of libcurl's own. */
static struct transfer *transfer_of(struct pool *pool, CURL *easy)
{
    struct transfer *t = NULL;

    pool->client->api->easy_getinfo(easy, CURLINFO_PRIVATE, &t);
    return t;
}

static void read_results(struct pool *pool)
{
    CURLMsg *msg;
    int left;

    while ((msg = pool->client->api->multi_info_read(pool->multi, &left))) {
        struct transfer *t = transfer_of(pool, msg->easy_handle);

        if (msg->msg == CURLMSG_DONE && t->fetch) /* else it waits to be reaped */
            transfer_done(t, msg->data.result);
    }
}

static void act(struct pool *pool, curl_socket_t fd, int events)
{
    int running;

    pool->client->api->multi_socket_action(pool->multi, fd, events, &running);
    read_results(pool);
}

static void on_timer(struct timer *t)
{
    act(CONTAINER_OF(t, struct pool, timer), CURL_SOCKET_TIMEOUT, 0);
}

static void on_now(struct post *p)
{
    act(CONTAINER_OF(p, struct pool, now), CURL_SOCKET_TIMEOUT, 0);
}

/*
 * When a host has several addresses of one family and one refuses the connection, libcurl 7.88
 * prepares the next but opens its socket only when called again: and that may be seconds later,
 * since there is nothing to wait for. The function that calls all is made for being unsure.
 */
static void on_nudge(struct post *p)
{
    struct pool *pool = CONTAINER_OF(p, struct pool, nudge);
    int running;

    pool->client->api->multi_socket_all(pool->multi, &running);
    read_results(pool);
}

static int on_curl_timer(CURLM *multi, long ms, void *ctx)
{
    struct pool *pool = ctx;
    struct loop *loop = pool->client->loop;

    (void)multi;
    timer_clear(loop, &pool->timer);
    if (ms == 0)
        loop_post(loop, &pool->now);
    else if (ms > 0)
        timer_set(loop, &pool->timer, ms, on_timer);
    return 0;
}

/* ---- sockets ---------------------------------------------------------------------------- */

static void finish_if_closed(struct http_client *c);

static void on_sock_closed(struct watch *w)
{
    struct sock *s = CONTAINER_OF(w, struct sock, watch);
    struct http_client *c = s->pool->client;

    mem_free(s);
    c->open_socks--;
    finish_if_closed(c);
}

static void sock_close(struct sock *s)
{
    *s->link = s->next;
    if (s->next)
        s->next->link = s->link;
    s->closing = true;
    watch_close(&s->watch, on_sock_closed);
}

static void on_sock_ready(struct watch *w, unsigned events)
{
    struct sock *s = CONTAINER_OF(w, struct sock, watch);
    int bits = 0;

    if (events & WATCH_READ)
        bits |= CURL_CSELECT_IN;
    if (events & WATCH_WRITE)
        bits |= CURL_CSELECT_OUT;
    act(s->pool, s->fd, bits);
    if (!s->closing)
        watch_want(w, s->wants); /* an error ends a watch; libcurl may still want it */
}

static struct sock *sock_open(struct pool *pool, curl_socket_t fd, struct err *e)
{
    struct sock *s = MEM_NEW(struct sock);

    if (!watch_open(&s->watch, pool->client->loop, fd, on_sock_ready, e)) {
        mem_free(s);
        return NULL;
    }
    s->pool = pool;
    s->fd = fd;
    s->link = &pool->client->socks;
    s->next = *s->link;
    if (s->next)
        s->next->link = &s->next;
    *s->link = s;
    pool->client->open_socks++;
    return s;
}

static unsigned wants_of(int what)
{
    unsigned wants = 0;

    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
        wants |= WATCH_READ;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
        wants |= WATCH_WRITE;
    return wants;
}

static int on_curl_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *sockp)
{
    struct pool *pool = ctx;
    struct transfer *t = transfer_of(pool, easy);
    struct sock *s = sockp;
    struct err e;

    if (what == CURL_POLL_REMOVE) {
        if (s)
            sock_close(s);
        if (t && t->phase == PHASE_CONNECTING)
            loop_post(pool->client->loop, &pool->nudge);
        return 0;
    }
    if (!s) {
        s = sock_open(pool, fd, &e);
        if (!s && t && t->fetch) /* a failure told to libcurl would end all others too */
            transfer_settle(t, &e);
        if (!s)
            return 0;
        pool->client->api->multi_assign(pool->multi, fd, s);
    }
    s->wants = wants_of(what);
    watch_want(&s->watch, s->wants);
    return 0;
}

/* ---- life ------------------------------------------------------------------------------- */

static bool pool_open(struct pool *pool, enum fetch_zone zone, struct err *e)
{
    const struct curl_api *api = pool->client->api;
    CURLM *m = api->multi_init();

    if (!m)
        return fail(e, ERR_SYSTEM, "libcurl cannot create a multi handle");
    api->multi_setopt(m, CURLMOPT_SOCKETFUNCTION, on_curl_socket);
    api->multi_setopt(m, CURLMOPT_SOCKETDATA, pool);
    api->multi_setopt(m, CURLMOPT_TIMERFUNCTION, on_curl_timer);
    api->multi_setopt(m, CURLMOPT_TIMERDATA, pool);
    api->multi_setopt(m, CURLMOPT_PIPELINING,
                      zone == FETCH_OUTSIDE ? (long)CURLPIPE_NOTHING : (long)CURLPIPE_MULTIPLEX);
    pool->multi = m;
    return true;
}

bool client_open(struct http_client *c, enum fetch_zone zone, struct err *e)
{
    if (!c->api && !curl_api_open(&c->api, e))
        return false;
    return c->pool[zone].multi || pool_open(&c->pool[zone], zone, e);
}

static char *copy_of(const char *s)
{
    size_t n = s ? strlen(s) : 0;
    char *p;

    if (n == 0)
        return NULL;
    p = mem_alloc(n + 1);
    memcpy(p, s, n + 1);
    return p;
}

static void on_finish(struct post *p);

struct http_client *http_client_new(const struct http_client_opts *opts)
{
    struct http_client *c = MEM_NEW(struct http_client);

    c->loop = opts->loop;
    c->limits = opts->limits;
    c->user_agent = copy_of(opts->user_agent);
    c->ca_file = copy_of(getenv("SSL_CERT_FILE"));
    c->ca_dir = copy_of(getenv("SSL_CERT_DIR"));
    c->allowed = opts->allowed;
    c->ctx = opts->ctx;
    c->reap.fn = on_reap;
    c->finish.fn = on_finish;
    for (size_t i = 0; i < POOLS; i++)
        c->pool[i] = (struct pool){ .client = c, .now.fn = on_now, .nudge.fn = on_nudge };
    return c;
}

static void finish_if_closed(struct http_client *c)
{
    void (*closed)(void *ctx) = c->closed;
    void *ctx = c->closed_ctx;

    if (!c->closing || c->finish.queued || c->open_socks)
        return;
    mem_free(c->user_agent);
    mem_free(c->ca_file);
    mem_free(c->ca_dir);
    mem_free(c);
    if (closed)
        closed(ctx);
}

static void pool_close(struct pool *pool)
{
    if (pool->multi)
        pool->client->api->multi_cleanup(pool->multi);
    loop_unpost(pool->client->loop, &pool->now);
    loop_unpost(pool->client->loop, &pool->nudge);
    timer_clear(pool->client->loop, &pool->timer);
}

/* Every transfer has settled by now, and this post came after the one that reaps them. */
static void on_finish(struct post *p)
{
    struct http_client *c = CONTAINER_OF(p, struct http_client, finish);

    assert(!c->live);
    reap(c);
    loop_unpost(c->loop, &c->reap);
    for (size_t i = 0; i < POOLS; i++)
        pool_close(&c->pool[i]);
    while (c->socks)
        sock_close(c->socks);
    finish_if_closed(c);
}

void http_client_close(struct http_client *c, void (*done)(void *ctx), void *ctx)
{
    assert(!c->closing);
    c->closing = true;
    c->closed = done;
    c->closed_ctx = ctx;
    while (c->live)
        transfer_fail(c->live, ERR_CLOSED, "the HTTP client is closed");
    loop_post(c->loop, &c->finish);
}
