/*
 * console.h - stdin, stdout and stderr of a command that runs on the loop.
 *
 * Nothing here blocks: output that a slow reader does not take is queued
 * (limits.output_backlog_bytes). on_gone reports once that the reader has disconnected, or has read
 * nothing until the queue was full.
 *
 * As the sink of a renderer: the answer goes to stdout, everything else to stderr. If both are the
 * same terminal they share a stream, which keeps the order.
 */
#ifndef TERM_CONSOLE_H
#define TERM_CONSOLE_H

#include "loop/fd_stream.h"
#include "term/question.h"
#include "term/render.h"

struct console {
    struct render_sink sink; /* first */
    struct asking asking;    /* by lines of stdin, in a terminal */
    struct render *render;   /* paused while the user is asked; may be NULL */
    struct loop *loop;
    const struct limits *limits;
    struct sock_stream out, err, in;
    struct buf line;  /* of stdin, as far as it came */
    int mode[3];      /* of the descriptors, as we found them */
    bool terminal[3]; /* stdin, stdout, stderr */
    bool together;    /* stdout and stderr are one terminal */
    bool reading;     /* `in` is open */
    bool wanted;      /* a line is */
    bool held;        /* the render is */
    bool gone;        /* stdout has no reader, for this reason: */
    struct err why;   /* ERR_LIMIT: too much waits for a reader that is there */
    bool closing, closed_in;
    size_t open; /* streams that are not closed */
    void (*on_gone)(void *ctx);
    void *ctx;
    void (*on_lost)(void *ctx); /* instead of a no, when the terminal has gone that is asked */
    void *lost_ctx;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* on_gone may be NULL. Fails when there is no stdout. */
bool console_open(struct console *c, struct loop *loop, const struct limits *limits,
                  void (*on_gone)(void *ctx), void *ctx, struct err *e);

/* The properties of the terminal, for a renderer that writes to it. */
void console_set(const struct console *c, struct render_opts *opts);

/* The user can be asked: stdin and stderr are terminals. */
bool console_can_ask(const struct console *c);

/* The same before a console is opened. */
bool console_could_ask(void);

/* Write the queued output, then call done from the loop. With `now`, the queue is dropped. */
void console_close(struct console *c, bool now, void (*done)(void *ctx), void *ctx);

#endif
