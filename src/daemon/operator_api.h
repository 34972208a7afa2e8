/*
 * operator_api.h - the routes that the daemon's Unix socket has beside those of the TCP port: work
 * for the verbs of the user who runs the daemon. Each request is checked first (daemon_address.h);
 * 409 tells the verb to work in its own process.
 *
 *   POST /api/run            a prompt, answered by a stream of work_message.h
 *   GET  /api/tools          {"tools":[...],"unavailable":[SENTENCE...]}
 *   POST /api/tools/call     {"name","arguments","person","yes"}, answered by such a stream
 *   GET  /api/servers        server_json.h, once all servers have been tried
 *   POST /api/dispatch       as POST /api/tasks, with the rights of the command line
 *   POST /api/streams/ID/...    work_stream.h
 */
#ifndef DAEMON_OPERATOR_API_H
#define DAEMON_OPERATOR_API_H

#include "daemon/daemon.h"
#include "wire/http_server.h"

/* The HTTP server of the Unix socket. It does not listen; the daemon accepts. */
struct http_server *operator_http_new(struct daemon *d);

/* Handlers, each in a separate file; the request was checked. */
void operator_run_post(struct daemon *d, struct http_req *req);
void operator_tools_call(struct daemon *d, struct http_req *req);
void operator_tools_reply(struct http_req *req);

/* Reply once all servers have been tried, at the latest after limits.gather_ms. */
void operator_when_ready(struct daemon *d, struct http_req *req, http_handler_fn *reply);

#endif
