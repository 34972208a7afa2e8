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

struct acp_project;

struct acp_projects {
    struct acp_roots port; /* first */
    struct loop *loop;
    const char *config_file; /* value of --config, for all roots; or NULL */
    bool trust;              /* --trust was given */
    struct acp_project *first;
    size_t closing; /* roots that are still closing */
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

#endif
