#include "store/audit_seal.h"

#include "base/digits.h"
#include "base/mac.h"

#include <stdio.h>

/* {"hash":"H","prev":"P","lines":N} */
#define BEFORE_HASH "{\"hash\":\""
#define BEFORE_PREV "\",\"prev\":\""
#define BEFORE_LINES "\",\"lines\":"

bool audit_file(const char *folder, int64_t number, char out[AUDIT_PATH], struct err *e)
{
    int n = number
                ? snprintf(out, AUDIT_PATH, "%s/logs/audit.%lld.jsonl", folder, (long long)number)
                : snprintf(out, AUDIT_PATH, "%s/logs/audit.jsonl", folder);

    return n < AUDIT_PATH || fail(e, ERR_LIMIT, "the path of the audit log is too long");
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool cut_front(struct str *s, struct str front)
{
    if (!str_starts(*s, front))
        return false;
    *s = str_skip(*s, front.n);
    return true;
}

static bool cut_hash(struct str *s, struct str *hash)
{
    if (s->n < AUDIT_HASH)
        return false;
    *hash = str_head(*s, AUDIT_HASH);
    *s = str_skip(*s, AUDIT_HASH);
    return true;
}

static bool cut_number(struct str *s, uint64_t *out)
{
    size_t n = 0;

    *out = 0;
    for (; n < s->n && n < DIGITS_MOST - 1 && s->p[n] >= '0' && s->p[n] <= '9'; n++)
        *out = *out * 10 + (uint64_t)(s->p[n] - '0');
    *s = str_skip(*s, n);
    return n > 0;
}

bool audit_seal_read(struct str line, struct audit_seal *out)
{
    return cut_front(&line, STR(BEFORE_HASH)) && cut_hash(&line, &out->hash) &&
           cut_front(&line, STR(BEFORE_PREV)) && cut_hash(&line, &out->prev) &&
           cut_front(&line, STR(BEFORE_LINES)) && cut_number(&line, &out->lines) &&
           str_eq(line, STR("}"));
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool hash_of(struct str bytes, char out[AUDIT_HASH + 1], struct err *e)
{
    static const char digit[] = "0123456789abcdef";
    char mac[MAC_BYTES];

    if (!mac_sha256(STR(AUDIT_KEY), bytes, mac, e))
        return false;
    for (size_t i = 0; i < MAC_BYTES; i++) {
        out[2 * i] = digit[(unsigned char)mac[i] >> 4];
        out[2 * i + 1] = digit[mac[i] & 15];
    }
    out[AUDIT_HASH] = '\0';
    return true;
}

static uint64_t count_lines(struct str lines)
{
    uint64_t n = 0;

    for (; lines.n; n++)
        str_cut(&lines, '\n');
    return n;
}

bool audit_seal_put(struct buf *sealed, struct err *e)
{
    char prev[AUDIT_HASH], hash[AUDIT_HASH + 1], count[DIGITS_MOST];
    uint64_t lines = count_lines(str_skip(buf_str(sealed), AUDIT_HASH));

    if (!hash_of(buf_str(sealed), hash, e))
        return false;
    memcpy(prev, sealed->p, AUDIT_HASH);
    buf_put(sealed, STR(BEFORE_HASH));
    buf_put(sealed, (struct str){ hash, AUDIT_HASH });
    buf_put(sealed, STR(BEFORE_PREV));
    buf_put(sealed, (struct str){ prev, AUDIT_HASH });
    buf_put(sealed, STR(BEFORE_LINES));
    buf_put(sealed, (struct str){ count, digits_put(count, lines) });
    buf_put(sealed, STR("}\n"));
    return true;
}

bool audit_seal_fits(const struct audit_seal *seal, struct str sealed, bool *fits, struct err *e)
{
    char hash[AUDIT_HASH + 1];

    if (!hash_of(sealed, hash, e))
        return false;
    *fits = str_eq(seal->hash, str_of(hash));
    return true;
}
