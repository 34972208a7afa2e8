/*
 * workshop.h - where agents work: the store, the models, the agents and what they may be given.
 *
 * One per program, beside the service whose tools, servers and guard it uses. Agents may be given
 * all built-in tools and those of all servers, also the ones that clients of [mcp] are not offered;
 * what each of them may do is the guard's business.
 */
#ifndef APP_WORKSHOP_H
#define APP_WORKSHOP_H

#include "app/desk.h"
#include "app/models.h"
#include "app/service.h"
#include "core/session.h"

struct workshop {
    struct service *service;
    const struct config *config; /* in force */
    struct store *store;         /* NULL: nothing is kept */
    struct models *models;
    struct desk *desk;
    struct session_world world; /* for session_open */
    struct offer offer;         /* what agents may be given */
    struct offer_source builtin;
    struct mcp_fleet_view view;
    bool viewing;
    void (*closed)(void *who);
    void *closed_who;
};

/*
 * Open it. `mem` and `config` live as long. With `keep` the store of the root is opened, and it is
 * a failure when that does not work. Blocks for as long as opening a database takes.
 */
bool workshop_open(struct workshop *w, struct service *s, struct arena *mem,
                   const struct config *config, const struct root *root, bool keep, struct err *e);

/* The service uses another configuration, or has (or is about to leave) its servers. */
void workshop_use(struct workshop *w, const struct config *config);
void workshop_leave_servers(struct workshop *w);

/* No session may be open. done is called from the loop; then *w is gone. */
void workshop_close(struct workshop *w, void (*done)(void *who), void *who);

#endif
