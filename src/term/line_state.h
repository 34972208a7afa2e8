/*
 * line_state.h - the text that the user types, and its cursor. Its input is bytes of the terminal;
 * its output is actions for line_edit.h.
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
    LINE_MORE,    /* all bytes were handled; nothing to do */
    LINE_SUBMIT,  /* the text is complete: use it, then call line_taken() */
    LINE_CLEARED, /* the user discards the text: call line_taken() */
    LINE_WARN,    /* Ctrl-C with an empty text; a second Ctrl-C results in LINE_LEAVE */
    LINE_LEAVE,
    LINE_REDRAW,  /* clear the screen */
    LINE_CHOICES, /* show the possible completions, which are in state->choices */
    LINE_SUSPEND,
    LINE_FULL, /* the text has its maximum length; some characters were dropped */
};

/* The possible completions of a word. Valid as long as state->mem keeps them. */
struct line_choices {
    size_t from;   /* offset of the word that is completed */
    struct str *v; /* the possible words, valid UTF-8 */
    size_t n;
};

/* Find the completions of the last word of `head`, the text before the cursor. */
typedef void line_complete_fn(void *ctx, struct arena *mem, struct str head,
                              struct line_choices *out);

struct line_state {
    struct buf text;
    size_t cursor;
    struct buf killed; /* the text that was cut last */
    struct key_reader keys;
    struct line_history *history;
    size_t at;        /* index of the history line that is shown; history->n: none */
    struct buf draft; /* the typed text, kept while a history line is shown */
    bool interrupted; /* the last key was Ctrl-C with an empty text */

    bool searching;     /* a search backwards in the history is active */
    struct buf pattern; /* the text to search for */
    size_t found;       /* index of the history line found; history->n: none */

    line_complete_fn *complete; /* NULL: none */
    void *ctx;
    struct arena mem; /* memory of `choices`, freed before the next completion */
    struct line_choices choices;
};

/* `history` must stay valid as long as *s, and may change only while the text is empty. */
void line_init(struct line_state *s, size_t bytes_most, struct line_history *history);
void line_fini(struct line_state *s);

/* Handle bytes from the front of *bytes, up to the first action. */
enum line_action line_feed(struct line_state *s, struct str *bytes);

/* Start with an empty text. Text that was cut (Ctrl-K, Ctrl-U, Ctrl-W) can still be pasted. */
void line_taken(struct line_state *s);

/* The line that the search has found; empty: none. */
struct str line_found(const struct line_state *s);

#endif
