#include "term/line_text.h"

#include "base/utf8.h"
#include "term/char_width.h"

static size_t next_code(struct str text, size_t at)
{
    return at + utf8_len(text.p + at, text.n - at);
}

static size_t code_before(struct str text, size_t at)
{
    do
        at--;
    while (((unsigned char)text.p[at] & 0xc0) == 0x80);
    return at;
}

static bool joins(struct str text, size_t at)
{
    return at < text.n && char_width(utf8_decode(text.p + at)) == 0;
}

size_t text_next(struct str text, size_t at)
{
    if (at == text.n)
        return at;
    at = next_code(text, at);
    while (joins(text, at))
        at = next_code(text, at);
    return at;
}

size_t text_before(struct str text, size_t at)
{
    if (!at)
        return 0;
    at = code_before(text, at);
    while (at && joins(text, at))
        at = code_before(text, at);
    return at;
}

/* Letters and digits of any script; of ASCII no punctuation. */
static bool in_word(struct str text, size_t at)
{
    unsigned char c = (unsigned char)text.p[at];

    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '_';
}

size_t text_word_next(struct str text, size_t at)
{
    while (at < text.n && !in_word(text, at))
        at++;
    while (at < text.n && in_word(text, at))
        at++;
    return at;
}

size_t text_word_before(struct str text, size_t at)
{
    while (at && !in_word(text, at - 1))
        at--;
    while (at && in_word(text, at - 1))
        at--;
    return at;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

size_t text_blank_before(struct str text, size_t at)
{
    while (at && is_blank(text.p[at - 1]))
        at--;
    while (at && !is_blank(text.p[at - 1]))
        at--;
    return at;
}

size_t text_line_start(struct str text, size_t at)
{
    while (at && text.p[at - 1] != '\n')
        at--;
    return at;
}

size_t text_line_end(struct str text, size_t at)
{
    while (at < text.n && text.p[at] != '\n')
        at++;
    return at;
}

size_t text_same_column(struct str text, size_t at, size_t to)
{
    for (size_t i = text_line_start(text, at); i < at && to < text.n && text.p[to] != '\n';) {
        i = text_next(text, i);
        to = text_next(text, to);
    }
    return to;
}
