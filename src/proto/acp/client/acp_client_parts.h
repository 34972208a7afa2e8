/*
 * acp_client_parts.h - the internals of an ACP agent, shared by the files of this folder.
 *
 *   acp_driven    our side of one session: conversation->data. It lives from the first prompt until
 *                 the session of trefoil is closed.
 *   acp_link      one process of the agent with its connection. If the process ends, the session
 *                 drops it, and the next prompt starts a new one.
 *   acp_turn      one prompt: agent_prompt->work.
 *   acp_request   a request of the agent that waits for its answer.
 */
#ifndef PROTO_ACP_CLIENT_ACP_CLIENT_PARTS_H
#define PROTO_ACP_CLIENT_ACP_CLIENT_PARTS_H

#include "core/session/turn.h"
#include "proto/acp/client/acp_client.h"
#include "rpc/child_link.h"

/* The version of the protocol that we speak, and the rows of method tables. */
enum { ACP_VERSION = 1 };

/* Error codes of ACP besides those of JSON-RPC. */
enum acp_code { ACP_AUTH_REQUIRED = -32000, ACP_NOT_FOUND = -32002, ACP_CANCELLED = -32800 };

struct acp_driven;

/* ---- the process ----------------------------------------------------------------------------- */

/*
 *   STARTING -> GREETING -> READY
 *       |           |         |
 *       +-----------+---------+---> ENDING -> GONE
 *
 *   STARTING  the process is being started
 *   GREETING  it has not answered `initialize`
 *   READY     it can open sessions and work
 *   ENDING    it has ended, failed, or is being stopped
 *   GONE      no process is left, and the struct is freed
 */
enum acp_link_state {
    ACP_CONN_STARTING,
    ACP_CONN_GREETING,
    ACP_CONN_READY,
    ACP_CONN_ENDING,
    ACP_CONN_GONE,
    ACP_CONN_STATES,
};

/* What the agent announces in its answer to `initialize`. */
struct acp_abilities {
    bool load, resume;
    bool folders;                /* additionalDirectories */
    bool image, audio, embedded; /* content in prompts */
    bool steering;               /* _session/steering */
    struct json auth_methods;    /* array, or missing */
    struct str name, version;
};

struct acp_link {
    struct acp_driven *session; /* NULL: the session no longer uses it */
    enum acp_link_state state;  /* written by acp_conn_go only */
    struct child_link child;
    struct peer peer;
    struct post check;      /* frees the struct if nothing is open any more */
    struct rpc_out out;     /* the request that we make now: one at a time */
    bool child_open;        /* on_closed of the child has not been called */
    bool reads_only;        /* the sandbox keeps it from writing the root */
    bool confined;          /* it runs in a sandbox */
    size_t garbage;         /* lines on stdout that are not messages */
    struct str garbage_now; /* the first such line, shortened */
    struct err why;         /* in ENDING: the reason */
    struct acp_abilities can;
    const char *home; /* HOME of the process with copies of the user's files; NULL: none */
    struct arena mem;
    struct acp_link *next; /* the next process of the session that is ending */
};

/* Free the process when it is ENDING and no call is open. For tests that make a struct acp_link. */
void acp_conn_watch(struct acp_link *c);

/* The methods that an agent may call. */
extern const struct peer_kind acp_peer_kind;

/* Start the process of a session. acp_session_next is called when it is READY or ENDING. */
void acp_conn_open(struct acp_driven *s);

/*
 * Stop the process, at once if `kill`, and leave the session. Calls acp_session_gone when it is
 * GONE. e is the reason.
 */
void acp_conn_close(struct acp_link *c, bool kill, const struct err *e);

/*
 * Take the answer of the request of ours that is done; the caller frees it (rpc_out_fini). Then the
 * next request may be made.
 */
struct rpc_out acp_conn_answer(struct acp_link *c);

/* Is the agent READY, and no request of ours in progress? */
bool acp_conn_is_free(const struct acp_link *c);

/*
 * Fill *e with a message for people that explains an error response: which agent could not do
 * `doing`, why, and the code of the error. Returns false.
 */
bool acp_answer_fail(const struct acp_link *c, struct json error, const char *doing, struct err *e);

/* The code of an error response; 0: it has none. */
int64_t acp_answer_code(struct json error);

/* ---- starting (acp_client_spawn.c) ------------------------------------------------------------------ */

/* Set *out to the command of a process that is about to start, in mem, and prepare its HOME. */
bool acp_command(struct arena *mem, struct acp_link *c, struct child_command *out, struct err *e);

/* May the agent change files of the root? */
bool acp_reads_only(const struct acp_driven *s);

/* ---- one prompt ------------------------------------------------------------------------------ */

/*
 *   CONNECTING -> OPENING -> SETTING -> PROMPTING -> CANCELLING -> OVER
 *
 *   CONNECTING  the process is starting
 *   OPENING     the agent opens its session, perhaps after `authenticate`
 *   SETTING     mode and model are being set
 *   PROMPTING   session/prompt is not answered; updates become events
 *   CANCELLING  session/cancel was sent. If the agent does not answer in limits.acp_cancel_ms, its
 *               process is killed
 *   OVER        the prompt has ended
 *
 * A step that is not needed is skipped, and every step may fail, which leads to OVER.
 */
enum acp_turn_state {
    ACP_TURN_CONNECTING,
    ACP_TURN_OPENING,
    ACP_TURN_SETTING,
    ACP_TURN_PROMPTING,
    ACP_TURN_CANCELLING,
    ACP_TURN_OVER,
    ACP_TURN_STATES,
};

struct acp_turn {
    struct agent_prompt *prompt;
    struct acp_driven *session;
    enum acp_turn_state state; /* written by acp_turn_go only */
    struct timer watchdog;
    bool authenticated;          /* `authenticate` was tried in this turn */
    bool started;                /* a process was started for this prompt */
    bool sent_first;             /* session/prompt was sent as the first one of its session */
    enum turn_stop cancelled_as; /* in CANCELLING: how the prompt will end */
    struct model_usage usage;
    int64_t used, size;          /* tokens of the context */
    double cost;                 /* US dollars of the session; negative: unknown */
    struct acp_tool_call *calls; /* calls that have not ended */
    size_t open_calls;
    int64_t bytes; /* counted by acp_turn_count */
    struct arena mem;
};

/* End the prompt. why may be NULL. */
void acp_turn_end(struct acp_turn *t, enum turn_stop stop, const struct err *why);

/* The process is ready or ending, or a step is done: take the next step of the prompt. */
void acp_turn_next(struct acp_driven *s);

/* Cancel the work of the agent; the prompt ends with `stop`. */
void acp_turn_cancel(struct acp_turn *t, enum turn_stop stop);

void acp_prompt(struct agent_prompt *p);

/* Tell the user something in the events of the turn. */
void acp_turn_notice(struct acp_turn *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- the session ----------------------------------------------------------------------------- */

struct acp_driven {
    struct conversation *conversation;
    struct session *session;
    struct agent *agent;                  /* a reference to the agent whose program is used */
    const struct acp_program *program;    /* of that agent */
    struct acp_link *conn;                /* NULL: no process */
    struct acp_link *ending;              /* processes that are not GONE */
    char id[512];                         /* id that the agent gave; "": none */
    bool open;                            /* the process of `conn` has opened the session `id` */
    bool fresh;                           /* the agent has not seen any prompt of this session */
    struct acp_turn *turn;                /* the running prompt; NULL: none */
    struct acp_request *requests;         /* requests of the agent that wait for their answers */
    struct acp_settings *settings;        /* modes and options; NULL: the session is not open */
    struct op *closing;                   /* completed when no process is left */
    double cost, cost_now;                /* US dollars before this turn, and now */
    struct acp_child_terminal *terminals; /* terminals of the agent */
    size_t terminals_made, calls;         /* numbers for ids */
};

/* A process is GONE. */
void acp_session_gone(struct acp_driven *s);

/* Open the session of the agent on s->conn; acp_turn_next follows. */
void acp_open_session(struct acp_turn *t);

/* Send `authenticate`, if a method can be used. False: *e tells the user what to do. */
bool acp_authenticate(struct acp_turn *t, struct err *e);

/* ---- requests of the agent ------------------------------------------------------------------- */

struct acp_request {
    struct op op; /* first; a child of in->op */
    struct rpc_in *in;
    struct acp_driven *session;
    struct acp_request *next;
    void (*cancel)(struct acp_request *r); /* stop the work; the request is still settled */
};

/* Begin a request that will be answered later; r is zeroed memory of in->mem. */
void acp_request_begin(struct acp_request *r, struct rpc_in *in, struct acp_driven *s);
/* The answer was sent. */
void acp_request_end(struct acp_request *r);
/* Stop the work for all requests, because the turn ends. */
void acp_requests_cancel(struct acp_driven *s);

/* The session that a message of the agent names. NULL: unknown. */
struct acp_driven *acp_driven_of(struct rpc_in *in);

/* Handlers of the methods of clients. */
rpc_handler_fn acp_on_update, acp_on_permission, acp_on_elicitation, acp_on_read_file,
    acp_on_write_file;
rpc_handler_fn acp_on_terminal_create, acp_on_terminal_output, acp_on_terminal_wait,
    acp_on_terminal_kill, acp_on_terminal_release;

/* ---- content --------------------------------------------------------------------------------- */

/* Write the prompt as an array of ACP content blocks. ERR_INVALID: the agent cannot take it. */
bool acp_prompt_write(struct jw *w, const struct acp_turn *t, struct err *e);

/* The newest part of the conversation before this prompt as text, in mem; STR_NONE: it is empty. */
struct str acp_transcript(const struct acp_turn *t, struct arena *mem);

/* The text of a content block, or a placeholder; in mem. */
struct str acp_content_text(struct arena *mem, struct json block);

/*
 * Count bytes that are kept until the turn ends. False: the turn has more than
 * limits.acp_turn_bytes; it is being cancelled, and nothing more may be kept.
 */
bool acp_turn_count(struct acp_turn *t, size_t bytes);

/* Report t->usage and the size of the context. */
void acp_report_usage(struct acp_turn *t);

/* ---- updates --------------------------------------------------------------------------------- */

/* A tool call as it was reported so far. */
struct acp_tool_call {
    struct event_tool event;
    struct acp_tool_call *next;
};

/*
 * Merge a tool_call or tool_call_update into the call; *out is the event to report. False: it has no
 * toolCallId, or too many calls have not ended.
 */
bool acp_tool_call_merge(struct acp_turn *t, struct json update, struct event_tool *out);

enum tool_kind acp_tool_kind(struct json word);

#endif
