/*
 * daemon.h - the Unix socket of `trefoil serve` (daemon_address.h), and its clients.
 *
 * An attached MCP client is served as if the daemon's own stdin and stdout were those of the client
 * (attached_mcp.h). Commands send HTTP requests (operator_api.h). The daemon disconnects clients of
 * other users, and clients beyond limits.attached_programs.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "daemon/daemon_address.h"
#include "daemon/work_stream.h"
#include "loop/hangup.h"
#include "runtime/runtime.h"
#include "wire/http_bind.h"

struct service;

struct client;

/* Why a client that was started differently is refused. */
#define DAEMON_OTHER_ROOT                                                                          \
    "the daemon was started with another root, --config, --trust, user configuration or "          \
    "TREFOIL_PROVIDER"

struct daemon {
    struct project *project;
    struct service *service;
    struct runtime *runtime;    /* where prompts of verbs are worked on; NULL: not open (yet) */
    const char *path;           /* of the socket; NULL: no client can connect */
    struct str digest;          /* what clients must agree in (daemon_address.h) ... */
    char config[DAEMON_DIGEST]; /* ... and verbs */
    struct http_bound bound;    /* fd is -1 while we do not listen */
    struct watch watch;
    struct timer rest; /* set: no descriptor was left for another connection */
    struct client *clients;
    size_t count;
    struct http_server *http;  /* of verbs; NULL: closed */
    struct work_streams works; /* of verbs, under way */
    struct hangups hangups;    /* of attached clients */
    bool watching, hearing;    /* watch and hangups are open, or are being closed */
    bool http_drained;
    void (*drained)(void *ctx);
    void *drained_ctx;
    void (*closed)(void *ctx);
    void *closed_ctx;
    struct post settled;
};

/* Nothing is open yet. Both must outlive it. */
void daemon_init(struct daemon *d, struct project *project, struct service *service);

/* Agents can work here from now on; the runtime must be open until daemon_close is done. */
void daemon_use_runtime(struct daemon *d, struct runtime *runtime);

/* The configuration was reloaded. */
void daemon_reloaded(struct daemon *d);

/*
 * Listen. If that is not possible, or another process serves the root, this is logged and no client
 * can connect.
 */
void daemon_open(struct daemon *d);

/* Accept no more clients, and let running calls finish; done is called from the loop. */
void daemon_drain(struct daemon *d, void (*done)(void *ctx), void *ctx);

/* End all; done is called from the loop. */
void daemon_close(struct daemon *d, void (*done)(void *ctx), void *ctx);

#endif
