#include "proto/a2a/server/a2a_webhook.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/session/session.h"
#include "proto/a2a/server/a2a_view.h"
#include "wire/http_client.h"

enum webhook_state { FINDING, READING, SENDING, STORING, WAITING, ENDING };

enum { ANSWER_BYTES = 64 << 10, HOUR_MS = 3600 * 1000, DOUBLINGS = 12, WEBHOOK_HEADERS = 6 };

struct a2a_webhook {
    struct a2a_webhook *next;
    struct a2a_server *server;
    struct arena mem;
    struct str task, id;
    struct a2a_push_setup setup;
    struct address_policy policy;
    int64_t sent; /* the last event that was delivered */
    enum webhook_state state;
    bool stopped;  /* deleted, or the program ends: free it when nothing is in flight */
    bool watching; /* the watch runs */
    struct task_ask ask;
    struct a2a_view view;
    bool has_view;
    struct task_watch watch;
    struct fetch fetch;
    struct arena answer; /* memory of the response */
    struct buf body;     /* the update that is being delivered */
    int64_t seq;         /* and its event */
    int64_t tries, since;
    struct timer timer;
    struct store_ask store;
    struct store_step step;
};

/* ---- the end --------------------------------------------------------------------------------- */

static bool webhook_is_busy(const struct a2a_webhook *h)
{
    return h->watching || h->state == FINDING || h->state == SENDING || h->state == STORING ||
           h->state == ENDING;
}

static void webhook_free(struct a2a_webhook *h)
{
    LIST_UNLINK(h->server->webhooks, h, next);
    timer_clear(h->server->loop, &h->timer);
    if (h->has_view)
        a2a_view_fini(&h->view);
    buf_fini(&h->body);
    task_ask_fini(&h->ask);
    arena_fini(&h->answer);
    arena_fini(&h->mem);
    mem_free(h);
}

/* Something has ended: free a stopped webhook. True: it is gone or about to go. */
static bool webhook_over(struct a2a_webhook *h)
{
    if (!h->stopped)
        return false;
    if (!webhook_is_busy(h))
        webhook_free(h);
    return true;
}

static void webhook_stop(struct a2a_webhook *h)
{
    h->stopped = true;
    timer_clear(h->server->loop, &h->timer);
    if (h->watching)
        op_cancel(&h->watch.op);
    if (h->state == SENDING)
        op_cancel(&h->fetch.op);
    webhook_over(h);
}

static void webhook_store(struct a2a_webhook *h, bool done, op_done_fn *then)
{
    h->step = (struct store_step){
        .what = STORE_PUSH_SENT,
        .push = { .task = h->task, .id = h->id, .sent = h->sent, .done = done },
    };
    h->store = (struct store_ask){ .step = &h->step, .steps = 1 };
    store_start(h->server->agents->world->store, &h->store, NULL, then, h);
}

static void on_end_stored(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_webhook *h = ctx;

    (void)op;
    (void)e; /* otherwise it ends again after a restart */
    store_ask_fini(&h->store);
    h->state = WAITING;
    h->stopped = true;
    webhook_over(h);
}

static void webhook_end(struct a2a_webhook *h)
{
    h->state = ENDING;
    if (h->watching)
        op_cancel(&h->watch.op);
    webhook_store(h, true, on_end_stored);
}

static void webhook_give_up(struct a2a_webhook *h, const char *why)
{
    LOG(LOG_WARN, "a2a", "a webhook was given up: its task has further updates",
        LOG_S("task", h->task), LOG_S("push", h->id), LOG_Z("why", why));
    webhook_end(h);
}

/* ---- sending --------------------------------------------------------------------------------- */

static void webhook_send(struct a2a_webhook *h);
static void webhook_watch(struct a2a_webhook *h);

static void on_retry(struct timer *t)
{
    webhook_send(CONTAINER_OF(t, struct a2a_webhook, timer));
}

static void webhook_retry(struct a2a_webhook *h, const char *why, bool hopeless)
{
    struct a2a_server *s = h->server;
    int64_t wait = s->limits->push_retry_ms;

    h->state = WAITING;
    h->tries++;
    if (hopeless || h->tries >= s->limits->push_tries ||
        loop_now(s->loop) - h->since > s->limits->push_keep_ms) {
        webhook_give_up(h, why);
        return;
    }
    for (int64_t i = 1; i < h->tries && i < DOUBLINGS; i++)
        wait *= 2;
    LOG(LOG_INFO, "a2a", "a webhook did not take an update; it is sent again",
        LOG_S("task", h->task), LOG_S("push", h->id), LOG_Z("why", why));
    timer_set(s->loop, &h->timer, wait < HOUR_MS ? wait : HOUR_MS, on_retry);
}

static void on_sent_stored(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_webhook *h = ctx;

    (void)op;
    (void)e; /* the update would be sent again after a restart, which is permitted */
    store_ask_fini(&h->store);
    h->state = READING;
    if (webhook_over(h))
        return;
    if (h->watching)
        task_watch_more(&h->watch);
    else
        webhook_watch(h); /* it had fallen behind */
}

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_webhook *h = ctx;
    int status = h->fetch.status;
    struct err why = { 0 };

    (void)op;
    h->state = WAITING;
    arena_fini(&h->answer);
    if (h->stopped && webhook_over(h))
        return;
    if (status >= 200 && status < 300) {
        h->sent = h->seq;
        h->tries = 0;
        h->state = STORING;
        webhook_store(h, false, on_sent_stored);
        return;
    }
    if (e)
        why = *e;
    else
        fail(&why, ERR_CLOSED, "the webhook answered with status %d", status);
    webhook_retry(h, why.text, e && (e->code == ERR_DENIED || e->code == ERR_INVALID));
}

static size_t webhook_headers(struct a2a_webhook *h, struct http_header out[WEBHOOK_HEADERS])
{
    const struct a2a_push *p = &h->setup.push;
    size_t n = 0;

    out[n++] = (struct http_header){ STR("Content-Type"), h->setup.dialect == A2A_1_0
                                                              ? STR(A2A_MEDIA_TYPE)
                                                              : STR("application/json") };
    out[n++] = (struct http_header){ STR(A2A_EVENT_HEADER),
                                     arena_printf(&h->answer, STR_FMT "-%lld", STR_ARG(h->task),
                                                  (long long)h->seq) };
    if (h->setup.dialect == A2A_1_0)
        out[n++] = (struct http_header){ STR(A2A_VERSION_HEADER), STR("1.0") };
    if (p->scheme.n)
        out[n++] =
            (struct http_header){ STR("Authorization"),
                                  arena_printf(&h->answer, STR_FMT " " STR_FMT, STR_ARG(p->scheme),
                                               STR_ARG(p->credentials)) };
    if (p->token.n)
        out[n++] = (struct http_header){ STR(A2A_TOKEN_HEADER), p->token };
    return n;
}

static void webhook_send(struct a2a_webhook *h)
{
    struct a2a_server *s = h->server;
    struct http_header header[WEBHOOK_HEADERS];
    size_t headers = webhook_headers(h, header);

    h->state = SENDING;
    h->policy = *s->outside;
    h->policy.loopback = h->setup.loopback;
    h->fetch = (struct fetch){ 0 };
    fetch_start(&h->fetch, s->http(s->http_ctx), NULL,
                &(struct fetch_request){ .method = STR("POST"),
                                         .url = h->setup.push.url,
                                         .header = header,
                                         .headers = headers,
                                         .body = buf_str(&h->body),
                                         .zone = FETCH_OUTSIDE,
                                         .follow = FETCH_FOLLOW_NONE,
                                         .policy = &h->policy,
                                         .whole_ms = s->limits->push_answer_ms,
                                         .body_bytes = ANSWER_BYTES,
                                         .mem = &h->answer },
                on_answered, h);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The first event is told as the task; details of the work only concern those who watch it. */
static bool webhook_wants(struct a2a_webhook *h, struct arena *mem, struct a2a_update *u,
                          int64_t seq)
{
    if (u->kind == A2A_STATUS && seq == 1) {
        *u = (struct a2a_update){ .kind = A2A_TASK };
        u->task = a2a_view_task(&h->view, mem, A2A_HISTORY_ALL, true);
        return true;
    }
    return u->kind != A2A_STATUS || !str_starts(u->metadata, STR("{\"trefoil\""));
}

static bool on_webhook_event(struct task_watch *w, int64_t seq, int64_t at, struct str kind,
                             struct str body)
{
    struct a2a_webhook *h = CONTAINER_OF(w, struct a2a_webhook, watch);
    AUTO_ARENA scratch = { 0 };
    struct a2a_update u = { 0 };
    struct jw to = jw_to(&h->body);

    if (!a2a_view_add(&h->view, &scratch, seq, at, kind, body, &u) || seq <= h->sent ||
        !webhook_wants(h, &scratch, &u, seq))
        return true;
    buf_fini(&h->body);
    buf_init(&h->body, (size_t)h->server->limits->output_backlog_bytes);
    a2a_write_update(&to, h->setup.dialect, &u);
    h->seq = seq;
    h->tries = 0;
    h->since = loop_now(h->server->loop);
    webhook_send(h);
    return false;
}

/* e NULL: the task has ended and everything was delivered. ERR_LIMIT: delivery is slow. */
static void on_watch_over(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_webhook *h = ctx;

    (void)op;
    h->watching = false;
    if (h->state == ENDING || webhook_over(h))
        return;
    if (!e)
        webhook_end(h);
    else if (e->code != ERR_LIMIT)
        webhook_stop(h);
    else if (h->state == READING)
        webhook_watch(h);
}

static void webhook_watch(struct a2a_webhook *h)
{
    if (h->has_view)
        a2a_view_fini(&h->view);
    a2a_view_init(&h->view, &h->ask.info, h->server->limits);
    h->has_view = true;
    h->watching = true;
    h->state = READING;
    h->watch = (struct task_watch){ .id = h->task, .event = on_webhook_event };
    task_watch(h->server->agents->tasks, &h->watch, NULL, on_watch_over, h);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static void on_task_read(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_webhook *h = ctx;

    (void)op;
    h->state = READING;
    h->stopped |= e != NULL;
    if (!webhook_over(h))
        webhook_watch(h);
}

void a2a_webhook_begin(struct a2a_server *s, const struct store_push *push)
{
    struct a2a_webhook *h;

    a2a_webhook_stop(s, push->task, push->id);
    h = MEM_NEW(struct a2a_webhook);
    h->server = s;
    h->task = arena_str(&h->mem, push->task);
    h->id = arena_str(&h->mem, push->id);
    h->sent = push->sent;
    h->next = s->webhooks;
    s->webhooks = h;
    if (!a2a_push_setup_read(&h->mem, arena_str(&h->mem, push->setup), &h->setup)) {
        h->state = WAITING;
        webhook_stop(h);
        return;
    }
    h->state = FINDING;
    h->ask = (struct task_ask){ .id = h->task };
    task_get(s->agents->tasks, &h->ask, NULL, on_task_read, h);
}

void a2a_webhook_stop(struct a2a_server *s, struct str task, struct str id)
{
    struct a2a_webhook *h = s->webhooks;

    while (h && (h->stopped || !str_eq(h->task, task) || !str_eq(h->id, id)))
        h = h->next;
    if (h)
        webhook_stop(h);
}

void a2a_webhooks_stop(struct a2a_server *s)
{
    struct a2a_webhook *next;

    for (struct a2a_webhook *h = s->webhooks; h; h = next) {
        next = h->next;
        if (!h->stopped)
            webhook_stop(h);
    }
}

struct webhook_resume {
    struct store_ask ask;
    struct store_step step;
    struct a2a_server *server;
};

static void on_unfinished(struct op *op, const struct err *e, void *ctx)
{
    struct webhook_resume *k = ctx;
    const struct store_push_page *p = &k->step.pushes;

    (void)op;
    for (size_t i = 0; !e && k->server->agents->tasks && i < p->n; i++)
        a2a_webhook_begin(k->server, &p->v[i]);
    if (e)
        LOG(LOG_WARN, "a2a", "push configurations cannot be read", LOG_Z("why", e->text));
    store_ask_fini(&k->ask);
    mem_free(k);
}

void a2a_webhooks_resume(struct a2a_server *s)
{
    struct webhook_resume *k;

    if (!s->agents->world || !s->agents->world->store || !s->agents->tasks)
        return;
    k = MEM_NEW(struct webhook_resume);
    k->server = s;
    k->step = (struct store_step){ .what = STORE_PUSHES };
    k->ask = (struct store_ask){ .step = &k->step, .steps = 1 };
    store_start(s->agents->world->store, &k->ask, NULL, on_unfinished, k);
}
