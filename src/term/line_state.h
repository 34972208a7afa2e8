/*
 * line_state.h - the text that the user types, and its cursor. Input: bytes of the terminal.
 * Output: actions for line_edit.h.
 *
 * It only computes: line_paint.h shows the text, and line_edit.h reads and writes the terminal. The
 * text is valid UTF-8 without NUL, may have several lines, and is never longer than its limit. The
 * cursor is always before a whole character or at the end.
 */
#ifndef TERM_LINE_STATE_H
#define TERM_LINE_STATE_H

#include "base/buf.h"
#include "term/line_history.h"
#include "term/line_keys.h"

enum line_action {
    LINE_MORE,    /* all bytes are taken */
    LINE_SUBMIT,  /* the text is complete: line_taken() follows */
    LINE_CLEARED, /* it is to be thrown away: line_taken() follows */
    LINE_WARN,    /* interrupted with nothing typed: once more, and it is LINE_LEAVE */
    LINE_LEAVE,
    LINE_REDRAW,  /* the screen is to be cleared */
    LINE_CHOICES, /* there are several completions: state->choices */
    LINE_SUSPEND,
    LINE_FULL, /* something was left out: the text may not become longer */
};

/* Ways to complete a text. In memory of the state's. */
struct line_choices {
    size_t from;   /* where the word to be completed begins */
    struct str *v; /* what may stand there, valid UTF-8 */
    size_t n;
};

/* Fill in what may stand at the end of `head`, the text before the cursor. */
typedef void line_complete_fn(void *ctx, struct arena *mem, struct str head,
                              struct line_choices *out);

struct line_state {
    struct buf text;
    size_t cursor;
    struct buf killed; /* what was cut last */
    struct key_reader keys;
    struct line_history *history;
    size_t at;        /* the line of history that is shown; history->n: none */
    struct buf draft; /* what was typed while one is shown */
    bool interrupted; /* the key before this one was an interrupt, and nothing was typed */

    bool searching;     /* backwards in history ... */
    struct buf pattern; /* ... for this ... */
    size_t found;       /* ... which this line has; history->n: none has */

    line_complete_fn *complete; /* NULL: none */
    void *ctx;
    struct arena mem; /* of choices, until the next ones */
    struct line_choices choices;
};

/* `history` must live as long, and change only while the text is empty. */
void line_init(struct line_state *s, size_t bytes_most, struct line_history *history);
void line_fini(struct line_state *s);

/* Take from the front of *bytes, up to the first action. */
enum line_action line_feed(struct line_state *s, struct str *bytes);

/* Start with an empty text. Text that was cut (Ctrl-K, Ctrl-U, Ctrl-W) can still be pasted. */
void line_taken(struct line_state *s);

/* What a search shows: the line that was found, or an empty one. */
struct str line_found(const struct line_state *s);

#endif
