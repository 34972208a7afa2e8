/*
 * Requests and answers of the HTTP client, against a real server: http_peer.py. Its life in time:
 * test_http_life.c; what it may reach: test_http_reach.c.
 */
#include "http_peer.h"

/* ---- answers ---------------------------------------------------------------------------- */

TEST(a_get_gathers_its_answer)
{
    struct got g;

    world_begin();
    get(&g, at("/plain"));
    EQ(g.err.code, ERR_NONE);
    EQ(g.f.status, 200);
    EQ(g.heads, 1);
    EQ_S(g.f.body, "hello");
    EQ_S(fetch_header(&g.f, "content-type"), "text/plain");
    OK(str_eq(g.f.url, at("/plain")));
    world_end();
}

static const struct {
    const char *path;
    int status;
    const char *body;
} answers[] = {
    { "/chunked", 200, "hello world" },
    { "/until-close", 200, "to the end" },
    { "/empty", 204, "" },
    { "/status/404", 404, "status" },
    { "/status/500", 500, "status" },
    { "/status/302", 302, "status" },
    { "/status/201", 201, "status" },
    { "/interim/3", 200, "hello" },
    { "/plain?a=b&c#part", 200, "hello" },
};

TEST(every_kind_of_answer_is_an_answer)
{
    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        struct got g;

        get(&g, at(answers[i].path));
        EQ(g.err.code, ERR_NONE);
        EQ(g.f.status, answers[i].status);
        EQ(g.heads, 1);
        EQ_S(g.f.body, answers[i].body);
    }
    world_end();
}

TEST(headers_come_as_they_are)
{
    struct got g;

    world_begin();
    get(&g, at("/odd-headers"));
    EQ(g.f.headers, 6);
    if (g.f.headers != 6)
        return;
    EQ_S(fetch_header(&g.f, "X-Empty"), "");
    OK(fetch_header(&g.f, "X-Empty").p != NULL);
    EQ_S(fetch_header(&g.f, "X-Space"), "a b");
    EQ_S(fetch_header(&g.f, "X-Lower"), "c:d");
    EQ_S(fetch_header(&g.f, "Set-Cookie"), "a=1");
    EQ_S(g.f.header[4].value, "b=2");
    OK(fetch_header(&g.f, "X-None").p == NULL);
    get(&g, at("/interim/1"));
    OK(fetch_header(&g.f, "Link").p == NULL); /* was of the interim one */
    world_end();
}

/* ---- requests --------------------------------------------------------------------------- */

TEST(a_request_carries_what_was_asked_for_and_no_more)
{
    static const struct http_header h[] = {
        { STR("Content-Type"), STR("application/json") },
        { STR("Mcp-Param-Empty"), STR("") },
        { STR("X-Text"), STR("caf\xc3\xa9; a, b") },
    };
    struct got g;

    world_begin();
    ask(&g, "POST", STR("{\"a\":\0001}"), h, ARRAY_LEN(h));
    HAS(g.f.body, "POST /echo HTTP/1.1\n");
    HAS(g.f.body, "\nUser-Agent: trefoil/test\n");
    HAS(g.f.body, "\nContent-Type: application/json\n");
    HAS(g.f.body, "\nMcp-Param-Empty:\n");
    HAS(g.f.body, "\nX-Text: caf\xc3\xa9; a, b\n");
    HAS(g.f.body, "\nContent-Length: 8\n");
    OK(str_ends(g.f.body, STR("\n\n{\"a\":\0001}")));
    HAS_NOT(g.f.body, "Expect");
    HAS_NOT(g.f.body, "Cookie");
    HAS_NOT(g.f.body, "Accept-Encoding");
    HAS_NOT(g.f.body, "Upgrade");
    world_end();
}

TEST(each_method_is_sent)
{
    static const char *const with_length[] = { "POST", "PUT", "PATCH" };
    struct got g;

    world_begin();
    ask(&g, "DELETE", STR_NONE, NULL, 0);
    HAS(g.f.body, "DELETE /echo ");
    HAS_NOT(g.f.body, "Content-");
    for (size_t i = 0; i < ARRAY_LEN(with_length); i++) {
        ask(&g, with_length[i], STR_NONE, NULL, 0);
        HAS(g.f.body, with_length[i]);
        HAS(g.f.body, "Content-Length: 0");
        HAS_NOT(g.f.body, "Content-Type");
    }
    ask(&g, "PUT", STR("new"), NULL, 0);
    OK(str_ends(g.f.body, STR("\n\nnew")));
    ask(&g, "HEAD", STR_NONE, NULL, 0);
    EQ(g.err.code, ERR_NONE);
    EQ(g.f.status, 200);
    EQ(g.f.body.n, 0);
    world_end();
}

TEST(a_large_body_is_sent_whole)
{
    struct got g;
    char *p;

    world_begin();
    p = arena_alloc(&w.mem, 5 << 20);
    memset(p, 'b', 5 << 20);
    ask(&g, "POST", (struct str){ p, 5 << 20 }, NULL, 0);
    EQ(g.err.code, ERR_NONE);
    HAS(g.f.body, "Content-Length: 5242880");
    OK(str_ends(g.f.body, (struct str){ p, 5 << 20 }));
    world_end();
}

static const struct {
    const char *method;
    struct str name, value, body;
    const char *want;
} bad_requests[] = {
    { "get", { 0 }, { 0 }, { 0 }, "capitals" },
    { "GET /x HTTP/1.1\r\n\r\nGET", { 0 }, { 0 }, { 0 }, "capitals" },
    { "GET", { 0 }, { 0 }, { "x", 1 }, "cannot have a body" },
    { "GET", { "X-A", 3 }, { "a\r\nX-B: b", 9 }, { 0 }, "X-A: control characters" },
    { "GET", { "X-A", 3 }, { "a\0b", 3 }, { 0 }, "X-A: control characters" },
    { "GET", { "X A", 3 }, { "a", 1 }, { 0 }, "invalid name" },
    { "GET", { "X:A", 3 }, { "a", 1 }, { 0 }, "invalid name" },
    { "GET", { "X\r\nA", 4 }, { "a", 1 }, { 0 }, "invalid name" },
    { "GET", { "", 0 }, { "a", 1 }, { 0 }, "invalid name" },
    { "GET", { "host", 4 }, { "a", 1 }, { 0 }, "host cannot be set" },
    { "POST", { "Content-Length", 14 }, { "1", 1 }, { "x", 1 }, "cannot be set" },
    { "POST", { "Transfer-Encoding", 17 }, { "chunked", 7 }, { "x", 1 }, "cannot be set" },
};

TEST(a_request_that_would_be_something_else_is_not_sent)
{
    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(bad_requests); i++) {
        struct http_header h = { bad_requests[i].name, bad_requests[i].value };
        struct got g;

        ask(&g, bad_requests[i].method, bad_requests[i].body, &h, h.name.p != NULL);
        EQ_ERR(&g, ERR_INVALID, bad_requests[i].want);
    }
    world_end();
}

TEST(a_header_has_a_maximum)
{
    struct http_header h = { STR("X-Long"), { 0 } };
    struct got g;
    char *p;

    world_begin();
    p = arena_alloc(&w.mem, 1 << 20);
    memset(p, 'h', 1 << 20);
    h.value = (struct str){ p, 60000 };
    ask(&g, "GET", STR_NONE, &h, 1);
    EQ(g.err.code, ERR_NONE);
    h.value = (struct str){ p, 70000 };
    ask(&g, "GET", STR_NONE, &h, 1);
    EQ_ERR(&g, ERR_LIMIT, "request header is larger");
    world_end();
}

/* ---- what goes wrong -------------------------------------------------------------------- */

static const struct {
    const char *path;
    enum err_code code;
    const char *want;
} broken[] = {
    { "/nothing", ERR_CLOSED, "closed the connection without a response" },
    { "/cut", ERR_CLOSED, "in the middle of its response" },
    { "/cut-chunked", ERR_CLOSED, "in the middle of its response" },
    { "/cut-head", ERR_CLOSED, "in the middle of its response" },
    { "/reset", ERR_CLOSED, "closed the connection without a response" },
    { "/garbage", ERR_INVALID, "invalid HTTP response" },
    { "/folded", ERR_INVALID, "folds a header" },
    { "/no-colon", ERR_INVALID, "invalid HTTP response" },
};

TEST(a_broken_answer_is_named)
{
    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
        struct got g;

        get(&g, at(broken[i].path));
        EQ_ERR(&g, broken[i].code, broken[i].want);
        HAS(str_of(g.err.text), "127.0.0.1:");
    }
    world_end();
}

TEST(a_closed_port_and_an_unknown_name)
{
    unsigned port;
    struct got g;

    world_begin();
    close(mute_listener(&port));
    get(&g, text("http://127.0.0.1:%u/", port));
    EQ_ERR(&g, ERR_CLOSED, "connection refused by 127.0.0.1:");
    get(&g, STR("http://far.test/secret?token=1"));
    EQ_ERR(&g, ERR_NOT_FOUND, "could not resolve host far.test");
    HAS_NOT(str_of(g.err.text), "secret");
    get(&g, STR("http://224.0.0.1/")); /* no TCP to many at once */
    EQ_ERR(&g, ERR_CLOSED, "cannot connect to 224.0.0.1:80: ");
    world_end();
}

TEST(a_missing_library_says_what_to_install)
{
    struct curl_api api;
    struct err e;

    OK(!curl_api_load("libcurl-that-is-not-here.so.4", &api, &e));
    EQ(e.code, ERR_SYSTEM);
    HAS(str_of(e.text), "install the package libcurl4");
    OK(!curl_api_load("libm.so.6", &api, &e));
    HAS(str_of(e.text), "libm.so.6 has no curl_global_init");
    HAS(str_of(e.text), "libcurl4");
}

/* ---- caps ------------------------------------------------------------------------------- */

static void get_capped(struct got *g, struct str url, int64_t bytes, bool stream)
{
    got_init(g, url);
    g->req.body_bytes = bytes;
    if (stream)
        g->req.on_bytes = on_got_bytes;
    got_start(g, NULL);
    got_wait(g);
}

TEST(a_body_may_reach_its_cap_and_not_pass_it)
{
    static const char *const kinds[] = { "/long/%d", "/long-chunked/%d" };
    struct got g;

    world_begin();
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
        for (int stream = 0; stream < 2; stream++) {
            struct str url = at(k ? "/long-chunked/100000" : "/long/100000");

            get_capped(&g, url, 100000, stream);
            EQ(g.err.code, ERR_NONE);
            EQ(stream ? g.bytes : g.f.body.n, 100000);
            get_capped(&g, url, 99999, stream);
            EQ_ERR(&g, ERR_LIMIT, "is larger than 99999 bytes");
            EQ(g.heads, k ? 1 : 0); /* a length told beforehand is refused at once */
            OK(g.bytes <= 99999);
            get_capped(&g, url, FETCH_NEVER, stream);
            EQ(g.err.code, ERR_NONE);
        }
    get_capped(&g, at("/endless"), 50000, false);
    EQ_ERR(&g, ERR_LIMIT, "is larger than 50000 bytes");
    w.limits.fetch_body_bytes = 1024;
    get_capped(&g, at("/long/1025"), 0, false);
    EQ_ERR(&g, ERR_LIMIT, "is larger than 1024 bytes");
    got_init(&g, at("/long/1025"));
    g.req.method = STR("HEAD"); /* tells a length, but sends nothing */
    got_start(&g, NULL);
    got_wait(&g);
    EQ(g.f.status, 200);
    world_end();
}

static const struct {
    const char *path;
    enum err_code code;
} heads[] = {
    { "/header-line/60000", ERR_NONE },   { "/header-line/70000", ERR_LIMIT },
    { "/header-line/200000", ERR_LIMIT }, /* past libcurl's own maximum of a line */
    { "/header-many/3000", ERR_NONE },    { "/header-many/5000", ERR_LIMIT },
    { "/trailer-many/3000", ERR_NONE },   { "/trailer-many/5000", ERR_LIMIT },
    { "/interim/1000", ERR_NONE },        { "/interim/2000", ERR_LIMIT },
};

TEST(headers_have_a_cap_all_together)
{
    world_begin();
    EQ(w.limits.fetch_head_bytes, 65536);
    for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
        struct got g;

        get(&g, at(heads[i].path));
        if (g.err.code != heads[i].code)
            TAP_NOT("%s: %s", heads[i].path, g.err.text);
    }
    world_end();
}

TEST(a_long_url_and_too_many_fetches_are_refused)
{
    struct got g[3];
    char *p;

    world_begin();
    w.limits.fetch_url_bytes = 1000;
    p = arena_alloc(&w.mem, 2000);
    memset(p, 'u', 2000);
    memcpy(p, "http://a/", 9);
    get(&g[0], (struct str){ p, 1001 });
    EQ_ERR(&g[0], ERR_LIMIT, "the URL has more than 1000 bytes");

    w.limits.fetches = 2;
    for (int i = 0; i < 3; i++) {
        got_init(&g[i], at("/plain"));
        got_start(&g[i], NULL);
    }
    for (int i = 0; i < 3; i++)
        got_wait(&g[i]);
    EQ(g[0].f.status, 200);
    EQ(g[1].f.status, 200);
    EQ_ERR(&g[2], ERR_LIMIT, "more than 2 HTTP requests");
    get(&g[2], at("/plain"));
    EQ(g[2].f.status, 200);
    world_end();
}

TEST_MAIN()
