/*
 * chat.h - `trefoil chat`: what its files share.
 *
 *   BUSY <-> READY
 *     |        |
 *     +--------+-> LEAVING -> gone
 *
 * BUSY      a turn or a command is under way, or the first session is being opened; typed input
 *           waits, except answers to questions
 * READY     the prompt for a line is shown
 * LEAVING   nothing is running any more; terminal, session and servers are released
 */
#ifndef APP_CHAT_H
#define APP_CHAT_H

#include "app/app.h"
#include "core/session/turn.h"
#include "core/session/undo.h"
#include "runtime/runtime.h"
#include "runtime/service.h"
#include "runtime/session_log.h"
#include "term/console.h"
#include "term/line_edit.h"

/* A session that is open, and what is written down of it. */
struct chat_seat {
    struct session session;
    struct session_log log;
};

struct chat_args {
    const char *agent, *session, *model, *mode;
    bool last;
};

/* For one of the sessions of the store. */
struct chat_search {
    struct str beginning; /* of its id; STR_NONE: the last one */
    struct str id, agent; /* of the last that was found */
    size_t found;
};

enum chat_state { CHAT_BUSY, CHAT_READY, CHAT_LEAVING };

struct chat {
    bool keeps;                /* there is a state directory */
    struct work_client client; /* first */
    struct app *app;
    const struct chat_args *args;
    struct loop *loop;
    enum chat_state state;
    struct op *busy;     /* what can be cancelled; NULL: nothing */
    unsigned interrupts; /* ctrl-c since it began */
    bool leave;          /* as soon as nothing is under way */
    int code;
    bool has_shop, has_console, has_edit; /* they are open */

    struct service service;
    struct runtime shop;
    struct readiness_wait readiness; /* until servers are connected, or took too long */
    struct timer deadline;           /* of all to end */

    struct console console;
    struct render render;
    struct line_edit edit;
    struct asking asking;
    bool held; /* the renderer, while a question is open */
    bool wanted;

    struct chat_seat seat[2]; /* the second is for the session that follows */
    struct chat_seat *here;   /* NULL: none is open yet */
    struct session *session;  /* of it */
    void (*left)(void *ctx);  /* a seat was released */
    struct chat_seat *leaving;
    struct session_opening opening;
    struct session_changing changing;
    struct turn turn;
    struct undo undo;
    struct store_ask ask;
    struct store_step step;
    struct chat_search search;
    struct arena mem; /* of what is under way */

    struct event_usage usage; /* as last reported */
    struct buf plan;          /* the last one; empty: none */
};

/* ---- chat.c ---------------------------------------------------------------------------------- */

/* Print whole lines on stdout (with --json, which uses stdout for events: on stderr), and on
 * stderr; the caller has already escaped foreign text. */
void chat_say(struct chat *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void chat_note(struct chat *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print an error. */
void chat_complain(struct chat *c, const struct err *e);

/* From READY: nothing is asked until chat_done. */
void chat_begin(struct chat *c, struct op *op);
void chat_done(struct chat *c);

void chat_resume(struct chat *c);
void chat_compact(struct chat *c);
void chat_leave(struct chat *c);

/* ---- chat_client.c --------------------------------------------------------------------------- */

extern const struct work_client_kind chat_client_kind;
extern const struct asking_kind chat_asking_kind;

/* ---- chat_session.c -------------------------------------------------------------------------- */

/* Close what is open on a seat, then call done with the chat. */
void chat_leave_seat(struct chat *c, struct chat_seat *seat, void (*done)(void *ctx));

/* Open the session that the command line names. */
void chat_first(struct chat *c);

/* Close the current session and open another: one of the store, or a new one (id STR_NONE). */
void chat_open(struct chat *c, struct str id, const struct agent_want *want);

/* The same for the session whose id begins so; STR_NONE: the last one that no process has open. */
void chat_find(struct chat *c, struct str beginning);

/* Another agent, model (STR_NONE: as the definition has it) or mode, from the next turn on. */
void chat_use_agent(struct chat *c, const struct agent_want *want);
void chat_use_mode(struct chat *c, struct str mode);

/* ---- chat_commands.c ------------------------------------------------------------------------- */

/* Run the command of chat's own that a line is. False: it is none. */
bool chat_command(struct chat *c, struct str line);

/* Names of commands, one after the other: for (i = 0; (name = chat_command_name(i)); i++). */
const char *chat_command_name(size_t i);

/* ---- chat_complete.c ------------------------------------------------------------------------- */

line_complete_fn chat_complete;

#endif
