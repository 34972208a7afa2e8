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

struct workspace;

/* Learns of changes of a root. */
struct acp_root_watch {
    void (*agents_changed)(struct acp_root_watch *w);
    struct acp_root_watch *next; /* in acp_root.watches */
};

/* An open root. It stays open as long as the connection. */
struct acp_root {
    const char *path; /* absolute path, with links resolved */
    const struct limits *limits;
    struct session_world *world;
    struct agent_registry_port *registry;
    struct offer *offer;         /* the tools that agents of this root can use */
    struct workspace *local;     /* files and terminals of this machine */
    const char *program;         /* absolute path of this program, for commands in the editor */
    struct readiness *readiness; /* the gate at which prompts wait for the configured servers */
    /*
     * what the user should know about this root, such as definitions that need trust; STR_NONE:
     * nothing
     */
    struct str notice;
    struct acp_root_watch *watches; /* called when the agents of the registry have changed */
};

struct acp_roots;

/* A place where a session works. */
struct acp_place {
    struct acp_root *root;
    const char *cwd; /* absolute path, with links resolved; inside the root */
};

/* A root of the user that has stored sessions. It need not be open. */
struct acp_stored_root {
    const char *name; /* unique among the roots of the user; for cursors */
    const char *path; /* path of the root folder */
};

/* The MCP servers that a client has named for one session. They are never stored. */
struct acp_servers {
    struct offer *offer; /* the tools of these servers, then those of the root */
    /* open until the first attempt to connect has ended for every server */
    struct readiness readiness;
};

struct acp_servers_opts {
    struct acp_root *root;
    const char *cwd;   /* the folder in which servers run; must live as long as the servers */
    struct json array; /* the member mcpServers of a request; missing or null: no servers */
    /* Called with a sentence for the user: a server has failed, or replaces a configured one. */
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

    /*
     * List the roots of the user that have a store, sorted by name; the list is in mem. If `folder`
     * is not STR_NONE, the list has at most the root of this folder, and *cwd is the folder with
     * links resolved. Blocks. A folder that does not exist has no root.
     */
    bool (*stored)(struct acp_roots *r, struct arena *mem, struct str folder, const char **cwd,
                   struct acp_stored_root **out, size_t *n, struct err *e);

    /* Open the store of such a root, to read it or to delete from it. Blocks. */
    struct store_port *(*store_open)(struct acp_roots *r, const struct acp_stored_root *root,
                                     struct err *e);
    void (*store_close)(struct acp_roots *r, struct store_port *store);

    /* A session was deleted from the store of this root: delete its files, such as logs. Blocks. */
    void (*deleted)(struct acp_roots *r, const struct acp_stored_root *root, struct str session);

    /*
     * Begin to connect to the servers of a session, all at the same time. ERR_INVALID: an entry is
     * malformed; then nothing is started.
     */
    struct acp_servers *(*servers_open)(struct acp_roots *r, const struct acp_servers_opts *opts,
                                        struct err *e);

    /* Add a server, or replace one of the same name; `entry` is an element of mcpServers. */
    bool (*servers_add)(struct acp_servers *s, struct json entry, struct err *e);

    /* Remove a server. ERR_NOT_FOUND: the session has no such server. */
    bool (*servers_remove)(struct acp_servers *s, struct str name, struct err *e);

    /* Close all servers. `done` is called from the loop when their processes have ended. */
    void (*servers_close)(struct acp_servers *s, void (*done)(void *ctx), void *ctx);
};

/* Lives as long as the program. */
struct acp_roots {
    const struct acp_roots_kind *kind;
};

#endif
