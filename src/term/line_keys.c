/*
 * line_keys.c - the tables of keys, and the reader.
 *
 *   PLAIN      between keys
 *   CHARACTER  inside a UTF-8 character, whose rest has not arrived
 *   ESCAPE     after an escape; `seq` has the bytes after it
 *
 * A byte that cannot continue the character or sequence ends it, and is then handled as in PLAIN.
 */
#include "term/line_keys.h"

#include "base/utf8.h"

enum { ESC = 0x1b, DEL = 0x7f };

#define UNKNOWN "\xef\xbf\xbd" /* U+FFFD */
#define PASTE_BEGINS "[200~"
#define PASTE_ENDS "[201~"

static const enum key controls[0x20] = {
    [0x01] = KEY_HOME,       [0x02] = KEY_LEFT,      [0x03] = KEY_INTERRUPT, [0x04] = KEY_EOF,
    [0x05] = KEY_END,        [0x06] = KEY_RIGHT,     [0x07] = KEY_ABORT,     [0x08] = KEY_BACKSPACE,
    [0x09] = KEY_TAB,        [0x0a] = KEY_ENTER,     [0x0b] = KEY_KILL_END,  [0x0c] = KEY_REDRAW,
    [0x0d] = KEY_ENTER,      [0x0e] = KEY_DOWN,      [0x10] = KEY_UP,        [0x12] = KEY_SEARCH,
    [0x15] = KEY_KILL_START, [0x17] = KEY_KILL_WORD, [0x19] = KEY_YANK,      [0x1a] = KEY_SUSPEND,
};

/* What follows an escape. Of what terminals call the same key, all that are in use. */
static const struct {
    const char *seq;
    enum key key;
} sequences[] = {
    { "[A", KEY_UP },
    { "OA", KEY_UP },
    { "[B", KEY_DOWN },
    { "OB", KEY_DOWN },
    { "[C", KEY_RIGHT },
    { "OC", KEY_RIGHT },
    { "[D", KEY_LEFT },
    { "OD", KEY_LEFT },
    { "[H", KEY_HOME },
    { "OH", KEY_HOME },
    { "[1~", KEY_HOME },
    { "[7~", KEY_HOME },
    { "[F", KEY_END },
    { "OF", KEY_END },
    { "[4~", KEY_END },
    { "[8~", KEY_END },
    { "[3~", KEY_DELETE },
    { "[1;5C", KEY_WORD_RIGHT }, /* with control */
    { "[1;5D", KEY_WORD_LEFT },
    { "[1;3C", KEY_WORD_RIGHT }, /* with alt */
    { "[1;3D", KEY_WORD_LEFT },
    { "[13;2u", KEY_NEWLINE }, /* shift-enter where it is told apart */
    { "[27;2;13~", KEY_NEWLINE },
    { "b", KEY_WORD_LEFT },
    { "f", KEY_WORD_RIGHT },
    { "d", KEY_KILL_AHEAD },
    { "\r", KEY_NEWLINE },
    { "\n", KEY_NEWLINE },
    { "\x7f", KEY_KILL_BACK },
    { "\x08", KEY_KILL_BACK },
};

static struct str line_keys_take(struct str *bytes, size_t n)
{
    struct str head = str_head(*bytes, n);

    *bytes = str_skip(*bytes, head.n);
    return head;
}

static bool is_control(unsigned char c)
{
    return c < 0x20 || c == DEL;
}

/* ---- characters ---------------------------------------------------------------------------- */

/* How many bytes a character has that begins so; 1 when none does. */
static size_t expected(unsigned char lead)
{
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
}

/* The longest run of whole characters that are no controls. */
static size_t run_length(struct str s)
{
    size_t at = 0;

    while (at < s.n && !is_control((unsigned char)s.p[at])) {
        size_t n = utf8_len(s.p + at, s.n - at);

        if (!n)
            break;
        at += n;
    }
    return at;
}

static enum key begin_character(struct key_reader *r, struct str *bytes, struct str *text)
{
    r->after_cr = false;
    r->seq[0] = line_keys_take(bytes, 1).p[0];
    r->n = 1;
    if (expected((unsigned char)r->seq[0]) > 1) {
        r->state = KEYS_CHARACTER;
        return KEY_NONE;
    }
    *text = STR(UNKNOWN);
    return KEY_TEXT;
}

/* One byte more of a character, or the end of it. */
static enum key in_character(struct key_reader *r, struct str *bytes, struct str *text)
{
    size_t want = expected((unsigned char)r->seq[0]);
    bool goes_on = r->n < want && ((unsigned char)bytes->p[0] & 0xc0) == 0x80;

    if (goes_on)
        r->seq[r->n++] = line_keys_take(bytes, 1).p[0];
    if (goes_on && r->n < want)
        return KEY_NONE;
    r->state = KEYS_PLAIN;
    *text = utf8_len(r->seq, r->n) == r->n ? (struct str){ r->seq, r->n } : STR(UNKNOWN);
    return KEY_TEXT;
}

/* ---- sequences ----------------------------------------------------------------------------- */

static struct str seq_of(const struct key_reader *r)
{
    return (struct str){ r->seq, r->n };
}

static enum key begin_escape(struct key_reader *r)
{
    r->state = KEYS_ESCAPE;
    r->n = 0;
    return KEY_NONE;
}

/* Is the sequence complete? "[[" begins the function keys of the Linux console. */
static bool seq_ended(const struct key_reader *r)
{
    unsigned char last = (unsigned char)r->seq[r->n - 1];
    bool introduced = r->seq[0] == '[' || r->seq[0] == 'O';

    if (!introduced)
        return true;
    if (r->n == 1 || (r->n == 2 && last == '['))
        return false;
    return last >= 0x40;
}

static enum key seq_key(struct key_reader *r)
{
    if (str_eq(seq_of(r), STR(PASTE_BEGINS))) {
        r->pasting = true;
        r->after_cr = false;
        return KEY_NONE;
    }
    for (size_t i = 0; i < ARRAY_LEN(sequences); i++)
        if (str_eq(seq_of(r), str_of(sequences[i].seq)))
            return sequences[i].key;
    return KEY_NONE;
}

static enum key in_escape(struct key_reader *r, struct str *bytes)
{
    unsigned char c = (unsigned char)bytes->p[0];
    bool fits = c < 0x80 && c != ESC && (!is_control(c) || !r->n);

    if (!fits) {
        r->state = KEYS_PLAIN;
        return KEY_NONE;
    }
    if (r->n == KEY_SEQ) /* longer than any we know: only its end matters */
        r->n--;
    r->seq[r->n++] = line_keys_take(bytes, 1).p[0];
    if (!seq_ended(r))
        return KEY_NONE;
    r->state = KEYS_PLAIN;
    return seq_key(r);
}

/* ---- a paste ------------------------------------------------------------------------------- */

/* What looked like the end of a paste and is none, as text. */
static enum key not_the_end(struct key_reader *r, struct str *text)
{
    size_t mark = sizeof(UNKNOWN) - 1;

    memcpy(r->own, UNKNOWN, mark);
    memcpy(r->own + mark, r->seq, r->n);
    *text = (struct str){ r->own, mark + r->n };
    r->state = KEYS_PLAIN;
    return KEY_TEXT;
}

static enum key in_paste_escape(struct key_reader *r, struct str *bytes, struct str *text)
{
    struct str end = STR(PASTE_ENDS);

    if (bytes->p[0] != end.p[r->n])
        return not_the_end(r, text);
    r->seq[r->n++] = line_keys_take(bytes, 1).p[0];
    if (r->n < end.n)
        return KEY_NONE;
    r->state = KEYS_PLAIN;
    r->pasting = false;
    return KEY_NONE;
}

static enum key paste_control(struct key_reader *r, char c, struct str *text)
{
    bool pair = c == '\n' && r->after_cr;

    r->after_cr = c == '\r';
    if (pair)
        return KEY_NONE;
    if (c == '\r' || c == '\n')
        return KEY_NEWLINE;
    if (c == ESC)
        return begin_escape(r);
    *text = c == '\t' ? STR("\t") : STR(UNKNOWN);
    return KEY_TEXT;
}

/* ---- reading ------------------------------------------------------------------------------- */

static enum key plain(struct key_reader *r, struct str *bytes, struct str *text)
{
    size_t run = run_length(*bytes);
    unsigned char c = (unsigned char)bytes->p[0];

    if (run) {
        r->after_cr = false;
        *text = line_keys_take(bytes, run);
        return KEY_TEXT;
    }
    if (!is_control(c))
        return begin_character(r, bytes, text);
    line_keys_take(bytes, 1);
    if (r->pasting)
        return paste_control(r, (char)c, text);
    if (c == ESC)
        return begin_escape(r);
    return c == DEL ? KEY_BACKSPACE : controls[c];
}

static enum key line_keys_step(struct key_reader *r, struct str *bytes, struct str *text)
{
    switch (r->state) {
    case KEYS_PLAIN: return plain(r, bytes, text);
    case KEYS_CHARACTER: return in_character(r, bytes, text);
    case KEYS_ESCAPE: return r->pasting ? in_paste_escape(r, bytes, text) : in_escape(r, bytes);
    }
    return KEY_NONE;
}

enum key key_next(struct key_reader *r, struct str *bytes, struct str *text)
{
    while (bytes->n) {
        enum key k = line_keys_step(r, bytes, text);

        if (k != KEY_NONE)
            return k;
    }
    return KEY_NONE;
}
