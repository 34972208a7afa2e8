/*
 * secret_scan.h - finds texts that look like secrets: private keys, tokens of known services, and
 * passwords in assignments and URLs. Pure; the time is linear in the length of the text.
 *
 * The rules are strict, so that they do not report source code and prose. They may therefore miss a
 * secret. They find secrets in plain text, not secrets that were encrypted, encoded or split.
 */
#ifndef CORE_GUARD_SECRET_SCAN_H
#define CORE_GUARD_SECRET_SCAN_H

#include "base/arena.h"

struct secret_match {
    const char *kind; /* the kind of secret, with an article: "an AWS access key" */
    size_t at, n;     /* offset and length of the secret in the text */
};

/* Find the first secret that begins at `from` or later. */
bool secret_find(struct str text, size_t from, struct secret_match *out);

/* Return the text with each secret replaced by its kind in brackets. In mem, or the text itself. */
struct str secret_redact(struct arena *mem, struct str text);

/*
 * Return JSON text with all its escapes decoded, as the receiver will see it. The result is in mem,
 * or it is the text itself.
 */
struct str secret_decode(struct arena *mem, struct str json);

#endif
