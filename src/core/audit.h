/*
 * audit.h - the port for a record of every call that the guard has judged.
 *
 * An implementation may write records later: no answer waits for a record. A record holds digests
 * of arguments and results instead of their values, so that no secret reaches the audit log.
 */
#ifndef CORE_AUDIT_H
#define CORE_AUDIT_H

#include "base/str.h"

/* Lives for the call of record only. */
struct audit_entry {
    const char *caller;
    struct str principal, trace;
    int depth;
    const char *tool;
    uint64_t args;       /* keyed digest of tool and arguments */
    const char *verdict; /* allow, ask (and a person agreed), deny */
    const char *by;      /* the check that decided; NULL: none objected */
    const char *outcome; /* ok, error (a result with is_error), or the name of an error code */
    int64_t took_ms;
    struct str from; /* of an untrusted result: its source; else STR_NONE */
};

struct audit_sink {
    void (*record)(struct audit_sink *sink, const struct audit_entry *entry);
};

#endif
