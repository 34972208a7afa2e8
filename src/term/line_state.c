/*
 * line_state.c - the effect of each key on the text.
 *
 *   writing    keys change the text. Up and down show history lines instead, and the typed text is
 *              kept in `draft`
 *   searching  typed characters change `pattern`. Any other key ends the search, takes the line
 *              that was found as text, and then has its usual effect
 *
 * A history line can be changed while it is shown, and submitted. The change is lost when another
 * history line is shown.
 */
#include "term/line_state.h"

#include "base/utf8.h"
#include "term/line_text.h"

enum { PATTERN_MOST = 256 };

void line_init(struct line_state *s, size_t bytes_most, struct line_history *history)
{
    *s = (struct line_state){ .history = history, .at = history->n };
    buf_init(&s->text, bytes_most);
    buf_init(&s->killed, bytes_most);
    buf_init(&s->draft, bytes_most);
    buf_init(&s->pattern, PATTERN_MOST);
}

void line_fini(struct line_state *s)
{
    buf_fini(&s->text);
    buf_fini(&s->killed);
    buf_fini(&s->draft);
    buf_fini(&s->pattern);
    arena_fini(&s->mem);
}

/* ---- changing the text --------------------------------------------------------------------- */

/* There must be room for it. */
static void line_state_insert(struct line_state *s, struct str what)
{
    if (!what.n)
        return;
    buf_reserve(&s->text, what.n);
    memmove(s->text.p + s->cursor + what.n, s->text.p + s->cursor, s->text.n - s->cursor);
    memcpy(s->text.p + s->cursor, what.p, what.n);
    buf_added(&s->text, what.n);
    s->cursor += what.n;
}

/* As much of it as there is room for. */
static enum line_action insert_head(struct line_state *s, struct str what)
{
    struct str fits = utf8_head(what, s->text.max - s->text.n);

    line_state_insert(s, fits);
    return fits.n == what.n ? LINE_MORE : LINE_FULL;
}

static void erase(struct line_state *s, size_t from, size_t to)
{
    if (from == to)
        return;
    memmove(s->text.p + from, s->text.p + to, s->text.n - to);
    s->text.n -= to - from;
    s->cursor = from;
}

static void kill_range(struct line_state *s, size_t from, size_t to)
{
    if (from == to)
        return;
    buf_clear(&s->killed);
    buf_put(&s->killed, (struct str){ s->text.p + from, to - from });
    erase(s, from, to);
}

static void set_text(struct line_state *s, struct str text)
{
    buf_clear(&s->text);
    buf_put(&s->text, utf8_head(text, s->text.max));
    s->cursor = s->text.n;
}

void line_taken(struct line_state *s)
{
    buf_clear(&s->text);
    buf_clear(&s->draft);
    s->cursor = 0;
    s->at = s->history->n;
    s->searching = false;
}

static struct str text_of(const struct line_state *s)
{
    return buf_str(&s->text);
}

/* ---- history ------------------------------------------------------------------------------- */

static void show_history(struct line_state *s, size_t at)
{
    if (s->at == s->history->n) {
        buf_clear(&s->draft);
        buf_put(&s->draft, text_of(s));
    }
    s->at = at;
    set_text(s, at == s->history->n ? buf_str(&s->draft) : s->history->line[at]);
}

static enum line_action on_up(struct line_state *s)
{
    size_t start = text_line_start(text_of(s), s->cursor);

    if (start)
        s->cursor = text_same_column(text_of(s), s->cursor, text_line_start(text_of(s), start - 1));
    else if (s->at)
        show_history(s, s->at - 1);
    return LINE_MORE;
}

static enum line_action on_down(struct line_state *s)
{
    size_t end = text_line_end(text_of(s), s->cursor);

    if (end < s->text.n)
        s->cursor = text_same_column(text_of(s), s->cursor, end + 1);
    else if (s->at < s->history->n)
        show_history(s, s->at + 1);
    return LINE_MORE;
}

/* ---- searching ----------------------------------------------------------------------------- */

struct str line_found(const struct line_state *s)
{
    return s->found < s->history->n ? s->history->line[s->found] : STR("");
}

/* The newest line before `before` that has the pattern. Without one all stays as it is. */
static void search_before(struct line_state *s, size_t before)
{
    for (size_t i = before; s->pattern.n && i-- > 0;) {
        if (str_find(s->history->line[i], buf_str(&s->pattern)) >= 0) {
            s->found = i;
            return;
        }
    }
}

static void search_anew(struct line_state *s)
{
    s->found = s->history->n;
    search_before(s, s->history->n);
}

static enum line_action on_search(struct line_state *s)
{
    if (s->searching) {
        search_before(s, s->found);
        return LINE_MORE;
    }
    s->searching = true;
    buf_clear(&s->pattern);
    s->found = s->history->n;
    return LINE_MORE;
}

static void end_search(struct line_state *s)
{
    s->searching = false;
    if (s->found == s->history->n)
        return;
    show_history(s, s->found);
    s->cursor = (size_t)str_find(text_of(s), buf_str(&s->pattern));
}

/* A key while searching. False: the search is over, and the key has its usual meaning. */
static bool search_key(struct line_state *s, enum key key, struct str text)
{
    if (key == KEY_SEARCH)
        return false;
    if (key == KEY_TEXT) {
        buf_put(&s->pattern, text);
        search_anew(s);
        return true;
    }
    if (key == KEY_BACKSPACE) {
        s->pattern.n = text_before(buf_str(&s->pattern), s->pattern.n);
        search_anew(s);
        return true;
    }
    if (key == KEY_ABORT || key == KEY_INTERRUPT) {
        s->searching = false;
        return true;
    }
    end_search(s);
    return false;
}

/* ---- completing ---------------------------------------------------------------------------- */

static size_t common_length(struct str a, struct str b)
{
    size_t n = 0;

    while (n < a.n && n < b.n && a.p[n] == b.p[n])
        n++;
    return n;
}

static struct str common_head(const struct line_choices *c)
{
    size_t n = c->v[0].n;

    for (size_t i = 1; i < c->n; i++)
        n = common_length(str_head(c->v[0], n), c->v[i]);
    return utf8_head(c->v[0], n);
}

static enum line_action put_completion(struct line_state *s, struct str word)
{
    struct str typed = str_skip(str_head(text_of(s), s->cursor), s->choices.from);

    if (s->choices.n > 1 && str_starts(typed, word))
        return LINE_CHOICES;
    if (word.n + s->text.n - typed.n > s->text.max)
        return LINE_FULL;
    erase(s, s->choices.from, s->cursor);
    line_state_insert(s, word);
    if (s->choices.n == 1 && !str_ends(word, STR("/")))
        return insert_head(s, STR(" "));
    return LINE_MORE;
}

static enum line_action on_tab(struct line_state *s)
{
    arena_reset(&s->mem);
    s->choices = (struct line_choices){ .from = s->cursor };
    if (s->complete)
        s->complete(s->ctx, &s->mem, str_head(text_of(s), s->cursor), &s->choices);
    return s->choices.n ? put_completion(s, common_head(&s->choices)) : LINE_MORE;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static enum line_action on_enter(struct line_state *s)
{
    if (s->cursor == s->text.n && str_ends(text_of(s), STR("\\"))) {
        s->text.p[s->text.n - 1] = '\n';
        return LINE_MORE;
    }
    return LINE_SUBMIT;
}

static enum line_action on_newline(struct line_state *s)
{
    return insert_head(s, STR("\n"));
}

static enum line_action on_interrupt(struct line_state *s)
{
    if (s->text.n)
        return LINE_CLEARED;
    if (s->interrupted)
        return LINE_LEAVE;
    s->interrupted = true;
    return LINE_WARN;
}

static enum line_action on_delete(struct line_state *s)
{
    erase(s, s->cursor, text_next(text_of(s), s->cursor));
    return LINE_MORE;
}

static enum line_action on_eof(struct line_state *s)
{
    return s->text.n ? on_delete(s) : LINE_LEAVE;
}

static enum line_action on_backspace(struct line_state *s)
{
    erase(s, text_before(text_of(s), s->cursor), s->cursor);
    return LINE_MORE;
}

static enum line_action on_left(struct line_state *s)
{
    s->cursor = text_before(text_of(s), s->cursor);
    return LINE_MORE;
}

static enum line_action on_right(struct line_state *s)
{
    s->cursor = text_next(text_of(s), s->cursor);
    return LINE_MORE;
}

static enum line_action on_home(struct line_state *s)
{
    s->cursor = text_line_start(text_of(s), s->cursor);
    return LINE_MORE;
}

static enum line_action on_end(struct line_state *s)
{
    s->cursor = text_line_end(text_of(s), s->cursor);
    return LINE_MORE;
}

static enum line_action on_word_left(struct line_state *s)
{
    s->cursor = text_word_before(text_of(s), s->cursor);
    return LINE_MORE;
}

static enum line_action on_word_right(struct line_state *s)
{
    s->cursor = text_word_next(text_of(s), s->cursor);
    return LINE_MORE;
}

static enum line_action on_kill_end(struct line_state *s)
{
    kill_range(s, s->cursor, text_line_end(text_of(s), s->cursor));
    return LINE_MORE;
}

static enum line_action on_kill_start(struct line_state *s)
{
    kill_range(s, text_line_start(text_of(s), s->cursor), s->cursor);
    return LINE_MORE;
}

static enum line_action on_kill_word(struct line_state *s)
{
    kill_range(s, text_blank_before(text_of(s), s->cursor), s->cursor);
    return LINE_MORE;
}

static enum line_action on_kill_back(struct line_state *s)
{
    kill_range(s, text_word_before(text_of(s), s->cursor), s->cursor);
    return LINE_MORE;
}

static enum line_action on_kill_ahead(struct line_state *s)
{
    kill_range(s, s->cursor, text_word_next(text_of(s), s->cursor));
    return LINE_MORE;
}

static enum line_action on_yank(struct line_state *s)
{
    return insert_head(s, buf_str(&s->killed));
}

static enum line_action on_redraw(struct line_state *s)
{
    (void)s;
    return LINE_REDRAW;
}

static enum line_action on_suspend(struct line_state *s)
{
    (void)s;
    return LINE_SUSPEND;
}

static enum line_action (*const handlers[KEYS])(struct line_state *s) = {
    [KEY_ENTER] = on_enter,
    [KEY_NEWLINE] = on_newline,
    [KEY_TAB] = on_tab,
    [KEY_BACKSPACE] = on_backspace,
    [KEY_DELETE] = on_delete,
    [KEY_LEFT] = on_left,
    [KEY_RIGHT] = on_right,
    [KEY_UP] = on_up,
    [KEY_DOWN] = on_down,
    [KEY_HOME] = on_home,
    [KEY_END] = on_end,
    [KEY_WORD_LEFT] = on_word_left,
    [KEY_WORD_RIGHT] = on_word_right,
    [KEY_KILL_END] = on_kill_end,
    [KEY_KILL_START] = on_kill_start,
    [KEY_KILL_WORD] = on_kill_word,
    [KEY_KILL_BACK] = on_kill_back,
    [KEY_KILL_AHEAD] = on_kill_ahead,
    [KEY_YANK] = on_yank,
    [KEY_SEARCH] = on_search,
    [KEY_INTERRUPT] = on_interrupt,
    [KEY_EOF] = on_eof,
    [KEY_REDRAW] = on_redraw,
    [KEY_SUSPEND] = on_suspend,
};

static enum line_action press(struct line_state *s, enum key key, struct str text)
{
    if (s->searching && search_key(s, key, text))
        return LINE_MORE;
    if (key != KEY_INTERRUPT)
        s->interrupted = false;
    if (key == KEY_TEXT)
        return insert_head(s, text);
    return handlers[key] ? handlers[key](s) : LINE_MORE;
}

enum line_action line_feed(struct line_state *s, struct str *bytes)
{
    enum line_action action = LINE_MORE;
    struct str text = STR_NONE;

    while (action == LINE_MORE) {
        enum key key = key_next(&s->keys, bytes, &text);

        if (key == KEY_NONE)
            break;
        action = press(s, key, text);
    }
    return action;
}
