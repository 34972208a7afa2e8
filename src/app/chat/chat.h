/*
 * chat.h - the struct and functions that the files of `trefoil chat` share.
 *
 *   BUSY <-> READY
 *     |        |
 *     +--------+-> LEAVING
 *
 * BUSY      a turn or a command is running, or the first session is being opened; typed input
 *           waits, except answers to questions
 * READY     chat waits for a line of input
 * LEAVING   no turn or command is running; the terminal, session and servers are being released
 */
#ifndef APP_CHAT_CHAT_H
#define APP_CHAT_CHAT_H

#include "app/app.h"
#include "core/session/turn.h"
#include "core/session/undo.h"
#include "runtime/runtime.h"
#include "runtime/service.h"
#include "runtime/session_log.h"
#include "term/console.h"
#include "term/line_edit.h"

/* An open session and its log. */
struct chat_seat {
    struct session session;
    struct session_log log;
};

struct chat_args {
    const char *agent, *session, *model, *mode;
    bool last;
};

/* A search for a stored session. */
struct chat_search {
    struct str beginning; /* the beginning of the session's id; STR_NONE: find the last session */
    struct str id, agent; /* id and agent of the last match */
    size_t found;         /* number of matches */
};

enum chat_state { CHAT_BUSY, CHAT_READY, CHAT_LEAVING };

struct chat {
    bool keeps;                /* sessions are stored, because there is a state directory */
    struct work_client client; /* first */
    struct app *app;
    const struct chat_args *args;
    struct loop *loop;
    enum chat_state state;
    struct op *busy;     /* the running op, which Ctrl-C cancels; NULL: none */
    unsigned interrupts; /* how often Ctrl-C was pressed since `busy` started */
    bool leave;          /* leave as soon as nothing is running */
    int code;
    bool has_shop, has_console, has_edit; /* `shop`, `console`, `edit` are open */

    struct service service;
    struct runtime shop;
    struct readiness_wait readiness; /* waits for servers, for a limited time */
    /* limits the time to release the session, the servers and the terminal */
    struct timer deadline;

    struct console console;
    struct render render;
    struct line_edit edit;
    struct asking asking;
    bool held; /* a question is open, so the renderer is paused */
    bool wanted;

    struct chat_seat seat[2]; /* the current session, and the next one while it is being opened */
    struct chat_seat *here;   /* the seat of the current session; NULL: none is open yet */
    struct session *session;  /* the session in that seat */
    void (*left)(void *ctx);  /* called when the seat `leaving` has been released */
    struct chat_seat *leaving;
    struct session_opening opening;
    struct session_changing changing;
    struct turn turn;
    struct undo undo;
    struct store_ask ask;
    struct store_step step;
    struct chat_search search;
    struct arena mem; /* memory of the running command */

    struct event_usage usage; /* the usage that was reported last */
    struct buf plan;          /* the last plan of the agent; empty: none */
};

/* ---- chat.c ---------------------------------------------------------------------------------- */

/*
 * Print whole lines. chat_say prints to stdout or, with --json, to stderr, because events use
 * stdout then. chat_note prints to stderr. The caller must escape text that trefoil does not
 * control.
 */
void chat_say(struct chat *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void chat_note(struct chat *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print an error. */
void chat_complain(struct chat *c, const struct err *e);

/* Change from READY to BUSY: no input is read until chat_done. Ctrl-C cancels `op`. */
void chat_begin(struct chat *c, struct op *op);
void chat_done(struct chat *c);

void chat_resume(struct chat *c);
void chat_compact(struct chat *c);
void chat_leave(struct chat *c);

/* ---- chat_events.c --------------------------------------------------------------------------- */

extern const struct work_client_kind chat_client_kind;
extern const struct asking_kind chat_asking_kind;

/* ---- chat_session.c -------------------------------------------------------------------------- */

/* Close the session and the log of a seat, then call done(c). */
void chat_leave_seat(struct chat *c, struct chat_seat *seat, void (*done)(void *ctx));

/* Open the session that the command line names. */
void chat_first(struct chat *c);

/* Close the current session and open a stored session, or a new one (id STR_NONE). */
void chat_open(struct chat *c, struct str id, const struct agent_want *want);

/*
 * Close the current session and open the stored session whose id begins with `beginning`. STR_NONE:
 * the last session that no process has open.
 */
void chat_find(struct chat *c, struct str beginning);

/* Use another agent, model (STR_NONE: as in the definition) or mode from the next turn on. */
void chat_use_agent(struct chat *c, const struct agent_want *want);
void chat_use_mode(struct chat *c, struct str mode);

/* ---- chat_commands.c ------------------------------------------------------------------------- */

/* Run a line that is a command of chat. False: it is not a command. */
bool chat_command(struct chat *c, struct str line);

/* Iterate over the names of commands: for (i = 0; (name = chat_command_name(i)); i++). */
const char *chat_command_name(size_t i);

/* ---- chat_complete.c ------------------------------------------------------------------------- */

line_complete_fn chat_complete;

#endif
