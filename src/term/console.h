/*
 * console.h - stdin, stdout and stderr of a command that runs on the loop.
 *
 * Nothing here blocks: output that the reader has not read yet is queued, up to
 * limits.output_backlog_bytes. on_gone is called once, when the reader of stdout has disconnected
 * or the queue is full.
 *
 * A console is a sink for a renderer (render.h): the answer is written to stdout, everything else
 * to stderr. If both are the same terminal, they share a stream, so that the order is kept.
 */
#ifndef TERM_CONSOLE_H
#define TERM_CONSOLE_H

#include "loop/fd_stream.h"
#include "term/question.h"
#include "term/render.h"

struct console {
    struct render_sink sink; /* first */
    struct asking asking;    /* questions to the user, answered by lines of stdin */
    struct render *render;   /* the renderer, held while the user is asked; may be NULL */
    struct loop *loop;
    const struct limits *limits;
    struct sock_stream out, err, in;
    struct buf line;  /* the unfinished line of stdin */
    int mode[3];      /* the original modes of the descriptors */
    bool terminal[3]; /* is it a terminal: stdin, stdout, stderr */
    bool together;    /* stdout and stderr are the same terminal */
    bool reading;     /* `in` is open */
    bool wanted;      /* a line of stdin is wanted: a question is open */
    bool held;        /* the renderer is held */
    bool gone;        /* stdout has no reader any more, or the queue is full */
    struct err why;   /* the reason, if `gone`; ERR_LIMIT: the queue is full */
    bool closing, closed_in;
    size_t open; /* number of streams that are not closed */
    void (*on_gone)(void *ctx);
    void *ctx;
    void (*on_lost)(void *ctx); /* if set, called when the terminal hangs up during a question */
    void *lost_ctx;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* on_gone may be NULL. Fails if stdout is closed. */
bool console_open(struct console *c, struct loop *loop, const struct limits *limits,
                  void (*on_gone)(void *ctx), void *ctx, struct err *e);

/* Set the options of a renderer that depend on the terminal. */
void console_set(const struct console *c, struct render_opts *opts);

/* Can the user be asked? stdin and stderr must be terminals. */
bool console_can_ask(const struct console *c);

/* The same test, if there is no console yet. */
bool console_could_ask(void);

/* Write the queued output, then call done from the loop. With `now`, the queue is dropped. */
void console_close(struct console *c, bool now, void (*done)(void *ctx), void *ctx);

#endif
