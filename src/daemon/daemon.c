/*
 * daemon.c - the clients of the daemon's socket.
 *
 *   ARRIVED    the first byte has not arrived yet
 *   GREETING   the first byte is '{': the hello line is being read
 *   SERVED     an attached MCP client is served (serve_attached.h)
 *   REQUESTING the first byte is another one: the HTTP server has the connection
 *   LEAVING    the client was refused: the reason is being written
 *
 * ARRIVED, GREETING and LEAVING may take limits.attach_ms. A client is freed when its stream has
 * closed. When the daemon stops, it closes the listening socket first, so that no client connects.
 */
#include "daemon/daemon.h"
#include "base/version.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"
#include "daemon/operator_api.h"
#include "daemon/serve_attached.h"
#include "runtime/service.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    /* connections accepted in one pass, so that other events are handled in between */
    ACCEPTS_PER_EVENT = 64,
    REST_MS = 100,
};

enum client_state { ARRIVED, GREETING, SERVED, REQUESTING, LEAVING };

struct client {
    struct daemon *daemon;
    struct client *next, **link;
    int fd;             /* the socket, in ARRIVED */
    struct watch first; /* waits for the first byte, in ARRIVED */
    union {
        struct pipe_stream io;      /* reads and writes the same socket: see greet_client */
        struct sock_stream request; /* in REQUESTING */
    };
    struct fd_packet packet; /* descriptors that arrived with the hello line */
    struct attached_mcp mcp;
    struct timer late;
    struct buf line; /* the hello line, in GREETING */
    enum client_state state;
};

/* ---- closing clients ----------------------------------------------------------------------- */

static void on_settled(struct post *p)
{
    struct daemon *d = CONTAINER_OF(p, struct daemon, settled);
    void (*drained)(void *ctx) = d->drained, (*closed)(void *ctx) = d->closed;

    d->drained = NULL;
    if (drained)
        drained(d->drained_ctx);
    if (!closed || d->hearing || d->http)
        return;
    d->closed = NULL;
    closed(d->closed_ctx);
}

static void check_settled(struct daemon *d)
{
    if (!d->clients && !d->watching && (d->closed || (d->drained && d->http_drained)))
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

/* The client has exited and no longer waits for answers: stop its work. */
static void on_gone(void *ctx)
{
    struct client *g = ctx;

    if (g->state == SERVED)
        attached_mcp_gone(&g->mcp);
}

/* ---- the hello line ------------------------------------------------------------------------ */

static const struct pick hello_fields[] = {
    PICK_FIELD("trefoil", PICK_INT, struct daemon_hello, trefoil, PICK_MUST),
    PICK_FIELD("version", PICK_STR, struct daemon_hello, version, PICK_MUST),
    PICK_FIELD("digest", PICK_STR, struct daemon_hello, digest, PICK_MUST),
    PICK_FIELD("scope", PICK_STR, struct daemon_hello, scope, 0),
    PICK_FIELD("agent", PICK_STR, struct daemon_hello, agent, 0),
    PICK_FIELD("framing", PICK_STR, struct daemon_hello, framing, 0),
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
                    "the daemon is trefoil %s with socket protocol %d; it serves only clients of "
                    "the same version",
                    trefoil_version, DAEMON_PROTOCOL);
    if (!str_eq(h->digest, d->digest))
        return fail(e, ERR_DENIED, DAEMON_OTHER_ROOT);
    return true;
}

static bool choose_server(struct daemon *d, const struct daemon_hello *h, struct mcp_server **out,
                          struct err *e)
{
    enum service_scope scope;
    struct agent_scope *agent;

    if (!service_scope_named(h->scope, &scope))
        return fail(e, ERR_INVALID, "scope: expected agents, tools or all");
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

    LOG(LOG_DEBUG, "daemon", "a client is rejected", LOG_Z("why", e->text));
    buf_init(&out, DAEMON_LINE);
    jw_object(&w);
    jw_kstr(&w, "error", str_of(e->text));
    jw_object_end(&w);
    buf_putc(&out, '\n');
    g->state = LEAVING;
    stream_put(&g->io.s, buf_str(&out));
    stream_tell_room(&g->io.s);
}

static void admit(struct client *g)
{
    timer_clear(g->daemon->service->loop, &g->late);
    buf_fini(&g->line);
    g->io.packet = NULL;
    g->state = SERVED;
}

static void serve(struct client *g, struct mcp_server *server, enum framing framing)
{
    struct err e;

    if (!attached_mcp_start(&g->mcp, server, framing, &g->io.s, &g->packet, on_done, g, &e)) {
        refuse(g, &e);
        return;
    }
    admit(g);
}

static void greet_mcp(struct client *g, const struct daemon_hello *hello)
{
    struct mcp_server *server = NULL;
    enum framing framing;
    struct err e;

    if (!choose_server(g->daemon, hello, &server, &e))
        refuse(g, &e);
    else if (!framing_named(hello->framing, &framing))
        refuse(g, &(struct err){ ERR_INVALID, "framing: expected auto, line or header" });
    else
        serve(g, server, framing);
}

static void read_greeting(struct client *g)
{
    AUTO_ARENA mem = { 0 };
    struct daemon_hello hello = { 0 };
    struct err e;

    if (!read_hello(&mem, buf_str(&g->line), &hello, &e) || !check_hello(g->daemon, &hello, &e))
        refuse(g, &e);
    else
        greet_mcp(g, &hello);
}

/* Collect the hello line. No bytes may follow the line before the daemon has answered it. */
static void on_bytes(struct stream *io, struct str bytes)
{
    struct client *g = io->owner;

    if (g->state != GREETING)
        return;
    if (!buf_put(&g->line, bytes))
        refuse(g, &(struct err){ ERR_LIMIT, "the first line is too long" });
    else if (bytes.p[bytes.n - 1] == '\n')
        read_greeting(g);
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

/* ---- the first byte ------------------------------------------------------------------------ */

/*
 * Read the hello line of a client. If a socket stream is paused when the other side shuts down, the
 * stream ends and its last bytes are lost; a pair of pipes keeps them (stream.h). So the socket is
 * opened as a pair of pipes.
 */
static void greet_client(struct client *g)
{
    struct daemon *d = g->daemon;
    int out = fcntl(g->fd, F_DUPFD_CLOEXEC, 0);
    struct err e;

    g->state = GREETING;
    buf_init(&g->line, DAEMON_LINE);
    pipe_stream_open(&g->io, d->service->loop, g->fd, out, &greeting_events, g,
                     (size_t)d->service->limits->output_backlog_bytes);
    g->io.packet = &g->packet;
    if (out >= 0 && hangups_add(&d->hangups, g->fd, g, &e))
        stream_start(&g->io.s);
    else
        stream_close(&g->io.s);
}

static void on_request_released(struct stream *io)
{
    free_client(CONTAINER_OF(io, struct client, request.s));
}

/*
 * Pass the connection to the HTTP server. Any Host and Origin are allowed, because a browser cannot
 * connect to a Unix socket.
 */
static void hand_to_http(struct client *g)
{
    struct daemon *d = g->daemon;

    g->state = REQUESTING;
    timer_clear(d->service->loop, &g->late);
    sock_stream_open(&g->request, d->service->loop, g->fd, NULL, NULL,
                     (size_t)d->service->limits->output_backlog_bytes);
    http_server_accept(d->http, &g->request.s,
                       &(struct http_peer){ .remote = STR("unix"),
                                            .local = STR(""),
                                            .loopback = true,
                                            .any_host = true,
                                            .has_uid = true,
                                            .uid = geteuid() },
                       on_request_released);
}

/*
 * The watch of a client that sent no byte is closed, because its time has passed or the daemon
 * stops.
 */
static void on_dropped(struct watch *w)
{
    struct client *g = CONTAINER_OF(w, struct client, first);

    close(g->fd);
    free_client(g);
}

static void drop_client(struct client *g)
{
    if (!g->first.on_closed)
        watch_close(&g->first, on_dropped);
}

static void on_first_hello(struct watch *w)
{
    struct client *g = CONTAINER_OF(w, struct client, first);

    if (g->daemon->closed || g->daemon->drained)
        on_dropped(w);
    else
        greet_client(g);
}

static void on_first_request(struct watch *w)
{
    struct client *g = CONTAINER_OF(w, struct client, first);

    if (g->daemon->closed)
        on_dropped(w);
    else
        hand_to_http(g);
}

static void on_first_byte(struct watch *w, unsigned events)
{
    struct client *g = CONTAINER_OF(w, struct client, first);
    char first;
    ssize_t n = recv(g->fd, &first, 1, MSG_PEEK);

    (void)events;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    watch_close(w, n <= 0 ? on_dropped : first == '{' ? on_first_hello : on_first_request);
}

static void on_late(struct timer *t)
{
    struct client *g = CONTAINER_OF(t, struct client, late);

    if (g->state == ARRIVED)
        drop_client(g);
    else
        stream_close(&g->io.s);
}

/* ---- accepting clients --------------------------------------------------------------------- */

static bool is_welcome(const struct daemon *d, int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || peer.uid != geteuid()) {
        LOG(LOG_WARN, "daemon", "a client of another user is rejected");
        return false;
    }
    return (int64_t)d->count < d->service->limits->attached_programs;
}

static void let_in(struct daemon *d, int fd)
{
    struct client *g = MEM_NEW(struct client);
    struct err e;

    g->daemon = d;
    g->fd = fd;
    g->link = &d->clients;
    g->next = d->clients;
    if (g->next)
        g->next->link = &g->next;
    d->clients = g;
    d->count++;
    timer_set(d->service->loop, &g->late, d->service->limits->attach_ms, on_late);
    if (watch_open(&g->first, d->service->loop, fd, on_first_byte, &e))
        watch_want(&g->first, WATCH_READ);
    else
        drop_client(g);
}

static void on_rested(struct timer *t)
{
    watch_want(&CONTAINER_OF(t, struct daemon, rest)->watch, WATCH_READ);
}

/*
 * No descriptor is left: stop accepting for a while. Otherwise the listening socket would stay
 * ready and the loop would spin.
 */
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

        if (fd < 0) {
            if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
                rest(d);
            return;
        }
        if (is_welcome(d, fd))
            let_in(d, TAKE_FD(fd));
    }
}

/* ---- the socket ---------------------------------------------------------------------------- */

static void on_http_closed(void *ctx)
{
    struct daemon *d = ctx;

    d->http = NULL;
    check_settled(d);
}

/* The last messages of all work were sent to the clients that still read. */
static void on_works_emptied(struct work_streams *all)
{
    struct daemon *d = CONTAINER_OF(all, struct daemon, works);

    if (d->closed)
        http_server_close(d->http, on_http_closed, d);
}

void daemon_init(struct daemon *d, struct project *project, struct service *service)
{
    *d = (struct daemon){ .project = project, .service = service, .bound.fd = -1 };
    d->digest = daemon_root_digest(project);
    d->settled.fn = on_settled;
    d->works.emptied = on_works_emptied;
    daemon_config_digest(project, d->config);
    service->web.daemon = d;
    d->http = operator_http_new(d);
}

void daemon_use_runtime(struct daemon *d, struct runtime *runtime)
{
    d->runtime = runtime;
}

void daemon_reloaded(struct daemon *d)
{
    daemon_config_digest(d->project, d->config);
}

/* Does another daemon own this socket? */
static bool is_taken(const char *path)
{
    int pid;
    AUTO_FD fd = daemon_connect(path, &pid);

    if (fd < 0)
        return false;
    LOG(LOG_WARN, "serve", "another daemon serves this root; clients attach to that daemon",
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
    d->watching = true; /* the watch must be closed even if it cannot be opened */
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
        LOG(LOG_INFO, "serve", "clients cannot attach", LOG_Z("why", e.text));
    else if (is_taken(path))
        return;
    else if (!listen_at(d, path, &e))
        LOG(LOG_WARN, "serve", "clients cannot attach", LOG_Z("why", e.text));
    else
        LOG(LOG_DEBUG, "serve", "clients can attach", LOG_Z("socket", path));
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

static void on_http_drained(void *ctx)
{
    struct daemon *d = ctx;

    d->http_drained = true;
    check_settled(d);
}

static void drain_client(struct client *g)
{
    if (g->state == SERVED)
        attached_mcp_drain(&g->mcp);
    else if (g->state == GREETING)
        stream_close(&g->io.s);
    else if (g->state == ARRIVED)
        drop_client(g);
}

void daemon_drain(struct daemon *d, void (*done)(void *ctx), void *ctx)
{
    d->drained = done;
    d->drained_ctx = ctx;
    stop_listening(d);
    http_server_drain(d->http, on_http_drained, d);
    for (struct client *g = d->clients; g; g = g->next)
        drain_client(g);
    check_settled(d);
}

static void end_client(struct client *g)
{
    if (g->state == SERVED)
        attached_mcp_stop(&g->mcp);
    else if (g->state == GREETING || g->state == LEAVING)
        stream_close(&g->io.s);
    else if (g->state == ARRIVED)
        drop_client(g);
}

/*
 * Cancel all work before the connections are closed, so that clients are told how their work ended.
 */
void daemon_close(struct daemon *d, void (*done)(void *ctx), void *ctx)
{
    d->closed = done;
    d->closed_ctx = ctx;
    stop_listening(d);
    if (d->hearing)
        hangups_close(&d->hangups, on_hangups_closed);
    for (struct client *g = d->clients; g; g = g->next)
        end_client(g);
    for (struct work_stream *s = d->works.first, *next; s; s = next) {
        next = s->next;
        work_stream_cancel(s);
    }
    if (!d->works.first)
        on_works_emptied(&d->works);
}
