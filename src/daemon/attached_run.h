/*
 * attached_run.h - a `trefoil run` that came in by the daemon's door: its job runs here, its screen is
 * there (attached_run_lines.h).
 */
#ifndef DAEMON_ATTACHED_RUN_H
#define DAEMON_ATTACHED_RUN_H

#include "core/readiness.h"
#include "daemon/attached_run_lines.h"

struct guest_ask;

struct run_guest {
    struct stream_link link;
    struct service *service;
    struct run_job job;
    struct work_client client;
    struct run_want want;
    bool person; /* is there to be asked */
    struct arena mem;
    struct buf out;
    struct gathering_wait wait; /* for servers and agents, when we have just begun */
    bool asked, working;        /* the request has come; the job is under way */
    bool over;                  /* the last word was said, or nobody would hear it */
    bool gone;                  /* nobody is there any more */
    bool hurry;                 /* the daemon leaves: who does not read is not waited for */
    struct guest_ask *asks;     /* open ones */
    int64_t last_ask;
    void (*done)(struct run_guest *g);
    void *who;
};

/*
 * Take over `io`, whose events must be stream_link_events with &g->link as owner. done is called from
 * the loop when all is closed.
 */
void run_guest_start(struct run_guest *g, struct service *service, struct workshop *shop,
                     struct stream *io, void (*done)(struct run_guest *g), void *who);

/* Nobody is there any more: what is done for it stops. */
void run_guest_gone(struct run_guest *g);

/* The daemon leaves, in a while: one that has asked for nothing yet goes. Then at once. */
void run_guest_drain(struct run_guest *g);
void run_guest_stop(struct run_guest *g);

#endif
