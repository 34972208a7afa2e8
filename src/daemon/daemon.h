/*
 * daemon.h - the Unix socket of `trefoil serve` (daemon_socket.h), and its clients.
 *
 * For an attached MCP client, the daemon speaks MCP on the client's stdin and stdout
 * (serve_attached.h). Commands send HTTP requests (operator_api.h). The daemon disconnects clients
 * of other users, and clients beyond limits.attached_programs.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "daemon/daemon_socket.h"
#include "daemon/work_stream.h"
#include "loop/hangup.h"
#include "runtime/runtime.h"
#include "wire/http_bind.h"

struct service;

struct client;

/* The error message for a client whose settings differ from the daemon's settings. */
#define DAEMON_OTHER_ROOT                                                                          \
    "the daemon was started with another root, --config, --trust, user configuration or "          \
    "TREFOIL_PROVIDER"

struct daemon {
    struct project *project;
    struct service *service;
    struct runtime *runtime;    /* runs the prompts that CLI commands send; NULL: not open */
    const char *path;           /* path of the socket; NULL: no client can connect */
    struct str digest;          /* daemon_root_digest; clients must have the same digest */
    char config[DAEMON_DIGEST]; /* daemon_config_digest; verbs must have the same digest */
    /* the listening socket; fd is -1 while the daemon does not listen */
    struct http_bound bound;
    struct watch watch;
    struct timer rest; /* set while the process has no free descriptor for a new connection */
    struct client *clients;
    size_t count;
    struct http_server *http;  /* the HTTP server for verbs; NULL: it is closed */
    struct work_streams works; /* the work that the daemon does for verbs now */
    struct hangups hangups;    /* detects that attached clients have disconnected */
    bool watching, hearing;    /* `watch` and `hangups` are open, or are being closed */
    bool http_drained;
    void (*drained)(void *ctx);
    void *drained_ctx;
    void (*closed)(void *ctx);
    void *closed_ctx;
    struct post settled;
};

/* Initialize *d without opening anything. `project` and `service` must outlive *d. */
void daemon_init(struct daemon *d, struct project *project, struct service *service);

/* Run agents in this runtime from now on. The runtime must stay open until daemon_close is done. */
void daemon_use_runtime(struct daemon *d, struct runtime *runtime);

/* Call this when the configuration was reloaded. */
void daemon_reloaded(struct daemon *d);

/*
 * Listen on the socket. If that is not possible, or if another process serves the root, the
 * function logs this, and no client can connect.
 */
void daemon_open(struct daemon *d);

/* Accept no more clients, and wait until running calls finish; `done` is called from the loop. */
void daemon_drain(struct daemon *d, void (*done)(void *ctx), void *ctx);

/* Close all connections; `done` is called from the loop. */
void daemon_close(struct daemon *d, void (*done)(void *ctx), void *ctx);

#endif
