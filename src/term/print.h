/*
 * print.h - print the output of a command on stdout, and one-line messages on stderr.
 *
 * A message is "trefoil: SENTENCE". Control characters in it are escaped (display.h), because the
 * sentence may quote a file.
 */
#ifndef TERM_PRINT_H
#define TERM_PRINT_H

#include "base/buf.h"
#include "base/err.h"

enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1,  /* the command failed */
    EXIT_USAGE = 2,   /* the command line or the configuration is wrong */
    EXIT_DENIED = 3,  /* the guard denied a call, or no one was available to approve it */
    EXIT_LIMIT = 4,   /* a turn reached a limit: length, requests, budget, tokens, time, context */
    EXIT_REFUSED = 5, /* the model refused to answer */
    EXIT_INTERRUPTED = 130,
};

/* Write the output to stdout and flush. */
void print_output(const struct buf *out);

/* Print the error on stderr. Returns EXIT_FAILED, so that `return print_error(...)` works. */
int print_error(const struct err *e);

/*
 * The same, but returns EXIT_USAGE when the user named something that does not exist or is wrong
 * (ERR_NOT_FOUND, ERR_INVALID).
 */
int print_error_given(const struct err *e);

/* Print an error message on stderr. Returns EXIT_USAGE. */
int print_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print a message on stderr that is not an error. */
void print_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
