/*
 * mcp_client.h - one connection to one MCP server, over any transport, in any version.
 *
 *   CONNECTING -> READY -> CLOSED
 *        |                  ^
 *        +------------------+
 *
 * CONNECTING  starts the child or connects to the URL, probes the era, does the handshake, lists
 *             the tools. May respawn a child once that died of the probe.
 * READY       accepts calls, any number at once, pipelined by id.
 * CLOSED      reported once by on_closed, with the reason; the client can then be freed. A new
 *             connection is a new client: to reconnect, mcp_upstream.h opens another.
 *
 * Losses of a session (an HTTP server that forgot our session, a stream that broke) are repaired
 * inside and not reported.
 *
 * Content from a server is data, never instruction: it is forwarded byte for byte and no more is
 * decoded than routing needs.
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
struct procs;
struct tail;

/* Shared by all clients of a program. */
struct mcp_client_world {
    struct rpc *rpc;
    struct procs *procs;
    struct http_client *http;
    const char *const *environ; /* our environment, of which a child gets what its spec allows */
    const char *root;           /* the working directory of children, unless their spec names
                                 * another */
    const char *name, *version; /* clientInfo */
};

struct mcp_client_events {
    /* The handshake is done and the tools are known. */
    void (*on_ready)(struct mcp_client *c);

    /* The server announced new tools and they have been listed. */
    void (*on_tools)(struct mcp_client *c);

    /* A child has ended: the last lines of its stderr, borrowed for the call. May be NULL. */
    void (*on_last_words)(struct mcp_client *c, const struct tail *tail);

    /*
     * The client is closed: it could not connect, was lost, or was closed by us (e->code ==
     * ERR_CANCELED). All calls have been settled. The last event; call mcp_client_free from here or
     * later.
     */
    void (*on_closed)(struct mcp_client *c, const struct err *e);
};

/* A tool as its server describes it. Valid until the next on_tools or on_closed. */
struct mcp_remote_tool {
    struct str name;  /* as the server spells it, decoded */
    struct json tool; /* the whole definition */
};

/* Start to connect. *spec must outlive the client. `era`: the result of an earlier connection. */
struct mcp_client *mcp_client_open(const struct mcp_client_world *world,
                                   const struct server_spec *spec, enum server_era era,
                                   const struct mcp_client_events *events, void *owner);

/* Close the connection: a child gets time to exit, a session is deleted. on_closed follows. */
void mcp_client_close(struct mcp_client *c);
void mcp_client_free(struct mcp_client *c);

void *mcp_client_owner(const struct mcp_client *c);

/*
 * Run a core call with the server's tool of this name. args are sent raw; progress and logs go to
 * the call's caller; its cancel and deadline go to the server. Input that the server requests is
 * asked of the caller (as requests of the server, or round by round). The result or error is
 * forwarded raw. Fails the call with ERR_CLOSED if the connection is lost meanwhile, and with
 * ERR_TIMEOUT by the spec's timeouts.
 */
void mcp_client_call(struct mcp_client *c, struct call *call, struct str tool);

/*
 * The same for any other request: resources/read, prompts/get, completion/complete ... params is an
 * object or missing, must live as long as the call, and is sent member by member; our own members
 * of _meta are added.
 */
void mcp_client_request(struct mcp_client *c, struct call *call, const char *method,
                        struct json params);

/* ---- facts ------------------------------------------------------------------------------- */

struct mcp_client_facts {
    bool ready;
    enum server_transport transport; /* the transport in use, which may differ from the spec's */
    enum server_era era;             /* AUTO until known */
    struct str version;              /* the negotiated version */
    struct str server_name, server_version;
    struct str instructions;
    const struct mcp_remote_tool *tool;
    size_t tools;
    size_t left_out;         /* number of tools of the server that were rejected, */
    const char *out_why;     /* and why the first of them was; NULL: none */
    const struct proc *proc; /* of a child; NULL: none. Its tail has the last lines of stderr */
};

struct mcp_client_facts mcp_client_facts(const struct mcp_client *c);

/* Is the client ready for calls? */
bool mcp_client_ready(const struct mcp_client *c);

#endif
