#include "store/audit_seal.h"

#include "base/digits.h"
#include "loop/digest.h"

#include <stdio.h>

/* {"hash":"H","prev":"P","lines":N} or {"hash":"H","prev":"P","lines":N,"torn":K} */
#define BEFORE_HASH "{\"hash\":\""
#define BEFORE_PREV "\",\"prev\":\""
#define BEFORE_LINES "\",\"lines\":"
#define BEFORE_TORN ",\"torn\":"

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

static bool cut_torn(struct str *s, uint64_t *out)
{
    *out = 0;
    return !cut_front(s, STR(BEFORE_TORN)) || cut_number(s, out);
}

bool audit_seal_read(struct str line, struct audit_seal *out)
{
    return cut_front(&line, STR(BEFORE_HASH)) && cut_hash(&line, &out->hash) &&
           cut_front(&line, STR(BEFORE_PREV)) && cut_hash(&line, &out->prev) &&
           cut_front(&line, STR(BEFORE_LINES)) && cut_number(&line, &out->lines) &&
           cut_torn(&line, &out->torn) && str_eq(line, STR("}"));
}

/* ---- creating -------------------------------------------------------------------------------- */

void audit_hex(const unsigned char *bytes, size_t n, char *out)
{
    static const char digit[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digit[bytes[i] >> 4];
        out[2 * i + 1] = digit[bytes[i] & 15];
    }
    out[2 * n] = '\0';
}

static bool hash_of(const char *key, struct str bytes, char out[AUDIT_HASH + 1], struct err *e)
{
    char mac[MAC_BYTES];

    if (!mac_sha256(str_of(key), bytes, mac, e))
        return false;
    audit_hex((const unsigned char *)mac, MAC_BYTES, out);
    return true;
}

uint64_t audit_count_lines(struct str lines)
{
    uint64_t n = 0;

    for (; lines.n; n++)
        str_cut(&lines, '\n');
    return n;
}

bool audit_seal_put(struct buf *sealed, const char *key, uint64_t torn, char hash[AUDIT_HASH + 1],
                    struct err *e)
{
    char prev[AUDIT_HASH], count[DIGITS_MOST];
    uint64_t lines = audit_count_lines(str_skip(buf_str(sealed), AUDIT_HASH)) - torn;

    if (!hash_of(key, buf_str(sealed), hash, e))
        return false;
    memcpy(prev, sealed->p, AUDIT_HASH);
    buf_put(sealed, STR(BEFORE_HASH));
    buf_put(sealed, (struct str){ hash, AUDIT_HASH });
    buf_put(sealed, STR(BEFORE_PREV));
    buf_put(sealed, (struct str){ prev, AUDIT_HASH });
    buf_put(sealed, STR(BEFORE_LINES));
    buf_put(sealed, (struct str){ count, digits_put(count, lines) });
    if (torn) {
        buf_put(sealed, STR(BEFORE_TORN));
        buf_put(sealed, (struct str){ count, digits_put(count, torn) });
    }
    buf_put(sealed, STR("}\n"));
    return true;
}

bool audit_seal_fits(const struct audit_seal *seal, const char *key, struct str sealed, bool *fits,
                     struct err *e)
{
    char hash[AUDIT_HASH + 1];

    if (!hash_of(key, sealed, hash, e))
        return false;
    *fits = str_eq(seal->hash, str_of(hash));
    return true;
}
