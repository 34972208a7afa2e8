/*
 * daemon.h - the door of `trefoil serve` (daemon_address.h), and who came in by it.
 *
 * Each program that attaches is a guest: an MCP client on a Unix socket, served like one on stdin
 * and stdout, by the same service as all others; or a `trefoil run` (attached_run.h). Guests of another user are turned away without a
 * word, and so is one more than limits.attached_programs.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "daemon/daemon_address.h"
#include "loop/hangup.h"
#include "runtime/runtime.h"
#include "runtime/service.h"
#include "wire/http_bind.h"

struct client;

struct daemon {
    struct project *project;
    struct service *service;
    struct runtime *runtime;    /* where guests that run work; NULL: there is none (yet) */
    const char *path;           /* of the socket; NULL: nobody can attach */
    struct str digest;          /* what guests must agree in (daemon_address.h) ... */
    char config[DAEMON_DIGEST]; /* ... and those that run */
    struct http_bound bound;    /* fd is -1 while we do not listen */
    struct watch watch;
    struct timer rest; /* set: no descriptor was left for one more */
    struct client *clients;
    size_t count;
    struct hangups hangups; /* of guests that are served */
    bool watching, hearing; /* watch and hangups are open, or are being closed */
    void (*drained)(void *ctx);
    void *drained_ctx;
    void (*closed)(void *ctx);
    void *closed_ctx;
    struct post settled;
};

/* Nothing is open yet. Both must outlive it. */
void daemon_init(struct daemon *d, struct project *project, struct service *service);

/* Agents can work here from now on; it must be open until daemon_close is done. */
void daemon_use_runtime(struct daemon *d, struct runtime *runtime);

/* The configuration was loaded anew. */
void daemon_reloaded(struct daemon *d);

/*
 * Open the door. Where that is not possible, or another process serves the root, the log says so
 * and nobody can attach.
 */
void daemon_open(struct daemon *d);

/* Let nobody in any more, and let guests finish; done is called from the loop. */
void daemon_drain(struct daemon *d, void (*done)(void *ctx), void *ctx);

/* End all; done is called from the loop. */
void daemon_close(struct daemon *d, void (*done)(void *ctx), void *ctx);

#endif
