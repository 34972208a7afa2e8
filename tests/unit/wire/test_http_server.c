/* Requests and answers: what a client gets for what it sends. Time and endings: test_http_conn.c. */
#include "http_world.h"

#include "loop/fd_stream.h"
#include "tap.h"
#include "wire/http_conn.h"

#include <stdlib.h>

/* ---- plain answers ----------------------------------------------------------------------- */

TEST(a_request_is_answered_and_the_connection_kept)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    EQ_STR(world_ask(w, 0, WORLD_GET("/hi")), WORLD_HI);
    EQ_STR(world_ask(w, 0, WORLD_GET("/hi?x=1")), WORLD_HI);
    EQ(f->writes, 2); /* one system call each */
    OK(!f->closed && !f->shut);
    world_free(w);
}

TEST(a_handler_sees_the_request_as_it_was_sent)
{
    struct world *w = world_new();
    struct http_req *req;

    world_connect(w, 3);
    world_send(w, 3, WORLD_POST("/later?a=b", "X-One: 1\r\nContent-Length: 4\r\n\r\nbody"));
    req = world_take(w);
    EQ_S(req->method, "POST");
    EQ_S(req->path, "/later");
    EQ_S(req->query, "a=b");
    EQ_S(req->body, "body");
    EQ_S(req->remote, "127.0.0.1:1003");
    EQ_S(http_req_header(req, "x-ONE"), "1");
    OK(!http_req_header(req, "x-two").p);
    OK(req->loopback && req->conn && req->ctx == w);
    world_answer(w, req, "done");
    HAS(world_says(w, 3), "\r\n\r\ndone");
    world_free(w);
}

TEST(a_request_may_come_in_any_portions)
{
    const char *text = "\r\n" WORLD_POST("/echo", "Content-Length: 5\r\n\r\nhello") WORLD_POST(
        "/echo", "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\nT: 1\r\n\r\n");
    const char *want = "HTTP/1.1 200 OK\r\n" WORLD_DATE
                       "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
                       "HTTP/1.1 200 OK\r\n" WORLD_DATE
                       "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";
    struct world *w = world_new();

    for (size_t cut = 1; cut < strlen(text); cut++) {
        world_connect(w, 0);
        fake_stream_send(&w->client[0], str_head(str_of(text), cut));
        fake_settle(w->loop);
        world_send(w, 0, text + cut);
        EQ_STR(world_says(w, 0), want);
        fake_stream_hang_up(&w->client[0]);
        fake_settle(w->loop);
    }
    world_connect(w, 0)->read_most = 1;
    EQ_STR(world_ask(w, 0, text), want);
    world_free(w);
}

TEST(an_answer_may_go_out_in_any_portions)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    f->write_most = 3;
    f->hiccup = 4;
    for (int i = 0; i < 5; i++)
        EQ_STR(world_ask(w, 0, WORLD_GET("/hi")), WORLD_HI);
    EQ(f->s.out.room, 0); /* an idle stream holds no buffers */
    world_free(w);
}

TEST(an_answer_may_have_many_pieces_and_headers)
{
    struct world *w = world_new();
    struct http_header more[40];
    struct str piece[40];
    char want[80] = "\r\n\r\n";
    char value[512];

    memset(value, 'v', sizeof(value));
    for (int i = 0; i < 40; i++) {
        more[i] = (struct http_header){ STR("X-More"), { value, sizeof(value) } };
        piece[i] = (struct str){ &"0123456789"[i % 10], 1 };
        want[4 + i] = (char)('0' + i % 10);
    }
    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/later"));
    http_reply(world_take(w), 202, "text/plain", more, 40, piece, 40);
    fake_settle(w->loop);
    HAS(world_says(w, 0), want);
    HAS(w->seen, "Content-Length: 40\r\n");
    EQ_STR(world_ask(w, 0, WORLD_GET("/hi")), WORLD_HI);
    world_free(w);
}

TEST(an_answer_without_a_type_has_no_body)
{
    struct world *w = world_new();

    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/later"));
    http_reply(world_take(w), 202, NULL, NULL, 0, NULL, 0);
    fake_settle(w->loop);
    EQ_STR(world_says(w, 0), "HTTP/1.1 202 Accepted\r\n" WORLD_DATE "Content-Length: 0\r\n\r\n");
    world_send(w, 0, WORLD_GET("/later"));
    http_reply(world_take(w), 204, NULL, NULL, 0, NULL, 0);
    fake_settle(w->loop);
    EQ_STR(world_says(w, 0), "HTTP/1.1 204 No Content\r\n" WORLD_DATE "\r\n");
    world_free(w);
}

TEST(a_header_value_cannot_break_out_of_its_line)
{
    struct world *w = world_new();
    struct http_header more = { STR("X-Id"), STR("a\r\nSet-Cookie: b") };

    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/later"));
    http_reply(world_take(w), 200, NULL, &more, 1, NULL, 0);
    fake_settle(w->loop);
    HAS(world_says(w, 0), "\r\nX-Id: a  Set-Cookie: b\r\n\r\n");
    world_free(w);
}

TEST(an_error_of_a_handler_is_told_as_json)
{
    struct world *w = world_new();

    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/later"));
    http_reply_error(world_take(w), 409, "no \"%s\"", "room");
    fake_settle(w->loop);
    HAS(world_says(w, 0), "HTTP/1.1 409 Conflict\r\n");
    HAS(w->seen, "\r\n\r\n{\"error\":{\"code\":409,\"message\":\"no \\\"room\\\"\"}}");
    world_free(w);
}

TEST(the_date_follows_the_clock)
{
    struct world *w = world_new();

    world_connect(w, 0);
    HAS(world_ask(w, 0, WORLD_GET("/hi")), "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n");
    world_wait(w, 999);
    HAS(world_ask(w, 0, WORLD_GET("/hi")), "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n");
    world_wait(w, 1);
    HAS(world_ask(w, 0, WORLD_GET("/hi")), "Date: Thu, 01 Jan 2026 00:00:01 GMT\r\n");
    world_free(w);
}

TEST(dates_are_written_as_rfc_9110_has_them)
{
    char out[HTTP_DATE];

    http_date(784111777999, out);
    EQ_STR(out, "Sun, 06 Nov 1994 08:49:37 GMT");
    http_date(0, out);
    EQ_STR(out, "Thu, 01 Jan 1970 00:00:00 GMT");
    http_date(951782400000, out);
    EQ_STR(out, "Tue, 29 Feb 2000 00:00:00 GMT");
    EQ_STR(http_status_text(431), "Request Header Fields Too Large");
    EQ_STR(http_status_text(299), "Unknown");
}

/* ---- HEAD, HTTP/1.0 ---------------------------------------------------------------------- */

TEST(head_is_get_without_the_body)
{
    struct world *w = world_new();

    world_connect(w, 0);
    EQ_STR(world_ask(w, 0, "HEAD /hi HTTP/1.1\r\nHost: localhost\r\n\r\n" WORLD_GET("/hi")),
           "HTTP/1.1 200 OK\r\n" WORLD_DATE
           "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n" WORLD_HI);
    HAS(world_ask(w, 0, "HEAD /nope HTTP/1.1\r\nHost: localhost\r\n\r\n"), "404 Not Found");
    HAS(w->seen, "Content-Length: ");
    OK(!strchr(w->seen, '{'));
    world_free(w);
}

TEST(head_of_a_stream_ends_with_its_head)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    HAS(world_ask(w, 0, "HEAD /events HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        "Content-Type: text/event-stream\r\n");
    HAS(w->seen, "Connection: close\r\n");
    OK(f->shut);
    OK(http_sse_send(w->held[0], &(struct sse_out){ .data = STR("x") }));
    fake_settle(w->loop);
    EQ_STR(world_says(w, 0), "");
    world_wait(w, w->limits.http_linger_ms); /* the handler would stream for ever */
    EQ(w->gone, 1);
    OK(f->closed);
    world_free(w);
}

TEST(http_1_0_closes_unless_asked_to_stay)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    HAS(world_ask(w, 0, "GET /hi HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
        "\r\nConnection: keep-alive\r\n\r\nhi");
    OK(!f->shut);
    HAS(world_ask(w, 0, "GET /hi HTTP/1.0\r\n\r\n"), "\r\nConnection: close\r\n\r\nhi");
    OK(f->shut);
    world_free(w);
}

TEST(http_1_0_gets_a_stream_without_chunks)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);
    struct http_req *req;

    HAS(world_ask(w, 0, "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
        "\r\nConnection: close\r\n");
    OK(!strstr(w->seen, "chunked"));
    req = world_take(w);
    http_stream_write(req, &STR("piece"), 1);
    http_stream_end(req);
    fake_settle(w->loop);
    EQ_STR(world_says(w, 0), "piece");
    OK(f->shut);
    world_free(w);
}

TEST(a_client_that_wants_to_close_is_let_go)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    HAS(world_ask(w, 0, "GET /hi HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
        "\r\nConnection: close\r\n\r\nhi");
    OK(f->shut && !f->closed);
    fake_stream_end(f);
    fake_settle(w->loop);
    OK(f->closed);
    world_free(w);
}

/* ---- pipelining -------------------------------------------------------------------------- */

TEST(pipelined_requests_are_answered_in_order)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    EQ_STR(world_ask(w, 0, WORLD_GET("/hi") WORLD_GET("/hi") WORLD_GET("/hi")),
           WORLD_HI WORLD_HI WORLD_HI);
    EQ(f->writes, 1);
    world_free(w);
}

/* Deep recursion would end this one. */
TEST(very_many_pipelined_requests_are_served_one_after_the_other)
{
    enum { MANY = 20000 };
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    for (int i = 0; i < MANY; i++)
        fake_stream_send(f, STR(WORLD_GET("/hi")));
    fake_settle(w->loop);
    EQ(w->served, MANY);
    EQ(fake_stream_got(f).n, MANY * (sizeof(WORLD_HI) - 1));
    EQ(f->s.paused, false);
    world_free(w);
}

TEST(a_pipelined_request_waits_until_the_one_before_is_answered)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    EQ_STR(world_ask(w, 0, WORLD_GET("/later") WORLD_GET("/later") WORLD_GET("/hi")), "");
    EQ(w->served, 1);
    EQ(f->wanted, WATCH_HANGUP); /* nothing more is read, but a hang-up noticed */
    fake_stream_send(f, STR(WORLD_GET("/hi")));
    fake_settle(w->loop);
    EQ(f->sent.n, sizeof(WORLD_GET("/hi")) - 1);
    world_answer(w, world_take(w), "one");
    HAS(world_says(w, 0), "\r\n\r\none");
    EQ(w->served, 2);
    world_answer(w, world_take(w), "two");
    HAS(world_says(w, 0), "\r\n\r\ntwo" WORLD_HI WORLD_HI);
    EQ(w->served, 4);
    EQ(f->wanted, WATCH_READ);
    world_free(w);
}

TEST(a_request_that_comes_while_another_is_served_waits)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    world_send(w, 0, WORLD_GET("/later"));
    EQ(f->wanted, WATCH_READ);
    world_send(w, 0, "GET /h");
    EQ(f->wanted, WATCH_HANGUP);
    world_answer(w, world_take(w), "one");
    HAS(world_says(w, 0), "\r\n\r\none");
    EQ_STR(world_ask(w, 0, "i HTTP/1.1\r\nHost: localhost\r\n\r\n"), WORLD_HI);
    world_free(w);
}

/* ---- refusals ---------------------------------------------------------------------------- */

TEST(a_bad_request_is_refused_with_a_reason_and_the_connection_ends)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    EQ_STR(world_ask(w, 0, "GET / HTTP/1.1\nHost: localhost\n\n" WORLD_GET("/hi")),
           "HTTP/1.1 400 Bad Request\r\n" WORLD_DATE
           "Content-Type: application/json\r\nContent-Length: 81\r\nConnection: close\r\n\r\n"
           "{\"error\":{\"code\":400,\"message\":\"a line ends with LF alone; lines end with "
           "CRLF\"}}");
    OK(f->shut);
    EQ(w->served, 0);
    world_free(w);
}

static const struct {
    const char *in, *status, *say;
    bool keep;
} refusals[] = {
    { "GET /hi HTTP/2.0\r\n\r\n", "505", "HTTP/1.1", false },
    { "BREW /hi HTTP/1.1\r\nHost: localhost\r\n\r\n", "501", "method", false },
    { "GET /hi HTTP/1.1\r\n\r\n", "400", "Host", false },
    { "GET /hi HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403", "the Host evil.example", true },
    { "GET /hi HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n\r\n", "403", "the Origin null",
      true },
    { WORLD_GET("/nope"), "404", "nothing at /nope", true },
    { WORLD_GET("/hi/"), "404", "nothing at /hi/", true },
    { WORLD_GET("/under/"), "404", "nothing", true },
    { "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", "404", "nothing", true },
    { "POST /hi HTTP/1.1\r\nHost: localhost\r\n\r\n", "405", "supported are GET, HEAD", true },
    { "DELETE /later HTTP/1.1\r\nHost: localhost\r\n\r\n", "405", "POST, GET, HEAD", true },
    { WORLD_POST("/nope", "Content-Length: 5\r\n\r\n"), "404", "nothing", false },
    { WORLD_POST("/nope", "Content-Length: 2\r\n\r\n{}"), "404", "nothing", false },
    { WORLD_POST("/echo", "Content-Length: 99999999\r\n\r\n"), "413", "limit is 10485760", false },
    { WORLD_POST("/echo", "Transfer-Encoding: chunked\r\n\r\nfffffff\r\n"), "413", "limit", false },
    { WORLD_POST("/echo", "Transfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n"), "400", "CRLF", false },
    { WORLD_POST("/echo", "Expect: x\r\nContent-Length: 2\r\n\r\n"), "417", "100-continue", false },
};

TEST(each_refusal_has_its_status_and_sentence)
{
    struct world *w = world_new();

    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        struct fake_stream *f = world_connect(w, 0);

        world_ask(w, 0, refusals[i].in);
        if (strncmp(w->seen + 9, refusals[i].status, 3))
            TAP_NOT("row %zu: want %s, got %s", i, refusals[i].status, w->seen);
        HAS(w->seen, refusals[i].say);
        HAS(w->seen, "{\"error\":{\"code\":");
        EQ(f->shut, !refusals[i].keep);
        EQ(strstr(w->seen, "Connection: close") != NULL, !refusals[i].keep);
        if (refusals[i].keep)
            EQ_STR(world_ask(w, 0, WORLD_GET("/hi")), WORLD_HI);
        fake_stream_hang_up(f);
        fake_settle(w->loop);
    }
    EQ(w->gone, 0);
    world_free(w);
}

TEST(what_is_not_allowed_is_told_by_allow)
{
    struct world *w = world_new();

    world_connect(w, 0);
    HAS(world_ask(w, 0, "PUT /later HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        "\r\nAllow: POST, GET, HEAD\r\n");
    world_free(w);
}

TEST(sizes_of_head_and_target_are_bounded)
{
    struct world *w = world_new();
    char *text = malloc(40000);

    memset(text, 'x', 40000);
    text[39999] = 0;
    memcpy(text, "GET /", 5);
    world_connect(w, 0);
    HAS(world_ask(w, 0, text), "HTTP/1.1 414 ");
    memcpy(text, "GET / HTTP/1.1\r\nX:", 18);
    world_connect(w, 1);
    HAS(world_ask(w, 1, text), "HTTP/1.1 431 ");
    HAS(w->seen, "limit is 16384");
    OK(!w->client[1].s.out.p);
    free(text);
    world_free(w);
}

TEST(a_path_ending_in_a_star_serves_what_is_below)
{
    struct world *w = world_new();

    world_connect(w, 0);
    HAS(world_ask(w, 0, WORLD_GET("/under/a/b?c")), "\r\n\r\na/b");
    world_free(w);
}

/* ---- bodies ------------------------------------------------------------------------------ */

TEST(continue_is_said_when_the_body_is_wanted_and_not_here)
{
    struct world *w = world_new();
    const char *expect = "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    char text[256];

    world_connect(w, 0);
    snprintf(text, sizeof(text), WORLD_POST("/echo", "%s"), expect);
    EQ_STR(world_ask(w, 0, text), "HTTP/1.1 100 Continue\r\n\r\n");
    HAS(world_ask(w, 0, "{}"), "\r\n\r\n{}");
    snprintf(text, sizeof(text), WORLD_POST("/echo", "%s{}"), expect);
    OK(!strstr(world_ask(w, 0, text), "100 Continue"));
    EQ_STR(world_ask(
               w, 0,
               WORLD_POST("/echo", "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n")),
           "HTTP/1.1 100 Continue\r\n\r\n");
    HAS(world_ask(w, 0, "0\r\n\r\n"), "Content-Length: 0");
    HAS(world_ask(w, 0, WORLD_POST("/echo", "Expect: 100-continue\r\n\r\n")), "HTTP/1.1 200 OK");
    world_free(w);
}

TEST(continue_is_not_said_when_the_body_is_not_wanted)
{
    static const char *const text[] = {
        WORLD_POST("/echo", "Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n"),
        WORLD_POST("/nope", "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
        "POST /echo HTTP/1.1\r\nHost: evil\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
    };
    static const char *const status[] = { "413", "404", "403" };
    struct world *w = world_new();

    for (int i = 0; i < 3; i++) {
        world_connect(w, i);
        OK(!strncmp(world_ask(w, i, text[i]) + 9, status[i], 3));
        OK(w->client[i].shut);
    }
    world_connect(w, 3);
    EQ_STR(
        world_ask(w, 3, "POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
        "");
    HAS(world_ask(w, 3, "{}"), "\r\n\r\n{}");
    world_free(w);
}

TEST(a_large_body_is_gathered_from_many_reads)
{
    enum { SIZE = 700000 };
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);
    char *body = malloc(SIZE);
    struct http_req *req;

    for (int i = 0; i < SIZE; i++)
        body[i] = (char)('a' + i % 26);
    f->read_most = 1000;
    world_send(w, 0, WORLD_POST("/later", "Content-Length: 700000\r\n\r\n"));
    fake_stream_send(f, (struct str){ body, SIZE });
    fake_settle(w->loop);
    req = world_take(w);
    OK(str_eq(req->body, (struct str){ body, SIZE }));
    EQ(w->server->body_bytes, SIZE);
    world_answer(w, req, "ok");
    EQ(w->server->body_bytes, 0);
    free(body);
    world_free(w);
}

TEST(all_bodies_together_are_bounded)
{
    struct world *w = world_new();

    w->limits.http_bodies_bytes = 10;
    for (int i = 0; i < 3; i++) {
        world_connect(w, i);
        world_send(w, i, WORLD_POST("/later", "Content-Length: 8\r\n\r\n"));
    }
    world_send(w, 0, "1234");
    world_send(w, 1, "1234");
    world_send(w, 2, "1234");
    HAS(world_says(w, 2), "HTTP/1.1 503 Service Unavailable");
    EQ(w->server->body_bytes, 8);
    fake_stream_hang_up(&w->client[0]);
    fake_settle(w->loop);
    EQ(w->server->body_bytes, 4);
    world_send(w, 1, "5678");
    EQ_S(w->held[0]->body, "12345678");
    fake_stream_hang_up(&w->client[1]);
    fake_settle(w->loop);
    EQ(w->server->body_bytes, 0);
    world_free(w);
}

/* ---- streams ----------------------------------------------------------------------------- */

TEST(a_stream_is_sent_in_chunks_and_the_connection_kept)
{
    struct world *w = world_new();
    struct http_req *req;
    struct str piece[20];

    world_connect(w, 0);
    EQ_STR(world_ask(w, 0, WORLD_GET("/stream")),
           "HTTP/1.1 200 OK\r\n" WORLD_DATE
           "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
           "Cache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n\r\n");
    req = world_take(w);
    for (int i = 0; i < 20; i++)
        piece[i] = STR("x");
    OK(http_stream_write(req, (struct str[]){ STR("hello"), STR(""), STR(" you") }, 3));
    OK(http_stream_write(req, &STR(""), 1));
    OK(http_stream_write(req, piece, 20));
    http_stream_end(req);
    fake_settle(w->loop);
    EQ_STR(world_says(w, 0), "9\r\nhello you\r\n"
                             "e\r\nxxxxxxxxxxxxxx\r\n6\r\nxxxxxx\r\n0\r\n\r\n");
    EQ_STR(world_ask(w, 0, WORLD_GET("/hi")), WORLD_HI);
    world_free(w);
}

TEST(events_are_sent_as_they_happen)
{
    struct world *w = world_new();
    struct http_req *req;

    world_connect(w, 0);
    EQ_STR(world_ask(w, 0, WORLD_GET("/events")),
           "HTTP/1.1 200 OK\r\n" WORLD_DATE
           "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
           "Cache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n\r\n");
    req = world_take(w);
    OK(http_sse_send(req, &(struct sse_out){ .event = STR("message"), .data = STR("{}") }));
    fake_settle(w->loop);
    EQ_STR(world_says(w, 0), "19\r\nevent: message\ndata: {}\n\n\r\n");
    http_sse_send(req, &(struct sse_out){ .data = STR("a\nb") });
    http_stream_end(req);
    fake_settle(w->loop);
    EQ_STR(world_says(w, 0), "11\r\ndata: a\ndata: b\n\n\r\n0\r\n\r\n");
    world_free(w);
}

TEST(a_forgotten_request_holds_no_memory)
{
    struct world *w = world_new();
    struct http_req *req;

    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/events"));
    req = world_take(w);
    OK(req->mem.chunk && req->headers);
    http_forget_request(req);
    OK(!req->mem.chunk && !req->headers && !req->method.p && !req->body.p);
    EQ_S(req->remote, "127.0.0.1:1000");
    http_sse_send(req, &(struct sse_out){ .data = STR("still here") });
    http_stream_end(req);
    fake_settle(w->loop);
    HAS(world_says(w, 0), "data: still here\n\n\r\n0\r\n\r\n");
    world_free(w);
}

TEST(an_idle_event_stream_takes_less_than_a_kilobyte)
{
    struct world *w = world_new();
    struct http_conn *c;

    OK(sizeof(struct http_conn) + sizeof(struct http_exchange) + sizeof(struct sock_stream) < 950);
    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/events"));
    http_forget_request(w->held[0]);
    c = w->held[0]->conn;
    OK(!c->in.p && !c->x->long_body.p && !c->io->out.p && !c->x->req.mem.chunk);
    world_free(w);
}

TEST(memory_of_requests_is_used_again)
{
    struct world *w = world_new();

    world_connect(w, 0);
    world_ask(w, 0, WORLD_GET("/hi"));
    EQ(w->server->arenas.count, 1);
    for (int i = 0; i < 100; i++)
        world_ask(w, 0, WORLD_GET("/hi"));
    EQ(w->server->arenas.count, 1);
    world_free(w);
}

TEST_MAIN()
