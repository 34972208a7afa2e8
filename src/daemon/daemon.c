/*
 * daemon.c - who comes in by the door.
 *
 *   GREETING   its line has not come yet; limits.attach_ms is the time for it
 *   SERVED     an MCP client (attached_mcp.h)
 *   RUNS       a `trefoil run` (attached_run.h); its stream is the link's
 *   LEAVING    refused: the reason is being written, in the same time
 *
 * A guest is freed when its stream has closed. The listening socket goes first, so that no guest
 * comes while we leave.
 */
#include "daemon/daemon.h"
#include "base/version.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"
#include "daemon/attached_mcp.h"
#include "daemon/attached_run.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

enum {
    ACCEPTS_PER_EVENT = 64, /* then others get their turn */
    REST_MS = 100,
};

enum client_state { GREETING, SERVED, RUNS, LEAVING };

struct client {
    struct daemon *daemon;
    struct client *next, **link;
    struct pipe_stream io;   /* the socket twice: see let_in */
    struct fd_packet packet; /* what came with its line */
    union {
        struct attached_mcp mcp;
        struct attached_run run;
    };
    struct timer late;
    struct buf line; /* while GREETING */
    enum client_state state;
};

/* ---- the end of guests --------------------------------------------------------------------- */

static void on_settled(struct post *p)
{
    struct daemon *d = CONTAINER_OF(p, struct daemon, settled);
    void (*drained)(void *ctx) = d->drained, (*closed)(void *ctx) = d->closed;

    d->drained = NULL;
    if (drained)
        drained(d->drained_ctx);
    if (!closed || d->hearing)
        return;
    d->closed = NULL;
    closed(d->closed_ctx);
}

static void check_settled(struct daemon *d)
{
    if (!d->clients && !d->watching && (d->drained || d->closed))
        loop_post(d->service->loop, &d->settled);
}

static void free_client(struct client *g)
{
    struct daemon *d = g->daemon;

    timer_clear(d->service->loop, &g->late);
    *g->link = g->next;
    if (g->next)
        g->next->link = g->link;
    buf_fini(&g->line);
    fd_packet_fini(&g->packet);
    mem_free(g);
    d->count--;
    check_settled(d);
}

static void on_done(struct attached_mcp *mcp)
{
    free_client(mcp->ctx);
}

static void on_run_done(struct attached_run *run)
{
    free_client(run->ctx);
}

/* Nobody waits for answers any more: what is done for it stops. */
static void on_gone(void *ctx)
{
    struct client *g = ctx;

    if (g->state == RUNS)
        attached_run_gone(&g->run);
    else if (g->state == SERVED)
        attached_mcp_gone(&g->mcp);
}

/* ---- the greeting -------------------------------------------------------------------------- */

static const struct pick hello_fields[] = {
    PICK_FIELD("trefoil", PICK_INT, struct daemon_hello, trefoil, PICK_MUST),
    PICK_FIELD("version", PICK_STR, struct daemon_hello, version, PICK_MUST),
    PICK_FIELD("digest", PICK_STR, struct daemon_hello, digest, PICK_MUST),
    PICK_FIELD("face", PICK_STR, struct daemon_hello, face, PICK_MUST),
    PICK_FIELD("scope", PICK_STR, struct daemon_hello, scope, 0),
    PICK_FIELD("agent", PICK_STR, struct daemon_hello, agent, 0),
    PICK_FIELD("framing", PICK_STR, struct daemon_hello, framing, 0),
    PICK_FIELD("config", PICK_STR, struct daemon_hello, config, 0),
    PICK_FIELD("keys", PICK_STRS, struct daemon_hello, keys, 0),
};

static bool read_hello(struct arena *mem, struct str line, struct daemon_hello *out, struct err *e)
{
    const struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct json root;

    return json_read(mem, line, &opts, &root, e) &&
           pick(mem, root, PICK_TABLE(hello_fields), PICK_LENIENT, out, e);
}

static bool check_hello(struct daemon *d, const struct daemon_hello *h, struct err *e)
{
    if (h->trefoil != DAEMON_PROTOCOL || !str_eq(h->version, str_of(trefoil_version)))
        return fail(e, ERR_DENIED,
                    "the daemon is trefoil %s with door protocol %d; only the same is served",
                    trefoil_version, DAEMON_PROTOCOL);
    if (!str_eq(h->digest, d->digest))
        return fail(e, ERR_DENIED,
                    "the daemon was started with another root, --config, --trust, user "
                    "configuration or TREFOIL_PROVIDER");
    return true;
}

static bool has_key(const struct pick_strs *list, struct str key)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->v[i], key))
            return true;
    return false;
}

/* One that runs would see what is different here; nothing may be. */
static bool check_run(struct daemon *d, struct arena *mem, const struct daemon_hello *h,
                      struct err *e)
{
    struct pick_strs ours;

    if (!d->runtime)
        return fail(e, ERR_DENIED, "the daemon has no agents");
    if (!daemon_key_digests(mem, d->service->config, &ours, e))
        return fail_in(e, "the daemon");
    if (!str_eq(h->config, str_of(d->config)))
        return fail(e, ERR_DENIED, "the daemon has another configuration in force");
    for (size_t i = 0; i < h->keys.n; i++)
        if (!has_key(&ours, h->keys.v[i]))
            return fail(e, ERR_DENIED, "the daemon has another " STR_FMT,
                        STR_ARG(str_cut(&h->keys.v[i], '=')));
    return true;
}

static bool choose_server(struct daemon *d, const struct daemon_hello *h, struct mcp_server **out,
                          struct err *e)
{
    enum service_scope scope;
    struct agent_scope *agent;

    if (!service_scope_named(h->scope, &scope))
        return fail(e, ERR_INVALID, "scope: accepted are agents, tools, all");
    if (!h->agent.p) {
        *out = service_scoped(d->service, scope);
        return true;
    }
    agent = service_agent(d->service, h->agent, e);
    if (agent)
        *out = &agent->server;
    return agent != NULL;
}

static void refuse(struct client *g, const struct err *e)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    LOG(LOG_DEBUG, "daemon", "a program is not attached", LOG_Z("why", e->text));
    buf_init(&out, DAEMON_LINE);
    jw_object(&w);
    jw_kstr(&w, "error", str_of(e->text));
    jw_object_end(&w);
    buf_putc(&out, '\n');
    g->state = LEAVING;
    stream_put(&g->io.s, buf_str(&out));
    stream_tell_room(&g->io.s);
}

static void admit(struct client *g, enum client_state state)
{
    timer_clear(g->daemon->service->loop, &g->late);
    buf_fini(&g->line);
    g->io.packet = NULL;
    g->state = state;
}

static void serve(struct client *g, struct mcp_server *server, enum framing framing)
{
    struct err e;

    if (!attached_mcp_start(&g->mcp, server, framing, &g->io.s, &g->packet, on_done, g, &e)) {
        refuse(g, &e);
        return;
    }
    admit(g, SERVED);
}

/* From here on the stream is the link's. */
static void let_run(struct client *g)
{
    admit(g, RUNS);
    fd_packet_fini(&g->packet);
    stream_put(&g->io.s, STR("{\"ok\":true}\n"));
    g->io.s.events = &stream_link_events;
    g->io.s.owner = &g->run.link;
    attached_run_start(&g->run, g->daemon->service, g->daemon->runtime, &g->io.s, on_run_done, g);
}

static void greet_mcp(struct client *g, const struct daemon_hello *hello)
{
    struct mcp_server *server = NULL;
    enum framing framing;
    struct err e;

    if (!choose_server(g->daemon, hello, &server, &e))
        refuse(g, &e);
    else if (!framing_named(hello->framing, &framing))
        refuse(g, &(struct err){ ERR_INVALID, "framing: accepted are auto, line, header" });
    else
        serve(g, server, framing);
}

static void greet(struct client *g)
{
    AUTO_ARENA mem = { 0 };
    struct daemon_hello hello = { 0 };
    struct err e;

    if (!read_hello(&mem, buf_str(&g->line), &hello, &e) || !check_hello(g->daemon, &hello, &e))
        refuse(g, &e);
    else if (str_eq(hello.face, STR("mcp")))
        greet_mcp(g, &hello);
    else if (!str_eq(hello.face, STR("run")))
        refuse(g, &(struct err){ ERR_DENIED, "face: accepted are mcp, run" });
    else if (!check_run(g->daemon, &mem, &hello, &e))
        refuse(g, &e);
    else
        let_run(g);
}

/* Nothing may follow the line before it is answered. */
static void on_bytes(struct stream *io, struct str bytes)
{
    struct client *g = io->owner;

    if (g->state != GREETING)
        return;
    if (!buf_put(&g->line, bytes))
        refuse(g, &(struct err){ ERR_LIMIT, "the first line is too long" });
    else if (bytes.p[bytes.n - 1] == '\n')
        greet(g);
}

static void on_end(struct stream *io, const struct err *e)
{
    (void)e;
    stream_close(io);
}

static void on_room(struct stream *io)
{
    stream_close(io);
}

static void on_closed(struct stream *io)
{
    free_client(io->owner);
}

static const struct stream_events greeting_events = { on_bytes, on_end, on_room, on_closed };

static void on_late(struct timer *t)
{
    stream_close(&CONTAINER_OF(t, struct client, late)->io.s);
}

/* ---- letting in ---------------------------------------------------------------------------- */

static bool is_welcome(const struct daemon *d, int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid()) {
        LOG(LOG_WARN, "daemon", "a program of another user is not let in");
        return false;
    }
    return (int64_t)d->count < d->service->limits->attached_programs;
}

/*
 * A socket that is paused counts as ended when the other side has said its last word, and what it
 * said would be lost; the two ends of pipes do not (stream.h). So it is taken for two.
 */
static void let_in(struct daemon *d, int fd, int out)
{
    const struct limits *limits = d->service->limits;
    struct client *g = MEM_NEW(struct client);
    struct err e;

    g->daemon = d;
    g->link = &d->clients;
    g->next = d->clients;
    if (g->next)
        g->next->link = &g->next;
    d->clients = g;
    d->count++;
    buf_init(&g->line, DAEMON_LINE);
    pipe_stream_open(&g->io, d->service->loop, fd, out, &greeting_events, g,
                     (size_t)limits->output_backlog_bytes);
    g->io.packet = &g->packet;
    timer_set(d->service->loop, &g->late, limits->attach_ms, on_late);
    if (hangups_add(&d->hangups, fd, g, &e))
        stream_start(&g->io.s);
    else
        stream_close(&g->io.s);
}

static void on_rested(struct timer *t)
{
    watch_want(&CONTAINER_OF(t, struct daemon, rest)->watch, WATCH_READ);
}

/* The listening socket must not stay ready for ever while no descriptor is left. */
static void rest(struct daemon *d)
{
    watch_want(&d->watch, 0);
    timer_set(d->service->loop, &d->rest, REST_MS, on_rested);
}

static void on_ready(struct watch *w, unsigned events)
{
    struct daemon *d = CONTAINER_OF(w, struct daemon, watch);

    (void)events;
    for (int i = 0; i < ACCEPTS_PER_EVENT; i++) {
        AUTO_FD fd = accept4(d->bound.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        AUTO_FD out = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

        if (out < 0) {
            if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
                rest(d);
            return;
        }
        if (is_welcome(d, fd))
            let_in(d, TAKE_FD(fd), TAKE_FD(out));
    }
}

/* ---- the door ------------------------------------------------------------------------------ */

void daemon_init(struct daemon *d, struct project *project, struct service *service)
{
    *d = (struct daemon){ .project = project, .service = service, .bound.fd = -1 };
    d->digest = daemon_root_digest(project);
    d->settled.fn = on_settled;
    daemon_config_digest(project, d->config);
}

void daemon_use_runtime(struct daemon *d, struct runtime *runtime)
{
    d->runtime = runtime;
}

void daemon_reloaded(struct daemon *d)
{
    daemon_config_digest(d->project, d->config);
}

/* Somebody who lives there already keeps the door. */
static bool is_taken(const char *path)
{
    int pid;
    AUTO_FD fd = daemon_connect(path, &pid);

    if (fd < 0)
        return false;
    LOG(LOG_WARN, "serve", "another process serves this root; programs attach to that one",
        LOG_N("pid", pid), LOG_Z("socket", path));
    return true;
}

static bool listen_at(struct daemon *d, const char *path, struct err *e)
{
    struct http_bound bound[2];
    char text[HTTP_ADDRESS];
    size_t n;

    d->hearing = hangups_open(&d->hangups, d->service->loop, on_gone, e);
    if (!d->hearing ||
        !http_bind(arena_printf(&d->project->mem, "unix:%s", path), bound, &n, text, e))
        return false;
    d->bound = bound[0];
    d->watching = true; /* to be closed, whether it opens or not */
    if (!watch_open(&d->watch, d->service->loop, d->bound.fd, on_ready, e))
        return false;
    watch_want(&d->watch, WATCH_READ);
    d->path = path;
    return true;
}

void daemon_open(struct daemon *d)
{
    const char *path;
    struct err e;

    if (!daemon_socket_path(d->project, true, &path, &e))
        LOG(LOG_INFO, "serve", "programs cannot attach", LOG_Z("why", e.text));
    else if (is_taken(path))
        return;
    else if (!listen_at(d, path, &e))
        LOG(LOG_WARN, "serve", "programs cannot attach", LOG_Z("why", e.text));
    else
        LOG(LOG_DEBUG, "serve", "programs can attach", LOG_Z("socket", path));
}

static void on_watch_closed(struct watch *w)
{
    struct daemon *d = CONTAINER_OF(w, struct daemon, watch);

    d->watching = false;
    check_settled(d);
}

static void stop_listening(struct daemon *d)
{
    if (d->bound.fd < 0)
        return;
    timer_clear(d->service->loop, &d->rest);
    watch_close(&d->watch, on_watch_closed);
    http_unbind(&d->bound);
}

static void on_hangups_closed(struct hangups *h)
{
    struct daemon *d = CONTAINER_OF(h, struct daemon, hangups);

    d->hearing = false;
    check_settled(d);
}

void daemon_drain(struct daemon *d, void (*done)(void *ctx), void *ctx)
{
    d->drained = done;
    d->drained_ctx = ctx;
    stop_listening(d);
    for (struct client *g = d->clients; g; g = g->next) {
        if (g->state == SERVED)
            attached_mcp_drain(&g->mcp);
        else if (g->state == RUNS)
            attached_run_drain(&g->run);
        else if (g->state == GREETING)
            stream_close(&g->io.s);
    }
    check_settled(d);
}

static void end_client(struct client *g)
{
    if (g->state == RUNS)
        attached_run_stop(&g->run);
    else if (g->state == SERVED)
        attached_mcp_stop(&g->mcp);
    else
        stream_close(&g->io.s);
}

void daemon_close(struct daemon *d, void (*done)(void *ctx), void *ctx)
{
    d->closed = done;
    d->closed_ctx = ctx;
    stop_listening(d);
    if (d->hearing)
        hangups_close(&d->hangups, on_hangups_closed);
    for (struct client *g = d->clients; g; g = g->next)
        end_client(g);
    check_settled(d);
}
