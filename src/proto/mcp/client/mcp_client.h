/*
 * mcp_client.h - one connection to one MCP server, over any transport, in any version.
 *
 *   CONNECTING -> READY -> CLOSED
 *        |                  ^
 *        +------------------+
 *
 * CONNECTING  the child is started or the URL reached, the era probed, the handshake made, the
 *             tools listed. May respawn a child once that died of the probe.
 * READY       calls are taken, any number at once, pipelined by id.
 * CLOSED      told once by on_closed, with the reason; the client can then be freed. A new
 *             connection is a new client: who wants to reconnect (mcp_upstreams.h) opens another.
 *
 * What a session loses on the way (an HTTP server that forgot our session, a stream that broke) is
 * mended inside and not told.
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

/* What all clients of a program share. */
struct mcp_client_world {
    struct rpc *rpc;
    struct procs *procs;
    struct http_client *http;
    const char *const *environ; /* ours, of which a child sees what its spec lets pass */
    const char *root;           /* where children start unless their spec says otherwise */
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
     * It is over: never connected, lost, or closed by us (e->code == ERR_CANCELED). Calls under way
     * have been settled. The last event; call mcp_client_free from here or later.
     */
    void (*on_closed)(struct mcp_client *c, const struct err *e);
};

/* A tool as its server describes it. Lives until the next on_tools or the end. */
struct mcp_remote_tool {
    struct str name;  /* as the server spells it, decoded */
    struct json tool; /* the whole definition */
};

/* Begin to connect. *spec must outlive the client. `era`: what is known from an earlier time. */
struct mcp_client *mcp_client_open(const struct mcp_client_world *world,
                                   const struct server_spec *spec, enum server_era era,
                                   const struct mcp_client_events *events, void *owner);

/* End it politely: a child gets time to leave, a session is deleted. on_closed follows. */
void mcp_client_close(struct mcp_client *c);
void mcp_client_free(struct mcp_client *c);

void *mcp_client_owner(const struct mcp_client *c);

/*
 * Do what a core call asks for by the server's tool of this name: args go out raw, progress and
 * logs come back to the call's caller, its cancel and deadline go over, input the server asks for
 * is asked of the caller (as requests of the server, or round by round), the result or error is
 * forwarded raw. Fails the call with ERR_CLOSED when the connection is lost meanwhile, and with
 * ERR_TIMEOUT by the spec's timeouts. The name of the tool must live as long as the call.
 */
void mcp_client_call(struct mcp_client *c, struct call *call, struct str tool);

/*
 * The same for any other request: resources/read, prompts/get, completion/complete ... params is
 * an object or missing, must live as long as the call, and goes out member by member; what we have
 * to say in _meta is put in.
 */
void mcp_client_request(struct mcp_client *c, struct call *call, const char *method,
                        struct json params);

/* ---- what is known ----------------------------------------------------------------------- */

struct mcp_client_facts {
    bool ready;
    enum server_transport transport; /* that works, which may not be the spec's */
    enum server_era era;             /* AUTO until known */
    struct str version;              /* spoken */
    struct str server_name, server_version;
    struct str instructions;
    const struct mcp_remote_tool *tool;
    size_t tools;
    size_t left_out;         /* tools of the server that were not taken, */
    const char *out_why;     /* and why the first of them was not; NULL: none */
    const struct proc *proc; /* of a child; NULL: none. Its tail has the last lines of stderr */
};

struct mcp_client_facts mcp_client_facts(const struct mcp_client *c);

/* The fact that every call needs. */
bool mcp_client_ready(const struct mcp_client *c);

#endif
