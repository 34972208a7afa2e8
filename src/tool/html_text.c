#include "tool/html_text.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <stdio.h>

enum { TITLE_MOST = 1000, HREF_MOST = 2000, ENTITY_MOST = 12 };

struct page {
    struct str rest; /* what has not been read */
    struct buf text, title;
    struct buf *out;   /* one of these */
    int lines;         /* line ends to come before the next character: 0, 1 or 2 */
    bool space;        /* a space is to come before it */
    int pre;           /* depth of <pre> */
    struct str link;   /* target of the link we are in; STR_NONE: none */
    size_t link_began; /* where its text begins in out */
};

/* ---- characters -------------------------------------------------------------------------- */

static void put_pending(struct page *p)
{
    if (p->out->n && p->lines)
        buf_put(p->out, p->lines > 1 ? STR("\n\n") : STR("\n"));
    else if (p->out->n && p->space && p->out->p[p->out->n - 1] != '\n')
        buf_putc(p->out, ' ');
    p->lines = 0;
    p->space = false;
}

static void put_bytes(struct page *p, struct str s)
{
    put_pending(p);
    buf_put(p->out, s);
}

static void want_lines(struct page *p, int lines)
{
    if (p->lines < lines)
        p->lines = lines;
    p->space = false;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static const struct {
    const char *name, *text;
} entities[] = {
    { "amp", "&" },         { "lt", "<" },         { "gt", ">" },          { "quot", "\"" },
    { "apos", "'" },        { "nbsp", " " },       { "copy", "\u00a9" },   { "reg", "\u00ae" },
    { "mdash", "\u2014" },  { "ndash", "\u2013" }, { "hellip", "\u2026" }, { "lsquo", "\u2018" },
    { "rsquo", "\u2019" },  { "ldquo", "\u201c" }, { "rdquo", "\u201d" },  { "laquo", "\u00ab" },
    { "raquo", "\u00bb" },  { "bull", "\u2022" },  { "middot", "\u00b7" }, { "times", "\u00d7" },
    { "euro", "\u20ac" },   { "trade", "\u2122" }, { "rarr", "\u2192" },   { "larr", "\u2190" },
    { "auml", "\u00e4" },   { "ouml", "\u00f6" },  { "uuml", "\u00fc" },   { "Auml", "\u00c4" },
    { "Ouml", "\u00d6" },   { "Uuml", "\u00dc" },  { "szlig", "\u00df" },  { "eacute", "\u00e9" },
    { "egrave", "\u00e8" },
};

/* "#233" or "#xe9" as UTF-8. */
static size_t numeric(struct str digits, char out[4])
{
    bool hex = digits.n > 1 && (digits.p[1] == 'x' || digits.p[1] == 'X');
    uint32_t cp = 0;

    for (size_t i = hex ? 2 : 1; i < digits.n; i++) {
        char c = digits.p[i];
        int d = c >= '0' && c <= '9' ? c - '0'
                : hex ? ((c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1)
                      : -1;

        if (d < 0 || cp > 0x10ffff)
            return 0;
        cp = cp * (hex ? 16 : 10) + (uint32_t)d;
    }
    if (!cp || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
        return 0;
    return utf8_encode(cp, out);
}

/* The entity at the start of s, "&" included: what it means; *used is 0 when it is none. */
static struct str entity(struct str s, char room[4], size_t *used)
{
    ptrdiff_t end = str_find_byte(str_head(s, ENTITY_MOST), ';');
    struct str name;

    *used = 0;
    if (end < 2)
        return STR_NONE;
    name = (struct str){ s.p + 1, (size_t)end - 1 };
    *used = (size_t)end + 1;
    if (name.p[0] == '#') {
        size_t n = numeric(name, room);

        *used = n ? *used : 0;
        return (struct str){ room, n };
    }
    for (size_t i = 0; i < ARRAY_LEN(entities); i++)
        if (str_eq(name, str_of(entities[i].name)))
            return str_of(entities[i].text);
    *used = 0;
    return STR_NONE;
}

/* One character of text. */
static void take_char(struct page *p)
{
    char c = p->rest.p[0], room[4];
    size_t used = 0;

    if (c == '&') {
        struct str means = entity(p->rest, room, &used);

        if (used && str_eq(means, STR(" ")))
            p->space = true;
        else if (used)
            put_bytes(p, means);
    }
    if (!used) {
        used = 1;
        if (is_space(c) && p->pre && c != '\r')
            put_bytes(p, str_head(p->rest, 1));
        else if (is_space(c))
            p->space = true;
        else
            put_bytes(p, str_head(p->rest, 1));
    }
    p->rest = str_skip(p->rest, used);
}

/* ---- tags -------------------------------------------------------------------------------- */

struct tag {
    struct str name, attributes;
    bool closes;
};

/* The end of the tag that begins at s, quotes heeded; s.n: it never ends. */
static size_t tag_end(struct str s)
{
    char quote = 0;

    for (size_t i = 1; i < s.n; i++) {
        if (quote) {
            quote = s.p[i] == quote ? 0 : quote;
        } else if ((s.p[i] == '"' || s.p[i] == '\'') && i && s.p[i - 1] == '=') {
            quote = s.p[i];
        } else if (s.p[i] == '>') {
            return i;
        }
    }
    return s.n;
}

static bool is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Is a tag at the start? Then it is taken off p->rest. */
static bool take_tag(struct page *p, struct tag *t)
{
    struct str s = p->rest;
    size_t at = 1, end;

    t->closes = s.n > 1 && s.p[1] == '/';
    at += t->closes;
    if (at >= s.n || !is_letter(s.p[at]))
        return false;
    end = tag_end(s);
    t->name = (struct str){ s.p + at, 0 };
    while (at + t->name.n < end && !is_space(t->name.p[t->name.n]) && t->name.p[t->name.n] != '/')
        t->name.n++;
    at += t->name.n;
    t->attributes = (struct str){ s.p + at, end - at };
    p->rest = str_skip(s, end < s.n ? end + 1 : end);
    return true;
}

static bool named(const struct tag *t, const char *name)
{
    return str_eq_nocase(t->name, str_of(name));
}

/* The value of an attribute, as it stands there; STR_NONE when absent. */
static struct str attribute(const struct tag *t, const char *name)
{
    struct str s = t->attributes;

    while (s.n) {
        struct str key, value = STR("");
        size_t n = 0;

        s = str_trim(s);
        while (n < s.n && s.p[n] != '=' && !is_space(s.p[n]))
            n++;
        key = str_head(s, n);
        s = str_skip(s, n);
        if (s.n && s.p[0] == '=') {
            char quote = s.n > 1 && (s.p[1] == '"' || s.p[1] == '\'') ? s.p[1] : 0;

            s = str_skip(s, quote ? 2 : 1);
            for (n = 0; n < s.n && (quote ? s.p[n] != quote : !is_space(s.p[n]));)
                n++;
            value = str_head(s, n);
            s = str_skip(s, n + (quote && n < s.n));
        }
        if (str_eq_nocase(key, str_of(name)))
            return value;
        if (!key.n && s.n)
            s = str_skip(s, 1);
    }
    return STR_NONE;
}

/* Text whose entities are decoded; other bytes as they are. */
static void put_decoded(struct page *p, struct str s)
{
    struct str was = p->rest;

    p->rest = s;
    while (p->rest.n)
        take_char(p);
    p->rest = was;
}

/* Of a link only a target that leads somewhere is told, and only behind some text. */
static void end_link(struct page *p)
{
    struct str to = p->link;

    p->link = STR_NONE;
    if (!to.n || to.n > HREF_MOST || to.p[0] == '#' || p->out->n <= p->link_began ||
        str_eq_nocase(str_head(to, 11), STR("javascript:")))
        return;
    if (str_eq((struct str){ p->out->p + p->link_began, p->out->n - p->link_began }, to))
        return;
    p->space = true;
    put_bytes(p, STR("("));
    put_decoded(p, to);
    p->space = false;
    put_bytes(p, STR(")"));
}

static void on_link(struct page *p, const struct tag *t)
{
    if (p->link.p)
        end_link(p);
    if (t->closes)
        return;
    p->link = attribute(t, "href");
    p->link_began = p->out->n;
}

static void on_image(struct page *p, const struct tag *t)
{
    struct str alt = attribute(t, "alt");

    if (!alt.n)
        return;
    put_bytes(p, STR("["));
    put_decoded(p, alt);
    p->space = false;
    put_bytes(p, STR("]"));
}

/* Everything up to the end tag of this one is no text. */
static void skip_element(struct page *p, struct str name)
{
    while (p->rest.n) {
        ptrdiff_t at = str_find(p->rest, STR("</"));

        p->rest = str_skip(p->rest, at < 0 ? p->rest.n : (size_t)at + 2);
        if (str_eq_nocase(str_head(p->rest, name.n), name)) {
            ptrdiff_t end = str_find_byte(p->rest, '>');

            p->rest = str_skip(p->rest, end < 0 ? p->rest.n : (size_t)end + 1);
            return;
        }
    }
}

static void on_title(struct page *p, const struct tag *t)
{
    p->out = t->closes || p->title.n ? &p->text : &p->title;
    p->lines = 0;
    p->space = false;
}

enum shape { SHAPE_LINE, SHAPE_BLOCK, SHAPE_HEADING, SHAPE_ITEM, SHAPE_CELL, SHAPE_SKIP };

static const struct {
    const char *name;
    enum shape shape;
} shapes[] = {
    { "br", SHAPE_LINE },          { "tr", SHAPE_LINE },       { "dt", SHAPE_LINE },
    { "dd", SHAPE_LINE },          { "div", SHAPE_LINE },      { "option", SHAPE_LINE },
    { "p", SHAPE_BLOCK },          { "ul", SHAPE_BLOCK },      { "ol", SHAPE_BLOCK },
    { "dl", SHAPE_BLOCK },         { "table", SHAPE_BLOCK },   { "section", SHAPE_BLOCK },
    { "article", SHAPE_BLOCK },    { "header", SHAPE_BLOCK },  { "footer", SHAPE_BLOCK },
    { "nav", SHAPE_BLOCK },        { "main", SHAPE_BLOCK },    { "aside", SHAPE_BLOCK },
    { "blockquote", SHAPE_BLOCK }, { "pre", SHAPE_BLOCK },     { "hr", SHAPE_BLOCK },
    { "form", SHAPE_BLOCK },       { "figure", SHAPE_BLOCK },  { "h1", SHAPE_HEADING },
    { "h2", SHAPE_HEADING },       { "h3", SHAPE_HEADING },    { "h4", SHAPE_HEADING },
    { "h5", SHAPE_HEADING },       { "h6", SHAPE_HEADING },    { "li", SHAPE_ITEM },
    { "td", SHAPE_CELL },          { "th", SHAPE_CELL },       { "script", SHAPE_SKIP },
    { "style", SHAPE_SKIP },       { "template", SHAPE_SKIP }, { "svg", SHAPE_SKIP },
    { "noscript", SHAPE_SKIP },    { "iframe", SHAPE_SKIP },   { "textarea", SHAPE_SKIP },
};

static void on_shape(struct page *p, const struct tag *t, enum shape shape)
{
    switch (shape) {
    case SHAPE_LINE: want_lines(p, 1); break;
    case SHAPE_BLOCK: want_lines(p, 2); break;
    case SHAPE_HEADING:
        want_lines(p, 2);
        if (!t->closes) {
            put_bytes(p, str_head(STR("######"), (size_t)(t->name.p[1] - '0')));
            p->space = true;
        }
        break;
    case SHAPE_ITEM:
        want_lines(p, 1);
        if (!t->closes) {
            put_bytes(p, STR("-"));
            p->space = true;
        }
        break;
    case SHAPE_CELL:
        if (t->closes)
            put_bytes(p, STR(" |"));
        p->space = true;
        break;
    case SHAPE_SKIP:
        if (!t->closes)
            skip_element(p, t->name);
        break;
    }
}

static void on_tag(struct page *p, const struct tag *t)
{
    if (named(t, "title"))
        on_title(p, t);
    if (named(t, "a"))
        on_link(p, t);
    else if (named(t, "img"))
        on_image(p, t);
    if (named(t, "pre"))
        p->pre = !t->closes;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        if (named(t, shapes[i].name))
            on_shape(p, t, shapes[i].shape);
}

/* ---- the page ---------------------------------------------------------------------------- */

/* Comments, declarations, processing instructions. True: one was passed over. */
static bool skip_markup(struct page *p)
{
    bool comment = str_starts(p->rest, STR("<!--"));
    ptrdiff_t end;

    if (!comment && !str_starts(p->rest, STR("<!")) && !str_starts(p->rest, STR("<?")))
        return false;
    end = comment ? str_find(p->rest, STR("-->")) : str_find_byte(p->rest, '>');
    p->rest = str_skip(p->rest, end < 0 ? p->rest.n : (size_t)end + (comment ? 3 : 1));
    return true;
}

struct html_text html_to_text(struct arena *mem, struct str html, size_t most)
{
    struct page p = { .rest = html };
    struct tag tag;

    buf_init_in(&p.text, mem, most);
    buf_init_in(&p.title, mem, TITLE_MOST);
    p.out = &p.text;
    if (str_starts(p.rest, STR("\xef\xbb\xbf")))
        p.rest = str_skip(p.rest, 3);
    while (p.rest.n && !p.text.full) {
        if (p.rest.p[0] == '<' && skip_markup(&p))
            continue;
        if (p.rest.p[0] == '<' && take_tag(&p, &tag))
            on_tag(&p, &tag);
        else
            take_char(&p);
    }
    return (struct html_text){
        .title = p.title.n ? buf_str(&p.title) : STR(""),
        .text = p.text.n ? buf_str(&p.text) : STR(""),
    };
}
