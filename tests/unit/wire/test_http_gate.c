/* Who may come in: Host, Origin and routes, row by row. */
#include "wire/http_gate.h"

#include "tap.h"
#include "wire/http_key.h"

static void nothing(struct http_req *req)
{
    (void)req;
}

static const struct http_route routes[] = {
    { "GET", "/a", nothing },      { "POST", "/a", nothing },   { "GET", "/b/*", nothing },
    { "DELETE", "/b/*", nothing }, { "POST", "/b/c", nothing }, { "OPTIONS", "*", nothing },
    { "GET", "/", nothing },
};

static const struct str hosts[] = { STR("Example.ORG"), STR("[2001:db8::1]") };

static struct http_gate gate;

__attribute__((constructor)) static void set_up(void)
{
    struct http_server_opts opts = {
        .route = routes, .routes = ARRAY_LEN(routes), .host = hosts, .hosts = ARRAY_LEN(hosts)
    };

    http_gate_init(&gate, &opts);
}

static int ask(struct http1_head head, bool any_host, struct http_entry *entry,
               struct http_refusal *no)
{
    bool pass = http_gate_pass(
        &gate, &head, &(struct http_peer){ .local = STR("192.0.2.7"), .any_host = any_host }, entry,
        no);

    return pass ? 200 : no->status;
}

static int ask_host(const char *host, const char *origin, bool any_host)
{
    struct http_entry entry;
    struct http_refusal no;
    struct http1_head head = { .method = STR("GET"), .path = STR("/a") };
    struct str port;

    if (host && !http1_authority(str_of(host), &head.host, &port))
        return 400;
    head.origin = str_of(origin);
    return ask(head, any_host, &entry, &no);
}

static const struct {
    const char *host, *origin;
    int status;
} doors[] = {
    { "localhost", NULL, 200 },
    { "LocalHost:8733", NULL, 200 },
    { "127.0.0.1", NULL, 200 },
    { "127.0.0.1:1", NULL, 200 },
    { "[::1]:8733", NULL, 200 },
    { "192.0.2.7:99", NULL, 200 },
    { "example.org", NULL, 200 },
    { "EXAMPLE.org:443", NULL, 200 },
    { "[2001:DB8::1]", NULL, 200 },
    { NULL, NULL, 200 }, /* HTTP/1.0 */
    { "evil.example", NULL, 403 },
    { "localhost.evil.example", NULL, 403 },
    { "evil-localhost", NULL, 403 },
    { "localhost.", NULL, 403 },
    { "127.0.0.2", NULL, 403 },
    { "0.0.0.0", NULL, 403 },
    { "192.0.2.8", NULL, 403 },
    { "[::]", NULL, 403 },
    { "[0:0:0:0:0:0:0:1]", NULL, 403 },
    { "sub.example.org", NULL, 403 },

    { "localhost", "http://localhost", 200 },
    { "localhost", "https://localhost:6274", 200 },
    { "localhost", "http://127.0.0.1:3000", 200 },
    { "localhost", "http://[::1]:3000", 200 },
    { "localhost", "https://example.org", 200 },
    { "localhost", "http://192.0.2.7", 200 },
    { "localhost", "null", 403 },
    { "localhost", "", 403 },
    { "localhost", "http://", 403 },
    { "localhost", "localhost", 403 },
    { "localhost", "http://evil.example", 403 },
    { "localhost", "http://localhost.evil.example", 403 },
    { "localhost", "http://localhost@evil.example", 403 },
    { "localhost", "http://evil.example/localhost", 403 },
    { "localhost", "http://localhost/", 403 }, /* an origin has no path */
    { "localhost", "http://localhost http://evil.example", 403 },
    { "localhost", "file://", 403 },
    { "localhost", "vscode-webview://localhost", 403 },
    { "evil.example", "http://localhost", 403 },
    { NULL, "http://evil.example", 403 },
};

TEST(only_our_own_names_pass_as_host_and_origin)
{
    for (size_t i = 0; i < ARRAY_LEN(doors); i++) {
        int got = ask_host(doors[i].host, doors[i].origin, false);

        if (got != doors[i].status)
            TAP_NOT("row %zu: Host %s, Origin %s: %d, want %d", i, doors[i].host, doors[i].origin,
                    got, doors[i].status);
    }
}

TEST(nobody_asks_for_names_where_no_browser_can_be)
{
    for (size_t i = 0; i < ARRAY_LEN(doors); i++)
        EQ(ask_host(doors[i].host, doors[i].origin, true), 200);
}

static const struct {
    const char *method, *path;
    int status;
    int row; /* of routes, with 200 */
    const char *allow;
} paths[] = {
    { "GET", "/a", 200, 0, "" },
    { "HEAD", "/a", 200, 0, "" },
    { "POST", "/a", 200, 1, "" },
    { "PUT", "/a", 405, 0, "GET, HEAD, POST" },
    { "GET", "/b/x", 200, 2, "" },
    { "GET", "/b/x/y", 200, 2, "" },
    { "DELETE", "/b/x", 200, 3, "" },
    { "POST", "/b/c", 200, 4, "" },
    { "GET", "/b/c", 200, 2, "" },
    { "PUT", "/b/c", 405, 0, "GET, HEAD, DELETE, POST" },
    { "POST", "/b/x", 405, 0, "GET, HEAD, DELETE" },
    { "GET", "/b/", 404, 0, "" },
    { "GET", "/b", 404, 0, "" },
    { "GET", "/", 200, 6, "" },
    { "GET", "//", 404, 0, "" },
    { "GET", "/A", 404, 0, "" },
    { "GET", "/%61", 404, 0, "" },
    { "GET", "/a/../a", 404, 0, "" },
    { "OPTIONS", "*", 200, 5, "" },
    { "OPTIONS", "/a", 405, 0, "GET, HEAD, POST" },
};

TEST(the_first_row_that_fits_serves)
{
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        struct http1_head head = { .method = str_of(paths[i].method),
                                   .path = str_of(paths[i].path) };
        struct http_entry entry = { 0 };
        struct http_refusal no = { 0 };
        int got = ask(head, true, &entry, &no);

        if (got != paths[i].status)
            TAP_NOT("%s %s: %d, want %d", paths[i].method, paths[i].path, got, paths[i].status);
        if (got == 200)
            EQ(entry.route - gate.route, paths[i].row);
        EQ_STR(no.allow, paths[i].allow);
    }
}

TEST(what_is_repeated_of_a_request_is_cut)
{
    char path[1000];
    struct http1_head head = { .method = STR("GET"), .path = { path, sizeof(path) } };
    struct http_entry entry;
    struct http_refusal no;

    memset(path, 'p', sizeof(path));
    EQ(ask(head, true, &entry, &no), 404);
    OK(strlen(no.text) < 120);
}

/* ---- the pace ------------------------------------------------------------------------------ */

static const struct http_key key = { STR("ci"), STR("k") };
static struct str paced_by;
static int64_t wait_ms;

static int64_t pace(void *ctx, const struct http_peer *peer, struct str name)
{
    (void)ctx;
    paced_by = name.n ? name : peer->remote;
    return peer->loopback ? 0 : wait_ms;
}

TEST(who_comes_too_often_is_told_for_how_long_to_wait)
{
    static const struct str rpc[] = { STR("/b") };
    struct http_server_opts opts = { .route = routes,
                                     .routes = ARRAY_LEN(routes),
                                     .key = &key,
                                     .keys = 1,
                                     .pace = pace,
                                     .rpc = rpc,
                                     .rpcs = 1 };
    struct http_header header = { STR("X-API-Key"), STR("k") };
    struct http_peer peer = { .remote = STR("192.0.2.9:1"), .any_host = true };
    struct http_entry entry;
    struct http_gate paced;
    struct http_refusal no;
    struct http1_head head = { .method = STR("GET"), .path = STR("/a"), .header = &header };

    http_gate_init(&paced, &opts);
    wait_ms = 1500;
    OK(!http_gate_pass(&paced, &head, &peer, &entry, &no)); /* also who guesses keys */
    EQ(no.status, 429);
    EQ(no.retry_ms, 1500);
    OK(!no.rpc);
    EQ_S(paced_by, "192.0.2.9:1");
    head.headers = 1;
    head.path = STR("/b/c");
    OK(!http_gate_pass(&paced, &head, &peer, &entry, &no));
    OK(no.rpc);
    EQ_S(paced_by, "ci");
    peer.loopback = true;
    OK(http_gate_pass(&paced, &head, &peer, &entry, &no));
    peer.loopback = false;
    wait_ms = 0;
    OK(http_gate_pass(&paced, &head, &peer, &entry, &no));
    EQ_S(entry.key, "ci");
    http_gate_fini(&paced);
}

TEST(without_the_key_nobody_learns_what_is_here)
{
    static const struct str open[] = { STR("/a") };
    struct http_server_opts opts = { .route = routes,
                                     .routes = ARRAY_LEN(routes),
                                     .key = &key,
                                     .keys = 1,
                                     .open = open,
                                     .opens = 1 };
    struct http_header header = { STR("X-API-Key"), STR("k") };
    struct http_entry entry;
    struct http_gate keyed;
    struct http_refusal no;
    struct http1_head head = { .method = STR("GET"), .path = STR("/none"), .header = &header };

    http_gate_init(&keyed, &opts);
    OK(!http_gate_pass(&keyed, &head, &(struct http_peer){ .any_host = true }, &entry, &no));
    EQ(no.status, 401);
    head.headers = 1;
    OK(!http_gate_pass(&keyed, &head, &(struct http_peer){ .any_host = true }, &entry, &no));
    EQ(no.status, 404);
    head.headers = 0;
    head.path = STR("/a");
    OK(http_gate_pass(&keyed, &head, &(struct http_peer){ .any_host = true }, &entry, &no));
    head.path = STR("/b/c");
    OK(!http_gate_pass(&keyed, &head, &(struct http_peer){ .any_host = true }, &entry, &no));
    EQ(no.status, 401);
    http_gate_fini(&keyed);
}

TEST_MAIN()
