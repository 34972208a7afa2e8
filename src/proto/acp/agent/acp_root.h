/*
 * acp_root.h - the port to the roots (project folders) in which the sessions of a client work.
 *
 * The root of a session is found from the folder that the client names, never from the folder of
 * this process. So one connection can serve several roots, each with its own configuration, agents,
 * trust and store. runtime/acp_projects.h implements the port.
 */
#ifndef PROTO_ACP_AGENT_ACP_ROOT_H
#define PROTO_ACP_AGENT_ACP_ROOT_H

#include "core/session/session.h"

/* An open root. It stays open as long as the connection. */
struct acp_root {
    const char *path; /* absolute path, with links resolved */
    const struct limits *limits;
    struct session_world *world;
    struct agent_registry_port *registry;
    struct offer *offer;         /* the tools that agents of this root can use */
    struct readiness *readiness; /* the gate at which prompts wait for the configured servers */
    /*
     * what the user should know about this root, such as definitions that need trust; STR_NONE:
     * nothing
     */
    struct str notice;
};

struct acp_roots;

/* A place where a session works. */
struct acp_place {
    struct acp_root *root;
    const char *cwd; /* absolute path, with links resolved; inside the root */
};

/* The stores of all roots of the user, for a list of sessions. */
struct acp_stores {
    struct store_port **v;
    size_t n;
};

/* The MCP servers that a client has named for one session. */
struct acp_servers {
    struct offer *offer; /* the tools of the root and of these servers */
};

/* The servers of a session, or a change of them. */
struct acp_servers_opts {
    struct acp_root *root;
    const char *cwd;   /* the folder in which servers run */
    struct json array; /* the member mcpServers of a request; missing or null: no servers */
    /* Called with a sentence for the user about a server that failed or shadows another. */
    void (*report)(void *ctx, struct str sentence);
    void *ctx;
};

struct acp_roots_kind {
    /*
     * Find the root of a folder, and open it. Blocks, because it reads files. `out->cwd` is in mem.
     * ERR_INVALID: the folder or its configuration cannot be used.
     */
    bool (*take)(struct acp_roots *r, struct arena *mem, struct str folder, struct acp_place *out,
                 struct err *e);

    /* Open a further folder of a session. ERR_DENIED: it contains all files of the user. */
    bool (*open_folder)(struct acp_roots *r, struct arena *mem, struct str folder,
                        struct host_folder *out, struct err *e);

    /* Return the roots that are open: pass NULL for the first; NULL is the end. */
    struct acp_root *(*next)(struct acp_roots *r, const struct acp_root *root);
};

/* Lives as long as the program. */
struct acp_roots {
    const struct acp_roots_kind *kind;
};

#endif
