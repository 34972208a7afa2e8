/* What the HTTP client may reach: URLs, addresses, redirects, proxies, certificates. */
#include "base/auto.h"
#include "http_peer.h"

/* ---- URLs ------------------------------------------------------------------------------- */

static const struct {
    const char *url, *want; /* of the error */
} bad_urls[] = {
    { "", "not a valid URL" },
    { "plain", "not a valid URL" },
    { "//host/", "not a valid URL" },
    { "http://", "not a valid URL" },
    { "http:///", "not a valid URL" },
    { "http://a b/", "not a valid URL" },
    { "http://a/b c", "not a valid URL" },
    { "http://a/\r\nX: y", "not a valid URL" },
    { "http://[::1/", "not a valid URL" },
    { "http://[::g]/", "not a valid URL" },
    { "http://a:0/", "port" },
    { "http://a:65536/", "not a valid URL" },
    { "http://a:x/", "not a valid URL" },
    { "http://user@a/", "user or password" },
    { "http://user:secret@a/", "user or password" },
    { "http://:secret@a/", "user or password" },
    { "ftp://a/", "scheme ftp: only http and https" },
    { "file:///etc/passwd", "scheme file: only http and https" },
    { "gopher://a/", "scheme gopher" },
    { "javascript:alert(1)", "not a valid URL" },
    { "http://m\xc3\xbcnchen.example/", "not ASCII" },
    { "http://%6d%c3%bcnchen.example/", "not ASCII" },
};

TEST(only_proper_urls_are_fetched)
{
    struct got g;

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(bad_urls); i++) {
        get(&g, str_of(bad_urls[i].url));
        EQ(g.err.code, ERR_INVALID);
        if (!strstr(g.err.text, bad_urls[i].want) || strstr(g.err.text, "secret"))
            TAP_NOT("%s: %s", bad_urls[i].url, g.err.text);
    }
    get(&g, STR("http://127.0.0.1\0.example.com/"));
    EQ_ERR(&g, ERR_INVALID, "contains a NUL byte");
    world_end();
}

static const struct {
    const char *text, *base; /* NULL: none */
    const char *whole, *host;
    int port;
    bool tls;
} good_urls[] = {
    { "http://a", NULL, "http://a/", "a", 80, false },
    { "HTTP://a:80/x?y#z", NULL, "http://a:80/x?y", "a", 80, false },
    { "https://A.example:8443/x", NULL, "https://A.example:8443/x", "A.example", 8443, true },
    { "https://[2001:DB8::1]/", NULL, "https://[2001:DB8::1]/", "2001:DB8::1", 443, true },
    { "http://2130706433/", NULL, "http://127.0.0.1/", "127.0.0.1", 80, false },
    { "/c", "http://a/b?q", "http://a/c", "a", 80, false },
    { "c?d", "http://a/b/x", "http://a/b/c?d", "a", 80, false },
    { "//b:8080/c", "https://a/", "https://b:8080/c", "b", 8080, true },
    { "http://b/", "https://a/", "http://b/", "b", 80, false },
    { "../c d", "http://a/b/x", "http://a/c%20d", "a", 80, false },
};

TEST(urls_are_taken_apart)
{
    const struct curl_api *api;
    struct err e;
    AUTO_ARENA mem = { 0 };

    OK(curl_api_open(&api, &e));
    for (size_t i = 0; i < ARRAY_LEN(good_urls); i++) {
        struct http_url base, url;
        bool ok = !good_urls[i].base ||
                  http_url_read(api, &mem, str_of(good_urls[i].base), NULL, &base, &e);

        OK(ok);
        ok = http_url_read(api, &mem, str_of(good_urls[i].text), good_urls[i].base ? &base : NULL,
                           &url, &e);
        OK(ok);
        if (!ok)
            continue;
        EQ_S(url.text, good_urls[i].whole);
        EQ_S(url.host, good_urls[i].host);
        EQ(url.port, good_urls[i].port);
        EQ(url.tls, good_urls[i].tls);
    }
}

/* ---- addresses -------------------------------------------------------------------------- */

static void get_outside(struct got *g, struct str url)
{
    got_init(g, url);
    g->req.zone = FETCH_OUTSIDE;
    got_start(g, NULL);
    got_wait(g);
}

/* All of them are this machine. */
static const char *const loopbacks[] = {
    "127.0.0.1", "127.1",      "0x7f.1",         "0177.0.0.1", "2130706433",
    "localhost", "localhost.", "loop.test",      "0x7f000001", "%31%32%37.1",
    "0",         "LOCALHOST",  "[::ffff:127.1]", "127.0.0.1.", "[::ffff:7f00:1]",
};

TEST(this_machine_is_not_reached_from_outside_in_any_spelling)
{
    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(loopbacks); i++) {
        struct got g;

        if (strcmp(loopbacks[i], "[::ffff:127.1]") == 0)
            continue; /* no address at all */
        get_outside(&g, text("http://%s:%u/plain", loopbacks[i], peer.port));
        EQ(g.f.status, 0);
        if (g.err.code != ERR_DENIED)
            TAP_NOT("%s: %s", loopbacks[i], g.err.text);
    }
    world_end();
}

TEST(this_machine_is_reached_when_configured)
{
    static const char *const hosts[] = { "127.0.0.1",  "127.1",     "0x7f.1",
                                         "2130706433", "localhost", "loop.test" };

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
        struct got g;

        get(&g, text("http://%s:%u/plain", hosts[i], peer.port));
        EQ_S(g.f.body, "hello");
    }
    world_end();
}

TEST(a_name_that_leads_here_is_refused_at_the_door)
{
    struct got g;

    world_begin();
    get_outside(&g, text("http://loop.test:%u/plain", peer.port));
    EQ_ERR(&g, ERR_DENIED, "loop.test:");
    EQ_ERR(&g, ERR_DENIED, "resolves to 127.0.0.1, which is not allowed");
    world_end();
}

TEST(metadata_services_are_never_reached)
{
    static const char *const urls[] = {
        "http://169.254.169.254/latest/meta-data/",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/",
        "http://metadata.google.internal/computeMetadata/v1/",
        "http://Metadata.Google.Internal./",
        "http://metadata.google/",
        "http://met%61data.google/",
    };

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(urls); i++)
        for (int zone = 0; zone < POOLS; zone++) {
            struct got g;

            got_init(&g, str_of(urls[i]));
            g.req.zone = (enum fetch_zone)zone;
            got_start(&g, NULL);
            got_wait(&g);
            EQ_ERR(&g, ERR_DENIED, "is not allowed");
        }
    world_end();
}

/* ---- the hook --------------------------------------------------------------------------- */

static char seen[1024];
static const char *only; /* the one address that is allowed; NULL: all */

static bool allow(const struct sockaddr *sa, const struct address_policy *policy, void *ctx)
{
    char address[ADDRESS_TEXT];
    size_t n = strlen(seen);

    OK(ctx == &only);
    http_address_text(sa, address);
    snprintf(seen + n, sizeof(seen) - n, "%s%c ", address, policy->configured ? 'm' : 'p');
    return !only || strcmp(only, address) == 0;
}

static void hooked_begin(const char *just)
{
    world_begin();
    world_close_client();
    seen[0] = 0;
    only = just;
    w.opts.allowed = allow;
    w.opts.ctx = &only;
    world_open_client();
}

/* Nobody listens on the first two: they are tried one after the other, without any waiting. */
TEST(every_address_of_a_name_is_seen_before_it_is_connected_to)
{
    struct got g;

    hooked_begin(NULL);
    get_outside(&g, text("http://many.test:%u/plain", peer.port));
    EQ_S(g.f.body, "hello");
    /* all before any is tried, the three as they are tried, then the one that was connected to */
    EQ_STR(seen, "127.0.0.2p 127.0.0.3p 127.0.0.1p "
                 "127.0.0.2p 127.0.0.3p 127.0.0.1p 127.0.0.1p ");
    world_end();
}

TEST(one_refused_address_is_enough)
{
    struct got g;

    hooked_begin("127.0.0.2");
    get_outside(&g, text("http://many.test:%u/plain", peer.port));
    EQ_ERR(&g, ERR_DENIED, "many.test:");
    EQ_ERR(&g, ERR_DENIED, "resolves to 127.0.0.3, which is not allowed");
    EQ_STR(seen, "127.0.0.2p 127.0.0.3p ");
    world_end();
}

static void get_with(struct got *g, struct str url, const struct address_policy *policy)
{
    got_init(g, url);
    g->req.zone = FETCH_OUTSIDE;
    g->req.policy = policy;
    got_start(g, NULL);
    got_wait(g);
}

TEST(one_private_address_among_others_is_enough_in_any_order)
{
    static const struct ip_range ten = { 8, { 4, { 10 } } };
    static const char *const hosts[] = { "first.test", "last.test" };
    const struct address_policy here = { .loopback = true };
    const struct address_policy both = { .loopback = true, .range = &ten, .ranges = 1 };
    struct got g;

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
        get_with(&g, text("http://%s:%u/plain", hosts[i], peer.port), &here);
        EQ_ERR(&g, ERR_DENIED,
               "resolves to 10.0.0.1, which is not allowed: an address of a "
               "private network; allow_private = [\"10.0.0.1\"]");
    }
    get_with(&g, text("http://first.test:%u/plain", peer.port), &both);
    EQ_S(g.f.body, "hello");
    world_end();
}

TEST(an_own_port_is_refused_even_where_this_machine_is_allowed)
{
    uint16_t port;
    const struct address_policy p = { .loopback = true, .own_port = &port, .own_ports = 1 };
    const struct address_policy here = { .loopback = true };
    struct got g;

    world_begin();
    port = (uint16_t)peer.port;
    get_with(&g, at("/plain"), &here);
    EQ_S(g.f.body, "hello");
    get_with(&g, at("/plain"), &p);
    EQ_ERR(&g, ERR_DENIED, "is not allowed: an address of this trefoil server");
    get_with(&g, text("http://loop.test:%u/plain", peer.port), &p);
    EQ_ERR(&g, ERR_DENIED, "resolves to 127.0.0.1, which is not allowed: an address of this");
    world_end();
}

/* The second answer of a name server that changes its mind is not even asked for. */
TEST(a_name_is_resolved_once)
{
    struct got g;

    hooked_begin("127.0.0.1");
    atomic_store(&resolver_asked, 0);
    get_outside(&g, text("http://rebind.test:%u/plain", peer.port));
    EQ_S(g.f.body, "hello");
    EQ(atomic_load(&resolver_asked), 1);
    get_outside(&g, text("http://rebind.test:%u/plain", peer.port));
    EQ_ERR(&g, ERR_DENIED, "resolves to 127.0.0.9, which is not allowed");
    EQ(atomic_load(&resolver_asked), 2);
    world_end();
}

TEST(all_addresses_refuse_the_connection)
{
    struct got g;

    hooked_begin(NULL);
    get(&g, STR("http://many.test:1/plain"));
    EQ_ERR(&g, ERR_CLOSED, "connection refused by many.test:1");
    EQ_STR(seen, "127.0.0.2m 127.0.0.3m 127.0.0.1m ");
    world_end();
}

TEST(a_kept_connection_is_looked_at_again)
{
    struct got g;

    hooked_begin(NULL);
    get(&g, text("http://loop.test:%u/plain", peer.port));
    EQ_STR(seen, "127.0.0.1m 127.0.0.1m ");
    seen[0] = 0;
    get(&g, text("http://loop.test:%u/plain", peer.port));
    EQ_STR(seen, "127.0.0.1m ");
    only = "192.0.2.1";
    get(&g, text("http://loop.test:%u/plain", peer.port));
    EQ_ERR(&g, ERR_DENIED, "resolves to 127.0.0.1, which is not allowed");
    world_end();
}

TEST(outside_nothing_is_kept_or_shared)
{
    struct got g;
    uint64_t last;

    hooked_begin(NULL);
    get(&g, at("/plain"));
    last = connection_of(&g);
    for (int i = 0; i < 5; i++) {
        get_outside(&g, at("/plain"));
        OK(connection_of(&g) > last);
        last = connection_of(&g);
    }
    world_end();
}

/* ---- redirects -------------------------------------------------------------------------- */

static void get_following(struct got *g, struct str url, enum fetch_follow how)
{
    static const struct http_header h[] = {
        { STR("Authorization"), STR("Bearer secret") },
        { STR("Cookie"), STR("id=secret") },
        { STR("X-Api-Key"), STR("secret") },
        { STR("Accept"), STR("text/x-wanted") },
    };

    got_init(g, url);
    g->req.header = h;
    g->req.headers = ARRAY_LEN(h);
    g->req.follow = how;
    got_start(g, NULL);
    got_wait(g);
}

/* Redirects through the server to a path under another name of it. */
static struct str to_other(const char *path)
{
    return text("http://127.0.0.1:%u/to/http://loop.test:%u%s", peer.port, peer.port, path);
}

TEST(redirects_are_answers_unless_asked_for)
{
    struct got g;

    world_begin();
    get_following(&g, at("/redirect/1"), FETCH_FOLLOW_NONE);
    EQ(g.f.status, 302);
    EQ_S(g.f.body, "elsewhere");
    EQ_S(fetch_header(&g.f, "Location"), "/redirect/0/302");
    got_init(&g, at("/redirect/1"));
    g.req.follow = FETCH_FOLLOW_ANY;
    g.req.method = STR("POST");
    g.req.body = STR("once");
    got_start(&g, NULL);
    got_wait(&g);
    EQ(g.f.status, 302); /* GET only */
    get_following(&g, at("/to-nowhere"), FETCH_FOLLOW_ANY);
    EQ(g.f.status, 302);
    EQ_S(g.f.body, "here");
    get_following(&g, at("/status/304"), FETCH_FOLLOW_ANY);
    EQ(g.f.status, 304);
    world_end();
}

TEST(redirects_within_an_origin_keep_everything)
{
    static const char *const codes[] = { "301", "302", "303", "307", "308" };
    struct got g;

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
        get_following(&g, text("http://127.0.0.1:%u/redirect/5/%s", peer.port, codes[i]),
                      FETCH_FOLLOW_ORIGIN);
        EQ(g.err.code, ERR_NONE);
        EQ(g.f.status, 200);
        EQ(g.heads, 1);
        HAS(g.f.body, "GET /redirect/0/");
        HAS(g.f.body, "Authorization: Bearer secret");
        HAS(g.f.body, "X-Api-Key: secret");
        HAS(g.f.url, "/redirect/0/");
    }
    get_following(&g, at("/relative/x"), FETCH_FOLLOW_ORIGIN);
    EQ(g.f.status, 200);
    HAS(g.f.url, "/plain?a");
    world_end();
}

static void post_following(struct got *g, struct str url, enum fetch_follow how)
{
    got_init(g, url);
    g->req.method = STR("POST");
    g->req.body = STR("the body");
    g->req.follow = how;
    got_start(g, NULL);
    got_wait(g);
}

TEST(a_post_follows_what_keeps_its_method_within_its_origin)
{
    struct got g;

    world_begin();
    post_following(&g, at("/redirect/2/307"), FETCH_FOLLOW_ORIGIN);
    HAS(g.f.body, "POST /redirect/0/307");
    HAS(g.f.body, "the body");
    post_following(&g, at("/redirect/2/308"), FETCH_FOLLOW_ORIGIN);
    HAS(g.f.body, "POST /redirect/0/308");
    post_following(&g, at("/redirect/1/301"), FETCH_FOLLOW_ORIGIN);
    EQ(g.f.status, 301);
    post_following(&g, at("/redirect/1/303"), FETCH_FOLLOW_ORIGIN);
    EQ(g.f.status, 303);
    post_following(&g, at("/redirect/6/307"), FETCH_FOLLOW_ORIGIN);
    EQ_ERR(&g, ERR_LIMIT, "redirects again after 5 redirects");
    post_following(
        &g, text("http://127.0.0.1:%u/to-keeping/http://loop.test:%u/echo", peer.port, peer.port),
        FETCH_FOLLOW_ANY);
    EQ_ERR(&g, ERR_DENIED, "redirects to http://loop.test:");
    world_end();
}

static const struct {
    const char *path;
    enum err_code code;
    const char *want;
} bad_redirects[] = {
    { "/redirect/6", ERR_LIMIT, "redirects again after 5 redirects" },
    { "/to/http://user:secret@127.0.0.1/", ERR_INVALID, "user or password" },
    { "/to/file:///etc/passwd", ERR_INVALID, "scheme file" },
    { "/to/http://169.254.169.254/", ERR_DENIED, "169.254.169.254:80 is not allowed" },
    { "/to/http://10.0.0.1/", ERR_DENIED, "10.0.0.1:80 is not allowed" },
    { "/to/http://localhost:1/", ERR_DENIED, "which is not allowed" },
    { "/to/http://metadata.google.internal/", ERR_DENIED, "is not allowed" },
    { "/to-long/9000", ERR_LIMIT, "redirects to a URL of more than 8192 bytes" },
};

TEST(each_redirect_is_checked)
{
    struct got g;

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(bad_redirects); i++) {
        get_following(&g, at(bad_redirects[i].path), FETCH_FOLLOW_ANY);
        EQ_ERR(&g, bad_redirects[i].code, bad_redirects[i].want);
        HAS_NOT(str_of(g.err.text), "secret");
        EQ(g.f.status, 0);
    }
    get_following(&g, to_other("/echo"), FETCH_FOLLOW_ORIGIN);
    EQ_ERR(&g, ERR_DENIED, "redirects to http://loop.test:");
    get_following(&g, to_other("/echo"), FETCH_FOLLOW_ANY);
    EQ_ERR(&g, ERR_DENIED, "resolves to 127.0.0.1"); /* what a redirect names comes from outside */
    w.limits.fetch_redirects = 0;
    get_following(&g, at("/redirect/1"), FETCH_FOLLOW_ANY);
    EQ_ERR(&g, ERR_LIMIT, "after 0 redirects");
    w.limits.fetch_body_bytes = 1000;
    w.limits.fetch_redirects = 1;
    get_following(&g, at("/to-large/1000"), FETCH_FOLLOW_ANY);
    EQ_S(g.f.body, "hello");
    get_following(&g, at("/to-large/1001"), FETCH_FOLLOW_ANY);
    EQ_ERR(&g, ERR_LIMIT, "larger than 1000 bytes");
    world_end();
}

TEST(secrets_do_not_travel_to_another_origin)
{
    struct got g;

    hooked_begin(NULL);
    get_following(&g, to_other("/echo"), FETCH_FOLLOW_ANY);
    EQ(g.f.status, 200);
    HAS(g.f.body, "Host: loop.test:");
    HAS(g.f.body, "Accept: text/x-wanted");
    HAS_NOT(g.f.body, "secret");
    /* configured first, then as from outside */
    EQ_STR(seen, "127.0.0.1m 127.0.0.1m 127.0.0.1m 127.0.0.1p 127.0.0.1p 127.0.0.1p ");
    /* nor back home again */
    get_following(&g,
                  text("http://127.0.0.1:%u/to/http://loop.test:%u/to/http://127.0.0.1:%u/echo",
                       peer.port, peer.port, peer.port),
                  FETCH_FOLLOW_ANY);
    HAS(g.f.body, "Host: 127.0.0.1:");
    HAS_NOT(g.f.body, "secret");
    world_end();
}

TEST(a_fetch_may_be_cancelled_after_redirects)
{
    static const char *const paths[] = { "/silent", "/to//silent", "/to//to//silent" };
    struct got g;

    world_begin();
    for (int hops = 0; hops < (int)ARRAY_LEN(paths); hops++) {
        got_init(&g, at(paths[hops]));
        g.req.follow = FETCH_FOLLOW_ORIGIN;
        got_start(&g, NULL);
        RUN_UNTIL(&g, g.f.transfer->hops == hops && g.f.transfer->phase == PHASE_ASKED);
        op_cancel(&g.f.op);
        got_wait(&g);
        EQ(g.err.code, ERR_CANCELED);
    }
    world_end();
}

/* ---- proxies ---------------------------------------------------------------------------- */

static void set_proxy(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

TEST(the_proxy_of_the_environment_is_for_configured_urls)
{
    struct str proxy;
    struct got g;

    hooked_begin(NULL);
    proxy = text("http://127.0.0.1:%u", peer.port);
    set_proxy("http_proxy", proxy.p);
    get(&g, STR("http://far.test/echo"));
    EQ(g.err.code, ERR_NONE);
    HAS(g.f.body, "GET http://far.test/echo HTTP/1.1");

    get(&g, at("/echo")); /* this machine: directly */
    HAS(g.f.body, "GET /echo HTTP/1.1");
    get(&g, text("http://localhost:%u/echo", peer.port));
    HAS(g.f.body, "GET /echo HTTP/1.1");

    get_outside(&g, STR("http://far.test/echo"));
    EQ_ERR(&g, ERR_NOT_FOUND, "could not resolve host far.test");

    set_proxy("no_proxy", "far.test");
    get(&g, STR("http://far.test/echo"));
    EQ_ERR(&g, ERR_NOT_FOUND, "could not resolve host far.test");
    set_proxy("no_proxy", NULL);
    set_proxy("http_proxy", "http://gone.test:1");
    get(&g, STR("http://far.test/echo"));
    EQ_ERR(&g, ERR_NOT_FOUND, "could not resolve the proxy");
    set_proxy("http_proxy", NULL);
    world_end();
}

TEST(outside_no_proxy_is_used)
{
    struct str proxy;
    struct got g;

    world_begin();
    proxy = text("http://127.0.0.1:%u", peer.port);
    set_proxy("http_proxy", proxy.p);
    set_proxy("all_proxy", proxy.p);
    get_outside(&g, STR("http://far.test/echo")); /* the proxy would resolve it */
    EQ_ERR(&g, ERR_NOT_FOUND, "could not resolve host far.test");
    get_outside(&g, STR("http://127.1/echo"));
    EQ_ERR(&g, ERR_DENIED, "127.0.0.1:80 is not allowed: a loopback address");
    get_outside(&g, STR("http://%31%32%37.1/echo"));
    EQ(g.err.code, ERR_DENIED);
    set_proxy("http_proxy", NULL);
    set_proxy("all_proxy", NULL);
    world_end();
}

/* ---- TLS -------------------------------------------------------------------------------- */

static bool tls_begin(const char *trusted)
{
    peer_start();
    unsetenv("SSL_CERT_FILE");
    unsetenv("SSL_CERT_DIR");
    if (!peer.tls_port) {
        printf("# skipped: no openssl here to make a certificate\n");
        return false;
    }
    if (trusted)
        setenv("SSL_CERT_FILE", trusted, 1);
    hooked_begin(NULL);
    unsetenv("SSL_CERT_FILE");
    return true;
}

static struct str tls(const char *host, unsigned port, const char *path)
{
    return text("https://%s:%u%s", host, port, path);
}

TEST(a_certificate_nobody_vouches_for_is_refused)
{
    struct got g;

    if (!tls_begin(NULL))
        return;
    get(&g, tls("tls.test", peer.tls_port, "/plain"));
    EQ_ERR(&g, ERR_DENIED, "TLS: the certificate of tls.test:");
    EQ_ERR(&g, ERR_DENIED, "is self-signed");
    get_outside(&g, tls("tls.test", peer.tls_port, "/plain"));
    EQ(g.err.code, ERR_DENIED);
    world_end();
}

TEST(a_certificate_must_be_of_this_host_and_valid_now)
{
    struct got g;

    if (!tls_begin(peer.cert))
        return;
    get(&g, tls("tls.test", peer.tls_port, "/plain"));
    EQ(g.err.code, ERR_NONE);
    EQ_S(g.f.body, "hello");
    get_outside(&g, tls("tls.test", peer.tls_port, "/plain"));
    EQ_S(g.f.body, "hello");
    get(&g, tls("loop.test", peer.tls_port, "/plain"));
    EQ_ERR(&g, ERR_DENIED, "TLS: the certificate of loop.test:");
    get(&g, tls("tls.test", peer.old_port, "/plain"));
    EQ_ERR(&g, ERR_DENIED, "has expired");
    world_end();
}

TEST(trusted_certificates_may_be_a_folder)
{
    struct str dir;
    struct got g;

    if (!tls_begin(NULL))
        return;
    world_close_client();
    dir = text("%s/trusted", peer.folder);
    setenv("SSL_CERT_DIR", dir.p, 1);
    world_open_client();
    unsetenv("SSL_CERT_DIR");
    get(&g, tls("tls.test", peer.tls_port, "/plain"));
    EQ_S(g.f.body, "hello");
    world_end();
}

TEST(tls_connections_are_kept_too)
{
    struct got a, b;

    if (!tls_begin(peer.cert))
        return;
    get(&a, tls("tls.test", peer.tls_port, "/plain"));
    get(&b, tls("tls.test", peer.tls_port, "/plain"));
    EQ(connection_of(&a), connection_of(&b));
    world_end();
}

TEST(a_port_without_tls_and_a_list_that_is_not_there)
{
    struct got g;

    if (!tls_begin("/nowhere/certificates.pem"))
        return;
    get(&g, tls("tls.test", peer.tls_port, "/plain"));
    EQ_ERR(&g, ERR_SYSTEM, "TLS: no trusted certificates (SSL_CERT_FILE");
    world_end();
    if (!tls_begin(NULL))
        return;
    get(&g, tls("127.0.0.1", peer.port, "/plain"));
    EQ(g.err.code, ERR_CLOSED);
    world_end();
}

TEST(https_never_leads_to_http)
{
    struct got g;

    if (!tls_begin(peer.cert))
        return;
    get_following(
        &g, text("https://tls.test:%u/to/http://127.0.0.1:%u/plain", peer.tls_port, peer.port),
        FETCH_FOLLOW_ANY);
    EQ_ERR(&g, ERR_DENIED, "redirects from https to http");
    get_following(&g,
                  text("http://127.0.0.1:%u/to/https://tls.test:%u/echo", peer.port, peer.tls_port),
                  FETCH_FOLLOW_ANY);
    EQ(g.f.status, 200); /* the other way is fine */
    HAS_NOT(g.f.body, "secret");
    world_end();
}

TEST(https_goes_through_a_proxy_in_a_tunnel)
{
    static const struct http_header h[] = { { STR("Authorization"), STR("Bearer secret") } };
    struct str proxy;
    struct got g;

    if (!tls_begin(peer.cert))
        return;
    proxy = text("http://127.0.0.1:%u", peer.port);
    set_proxy("https_proxy", proxy.p);
    got_init(&g, tls("far.test", peer.tls_port, "/echo"));
    g.req.header = h;
    g.req.headers = ARRAY_LEN(h);
    got_start(&g, NULL);
    got_wait(&g);
    EQ(g.err.code, ERR_NONE);
    EQ(g.heads, 1);
    HAS(g.f.body, "Authorization: Bearer secret");
    OK(fetch_header(&g.f, "X-Proxy").p == NULL); /* what the proxy says is not the answer */
    get(&g, at("/last-connect"));
    HAS(g.f.body, "CONNECT far.test:");
    HAS_NOT(g.f.body, "secret");
    get(&g, tls("forbidden.test", peer.tls_port, "/echo"));
    EQ_ERR(&g, ERR_CLOSED, "cannot connect to forbidden.test:");
    EQ_ERR(&g, ERR_CLOSED, "403");
    set_proxy("https_proxy", NULL);
    world_end();
}

TEST_MAIN()
