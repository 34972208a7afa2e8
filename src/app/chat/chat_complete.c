/*
 * chat_complete.c - completes words when the user presses Tab: a command at the start of the line,
 * the argument of some commands, and @path (below the root) anywhere.
 *
 * Reads folders, which blocks the loop. This happens only while chat waits for input.
 */
#include "app/chat/chat.h"

#include "base/utf8.h"
#include "loop/file.h"

#include <sys/stat.h>

enum { NAMES_MOST = 10000 };

/* Can the user type this file name? A file name may contain control characters or invalid UTF-8. */
static bool can_be_typed(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return false;
    return utf8_valid(s) == s.n;
}

static void chat_complete_add(struct line_choices *out, struct str typed, struct str choice)
{
    if (str_starts(choice, typed) && can_be_typed(choice))
        out->v[out->n++] = choice;
}

static void complete_command(struct arena *mem, struct str head, struct line_choices *out)
{
    size_t n = 0;

    while (chat_command_name(n))
        n++;
    out->from = 0;
    out->v = ARENA_ARRAY(mem, struct str, n);
    for (size_t i = 0; i < n; i++)
        chat_complete_add(out, head, str_of(chat_command_name(i)));
}

static void complete_agent(struct chat *c, struct arena *mem, struct str typed,
                           struct line_choices *out)
{
    struct agent_registry_port *d = agent_registry_port(c->shop.registry);
    size_t n;
    const struct agent_card *card = d->kind->cards(d, &n);

    out->v = ARENA_ARRAY(mem, struct str, n + 1);
    for (size_t i = 0; i < n; i++)
        chat_complete_add(out, typed, arena_str(mem, str_of(card[i].name)));
}

static void complete_mode(struct arena *mem, struct str typed, struct line_choices *out)
{
    out->v = ARENA_ARRAY(mem, struct str, 2);
    chat_complete_add(out, typed, STR("read-only"));
    chat_complete_add(out, typed, STR("read-write"));
}

/* ---- paths --------------------------------------------------------------------------------- */

static bool is_folder(struct arena *mem, const char *root, struct str path)
{
    const char *whole = arena_printf(mem, "%s/" STR_FMT, root, STR_ARG(path)).p;
    struct stat st;

    return stat(whole, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Complete a path. `typed` is the text after the @: a folder up to the last slash, then the
 * beginning of a name.
 */
static void complete_path(struct chat *c, struct arena *mem, struct str typed,
                          struct line_choices *out)
{
    const char *root = c->app->project.root.path;
    const char *slash = typed.n ? memrchr(typed.p, '/', typed.n) : NULL;
    struct str folder = str_head(typed, slash ? (size_t)(slash - typed.p) + 1 : 0);
    struct file_names names;
    struct err e;

    if (!file_list_beneath(mem, root, folder.n ? arena_cstr(mem, folder) : ".", NAMES_MOST, &names,
                           &e))
        return;
    out->v = ARENA_ARRAY(mem, struct str, names.n + 1);
    for (size_t i = 0; i < names.n; i++) {
        struct str path = arena_printf(mem, STR_FMT "%s", STR_ARG(folder), names.v[i]);

        if (str_starts(path, typed) && is_folder(mem, root, path))
            path = arena_printf(mem, STR_FMT "/", STR_ARG(path));
        chat_complete_add(out, typed, path);
    }
}

/* ---- choosing the completion --------------------------------------------------------------- */

static size_t word_start(struct str head)
{
    size_t at = head.n;

    while (at && head.p[at - 1] != ' ' && head.p[at - 1] != '\n' && head.p[at - 1] != '\t')
        at--;
    return at;
}

void chat_complete(void *ctx, struct arena *mem, struct str head, struct line_choices *out)
{
    struct chat *c = ctx;
    size_t start = word_start(head);
    struct str word = str_skip(head, start);

    out->from = start;
    if (!start && str_starts(head, STR("/"))) {
        complete_command(mem, head, out);
    } else if (str_starts(word, STR("@"))) {
        out->from = start + 1;
        complete_path(c, mem, str_skip(word, 1), out);
    } else if (str_eq(str_head(head, start), STR("/agent "))) {
        complete_agent(c, mem, word, out);
    } else if (str_eq(str_head(head, start), STR("/mode "))) {
        complete_mode(mem, word, out);
    }
}
