/*
 * audit_head.h - the file beside the audit log: the key of its seals, and where its chain begins
 * and ends. Part of the audit log (audit_log.h).
 *
 * <state directory>/audit.json, mode 0600, replaced as a whole:
 *
 *   {"version":1,"key":K,"first":H,"last":H,"seals":N,"records":N}
 *
 * key      random, created with the file. Seals are HMACs with this key. Only the user can read the
 *          file, so only the user can make a seal
 * first    the last seal that was deleted, to which the oldest kept seal refers; zeros: none was
 *          deleted yet
 * last     the last seal that was written
 * seals, records   the number of seals and records written since the log began, including deleted
 *                  ones
 *
 * A reader or writer of this file holds the lock of the log. The order of changes ensures that a
 * crash between two of them never looks like a missing part:
 *
 *   a batch    The log is written and synced, then `last` is updated. After a crash between them
 *              the log has one seal more than `last` says.
 *   a drop     `first` is updated, then the oldest files are deleted. After a crash between them
 *              the log still has seals older than `first`.
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

/* ERR_NOT_FOUND: the file does not exist. */
bool audit_head_read(const char *folder, struct audit_head *out, struct err *e);
bool audit_head_write(const char *folder, const struct audit_head *head, struct err *e);

/* Initialize *out with a new key, for a log whose last seal is `last`. Writes no file. */
void audit_head_new(struct audit_head *out, const char last[AUDIT_HASH + 1]);

#endif
