/* Time, back-pressure and endings: what happens when somebody is slow, silent, gone or stopped. */
#include "http_world.h"

#include "tap.h"
#include "wire/http_conn.h"

#include <stdlib.h>

static void begin(struct world *w, int i, const char *text)
{
    world_connect(w, i);
    world_send(w, i, text);
}

static void leave(struct world *w, int i)
{
    fake_stream_hang_up(&w->client[i]);
    fake_settle(w->loop);
}

/* ---- deadlines --------------------------------------------------------------------------- */

TEST(a_silent_connection_is_closed_after_its_idle_time)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    world_wait(w, w->limits.http_idle_ms - 1);
    OK(!f->closed);
    EQ_STR(world_ask(w, 0, WORLD_GET("/hi")) + 9,
           "200 OK\r\nDate: Thu, 01 Jan 2026 00:01:14 GMT\r\n" WORLD_SAFE
           "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi");
    world_wait(w, w->limits.http_idle_ms - 1);
    OK(!f->closed);
    world_wait(w, 1);
    OK(f->closed);
    EQ_STR(world_says(w, 0), "");
    world_free(w);
}

TEST(a_head_must_be_complete_in_time_however_it_dribbles)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    for (int i = 0; i < 10; i++) {
        world_send(w, 0, i ? "X" : "GET /hi HTTP/1.1\r\nX:");
        EQ_STR(world_says(w, 0), "");
        world_wait(w, w->limits.http_head_ms / 10);
    }
    HAS(world_says(w, 0), "HTTP/1.1 408 Request Timeout\r\n");
    HAS(w->seen, "Connection: close\r\n");
    OK(f->shut);
    world_wait(w, w->limits.http_linger_ms);
    OK(f->closed);
    world_free(w);
}

TEST(a_body_must_be_complete_in_time)
{
    struct world *w = world_new();

    begin(w, 0, WORLD_POST("/echo", "Content-Length: 5\r\n\r\nhel"));
    world_wait(w, w->limits.http_body_ms - 1);
    EQ_STR(world_says(w, 0), "");
    world_wait(w, 1);
    HAS(world_says(w, 0), "HTTP/1.1 408 Request Timeout\r\n");
    EQ(w->served, 0);
    world_free(w);
}

TEST(an_answer_that_takes_too_long_is_given_up)
{
    struct world *w = world_new();

    begin(w, 0, WORLD_GET("/later"));
    world_wait(w, w->limits.http_request_ms - 1);
    EQ(w->gone, 0);
    world_wait(w, 1);
    EQ(w->gone, 1);
    HAS(world_says(w, 0), "HTTP/1.1 504 Gateway Timeout\r\n");
    OK(w->client[0].shut && !w->held[0]->conn);
    world_answer(w, world_take(w), "too late");
    EQ_STR(world_says(w, 0), "");
    world_free(w);
}

TEST(event_streams_live_as_long_as_they_like_and_show_signs_of_life)
{
    struct world *w = world_new();

    begin(w, 0, WORLD_GET("/events"));
    world_says(w, 0);
    world_wait(w, w->limits.sse_keepalive_ms - 1);
    EQ_STR(world_says(w, 0), "");
    http_sse_send(w->held[0], &(struct sse_out){ .data = STR("x") });
    world_wait(w, w->limits.sse_keepalive_ms - 1);
    EQ_STR(world_says(w, 0), "9\r\ndata: x\n\n\r\n");
    world_wait(w, 1);
    EQ_STR(world_says(w, 0), "d\r\n: keepalive\n\n\r\n");
    world_wait(w, w->limits.http_request_ms * 2);
    EQ(w->gone, 0);
    EQ(strlen(world_says(w, 0)), 18 * (w->limits.http_request_ms * 2 / w->limits.sse_keepalive_ms));
    world_free(w);
}

/* ---- back-pressure ----------------------------------------------------------------------- */

static const char kilobyte[1024] = "k";

static bool write_kilobyte(struct http_req *req)
{
    return http_stream_write(req, &(struct str){ kilobyte, sizeof(kilobyte) }, 1);
}

TEST(a_writer_is_told_to_wait_and_to_go_on)
{
    struct world *w = world_new();
    int wrote = 0;

    begin(w, 0, WORLD_GET("/stream"));
    w->client[0].room = 100000;
    while (wrote < 2000 && write_kilobyte(w->held[0]))
        wrote++;
    OK(wrote > 200 && wrote < 400);
    fake_settle(w->loop);
    EQ(w->rooms, 0);
    fake_stream_take(&w->client[0], 100000);
    fake_settle(w->loop);
    EQ(w->rooms, 0);
    fake_stream_take(&w->client[0], 1000000);
    fake_settle(w->loop);
    EQ(w->rooms, 1);
    OK(write_kilobyte(w->held[0]));
    fake_settle(w->loop);
    EQ(w->rooms, 1);
    world_free(w);
}

/* on_room comes from the loop, even if a large write empties the backlog on its way. */
TEST(a_writer_is_not_called_back_from_inside_its_own_call)
{
    struct world *w = world_new();

    begin(w, 0, WORLD_GET("/stream"));
    w->client[0].room = 0;
    while (write_kilobyte(w->held[0]))
        ;
    w->client[0].room = SIZE_MAX; /* it reads again, and the loop does not know yet */
    stream_flush(&w->client[0].s);
    EQ(w->rooms, 0);
    fake_settle(w->loop);
    EQ(w->rooms, 1);
    world_free(w);
}

TEST(a_client_that_never_reads_is_given_up)
{
    struct world *w = world_new();

    begin(w, 0, WORLD_GET("/events"));
    w->client[0].room = 0;
    http_sse_send(w->held[0], &(struct sse_out){ .data = STR("x") });
    fake_settle(w->loop);
    world_wait(w, w->limits.http_write_ms - 1);
    EQ(w->gone, 0);
    world_wait(w, 1);
    EQ(w->gone, 1);
    OK(w->client[0].closed);
    world_free(w);
}

TEST(a_client_that_reads_slowly_is_served_to_the_end)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    w->big = 1000;
    f->room = 0;
    world_send(w, 0, WORLD_GET("/big"));
    for (int i = 0; i < 12; i++) {
        world_wait(w, w->limits.http_write_ms - 1);
        OK(!f->closed);
        fake_stream_take(f, 100);
        fake_settle(w->loop);
    }
    HAS(world_says(w, 0), "Content-Length: 1000\r\n");
    f->room = SIZE_MAX;
    HAS(world_ask(w, 0, WORLD_GET("/hi")), "\r\n\r\nhi");
    world_free(w);
}

TEST(a_client_that_takes_for_ever_is_not)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    w->big = 100000;
    f->room = 0;
    world_send(w, 0, WORLD_GET("/big"));
    for (int64_t t = 0; t < w->limits.http_request_ms; t += w->limits.http_write_ms / 2) {
        OK(!f->closed);
        world_wait(w, w->limits.http_write_ms / 2);
        fake_stream_take(f, 1);
        fake_settle(w->loop);
    }
    OK(f->closed);
    world_free(w);
}

TEST(a_backlog_past_its_maximum_ends_the_connection)
{
    struct world *w = world_new();

    w->limits.output_backlog_bytes = 1 << 20;
    begin(w, 0, WORLD_GET("/stream"));
    w->client[0].room = 0;
    for (int i = 0; i < 1100; i++)
        write_kilobyte(w->held[0]);
    EQ(w->gone, 0);
    fake_settle(w->loop);
    EQ(w->gone, 1);
    OK(w->client[0].closed);
    world_free(w);
}

/* The answers would pile up in our memory. */
TEST(pipelined_requests_wait_while_their_client_does_not_read)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    w->big = 100 << 10;
    f->room = 1000;
    for (int i = 0; i < 100; i++)
        fake_stream_send(f, STR(WORLD_GET("/big")));
    fake_settle(w->loop);
    EQ(w->served, 3);
    EQ(f->wanted, WATCH_HANGUP | WATCH_WRITE);
    fake_stream_take(f, 400 << 10);
    fake_settle(w->loop);
    EQ(w->served, 7);
    f->room = SIZE_MAX;
    fake_stream_take(f, 0);
    fake_settle(w->loop);
    EQ(w->served, 100);
    EQ(f->wanted, WATCH_READ);
    world_free(w);
}

/* ---- clients that leave ------------------------------------------------------------------ */

TEST(a_client_that_leaves_is_noticed_in_every_state)
{
    static const char *const text[] = {
        "",
        "GET /hi HT",
        WORLD_POST("/echo", "Content-Length: 5\r\n\r\nhel"),
        WORLD_GET("/later"),
        WORLD_GET("/later") WORLD_GET("/hi"),
        WORLD_GET("/stream"),
        WORLD_GET("/events"),
    };
    struct world *w = world_new();

    for (size_t i = 0; i < ARRAY_LEN(text); i++) {
        begin(w, 0, text[i]);
        leave(w, 0);
        OK(w->client[0].closed);
        EQ(http_server_connections(w->server), 0);
    }
    EQ(w->gone, 4);
    EQ(w->served, 4);
    world_free(w);
}

/* Ends what it sends, and reads on. */
static void shut(struct world *w, int i)
{
    fake_stream_end(&w->client[i]);
    fake_settle(w->loop);
}

TEST(a_client_that_only_sends_no_more_gets_its_answers)
{
    struct world *w = world_new();

    begin(w, 0, WORLD_GET("/later") WORLD_GET("/hi") "GET /hi HT");
    shut(w, 0);
    EQ_STR(world_says(w, 0), "HTTP/1.1 100 Continue\r\n\r\n");
    world_wait(w, 1);
    EQ_STR(world_says(w, 0), "HTTP/1.1 100 Continue\r\n\r\n");
    world_wait(w, 50000); /* probed four times, and no more */
    EQ(strlen(world_says(w, 0)), 2 * strlen("HTTP/1.1 100 Continue\r\n\r\n"));
    EQ(w->gone, 0);
    world_answer(w, world_take(w), "heard");
    fake_settle(w->loop);
    HAS(world_says(w, 0), "\r\n\r\nheardHTTP/1.1 200 OK\r\n");
    OK(w->client[0].closed); /* the rest of the third request never comes */
    EQ(w->served, 2);

    begin(w, 1, WORLD_GET("/events"));
    world_says(w, 1);
    shut(w, 1);
    EQ_STR(world_says(w, 1), "d\r\n: keepalive\n\n\r\n");
    http_sse_send(w->held[0], &(struct sse_out){ .data = STR("x") });
    fake_settle(w->loop);
    EQ_STR(world_says(w, 1), "9\r\ndata: x\n\n\r\n");
    http_stream_end(world_take(w));
    fake_settle(w->loop);
    OK(w->client[1].closed);
    EQ(w->gone, 0);
    world_free(w);
}

/* The first probe reaches a machine that has closed the connection, the second hears of it. */
TEST(a_client_that_leaves_later_is_noticed_by_the_second_probe)
{
    struct world *w = world_new();

    begin(w, 0, WORLD_GET("/later"));
    shut(w, 0);
    w->client[0].gone = true;
    fake_settle(w->loop);
    EQ(w->gone, 0);
    world_wait(w, 1);
    EQ(w->gone, 1);
    OK(w->client[0].closed);
    world_answer(w, world_take(w), "nobody hears");
    world_free(w);
}

TEST(a_request_stays_valid_when_its_client_has_gone)
{
    struct world *w = world_new();
    struct http_req *req;

    begin(w, 0, WORLD_POST("/later", "Content-Length: 300\r\n\r\n"));
    for (int i = 0; i < 100; i++)
        world_send(w, 0, "abc");
    leave(w, 0);
    EQ(w->gone, 1);
    req = world_take(w);
    OK(!req->conn);
    EQ_S(req->path, "/later");
    EQ(req->body.n, 300);
    EQ_S(req->remote, "127.0.0.1:1000");
    world_answer(w, req, "nobody hears");
    EQ_STR(world_says(w, 0), "");
    world_free(w);
}

TEST(a_stream_whose_client_has_gone_swallows_all)
{
    struct world *w = world_new();
    struct http_req *req;

    begin(w, 0, WORLD_GET("/events"));
    leave(w, 0);
    req = world_take(w);
    OK(http_sse_send(req, &(struct sse_out){ .data = STR("x") }));
    http_forget_request(req);
    http_stream_end(req);
    begin(w, 1, WORLD_GET("/later"));
    leave(w, 1);
    req = world_take(w);
    http_sse_begin(req, NULL, 0);
    OK(http_stream_write(req, &STR("x"), 1));
    http_stream_end(req);
    EQ(w->gone, 2);
    world_free(w);
}

TEST(a_handler_may_end_its_request_when_told_that_the_client_left)
{
    struct world *w = world_new();

    w->end_on_gone = true;
    begin(w, 0, WORLD_GET("/later"));
    begin(w, 1, WORLD_GET("/events"));
    leave(w, 0);
    leave(w, 1);
    EQ(w->gone, 2);
    EQ(w->holding, 0);
    world_free(w);
}

TEST(a_write_that_fails_means_that_the_client_left)
{
    struct world *w = world_new();

    begin(w, 0, WORLD_GET("/events"));
    w->client[0].gone = true; /* a reset that reading has not told yet */
    http_sse_send(w->held[0], &(struct sse_out){ .data = STR("x") });
    EQ(w->gone, 0);
    fake_settle(w->loop);
    EQ(w->gone, 1);
    OK(w->client[0].closed);
    world_free(w);
}

TEST(a_client_that_has_said_all_still_gets_what_it_is_owed)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    f->room = 10;
    fake_stream_send(f, STR(WORLD_GET("/hi") WORLD_GET("/hi")));
    fake_settle(w->loop);
    fake_stream_end(f);
    fake_settle(w->loop);
    OK(!f->closed);
    fake_stream_take(f, 1000);
    fake_settle(w->loop);
    EQ_STR(world_says(w, 0), WORLD_HI WORLD_HI);
    OK(f->shut && f->closed);
    world_free(w);
}

TEST(a_client_that_breaks_while_it_is_owed_something_is_closed)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    f->room = 10;
    fake_stream_send(f, STR(WORLD_GET("/hi")));
    fake_settle(w->loop);
    fake_stream_end(f);
    fake_settle(w->loop);
    OK(!f->closed);
    f->gone = true;
    fake_stream_take(f, 1);
    fake_settle(w->loop);
    OK(f->closed);
    world_free(w);
}

/* ---- lingering --------------------------------------------------------------------------- */

TEST(what_a_refused_client_still_sends_is_read_and_dropped)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    HAS(world_ask(w, 0, WORLD_POST("/echo", "Content-Length: 99999999\r\n\r\n")), " 413 ");
    for (int i = 0; i < 1000; i++)
        fake_stream_send(f, (struct str){ kilobyte, sizeof(kilobyte) });
    fake_settle(w->loop);
    EQ(f->sent.n, 0);
    OK(f->shut && !f->closed);
    fake_stream_end(f);
    fake_settle(w->loop);
    OK(f->closed);
    EQ_STR(world_says(w, 0), "");
    world_free(w);
}

TEST(a_refused_client_that_stays_is_closed)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    f->room = 0;
    world_send(w, 0, "nonsense\r\n\r\n");
    world_wait(w, w->limits.http_linger_ms + 1);
    OK(!f->closed); /* it has not got our answer yet */
    fake_stream_take(f, 1000);
    fake_settle(w->loop);
    HAS(world_says(w, 0), " 400 ");
    world_wait(w, w->limits.http_linger_ms - 1);
    OK(!f->closed);
    world_wait(w, 1);
    OK(f->closed);
    world_free(w);
}

TEST(a_refused_client_that_does_not_read_is_closed)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    f->room = 0;
    world_send(w, 0, "nonsense\r\n\r\n");
    world_wait(w, w->limits.http_write_ms);
    OK(f->closed);
    world_free(w);
}

/* ---- too many ---------------------------------------------------------------------------- */

TEST(one_connection_too_many_is_told_so)
{
    struct world *w = world_new();

    w->limits.http_connections = 2;
    world_connect(w, 0);
    world_connect(w, 1);
    world_connect(w, 2);
    HAS(world_says(w, 2), "HTTP/1.1 503 Service Unavailable\r\n");
    HAS(w->seen, "Connection: close\r\n");
    OK(w->client[2].shut);
    world_send(w, 2, WORLD_GET("/hi"));
    EQ_STR(world_says(w, 2), "");
    leave(w, 2);
    leave(w, 1);
    EQ(http_server_connections(w->server), 1);
    world_connect(w, 1);
    EQ_STR(world_ask(w, 1, WORLD_GET("/hi")), WORLD_HI);
    world_free(w);
}

/* ---- drain and close --------------------------------------------------------------------- */

static void on_drained(void *ctx)
{
    ((struct world *)ctx)->drained++;
}

static void drain(struct world *w)
{
    http_server_drain(w->server, on_drained, w);
    EQ(w->gone, 0); /* nobody is told from inside the call */
    fake_settle(w->loop);
}

TEST(an_empty_server_is_drained_at_once)
{
    struct world *w = world_new();

    drain(w);
    EQ(w->drained, 1);
    world_free(w);
}

TEST(draining_lets_go_of_the_idle_and_finishes_the_rest)
{
    struct world *w = world_new();

    world_connect(w, 0);
    begin(w, 1, WORLD_GET("/later"));
    begin(w, 2, WORLD_GET("/events"));
    begin(w, 3, WORLD_POST("/echo", "Content-Length: 5\r\n\r\nhel"));
    world_says(w, 2);
    drain(w);
    OK(w->client[0].closed);
    EQ_STR(world_says(w, 2), "0\r\n\r\n");
    OK(w->client[2].shut);
    EQ(w->gone, 1);
    HAS(world_ask(w, 3, "lo"), "Connection: close\r\n\r\nhello");
    OK(w->client[3].shut);
    world_answer(w, world_take(w), "one");
    HAS(world_says(w, 1), "Connection: close\r\n\r\none");
    EQ(w->drained, 0);
    leave(w, 1);
    leave(w, 2);
    EQ(w->drained, 0);
    leave(w, 3);
    EQ(w->drained, 1);
    http_stream_end(world_take(w));
    world_free(w);
}

TEST(a_draining_server_takes_no_new_connections)
{
    struct world *w = world_new();

    begin(w, 0, WORLD_GET("/later"));
    drain(w);
    world_connect(w, 1);
    HAS(world_says(w, 1), " 503 ");
    world_free(w);
}

TEST(draining_waits_for_an_answer_that_is_being_read)
{
    struct world *w = world_new();
    struct fake_stream *f = world_connect(w, 0);

    f->room = 10;
    world_send(w, 0, WORLD_GET("/hi"));
    drain(w);
    OK(!f->closed && !w->drained);
    fake_stream_take(f, 1000);
    fake_settle(w->loop);
    EQ_STR(world_says(w, 0), WORLD_HI);
    OK(f->shut);
    world_wait(w, w->limits.http_linger_ms);
    EQ(w->drained, 1);
    world_free(w);
}

TEST(draining_can_be_cut_short)
{
    struct world *w = world_new();

    begin(w, 0, WORLD_GET("/later"));
    begin(w, 1, WORLD_POST("/echo", "Content-Length: 5\r\n\r\nhel"));
    drain(w);
    EQ(w->drained, 0);
    world_free(w); /* closes */
}

static void on_closed(void *ctx)
{
    ++*(int *)ctx;
}

TEST(closing_tells_every_handler_and_requests_outlive_the_server)
{
    struct world *w = world_new();
    int closed = 0;

    for (int i = 0; i < 3; i++)
        begin(w, i, i == 1 ? WORLD_GET("/events") : WORLD_GET("/later"));
    http_server_close(w->server, on_closed, &closed);
    EQ(w->gone, 0);
    EQ(closed, 0);
    fake_settle(w->loop);
    EQ(w->gone, 3);
    EQ(closed, 1);
    for (int i = 0; i < 3; i++) {
        struct http_req *req = world_take(w);

        OK(!req->conn && w->client[i].closed);
        EQ_S(req->method, "GET");
        if (i == 1)
            http_stream_end(req);
        else
            world_answer(w, req, "nobody hears");
        fake_stream_fini(&w->client[i]);
        w->open[i] = false;
    }
    w->server =
        http_server_new(&(struct http_server_opts){ .loop = w->loop, .limits = &w->limits });
    world_free(w);
}

/* ---- answered, but not finished ----------------------------------------------------------- */

static void answer(struct http_req *req, const char *text)
{
    struct str body = str_of(text);

    http_answer(req, 200, "text/plain", NULL, 0, &body, 1);
}

TEST(an_answer_goes_out_before_its_request_is_finished)
{
    struct world *w = world_new();
    struct http_req *req;

    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/later") WORLD_GET("/hi"));
    req = world_take(w);
    answer(req, "early");
    fake_settle(w->loop);
    HAS(world_says(w, 0), "early");
    EQ(w->served, 1); /* the next request waits */
    EQ_S(req->path, "/later");
    http_finish(req);
    fake_settle(w->loop);
    HAS(world_says(w, 0), "hi");
    EQ(w->served, 2);
    world_free(w);
}

TEST(a_client_may_leave_between_answer_and_finish)
{
    struct world *w = world_new();
    struct http_req *req;

    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/later"));
    req = world_take(w);
    answer(req, "early");
    fake_stream_hang_up(&w->client[0]);
    fake_settle(w->loop);
    EQ(w->gone, 1);
    EQ_S(req->path, "/later");
    http_finish(req);
    EQ(http_server_connections(w->server), 0);
    world_free(w);
}

TEST(a_request_that_is_never_finished_ends_its_connection)
{
    struct world *w = world_new();
    struct http_req *req;

    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/later"));
    req = world_take(w);
    answer(req, "early");
    world_wait(w, w->limits.http_request_ms);
    EQ(w->gone, 1);
    EQ(http_server_connections(w->server), 0);
    http_finish(req);
    world_free(w);
}

/* ---- long silence, and parting ----------------------------------------------------------- */

TEST(a_handler_is_told_once_that_it_has_been_silent)
{
    struct world *w = world_new();
    struct http_req *req;

    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/later"));
    world_wait(w, w->limits.sse_keepalive_ms - 1);
    EQ(w->quiet, 0);
    world_wait(w, 1);
    EQ(w->quiet, 1);
    world_wait(w, w->limits.sse_keepalive_ms * 3);
    EQ(w->quiet, 1);
    req = world_take(w);
    world_answer(w, req, "at last");
    HAS(world_says(w, 0), "at last");
    world_send(w, 0, WORLD_GET("/later")); /* the next request is silent anew */
    world_wait(w, w->limits.sse_keepalive_ms);
    EQ(w->quiet, 2);
    world_wait(w, w->limits.http_request_ms);
    HAS(world_says(w, 0), "504");
    world_free(w);
}

TEST(a_connection_goes_on_without_a_request_that_parted)
{
    struct world *w = world_new();
    struct http_req *req;

    world_connect(w, 0);
    world_send(w, 0, WORLD_GET("/events"));
    req = world_take(w);
    HAS(world_says(w, 0), "text/event-stream");
    http_part(req);
    fake_settle(w->loop);
    HAS(world_says(w, 0), "0\r\n\r\n");
    OK(!req->conn);
    EQ_STR(world_ask(w, 0, WORLD_GET("/hi")), WORLD_HI);
    EQ(w->gone, 0);
    http_sse_send(req, &(struct sse_out){ .data = STR("lost") });
    http_part(req);
    http_stream_end(req);
    EQ_STR(world_ask(w, 0, WORLD_GET("/hi")), WORLD_HI);
    world_free(w);
}

TEST_MAIN()
