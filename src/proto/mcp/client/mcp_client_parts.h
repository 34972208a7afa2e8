/* mcp_client_parts.h - the internals of a client, shared by the mcp_client_*.c files only. */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_PARTS_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_PARTS_H

#include "base/id.h"
#include "proto/mcp/client/mcp_client.h"
#include "proto/mcp/client/mcp_client_transport.h"
#include "wire/http.h"

struct mcp_exchange;
struct mcp_work;

/* The name of the version without a handshake that we support. */
static inline struct str mcp_modern_name(void)
{
    return str_of(mcp_features[MCP_MODERN].name);
}

/* ---- a request that we send -------------------------------------------------------------- */

struct mcp_req {
    struct rpc_out out; /* first */
    struct mcp_client *c;
    const char *method;
    op_done_fn *done;
    void *ctx;

    /* For HTTP: the headers of the request, and its exchange. */
    struct str name;                  /* Mcp-Name, or STR_NONE */
    const struct http_header *header; /* headers of this request only */
    size_t headers;
    struct mcp_exchange *exchange;
    struct mcp_wire *wire; /* the wire of the exchange */
    bool greeting;         /* this request creates a session, so it does not wait for one */
    bool too_large;        /* it exceeds the size limit, so it was not sent */

    int status; /* the HTTP status if the server rejected the request; 0: not rejected */
    int code;   /* the JSON-RPC error code in that response; 0: none */
};

/* Returns the writer for the params of a request. Send nothing else until mcp_req_send. */
struct jw *mcp_req_begin(struct mcp_client *c);

/* Write the params of the initialize request. */
void mcp_write_hello(struct mcp_client *c, struct jw *w);

/* The data for the _meta of a request. */
struct mcp_about {
    /* the call, whose caller determines the capabilities; NULL: the request is our own */
    struct call *call;
    int64_t token; /* the progress token of the call */
    bool tasks;    /* the answer may be a task */
    struct trace trace;
    struct json theirs; /* the _meta that the caller sent; it is forwarded */
};

void mcp_write_meta(struct mcp_client *c, struct jw *w, const struct mcp_about *about);

/*
 * Send the request. Set r->name, header, headers and greeting first. done as in peer_call; the
 * answer stays in r->out until rpc_out_fini.
 */
void mcp_req_send(struct mcp_client *c, struct mcp_req *r, struct op *parent, const char *method,
                  int64_t timeout_ms, op_done_fn *done, void *ctx);

/*
 * The timeout of a handshake or list request: the timeout of other requests, but at most
 * limits.mcp_connect_ms.
 */
int64_t mcp_req_patience(const struct mcp_client *c);

/* The JSON-RPC error code of a response; 0: it is a result. */
int64_t mcp_req_code(const struct mcp_req *r);

/* Is the response a result? Otherwise *e is the error of the response. */
bool mcp_req_ok(const struct mcp_req *r, struct err *e);

/* ---- the client -------------------------------------------------------------------------- */

enum mcp_step {
    STEP_OPENING,  /* a wire is being opened */
    STEP_PROBING,  /* server/discover is in flight, and possibly initialize as well */
    STEP_GREETING, /* initialize is in flight */
    STEP_LISTING,  /* the tools are listed for the first time */
    STEP_READY,
    STEP_CLOSING, /* requests in progress are settled, wires are closed */
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
    size_t bytes;    /* total size of the definitions */
    size_t left_out; /* number of tools that were rejected, */
    struct err why;  /* and why the first one was rejected */
};

struct mcp_client {
    struct mcp_client_world world;
    const struct server_spec *spec;
    const struct mcp_client_events *events;
    void *owner;
    enum mcp_step step;
    struct peer peer;
    struct mcp_wire *wire;  /* the wire in use; NULL: none */
    struct mcp_wire *wires; /* all wires that are not closed */
    struct mcp_wire *(*open_wire)(struct mcp_client *c, enum server_transport transport);
    struct trace own_trace;                              /* for requests that have no caller */
    char own_id[ID_TEXT], own_parent[TRACE_PARENT_TEXT]; /* texts of that trace */
    size_t reqs;                                         /* number of requests that are not done */
    struct mcp_req *hearing; /* the request whose response stream has delivered the current
                              * message; NULL: unknown */
    struct post check;
    struct err why; /* why the client closes */

    /* Greeting (mcp_client_handshake.c). */
    enum server_era hint; /* the era to try first */
    unsigned tried;       /* transports tried so far: bits by enum server_transport */
    bool modern;          /* a version without a handshake; set after the greeting */
    bool probe_again;     /* the server answered the probe with -32022 and a version we support */
    bool respawned;       /* a child exited because of the probe and was started again */
    bool renewing;        /* the handshake is being repeated because the session was lost */
    bool refreshes;       /* the server reports when its tools change */
    bool tasks;           /* the server may turn calls into tasks, and supports tasks/get etc. */
    bool hello_again;     /* initialize was tried again with the version that the server named */
    const char *wanted;   /* the version that initialize requests */
    /* why the previously tried transport or era failed; code 0: none has failed */
    struct err refusal;
    struct mcp_req probe, greet;
    struct timer patience; /* limits the wait for a silent server */
    struct arena known;    /* memory of the four texts that follow */
    struct str version, server_name, server_version, instructions;
    uint64_t garbage; /* number of malformed messages */

    /* Lists (mcp_client_lists.c). */
    struct mcp_req list, listen;
    struct mcp_tools tools, next; /* the current tools; the tools of the list being read */
    size_t pages;
    bool listing, list_again, listening;
    struct timer relist, relisten;

    /* Calls (mcp_client_call.c), the newest first. */
    struct mcp_work *works;
    int64_t tokens;

    /* The client whose folders the server gets as roots (mcp_client_roots.c). */
    struct mcp_roots {
        enum mcp_roots_users { ROOTS_OF_NOBODY, ROOTS_OF_ONE, ROOTS_OF_SEVERAL } users;
        uint64_t client;   /* that client */
        bool asked;        /* the server has requested the roots */
        bool theirs;       /* the server got the folders of a client, not ours */
        struct timer wait; /* calls wait until the server has requested the roots again */
    } roots;

    /* Calls that ended without an answer; forgotten at `until` (mcp_client_origin.c). */
    struct mcp_left {
        uint64_t client; /* the client of all of them; 0: unknown, or several */
        int64_t until;
    } left;
};

/* Fail with an error that begins with the name of the server. */
bool mcp_client_fail(const struct mcp_client *c, struct err *e, enum err_code code, const char *fmt,
                     ...) __attribute__((format(printf, 4, 5), cold));

/* For tests: like mcp_client_open, with other wires. */
struct mcp_client *mcp_client_open_by(
    const struct mcp_client_world *world, const struct server_spec *spec, enum server_era era,
    const struct mcp_client_events *events, void *owner,
    struct mcp_wire *(*open_wire)(struct mcp_client *c, enum server_transport transport));

/* Set c->step. No other function does. */
void mcp_client_go(struct mcp_client *c, enum mcp_step to);

/* End the client for this reason: settle calls, close wires, call on_closed. */
void mcp_client_end(struct mcp_client *c, const struct err *why);

/* While closing: if nothing is left to wait for, report the end. */
void mcp_client_check(struct mcp_client *c);

/* Open a wire with this transport instead of the current one, which is closed. */
void mcp_client_use(struct mcp_client *c, enum server_transport transport);

/* ---- parts ------------------------------------------------------------------------------- */

/*
 * mcp_client_handshake.c. mcp_greet_without: the wire failed during the handshake. True: another
 * transport or era is tried.
 */
void mcp_greet_begin(struct mcp_client *c);
bool mcp_greet_without(struct mcp_client *c, struct mcp_wire *w, int status, const struct err *e);
void mcp_greet_again(struct mcp_client *c);
void mcp_greet_stop(struct mcp_client *c);

/* mcp_client_lists.c */
void mcp_lists_begin(struct mcp_client *c);   /* greeted: list the tools */
void mcp_lists_changed(struct mcp_client *c); /* the server has reported a change */
void mcp_lists_refresh(struct mcp_client *c); /* list the tools again now */
void mcp_lists_stop(struct mcp_client *c);
void mcp_tools_fini(struct mcp_tools *t);
const struct mcp_remote_tool *mcp_tools_find(const struct mcp_tools *t, struct str name);
bool mcp_tool_wants_task(struct json tool); /* must calls of this tool be tasks? */

/*
 * mcp_client_origin.c. Return the call that caused the current message of the server. NULL: no call
 * caused it, or calls of several clients may have caused it; *e is the reason.
 */
struct call *mcp_origin(struct mcp_client *c, struct err *e);

/*
 * The same for a question of this kind. Also NULL if the client of the call cannot answer such
 * questions.
 */
struct call *mcp_origin_to_ask(struct mcp_client *c, enum ask_kind kind, struct err *e);

/* A call has ended without an answer: the server may still work on it. */
void mcp_origin_left(struct mcp_client *c, const struct call *call);

/* mcp_client_call.c */
void mcp_works_progress(struct mcp_client *c, int64_t token, const struct progress *p);
void mcp_works_hold(struct mcp_client *c, struct call *call, bool hold); /* hold: an ask is open */
void mcp_works_warn(struct mcp_client *c, struct str method, const struct err *why);
void mcp_works_listed(struct mcp_client *c); /* the tools were listed: continue the works
                                              * that waited for the list */
void mcp_works_stop(struct mcp_client *c);

/* The peers that handle requests and notifications of the server. */
extern const struct peer_kind mcp_client_peer;
extern const struct peer_kind mcp_client_peer_quiet; /* sends no cancel notifications */

/* Is a request of the server a question? If so, *out is its kind. */
bool mcp_ask_kind(struct arena *mem, struct str method, struct json params, enum ask_kind *out);

/* mcp_client_roots.c. Write our working folder as {"roots":[...]}. */
struct str mcp_write_roots(struct mcp_client *c, struct arena *mem);

/* The server requests roots: returns a call whose client must answer. NULL: we answer. */
struct call *mcp_roots_call(struct mcp_client *c);
void mcp_roots_answered(struct mcp_client *c, bool theirs);
void mcp_roots_stop(struct mcp_client *c);

#endif
