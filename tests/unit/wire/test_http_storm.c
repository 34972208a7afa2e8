/*
 * Many lives of a server, each a chain of chances: clients that connect, dribble, pipeline, do
 * not read, leave; handlers that answer at once, later or after everybody has gone; time that
 * jumps; a drain in the middle. Nothing is claimed about a single answer; the claims are that
 * nothing is used after its end, that everything ends (world_free), and that what a client got
 * is a prefix of well-formed answers.
 */
#include "http_world.h"

#include "tap.h"

#include <stdlib.h>

enum { LIVES = 500, STEPS = 600 };

static uint32_t dice;

/* 0 .. n - 1 */
static unsigned roll(unsigned n)
{
    dice = dice * 1664525 + 1013904223;
    return (dice >> 8) % n;
}

static const char *const words[] = {
    WORLD_GET("/hi"),
    WORLD_GET("/later"),
    WORLD_GET("/stream"),
    WORLD_GET("/events"),
    WORLD_GET("/big"),
    WORLD_GET("/nope"),
    "HEAD /events HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "HEAD /big HTTP/1.0\r\n\r\n",
    "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    WORLD_POST("/echo", "Content-Length: 10\r\n\r\n0123456789"),
    WORLD_POST("/later", "Expect: 100-continue\r\nContent-Length: 10\r\n\r\n0123456789"),
    WORLD_POST("/later", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
    WORLD_POST("/echo", "Content-Length: 99999999\r\n\r\n"),
    WORLD_GET("/hi") WORLD_GET("/later") WORLD_GET("/big") WORLD_GET("/hi"),
    "nonsense\r\n\r\n",
};

static void finish_one(struct world *w)
{
    struct http_req *req = world_take(w);

    if (req->data)
        http_stream_end(req);
    else if (roll(3))
        world_answer(w, req, "later");
    else
        http_reply_error(req, 409, "no");
}

static void go_on_with_one(struct world *w)
{
    struct http_req *req = w->held[roll((unsigned)w->holding)];
    char large[5000];

    memset(large, 'x', sizeof(large));
    if (!req->data && roll(2)) {
        req->data = req;
        http_sse_begin(req, NULL, 0);
    }
    if (req->data && roll(4) == 0)
        http_forget_request(req);
    for (unsigned i = roll(4); req->data && i; i--)
        http_stream_write(req, &(struct str){ large, 1 + roll(sizeof(large)) }, 1);
}

static void move_client(struct world *w, int i)
{
    struct fake_stream *f = &w->client[i];
    const char *word = words[roll(ARRAY_LEN(words))];
    size_t n = roll(4) ? strlen(word) : roll((unsigned)strlen(word));

    if (!w->open[i] || f->closed) {
        world_connect(w, i);
        f->read_most = roll(3) ? 0 : 1 + roll(50);
        f->write_most = roll(3) ? 0 : 1 + roll(500);
        f->hiccup = roll(3) ? 0 : 2 + roll(5);
        f->room = roll(3) ? SIZE_MAX : roll(3000);
    } else if (!f->ended && roll(8)) {
        fake_stream_send(f, (struct str){ word, n });
    } else if (roll(2)) {
        fake_stream_end(f);
    } else {
        fake_stream_hang_up(f);
    }
}

static void one_step(struct world *w)
{
    int i = (int)roll(WORLD_CLIENTS);

    switch (roll(8)) {
    case 0:
    case 1:
    case 2: move_client(w, i); break;
    case 3:
        if (w->open[i] && !w->client[i].closed && w->client[i].room != SIZE_MAX)
            fake_stream_take(&w->client[i], roll(20000));
        break;
    case 4: loop_advance(w->loop, roll(5) ? roll(500) : roll(100000)); break;
    case 5:
        if (w->holding)
            go_on_with_one(w);
        break;
    case 6:
        if (w->holding)
            finish_one(w);
        break;
    case 7: loop_run_once(w->loop); break;
    }
    while (w->holding > WORLD_HELD - WORLD_CLIENTS)
        finish_one(w);
}

static void on_drained(void *ctx)
{
    ((struct world *)ctx)->drained++;
}

static bool looks_well(struct str got)
{
    return str_starts(got, str_head(STR("HTTP/1.1 "), got.n));
}

TEST(nothing_is_used_after_its_end)
{
    int served = 0, gone = 0;

    for (int life = 0; life < LIVES; life++) {
        struct world *w = world_new();
        int drain_at = roll(3) ? -1 : (int)roll(STEPS);

        dice = (uint32_t)life * 2654435761u;
        w->limits.http_connections = 3;
        w->limits.output_backlog_bytes = 300000;
        w->limits.http_bodies_bytes = 15;
        w->big = 60000;
        w->end_on_gone = roll(2);
        for (int step = 0; step < STEPS; step++) {
            if (step == drain_at)
                http_server_drain(w->server, on_drained, w);
            one_step(w);
        }
        for (int i = 0; i < WORLD_CLIENTS; i++)
            OK(!w->open[i] || looks_well(fake_stream_got(&w->client[i])));
        served += w->served;
        gone += w->gone;
        world_free(w);
    }
    OK(served > LIVES * 10 && gone > LIVES); /* it was a storm */
}

TEST_MAIN()
