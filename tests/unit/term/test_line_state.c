/* What keys do to a text, byte by byte and in one go; and what of it is seen on a small screen. */
#include "base/limits.h"
#include "base/utf8.h"
#include "tap.h"
#include "term/line_paint.h"

#include <stdio.h>

#define ESC "\x1b"
#define UP ESC "[A"
#define DOWN ESC "[B"
#define RIGHT ESC "[C"
#define LEFT ESC "[D"
#define PASTE(text) ESC "[200~" text ESC "[201~"
#define UNKNOWN "\xef\xbf\xbd"

struct agent_registry {
    struct line_history history;
    struct line_state line;
};

static void open_registry(struct agent_registry *d, size_t most)
{
    line_history_init(&d->history, 100, 10000);
    line_init(&d->line, most, &d->history);
}

static void close_registry(struct agent_registry *d)
{
    line_fini(&d->line);
    line_history_fini(&d->history);
}

static enum line_action type(struct agent_registry *d, const char *keys)
{
    struct str bytes = str_of(keys);
    enum line_action action;

    do
        action = line_feed(&d->line, &bytes);
    while (action == LINE_MORE && bytes.n);
    return action;
}

static void remember(struct agent_registry *d, const char *line)
{
    line_history_add(&d->history, str_of(line));
    line_taken(&d->line);
}

/* The text with | where the cursor is. */
static const char *seen(const struct agent_registry *d)
{
    static char out[4096];
    const struct line_state *s = &d->line;

    snprintf(out, sizeof(out), STR_FMT "|" STR_FMT, STR_ARG(str_head(buf_str(&s->text), s->cursor)),
             STR_ARG(str_skip(buf_str(&s->text), s->cursor)));
    return out;
}

/* ---- one row: these keys, this text -------------------------------------------------------- */

static const struct {
    const char *what, *keys, *want;
} rows[] = {
    { "letters", "abc", "abc|" },
    { "left", "abc" LEFT, "ab|c" },
    { "left, as ctrl-b", "abc\x02", "ab|c" },
    { "left, application mode", "abc" ESC "OD", "ab|c" },
    { "left at the start stays", "a" LEFT LEFT LEFT, "|a" },
    { "right", "abc\x01" RIGHT, "a|bc" },
    { "right at the end stays", "a" RIGHT "\x06", "a|" },
    { "home and end", "abc" ESC "[Hx" ESC "[Fy", "xabcy|" },
    { "home and end, VT", "abc" ESC "[1~x" ESC "[4~y", "xabcy|" },
    { "ctrl-a and ctrl-e", "abc\x01x\x05y", "xabcy|" },
    { "insert in the middle", "ac" LEFT "b", "ab|c" },
    { "backspace", "abc\x7f", "ab|" },
    { "backspace, as ctrl-h", "abc\x08", "ab|" },
    { "backspace at the start", "a\x01\x7f", "|a" },
    { "delete", "abc\x01" ESC "[3~", "|bc" },
    { "delete at the end", "abc" ESC "[3~", "abc|" },
    { "ctrl-d deletes where there is something", "abc\x01\x04", "|bc" },
    { "kill to the end", "one two\x01" RIGHT "\x0b", "o|" },
    { "kill to the start", "one two" LEFT "\x15", "|o" },
    { "kill the word before", "one two-three\x17", "one |" },
    { "kill the word before, and blanks", "one two  \x17", "one |" },
    { "kill back to punctuation", "one two-three" ESC "\x7f", "one two-|" },
    { "kill the word ahead", "one two\x01" ESC "d", "| two" },
    { "kill and yank", "one two\x17\x01\x19", "two|one " },
    { "yank twice", "ab\x15\x19\x19", "abab|" },
    { "nothing to yank", "ab\x19", "ab|" },
    { "a kill of nothing keeps what was killed", "ab\x15\x15\x0b\x19", "ab|" },
    { "word left and right", "one two" ESC "b" ESC "bx" ESC "fy", "xoney| two" },
    { "word left by control and arrow", "one two" ESC "[1;5D", "one |two" },
    { "word right by alt and arrow", "one two\x01" ESC "[1;3C", "one| two" },
    { "wide characters are one step", "a\u4f60\u597d" LEFT, "a\u4f60|\u597d" },
    { "accents go with their letter", "ae\u0301b" LEFT LEFT, "a|e\u0301b" },
    { "and are erased with it", "ae\u0301\x7f", "a|" },
    { "words of any script", "\u00fcber mir" ESC "b" ESC "b", "|\u00fcber mir" },
    { "alt-enter begins a line", "a" ESC "\rb", "a\nb|" },
    { "shift-enter where it is told apart", "a" ESC "[13;2ub", "a\nb|" },
    { "a backslash at the end does", "a\\\rb", "a\nb|" },
    { "up and down within lines", "abc" ESC "\rd" ESC "\refg" UP "x" UP "y", "aby|c\ndx\nefg" },
    { "down", "abc" ESC "\rd" ESC "\refg" UP UP DOWN DOWN, "abc\nd\ne|fg" },
    { "home and end of a line", "ab" ESC "\rcd\x01x\x05y", "ab\nxcdy|" },
    { "a kill ends with its line", "ab" ESC "\rcd" UP "\x15", "|\ncd" },
    { "a paste is text", PASTE("one\rtwo\x03\x04\tx"), "one\ntwo" UNKNOWN UNKNOWN "\tx|" },
    { "its line ends are one each", PASTE("a\r\nb\nc\r\rd"), "a\nb\nc\n\nd|" },
    { "a letter between CR and LF", PASTE("a\r\u00e4\nb"), "a\n\u00e4\nb|" },
    { "its keys are none", PASTE("a" LEFT "b"), "a" UNKNOWN "[Db|" },
    { "what looks like its end", PASTE("a" ESC "[20" ESC "[201x"),
      "a" UNKNOWN "[20" UNKNOWN "[201x|" },
    { "keys behind a paste", PASTE("ab") LEFT "c", "ac|b" },
    { "the end of no paste", "a" ESC "[201~b", "ab|" },
    { "a key nobody knows", "a" ESC "[99;99Zb" ESC "OPc" ESC "zd", "abcd|" },
    { "a function key of the console", "a" ESC "[[Ab", "ab|" },
    { "a very long sequence", "a" ESC "[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17Cb", "ab|" },
    { "an escape before an arrow", "ab" ESC LEFT, "a|b" },
    { "a control ends a sequence",
      "ab" ESC "[1;\x01"
      "c",
      "c|ab" },
    { "so does a letter beyond ASCII", "ab" ESC "[\u00e4", "ab\u00e4|" },
    { "controls without a meaning",
      "a\x0f\x11\x13\x14\x16\x18\x1c\x1d\x1e\x1f"
      "b",
      "ab|" },
    { "a byte that begins nothing",
      "a\xff"
      "b",
      "a" UNKNOWN "b|" },
    { "a byte that goes on with nothing",
      "a\x80"
      "b",
      "a" UNKNOWN "b|" },
    { "a character that breaks off",
      "a\xe4\xbd"
      "b",
      "a" UNKNOWN "b|" },
    { "and one by a key", "a\xe4" LEFT "b", "ab|" UNKNOWN },
    { "too long a form",
      "a\xe0\x80\x80"
      "b",
      "a" UNKNOWN "b|" },
    { "a surrogate",
      "a\xed\xa0\x80"
      "b",
      "a" UNKNOWN "b|" },
    { "beyond Unicode",
      "a\xf4\x90\x80\x80"
      "b",
      "a" UNKNOWN "b|" },
    { "four bytes", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80|" },
};

TEST(keys_do_what_they_say)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct agent_registry d;

        open_registry(&d, 4000);
        EQ(type(&d, rows[i].keys), LINE_MORE);
        if (strcmp(seen(&d), rows[i].want))
            TAP_NOT("%s: got \"%s\", want \"%s\"", rows[i].what, seen(&d), rows[i].want);
        close_registry(&d);
    }
}

/* Wherever the bytes are cut, the text is the same. */
TEST(a_sequence_that_is_cut_waits_for_its_rest)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct agent_registry d;

        open_registry(&d, 4000);
        for (const char *p = rows[i].keys; *p; p++) {
            struct str one = { p, 1 };

            EQ(line_feed(&d.line, &one), LINE_MORE);
            EQ(one.n, 0);
            EQ(utf8_valid(buf_str(&d.line.text)), d.line.text.n);
        }
        if (strcmp(seen(&d), rows[i].want))
            TAP_NOT("%s: got \"%s\", want \"%s\"", rows[i].what, seen(&d), rows[i].want);
        close_registry(&d);
    }
}

/* ---- submitting and leaving ---------------------------------------------------------------- */

TEST(enter_submits_and_what_follows_waits)
{
    struct agent_registry d;
    struct str bytes = STR("one\rtwo");

    open_registry(&d, 100);
    EQ(line_feed(&d.line, &bytes), LINE_SUBMIT);
    EQ_S(buf_str(&d.line.text), "one");
    EQ_S(bytes, "two");
    line_taken(&d.line);
    EQ(line_feed(&d.line, &bytes), LINE_MORE);
    EQ_STR(seen(&d), "two|");
    EQ(type(&d, "\n"), LINE_SUBMIT);
    close_registry(&d);
}

TEST(a_backslash_in_the_middle_does_not_keep_enter_from_submitting)
{
    struct agent_registry d;

    open_registry(&d, 100);
    EQ(type(&d, "a\\" LEFT "\r"), LINE_SUBMIT);
    EQ_S(buf_str(&d.line.text), "a\\");
    close_registry(&d);
}

TEST(a_paste_does_not_submit)
{
    struct agent_registry d;

    open_registry(&d, 100);
    EQ(type(&d, PASTE("one\r\ntwo\n")), LINE_MORE);
    EQ(type(&d, "\r"), LINE_SUBMIT);
    EQ_S(buf_str(&d.line.text), "one\ntwo\n");
    close_registry(&d);
}

TEST(ctrl_c_clears_and_twice_on_an_empty_line_leaves)
{
    struct agent_registry d;

    open_registry(&d, 100);
    EQ(type(&d, "abc\x03"), LINE_CLEARED);
    line_taken(&d.line);
    EQ(type(&d, "\x03"), LINE_WARN);
    EQ(type(&d, "\x03"), LINE_LEAVE);
    close_registry(&d);
}

TEST(a_key_between_them_takes_the_first_ctrl_c_back)
{
    struct agent_registry d;

    open_registry(&d, 100);
    EQ(type(&d, "\x03"), LINE_WARN);
    EQ(type(&d, "a\x7f"), LINE_MORE);
    EQ(type(&d, "\x03"), LINE_WARN);
    EQ(type(&d, "\x03"), LINE_LEAVE);
    close_registry(&d);
}

TEST(ctrl_d_on_an_empty_line_leaves)
{
    struct agent_registry d;

    open_registry(&d, 100);
    EQ(type(&d, "a\x01\x04"), LINE_MORE);
    EQ(type(&d, "\x04"), LINE_LEAVE);
    close_registry(&d);
}

TEST(other_keys_are_told_to_the_owner)
{
    struct agent_registry d;

    open_registry(&d, 100);
    EQ(type(&d, "a\x0c"), LINE_REDRAW);
    EQ(type(&d, "\x1a"), LINE_SUSPEND);
    EQ_STR(seen(&d), "a|");
    close_registry(&d);
}

/* ---- the limit (limits.chat_line_bytes) ---------------------------------------------------- */

TEST(what_does_not_fit_is_refused_and_said)
{
    struct agent_registry d;

    open_registry(&d, 8);
    EQ(type(&d, "12345678"), LINE_MORE);
    EQ(type(&d, "9"), LINE_FULL);
    EQ(type(&d, ESC "\r"), LINE_FULL);
    EQ_STR(seen(&d), "12345678|");
    EQ(type(&d, "\x7f"
                "x"),
       LINE_MORE);
    EQ_STR(seen(&d), "1234567x|");
    close_registry(&d);
}

TEST(a_character_is_never_cut_by_the_limit)
{
    struct agent_registry d;

    open_registry(&d, 8);
    EQ(type(&d, PASTE("123456\u4f60\u597d")), LINE_FULL);
    EQ_STR(seen(&d), "123456|");
    close_registry(&d);
}

TEST(a_very_long_line_stays_within_its_limit)
{
    struct limits l;
    struct agent_registry d;
    char some[1024];
    struct str bytes;
    int64_t sent = 0;

    limits_preset(&l);
    memset(some, 'a', sizeof(some));
    open_registry(&d, (size_t)l.chat_line_bytes);
    for (; sent < l.chat_line_bytes; sent += (int64_t)sizeof(some)) {
        bytes = (struct str){ some, sizeof(some) };
        EQ(line_feed(&d.line, &bytes), LINE_MORE);
    }
    bytes = STR("b");
    EQ(line_feed(&d.line, &bytes), LINE_FULL);
    EQ(d.line.text.n, l.chat_line_bytes);
    close_registry(&d);
}

/* ---- history ------------------------------------------------------------------------------- */

TEST(up_and_down_go_through_history_and_back_to_what_was_typed)
{
    struct agent_registry d;

    open_registry(&d, 100);
    remember(&d, "first");
    remember(&d, "second");
    type(&d, "mine" UP);
    EQ_STR(seen(&d), "second|");
    type(&d, UP UP UP);
    EQ_STR(seen(&d), "first|");
    type(&d, "\x0e");
    EQ_STR(seen(&d), "second|");
    type(&d, DOWN DOWN);
    EQ_STR(seen(&d), "mine|");
    EQ(type(&d, UP "!\r"), LINE_SUBMIT);
    EQ_S(buf_str(&d.line.text), "second!");
    close_registry(&d);
}

TEST(history_of_several_lines_is_left_at_its_first_line)
{
    struct agent_registry d;

    open_registry(&d, 100);
    remember(&d, "zero");
    remember(&d, "one\ntwo");
    type(&d, UP);
    EQ_STR(seen(&d), "one\ntwo|");
    type(&d, UP);
    EQ_STR(seen(&d), "one|\ntwo");
    type(&d, UP);
    EQ_STR(seen(&d), "zero|");
    close_registry(&d);
}

TEST(ctrl_r_searches_backwards)
{
    struct agent_registry d;

    open_registry(&d, 100);
    remember(&d, "git status");
    remember(&d, "make");
    remember(&d, "git diff");
    type(&d, "draft\x12git");
    EQ_S(line_found(&d.line), "git diff");
    type(&d, "\x12");
    EQ_S(line_found(&d.line), "git status");
    type(&d, "\x12"); /* no older one */
    EQ_S(line_found(&d.line), "git status");
    type(&d, " d");
    EQ_S(line_found(&d.line), "git diff");
    type(&d, "\x05!");
    EQ_STR(seen(&d), "git diff!|");
    type(&d, DOWN);
    EQ_STR(seen(&d), "draft|");
    close_registry(&d);
}

TEST(a_search_may_be_given_up_or_submitted)
{
    struct agent_registry d;

    open_registry(&d, 100);
    remember(&d, "one");
    type(&d, "mine\x12nothing");
    EQ_S(line_found(&d.line), "");
    type(&d, "\x07");
    EQ_STR(seen(&d), "mine|");
    type(&d, "\x12onx\x7f\x03");
    EQ_STR(seen(&d), "mine|");
    EQ(type(&d, "\x12one\r"), LINE_SUBMIT);
    EQ_S(buf_str(&d.line.text), "one");
    close_registry(&d);
}

/* ---- completing ---------------------------------------------------------------------------- */

static void complete(void *ctx, struct arena *mem, struct str head, struct line_choices *out)
{
    static const char *const words[] = { "/help",   "/history",     "/quit",
                                         "folder/", "\u00e4\u00f6", "\u00e4\u00fc" };

    (void)ctx;
    out->from = (size_t)(str_find_byte(head, ' ') + 1);
    out->v = ARENA_ARRAY(mem, struct str, ARRAY_LEN(words));
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_starts(str_of(words[i]), str_skip(head, out->from)))
            out->v[out->n++] = str_of(words[i]);
}

TEST(tab_completes_as_far_as_all_agree)
{
    struct agent_registry d;

    open_registry(&d, 100);
    d.line.complete = complete;
    EQ(type(&d, "/q\t"), LINE_MORE);
    EQ_STR(seen(&d), "/quit |");
    EQ(type(&d, "fol\t"), LINE_MORE);
    EQ_STR(seen(&d), "/quit folder/|");
    type(&d, "\x15");
    EQ(type(&d, "/h\t"), LINE_CHOICES);
    EQ(d.line.choices.n, 2);
    EQ_S(d.line.choices.v[1], "/history");
    EQ(type(&d, "i\t"), LINE_MORE);
    EQ_STR(seen(&d), "/history |");
    type(&d, "\x15");
    EQ(type(&d, "nothing\t"), LINE_MORE);
    EQ_STR(seen(&d), "nothing|");
    close_registry(&d);
}

TEST(a_completion_never_cuts_a_character_and_respects_the_limit)
{
    struct agent_registry d;

    open_registry(&d, 6);
    d.line.complete = complete;
    EQ(type(&d, "\u00e4\t"), LINE_CHOICES); /* they agree on the first byte of the next, too */
    EQ_STR(seen(&d), "\u00e4|");
    type(&d, "\x15");
    EQ(type(&d, "fol\t"), LINE_FULL);
    EQ_STR(seen(&d), "fol|");
    close_registry(&d);
}

TEST(without_a_completer_tab_does_nothing)
{
    struct agent_registry d;

    open_registry(&d, 100);
    EQ(type(&d, "a\t"), LINE_MORE);
    EQ_STR(seen(&d), "a|");
    close_registry(&d);
}

/* ---- painting: a terminal of a few rows understands what is sent ---------------------------- */

enum { ROWS = 6, COLUMNS = 10 };

struct screen {
    char cell[ROWS][COLUMNS][8]; /* "" behind a wide one */
    size_t row, column;
};

static void go_down(struct screen *t)
{
    if (t->row + 1 < ROWS) {
        t->row++;
        return;
    }
    memmove(t->cell[0], t->cell[1], sizeof(t->cell[0]) * (ROWS - 1));
    memset(t->cell[ROWS - 1], 0, sizeof(t->cell[0]));
}

static void clear_below(struct screen *t)
{
    memset(t->cell[t->row][t->column], 0, sizeof(t->cell[0][0]) * (COLUMNS - t->column));
    for (size_t r = t->row + 1; r < ROWS; r++)
        memset(t->cell[r], 0, sizeof(t->cell[0]));
}

static struct str obey(struct screen *t, struct str s)
{
    size_t n = 0, at = 2;

    OK(s.n > 2 && s.p[1] == '[');
    for (; at < s.n && s.p[at] >= '0' && s.p[at] <= '9'; at++)
        n = n * 10 + (size_t)(s.p[at] - '0');
    if (s.p[at] == 'A')
        t->row = n > t->row ? 0 : t->row - n;
    else if (s.p[at] == 'C')
        t->column += n;
    else if (s.p[at] == 'J')
        clear_below(t);
    else
        TAP_NOT("an unknown sequence ends with %c", s.p[at]);
    return str_skip(s, at + 1);
}

static void put_cell(struct screen *t, struct str c)
{
    bool wide = c.n == 3 && (unsigned char)c.p[0] == 0xe4;

    if (t->column >= COLUMNS) {
        TAP_NOT("a character was written behind the last column");
        return;
    }
    memcpy(t->cell[t->row][t->column], c.p, c.n);
    t->column += wide ? 2 : 1;
}

static void show(struct screen *t, struct str s)
{
    while (s.n) {
        size_t n = utf8_len(s.p, s.n);

        if (s.p[0] == 0x1b) {
            s = obey(t, s);
            continue;
        }
        if (s.p[0] == '\r')
            t->column = 0;
        else if (s.p[0] == '\n')
            go_down(t);
        else
            put_cell(t, str_head(s, n));
        s = str_skip(s, n);
    }
}

/* Rows with / between, the cursor as |. */
static const char *picture(const struct screen *t)
{
    static char out[1024];
    size_t n = 0;

    for (size_t r = 0; r < ROWS; r++) {
        for (size_t c = 0; c <= COLUMNS; c++) {
            if (t->row == r && t->column == c)
                out[n++] = '|';
            if (c < COLUMNS)
                n += (size_t)snprintf(out + n, sizeof(out) - n, "%s", t->cell[r][c]);
        }
        out[n++] = '/';
    }
    while (n && out[n - 1] == '/')
        n--;
    out[n] = 0;
    return out;
}

struct view {
    struct agent_registry d;
    struct screen t;
    struct line_screen screen;
};

static void open_view(struct view *v)
{
    memset(v, 0, sizeof(*v));
    open_registry(&v->d, 1000);
    v->screen = (struct line_screen){ .columns = COLUMNS, .rows = ROWS };
}

static const char *paint(struct view *v, const char *keys)
{
    AUTO_BUF out;

    type(&v->d, keys);
    buf_init(&out, 1 << 20);
    line_paint(&v->d.line, STR("> "), &v->screen, &out);
    show(&v->t, buf_str(&out));
    return picture(&v->t);
}

TEST(the_cursor_is_seen_where_it_is)
{
    struct view v;

    open_view(&v);
    EQ_STR(paint(&v, ""), "> |");
    EQ_STR(paint(&v, "abc"), "> abc|");
    EQ_STR(paint(&v, LEFT), "> ab|c");
    EQ_STR(paint(&v, "\x15"), "> |c");
    close_registry(&v.d);
}

TEST(a_long_text_is_broken_at_the_last_column)
{
    struct view v;

    open_view(&v);
    EQ_STR(paint(&v, "1234567"), "> 1234567|");
    EQ_STR(paint(&v, "8"), "> 12345678/|");
    EQ_STR(paint(&v, "9"), "> 12345678/9|");
    EQ_STR(paint(&v, LEFT), "> 12345678/|9");
    EQ_STR(paint(&v, LEFT), "> 1234567|8/9");
    EQ_STR(paint(&v, "\x05\x7f\x7f"), "> 1234567|");
    close_registry(&v.d);
}

TEST(a_wide_character_is_not_broken)
{
    struct view v;

    open_view(&v);
    EQ_STR(paint(&v, "1234567\u4f60"), "> 1234567/\u4f60|");
    EQ_STR(paint(&v, LEFT), "> 1234567|/\u4f60");
    close_registry(&v.d);
}

TEST(lines_have_a_mark_and_tabs_their_width)
{
    struct view v;

    open_view(&v);
    EQ_STR(paint(&v, "ab" ESC "\rc" PASTE("\t") "d"), "> ab/| c     d|");
    close_registry(&v.d);
}

TEST(controls_of_a_paste_are_not_sent_to_the_terminal)
{
    struct view v;

    open_view(&v);
    EQ_STR(paint(&v, PASTE("a\xc2\x9b"
                           "2Jb")),
           "> a" UNKNOWN "2Jb|");
    close_registry(&v.d);
}

TEST(of_too_many_rows_those_around_the_cursor_are_shown)
{
    struct view v;

    open_view(&v);
    paint(&v, PASTE("1\n2\n3\n4\n5\n6\n7"));
    EQ_STR(picture(&v.t), "| 2/| 3/| 4/| 5/| 6/| 7|");
    EQ_STR(paint(&v, UP UP UP UP UP), "| 2|/| 3/| 4/| 5/| 6/| 7");
    EQ_STR(paint(&v, UP), "> 1|/| 2/| 3/| 4/| 5/| 6");
    EQ_STR(paint(&v, "\x7f\x0b"), "> |/| 2/| 3/| 4/| 5/| 6");
    close_registry(&v.d);
}

TEST(a_search_shows_what_it_looks_for)
{
    struct view v;

    open_view(&v);
    remember(&v.d, "make");
    EQ_STR(paint(&v, "\x12m"), "(search: m/_) |make");
    EQ_STR(paint(&v, "x"), "(not found/: mx_) |");
    EQ_STR(paint(&v, "\x07"), "> |");
    close_registry(&v.d);
}

TEST(the_end_leaves_the_text_and_goes_below_it)
{
    struct view v;
    AUTO_BUF out;

    open_view(&v);
    paint(&v, "1234567890" LEFT LEFT LEFT LEFT);
    buf_init(&out, 1000);
    line_paint_end(&v.d.line, STR("> "), &v.screen, &out);
    show(&v.t, buf_str(&out));
    EQ_STR(picture(&v.t), "> 12345678/90/|");
    line_taken(&v.d.line);
    EQ_STR(paint(&v, ""), "> 12345678/90/> |");
    close_registry(&v.d);
}

TEST(another_size_moves_the_cursor_with_the_text)
{
    struct view v;

    open_view(&v);
    paint(&v, "123456789012");
    line_resized(&v.d.line, STR("> "), &v.screen, 20, ROWS);
    EQ(v.screen.cursor, 0);
    line_resized(&v.d.line, STR("> "), &v.screen, 8, ROWS);
    EQ(v.screen.cursor, 1);
    line_resized(&v.d.line, STR("> "), &v.screen, 8, 1);
    EQ(v.screen.cursor, 0);
    line_resized(&v.d.line, STR("> "), &v.screen, 0, 0);
    EQ(v.screen.cursor, 0);
    close_registry(&v.d);
}

TEST_MAIN()
