/*
 * audit_seal.h - the seals of the audit log, and where its files are; see audit_log.h for what they
 * mean. Part of the audit log.
 */
#ifndef STORE_AUDIT_SEAL_H
#define STORE_AUDIT_SEAL_H

#include "base/buf.h"
#include "store/audit_log.h"

enum {
    AUDIT_PATH = 4096,
    AUDIT_FILES_MOST = 1000, /* of limits.audit_files */
    AUDIT_SEAL = 256,        /* no seal is longer, line feeds on both sides included */
};

/* The path of a log file by its number; 0: the current file. */
bool audit_file(const char *folder, int64_t number, char out[AUDIT_PATH], struct err *e);

struct audit_seal {
    struct str hash, prev;
    uint64_t lines; /* right before it, that it is of */
    uint64_t torn;  /* and before these: lines that a crash left since the previous seal */
};

/* Is the line a whole seal? No record is one: they begin with other keys. */
bool audit_seal_read(struct str line, struct audit_seal *out);

/*
 * sealed: the hash of the previous seal, then the lines, `torn` of them left by a crash: the input
 * of the seal, which is appended. hash: that of the new seal.
 */
bool audit_seal_put(struct buf *sealed, const char *key, uint64_t torn, char hash[AUDIT_HASH + 1],
                    struct err *e);

/* Is it the seal of these bytes? */
bool audit_seal_fits(const struct audit_seal *seal, const char *key, struct str sealed, bool *fits,
                     struct err *e);

uint64_t audit_count_lines(struct str lines);

/* 2 n hexadecimal digits and a NUL. */
void audit_hex(const unsigned char *bytes, size_t n, char *out);

#endif
