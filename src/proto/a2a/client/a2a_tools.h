/* a2a_tools.h - the port of the tools a2a_discover and a2a_send (core/agent/remote_port.h). */
#ifndef PROTO_A2A_CLIENT_A2A_TOOLS_H
#define PROTO_A2A_CLIENT_A2A_TOOLS_H

#include "core/agent/remote_port.h"
#include "proto/a2a/client/a2a_peer.h"

/* Set all members but `port`, which a2a_tools_init sets. Lives as long as the program. */
struct a2a_tools {
    struct remote_port port; /* first */
    struct loop *loop;
    const struct limits *limits;
    const char *user_agent;
    const struct address_policy *policy;    /* the addresses that URLs of models may reach */
    struct http_client *(*http)(void *ctx); /* the client; NULL: it is closed */
    void *http_ctx;
};

void a2a_tools_init(struct a2a_tools *t);

#endif
