/*
 * audit_check.h - does the audit log hang together? Blocking.
 *
 * It is read from its oldest file to the one that is written to. Every seal must hang on the one
 * before it and be of all lines between them; the chain must begin and end where audit_head.h says,
 * or go on behind that. Lines behind the last seal, and those that a seal calls torn, are told: a
 * crash leaves them, and somebody who adds one cannot make it look like a record.
 */
#ifndef STORE_AUDIT_CHECK_H
#define STORE_AUDIT_CHECK_H

#include "base/err.h"
#include "base/limits.h"

struct audit_report {
    int64_t files, records, unsealed;
    bool sound;
    char where[200]; /* of one that is not: "audit.jsonl:12: why" */
};

/* False: it cannot be read. No log at all is sound. */
bool audit_check(const char *folder, const struct limits *limits, struct audit_report *out,
                 struct err *e);

#endif
