/*
 * operator_api.h - additional HTTP routes of the daemon's Unix socket, for verbs that the same user
 * runs. The daemon first checks that the request has the same settings (daemon_socket.h). If it
 * responds with 409, the verb works in its own process.
 *
 *   POST /api/run            a prompt; the response is a stream of work_message.h
 *   GET  /api/tools          {"tools":[...],"unavailable":[SENTENCE...]}
 *   POST /api/tools/call     {"name","arguments","person","yes"}; the response is such a stream
 *   GET  /api/servers        server_json.h, after each server has connected or failed
 *   POST /api/dispatch       as POST /api/tasks, with the rights of the command line
 *   POST /api/streams/ID/...    work_stream.h
 */
#ifndef DAEMON_OPERATOR_API_H
#define DAEMON_OPERATOR_API_H

#include "daemon/daemon.h"
#include "wire/http_server.h"

/*
 * Create the HTTP server of the Unix socket. The server does not listen; the daemon accepts the
 * connections.
 */
struct http_server *operator_http_new(struct daemon *d);

/* Handlers in other files. They are called after the request was checked. */
void operator_run_post(struct daemon *d, struct http_req *req);
void operator_tools_call(struct daemon *d, struct http_req *req);
void operator_tools_reply(struct http_req *req);

/*
 * Call `reply` when each server has connected or failed, but at the latest after limits.gather_ms.
 */
void operator_when_ready(struct daemon *d, struct http_req *req, http_handler_fn *reply);

#endif
