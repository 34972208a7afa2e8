/*
 * servers_list.c - `trefoil servers [list]` and `trefoil servers test NAME`.
 *
 * The list shows the servers of a running daemon or, without a daemon, the servers of this process.
 * `test` always connects in this process, so it shows what a server does when it is started now.
 */
#include "app/servers.h"
#include "app/short_service.h"
#include "base/display.h"
#include "daemon/daemon_http_client.h"
#include "web/server_json.h"

#include <stdio.h>

enum { OUTPUT_MOST = 64 << 20 };

/* Print a text from a server or a file, made safe for a terminal. */
static void print_shown(const char *before, struct str text, const char *after)
{
    AUTO_BUF out;

    buf_init(&out, OUTPUT_MOST);
    show_text(&out, text);
    printf("%s" STR_FMT "%s", before, STR_ARG(buf_str(&out)), after);
}

static struct json read_servers(struct app *app, struct mcp_upstreams *upstreams, struct err *e)
{
    struct json_opts opts = limits_json(&app->project.config.limits);
    struct json list = { 0 };
    struct buf text;
    struct jw w = jw_to(&text);

    opts.max_values = UINT32_MAX;
    buf_init_in(&text, &app->project.mem, OUTPUT_MOST);
    servers_write(&w, upstreams);
    json_read(&app->project.mem, buf_str(&text), &opts, &list, e);
    return list;
}

static void print_json(struct json list)
{
    AUTO_BUF out;

    buf_init(&out, OUTPUT_MOST);
    buf_put(&out, json_raw(list));
    print_output(&out);
    putchar('\n');
}

/* ---- list: from server_json.h, of this process or of the daemon ------------------------------ */

static struct str text_of(struct app *app, struct json server, const char *key)
{
    struct json v = json_get(server, str_of(key));

    return json_here(v) ? json_str(&app->project.mem, v) : STR_NONE;
}

static long long number_of(struct json server, const char *key)
{
    int64_t n = 0;

    json_int(json_get(server, str_of(key)), &n);
    return n;
}

/*
 * Find the entry of the same name under "connected". Missing: the tools of this server are not
 * known.
 */
static struct json connected_of(struct app *app, struct json list, struct str name)
{
    JSON_EACH(server, json_get(list, STR("connected")))
    {
        if (str_eq(text_of(app, server, "name"), name))
            return server;
    }
    return (struct json){ 0 };
}

static struct str last_of(struct app *app, struct json lines)
{
    struct str last = STR_NONE;

    JSON_EACH(line, lines)
    {
        last = json_str(&app->project.mem, line);
    }
    return last;
}

static bool is_ready(struct app *app, struct json server)
{
    return str_eq(text_of(app, server, "state"), str_of(upstream_state_name(UP_READY)));
}

static const char *word_of(struct app *app, struct json server, const char *key)
{
    struct str word = text_of(app, server, key);

    return word.p ? arena_cstr(&app->project.mem, word) : "-";
}

static void print_left_out(const char *before, long long n, struct str why)
{
    printf("%s%lld %s skipped; ", before, n, n == 1 ? "tool is" : "tools are");
    print_shown("", why, "\n");
}

static void print_remark(struct app *app, struct json server, struct json connected)
{
    struct str error = text_of(app, server, "last_error");
    struct str tail = last_of(app, json_get(server, STR("stderr_tail")));
    long long left_out = number_of(connected, "tools_left_out");

    if (!is_ready(app, server) && error.p)
        print_shown("    ", error, "\n");
    else if (left_out)
        print_left_out("    ", left_out, text_of(app, connected, "left_out_because"));
    else if (tail.p)
        print_shown("    stderr: ", tail, "\n");
}

/* Print " 2 tools have changed since approval: add (quarantined), echo; review with: ...". */
static void print_changed(struct app *app, struct json connected)
{
    struct json changed = json_get(connected, STR("tools_changed"));
    const char *before = "";

    if (!json_count(changed))
        return;
    printf("    %zu %s changed since approval: ", json_count(changed),
           json_count(changed) == 1 ? "tool has" : "tools have");
    JSON_EACH(tool, changed)
    {
        bool quarantined = json_true(json_get(tool, STR("quarantined")));

        print_shown(before, text_of(app, tool, "name"), quarantined ? " (quarantined)" : "");
        before = ", ";
    }
    printf("; review with: " TREFOIL_NAME " servers approve %s\n", word_of(app, connected, "name"));
}

static void print_row(struct app *app, struct json list, struct json server)
{
    struct json connected = connected_of(app, list, text_of(app, server, "name"));

    printf("%-20s %-11s %-7s %-11s %5lld %8lld %8lld\n", word_of(app, server, "name"),
           word_of(app, server, "state"), word_of(app, connected, "era"),
           word_of(app, connected, "version"), number_of(connected, "tools_count"),
           number_of(connected, "rss_kb"), number_of(server, "restarts"));
    print_remark(app, server, connected);
    print_changed(app, connected);
}

/* Are all servers connected, except disabled and untrusted servers? */
static bool all_ready(struct app *app, struct json list)
{
    JSON_EACH(server, json_get(list, STR("configured")))
    {
        struct str state = text_of(app, server, "state");

        if (!is_ready(app, server) && !str_eq(state, str_of(upstream_state_name(UP_DISABLED))) &&
            !str_eq(state, str_of(upstream_state_name(UP_UNTRUSTED))))
            return false;
    }
    return true;
}

static void print_rows(struct app *app, struct json list)
{
    if (!json_count(json_get(list, STR("configured")))) {
        printf("no MCP server is configured; add one with: " TREFOIL_NAME
               " servers add NAME -- COMMAND\n");
        return;
    }
    printf("%-20s %-11s %-7s %-11s %5s %8s %8s\n", "NAME", "STATE", "ERA", "VERSION", "TOOLS",
           "RSS_KB", "RESTARTS");
    JSON_EACH(server, json_get(list, STR("configured")))
    {
        print_row(app, list, server);
    }
}

static int print_list(struct app *app, struct json list)
{
    if (app->opt.json)
        print_json(list);
    else
        print_rows(app, list);
    fflush(stdout);
    return all_ready(app, list) ? EXIT_OK : EXIT_FAILED;
}

static int list_own(struct app *app)
{
    struct once o;
    struct err e;
    int code;

    if (!once_open(&o, app))
        return EXIT_FAILED;
    once_use(&o, app->project.config.limits.look_ms);
    code = print_list(app, read_servers(app, o.service.upstreams.upstreams, &e));
    once_close(&o);
    return code;
}

int servers_list(struct app *app, const struct servers_args *a, int words, char **word)
{
    struct daemon_answer answer;

    (void)a;
    (void)words;
    (void)word;
    if (!app->opt.log_level &&
        daemon_ask(&app->project, "GET", "/api/servers", STR_NONE,
                   app->project.config.limits.look_ms, &answer) == DAEMON_ANSWERED &&
        answer.status == 200)
        return print_list(app, answer.body);
    return list_own(app);
}

/* ---- test ---------------------------------------------------------------------------------- */

static void print_tools(const struct upstream *u)
{
    for (size_t i = 0; i < u->tools; i++) {
        const struct tool *t = &u->tool[i].tool;
        AUTO_BUF out;

        buf_init(&out, OUTPUT_MOST);
        show_summary(&out, str_of(t->description ? t->description : ""));
        printf("  %-32s %s" STR_FMT "\n", t->name ? t->name : "(not offered: duplicate name)",
               t->withheld          ? "(quarantined) "
               : u->tool[i].changed ? "(changed) "
                                    : "",
               STR_ARG(buf_str(&out)));
    }
}

static void print_success(const struct upstream *u)
{
    struct mcp_client_facts facts = mcp_client_facts(u->client);

    printf("connected  by %s", server_transport_name(facts.transport));
    if (facts.proc)
        printf(", process %d", facts.proc->pid);
    print_shown("\n"
                "handshake  MCP ",
                facts.version, "");
    printf(" (%s)", server_era_name(facts.era));
    print_shown(", server ", facts.server_name, "");
    print_shown(" ", facts.server_version, "\n");
    printf("listed     %zu tools, %zu of them offered\n", facts.tools, u->tools);
    if (facts.left_out)
        print_left_out("           ", (long long)facts.left_out, str_of(facts.out_why));
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

/* Print the command of the server before it is started, because the first start may take long. */
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
    struct err e;

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
    u = mcp_upstreams_next(o.service.upstreams.upstreams, NULL);
    ready = u->state == UP_READY;
    if (app->opt.json)
        print_json(read_servers(app, o.service.upstreams.upstreams, &e));
    else
        print_test(u);
    fflush(stdout);
    once_close(&o);
    return ready ? EXIT_OK : EXIT_FAILED;
}
