/* service_http.h - the HTTP server of a service: its routes, and the order in which it closes. */
#ifndef RUNTIME_SERVICE_HTTP_H
#define RUNTIME_SERVICE_HTTP_H

#include "wire/http_server.h"

struct config;
struct service;

/*
 * Add the HTTP server with all routes; it does not listen yet. The hosts and keys of the
 * configuration must outlive it.
 */
void service_add_http(struct service *s, const struct config *c);

/* The routes of every HTTP server of the service, whose ctx is &s->web. */
const struct http_route *service_routes(size_t *out_n);

/* Stop serving MCP: open listens are answered, and parked calls are cancelled. */
void service_end_mcp(struct service *s);

/* Close the HTTP server, end MCP, then call `done` from the loop. */
void service_close_http(struct service *s, void (*done)(void *ctx), void *ctx);

#endif
