/*
 * a2a_call.h - one A2A request, until its response.
 *
 * A binding (a2a_rpc.c, a2a_rest.c) creates the call and decodes its envelope; then the operation
 * runs, and answers with a2a_result_begin and a2a_result_end, or with a2a_refuse. A call is in the
 * arena of its HTTP request, so it must not be used after the response.
 */
#ifndef PROTO_A2A_SERVER_A2A_CALL_H
#define PROTO_A2A_SERVER_A2A_CALL_H

#include "base/buf.h"
#include "core/principal.h"
#include "proto/a2a/a2a_codec.h"
#include "proto/a2a/a2a_error.h"
#include "proto/a2a/server/a2a_follow.h"

enum a2a_binding {
    A2A_JSONRPC, /* the result in a JSON-RPC envelope, always with status 200 */
    A2A_REST,    /* HTTP+JSON of 1.0 and 0.3 */
    A2A_SIMPLE,  /* the plain REST routes */
};

/* The parameters of all operations. Each operation uses some of them. */
struct a2a_params {
    struct str id;       /* the task; STR_NONE: none */
    struct str push_id;  /* the push configuration */
    int64_t history;     /* A2A_HISTORY_ALL: the server decides */
    struct str metadata; /* raw JSON object */
    /* send, stream */
    struct a2a_message message;
    bool blocking;
    struct a2a_push push;
    bool has_push;
    /* list */
    struct str context, page_token;
    enum task_state state; /* TASK_STATES: any */
    int64_t page_size, since;
    bool artifacts;
};

struct a2a_call {
    struct http_req *req;
    struct a2a_server *server;
    enum a2a_binding binding;
    enum a2a_dialect dialect;
    enum a2a_op op;
    struct str id;    /* raw JSON id of the JSON-RPC request; STR_NONE: unknown */
    struct str agent; /* the agent that the path names; STR_NONE: none */
    struct json args; /* the parameters as JSON; missing: none */
    struct str query; /* parameters in the query string; STR_NONE: none */
    struct a2a_params params;
    struct principal principal;
    struct readiness_wait opening;
    struct buf body;
    struct jw writer;

    /* ---- for the operations ---- */
    struct task_ask ask;
    bool asked;   /* `ask` holds results */
    bool unclear; /* the message is no answer to the question of its task, which still asks */
    struct task_spec spec;
    struct a2a_listener listener;
    struct timer patience; /* ends the wait of a blocking request */
    struct task_list list;
};

struct a2a_call *a2a_call_new(struct a2a_server *s, struct http_req *req, enum a2a_binding binding,
                              enum a2a_dialect dialect);

/* The owner whose tasks the client may see (principal_sees). */
struct str a2a_call_sees(const struct a2a_call *c);

/*
 * Run the operation c->op: check that A2A is on, read the parameters, wait for the task engine.
 * c->args, c->query and c->params.id must be set.
 */
void a2a_call_run(struct a2a_call *c);

/*
 * Is it worth starting another request to the task engine? False: the client has disconnected, or
 * the program is stopping; the call was answered.
 */
bool a2a_call_goes_on(struct a2a_call *c);

/* ---- answers --------------------------------------------------------------------------------- */

/* Write the result with the returned writer, then end it. */
struct jw *a2a_result_begin(struct a2a_call *c);
void a2a_result_end(struct a2a_call *c);

/* Answer with a task or message, in the form of a response to sending a message. */
void a2a_answer_update(struct a2a_call *c, const struct a2a_update *u);

/* Answer with a task. */
void a2a_answer_task(struct a2a_call *c, const struct a2a_task *t);

/* Answer with status 204 and no body (HTTP+JSON). */
void a2a_answer_nothing(struct a2a_call *c);

/* Answer with an error. */
void a2a_refuse(struct a2a_call *c, enum a2a_error error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Answer with the A2A error for an error of core. */
void a2a_refuse_err(struct a2a_call *c, const struct err *e);

/* Write an error as the last event of a stream, or as a response. */
void a2a_write_error(struct jw *w, const struct a2a_call *c, enum a2a_error error,
                     struct str message);

/* The media type of a response of HTTP+JSON. */
const char *a2a_media_type(const struct http_req *req, enum a2a_dialect dialect);

/* ---- operations ------------------------------------------------------------------------------ */

/* a2a_params.c. False: *error and *e are the error to answer with. */
bool a2a_params_read(struct a2a_call *c, enum a2a_error *error, struct err *e);

typedef void a2a_op_fn(struct a2a_call *c);

a2a_op_fn a2a_op_send;      /* a2a_send.c: A2A_SEND and A2A_STREAM */
a2a_op_fn a2a_op_get;       /* a2a_tasks.c */
a2a_op_fn a2a_op_cancel;    /* a2a_tasks.c */
a2a_op_fn a2a_op_subscribe; /* a2a_tasks.c */
a2a_op_fn a2a_op_list;      /* a2a_list.c */
a2a_op_fn a2a_op_push;      /* a2a_push.c: all four */
a2a_op_fn a2a_op_card;      /* a2a_card.c: the extended card */

/* Answer with the task of `info` as it is after event `at_least`. */
void a2a_answer_when(struct a2a_call *c, const struct task_info *info, int64_t at_least);

/*
 * a2a_push.c: check c->params.push; store it for the task c->params.id, whose events up to `sent`
 * are not delivered, then call `then`.
 */
bool a2a_push_prepare(struct a2a_call *c, struct err *e);
void a2a_push_set(struct a2a_call *c, int64_t sent, void (*then)(struct a2a_call *c));

/*
 * a2a_stream.c: answer with an event stream: the task as it is, then its updates. `after`: instead
 * of the task, all updates after this event (Last-Event-ID); -1: the task. The call is over.
 */
void a2a_stream_begin(struct a2a_call *c, const struct task_info *info, int64_t after);

/* a2a_card.c: answer a GET of a card. */
void a2a_card_serve(struct a2a_server *s, struct http_req *req, struct str agent, bool legacy);

/* Write the list of all cards, for GET /a2a/agents. */
void a2a_cards_serve(struct a2a_server *s, struct http_req *req);

/* The media types of parts that are accepted, as in cards. */
const struct str *a2a_input_modes(const struct a2a_setup *setup, size_t *n);

/* The name of the agent at the root. STR_NONE: there are no agents yet. */
struct str a2a_primary_agent(const struct a2a_server *s);
bool a2a_agent_exists(const struct a2a_server *s, struct str name);

#endif
