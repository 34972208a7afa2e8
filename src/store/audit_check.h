/*
 * audit_check.h - verify the chain of the audit log. Blocking.
 *
 * The log is read from its oldest file to the current one. Every seal must refer to the seal before
 * it and cover all lines between them. The chain must begin and end where audit_head.h says, or
 * continue beyond that. Lines after the last seal, and lines that a seal counts as torn, are
 * reported: a crash leaves them, and an attacker who adds one cannot make it look like a record.
 */
#ifndef STORE_AUDIT_CHECK_H
#define STORE_AUDIT_CHECK_H

#include "base/err.h"
#include "base/limits.h"

struct audit_report {
    int64_t files, records, unsealed;
    bool sound;
    char where[200]; /* if not sound: "audit.jsonl:12: why" */
};

/* Check the log. False: it cannot be read. A missing log is sound. */
bool audit_check(const char *folder, const struct limits *limits, struct audit_report *out,
                 struct err *e);

#endif
