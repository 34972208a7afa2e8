/*
 * audit_head.h - the file beside the audit log: the key of its seals, and where its chain begins
 * and ends. Part of the audit log (audit_log.h).
 *
 * <state directory>/audit.json, mode 0600, replaced as a whole:
 *
 *   {"version":1,"key":K,"first":H,"last":H,"seals":N,"records":N}
 *
 * key      random, made with the file; the seals are HMACs with it, so that only the user can make one
 * first    the seal that the oldest kept seal refers to; zeros: none was dropped yet
 * last     the last seal that was written
 * seals, records   how many were written since the log began, dropped ones included
 *
 * A reader or writer of this file holds the lock of the log. The order of changes ensures that a
 * crash between two of them never looks like a missing part:
 *
 *   a batch    the log is written and synced, then `last` moves on: the log may be one seal ahead
 *   a drop     `first` moves on, then the oldest files go: the log may have more than is expected
 */
#ifndef STORE_AUDIT_HEAD_H
#define STORE_AUDIT_HEAD_H

#include "base/err.h"
#include "store/audit_log.h"

struct audit_head {
    char key[AUDIT_HASH + 1];
    char first[AUDIT_HASH + 1], last[AUDIT_HASH + 1];
    int64_t seals, records;
};

/* ERR_NOT_FOUND: there is none. */
bool audit_head_read(const char *folder, struct audit_head *out, struct err *e);
bool audit_head_write(const char *folder, const struct audit_head *head, struct err *e);

/* Initialize *out with a new key, for a log whose last seal is `last`. Writes no file. */
void audit_head_new(struct audit_head *out, const char last[AUDIT_HASH + 1]);

#endif
