/*
 * audit.h - the port to the audit log, which records every call that the guard has judged.
 *
 * The implementation may write a record later, so no call waits for the log. A record contains
 * digests of the arguments and results, not their values, so that the log contains no secrets.
 */
#ifndef CORE_AUDIT_H
#define CORE_AUDIT_H

#include "base/str.h"

/* The entry and its data are valid only while audit_sink.record runs. */
struct audit_entry {
    const char *caller;
    struct str principal, trace;
    struct str work; /* id of the session or task in which the call was made; STR_NONE: none */
    int depth;
    const char *tool;
    uint64_t args;       /* keyed digest of tool and arguments */
    const char *verdict; /* "allow", "deny", or "ask" (then a person has approved the call) */
    const char *by;      /* the check that decided; NULL: no check objected */
    const char *outcome; /* "ok", "error" (a result with is_error), or the name of an error code */
    int64_t took_ms;
    struct str from; /* the source of an untrusted result; STR_NONE: the result is trusted */
};

struct audit_sink {
    void (*record)(struct audit_sink *sink, const struct audit_entry *entry);
};

#endif
