/*
 * world.h - the whole program in one process, without its descriptors.
 *
 * A real service (tools on a temporary root, rpc, MCP, HTTP routes) on a loop whose clock stands
 * still; the clients are fake wires. A fault makes every wire misbehave in one way.
 */
#ifndef TALK_WORLD_H
#define TALK_WORLD_H

#include "fake_stream.h"
#include "fixtures.h"
#include "match.h"
#include "proto/mcp/server/mcp_stdio.h"
#include "runtime/service.h"

enum fault { FAULT_NONE, FAULT_ONE_BYTE_READS, FAULT_SHORT_WRITES, FAULT_EAGAIN, FAULT_COUNT };

enum { WIRES = 8, WIRE_NAME = 32 };

struct wire {
    char name[WIRE_NAME];
    bool http, stdio_done;
    struct fake_stream fake;
    struct mcp_stdio stdio;
    size_t seen;        /* bytes of fake.written already compared */
    char headers[1024]; /* of the next HTTP request */
};

struct world {
    struct loop *loop;
    struct limits limits;
    struct service service;
    char root[64];
    struct wire wire[WIRES];
    size_t wires;
    struct match_names names;
    enum fault fault;
    bool with_fixtures; /* before the first wire */
    struct offer_source fixtures;
    bool open, http_closed;
    char key[64]; /* the API key, or "" */
    struct http_key api_key;
    struct config config; /* of the HTTP server */
};

void world_init(struct world *w, enum fault fault);

/* Close everything, let every deadline pass, and check that nothing is left. */
bool world_fini(struct world *w, char *why, size_t size);

/* The service is opened by the first wire, so that limits can be set before. */
struct wire *world_add_wire(struct world *w, struct str name, bool http, enum framing framing);
struct wire *world_find_wire(struct world *w, struct str name);

/* What a wire got and nobody has looked at. */
struct str wire_unseen(const struct wire *wire);

/* Let the program work until it has nothing to do. */
void world_settle(struct world *w);

/* The same, also waiting (in real time) for work on pool threads, until done(who) is true. */
bool world_wait(struct world *w, bool (*done)(void *ctx), void *ctx);

#endif
