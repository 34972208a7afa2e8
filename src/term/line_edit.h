/*
 * line_edit.h - lines from a person, typed and edited at a terminal; or from a pipe, as they come.
 *
 *   IDLE -> ASKING (line_edit_ask) -> IDLE (one of the callbacks) -> CLOSED
 *
 * While nothing is asked nothing is read: what is typed waits in the terminal, and ctrl-c is
 * SIGINT. While it asks at a terminal every key is ours. Where stdin or stdout is no terminal, or
 * TERM is "dumb", a line is what ends with a line feed, nothing is shown and ctrl-c is SIGINT.
 */
#ifndef TERM_LINE_EDIT_H
#define TERM_LINE_EDIT_H

#include "base/limits.h"
#include "loop/loop.h"
#include "term/line_paint.h"

/* How a question ends. From the loop; the next one may be asked at once. */
struct line_answer {
    void (*text)(void *ctx, struct str text); /* valid UTF-8, borrowed for the call */
    void (*leave)(void *ctx);                 /* ctrl-d, a second ctrl-c, or nothing follows */
    void (*interrupt)(void *ctx);             /* ctrl-c; NULL: that it is pressed once more */
};

enum { LINE_PROMPT = 1024 };

struct line_edit_opts {
    struct loop *loop;
    const struct limits *limits;
    const char *history; /* its file, made when it is needed; NULL: none. Lives as long */
    line_complete_fn *complete;
    void (*put)(void *ctx, struct str bytes); /* to the screen, in order with all else there */
    void *ctx;
};

struct line_edit {
    struct line_edit_opts opt;
    int in; /* our own descriptor of stdin */
    bool terminal;
    bool asking, ended; /* ended: nothing more can be read */
    bool cut;           /* more has come of this text than fits */
    bool question;
    bool history_works;
    char prompt[LINE_PROMPT];
    const struct line_answer *answer;
    void *ctx;
    struct watch watch;
    struct post go, suspend;
    struct buf ahead; /* read, and not looked at yet */
    struct line_history history;
    struct line_state line;
    struct line_screen screen;
    struct buf out;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* Must live until the loop ends. If the history cannot be read, a warning is printed to stderr. */
bool line_edit_open(struct line_edit *ed, const struct line_edit_opts *opts, struct err *e);

/*
 * Ask for a line; `prompt` is copied. A `question` is one that was not expected: what was typed at
 * the terminal before it was seen is no answer to it, and the answer does not go into history.
 */
void line_edit_ask(struct line_edit *ed, struct str prompt, bool question,
                   const struct line_answer *answer, void *ctx);

/* Do not ask any more. What was typed is thrown away. */
void line_edit_cancel(struct line_edit *ed);

/* The terminal is as it was, at once. done is called from the loop. */
void line_edit_close(struct line_edit *ed, void (*done)(void *ctx), void *ctx);

#endif
