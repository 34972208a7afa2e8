/*
 * a2a_server.h - the A2A server of a service: all versions and bindings, on the same URLs.
 *
 *   a2a_http.c      routes: finds the agent, the binding and the operation of a request
 *   a2a_rpc.c       the JSON-RPC binding: envelope, versions, methods
 *   a2a_rest.c      the HTTP+JSON bindings of 1.0 and 0.3, and the plain REST routes
 *   a2a_call.c      one request until its answer; results and errors in every binding
 *   a2a_params.c    the parameters of the operations
 *   a2a_send.c      send and stream a message: new tasks, further turns, answers to questions
 *   a2a_tasks.c     get, cancel and subscribe
 *   a2a_list.c      list tasks
 *   a2a_stream.c    event streams
 *   a2a_follow.c    one subscription per task, shared by all of its clients
 *   a2a_view.c      events of a task -> the task and its updates
 *   a2a_question.c  questions and answers
 *   a2a_card.c      agent cards
 *   a2a_push.c      push configurations
 *   a2a_webhook.c   deliver updates to webhooks
 *
 * A task belongs to the principal that created it; other principals get "task not found". A client
 * that disconnects never affects a task.
 */
#ifndef PROTO_A2A_SERVER_A2A_SERVER_H
#define PROTO_A2A_SERVER_A2A_SERVER_H

#include "core/agent/agent_context.h"
#include "core/readiness.h"
#include "core/task/task.h"
#include "wire/http_server.h"

struct a2a_follow;
struct a2a_webhook;
struct address_policy;
struct http_client;

enum a2a_card_shape { A2A_CARD_HYBRID, A2A_CARD_1_0, A2A_CARD_0_3 };

/* The settings of [a2a]. Borrowed by the server. */
struct a2a_setup {
    bool enabled;
    const char *why;        /* why A2A is on or off, for the log and the error */
    struct str listen_path; /* "/a2a" */
    struct str
        public_url;   /* the URL of this server for clients; STR_NONE: as the client calls it */
    struct str agent; /* the agent at the root; STR_NONE: the first one */
    struct pick_strs proxies;     /* addresses of trusted proxies (a2a_proxy.h) */
    struct pick_strs input_modes; /* media types of parts; absent: the usual ones */
    enum a2a_card_shape card;
    bool push;
    bool read_write; /* tasks of clients may write */
};

struct a2a_server {
    struct loop *loop;
    const struct limits *limits;
    struct guard *guard;
    struct agent_context *agents;
    struct readiness *opening; /* the gate while the agents are being opened */
    struct open_traces *traces;
    const struct a2a_setup *setup;
    bool keyed;          /* clients need a key, so cards say so */
    const char *version; /* the version of this program */
    int64_t changed;     /* when the cards have changed: wall time in ms */
    /* for webhooks: the HTTP client, and the addresses that URLs from outside may reach */
    struct http_client *(*http)(void *ctx);
    void *http_ctx;
    const struct address_policy *outside;
    struct a2a_follow *follows;
    struct a2a_webhook *webhooks;
};

/* The program is stopping: answer the requests that wait for their tasks, which continue later. */
void a2a_server_drain(struct a2a_server *s);

/* Handle any request whose path is one of A2A. `rest` is the path below listen_path, or STR_NONE. */
void a2a_http_serve(struct a2a_server *s, struct http_req *req);

/* Is this the path of a card? Cards need no key. */
bool a2a_http_is_card(struct str path);

#endif
