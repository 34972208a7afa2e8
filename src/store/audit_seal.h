/*
 * audit_seal.h - the seals of the audit log, and the paths of its files. audit_log.h explains both.
 * Part of the audit log.
 */
#ifndef STORE_AUDIT_SEAL_H
#define STORE_AUDIT_SEAL_H

#include "base/buf.h"
#include "store/audit_log.h"

enum {
    AUDIT_PATH = 4096,
    AUDIT_FILES_MOST = 1000, /* the maximum of limits.audit_files */
    AUDIT_SEAL = 256,        /* maximum length of a seal, with the line feeds before and after it */
};

/* The path of a log file by its number; 0: the current file. */
bool audit_file(const char *folder, int64_t number, char out[AUDIT_PATH], struct err *e);

struct audit_seal {
    struct str hash, prev;
    uint64_t lines; /* number of lines before the seal that it covers */
    uint64_t torn;  /* number of lines before these that a crash left since the previous seal */
};

/* Is the line a complete seal? Records are not: they begin with other keys. */
bool audit_seal_read(struct str line, struct audit_seal *out);

/*
 * Append a seal to `sealed`, which contains the bytes that the seal covers: the hash of the
 * previous seal, then the lines. The first `torn` of these lines are left over from a crash. `hash`
 * is set to the hash of the new seal.
 */
bool audit_seal_put(struct buf *sealed, const char *key, uint64_t torn, char hash[AUDIT_HASH + 1],
                    struct err *e);

/* Set *fits to whether this is the seal of these bytes. False: the hash cannot be computed. */
bool audit_seal_fits(const struct audit_seal *seal, const char *key, struct str sealed, bool *fits,
                     struct err *e);

uint64_t audit_count_lines(struct str lines);

/* Write 2 n hexadecimal digits and a NUL. */
void audit_hex(const unsigned char *bytes, size_t n, char *out);

#endif
