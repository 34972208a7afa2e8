/*
 * audit_log.h - the audit records of a root, as lines of JSON in chained batches.
 *
 * <state directory>/logs/audit.jsonl: lines that were written together are followed by their seal,
 * {"hash":H,"prev":P,"lines":N}. P is the hash of the previous seal (zeros: there is none), and H
 * is HMAC-SHA256 over P and the N lines right before, with their line feeds: this detects a
 * changed, removed or inserted line. Lines without a seal are the rest of a batch after a crash;
 * the next seal counts them separately ("torn":K, before the N lines) and covers them, too. Only
 * the user can read the secret key. audit_head.h stores the beginning and end of the chain in
 * another file, so that a truncated or deleted log is detected. When the file would exceed
 * limits.audit_bytes, it is renamed to audit.1.jsonl, the previous audit.1.jsonl to audit.2.jsonl
 * and so on, and the chain continues in a new file. Several processes may write to one log.
 *
 * Records are collected for limits.audit_gather_ms and written by a thread of the pool. So no call
 * waits for the disk, and a busy server does not wake a thread for every call. A crash loses the
 * collected records. If the log cannot be written, an error is logged once, and calls continue.
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

/* Opens no file: the first records open the state directory. *state must outlive the log. */
void audit_log_init(struct audit_log *log, struct loop *loop, const struct limits *limits,
                    struct state_port *state);

/* Write the collected records, then call done. If there are none, done is called at once. */
void audit_log_close(struct audit_log *log, void (*done)(void *ctx), void *ctx);

/* Free the memory of the log. The log must be closed, or never have got a record. */
void audit_log_fini(struct audit_log *log);

enum { AUDIT_HASH = 64 }; /* hexadecimal digits */

#endif
