/*
 * lookup.c - the loop and the thread both use a struct lookup; the last user frees it. The thread
 * uses the handle of the loop only under the lock, and not after the lookup was dropped.
 */
#include "loop/lookup.h"

#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <uv.h>

enum { PORT_TEXT = sizeof("65535") };

struct lookup {
    char *host;
    char port[PORT_TEXT];
    lookup_done_fn *done;
    void *ctx;
    uv_async_t back; /* the thread has finished */
    pthread_mutex_t lock;
    struct addrinfo *list; /* written by the thread before `back` is sent */
    bool dropped;          /* by the loop: its handle closes */
    int holders;
};

static void lookup_free(struct lookup *l)
{
    if (l->list)
        freeaddrinfo(l->list);
    pthread_mutex_destroy(&l->lock);
    mem_free(l->host);
    mem_free(l);
}

static void lookup_release(struct lookup *l)
{
    bool last;

    pthread_mutex_lock(&l->lock);
    last = --l->holders == 0;
    pthread_mutex_unlock(&l->lock);
    if (last)
        lookup_free(l);
}

/* ---- the thread --------------------------------------------------------------------------- */

static void *lookup_resolve(void *arg)
{
    const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    struct lookup *l = arg;
    struct addrinfo *list = NULL;

    if (getaddrinfo(l->host, l->port, &hints, &list))
        list = NULL;
    pthread_mutex_lock(&l->lock);
    l->list = list;
    if (!l->dropped)
        uv_async_send(&l->back);
    pthread_mutex_unlock(&l->lock);
    lookup_release(l);
    return NULL;
}

/* Signals are for the thread of the loop. */
static int lookup_thread(struct lookup *l)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, before;
    int code;

    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(&thread, &attr, lookup_resolve, l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return code;
}

/* ---- the loop ----------------------------------------------------------------------------- */

static void on_lookup_closed(uv_handle_t *h)
{
    lookup_release(h->data);
}

void lookup_drop(struct lookup *l)
{
    pthread_mutex_lock(&l->lock);
    l->dropped = true;
    pthread_mutex_unlock(&l->lock);
    uv_close((uv_handle_t *)&l->back, on_lookup_closed);
}

static void on_lookup_back(uv_async_t *back)
{
    struct lookup *l = back->data;

    l->done(l->ctx, l->list);
    lookup_drop(l);
}

struct lookup *lookup_start(struct loop *loop, const char *host, uint16_t port,
                            lookup_done_fn *done, void *ctx, struct err *e)
{
    struct lookup *l = MEM_NEW(struct lookup);
    size_t n = strlen(host) + 1;
    int code;

    l->host = memcpy(mem_alloc(n), host, n);
    snprintf(l->port, sizeof(l->port), "%u", port);
    l->done = done;
    l->ctx = ctx;
    l->holders = 2;
    pthread_mutex_init(&l->lock, NULL);
    uv_async_init(loop_uv(loop), &l->back, on_lookup_back);
    l->back.data = l;
    code = lookup_thread(l);
    if (!code)
        return l;
    l->holders = 1;
    lookup_drop(l);
    fail(e, ERR_SYSTEM, "cannot start a thread to resolve %.80s: %s", host, uv_strerror(-code));
    return NULL;
}
