/*
 * html_text.c - the tree of libgumbo, walked without recursion.
 *
 * libgumbo has no limits of its own: it copies unclosed formatting tags into every paragraph that
 * follows, and many of its steps search all open elements. It cannot handle a failed allocation.
 * So parsing is bounded in these steps:
 *   - The allocator sets stop_on_first_error when the limit of time or memory is reached. libgumbo
 *     reads this flag after every token. PROLOGUE contains an error, so that the flag takes effect.
 *   - A long text has no allocations, so feed_copy inserts end tags that have no effect (PULSE).
 *   - A <template> is passed on under another name (template_name).
 *   - libgumbo compares all attributes of a tag with each other, so a tag with more than
 *     ATTRIBUTES_MOST is not passed on as a tag.
 * At worst one more token is handled after the limit.
 */
#include "tool/html_text.h"

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "tool/gumbo_api.h"

#include <strings.h>

enum {
    TITLE_MOST = 1000,
    HREF_MOST = 2000,
    TREE_PER_BYTE = 32,    /* bytes of tree per byte of the page */
    TREE_MIN = 4 << 20,    /* and for a small page */
    ATTRIBUTES_MOST = 100, /* of a tag */
    TAGS_PER_BYTE = 16,    /* bytes that is_huge_tag reads per byte of the page */
    PULSE_WANTED = 2048,   /* a text of this length gets a PULSE at the next space */
    PULSE_REQUIRED = 4096, /* or anywhere */
};

#define PROLOGUE STR("<!DOCTYPE html></wbr>")
#define PULSE STR("</wbr>")

/* ---- parsing ----------------------------------------------------------------------------- */

struct parse {
    struct arena tree;
    size_t left;      /* bytes that the tree may still take */
    size_t tags_left; /* bytes that is_huge_tag may still read */
    int64_t deadline;
    struct buf feed; /* what libgumbo reads */
    GumboOptions options;
    bool stopped;
};

static void *parse_alloc(void *userdata, size_t n)
{
    struct parse *p = userdata;

    if (!p->stopped && (n > p->left || clock_mono_ms() >= p->deadline))
        p->stopped = p->options.stop_on_first_error = true;
    p->left -= n < p->left ? n : p->left;
    return arena_alloc(&p->tree, n);
}

static void parse_free(void *userdata, void *ptr)
{
    (void)userdata, (void)ptr;
}

static bool is_html_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* The number of bytes before the first space, '>' or byte of `ends`. */
static size_t word_length(struct str s, const char *ends)
{
    size_t i = 0;

    while (i < s.n && !is_html_space(s.p[i]) && s.p[i] != '>' && !strchr(ends, s.p[i]))
        i++;
    return i;
}

static struct str skip_html_space(struct str s)
{
    while (s.n && is_html_space(s.p[0]))
        s = str_skip(s, 1);
    return s;
}

/* Drop an attribute, or the name of the tag, from the start of a tag. */
static struct str skip_attribute(struct str s)
{
    s = skip_html_space(str_skip(s, word_length(s, "/=")));
    if (s.n && s.p[0] == '/')
        return str_skip(s, 1);
    if (!s.n || s.p[0] != '=')
        return s;
    s = skip_html_space(str_skip(s, 1));
    if (s.n && (s.p[0] == '"' || s.p[0] == '\'')) {
        ptrdiff_t end = str_find_byte(str_skip(s, 1), s.p[0]);

        return str_skip(s, end < 0 ? s.n : (size_t)end + 2);
    }
    return str_skip(s, word_length(s, ""));
}

/*
 * Does a tag with too many attributes begin here? Comments and scripts may contain such a "tag",
 * too; it does no harm to change it there. Hostile pages make this search long: when the bytes in
 * tags_left are used up, every tag counts as one.
 */
static bool is_huge_tag(struct parse *p, struct str s)
{
    struct str rest = s;
    size_t n = 0, used;

    if (s.n < 2 || s.p[1] == '!' || s.p[1] == '?')
        return false;
    while (p->tags_left && rest.n && rest.p[0] != '>' && n <= ATTRIBUTES_MOST) {
        rest = skip_attribute(rest);
        n++;
    }
    used = s.n - rest.n;
    p->tags_left -= used < p->tags_left ? used : p->tags_left;
    return !p->tags_left || n > ATTRIBUTES_MOST;
}

/*
 * libgumbo 0.10 loses count of the open elements if a <template> is closed inside a table, and then
 * aborts the process. So this element gets a name that libgumbo does not know. Returns the position
 * of the name in the tag at the start of `s`; 0: it is another tag.
 */
static size_t template_name(struct str s)
{
    const struct str name = STR("template");
    size_t at = s.n > 1 && s.p[1] == '/' ? 2 : 1;
    struct str rest = s.n > at ? str_skip(s, at) : STR_NONE;

    if (rest.n < name.n || strncasecmp(rest.p, name.p, name.n) != 0)
        return 0;
    rest = str_skip(rest, name.n);
    return !rest.n || is_html_space(rest.p[0]) || rest.p[0] == '/' || rest.p[0] == '>' ? at : 0;
}

/* Would a PULSE before this byte split a character? */
static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static void feed_copy(struct parse *p, struct str html)
{
    size_t run = 0, renamed = SIZE_MAX;

    p->tags_left = TAGS_PER_BYTE * (html.n + 1000);
    buf_init_in(&p->feed, &p->tree, 2 * html.n + 100);
    buf_put(&p->feed, PROLOGUE);
    for (size_t i = 0; i < html.n; i++, run++) {
        char c = html.p[i];

        if (c == '<' && is_huge_tag(p, str_skip(html, i)))
            c = ' ';
        if (c == '<' && template_name(str_skip(html, i)))
            renamed = i + template_name(str_skip(html, i));
        if (i == renamed)
            c = 'x';
        if (c == '<')
            run = 0;
        if ((run >= PULSE_WANTED && c == ' ') ||
            (run >= PULSE_REQUIRED && !is_inside_character(c))) {
            buf_put(&p->feed, PULSE);
            run = 0;
        }
        buf_putc(&p->feed, c);
    }
}

static const GumboNode *parse_page(struct parse *p, const struct gumbo_api *api, struct str html)
{
    feed_copy(p, html);
    p->left = TREE_MIN + TREE_PER_BYTE * html.n;
    p->deadline = clock_mono_ms() + HTML_PARSE_MS;
    p->options = (GumboOptions){
        .allocator = parse_alloc,
        .deallocator = parse_free,
        .userdata = p,
        .tab_stop = 8,
        .max_errors = 1,
        .fragment_context = GUMBO_TAG_LAST,
        .fragment_namespace = GUMBO_NAMESPACE_HTML,
    };
    return api->parse(&p->options, p->feed.p, p->feed.n)->document;
}

/* ---- characters -------------------------------------------------------------------------- */

struct page {
    const struct gumbo_api *api;
    struct buf text, title;
    struct buf *out;   /* one of these */
    int lines;         /* line ends to write before the next character: 0, 1 or 2 */
    bool space;        /* write a space before it */
    int pre;           /* depth of <pre> */
    size_t link_began; /* where the text of the current link begins in out */
};

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

/* Spaces are merged, except in <pre>. A no-break space is a space, too. */
static void put_text(struct page *p, struct str s)
{
    static const struct str no_break = STR("\u00a0");

    while (s.n) {
        size_t n = str_starts(s, no_break) ? no_break.n : 1;

        if (n > 1 || (is_html_space(s.p[0]) && !p->pre))
            p->space = true;
        else
            put_bytes(p, str_head(s, 1));
        s = str_skip(s, n);
    }
}

/* ---- elements ---------------------------------------------------------------------------- */

/* STR_NONE when absent. */
static struct str attribute(const struct page *p, const GumboNode *n, const char *name)
{
    const GumboAttribute *a = p->api->attribute(&n->v.element.attributes, name);

    return a ? str_of(a->value) : STR_NONE;
}

/* The target of a link is shown if it leads to another page, and only after a text. */
static void end_link(struct page *p, const GumboNode *n)
{
    struct str to = attribute(p, n, "href");

    if (!to.n || to.n > HREF_MOST || to.p[0] == '#' || p->out->n <= p->link_began ||
        str_eq_nocase(str_head(to, 11), STR("javascript:")))
        return;
    if (str_eq(str_skip(buf_str(p->out), p->link_began), to))
        return;
    p->space = true;
    put_bytes(p, STR("("));
    put_text(p, to);
    p->space = false;
    put_bytes(p, STR(")"));
}

static void put_image(struct page *p, const GumboNode *n)
{
    struct str alt = attribute(p, n, "alt");

    if (!alt.n)
        return;
    put_bytes(p, STR("["));
    put_text(p, alt);
    p->space = false;
    put_bytes(p, STR("]"));
}

enum shape { SHAPE_NONE, SHAPE_LINE, SHAPE_BLOCK, SHAPE_HEADING, SHAPE_ITEM, SHAPE_CELL };

static enum shape tag_shape(GumboTag tag)
{
    static const enum shape shapes[GUMBO_TAG_LAST + 1] = {
        [GUMBO_TAG_BR] = SHAPE_LINE,          [GUMBO_TAG_TR] = SHAPE_LINE,
        [GUMBO_TAG_DT] = SHAPE_LINE,          [GUMBO_TAG_DD] = SHAPE_LINE,
        [GUMBO_TAG_DIV] = SHAPE_LINE,         [GUMBO_TAG_OPTION] = SHAPE_LINE,
        [GUMBO_TAG_P] = SHAPE_BLOCK,          [GUMBO_TAG_UL] = SHAPE_BLOCK,
        [GUMBO_TAG_OL] = SHAPE_BLOCK,         [GUMBO_TAG_DL] = SHAPE_BLOCK,
        [GUMBO_TAG_TABLE] = SHAPE_BLOCK,      [GUMBO_TAG_SECTION] = SHAPE_BLOCK,
        [GUMBO_TAG_ARTICLE] = SHAPE_BLOCK,    [GUMBO_TAG_HEADER] = SHAPE_BLOCK,
        [GUMBO_TAG_FOOTER] = SHAPE_BLOCK,     [GUMBO_TAG_NAV] = SHAPE_BLOCK,
        [GUMBO_TAG_MAIN] = SHAPE_BLOCK,       [GUMBO_TAG_ASIDE] = SHAPE_BLOCK,
        [GUMBO_TAG_BLOCKQUOTE] = SHAPE_BLOCK, [GUMBO_TAG_PRE] = SHAPE_BLOCK,
        [GUMBO_TAG_HR] = SHAPE_BLOCK,         [GUMBO_TAG_FORM] = SHAPE_BLOCK,
        [GUMBO_TAG_FIGURE] = SHAPE_BLOCK,     [GUMBO_TAG_H1] = SHAPE_HEADING,
        [GUMBO_TAG_H2] = SHAPE_HEADING,       [GUMBO_TAG_H3] = SHAPE_HEADING,
        [GUMBO_TAG_H4] = SHAPE_HEADING,       [GUMBO_TAG_H5] = SHAPE_HEADING,
        [GUMBO_TAG_H6] = SHAPE_HEADING,       [GUMBO_TAG_LI] = SHAPE_ITEM,
        [GUMBO_TAG_TD] = SHAPE_CELL,          [GUMBO_TAG_TH] = SHAPE_CELL,
    };

    return tag <= GUMBO_TAG_LAST ? shapes[tag] : SHAPE_NONE;
}

/* Space around an element, and what introduces it. */
static void put_shape(struct page *p, GumboTag tag, bool ends)
{
    enum shape shape = tag_shape(tag);

    if (shape == SHAPE_CELL) {
        if (ends)
            put_bytes(p, STR(" |"));
        p->space = true;
    } else if (shape != SHAPE_NONE) {
        want_lines(p, shape == SHAPE_BLOCK || shape == SHAPE_HEADING ? 2 : 1);
    }
    if (!ends && (shape == SHAPE_HEADING || shape == SHAPE_ITEM)) {
        put_bytes(p, shape == SHAPE_ITEM ? STR("-")
                                         : str_head(STR("######"), tag - GUMBO_TAG_H1 + 1u));
        p->space = true;
    }
}

static void put_title(struct page *p, bool ends)
{
    p->out = ends || p->title.n ? &p->text : &p->title;
    p->lines = 0;
    p->space = false;
}

static bool is_hidden(GumboTag tag)
{
    return tag == GUMBO_TAG_SCRIPT || tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_TEMPLATE ||
           tag == GUMBO_TAG_SVG || tag == GUMBO_TAG_NOSCRIPT || tag == GUMBO_TAG_IFRAME ||
           tag == GUMBO_TAG_TEXTAREA;
}

static void begin_element(struct page *p, const GumboNode *n)
{
    GumboTag tag = n->v.element.tag;

    if (tag == GUMBO_TAG_TITLE)
        put_title(p, false);
    else if (tag == GUMBO_TAG_A)
        p->link_began = p->out->n;
    else if (tag == GUMBO_TAG_IMG)
        put_image(p, n);
    p->pre += tag == GUMBO_TAG_PRE;
    put_shape(p, tag, false);
}

static void end_element(struct page *p, const GumboNode *n)
{
    GumboTag tag = n->v.element.tag;

    if (tag == GUMBO_TAG_TITLE)
        put_title(p, true);
    else if (tag == GUMBO_TAG_A)
        end_link(p, n);
    p->pre -= tag == GUMBO_TAG_PRE;
    put_shape(p, tag, true);
}

/* ---- the tree ---------------------------------------------------------------------------- */

/* An open element, and its next child. */
struct open_node {
    const GumboNode *node;
    unsigned int next;
};

/* Write a node; true: it has children to visit, and end_element follows. */
static bool enter_node(struct page *p, const GumboNode *n)
{
    switch (n->type) {
    case GUMBO_NODE_TEXT:
    case GUMBO_NODE_CDATA:
    case GUMBO_NODE_WHITESPACE: put_text(p, str_of(n->v.text.text)); return false;
    case GUMBO_NODE_ELEMENT:
        if (is_hidden(n->v.element.tag))
            return false;
        begin_element(p, n);
        return true;
    case GUMBO_NODE_DOCUMENT: return true;
    case GUMBO_NODE_COMMENT:
    case GUMBO_NODE_TEMPLATE: break;
    }
    return false;
}

static const GumboVector *children_of(const GumboNode *n)
{
    return n->type == GUMBO_NODE_DOCUMENT ? &n->v.document.children : &n->v.element.children;
}

static void walk_tree(struct page *p, const GumboNode *document)
{
    struct buf stack;
    struct open_node open = { document, 0 };

    buf_init(&stack, SIZE_MAX / 4);
    while (!p->text.full) {
        const GumboVector *children = children_of(open.node);

        if (open.next < children->length) {
            const GumboNode *child = children->data[open.next++];

            if (enter_node(p, child)) {
                buf_put(&stack, (struct str){ (const char *)&open, sizeof(open) });
                open = (struct open_node){ child, 0 };
            }
            continue;
        }
        if (!stack.n)
            break;
        end_element(p, open.node);
        stack.n -= sizeof(open);
        memcpy(&open, stack.p + stack.n, sizeof(open));
    }
    buf_fini(&stack);
}

bool html_to_text(struct arena *mem, struct str html, size_t most, struct html_text *out,
                  struct err *e)
{
    struct parse parse = { .stopped = false };
    struct page p = { 0 };

    if (!gumbo_api_open(&p.api, e))
        return false;
    if (str_starts(html, STR("\xef\xbb\xbf")))
        html = str_skip(html, 3);
    buf_init_in(&p.text, mem, most);
    buf_init_in(&p.title, mem, TITLE_MOST);
    p.out = &p.text;
    walk_tree(&p, parse_page(&parse, p.api, html));
    arena_fini(&parse.tree);
    *out = (struct html_text){
        .title = p.title.n ? buf_str(&p.title) : STR(""),
        .text = p.text.n ? buf_str(&p.text) : STR(""),
        .truncated = parse.stopped,
    };
    return true;
}
