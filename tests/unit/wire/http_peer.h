/*
 * http_peer.h - what the tests of the HTTP client share: a loop whose clock stands still, a
 * client on it, the server http_peer.py, and a resolver that knows the names of the tests.
 *
 *   loop.test     127.0.0.1                     far.test      unknown; for proxies
 *   many.test     127.0.0.2, .3, .1             tls.test      127.0.0.1
 *   first.test    127.0.0.1, 10.0.0.1           last.test     10.0.0.1, 127.0.0.1
 *   rebind.test   127.0.0.1 at first, then 127.0.0.9 (resolver_asked counts)
 *   blocked.test  never answered until the test opens resolver_gate
 */
#ifndef TESTS_HTTP_PEER_H
#define TESTS_HTTP_PEER_H

#include "base/container.h"
#include "tap.h"
#include "wire/http_fetch.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- the resolver ----------------------------------------------------------------------- */

static sem_t resolver_gate;
static atomic_int resolver_waiting;
static atomic_int resolver_asked; /* for rebind.test */

static const struct {
    const char *name;
    const char *address[3];
} known_names[] = {
    { "loop.test", { "127.0.0.1" } },
    { "localhost.", { "127.0.0.1" } },
    { "tls.test", { "127.0.0.1" } },
    { "many.test", { "127.0.0.2", "127.0.0.3", "127.0.0.1" } },
    { "first.test", { "127.0.0.1", "10.0.0.1" } },
    { "last.test", { "10.0.0.1", "127.0.0.1" } },
};

static const char *const rebinding[][3] = { { "127.0.0.1" }, { "127.0.0.9" } };

typedef int getaddrinfo_fn(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static int resolve_list(getaddrinfo_fn *real, const char *const *address, const char *service,
                        const struct addrinfo *hints, struct addrinfo **out)
{
    struct addrinfo want = hints ? *hints : (struct addrinfo){ 0 };

    want.ai_family = AF_INET;
    for (size_t i = 0; i < 3 && address[i]; i++) {
        if (real(address[i], service, &want, out))
            return EAI_FAIL;
        out = &(*out)->ai_next;
    }
    return 0;
}

/* libcurl, opened later than this program, finds this one first. */
__attribute__((visibility("default"))) int getaddrinfo(const char *restrict name,
                                                       const char *restrict service,
                                                       const struct addrinfo *restrict hints,
                                                       struct addrinfo **restrict out)
{
    getaddrinfo_fn *real = (getaddrinfo_fn *)dlsym(RTLD_NEXT, "getaddrinfo");

    for (size_t i = 0; name && i < ARRAY_LEN(known_names); i++)
        if (strcmp(name, known_names[i].name) == 0)
            return resolve_list(real, known_names[i].address, service, hints, out);
    if (name && strcmp(name, "rebind.test") == 0)
        return resolve_list(real, rebinding[atomic_fetch_add(&resolver_asked, 1) > 0], service,
                            hints, out);
    if (name && strcmp(name, "blocked.test") == 0) {
        atomic_fetch_add(&resolver_waiting, 1);
        while (sem_wait(&resolver_gate))
            ;
        atomic_fetch_sub(&resolver_waiting, 1);
    }
    if (name && str_ends(str_of(name), STR(".test")))
        return EAI_NONAME;
    return real(name, service, hints, out);
}

static inline void resolver_release(void)
{
    while (atomic_load(&resolver_waiting)) {
        sem_post(&resolver_gate);
        sched_yield();
    }
    while (sem_trywait(&resolver_gate) == 0)
        ;
}

/* ---- the server ------------------------------------------------------------------------- */

static struct {
    pid_t pid;
    int in; /* closing it ends the server */
    unsigned port, tls_port, old_port;
    char folder[128], cert[160]; /* of its certificate */
} peer;

static void peer_stop(void)
{
    close(peer.in);
    waitpid(peer.pid, NULL, 0);
}

static void peer_spawn(int in, int out, int not_in, int not_out)
{
    char python[] = "python3", script[] = HTTP_PEER;
    char *argv[] = { python, script, NULL };
    posix_spawn_file_actions_t fa;

    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_adddup2(&fa, in, 0);
    posix_spawn_file_actions_adddup2(&fa, out, 1);
    posix_spawn_file_actions_addclose(&fa, not_in);
    posix_spawn_file_actions_addclose(&fa, not_out);
    if (posix_spawnp(&peer.pid, python, &fa, NULL, argv, environ))
        abort();
    posix_spawn_file_actions_destroy(&fa);
}

/* Once per test program. */
static void peer_start(void)
{
    int to[2], from[2];
    FILE *f;

    if (peer.pid)
        return;
    unsetenv("http_proxy");
    unsetenv("https_proxy");
    unsetenv("all_proxy");
    unsetenv("no_proxy");
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        abort();
    peer_spawn(to[0], from[1], to[1], from[0]);
    close(to[0]);
    close(from[1]);
    peer.in = to[1];
    f = fdopen(from[0], "r");
    if (!f ||
        fscanf(f, "%u %u %u %127s", &peer.port, &peer.tls_port, &peer.old_port, peer.folder) != 4)
        abort();
    snprintf(peer.cert, sizeof(peer.cert), "%s/good.pem", peer.folder);
    fclose(f);
    atexit(peer_stop);
}

/* A listener that takes connections and says nothing: the kernel accepts them for it. */
static inline int mute_listener(unsigned *port)
{
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof(in);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, (void *)&in, n) || listen(fd, 16) || getsockname(fd, (void *)&in, &n))
        abort();
    *port = ntohs(in.sin_port);
    return fd;
}

/* ---- the world of a test ---------------------------------------------------------------- */

static struct {
    struct loop *loop;
    struct limits limits;
    struct http_client_opts opts;
    struct http_client *client;
    struct arena mem;
    bool closed;
} w;

static void world_open_client(void)
{
    w.opts.loop = w.loop;
    w.opts.limits = &w.limits;
    w.opts.user_agent = "trefoil/test";
    w.client = http_client_new(&w.opts);
}

static void world_begin(void)
{
    peer_start();
    memset(&w, 0, sizeof(w));
    w.loop = loop_new(LOOP_FAKE_CLOCK);
    limits_preset(&w.limits);
    world_open_client();
}

static void on_client_closed(void *ctx)
{
    *(bool *)ctx = true;
    loop_stop(w.loop);
}

static void world_close_client(void)
{
    w.closed = false;
    http_client_close(w.client, on_client_closed, &w.closed);
    while (!w.closed)
        loop_run(w.loop);
}

/* loop_free aborts when anything was left open. */
static void world_end(void)
{
    world_close_client();
    while (loop_run_once(w.loop)) /* what the closing settled */
        ;
    loop_free(w.loop);
    arena_fini(&w.mem);
}

__attribute__((format(printf, 1, 2))) static struct str text(const char *fmt, ...)
{
    char line[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    return arena_str(&w.mem, str_of(line));
}

/* A URL of the server. */
static struct str at(const char *path)
{
    return text("http://127.0.0.1:%u%s", peer.port, path);
}

/* ---- fetches ---------------------------------------------------------------------------- */

struct got {
    struct fetch f;
    struct fetch_request req;
    bool done;
    struct err err;
    int heads;
    size_t bytes;
    void (*then)(struct got *g); /* from on_bytes */
    void *data;
};

static struct got *got_of(struct fetch *f)
{
    return CONTAINER_OF(f, struct got, f);
}

static void on_got_head(struct fetch *f)
{
    got_of(f)->heads++;
}

static inline void on_got_bytes(struct fetch *f, struct str bytes)
{
    struct got *g = got_of(f);

    g->bytes += bytes.n;
    if (g->then)
        g->then(g);
}

static void on_got(struct op *op, const struct err *e, void *ctx)
{
    struct got *g = ctx;

    (void)op;
    g->done = true;
    if (e)
        g->err = *e;
    loop_stop(w.loop);
}

/* Prepare a GET; change g->req, then got_start. */
static void got_init(struct got *g, struct str url)
{
    *g = (struct got){ .req = { .url = url, .mem = &w.mem, .on_head = on_got_head } };
}

static void got_start(struct got *g, struct op *parent)
{
    fetch_start(&g->f, w.client, parent, &g->req, on_got, g);
}

/* Nothing here takes time: it goes on with the next event, or never. */
static void got_wait(struct got *g)
{
    for (int i = 0; i < 10000 && !g->done; i++)
        loop_run(w.loop);
    if (!g->done)
        TAP_NOT("the loop has nothing to do, and the fetch is not done");
}

/* Run until cond holds or the fetch is done. */
#define RUN_UNTIL(g, cond)                                                                         \
    while (!(g)->done && !(cond))                                                                  \
    loop_run_once(w.loop)

static void get(struct got *g, struct str url)
{
    got_init(g, url);
    got_start(g, NULL);
    got_wait(g);
}

/* A request to the path that echoes it. */
static inline void ask(struct got *g, const char *method, struct str body,
                       const struct http_header *h, size_t n)
{
    got_init(g, at("/echo"));
    g->req.method = str_of(method);
    g->req.body = body;
    g->req.header = h;
    g->req.headers = n;
    got_start(g, NULL);
    got_wait(g);
}

/* The number of the connection that an answer came on. */
static inline uint64_t connection_of(struct got *g)
{
    uint64_t n = 0;

    OK(str_uint(fetch_header(&g->f, "X-Connection"), 1, UINT64_MAX, &n));
    return n;
}

#define EQ_ERR(g, want_code, part)                                                                 \
    do {                                                                                           \
        EQ((g)->err.code, want_code);                                                              \
        if (!strstr((g)->err.text, part))                                                          \
            TAP_NOT("the error is \"%s\", want \"%s\" in it", (g)->err.text, part);                \
    } while (0)

#define HAS(s, part)                                                                               \
    do {                                                                                           \
        struct str s_ = (s);                                                                       \
        if (str_find(s_, str_of(part)) < 0)                                                        \
            TAP_NOT("\"%s\" is not in \"%.*s\"", part, (int)s_.n, s_.p ? s_.p : "");               \
    } while (0)

#define HAS_NOT(s, part) OK(str_find(s, str_of(part)) < 0)

#endif
