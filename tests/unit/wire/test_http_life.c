/*
 * The HTTP client in time: streams, back-pressure, kept connections, deadlines, cancellation in
 * every phase. The clock stands still but for what the tests move it.
 */
#include "http_peer.h"

#include "wire/sse_read.h"

/* ---- streams ---------------------------------------------------------------------------- */

struct stream_log {
    struct got g;
    struct sse_reader sse;
    struct str marked; /* what the next event unlocks */
    char text[256];
    struct got mark[2];
    int events;
};

/* Each event lets the server send the next one: they arrive one by one, not at the end. */
static void on_log_event(const struct sse_event *ev, void *ctx)
{
    struct stream_log *log = ctx;
    size_t n = strlen(log->text);
    struct got *mark = &log->mark[log->events++];

    snprintf(log->text + n, sizeof(log->text) - n, STR_FMT "/" STR_FMT "=" STR_FMT ";",
             STR_ARG(ev->event), STR_ARG(ev->id), STR_ARG(ev->data));
    got_init(mark, at(log->events == 1 ? "/mark/log.1" : "/mark/log.2"));
    got_start(mark, NULL);
}

static void on_log_bytes(struct fetch *f, struct str bytes)
{
    struct stream_log *log = CONTAINER_OF(got_of(f), struct stream_log, g);
    struct err e;

    OK(sse_read_feed(&log->sse, bytes, &e));
}

TEST(events_arrive_as_they_are_sent)
{
    struct stream_log log = { .text = "" };

    world_begin();
    sse_read_init(&log.sse, 1024, on_log_event, &log);
    got_init(&log.g, at("/events/log"));
    log.g.req.whole_ms = FETCH_NEVER;
    log.g.req.on_bytes = on_log_bytes;
    got_start(&log.g, NULL);
    got_wait(&log.g);
    EQ(log.g.err.code, ERR_NONE);
    EQ_S(fetch_header(&log.g.f, "Content-Type"), "text/event-stream");
    EQ_STR(log.text, "message/1=one;add/1=two;");
    EQ_S(sse_read_last_id(&log.sse), "1");
    got_wait(&log.mark[0]);
    got_wait(&log.mark[1]);
    sse_read_fini(&log.sse);
    world_end();
}

/* ---- connections ------------------------------------------------------------------------ */

TEST(a_connection_is_kept_for_the_next_fetch)
{
    struct got a, b;

    world_begin();
    get(&a, at("/plain"));
    for (int i = 0; i < 5; i++) {
        get(&b, at("/echo"));
        EQ(connection_of(&b), connection_of(&a));
    }
    world_end();
}

TEST(a_kept_connection_that_died_is_replaced)
{
    static const char *const ends[] = { "/drop-now", "/drop-next" };

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        struct got a, b;

        get(&a, at(ends[i]));
        EQ_S(a.f.body, "last words");
        get(&b, at("/plain"));
        EQ(b.err.code, ERR_NONE);
        OK(connection_of(&b) != connection_of(&a));
    }
    world_end();
}

static bool allow_all(const struct sockaddr *sa, const struct address_policy *policy, void *ctx)
{
    (void)sa, (void)policy, (void)ctx;
    return true;
}

/* A world where FETCH_OUTSIDE reaches the server too, with connections of its own. */
static void open_world_begin(void)
{
    world_begin();
    world_close_client();
    w.opts.allowed = allow_all;
    world_open_client();
}

static void get_aside(struct got *g, struct str url)
{
    got_init(g, url);
    g->req.zone = FETCH_OUTSIDE;
    got_start(g, NULL);
    got_wait(g);
}

TEST(what_may_have_been_done_is_not_sent_again)
{
    struct got g;

    open_world_begin();
    get(&g, at("/drop-next"));
    ask(&g, "POST", STR("charge the card"), NULL, 0);
    EQ_ERR(&g, ERR_CLOSED, "closed the connection without a response");
    get(&g, at("/drop-now/early"));
    get_aside(&g, at("/await/early"));
    ask(&g, "POST", STR("charge the card"), NULL, 0); /* found dead before anything was sent */
    EQ(g.err.code, ERR_NONE);
    get(&g, at("/drop-next"));
    ask(&g, "PUT", STR("the same again"), NULL, 0);
    EQ(g.err.code, ERR_NONE);
    world_end();
}

TEST(many_fetches_run_at_once)
{
    enum { MANY = 100 };
    static struct got g[MANY], release;

    world_begin();
    for (int i = 0; i < MANY; i++) {
        got_init(&g[i], at("/await/all"));
        got_start(&g[i], NULL);
    }
    get(&release, at("/mark/all")); /* answered while all others wait */
    for (int i = 0; i < MANY; i++) {
        got_wait(&g[i]);
        EQ(g[i].f.status, 200);
    }
    world_end();
}

/* Start fetches that wait side by side, then let them go one after the other. */
static void fetch_side_by_side(struct got *g, int n, const char *name)
{
    struct got release;

    for (int i = 0; i < n; i++) {
        got_init(&g[i], text("http://127.0.0.1:%u/await/%s.%d", peer.port, name, i));
        got_start(&g[i], NULL);
    }
    for (int i = 0; i < n; i++) {
        get_aside(&release, text("http://127.0.0.1:%u/mark/%s.%d", peer.port, name, i));
        got_wait(&g[i]);
    }
}

TEST(only_so_many_idle_connections_are_kept)
{
    enum { MANY = 8, KEPT = 3 };
    struct got g[MANY];
    uint64_t newest = 0;
    int kept = 0;

    open_world_begin();
    w.limits.fetch_kept_connections = KEPT;
    fetch_side_by_side(g, MANY, "first");
    for (int i = 0; i < MANY; i++)
        newest = connection_of(&g[i]) > newest ? connection_of(&g[i]) : newest;
    fetch_side_by_side(g, MANY, "second");
    for (int i = 0; i < MANY; i++)
        kept += connection_of(&g[i]) <= newest;
    OK(kept > 0 && kept <= KEPT);
    world_end();
}

/* ---- giving up, in each phase ----------------------------------------------------------- */

static unsigned mute_port;

static struct str queued_url(void)
{
    return at("/silent");
}

static struct str blocked_url(void)
{
    return STR("http://blocked.test/");
}

static struct str mute_tls_url(void)
{
    return text("https://127.0.0.1:%u/", mute_port);
}

static struct str mute_url(void)
{
    return text("http://127.0.0.1:%u/", mute_port);
}

static struct str half_head_url(void)
{
    return at("/half-head");
}

static struct str stall_url(void)
{
    return at("/stall");
}

static bool is_queued(struct got *g)
{
    return g->f.transfer->phase == PHASE_QUEUED;
}

static bool is_resolving(struct got *g)
{
    return g->f.transfer->phase == PHASE_RESOLVING && atomic_load(&resolver_waiting);
}

static bool is_connecting(struct got *g)
{
    return g->f.transfer->phase == PHASE_CONNECTING;
}

static bool is_asked(struct got *g)
{
    return g->f.transfer->phase == PHASE_ASKED;
}

static bool is_in_head(struct got *g)
{
    return g->f.transfer->head_bytes > 0;
}

static bool is_in_body(struct got *g)
{
    return g->bytes > 0;
}

static const struct phase_case {
    const char *name;
    struct str (*url)(void);
    bool (*here)(struct got *g); /* the fetch has come that far */
    bool connected;
    const char *timeout; /* what was being done */
} phases[] = {
    { "queued", queued_url, is_queued, false, NULL },
    { "resolving", blocked_url, is_resolving, false, "while looking up blocked.test:80" },
    { "in TLS", mute_tls_url, is_connecting, false, "while connecting to 127.0.0.1:" },
    { "asked", mute_url, is_asked, true, "while waiting for the response of 127.0.0.1:" },
    { "in the head", half_head_url, is_in_head, true, "while waiting for the response of " },
    { "in the body", stall_url, is_in_body, true, "while reading the response of " },
};

/* Start a fetch and bring it to its phase. */
static void bring(struct got *g, const struct phase_case *c)
{
    got_init(g, c->url());
    g->req.on_bytes = on_got_bytes;
    g->req.connect_ms = 100000; /* libcurl looks at the real clock: nothing falls due there */
    g->req.idle_ms = 200000;
    g->req.whole_ms = 600000;
    g->req.body_bytes = FETCH_NEVER;
    got_start(g, NULL);
    RUN_UNTIL(g, c->here(g));
    if (g->done)
        TAP_NOT("%s: %s", c->name, g->err.text);
}

#define EACH_PHASE(c) for (const struct phase_case *c = phases; c < phases + ARRAY_LEN(phases); c++)

/* None of the servers asked would ever have answered, nor the resolver. */
TEST(a_cancelled_fetch_settles_at_once_in_each_phase)
{
    int fd = mute_listener(&mute_port);

    EACH_PHASE(c)
    {
        struct got g;

        world_begin();
        bring(&g, c);
        op_cancel(&g.f.op);
        OK(!g.done); /* from the loop only */
        OK(g.f.op.settled);
        loop_run_once(w.loop);
        OK(g.done);
        EQ_ERR(&g, ERR_CANCELED, "cancelled");
        world_end();
    }
    close(fd);
    resolver_release();
}

TEST(the_loop_goes_on_while_a_name_is_looked_up)
{
    struct got g, other;

    world_begin();
    bring(&g, &phases[1]);
    get(&other, at("/plain"));
    EQ_S(other.f.body, "hello");
    op_cancel(&g.f.op);
    get(&other, at("/plain"));
    EQ_S(other.f.body, "hello");
    OK(g.done);
    OK(atomic_load(&resolver_waiting));
    world_end();
    resolver_release();
}

TEST(closing_the_client_settles_a_fetch_in_each_phase)
{
    int fd = mute_listener(&mute_port);

    EACH_PHASE(c)
    {
        struct got g;

        world_begin();
        bring(&g, c);
        world_close_client();
        EQ(g.done, true);
        EQ_ERR(&g, ERR_CLOSED, "the HTTP client is closed");
        world_open_client(); /* for world_end */
        world_end();
    }
    close(fd);
    resolver_release();
}

static void on_closed_try_again(struct op *op, const struct err *e, void *ctx)
{
    struct got *again = ctx;

    (void)op;
    EQ(e->code, ERR_CLOSED);
    got_init(again, at("/plain"));
    got_start(again, NULL);
}

TEST(a_client_that_closes_starts_nothing)
{
    struct got g, again;

    world_begin();
    got_init(&g, at("/silent"));
    fetch_start(&g.f, w.client, NULL, &g.req, on_closed_try_again, &again);
    RUN_UNTIL(&g, is_asked(&g));
    world_close_client();
    got_wait(&again);
    EQ_ERR(&again, ERR_CLOSED, "the HTTP client is closed");
    world_open_client();
    world_end();
}

TEST(each_phase_has_its_deadline)
{
    int fd = mute_listener(&mute_port);

    EACH_PHASE(c)
    {
        struct got g;
        int64_t ms = c->connected ? 200000 : 100000;

        if (!c->timeout)
            continue;
        world_begin();
        bring(&g, c);
        loop_advance(w.loop, ms - 1);
        OK(!g.done);
        loop_advance(w.loop, 1);
        OK(g.done);
        EQ_ERR(&g, ERR_TIMEOUT, c->timeout);
        EQ_ERR(&g, ERR_TIMEOUT, c->connected ? "after 200000 ms" : "after 100000 ms");
        world_end();
    }
    close(fd);
    resolver_release();
}

TEST(the_whole_fetch_has_a_deadline)
{
    int fd = mute_listener(&mute_port);

    EACH_PHASE(c)
    {
        struct got g;

        world_begin();
        got_init(&g, c->url());
        g.req.on_bytes = on_got_bytes;
        g.req.connect_ms = g.req.idle_ms = FETCH_NEVER;
        g.req.whole_ms = 500;
        g.req.body_bytes = FETCH_NEVER;
        got_start(&g, NULL);
        RUN_UNTIL(&g, c->here(&g));
        loop_advance(w.loop, 499);
        OK(!g.done);
        loop_advance(w.loop, 1);
        OK(g.done);
        EQ_ERR(&g, ERR_TIMEOUT, "timed out after 500 ms while");
        world_end();
    }
    close(fd);
    resolver_release();
}

TEST(silence_is_counted_from_the_last_byte)
{
    struct got g, mark;

    world_begin();
    got_init(&g, at("/events/quiet"));
    g.req.on_bytes = on_got_bytes;
    g.req.idle_ms = 1000;
    g.req.whole_ms = FETCH_NEVER;
    got_start(&g, NULL);
    RUN_UNTIL(&g, g.bytes == 23); /* the first event */
    loop_advance(w.loop, 900);
    get(&mark, at("/mark/quiet.1"));
    RUN_UNTIL(&g, g.bytes > 23);
    loop_advance(w.loop, 999);
    OK(!g.done);
    loop_advance(w.loop, 1);
    OK(g.done);
    EQ_ERR(&g, ERR_TIMEOUT, "timed out after 1000 ms while reading the response of");
    get(&mark, at("/mark/quiet.2"));
    world_end();
}

static curl_off_t sent_of(struct got *g)
{
    struct transfer *t = g->f.transfer;
    curl_off_t n = 0;

    if (t->easy)
        t->client->api->easy_getinfo(t->easy, CURLINFO_SIZE_UPLOAD_T, &n);
    return n;
}

/* More than all buffers between us and a server that does not read yet. */
static void start_upload(struct got *g, const char *mark)
{
    static struct http_header h;
    size_t size = 32 << 20;

    h = (struct http_header){ STR("X-Read-After"), str_of(mark) };
    got_init(g, at("/size"));
    g->req.method = STR("POST");
    g->req.body = (struct str){ memset(arena_alloc(&w.mem, size), 'u', size), size };
    g->req.header = &h;
    g->req.headers = 1;
    g->req.idle_ms = 1000;
    g->req.whole_ms = FETCH_NEVER;
    got_start(g, NULL);
    RUN_UNTIL(g, sent_of(g) > 0);
}

TEST(what_is_sent_is_not_silence)
{
    struct got g, mark;

    world_begin();
    start_upload(&g, "read");
    loop_advance(w.loop, 1000);
    OK(!g.done); /* nothing came, but something went */
    get(&mark, at("/mark/read"));
    got_wait(&g);
    EQ_S(g.f.body, "33554432");

    start_upload(&g, "never");
    for (int i = 0; i < 100 && !g.done; i++) /* until the buffers are full */
        loop_advance(w.loop, 1000);
    EQ_ERR(&g, ERR_TIMEOUT, "timed out after 1000 ms while waiting for the response");
    world_end();
}

TEST(deadlines_not_given_are_the_limits)
{
    int fd = mute_listener(&mute_port);
    struct got g;

    world_begin();
    w.limits.fetch_ms = 50000;
    get(&g, at("/plain"));
    EQ(g.err.code, ERR_NONE);
    got_init(&g, mute_url());
    got_start(&g, NULL);
    RUN_UNTIL(&g, is_asked(&g));
    loop_advance(w.loop, 50000);
    EQ_ERR(&g, ERR_TIMEOUT, "after 50000 ms while waiting");
    w.limits.fetch_idle_ms = 40000;
    got_init(&g, mute_url());
    got_start(&g, NULL);
    RUN_UNTIL(&g, is_asked(&g));
    loop_advance(w.loop, 40000);
    EQ_ERR(&g, ERR_TIMEOUT, "after 40000 ms while waiting");
    w.limits.fetch_connect_ms = 30000;
    got_init(&g, mute_tls_url());
    got_start(&g, NULL);
    RUN_UNTIL(&g, is_connecting(&g));
    loop_advance(w.loop, 30000);
    EQ_ERR(&g, ERR_TIMEOUT, "after 30000 ms while connecting");
    world_end();
    close(fd);
}

/* ---- from inside callbacks -------------------------------------------------------------- */

static void cancel_it(struct got *g)
{
    op_cancel(&g->f.op);
}

static void cancel_in_head(struct fetch *f)
{
    op_cancel(&f->op);
}

TEST(a_fetch_may_be_cancelled_from_its_own_callbacks)
{
    struct got g;

    world_begin();
    got_init(&g, at("/long/1000000"));
    g.req.on_bytes = on_got_bytes;
    g.then = cancel_it;
    got_start(&g, NULL);
    got_wait(&g);
    EQ(g.err.code, ERR_CANCELED);
    OK(g.bytes < 1000000);
    for (int stream = 0; stream < 2; stream++) {
        got_init(&g, at("/long/1000000"));
        g.req.on_head = cancel_in_head;
        if (stream)
            g.req.on_bytes = on_got_bytes;
        got_start(&g, NULL);
        got_wait(&g);
        EQ(g.err.code, ERR_CANCELED);
        EQ(g.bytes, 0);
    }
    world_end();
}

static void cancel_other(struct got *g)
{
    op_cancel(&((struct got *)g->data)->f.op);
}

static void close_all(struct got *g)
{
    (void)g;
    http_client_close(w.client, on_client_closed, &w.closed);
    w.client = NULL;
}

TEST(another_fetch_or_the_client_may_be_ended_from_a_callback)
{
    struct got a, b;

    world_begin();
    got_init(&a, at("/stall"));
    got_init(&b, at("/long/1000000"));
    got_start(&a, NULL);
    RUN_UNTIL(&a, a.heads);
    b.req.on_bytes = on_got_bytes;
    b.then = cancel_other;
    b.data = &a;
    got_start(&b, NULL);
    got_wait(&b);
    EQ(b.err.code, ERR_NONE);
    OK(a.done);
    EQ(a.err.code, ERR_CANCELED);

    got_init(&b, at("/long/1000000"));
    b.req.on_bytes = on_got_bytes;
    b.then = close_all;
    got_start(&b, NULL);
    while (!w.closed)
        loop_run(w.loop);
    OK(b.done);
    EQ(b.err.code, ERR_CLOSED);
    world_open_client();
    world_end();
}

static void start_other(struct got *g)
{
    struct got *other = g->data;

    g->then = NULL;
    got_init(other, at("/plain"));
    got_start(other, NULL);
}

TEST(a_fetch_may_be_started_from_a_callback)
{
    struct got a, b;

    world_begin();
    got_init(&a, at("/long/1000000"));
    a.req.on_bytes = on_got_bytes;
    a.then = start_other;
    a.data = &b;
    got_start(&a, NULL);
    got_wait(&a);
    EQ(a.bytes, 1000000);
    got_wait(&b);
    EQ_S(b.f.body, "hello");
    world_end();
}

static const struct op_kind parent_kind = { .name = "parent" };

static void on_parent(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    *(bool *)ctx = e && e->code == ERR_CANCELED;
}

TEST(a_fetch_ends_with_its_parent)
{
    struct op parent;
    struct got g;
    bool parent_done = false;

    world_begin();
    op_begin(&parent, &parent_kind, w.loop, NULL, on_parent, &parent_done);
    got_init(&g, at("/silent"));
    got_start(&g, &parent);
    RUN_UNTIL(&g, is_asked(&g));
    op_cancel(&parent);
    got_wait(&g);
    EQ(g.err.code, ERR_CANCELED);
    while (!parent_done)
        loop_run_once(w.loop);

    op_begin(&parent, &parent_kind, w.loop, NULL, on_parent, &parent_done);
    op_cancel(&parent);
    got_init(&g, at("/plain"));
    got_start(&g, &parent); /* begun too late */
    got_wait(&g);
    EQ(g.err.code, ERR_CANCELED);
    loop_run_once(w.loop);
    world_end();
}

TEST_MAIN()
