/* service_http.h - the HTTP server of a service: its routes, and the order in which it closes. */
#ifndef RUNTIME_SERVICE_HTTP_H
#define RUNTIME_SERVICE_HTTP_H

#include "wire/http_server.h"

struct config;
struct service;

/*
 * Add the HTTP server with all routes; it does not listen yet. The hosts and keys of the
 * configuration must outlive the HTTP server.
 */
void service_add_http(struct service *s, const struct config *c);

/*
 * Return the routes that every HTTP server of a service has, in the memory of the service. `ctx` of
 * such a server is &s->web.
 */
const struct http_route *service_routes(struct service *s, size_t *out_n);

/* Stop serving MCP and A2A: answer requests that wait, and cancel parked calls. */
void service_end_mcp(struct service *s);

/* Close the HTTP server, end MCP, then call `done` from the loop. */
void service_close_http(struct service *s, void (*done)(void *ctx), void *ctx);

#endif
