#include "base/base64.h"

static const char alphabet[][65] = {
    [BASE64_PLAIN] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    [BASE64_URL] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
};

struct str base64_encode(struct arena *mem, enum base64_kind kind, struct str bytes)
{
    const char *letter = alphabet[kind];
    char *out = arena_alloc(mem, (bytes.n + 2) / 3 * 4 + 1);
    size_t n = 0;
    uint32_t bits = 0;
    unsigned held = 0;

    for (size_t i = 0; i < bytes.n; i++) {
        bits = bits << 8 | (unsigned char)bytes.p[i];
        for (held += 8; held >= 6; held -= 6)
            out[n++] = letter[bits >> (held - 6) & 63];
    }
    if (held)
        out[n++] = letter[bits << (6 - held) & 63];
    while (kind == BASE64_PLAIN && n % 4)
        out[n++] = '=';
    out[n] = '\0';
    return (struct str){ out, n };
}

/* -1: not in the alphabet. */
static int value_of(enum base64_kind kind, char c)
{
    const char *at = c ? strchr(alphabet[kind], c) : NULL;

    return at ? (int)(at - alphabet[kind]) : -1;
}

/* Without its padding; false when that is not as it must be. */
static bool strip_padding(enum base64_kind kind, struct str *text)
{
    size_t pads = 0;

    if (kind == BASE64_URL)
        return true;
    if (text->n % 4)
        return false;
    while (pads < 2 && text->n && text->p[text->n - 1] == '=') {
        text->n--;
        pads++;
    }
    return true;
}

bool base64_decode(struct arena *mem, enum base64_kind kind, struct str text, struct str *out)
{
    uint32_t bits = 0;
    unsigned held = 0;
    size_t n = 0;
    char *bytes;

    if (!strip_padding(kind, &text) || text.n % 4 == 1)
        return false;
    bytes = arena_alloc(mem, text.n / 4 * 3 + 4);
    for (size_t i = 0; i < text.n; i++) {
        int v = value_of(kind, text.p[i]);

        if (v < 0)
            return false;
        bits = bits << 6 | (uint32_t)v;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[n++] = (char)(bits >> held & 0xff);
        }
    }
    if (bits & ((1u << held) - 1))
        return false;
    bytes[n] = '\0';
    *out = (struct str){ bytes, n };
    return true;
}
