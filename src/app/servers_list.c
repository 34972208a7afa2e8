/*
 * servers_list.c - `trefoil servers [list]` and `trefoil servers test NAME`.
 *
 * Both connect in this process, so they show what a server does when it is started now, whether or
 * not a daemon runs.
 */
#include "app/once.h"
#include "app/servers.h"
#include "base/display.h"
#include "web/server_json.h"

#include <stdio.h>

enum { OUTPUT_MOST = 64 << 20 };

/* What comes from a server or a file is made harmless for a terminal. */
static void print_shown(const char *before, struct str text, const char *after)
{
    AUTO_BUF out;

    buf_init(&out, OUTPUT_MOST);
    show_text(&out, text);
    printf("%s" STR_FMT "%s", before, STR_ARG(buf_str(&out)), after);
}

static void print_json(const struct upstreams *up)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, OUTPUT_MOST);
    servers_write(&w, up->upstreams);
    print_output(&out);
    putchar('\n');
}

static const struct upstream *next(const struct once *o, const struct upstream *u)
{
    const struct mcp_upstreams *f = o->service.upstreams.upstreams;

    return f ? mcp_upstreams_next(f, u) : NULL;
}

static void print_left_out(const char *before, const struct mcp_client_facts *facts)
{
    printf("%s%zu %s left out; ", before, facts->left_out,
           facts->left_out == 1 ? "tool is" : "tools are");
    print_shown("", str_of(facts->out_why), "\n");
}

/* ---- list ---------------------------------------------------------------------------------- */

static void print_row(const struct upstream *u)
{
    struct mcp_client_facts facts = { 0 };
    size_t tails = server_tail_count(u);

    if (u->client)
        facts = mcp_client_facts(u->client);
    printf("%-20s %-11s %-7s %-11s %5zu %8lld %8lld\n", u->spec.name, upstream_state_name(u->state),
           facts.ready ? server_era_name(facts.era) : "-", facts.version.p ? facts.version.p : "-",
           u->tools, (long long)server_rss_kb(u), (long long)(u->starts > 0 ? u->starts - 1 : 0));
    if (u->state != UP_READY && u->last_error.code != ERR_NONE)
        print_shown("    ", str_of(u->last_error.text), "\n");
    else if (facts.left_out)
        print_left_out("    ", &facts);
    else if (tails)
        print_shown("    stderr: ", server_tail(u, tails - 1), "\n");
}

/* Is every server that may run there? */
static bool all_ready(const struct once *o)
{
    const struct upstream *u = NULL;

    while ((u = next(o, u)))
        if (u->state != UP_READY && u->state != UP_DISABLED && u->state != UP_UNTRUSTED)
            return false;
    return true;
}

static void print_list(const struct once *o)
{
    const struct upstream *u = NULL;

    if (!next(o, NULL)) {
        printf("no MCP server is configured; add one with: " TREFOIL_NAME
               " servers add NAME -- COMMAND\n");
        return;
    }
    printf("%-20s %-11s %-7s %-11s %5s %8s %8s\n", "NAME", "STATE", "ERA", "VERSION", "TOOLS",
           "RSS_KB", "RESTARTS");
    while ((u = next(o, u)))
        print_row(u);
}

int servers_list(struct app *app, const struct servers_args *a, int words, char **word)
{
    struct once o;
    bool ready;

    (void)a;
    (void)words;
    (void)word;
    if (!once_open(&o, app))
        return EXIT_FAILED;
    once_use(&o, app->project.config.limits.look_ms);
    if (app->opt.json)
        print_json(&o.service.upstreams);
    else
        print_list(&o);
    fflush(stdout);
    ready = all_ready(&o);
    once_close(&o);
    return ready ? EXIT_OK : EXIT_FAILED;
}

/* ---- test ---------------------------------------------------------------------------------- */

static void print_tools(const struct upstream *u)
{
    for (size_t i = 0; i < u->tools; i++) {
        const struct tool *t = &u->tool[i].tool;
        AUTO_BUF out;

        buf_init(&out, OUTPUT_MOST);
        show_summary(&out, str_of(t->description ? t->description : ""));
        printf("  %-32s " STR_FMT "\n", t->name ? t->name : "(not offered: named twice)",
               STR_ARG(buf_str(&out)));
    }
}

static void print_success(const struct upstream *u)
{
    struct mcp_client_facts facts = mcp_client_facts(u->client);

    printf("connected  by %s", server_transport_name(facts.transport));
    if (facts.proc)
        printf(", process %d", facts.proc->pid);
    print_shown("\ngreeted    MCP ", facts.version, "");
    printf(" (%s)", server_era_name(facts.era));
    print_shown(", server ", facts.server_name, "");
    print_shown(" ", facts.server_version, "\n");
    printf("listed     %zu tools, %zu of them offered\n", facts.tools, u->tools);
    if (facts.left_out)
        print_left_out("           ", &facts);
    print_tools(u);
}

static void print_failure(const struct upstream *u)
{
    struct err e;

    if (u->last_error.code == ERR_NONE)
        upstream_explain(u, &e);
    print_shown("failed     ", str_of(u->last_error.code ? u->last_error.text : e.text), "\n");
    for (size_t i = 0; i < server_tail_count(u); i++)
        print_shown("  stderr: ", server_tail(u, i), "\n");
}

/* Told at once: the first start of a server may take a while. */
static void print_start(const struct app *app, const char *name)
{
    const struct server_spec *s = server_list_find(&app->project.config.servers, name);

    if (s)
        print_shown("starting   ", s->shown, "\n");
    fflush(stdout);
}

static void print_test(const struct upstream *u)
{
    if (u->state == UP_READY)
        print_success(u);
    else
        print_failure(u);
}

int servers_test(struct app *app, const struct servers_args *a, int words, char **word)
{
    struct once o;
    const struct upstream *u;
    bool ready = false;

    (void)a;
    (void)words;
    if (!once_open(&o, app))
        return EXIT_FAILED;
    if (!app->opt.json)
        print_start(app, word[0]);
    if (!once_connect(&o, word[0], STR_NONE)) {
        once_close(&o);
        return servers_unknown(
            app,
            arena_printf(&app->project.mem, "servers test: there is no server %.64s", word[0]).p,
            word[0]);
    }
    u = next(&o, NULL);
    ready = u->state == UP_READY;
    if (app->opt.json)
        print_json(&o.service.upstreams);
    else
        print_test(u);
    fflush(stdout);
    once_close(&o);
    return ready ? EXIT_OK : EXIT_FAILED;
}
