/*
 * terminal_mode.h - set the mode of the user's terminal, and restore it.
 *
 * The terminal is restored when the process ends: by a return from main, by exit, by a signal or by
 * abort, but not by SIGKILL. There is one terminal, so this state is global.
 */
#ifndef TERM_TERMINAL_MODE_H
#define TERM_TERMINAL_MODE_H

#include "base/err.h"

#include <stddef.h>

/*
 * Escape sequences for the terminal. The caller writes TERM_PASTE_MARKED after it has set
 * TERM_KEYS: then a paste begins and ends with a mark. The caller writes TERM_PASTE_PLAIN before it
 * sets another mode. Before TERM_FOUND, and when the process ends, this module writes
 * TERM_PASTE_PLAIN itself.
 */
#define TERM_PASTE_MARKED "\x1b[?2004h"
#define TERM_PASTE_PLAIN "\x1b[?2004l"

enum term_mode {
    TERM_FOUND,   /* the original mode */
    TERM_KEYS,    /* each key is delivered immediately, and no key sends a signal */
    TERM_WORKING, /* typed text is not shown, and is read later; Ctrl-C and similar keys send
                   * signals */
};

/* Remember the current mode. fd must be a terminal, and stay open until term_close. */
bool term_open(int fd, struct err *e);

/* Set a mode, even if it was set before: another program may have changed it. */
void term_set(enum term_mode mode);
enum term_mode term_now(void);

/*
 * Restore the terminal and stop, like Ctrl-Z. When the shell resumes us, set our mode and return.
 */
void term_suspend(void);

/* Restore the mode that term_open found. Does nothing if term_open was not called. */
void term_close(void);

/* The size of the terminal; 80 x 24 if it is unknown. */
void term_size(int fd, size_t *columns, size_t *rows);

#endif
