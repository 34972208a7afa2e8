/*
 * terminal_mode.h - set the mode of the user's terminal, and restore it.
 *
 * The terminal is restored however the process ends: by returning from main, by exit, by a signal
 * or by an abort. Only after SIGKILL it is not. There is one terminal, so this state is global.
 */
#ifndef TERM_TERMINAL_MODE_H
#define TERM_TERMINAL_MODE_H

#include "base/err.h"

#include <stddef.h>

/*
 * To be sent to it behind TERM_KEYS, and before another mode: a paste begins and ends with marks.
 * Not needed when the program changes from TERM_KEYS to TERM_FOUND, or is killed.
 */
#define TERM_PASTE_MARKED "\x1b[?2004h"
#define TERM_PASTE_PLAIN "\x1b[?2004l"

enum term_mode {
    TERM_FOUND,   /* as it was before us */
    TERM_KEYS,    /* every key comes at once, and none is a signal */
    TERM_WORKING, /* keys wait and are not shown; ctrl-c and the like are signals */
};

/* Remember the current mode. fd must be a terminal, and stay open until term_close. */
bool term_open(int fd, struct err *e);

/* Set a mode, even if it should be set already: another program may have changed it. */
void term_set(enum term_mode mode);
enum term_mode term_now(void);

/* Stop as by Ctrl-Z, with the terminal restored; returns when the shell resumes us, in our mode. */
void term_suspend(void);

/* Restore the mode of term_open. Without term_open it does nothing. */
void term_close(void);

/* The size of the terminal; 80 x 24 if it is unknown. */
void term_size(int fd, size_t *columns, size_t *rows);

#endif
