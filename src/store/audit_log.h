/*
 * audit_log.h - the audit records of a root, as lines of JSON in batches that hang together.
 *
 * <state directory>/logs/audit.jsonl: lines that were written together are followed by their seal,
 * {"hash":H,"prev":P,"lines":N}. P is the hash of the seal before (zeros: there is none), and H is
 * HMAC-SHA256 over P and the N lines right before, with their line feeds: a line that was changed,
 * left out or put in shows. Lines without a seal are what a crash left of a batch; the next seal
 * counts them apart ("torn":K, before the N lines) and is of them, too. The key is secret and known
 * to the user alone, and where the chain begins and ends is kept beside the log (audit_head.h): a
 * log whose beginning or end was cut, or that is gone, shows. Past limits.audit_bytes the file becomes audit.1.jsonl, that one audit.2.jsonl and so on, and the
 * chain goes on in a new one. Several processes may write to one log.
 *
 * Records are gathered for limits.audit_gather_ms and written on the pool, so nobody waits for the
 * disk, and a busy server does not wake a thread for every call; a crash loses what was gathered.
 * A log that cannot be written is remarked once and stops nothing.
 */
#ifndef STORE_AUDIT_LOG_H
#define STORE_AUDIT_LOG_H

#include "base/clock.h"
#include "base/limits.h"
#include "core/audit.h"
#include "core/state.h"
#include "loop/spool.h"

struct audit_log {
    struct audit_sink sink; /* first */
    int64_t time_of;        /* loop_now() when `time` was written */
    char time[CLOCK_TEXT];
    struct spool spool;
    const struct limits *limits;
    struct state_port *state;
};

/* Opens no file yet; the state directory is opened for the first records. It must outlive the log. */
void audit_log_init(struct audit_log *log, struct loop *loop, const struct limits *limits,
                    struct state_port *state);

/* Write what is there, then call done; now, when there is nothing. */
void audit_log_close(struct audit_log *log, void (*done)(void *ctx), void *ctx);

/* It must be closed, or never have recorded anything. */
void audit_log_fini(struct audit_log *log);

enum { AUDIT_HASH = 64 }; /* hexadecimal digits */

#endif
