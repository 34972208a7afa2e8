/*
 * servers_approve.c - `trefoil servers approve NAME [TOOL]`: show how the definitions of tools have
 * changed since the user approved them, and approve the new ones.
 *
 * Both definitions are in the state directory (state/pin_file.h), so the server is not started, and
 * exactly what was shown is approved. A running daemon watches the file.
 */
#include "app/servers.h"
#include "base/auto.h"
#include "base/display.h"
#include "base/nearest.h"
#include "runtime/tool_pins.h"
#include "state/pin_file.h"
#include "tool/file/diff.h"

#include <stdio.h>
#include <unistd.h>

enum { DIFF_MOST = 64 << 20 };

/* The changed tools of a server, or only the tool that the user has named. */
struct review {
    struct app *app;
    struct pin_file file;
    struct tool_pin *pin;
    size_t n;
};

/* ---- showing --------------------------------------------------------------------------------- */

static void put_indent(struct buf *out, int depth)
{
    buf_putc(out, '\n');
    for (int i = 0; i < depth; i++)
        buf_put(out, STR("  "));
}

/* Write each value on a separate line, so that a diff shows what has changed. */
static void put_value(struct buf *out, struct json v, int depth)
{
    bool object = json_type(v) == JSON_OBJECT;
    size_t n = 0;

    if ((!object && json_type(v) != JSON_ARRAY) || !json_count(v)) {
        buf_put(out, json_raw(v));
        return;
    }
    buf_putc(out, object ? '{' : '[');
    for (struct json at = json_first(v); json_here(at);
         at = json_next(v, object ? json_value(at) : at)) {
        if (n++)
            buf_putc(out, ',');
        put_indent(out, depth + 1);
        if (object)
            buf_printf(out, STR_FMT ": ", STR_ARG(json_raw(at)));
        put_value(out, object ? json_value(at) : at, depth + 1);
    }
    put_indent(out, depth);
    buf_putc(out, object ? '}' : ']');
}

static struct str pretty(struct arena *mem, struct str definition)
{
    const struct json_opts opts = { .max_depth = JSON_DEPTH_CEILING, .max_values = UINT32_MAX };
    struct json v;
    struct buf out;
    struct err e;

    buf_init_in(&out, mem, DIFF_MOST);
    if (!json_read(mem, definition, &opts, &v, &e))
        return definition;
    put_value(&out, v, 0);
    buf_putc(&out, '\n');
    return buf_str(&out);
}

/*
 * Return one edit that replaces everything between the common beginning and the common end of both
 * texts.
 */
static struct diff_edit edit_between(struct str old, struct str new)
{
    size_t from = 0, tail = 0;

    while (from < old.n && from < new.n &&old.p[from] == new.p[from])
        from++;
    while (tail < old.n - from &&
           tail < new.n - from &&old.p[old.n - 1 - tail] == new.p[new.n - 1 - tail])
        tail++;
    return (struct diff_edit){ from, old.n - tail, { new.p + from, new.n - tail - from } };
}

static void show_change(const struct review *r, const struct tool_pin *p)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF diff, out;
    struct str rest, old = pretty(&mem, p->definition), new = pretty(&mem, p->changed);
    struct diff_edit edit = edit_between(old, new);

    buf_init(&diff, DIFF_MOST);
    buf_init(&out, DIFF_MOST);
    diff_put(&diff, &mem, arena_printf(&mem, "%s:" STR_FMT, r->file.server, STR_ARG(p->name)), old,
             &edit, 1);
    for (rest = buf_str(&diff); rest.n;) {
        show_text(&out, str_cut(&rest, '\n')); /* shows each hidden character */
        buf_putc(&out, '\n');
    }
    print_output(&out);
}

static void print_review_json(const struct review *r, size_t approved)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, DIFF_MOST);
    jw_object(&w);
    jw_kstr(&w, "server", str_of(r->file.server));
    jw_kint(&w, "approved", (int64_t)approved);
    jw_plain_key(&w, STR("changed"));
    jw_array(&w);
    for (size_t i = 0; i < r->n; i++) {
        jw_object(&w);
        jw_kstr(&w, "tool", r->pin[i].name);
        jw_kraw(&w, "was", r->pin[i].definition);
        jw_kraw(&w, "is", r->pin[i].changed);
        jw_object_end(&w);
    }
    jw_array_end(&w);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    print_output(&out);
}

/* ---- selecting the tools ---------------------------------------------------------------------- */

static void take_changed(struct review *r, const struct pin_list *all, const char *tool)
{
    r->pin = ARENA_ARRAY(&r->app->project.mem, struct tool_pin, all->n);
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].changed.p && (!tool || str_eq(all->v[i].name, str_of(tool))))
            r->pin[r->n++] = all->v[i];
}

static int fail_unknown_tool(const struct pin_list *all, const char *server, const char *tool)
{
    struct nearest n = nearest_to(str_of(tool));

    for (size_t i = 0; i < all->n; i++)
        nearest_try(&n, all->v[i].name);
    return print_usage_error("servers approve: no tool %.64s of server %.64s is known%s", tool,
                             server, nearest_hint(&n));
}

static int nothing_changed(const struct review *r, const char *tool)
{
    if (r->app->opt.json)
        print_review_json(r, 0);
    else if (tool)
        printf("the tool %s of %s has not changed\n", tool, r->file.server);
    else
        printf("no tool of %s has changed\n", r->file.server);
    return EXIT_OK;
}

/* ---- accepting -------------------------------------------------------------------------------- */

static bool approve_ask(const struct review *r)
{
    char line[16] = "";

    printf("approve %s (%zu)? [y/N] ", r->n == 1 ? "this change" : "all of these changes", r->n);
    fflush(stdout);
    return fgets(line, sizeof(line), stdin) && (line[0] == 'y' || line[0] == 'Y');
}

static int approve_shown(const struct review *r)
{
    struct pin_definition *shown = ARENA_ARRAY(&r->app->project.mem, struct pin_definition, r->n);
    size_t approved;
    struct err e;

    for (size_t i = 0; i < r->n; i++)
        shown[i] = (struct pin_definition){ r->pin[i].name, r->pin[i].changed };
    if (!pin_file_approve(&r->file, shown, r->n, &approved, &e))
        return print_error(&e);
    if (r->app->opt.json)
        print_review_json(r, approved);
    else
        printf("approved %zu changed %s of %s\n", approved, approved == 1 ? "tool" : "tools",
               r->file.server);
    if (approved == r->n)
        return EXIT_OK;
    fprintf(stderr, "%zu changed again meanwhile and %s not approved\n", r->n - approved,
            r->n - approved == 1 ? "was" : "were");
    return EXIT_FAILED;
}

static int review_changes(const struct review *r, const struct servers_args *a)
{
    for (size_t i = 0; i < r->n && !r->app->opt.json; i++)
        show_change(r, &r->pin[i]);
    fflush(stdout);
    if (a->trust.yes)
        return approve_shown(r);
    if (r->app->opt.json)
        print_review_json(r, 0);
    else if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return print_usage_error("servers approve: no terminal is available to ask for "
                                 "confirmation; --yes approves what is shown");
    else if (approve_ask(r))
        return approve_shown(r);
    else
        printf("nothing was approved\n");
    return EXIT_FAILED;
}

int servers_approve_tools(struct app *app, const struct servers_args *a, int words, char **word)
{
    struct review r = { .app = app, .file = { .server = word[0] } };
    const char *tool = words > 1 ? word[1] : NULL;
    struct pin_list all = { 0 };
    struct err e;

    if (a->trust.revoke)
        return print_usage_error("servers approve: --revoke cannot be combined with a server name");
    if (!server_list_find(&app->project.config.servers, word[0]))
        return servers_unknown(
            app,
            arena_printf(&app->project.mem, "servers approve: there is no server %.64s", word[0]).p,
            word[0]);
    r.file.most = tool_pins_most(&app->project.config.limits);
    r.file.state = state_dir_find(&app->project.state, &e) ? app->project.state.path : NULL;
    if (!r.file.state && e.code != ERR_NOT_FOUND)
        return print_error(&e);
    if (r.file.state && !pin_file_read(&r.file, &app->project.mem, &all, &e))
        return print_error(&e);
    if (tool && !pin_list_find(&all, str_of(tool)))
        return fail_unknown_tool(&all, word[0], tool);
    take_changed(&r, &all, tool);
    return r.n ? review_changes(&r, a) : nothing_changed(&r, tool);
}
