/*
 * command_pattern.c - splits commands into words, and compares them with patterns.
 *
 * A shell text is parsed command by command. `simple` is set while the text is one command of plain
 * words. `unsure` is set if the value of a word depends on variables or files, so that only the
 * shell knows it.
 */
#include "core/guard/command_pattern.h"

#include "base/auto.h"
#include "base/buf.h"

/* The limit of the kernel for one argument, and of texts nested inside texts (sh -c). */
enum { TEXT_MOST = 128 << 10, DEPTH_MOST = 6 };

struct word {
    struct str text; /* without quotes and backslashes */
    bool unsure;     /* a shell would expand it */
};

struct words {
    struct word *v;
    size_t n, room;
};

/* The words of a pattern; open: any further words may follow. */
struct wanted {
    struct str *v;
    size_t n;
    bool open;
};

/* ---- words ---------------------------------------------------------------------------------- */

static void add_word(struct arena *mem, struct words *to, struct word w)
{
    if (to->n == to->room) {
        size_t room = to->room ? 2 * to->room : 8;

        to->v = arena_grow(mem, to->v, to->room * sizeof(w), room * sizeof(w));
        to->room = room;
    }
    to->v[to->n++] = w;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_operator(char c)
{
    return c && strchr(";&|()<>`{}\n\r", c);
}

/* NAME=value */
static bool is_assignment(struct str s)
{
    ptrdiff_t at = str_find_byte(s, '=');

    for (ptrdiff_t i = 0; i < at; i++)
        if (!(s.p[i] == '_' || (s.p[i] >= 'A' && s.p[i] <= 'Z') ||
              (s.p[i] >= 'a' && s.p[i] <= 'z') || (i && s.p[i] >= '0' && s.p[i] <= '9')))
            return false;
    return at > 0;
}

/* ---- reading a shell text ------------------------------------------------------------------- */

struct command_reader {
    struct arena *mem;
    struct str rest;
    bool simple; /* so far it is one command of words whose values are known */
};

static char take(struct command_reader *r)
{
    char c = r->rest.p[0];

    r->rest = str_skip(r->rest, 1);
    return c;
}

static void read_single_quoted(struct command_reader *r, struct buf *out)
{
    ptrdiff_t end = str_find_byte(r->rest, '\'');
    struct str text = str_head(r->rest, end < 0 ? r->rest.n : (size_t)end);

    buf_put(out, text);
    r->rest = str_skip(r->rest, text.n + (end >= 0));
    r->simple &= end >= 0;
}

/* After a backslash: take the next byte literally; a line end joins two lines. */
static void read_escaped(struct command_reader *r, struct buf *out)
{
    r->simple = false;
    if (r->rest.n && r->rest.p[0] != '\n')
        buf_putc(out, r->rest.p[0]);
    r->rest = str_skip(r->rest, r->rest.n > 0);
}

static void read_double_quoted(struct command_reader *r, struct buf *out, bool *unsure)
{
    while (r->rest.n) {
        char c = take(r);

        if (c == '"')
            return;
        if (c == '\\') {
            read_escaped(r, out);
            continue;
        }
        if (c == '$' || c == '`') {
            r->simple = false;
            *unsure = true;
        }
        buf_putc(out, c);
    }
    r->simple = false; /* the closing quote is missing */
}

static struct word read_word(struct command_reader *r)
{
    struct word w = { 0 };
    struct buf out;

    buf_init_in(&out, r->mem, TEXT_MOST);
    w.unsure = r->rest.n && r->rest.p[0] == '~';
    while (r->rest.n && !is_blank(r->rest.p[0]) && !is_operator(r->rest.p[0])) {
        char c = take(r);

        if (c == '\'') {
            read_single_quoted(r, &out);
        } else if (c == '"') {
            read_double_quoted(r, &out, &w.unsure);
        } else if (c == '\\') {
            read_escaped(r, &out);
        } else {
            r->simple &= c != '$' && c != 0;
            w.unsure |= c == '$' || c == '*' || c == '?' || c == '[';
            buf_putc(&out, c);
        }
    }
    w.text = out.n ? buf_str(&out) : STR("");
    return w;
}

static void skip_blanks(struct command_reader *r)
{
    while (r->rest.n && is_blank(r->rest.p[0]))
        r->rest = str_skip(r->rest, 1);
}

static bool is_number(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

/* `2>&1`, `> file`: not words of the command, which continues after it. */
static void skip_redirection(struct command_reader *r, struct words *cmd, bool adjacent)
{
    r->simple = false;
    if (adjacent && cmd->n && is_number(cmd->v[cmd->n - 1].text))
        cmd->n--;
    while (r->rest.n && strchr("<>&|-", r->rest.p[0]) && r->rest.p[0])
        r->rest = str_skip(r->rest, 1);
    skip_blanks(r);
    read_word(r);
}

/* The next simple command of the text, up to an operator; false at the end of the text. */
static bool next_command(struct command_reader *r, struct words *cmd)
{
    bool adjacent = false; /* the last word ends here */

    cmd->n = 0;
    if (!r->rest.n)
        return false;
    while (r->rest.n) {
        char c = r->rest.p[0];

        if (is_blank(c)) {
            skip_blanks(r);
            adjacent = false;
        } else if (c == '<' || c == '>') {
            skip_redirection(r, cmd, adjacent);
            adjacent = false;
        } else if (is_operator(c)) {
            take(r);
            r->simple = false;
            break;
        } else {
            add_word(r->mem, cmd, read_word(r));
            adjacent = true;
        }
    }
    return true;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static struct wanted read_pattern(struct arena *mem, struct str inner)
{
    struct wanted p = { .v = ARENA_ARRAY(mem, struct str, inner.n / 2 + 1) };

    p.open = str_ends(inner, STR(":*"));
    if (p.open)
        inner.n -= 2;
    while (inner.p) {
        struct str word = str_cut(&inner, ' ');

        if (word.n)
            p.v[p.n++] = word;
    }
    p.open |= p.n && str_ends(p.v[p.n - 1], STR("*"));
    return p;
}

static bool is_star(struct str s)
{
    return str_eq(s, STR("*"));
}

typedef bool word_fits_fn(struct str pat, const struct word *w);

/*
 * Like matching a file name, with words instead of letters. On a mismatch the last star takes one
 * more word.
 */
static bool words_fit(const struct wanted *p, const struct word *w, size_t n, word_fits_fn *fits)
{
    size_t i = 0, at = 0, star = SIZE_MAX, taken = 0;

    while (at < n) {
        if (i == p->n && p->open)
            return true;
        if (i < p->n && is_star(p->v[i])) {
            star = i++;
            taken = ++at;
        } else if (i < p->n && fits(p->v[i], &w[at])) {
            i++;
            at++;
        } else if (star != SIZE_MAX) {
            i = star + 1;
            at = ++taken;
        } else {
            return false;
        }
    }
    return i == p->n;
}

/* ---- a list that allows --------------------------------------------------------------------- */

static bool surely_fits(struct str pat, const struct word *w)
{
    return !w->unsure && tool_pattern_wild(pat, w->text);
}

static bool allows(const struct wanted *p, const struct words *cmd)
{
    return cmd->n && !is_assignment(cmd->v[0].text) && words_fit(p, cmd->v, cmd->n, surely_fits);
}

static bool allows_text(struct arena *mem, const struct wanted *p, struct str text)
{
    struct command_reader r = { .mem = mem, .rest = str_trim(text), .simple = text.n <= TEXT_MOST };
    struct words cmd = { 0 };

    return r.simple && next_command(&r, &cmd) && r.simple && allows(p, &cmd);
}

/* ---- a list that denies --------------------------------------------------------------------- */

/* Is this a word that precedes a command, such as a shell keyword or sudo? */
static bool introduces(struct str s)
{
    static const struct str all[] = {
        STR("if"),      STR("then"),   STR("elif"),   STR("else"),    STR("do"),   STR("while"),
        STR("until"),   STR("!"),      STR("time"),   STR("env"),     STR("exec"), STR("command"),
        STR("builtin"), STR("eval"),   STR("nohup"),  STR("nice"),    STR("sudo"), STR("doas"),
        STR("xargs"),   STR("setsid"), STR("stdbuf"), STR("timeout"), STR("sh"),   STR("bash"),
        STR("dash"),    STR("."),      STR("source"), STR("busybox"),
    };

    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (str_eq(s, all[i]))
            return true;
    return is_assignment(s) || str_starts(s, STR("-")) || is_number(s);
}

/* Is the command itself a word whose value only the shell knows? */
static bool hides_command(const struct words *cmd)
{
    size_t i = 0;

    while (i < cmd->n && !cmd->v[i].unsure && introduces(cmd->v[i].text))
        i++;
    return i < cmd->n && cmd->v[i].unsure;
}

static struct str base_name(struct str s)
{
    const char *slash = s.n ? memrchr(s.p, '/', s.n) : NULL;

    return slash ? str_skip(s, (size_t)(slash + 1 - s.p)) : s;
}

static bool perhaps_fits(struct str pat, const struct word *w)
{
    return tool_pattern_wild(pat, w->text) || tool_pattern_wild(pat, base_name(w->text));
}

static bool denies_text(struct arena *mem, const struct wanted *p, struct str text, int depth);

/* A word that contains a shell text (sh -c TEXT, eval TEXT), or that a shell would expand later. */
static bool denies_inside(struct arena *mem, const struct wanted *p, const struct word *w,
                          int depth)
{
    for (size_t i = 0; i < w->text.n; i++)
        if (is_blank(w->text.p[i]) || is_operator(w->text.p[i]) ||
            (w->text.p[i] == '$' && !w->unsure))
            return denies_text(mem, p, w->text, depth + 1);
    return false;
}

static bool denies(struct arena *mem, const struct wanted *p, const struct words *cmd, int depth)
{
    if (hides_command(cmd))
        return true;
    for (size_t i = 0; i < cmd->n; i++)
        if (words_fit(p, cmd->v + i, cmd->n - i, perhaps_fits) ||
            denies_inside(mem, p, &cmd->v[i], depth))
            return true;
    return false;
}

static bool denies_text(struct arena *mem, const struct wanted *p, struct str text, int depth)
{
    struct command_reader r = { .mem = mem, .rest = text };
    struct words cmd = { 0 };

    if (depth > DEPTH_MOST || text.n > TEXT_MOST)
        return true;
    while (next_command(&r, &cmd))
        if (denies(mem, p, &cmd, depth))
            return true;
    return false;
}

/* ---- a call --------------------------------------------------------------------------------- */

/* False: not a list of strings. */
static bool read_vector(struct arena *mem, struct json list, struct words *out)
{
    JSON_EACH(item, list)
    {
        if (json_type(item) != JSON_STRING)
            return false;
        add_word(mem, out, (struct word){ .text = json_str(mem, item) });
    }
    return json_type(list) == JSON_ARRAY;
}

bool command_has_env(struct json args)
{
    struct json env = json_get(args, STR("env"));

    return json_here(env) && (json_type(env) != JSON_OBJECT || json_count(env));
}

/* Compare one argument that holds a command, as text or as a list of words. */
static bool fits_one(struct arena *mem, const struct wanted *p, struct json command,
                     enum pattern_use use)
{
    struct words vector = { 0 };

    if (json_type(command) == JSON_STRING)
        return use == PATTERN_ALLOWS ? allows_text(mem, p, json_str(mem, command))
                                     : denies_text(mem, p, json_str(mem, command), 0);
    if (!read_vector(mem, command, &vector))
        return use == PATTERN_DENIES;
    return use == PATTERN_ALLOWS ? allows(p, &vector) : denies(mem, p, &vector, 0);
}

/* The input on stdin may contain commands, too. */
static bool denies_input(struct arena *mem, const struct wanted *p, struct json input)
{
    return json_type(input) == JSON_STRING && denies_text(mem, p, json_str(mem, input), 0);
}

bool command_pattern_fits(struct str inner, struct json args, enum pattern_use use)
{
    AUTO_ARENA mem = { 0 };
    struct json line = json_get(args, STR("command")), vector = json_get(args, STR("argv"));
    struct wanted p = read_pattern(&mem, inner);

    if (command_has_env(args) || json_here(line) == json_here(vector))
        return use == PATTERN_DENIES;
    if (fits_one(&mem, &p, json_here(line) ? line : vector, use))
        return true;
    return use == PATTERN_DENIES && denies_input(&mem, &p, json_get(args, STR("input")));
}
