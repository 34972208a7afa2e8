/* client.h - the parts of the conformance client. */
#ifndef TESTS_CONFORMANCE_CLIENT_H
#define TESTS_CONFORMANCE_CLIENT_H

#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "loop/proc.h"
#include "proto/mcp/client/mcp_client.h"
#include "wire/http_client.h"

#include <stdio.h>

struct act {
    struct loop *loop;
    struct limits limits;
    struct rpc rpc;
    struct procs procs;
    struct host host;
    struct caller caller;
    struct mcp_client_world world;
    struct server_spec spec;
    struct mcp_client *client;
    struct arena mem;
    struct str names; /* of tools still to be called by hand */
    const char *args;
    int open;                    /* calls under way */
    void (*next)(struct act *a); /* once the client is ready */
    int at;                      /* step of a scenario */
    bool ready, failed;
};

struct act_call;
typedef void act_done_fn(struct act_call *k, const struct err *e);

struct act_call {
    struct call call; /* first */
    struct act *act;
    struct arena mem;
    const char *tool, *method;
    act_done_fn *done;
};

/* Both take raw JSON, or nothing. The call is gone when done has returned. */
void act_call_tool(struct act *a, const char *tool, struct str args, act_done_fn *done);
void act_request(struct act *a, const char *method, struct str params, act_done_fn *done);

void act_leave(struct act *a);

/* What a scenario of the suite wants done. */
void (*act_scenario(const char *name))(struct act *a);

/* A caller that answers every question: forms with their defaults. */
extern const struct caller_kind act_caller;

#endif
