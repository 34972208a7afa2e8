/*
 * line_keys.h - decode the bytes that a terminal sends into keys.
 *
 * Bytes may arrive in pieces: an incomplete sequence waits for its rest. Text is always valid
 * UTF-8: invalid bytes become U+FFFD. Inside a bracketed paste all bytes are text, except for line
 * ends. Control characters of a paste, other than tabs, become U+FFFD.
 */
#ifndef TERM_LINE_KEYS_H
#define TERM_LINE_KEYS_H

#include "base/str.h"

enum key {
    KEY_NONE, /* no key: the bytes are incomplete, or have no meaning */
    KEY_TEXT, /* one or more characters */
    KEY_ENTER,
    KEY_NEWLINE, /* Alt-Enter, or a line end in a paste */
    KEY_TAB,
    KEY_BACKSPACE,
    KEY_DELETE,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_WORD_LEFT,
    KEY_WORD_RIGHT,
    KEY_KILL_END,
    KEY_KILL_START,
    KEY_KILL_WORD,  /* delete the text between the cursor and the blank before it */
    KEY_KILL_BACK,  /* delete the letters and digits before the cursor */
    KEY_KILL_AHEAD, /* delete the letters and digits after the cursor */
    KEY_YANK,
    KEY_SEARCH,
    KEY_ABORT,
    KEY_INTERRUPT,
    KEY_EOF,
    KEY_REDRAW,
    KEY_SUSPEND,
    KEYS,
};

enum { KEY_SEQ = 24 };

/* The state of decoding. Initialise it with {0}. */
struct key_reader {
    enum { KEYS_PLAIN, KEYS_CHARACTER, KEYS_ESCAPE } state;
    char seq[KEY_SEQ]; /* the bytes so far of a character, or of a sequence after its escape */
    size_t n;
    bool pasting;
    bool after_cr;         /* in a paste: the last byte was CR, so an LF is part of its line end */
    char own[KEY_SEQ + 4]; /* holds text that is not in the bytes, such as U+FFFD */
};

/*
 * Take the next key from the front of *bytes. KEY_NONE: no key is complete, and *bytes is empty.
 * With KEY_TEXT, *text is valid until the next call, but not longer than the bytes.
 */
enum key key_next(struct key_reader *r, struct str *bytes, struct str *text);

#endif
