/*
 * line_edit.h - read lines from the user: with a line editor at a terminal, or from a pipe.
 *
 *   IDLE -> ASKING (line_edit_ask) -> IDLE (one of the callbacks) -> CLOSED
 *
 * In IDLE nothing is read: typed text waits in the terminal, and Ctrl-C sends SIGINT. In ASKING the
 * editor handles every key, including Ctrl-C.
 *
 * If stdin or stdout is not a terminal, or TERM is "dumb", there is no editor: a line ends with a
 * line feed, no prompt is shown, and Ctrl-C sends SIGINT.
 */
#ifndef TERM_LINE_EDIT_H
#define TERM_LINE_EDIT_H

#include "base/limits.h"
#include "loop/loop.h"
#include "term/line_paint.h"

/* The loop calls one of these when a question ends. They may ask the next question. */
struct line_answer {
    void (*text)(void *ctx, struct str text); /* UTF-8; valid during the callback */
    void (*leave)(void *ctx);                 /* Ctrl-D, a second Ctrl-C, or the input has ended */
    void (*interrupt)(void *ctx);             /* Ctrl-C; NULL: a second Ctrl-C calls `leave` */
};

enum { LINE_PROMPT = 1024 };

struct line_edit_opts {
    struct loop *loop;
    const struct limits *limits;
    const char *history; /* path of the history file, borrowed; created if needed; NULL: none */
    line_complete_fn *complete;
    void (*put)(void *ctx, struct str bytes); /* write to the screen, in order with other output */
    void *ctx;
};

struct line_edit {
    struct line_edit_opts opt;
    int in; /* our own descriptor of stdin */
    bool terminal;
    bool asking, ended; /* ended: nothing more can be read */
    bool cut;           /* the text is longer than its limit */
    bool question;
    bool history_works;
    char prompt[LINE_PROMPT];
    const struct line_answer *answer;
    void *ctx;
    struct watch watch;
    struct post go, suspend;
    struct buf ahead; /* bytes that were read, but not handled yet */
    struct line_history history;
    struct line_state line;
    struct line_screen screen;
    struct buf out;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* *ed must stay valid until it is closed. If the history cannot be read, prints a warning. */
bool line_edit_open(struct line_edit *ed, const struct line_edit_opts *opts, struct err *e);

/*
 * Ask for a line; `prompt` is copied. Set `question` if the user did not expect the prompt, such as
 * an approval. Then text that was typed before the prompt appeared is discarded, and the answer is
 * not kept in the history.
 */
void line_edit_ask(struct line_edit *ed, struct str prompt, bool question,
                   const struct line_answer *answer, void *ctx);

/* Withdraw the question. Text that was typed is discarded. */
void line_edit_cancel(struct line_edit *ed);

/* Restore the terminal at once. done is called from the loop. */
void line_edit_close(struct line_edit *ed, void (*done)(void *ctx), void *ctx);

#endif
