/* a2a_bindings.h - the bindings of A2A, for a2a_http.c. */
#ifndef PROTO_A2A_SERVER_A2A_BINDINGS_H
#define PROTO_A2A_SERVER_A2A_BINDINGS_H

#include "proto/a2a/server/a2a_server.h"

/* Handle a POST of JSON-RPC. `agent`: the agent that the path names; STR_NONE: none. */
void a2a_rpc_serve(struct a2a_server *s, struct http_req *req, struct str agent);

/*
 * Handle a request of HTTP+JSON. `path` is the path below the base URL, such as "/tasks/ID" or
 * "/v1/message:send". False: it is not a path of this binding, and was not handled.
 */
bool a2a_rest_serve(struct a2a_server *s, struct http_req *req, struct str agent, struct str path);

/* The same for the plain REST routes: "/tasks/send", "/tasks/ID", "/tasks/ID/cancel", "/agents". */
bool a2a_simple_serve(struct a2a_server *s, struct http_req *req, struct str path);

#endif
