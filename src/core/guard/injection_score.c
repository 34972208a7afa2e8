/*
 * injection_score.c - one pass over the text, as lower-case words.
 *
 * The reader decodes characters, drops invisible ones, and turns everything that is not a letter or
 * a digit into single spaces, so that line breaks, dashes and zero-width characters in a phrase do
 * not hide it. Phrases are matched at the end of the last WINDOW characters. A run of base64 or
 * hexadecimal digits is decoded piece by piece and read by the same reader.
 */
#include "core/guard/injection_score.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum { WINDOW = 64, RUN_LEAST = 40, RUN_MOST = 4096, HIDDEN_LEAST = 3 };

static const struct {
    const char *name;
    int weight;
} signals[INJECTION_SIGNALS] = {
    [INJECTION_OVERRIDE] = { "override", 10 },
    [INJECTION_CONCEALMENT] = { "concealment", 6 },
    [INJECTION_IMITATED_MARK] = { "imitated-mark", 10 },
    [INJECTION_HIDDEN_TAGS] = { "hidden-tags", 10 },
    [INJECTION_HIDDEN_TEXT] = { "hidden-text", 4 },
    [INJECTION_BIDI] = { "bidi", 4 },
    [INJECTION_COMMENT] = { "comment", 6 },
    [INJECTION_ENCODED] = { "encoded", 10 },
};

/* Phrases as the reader writes them: lower case, single spaces. */
static const struct {
    const char *text;
    enum injection_signal signal;
} phrases[] = {
    { " ignore previous instructions ", INJECTION_OVERRIDE },
    { " ignore all previous instructions ", INJECTION_OVERRIDE },
    { " ignore all prior instructions ", INJECTION_OVERRIDE },
    { " ignore your previous instructions ", INJECTION_OVERRIDE },
    { " ignore the previous instructions ", INJECTION_OVERRIDE },
    { " ignore the above instructions ", INJECTION_OVERRIDE },
    { " ignore the instructions above ", INJECTION_OVERRIDE },
    { " ignore your instructions ", INJECTION_OVERRIDE },
    { " disregard previous instructions ", INJECTION_OVERRIDE },
    { " disregard all previous instructions ", INJECTION_OVERRIDE },
    { " disregard your instructions ", INJECTION_OVERRIDE },
    { " forget your previous instructions ", INJECTION_OVERRIDE },
    { " forget all previous instructions ", INJECTION_OVERRIDE },
    { " forget your instructions ", INJECTION_OVERRIDE },
    { " override your instructions ", INJECTION_OVERRIDE },
    { " override the system prompt ", INJECTION_OVERRIDE },
    { " ignore the system prompt ", INJECTION_OVERRIDE },
    { " your new instructions are ", INJECTION_OVERRIDE },
    { " reveal your system prompt ", INJECTION_OVERRIDE },
    { " do not tell the user ", INJECTION_CONCEALMENT },
    { " dont tell the user ", INJECTION_CONCEALMENT },
    { " do not mention this to the user ", INJECTION_CONCEALMENT },
    { " without telling the user ", INJECTION_CONCEALMENT },
    { " without informing the user ", INJECTION_CONCEALMENT },
    { " do not inform the user ", INJECTION_CONCEALMENT },
    { " keep this hidden from the user ", INJECTION_CONCEALMENT },
};

/* Marks, in lower case, compared byte by byte. */
static const char *const marks[] = {
    "[end of data ",
    "[untrusted data from ",
    "[warning from the guard:",
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|start_header_id|>",
    "<important>",
    "<system_prompt>",
    "<function_calls>",
    "<tool_result>",
    "[/inst]",
    "<<sys>>",
};

/* How scripts begin that decoded text should not hold. */
static const char *const scripts[] = {
    "#!/bin/", "#!/usr/bin/", "curl http", "wget http", "powershell", "| sh", "|bash", "| bash",
};

struct reader {
    struct injection *to;
    bool decoded;           /* the text was encoded: a find is the signal `encoded` */
    char words[2 * WINDOW]; /* the last characters as words */
    size_t nwords;
    char raw[2 * WINDOW]; /* the last characters in lower case */
    size_t nraw;
    int hidden;         /* invisible characters in a row */
    bool comment;       /* inside an HTML comment */
    char run[RUN_MOST]; /* the last run of base64 digits */
    size_t nrun;
};

static void injection_read(struct reader *r, struct str text, bool json);

/* ---- finds ---------------------------------------------------------------------------------- */

static void note(struct reader *r, enum injection_signal signal)
{
    struct injection *to = r->to;

    if (r->decoded)
        signal = INJECTION_ENCODED;
    if (!(to->signals >> signal & 1))
        to->score += signals[signal].weight;
    to->signals |= 1u << signal;
}

static bool ends_with(const char *text, size_t n, const char *end)
{
    size_t len = strlen(end);

    return n >= len && text[n - 1] == end[len - 1] && !memcmp(text + n - len, end, len);
}

/* Keep the last WINDOW characters at least. */
static void append(char *text, size_t *n, char c)
{
    if (*n == 2 * WINDOW) {
        memmove(text, text + WINDOW, WINDOW);
        *n = WINDOW;
    }
    text[(*n)++] = c;
}

/* Phrases end where a word ends. */
static void end_word(struct reader *r)
{
    if (r->nwords && r->words[r->nwords - 1] == ' ')
        return;
    append(r->words, &r->nwords, ' ');
    for (size_t i = 0; i < ARRAY_LEN(phrases); i++)
        if (ends_with(r->words, r->nwords, phrases[i].text))
            note(r, phrases[i].signal);
    if (r->comment && (ends_with(r->words, r->nwords, " you must ") ||
                       ends_with(r->words, r->nwords, " the assistant ") ||
                       ends_with(r->words, r->nwords, " ai agents ") ||
                       ends_with(r->words, r->nwords, " ai assistant ") ||
                       ends_with(r->words, r->nwords, " language model ")))
        note(r, INJECTION_COMMENT);
}

static void any_of(struct reader *r, const char *const *list, size_t n,
                   enum injection_signal signal)
{
    for (size_t i = 0; i < n; i++)
        if (ends_with(r->raw, r->nraw, list[i]))
            note(r, signal);
}

/* ---- encoded text --------------------------------------------------------------------------- */

static int digit_of(char c, bool hex)
{
    static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(hex ? digits : base64, hex ? c | 32 : c) : NULL;

    return at                 ? (int)(at - (hex ? digits : base64))
           : c == '-' && !hex ? 62
           : c == '_' && !hex ? 63
                              : -1;
}

static bool is_hex(struct str run)
{
    for (size_t i = 0; i < run.n; i++)
        if (digit_of(run.p[i], true) < 0)
            return false;
    return true;
}

/* Decode into the same memory. Returns the number of bytes. */
static size_t decode_run(char *run, size_t n)
{
    bool hex = is_hex((struct str){ run, n });
    int width = hex ? 4 : 6, bits = 0;
    uint32_t value = 0;
    size_t out = 0;

    for (size_t i = 0; i < n; i++) {
        value = value << width | (uint32_t)digit_of(run[i], hex);
        bits += width;
        if (bits >= 8) {
            bits -= 8;
            run[out++] = (char)(value >> bits);
        }
    }
    return out;
}

/* Text, not the bytes of an image. */
static bool is_readable(struct str text)
{
    size_t plain = 0;

    for (size_t i = 0; i < text.n; i++)
        plain += (text.p[i] >= ' ' && text.p[i] < 127) || text.p[i] == '\n' || text.p[i] == '\t';
    return text.n && plain * 10 >= text.n * 9;
}

static void end_run(struct reader *r)
{
    size_t n = r->nrun;

    r->nrun = 0;
    if (n < RUN_LEAST || r->decoded)
        return;
    n = decode_run(r->run, n);
    if (is_readable((struct str){ r->run, n })) {
        struct reader inner = { .to = r->to, .decoded = true };

        injection_read(&inner, (struct str){ r->run, n }, false);
    }
}

/* A longer run is decoded in pieces. RUN_MOST is a multiple of the units of both encodings. */
static void add_to_run(struct reader *r, char c)
{
    if (r->nrun == RUN_MOST)
        end_run(r);
    r->run[r->nrun++] = c;
}

/* ---- characters ----------------------------------------------------------------------------- */

static bool is_zero_width(uint32_t c)
{
    return (c >= 0x200b && c <= 0x200d) || c == 0x2060 || c == 0xfeff || c == 0xad || c == 0x180e;
}

static bool is_bidi(uint32_t c)
{
    return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Tags also spell the flags of regions: after the black flag U+1F3F4 they are no sign. */
static void read_hidden(struct reader *r, uint32_t c)
{
    if (c >= 0xe0020 && c <= 0xe007e) {
        if (++r->hidden > 8)
            note(r, INJECTION_HIDDEN_TAGS);
        return;
    }
    if (is_bidi(c))
        note(r, INJECTION_BIDI);
    if (is_zero_width(c) && ++r->hidden >= HIDDEN_LEAST)
        note(r, INJECTION_HIDDEN_TEXT);
}

static void read_visible(struct reader *r, uint32_t c)
{
    char lower = c < 128 ? (char)(c >= 'A' && c <= 'Z' ? c + 32 : c) : '?';
    bool alnum = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');

    r->hidden = 0;
    append(r->raw, &r->nraw, lower);
    if (alnum)
        append(r->words, &r->nwords, lower);
    else if (lower != '\'')
        end_word(r);
    if (c < 128 && digit_of((char)c, false) >= 0)
        add_to_run(r, (char)c);
    else
        end_run(r);
    if (alnum)
        return;
    any_of(r, marks, ARRAY_LEN(marks), INJECTION_IMITATED_MARK);
    if (ends_with(r->raw, r->nraw, "<!--"))
        r->comment = true;
    else if (ends_with(r->raw, r->nraw, "-->"))
        r->comment = false;
}

static void read_character(struct reader *r, uint32_t c)
{
    if (is_zero_width(c) || is_bidi(c) || (c >= 0xe0000 && c <= 0xe007f))
        read_hidden(r, c);
    else
        read_visible(r, c);
    if (r->decoded)
        any_of(r, scripts, ARRAY_LEN(scripts), INJECTION_ENCODED);
}

/* ---- the text ------------------------------------------------------------------------------- */

static uint32_t hex4(const char *p)
{
    uint32_t value = 0;

    for (size_t i = 0; i < 4; i++) {
        int digit = digit_of(p[i], true);

        if (digit < 0)
            return UINT32_MAX;
        value = value * 16 + (uint32_t)digit;
    }
    return value;
}

/* Read the escape at the backslash text.p[0]. Returns the number of bytes read. */
static size_t read_escape(struct reader *r, struct str text)
{
    uint32_t c = text.n >= 6 && text.p[1] == 'u' ? hex4(text.p + 2) : UINT32_MAX, low;

    if (text.n < 2)
        return text.n;
    if (c == UINT32_MAX) {
        read_character(r, strchr("nrtbf", text.p[1]) ? ' ' : (unsigned char)text.p[1]);
        return 2;
    }
    low = text.n >= 12 && text.p[6] == '\\' && text.p[7] == 'u' ? hex4(text.p + 8) : 0;
    if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
        read_character(r, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
        return 12;
    }
    read_character(r, c);
    return 6;
}

static void injection_read(struct reader *r, struct str text, bool json)
{
    end_word(r);
    while (text.n) {
        size_t n = utf8_len(text.p, text.n);

        if (json && text.p[0] == '\\')
            n = read_escape(r, text);
        else
            read_character(r, n ? utf8_decode(text.p) : 0xfffd);
        text = str_skip(text, n ? n : 1);
    }
    end_word(r);
    end_run(r);
}

void injection_scan(struct str text, bool json, size_t most, struct injection *to)
{
    struct reader r = { .to = to };

    injection_read(&r, str_head(text, most), json);
}

const char *injection_names(const struct injection *i, char out[INJECTION_NAMES])
{
    size_t n = 0;

    out[0] = 0;
    for (size_t s = 0; s < INJECTION_SIGNALS; s++)
        if (i->signals >> s & 1)
            n += (size_t)snprintf(out + n, INJECTION_NAMES - n, "%s%s", n ? "+" : "",
                                  signals[s].name);
    return out;
}
