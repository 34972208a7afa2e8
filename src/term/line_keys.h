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
    KEY_NONE, /* nothing: the bytes end in the middle of something, or meant nothing */
    KEY_TEXT, /* characters */
    KEY_ENTER,
    KEY_NEWLINE, /* alt-enter, or a line end in a paste */
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
    KEY_KILL_WORD,  /* back to the blank before the cursor */
    KEY_KILL_BACK,  /* letters and digits before it */
    KEY_KILL_AHEAD, /* and behind it */
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

/* {0} is ready. */
struct key_reader {
    enum { KEYS_PLAIN, KEYS_CHARACTER, KEYS_ESCAPE } state;
    char seq[KEY_SEQ]; /* what has come of a character, or of a sequence behind its escape */
    size_t n;
    bool pasting;
    bool after_cr;         /* in a paste: a line feed now belongs to it */
    char own[KEY_SEQ + 4]; /* text that is not in the bytes */
};

/*
 * Take the next key from the front of *bytes, which is then shorter; KEY_NONE only when nothing is
 * left of it. *text of KEY_TEXT lives until the next call, and no longer than the bytes.
 */
enum key key_next(struct key_reader *r, struct str *bytes, struct str *text);

#endif
