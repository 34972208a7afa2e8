/*
 * upstreams_world.h - a fleet on a fake clock with fake clients, an offer that shows it, and calls.
 */
#ifndef TESTS_FLEET_WORLD_H
#define TESTS_FLEET_WORLD_H

#include "fake_client.h"
#include "proto/mcp/client/mcp_upstreams.h"

enum { WORLD_CALLS = 256 };

struct world_call {
    struct call call;
    struct arena mem;
    bool done;
    struct err err;
    char result[128]; /* what was forwarded */
};

struct world {
    struct loop *loop;
    struct limits limits;
    struct rpc rpc;
    struct host host;
    struct mcp_client_world clients;
    struct mcp_upstreams *upstreams;
    struct mcp_upstreams_view view;
    struct offer offer;
    struct offer_watch watch;
    struct caller caller;
    struct world_call call[WORLD_CALLS];
    size_t calls;
    int changes; /* of the list of tools */
    int tried;
    bool closed;
};

/* limits: mcp_retry 100 to 800 ms, 3 failures, broken for 2000 ms. */
struct world *world_new(void);

/* The fleet is closed as well. */
void world_free(struct world *w);

/* An enabled, trusted server of that name, with timeouts of 1 s and 10 s. */
struct server_spec world_spec(const char *name);

/* Deliver all that is posted. */
void world_turn(struct world *w);

/* Call a published tool; "not offered" in err when there is none. */
struct world_call *world_call(struct world *w, const char *tool);

/* The names the offer lists, joined by a space. */
const char *world_list(const struct world *w);

enum upstream_state world_state(const struct world *w, const char *server);

#endif
