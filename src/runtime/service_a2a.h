/* service_a2a.h - the A2A server of a service: its settings and its routes. */
#ifndef RUNTIME_SERVICE_A2A_H
#define RUNTIME_SERVICE_A2A_H

#include "wire/http_server.h"

struct config;
struct service;

/* Set up the server; call it one time, after the rest of the service. */
void service_a2a_init(struct service *s);

/* Use the listen path of the configuration for the routes, which are made only one time. */
void service_a2a_set_path(struct service *s, const struct config *c);

/* Use these settings from now on, except the listen path. *c must live until it is replaced. */
void service_a2a_use(struct service *s, const struct config *c);

/* The routes of A2A at fixed paths. */
extern const struct http_route service_a2a_routes[];
extern const size_t service_a2a_route_count;

enum { SERVICE_A2A_PATH_ROUTES = 5 };

/* The routes below [a2a] listen_path; the paths are in mem. */
void service_a2a_path_routes(struct arena *mem, struct str path,
                             struct http_route out[SERVICE_A2A_PATH_ROUTES]);

#endif
