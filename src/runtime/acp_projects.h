/*
 * acp_projects.h - the roots that the sessions of ACP clients use (proto/acp/agent/acp_root.h).
 *
 * A root is opened when the first session names a folder in it. It has a project (configuration and
 * state directory), a service (tools, servers, guard) and a runtime (store, agents) of its own, and
 * stays open until acp_projects_close. If a configuration cannot be loaded, opening a session fails
 * with the reason; other roots are not affected.
 */
#ifndef RUNTIME_ACP_PROJECTS_H
#define RUNTIME_ACP_PROJECTS_H

#include "base/limits.h"
#include "loop/loop.h"
#include "proto/acp/agent/acp_root.h"
#include "state/state_dir.h"

#include <limits.h>

struct acp_project;

/* A store that was opened for a list of sessions; its root is not open. */
struct acp_visited_store {
    struct acp_projects *all;
    struct store *store;
    struct state_dir state;
    struct acp_visited_store *next;
};

struct acp_projects {
    struct acp_roots port; /* first */
    struct loop *loop;
    const char *config_file; /* value of --config, for all roots; or NULL */
    bool trust;              /* --trust was given */
    char program[PATH_MAX];  /* path of this program */
    struct limits limits;    /* for stores of roots that are not open */
    struct acp_project *first;
    size_t opened; /* number of open roots */
    struct acp_visited_store *visited;
    size_t visits;  /* visited stores that are open or closing */
    size_t closing; /* roots that are still closing */
    bool leaving;   /* acp_projects_close was called */
    bool in_time;
    void (*closed)(void *ctx, bool in_time);
    void *closed_ctx;
};

void acp_projects_init(struct acp_projects *p, struct loop *loop, const char *config_file,
                       bool trust);

/*
 * Close all roots; no session may be open. `done` is called from the loop. in_time false: a server
 * has not exited within limits.shutdown_ms, and the process should exit at once.
 */
void acp_projects_close(struct acp_projects *p, void (*done)(void *ctx, bool in_time), void *ctx);

/* Free the memory of the closed roots. */
void acp_projects_fini(struct acp_projects *p);

/* ---- for acp_projects.c and acp_stores.c ------------------------------------------------------ */

/* The store of an open root; NULL: the root is not open, or nothing is stored. */
struct store_port *acp_projects_store(const struct acp_projects *p, const char *path);

/* A visited store was closed: finish acp_projects_close if it waits for that. */
void acp_projects_check(struct acp_projects *p);

bool acp_stores_list(struct acp_roots *r, struct arena *mem, struct str folder, const char **cwd,
                     struct acp_stored_root **out, size_t *n, struct err *e);
struct store_port *acp_stores_open(struct acp_roots *r, const struct acp_stored_root *root,
                                   struct err *e);
void acp_stores_close(struct acp_roots *r, struct store_port *store);
void acp_stores_deleted(struct acp_roots *r, const struct acp_stored_root *root,
                        struct str session);

#endif
