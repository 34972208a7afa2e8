/*
 * json_read.c - validate a JSON text and make its nodes, in one pass.
 *
 * The pass is a loop with two states: it expects a value, or what may follow a value. The open
 * containers are on an explicit stack, so deep nesting uses no C stack. Strings are scanned 16
 * bytes at a time; only quotes, escapes and bytes that need a UTF-8 check are handled one by one.
 */
#include "base/json_doc.h"
#include "base/json_scan.h"
#include "base/utf8.h"

#include <assert.h>

enum { FIRST_NODES = 64 };
enum want { WANT_VALUE, WANT_MORE };

struct json_reader {
    struct str text;
    const char *p, *end;
    const struct json_opts *opts;
    struct arena *mem;
    struct err *e;
    struct json_node *node;
    uint32_t count, room;
    uint32_t depth;
    uint32_t open[JSON_DEPTH_CEILING]; /* node indexes of the containers we are inside */
};

struct json_pos json_pos_of(struct str text, size_t offset)
{
    struct json_pos pos = { 1, 1 };

    for (size_t i = 0; i < offset && i < text.n; i++) {
        if (text.p[i] == '\n') {
            pos.line++;
            pos.column = 1;
        } else if (((unsigned char)text.p[i] & 0xc0) != 0x80) {
            pos.column++;
        }
    }
    return pos;
}

__attribute__((cold)) static bool bad_at(struct json_reader *r, const char *at, enum err_code code,
                                         const char *what)
{
    size_t offset = (size_t)(at - r->text.p);
    struct json_pos pos = json_pos_of(r->text, offset);

    if (r->opts->file)
        return fail(r->e, code, "%s:%u:%u: %s", r->opts->file, pos.line, pos.column, what);
    if (pos.line > 1)
        return fail(r->e, code, "line %u column %u: %s", pos.line, pos.column, what);
    return fail(r->e, code, "byte %zu: %s", offset, what);
}

__attribute__((cold)) static bool bad(struct json_reader *r, const char *what)
{
    if (r->p >= r->end)
        return bad_at(r, r->end, ERR_INVALID, "the text ends too early");
    return bad_at(r, r->p, ERR_INVALID, what);
}

__attribute__((noinline)) static bool more_nodes(struct json_reader *r)
{
    uint32_t most = r->opts->max_values, room = r->room ? r->room * 2 : FIRST_NODES;

    if (r->count >= most)
        return fail(r->e, ERR_LIMIT, "more than %u JSON values", most);
    if (room > most)
        room = most;
    r->node = arena_grow(r->mem, r->node, r->room * sizeof(*r->node), room * sizeof(*r->node));
    r->room = room;
    return true;
}

/* Append a node whose span begins at `at`; the caller completes it. NULL past the limit. */
static inline struct json_node *add(struct json_reader *r, enum json_type type, const char *at)
{
    struct json_node *n;

    if (r->count == r->room && !more_nodes(r))
        return NULL;
    n = &r->node[r->count++];
    n->at = (uint32_t)(at - r->text.p);
    n->next = r->count;
    n->type = (uint8_t)type;
    n->flags = 0;
    return n;
}

static bool skip_comment(struct json_reader *r)
{
    const char *start = r->p;

    if (r->end - r->p < 2 || (r->p[1] != '/' && r->p[1] != '*'))
        return bad(r, "expected // or /* at the start of a comment");
    if (r->p[1] == '/') {
        while (r->p < r->end && *r->p != '\n')
            r->p++;
        return true;
    }
    for (r->p += 2; r->end - r->p >= 2; r->p++) {
        if (r->p[0] == '*' && r->p[1] == '/') {
            r->p += 2;
            return true;
        }
    }
    return bad_at(r, start, ERR_INVALID, "this comment is never closed");
}

__attribute__((noinline)) static bool skip_some_space(struct json_reader *r)
{
    for (;;) {
        while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t'))
            r->p++;
        if (r->p >= r->end || *r->p != '/' || !r->opts->comments)
            return true;
        if (!skip_comment(r))
            return false;
    }
}

/* Mostly there is none: messages come without. */
static inline bool skip_space(struct json_reader *r)
{
    bool none = r->p != r->end && *r->p > ' ' && *r->p != '/';

    return none || skip_some_space(r);
}

static int hex4(const char *p, const char *end)
{
    int v = 0;

    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;

        if (digit < 0)
            return -1;
        v = v << 4 | digit;
    }
    return v;
}

static bool is_high(int unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(int unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

/*
 * The next few go over a part of a string that begins at p and return where it ends, or NULL
 * when it is wrong. They keep r->p out of the inner loop.
 */
__attribute__((cold)) static const char *bad_part(struct json_reader *r, const char *p,
                                                  const char *what)
{
    bad_at(r, p, ERR_INVALID, what);
    return NULL;
}

static const char *after_unicode_escape(struct json_reader *r, const char *p, uint8_t *flags)
{
    int unit = hex4(p + 2, r->end);

    if (unit < 0)
        return bad_part(r, p, "\\u needs four hexadecimal digits");
    p += 6;
    if (is_high(unit) && r->end - p >= 6 && p[0] == '\\' && p[1] == 'u' &&
        is_low(hex4(p + 2, r->end)))
        return p + 6;
    if (is_high(unit) || is_low(unit))
        *flags |= JSON_F_LONE;
    return p;
}

static inline bool is_short_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return true;
    default: return false;
    }
}

static const char *after_escape(struct json_reader *r, const char *p, uint8_t *flags)
{
    *flags |= JSON_F_ESCAPED;
    if (r->end - p < 2)
        return bad_part(r, r->end, "the text ends too early");
    if (is_short_escape(p[1]))
        return p + 2;
    if (p[1] == 'u')
        return after_unicode_escape(r, p, flags);
    return bad_part(r, p,
                    "unknown escape; expected \\\" \\\\ \\/ \\b \\f \\n"
                    " \\r \\t \\uXXXX");
}

/* Where one character beyond ASCII stands, more follow. */
static const char *after_characters(struct json_reader *r, const char *p)
{
    if ((unsigned char)*p < 0x20)
        return bad_part(r, p, "a control character in a string must be escaped");
    do {
        size_t len = utf8_len(p, (size_t)(r->end - p));

        if (!len)
            return bad_part(r, p, "not valid UTF-8");
        p += len;
    } while (p < r->end && (unsigned char)*p >= 0x80);
    return p;
}

#ifdef __SSE2__
/*
 * Skip a block of plain text and short escapes, which are taken from its bits, so that text
 * with many costs little more than text with few. Stops at anything else: then *stop is set.
 */
static inline const char *after_block(const char *p, unsigned odd, bool *stop)
{
    unsigned at = 0;

    for (; odd; odd &= ~(3u << at)) {
        at = (unsigned)__builtin_ctz(odd);
        if (p[at] != '\\' || !is_short_escape(p[at + 1])) {
            *stop = true;
            return p + at;
        }
    }
    return p + JSON_BLOCK + (at == JSON_BLOCK - 1);
}

/* Skip what is plain, and short escapes. */
static inline const char *after_plain(struct json_reader *r, const char *p, uint8_t *flags)
{
    bool stop = false;

    while (r->end - p > JSON_BLOCK) { /* a backslash at its end has its letter behind it */
        unsigned odd = json_odd_bits(p);

        if (!odd) {
            p += JSON_BLOCK;
            continue;
        }
        if (p[__builtin_ctz(odd)] == '\\')
            *flags |= JSON_F_ESCAPED;
        p = after_block(p, odd, &stop);
        if (stop)
            return p;
    }
    return p + json_plain_run(p, (size_t)(r->end - p));
}
#else
static inline const char *after_plain(struct json_reader *r, const char *p, uint8_t *flags)
{
    (void)flags; /* escapes are left to after_escape */
    return p + json_plain_run(p, (size_t)(r->end - p));
}
#endif

static void end_string(struct json_reader *r, const char *quote, uint8_t flags)
{
    struct json_node *n = &r->node[r->count - 1];

    n->len = (uint32_t)(quote - r->text.p) - n->at;
    n->flags = flags;
    r->p = quote + 1;
}

/* The rest of a string from p on, where the first byte stands that is not plain. */
__attribute__((noinline)) static bool read_odd_string(struct json_reader *r, const char *p)
{
    uint8_t flags = 0;

    for (;;) {
        p = after_plain(r, p, &flags);
        if (p >= r->end)
            return bad_at(r, r->p, ERR_INVALID, "this string is never closed");
        if (*p == '"')
            break;
        p = *p == '\\' ? after_escape(r, p, &flags) : after_characters(r, p);
        if (!p)
            return false;
    }
    end_string(r, p, flags);
    return true;
}

/* r->p stands on the opening quote. */
static bool read_string(struct json_reader *r)
{
    const char *p = r->p + 1;

    if (!add(r, JSON_STRING, p))
        return false;
    p += json_plain_run(p, (size_t)(r->end - p));
    if (p >= r->end || *p != '"')
        return read_odd_string(r, p);
    end_string(r, p, 0);
    return true;
}

static bool read_digits(struct json_reader *r)
{
    const char *from = r->p;

    while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
        r->p++;
    return r->p > from || bad(r, "expected a digit");
}

static bool read_number(struct json_reader *r)
{
    struct json_node *n = add(r, JSON_NUMBER, r->p);

    if (!n)
        return false;
    if (*r->p == '-')
        r->p++;
    if (r->p < r->end && *r->p == '0') {
        r->p++;
        if (r->p < r->end && *r->p >= '0' && *r->p <= '9')
            return bad(r, "a number must not begin with 0");
    } else if (!read_digits(r)) {
        return false;
    }
    if (r->p < r->end && *r->p == '.') {
        r->p++;
        if (!read_digits(r))
            return false;
    }
    if (r->p < r->end && (*r->p | 0x20) == 'e') {
        r->p++;
        if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
            r->p++;
        if (!read_digits(r))
            return false;
    }
    n->len = (uint32_t)(r->p - r->text.p) - n->at;
    return true;
}

static bool read_word(struct json_reader *r, struct str word, enum json_type type, uint8_t flags)
{
    struct json_node *n = add(r, type, r->p);

    if (!n)
        return false;
    if ((size_t)(r->end - r->p) < word.n || memcmp(r->p, word.p, word.n) != 0)
        return bad_at(r, r->p, ERR_INVALID, "expected a JSON value");
    n->len = (uint32_t)word.n;
    n->flags = flags;
    r->p += word.n;
    return true;
}

static bool open_container(struct json_reader *r, enum json_type type)
{
    if (r->depth >= r->opts->max_depth)
        return bad_at(r, r->p, ERR_LIMIT, "nested too deeply");
    r->open[r->depth++] = r->count;
    if (!add(r, type, r->p))
        return false;
    r->p++;
    return true;
}

/* r->p stands on the closing bracket. */
static void close_container(struct json_reader *r)
{
    struct json_node *n = &r->node[r->open[--r->depth]];

    r->p++;
    n->len = (uint32_t)(r->p - r->text.p) - n->at;
    n->next = r->count;
}

static bool read_key(struct json_reader *r)
{
    if (!skip_space(r))
        return false;
    if (r->p >= r->end || *r->p != '"')
        return bad(r, "expected a key in quotes");
    if (!read_string(r) || !skip_space(r))
        return false;
    if (r->p >= r->end || *r->p != ':')
        return bad(r, "expected ':' after the key");
    r->p++;
    return true;
}

/* Where a closing bracket or an item may stand: behind an opening one, or a last comma. */
static bool close_or_item(struct json_reader *r, bool object, enum want *want)
{
    if (!skip_space(r))
        return false;
    *want = WANT_MORE;
    if (r->p < r->end && *r->p == (object ? '}' : ']')) {
        close_container(r);
        return true;
    }
    *want = WANT_VALUE;
    return !object || read_key(r);
}

static bool read_value(struct json_reader *r, enum want *want)
{
    if (r->p >= r->end)
        return bad(r, "expected a JSON value");
    *want = WANT_MORE;
    switch (*r->p) {
    case '"': return read_string(r);
    case '{': return open_container(r, JSON_OBJECT) && close_or_item(r, true, want);
    case '[': return open_container(r, JSON_ARRAY) && close_or_item(r, false, want);
    case 't': return read_word(r, STR("true"), JSON_BOOL, JSON_F_TRUE);
    case 'f': return read_word(r, STR("false"), JSON_BOOL, 0);
    case 'n': return read_word(r, STR("null"), JSON_NULL, 0);
    case '-':
    case '0' ... '9': return read_number(r);
    default: return bad(r, "expected a JSON value");
    }
}

/* A value ended inside a container: a comma or the closing bracket must follow. */
static bool read_more(struct json_reader *r, enum want *want)
{
    bool object = r->node[r->open[r->depth - 1]].type == JSON_OBJECT;

    if (r->p < r->end && *r->p == ',') {
        r->p++;
        if (r->opts->comments)
            return close_or_item(r, object, want);
        *want = WANT_VALUE;
        return !object || read_key(r);
    }
    if (r->p >= r->end || *r->p != (object ? '}' : ']'))
        return bad(r, object ? "expected ',' or '}'" : "expected ',' or ']'");
    close_container(r);
    return true;
}

static bool read_all(struct json_reader *r)
{
    enum want want = WANT_VALUE;

    do {
        if (!skip_space(r))
            return false;
        if (!(want == WANT_VALUE ? read_value(r, &want) : read_more(r, &want)))
            return false;
    } while (want == WANT_VALUE || r->depth);
    if (!skip_space(r))
        return false;
    return r->p == r->end || bad(r, "more text after the JSON value");
}

bool json_read(struct arena *mem, struct str text, const struct json_opts *opts,
               struct json *out_root, struct err *e)
{
    struct json_reader r;
    struct json_doc *doc;

    assert(opts->max_depth <= JSON_DEPTH_CEILING);
    if (!text.n)
        text = STR("");
    r.text = text;
    r.p = text.p;
    r.end = text.p + text.n;
    r.opts = opts;
    r.mem = mem;
    r.e = e;
    r.node = NULL;
    r.count = r.room = r.depth = 0;
    if (text.n > UINT32_MAX)
        return fail(e, ERR_LIMIT, "JSON text of %zu bytes is too large", text.n);
    if (!read_all(&r))
        return false;
    doc = arena_alloc(mem, sizeof(*doc));
    *doc = (struct json_doc){
        .text = text.p, .text_len = text.n, .node = r.node, .count = r.count, .file = opts->file
    };
    *out_root = (struct json){ doc, 0 };
    return true;
}
