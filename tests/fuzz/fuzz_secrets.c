/*
 * fuzz_secrets.c - any bytes as the arguments of a call that are searched for secrets.
 *
 * A match lies in the text, the next search begins after it, and what was redacted has no match at
 * that place. Decoding never makes a text longer.
 */
#include "core/guard/own_secrets.h"
#include "core/guard/secret_scan.h"

#include "base/auto.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void find_all(struct str text)
{
    struct secret_match m;

    for (size_t at = 0; secret_find(text, at, &m); at = m.at + m.n)
        must(m.kind && m.n && m.at >= at && m.at <= text.n && m.n <= text.n - m.at);
}

static void find_own(struct arena *mem, struct str text)
{
    struct own_secrets set = { 0 };

    own_secrets_add(&set, mem, STR("middle"), str_head(str_skip(text, text.n / 3), 12));
    if (set.first)
        must(own_secrets_find(&set, text) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA mem = { 0 };
    struct str text = { (const char *)data, size }, decoded;

    find_all(text);
    find_own(&mem, text);
    secret_redact(&mem, text);
    decoded = secret_decode(&mem, text);
    must(decoded.n <= text.n);
    find_all(decoded);
    return 0;
}
