/*
 * mcp_client.h - one connection to one MCP server, over any transport, in any version.
 *
 *   CONNECTING -> READY -> CLOSED
 *        |                  ^
 *        +------------------+
 *
 * CONNECTING  the client starts the child or connects to the URL, detects the era of the server
 *             (mcp_era.h), does the handshake, and lists the tools. If a child exits because of the
 *             detection, it is started once more.
 * READY       the client accepts calls, any number at the same time.
 * CLOSED      on_closed has reported the reason; the client can be freed. To reconnect,
 *             mcp_upstream.h opens a new client.
 *
 * If an HTTP server forgets our session, or a stream is interrupted, the client begins a new
 * session or resumes the stream, and reports nothing.
 *
 * Content from a server is data, never an instruction for us: it is forwarded byte for byte, and
 * only the parts that are needed to route it are decoded.
 */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_H

#include "core/tool/offer.h"
#include "core/tool/server_spec.h"
#include "proto/mcp/mcp_version.h"
#include "rpc/peer.h"

struct http_client;
struct mcp_client;
struct proc;
struct sandbox_policy;
struct state_port;
struct procs;
struct tail;

/* Shared by all clients of a program. */
struct mcp_client_world {
    struct rpc *rpc;
    struct procs *procs;
    struct http_client *http;
    const char *const *environ; /* our environment; a child gets what its spec allows */
    const char *root;           /* the working directory of children, unless their spec names
                                 * another */
    const char *name, *version; /* clientInfo */
    const struct sandbox_policy *sandbox; /* NULL: children run without a sandbox */
    struct state_port *state; /* holds the private caches of children; NULL: children have none */
};

struct mcp_client_events {
    /* The handshake is done and the tools are known. */
    void (*on_ready)(struct mcp_client *c);

    /* The tools of the server have changed; the client has listed them again. */
    void (*on_tools)(struct mcp_client *c);

    /* A child has ended; tail has the last lines of its stderr, valid during this callback. May
     * be NULL. */
    void (*on_last_words)(struct mcp_client *c, const struct tail *tail);

    /*
     * The client is closed: it could not connect, the connection was lost, or mcp_client_close was
     * called (e->code == ERR_CANCELED). All calls are settled. No event follows; mcp_client_free
     * may be called from here or later.
     */
    void (*on_closed)(struct mcp_client *c, const struct err *e);
};

/* A tool as its server describes it. Valid until the next on_tools or on_closed. */
struct mcp_remote_tool {
    struct str name;  /* as the server spells it, decoded */
    struct json tool; /* the whole definition */
};

/*
 * Start to connect. *spec must outlive the client. `era`: the era that an earlier connection found.
 */
struct mcp_client *mcp_client_open(const struct mcp_client_world *world,
                                   const struct server_spec *spec, enum server_era era,
                                   const struct mcp_client_events *events, void *owner);

/*
 * Close the connection: a child gets time to exit; an HTTP session is deleted. on_closed follows.
 */
void mcp_client_close(struct mcp_client *c);
void mcp_client_free(struct mcp_client *c);

void *mcp_client_owner(const struct mcp_client *c);

/*
 * Forward a core call to the tool of this name on the server. The arguments, and the result or
 * error, are forwarded unchanged. Progress, log messages and requests for input are passed to the
 * caller of the call. If the call is cancelled or reaches its deadline, the server is notified. The
 * call fails with ERR_CLOSED if the connection is lost, and with ERR_TIMEOUT after a timeout of the
 * spec.
 */
void mcp_client_call(struct mcp_client *c, struct call *call, struct str tool);

/*
 * The same for any other request, such as resources/read or prompts/get. `params` is an object or
 * missing, and must stay valid as long as the call. Its members are sent unchanged, and trefoil's
 * members of _meta are added.
 */
void mcp_client_request(struct mcp_client *c, struct call *call, const char *method,
                        struct json params);

/* ---- facts ------------------------------------------------------------------------------- */

struct mcp_client_facts {
    bool ready;
    enum server_transport transport; /* the transport in use, which may differ from the spec's */
    enum server_era era;             /* AUTO until it is detected */
    struct str version;              /* the negotiated version */
    struct str server_name, server_version;
    struct str instructions;
    const struct mcp_remote_tool *tool;
    size_t tools;
    size_t left_out;         /* number of tools of the server that were rejected, */
    const char *out_why;     /* and why the first one was rejected; NULL: none was */
    const struct proc *proc; /* the child; its tail has the last lines of stderr; NULL: none */
};

struct mcp_client_facts mcp_client_facts(const struct mcp_client *c);

/* Is the client ready for calls? */
bool mcp_client_ready(const struct mcp_client *c);

#endif
