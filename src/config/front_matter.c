#include "config/front_matter.h"

#include "base/json_build.h"
#include "base/utf8.h"
#include "base/yaml_read.h"

enum { DEPTH = 16, VALUES = 10000 };

/* ---- line by line ----------------------------------------------------------------------- */

enum { KEYS_MOST = 64 };

/* One key while its lines are gathered. */
struct entry {
    struct str key;
    struct json_pos pos;
    struct buf value;
    bool open;   /* there is one */
    bool listed; /* all lines below it began with a dash */
    int quoted;  /* so many <example> more than </example>: nothing in them is a key */
    struct str seen[KEYS_MOST];
    size_t keys;
};

static struct str unquoted(struct str s)
{
    if (s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0])
        return str_head(str_skip(s, 1), s.n - 2);
    return s;
}

static void put_item(struct json_build *b, struct str item, struct json_pos pos)
{
    json_build_scalar(b, JSON_STRING, unquoted(str_trim(item)), pos);
}

static void put_list(struct json_build *b, struct str rest, char between, struct json_pos pos)
{
    uint32_t array = json_build_open(b, JSON_ARRAY, pos);

    while (rest.p) {
        struct str item = str_trim(str_cut(&rest, between));

        if (item.n)
            put_item(b, item, pos);
    }
    json_build_close(b, array);
}

static bool is_block_mark(struct str s)
{
    return s.n && s.n <= 2 && (s.p[0] == '|' || s.p[0] == '>');
}

static void put_value(struct json_build *b, const struct entry *en)
{
    struct str s = str_trim(buf_str(&en->value)), rest = s, first = str_cut(&rest, '\n');
    enum json_type type = JSON_STRING;

    if (rest.p && is_block_mark(str_trim(first)))
        s = str_trim(rest);
    if (en->listed) {
        put_list(b, s, '\n', en->pos);
        return;
    }
    if (s.n >= 2 && s.p[0] == '[' && s.p[s.n - 1] == ']') {
        put_list(b, str_head(str_skip(s, 1), s.n - 2), ',', en->pos);
        return;
    }
    if (s.n && (s.p[0] == '"' || s.p[0] == '\''))
        s = unquoted(s);
    else
        type = yaml_plain(&s);
    json_build_scalar(b, type, s, en->pos);
}

static void end_entry(struct json_build *b, struct entry *en)
{
    if (!en->open)
        return;
    json_build_key(b, en->key, en->pos);
    put_value(b, en);
    en->open = false;
}

static bool is_key_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* A word at the start of the line and a colon after it. */
static bool key_of(struct str line, struct str *key, struct str *value)
{
    size_t n = 0;

    while (n < line.n && is_key_byte(line.p[n]))
        n++;
    if (!n || n == line.n || line.p[n] != ':')
        return false;
    *key = str_head(line, n);
    *value = str_trim(str_skip(line, n + 1));
    return true;
}

static int front_matter_count(struct str s, struct str part)
{
    int n = 0;
    ptrdiff_t at;

    while ((at = str_find(s, part)) >= 0) {
        s = str_skip(s, (size_t)at + part.n);
        n++;
    }
    return n;
}

/* The first of a key counts. */
static bool is_new(const struct entry *en, struct str key)
{
    for (size_t i = 0; i < en->keys; i++)
        if (str_eq(en->seen[i], key))
            return false;
    return en->keys < KEYS_MOST;
}

static void begin_entry(struct entry *en, struct str key, struct str value, uint32_t number)
{
    buf_clear(&en->value);
    buf_put(&en->value, value);
    en->key = key;
    en->seen[en->keys++] = key;
    en->pos = (struct json_pos){ number, 1 };
    en->open = true;
    en->listed = false;
}

static void on_line(struct json_build *b, struct entry *en, struct str line, uint32_t number)
{
    struct str key, value, trimmed = str_trim(line);
    bool quoted = en->quoted > 0;

    if (!trimmed.n || line.p[0] == '#')
        return;
    en->quoted +=
        front_matter_count(line, STR("<example>")) - front_matter_count(line, STR("</example>"));
    if (!quoted && key_of(line, &key, &value)) {
        if (is_new(en, key)) {
            end_entry(b, en);
            begin_entry(en, key, value, number);
        }
        return;
    }
    if (!en->open)
        return;
    if (trimmed.p[0] == '-' && trimmed.n > 1 && trimmed.p[1] == ' ' &&
        (en->listed || !en->value.n)) {
        en->listed = true;
        trimmed = str_trim(str_skip(trimmed, 2));
    } else {
        en->listed = false;
    }
    buf_putc(&en->value, '\n');
    buf_put(&en->value, trimmed);
}

static struct json read_lines(struct arena *mem, struct str head, const struct front_opts *opts)
{
    struct entry *en = ARENA_NEW(mem, struct entry);
    struct json_build b;
    uint32_t object, number = 2; /* the first line is the dashes */

    buf_init_in(&en->value, mem, head.n + 1);
    json_build_begin(&b, mem, 32);
    object = json_build_open(&b, JSON_OBJECT, (struct json_pos){ number, 1 });
    while (head.p)
        on_line(&b, en, str_cut(&head, '\n'), number++);
    end_entry(&b, en);
    json_build_close(&b, object);
    return json_build_end(&b, opts->file);
}

/* ---- head and body ---------------------------------------------------------------------- */

static bool is_dashes(struct str line)
{
    return str_starts(line, STR("---")) && str_trim(str_skip(line, 3)).n == 0;
}

/* Take the head out of *text, which becomes the body. *head stays missing when there is none. */
static bool front_matter_split(struct str *text, struct str *head, const struct front_opts *opts,
                               struct err *e)
{
    struct str rest = *text;

    if (!is_dashes(str_cut(&rest, '\n')))
        return true;
    for (struct str at = rest; at.p;) {
        const char *line = at.p;

        if (!is_dashes(str_cut(&at, '\n')))
            continue;
        *head = str_head(rest, (size_t)(line - rest.p));
        *text = at;
        return true;
    }
    return fail(e, ERR_INVALID,
                "%s:1:1: the front matter is not closed; expected a second line of ---",
                opts->file);
}

static bool read_head(struct arena *mem, struct str head, const struct front_opts *opts,
                      struct json *out, struct err *e)
{
    const struct yaml_opts yaml = {
        .file = opts->file, .first_line = 2, .max_depth = DEPTH, .max_values = VALUES
    };
    struct json root;

    if (yaml_read(mem, head, &yaml, &root, e)) {
        if (json_type(root) == JSON_NULL) /* nothing between the dashes */
            root = (struct json){ 0 };
        else if (json_type(root) != JSON_OBJECT)
            return json_fail(root, e, "the front matter must be lines of `key: value`");
        *out = root;
        return true;
    }
    if (!opts->lenient || e->code != ERR_INVALID || utf8_valid(head) < head.n)
        return false;
    note(mem, opts->notes, LOG_WARN, "%s; its front matter is read line by line instead", e->text);
    *out = read_lines(mem, head, opts);
    return true;
}

bool front_matter_read(struct arena *mem, struct str text, const struct front_opts *opts,
                       struct front_matter *out, struct err *e)
{
    struct str head = STR_NONE, all;
    struct front_matter fm = { 0 };

    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_skip(text, 3);
    if (utf8_valid(text) < text.n)
        return fail(e, ERR_INVALID, "%s: not valid UTF-8 (byte %zu)", opts->file, utf8_valid(text));
    all = text;
    if (!front_matter_split(&text, &head, opts, e))
        return false;
    if (head.n > (size_t)opts->limits->front_matter_bytes)
        return fail(e, ERR_LIMIT, "%s:1:1: the front matter has %zu bytes; at most %lld are read",
                    opts->file, head.n, (long long)opts->limits->front_matter_bytes);
    if (head.p && !read_head(mem, head, opts, &fm.head, e))
        return false;
    fm.body = str_trim(text);
    fm.line = fm.body.n ? json_pos_of(all, (size_t)(fm.body.p - all.p)).line : 1;
    *out = fm;
    return true;
}
