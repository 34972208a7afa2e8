/*
 * audit_check.h - does the audit log hang together? Blocking.
 *
 * It is read from its oldest file to the one that is written to. What the first seal hangs on may
 * be gone with files that were too old; every other one must hang on the seal before it and be of
 * the lines before it. Lines that no seal counts are told, and may be what a crash left: somebody
 * who adds one cannot make it look like a record that was sealed.
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
