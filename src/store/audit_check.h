/*
 * audit_check.h - read the audit log and verify its chain. Blocking.
 *
 * The log is read from its oldest file to the current one. Every seal must refer to the seal before
 * it and cover all lines between them. The chain must begin and end where audit_head.h says, or
 * continue beyond that. Lines after the last seal, and lines that a seal counts as torn, are
 * reported. A crash can leave such lines. If an attacker adds a line, it is reported in the same
 * way and never counts as a record.
 *
 * A seal covers the records that were written together, so a change can be located only between
 * two seals. Deleting the log together with audit.json cannot be detected, because a root without
 * any calls looks the same.
 */
#ifndef STORE_AUDIT_CHECK_H
#define STORE_AUDIT_CHECK_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

/* One record of the log. The oldest record that is kept has the number 1. */
struct audit_record {
    int64_t number;
    const char *file; /* audit.jsonl, ... */
    int64_t line;
    struct str text; /* a JSON object, unless a crash has cut the line */
};

struct audit_problem {
    const char *file;
    int64_t line;        /* 0: the problem concerns the whole log */
    int64_t first, last; /* the records that may be affected; last < first: none */
    const char *why;
};

/* Called while the log is read, oldest record first; both may be NULL. */
struct audit_visitor {
    void (*record)(const struct audit_visitor *v, const struct audit_record *record);
    void (*problem)(const struct audit_visitor *v, const struct audit_problem *problem);
    void *ctx;
};

struct audit_report {
    int64_t files, records, unsealed;
    bool sound;
    char where[200]; /* if not sound: the first problem, "audit.jsonl:12: why" */
};

/*
 * Read and check the log. The texts that the visitor gets are in mem; if mem is NULL, they are
 * valid only during the callback. False: the log cannot be read. A missing log is sound. `visitor`
 * may be NULL.
 */
bool audit_check(const char *folder, const struct limits *limits, struct arena *mem,
                 const struct audit_visitor *visitor, struct audit_report *out, struct err *e);

#endif
