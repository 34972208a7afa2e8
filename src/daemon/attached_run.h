/*
 * attached_run.h - a `trefoil run` that came in by the daemon's door: its job runs here, its screen is
 * there (attached_run_lines.h).
 */
#ifndef DAEMON_ATTACHED_RUN_H
#define DAEMON_ATTACHED_RUN_H

#include "core/readiness.h"
#include "daemon/attached_run_lines.h"

struct attached_ask;

struct attached_run {
    struct stream_link link;
    struct service *service;
    struct run_job job;
    struct work_client client;
    struct run_want want;
    bool person; /* is there to be asked */
    struct arena mem;
    struct buf out;
    struct readiness_wait wait; /* for servers and agents, when we have just begun */
    bool asked, working;        /* the request has come; the job is under way */
    bool over;                  /* the last word was said, or nobody would hear it */
    bool gone;                  /* nobody is there any more */
    bool hurry;                 /* the daemon leaves: who does not read is not waited for */
    struct attached_ask *asks;  /* open ones */
    int64_t last_ask;
    void (*done)(struct attached_run *g);
    void *ctx;
};

/*
 * Take over `io`, whose events must be stream_link_events with &g->link as owner. done is called from
 * the loop when all is closed.
 */
void attached_run_start(struct attached_run *g, struct service *service, struct runtime *shop,
                        struct stream *io, void (*done)(struct attached_run *g), void *ctx);

/* Nobody is there any more: what is done for it stops. */
void attached_run_gone(struct attached_run *g);

/* The daemon leaves, in a while: one that has asked for nothing yet goes. Then at once. */
void attached_run_drain(struct attached_run *g);
void attached_run_stop(struct attached_run *g);

#endif
