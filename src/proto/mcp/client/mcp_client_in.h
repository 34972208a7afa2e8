/* mcp_client_in.h - the internals of a client, shared by the mcp_client_*.c files only. */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_IN_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_IN_H

#include "base/id.h"
#include "proto/mcp/client/mcp_client.h"
#include "proto/mcp/client/mcp_client_transport.h"
#include "wire/http.h"

struct mcp_exchange;
struct mcp_work;

/* The version without a handshake that we support. */
static inline struct str mcp_modern_name(void)
{
    return str_of(mcp_features[MCP_MODERN].name);
}

/* ---- one request of ours ----------------------------------------------------------------- */

struct mcp_req {
    struct rpc_out out; /* first */
    struct mcp_client *c;
    const char *method;
    op_done_fn *done;
    void *ctx;

    /* For HTTP: the headers of the request, and its exchange. Valid as long as the request. */
    struct str name;                  /* Mcp-Name, or STR_NONE */
    const struct http_header *header; /* of this request only */
    size_t headers;
    struct mcp_exchange *exchange;
    struct mcp_wire *wire; /* whose exchange it is */
    bool greeting;         /* creates a session, so it does not wait for one */
    bool too_large;        /* larger than the limit, so it was not sent */

    int status; /* the HTTP status that rejected it; 0: none */
    int code;   /* the JSON-RPC error code in that response; 0: none */
};

/* The writer of the params of the next request; nothing else may be sent until mcp_req_send. */
struct jw *mcp_req_begin(struct mcp_client *c);

/* The params of initialize. */
void mcp_write_hello(struct mcp_client *c, struct jw *w);

/* What the _meta of a request is written from. */
struct mcp_about {
    /* the call of the request, for the abilities of its caller; NULL: our own request */
    struct call *call;
    int64_t token; /* of the call's progress */
    bool tasks;    /* the answer may be a task */
    struct trace trace;
    struct json theirs; /* _meta to be passed on */
};

void mcp_write_meta(struct mcp_client *c, struct jw *w, const struct mcp_about *about);

/*
 * Send the request. The caller has set r->name, header, headers and greeting. done as in peer_call;
 * the answer stays in r->out until rpc_out_fini.
 */
void mcp_req_send(struct mcp_client *c, struct mcp_req *r, struct op *parent, const char *method,
                  int64_t timeout_ms, op_done_fn *done, void *ctx);

/* The timeout of a handshake or a list: that of any request, at most limits.mcp_connect_ms. */
int64_t mcp_req_patience(const struct mcp_client *c);

/* The error code of a response; 0: it is a result. */
int64_t mcp_req_code(const struct mcp_req *r);

/* Is the response a result? Otherwise *e is the error of the response. */
bool mcp_req_ok(const struct mcp_req *r, struct err *e);

/* ---- the client -------------------------------------------------------------------------- */

enum mcp_step {
    STEP_OPENING,  /* a wire is being opened */
    STEP_PROBING,  /* server/discover is in flight, maybe initialize as well */
    STEP_GREETING, /* initialize is in flight */
    STEP_LISTING,  /* the tools are listed for the first time */
    STEP_READY,
    STEP_CLOSING, /* requests in flight settle, wires close */
};

/* One page of a list, unchanged: the tools point into it. */
struct mcp_page {
    struct mcp_page *next;
    struct rpc_out answer;
    struct str cursor; /* the cursor of the next page */
};

struct mcp_tools {
    struct mcp_page *pages;
    struct mcp_remote_tool *tool;
    size_t count, room;
    bool has_tasks;  /* one of them can only be called as a task (2025-11-25) */
    size_t bytes;    /* of all definitions */
    size_t left_out; /* number of tools that were rejected, */
    struct err why;  /* and why the first of them was */
};

struct mcp_client {
    struct mcp_client_world world;
    const struct server_spec *spec;
    const struct mcp_client_events *events;
    void *owner;
    enum mcp_step step;
    struct peer peer;
    struct mcp_wire *wire;  /* in use; NULL: none */
    struct mcp_wire *wires; /* all that are not closed */
    struct mcp_wire *(*open_wire)(struct mcp_client *c, enum server_transport transport);
    struct trace own_trace;                              /* of requests that no caller caused */
    char own_id[ID_TEXT], own_parent[TRACE_PARENT_TEXT]; /* texts of that trace */
    size_t reqs;                                         /* requests whose done has not run */
    struct mcp_req *hearing; /* the request whose response stream delivers the current message;
                              * NULL: unknown */
    struct post check;
    struct err why; /* why it closes */

    /* Greeting (mcp_client_handshake.c). */
    enum server_era hint; /* what to try first */
    unsigned tried;       /* bits of enum server_transport */
    bool modern;          /* every request carries its own context; known after the greeting */
    bool probe_again;     /* -32022 named a version we know: asked a second time */
    bool respawned;       /* a child died of the probe and was started again */
    bool renewing;        /* the handshake is repeated because the session was lost */
    bool refreshes;       /* the server reports when its tools change */
    bool tasks;         /* the server may turn a call into a task and supports requests about it */
    bool hello_again;   /* initialize was refused with another version, which was tried */
    const char *wanted; /* the version initialize asks for */
    struct err refusal; /* why the transport or era tried before failed; code 0: none was tried */
    struct mcp_req probe, greet;
    struct timer patience; /* limits the wait for a silent server */
    struct arena known;    /* holds what follows */
    struct str version, server_name, server_version, instructions;
    uint64_t garbage; /* number of malformed messages */

    /* Lists (mcp_client_lists.c). */
    struct mcp_req list, listen;
    struct mcp_tools tools, next; /* known; being listed */
    size_t pages;
    bool listing, list_again, listening;
    struct timer relist, relisten;

    /* Calls (mcp_client_call.c), the youngest first. */
    struct mcp_work *works;
    int64_t tokens;

    /* The client whose folders the server gets as roots (mcp_client_roots.c). */
    struct mcp_roots {
        enum mcp_roots_users { ROOTS_OF_NOBODY, ROOTS_OF_ONE, ROOTS_OF_SEVERAL } users;
        uint64_t client;   /* that client */
        bool asked;        /* the server has requested the roots */
        bool theirs;       /* the server got the folders of a client */
        struct timer wait; /* calls wait until the server has requested the roots again */
    } roots;

    /* Calls that ended without an answer, until `until` (mcp_client_origin.c). */
    struct mcp_left {
        uint64_t client; /* the client of all of them; 0: unknown, or several */
        int64_t until;
    } left;
};

/* Errors of a client begin with the name of its server. */
bool mcp_client_fail(const struct mcp_client *c, struct err *e, enum err_code code, const char *fmt,
                     ...) __attribute__((format(printf, 4, 5), cold));

/* For tests: as mcp_client_open, with wires of their own. */
struct mcp_client *mcp_client_open_by(
    const struct mcp_client_world *world, const struct server_spec *spec, enum server_era era,
    const struct mcp_client_events *events, void *owner,
    struct mcp_wire *(*open_wire)(struct mcp_client *c, enum server_transport transport));

/* The only writer of c->step. */
void mcp_client_go(struct mcp_client *c, enum mcp_step to);

/* End the client for this reason: settle calls, close, report. */
void mcp_client_end(struct mcp_client *c, const struct err *why);

/* Check whether nothing is left to wait for. */
void mcp_client_check(struct mcp_client *c);

/* Use another wire; the current one is closed. */
void mcp_client_use(struct mcp_client *c, enum server_transport transport);

/* ---- parts ------------------------------------------------------------------------------- */

/*
 * mcp_client_handshake.c. mcp_greet_without: the wire failed during the handshake; true: another
 * way is tried.
 */
void mcp_greet_begin(struct mcp_client *c);
bool mcp_greet_without(struct mcp_client *c, struct mcp_wire *w, int status, const struct err *e);
void mcp_greet_again(struct mcp_client *c);
void mcp_greet_stop(struct mcp_client *c);

/* lists */
void mcp_lists_begin(struct mcp_client *c);   /* greeted: list the tools */
void mcp_lists_changed(struct mcp_client *c); /* the server has reported a change */
void mcp_lists_refresh(struct mcp_client *c); /* now */
void mcp_lists_listen(struct mcp_client *c);  /* subscribe to changes, if necessary */
void mcp_lists_stop(struct mcp_client *c);
void mcp_tools_fini(struct mcp_tools *t);
const struct mcp_remote_tool *mcp_tools_find(const struct mcp_tools *t, struct str name);
bool mcp_tool_wants_task(struct json tool); /* must calls of this tool be tasks? */

/*
 * origin: the call during which the server sent the current message. NULL: there is none, or calls
 * of several clients may have caused it; *e then says which.
 */
struct call *mcp_origin(struct mcp_client *c, struct err *e);

/* The same for a question, also NULL when its client cannot be asked such a question. */
struct call *mcp_origin_to_ask(struct mcp_client *c, enum ask_kind kind, struct err *e);

/* A call has ended without an answer: the server may still work on it. */
void mcp_origin_left(struct mcp_client *c, const struct call *call);

/* calls */
void mcp_works_progress(struct mcp_client *c, int64_t token, const struct progress *p);
void mcp_works_hold(struct mcp_client *c, struct call *call, bool hold); /* an ask is open */
void mcp_works_warn(struct mcp_client *c, struct str method, const struct err *why);
void mcp_works_listed(struct mcp_client *c); /* tools were listed: work that waited for it
                                              * continues */
void mcp_works_stop(struct mcp_client *c);

/* handles requests and notifications of the server */
extern const struct peer_kind mcp_client_peer;
extern const struct peer_kind mcp_client_peer_quiet; /* never sends a cancellation of a request */

/* The kind of ask that a request of the server is; false: none. */
bool mcp_ask_kind(struct arena *mem, struct str method, struct json params, enum ask_kind *out);

/* mcp_client_roots.c. The folder we work in, as {"roots":[...]}. */
struct str mcp_write_roots(struct mcp_client *c, struct arena *mem);

/* The server requests roots: a call of the client that must answer. NULL: we answer. */
struct call *mcp_roots_call(struct mcp_client *c);
void mcp_roots_answered(struct mcp_client *c, bool theirs);
void mcp_roots_stop(struct mcp_client *c);

#endif
