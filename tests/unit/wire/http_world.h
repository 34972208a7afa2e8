/*
 * http_world.h - an HTTP server with a few handlers, fake clients and a clock of our own.
 *
 *   GET  /hi         answers "hi" at once
 *   POST /echo       answers the body at once
 *   POST /later      is answered by the test (world_held)
 *   GET  /later      likewise
 *   GET  /big        answers world.big bytes at once
 *   GET  /stream     begins a stream that the test goes on with
 *   GET  /events     begins an event stream that the test goes on with
 *   GET  /under/..   answers what follows /under/
 *
 * What cannot be is an assertion here; what is claimed is for the test to check (tap.h).
 */
#ifndef TESTS_HTTP_WORLD_H
#define TESTS_HTTP_WORLD_H

#include "fake_stream.h"
#include "wire/http_server.h"

enum { WORLD_CLIENTS = 4, WORLD_HELD = 8 };

#define WORLD_SAFE                                                                                 \
    "X-Content-Type-Options: nosniff\r\n"                                                          \
    "X-Frame-Options: DENY\r\n"                                                                    \
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
#define WORLD_DATE "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n" WORLD_SAFE
#define WORLD_HI                                                                                   \
    "HTTP/1.1 200 OK\r\n" WORLD_DATE "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi"

struct world {
    struct loop *loop;
    struct limits limits;
    struct http_server *server;
    struct fake_stream client[WORLD_CLIENTS];
    bool open[WORLD_CLIENTS];
    char seen[1 << 20]; /* what world_says returned last */
    struct http_req *held[WORLD_HELD];
    int holding;
    int served;      /* handlers called */
    int gone, rooms; /* on_gone and on_room calls */
    int quiet;       /* on_quiet calls, of /later only */
    bool end_on_gone;
    size_t big;
    int drained, closed;
};

/* A running server with default limits; change w->limits before connecting. */
struct world *world_new(void);

/* Hang up all clients, close the server, check that everything was let go of. */
void world_free(struct world *w);

/* Connect a client from 127.0.0.1:1000 + i. */
struct fake_stream *world_connect(struct world *w, int i);

/* Client i sends text; everything that follows from it happens. */
void world_send(struct world *w, int i, const char *text);

/* What client i got since it was asked last. */
const char *world_says(struct world *w, int i);

/* Send, and what came back. */
const char *world_ask(struct world *w, int i, const char *text);

/* Time passes. */
void world_wait(struct world *w, int64_t ms);

/* The oldest request that waits for its answer, taken out. */
struct http_req *world_take(struct world *w);

/* Answer it with a text, and let that happen. */
void world_answer(struct world *w, struct http_req *req, const char *text);

/* Send a request head of `target` for localhost with more lines. */
#define WORLD_GET(target) "GET " target " HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define WORLD_POST(target, more) "POST " target " HTTP/1.1\r\nHost: localhost\r\n" more

#define HAS(text, part)                                                                            \
    do {                                                                                           \
        const char *t_ = (text), *p_ = (part);                                                     \
        if (!strstr(t_, p_))                                                                       \
            TAP_NOT("\"%s\" is not in \"%.300s\"", p_, t_);                                        \
    } while (0)

#endif
