/*
 * client.c - the MCP client as a program: for the official conformance suite, and to try a server
 * by hand.
 *
 *   conformance-client URL                     the suite; the scenario is in the environment
 *   conformance-client call TOOL JSON TARGET   connect, list the tools, call one, print
 *
 * "" calls nothing; "a,b,a" calls one after the other, "a+b+a" all at once. The time a call may
 * take is MCP_TIMEOUT_MS, MCP_ERA and MCP_SSE choose what the configuration would.
 *
 * TARGET is a URL, or a command and its arguments.
 */
#include "client.h"
#include "sandbox/keep.h"

#include <stdlib.h>
#include <unistd.h>

extern char **environ;

/* ---- the connection ------------------------------------------------------------------------ */

static void on_ready(struct mcp_client *c)
{
    struct act *a = mcp_client_owner(c);

    a->ready = true;
    a->next(a);
}

static void on_tools(struct mcp_client *c)
{
    (void)c;
}

static void on_closed(struct mcp_client *c, const struct err *e)
{
    struct act *a = mcp_client_owner(c);

    if (!a->ready || e->code != ERR_CANCELED) {
        fprintf(stderr, "closed: %s\n", e->text);
        a->failed = true;
    }
    mcp_client_free(c);
    a->client = NULL;
    http_client_close(a->world.http, NULL, NULL);
}

static const struct mcp_client_events events = {
    .on_ready = on_ready,
    .on_tools = on_tools,
    .on_closed = on_closed,
};

/* The connection may have ended before the last call was told. */
void act_leave(struct act *a)
{
    if (a->client)
        mcp_client_close(a->client);
}

/* ---- calls --------------------------------------------------------------------------------- */

static void on_called(struct op *op, const struct err *e, void *ctx)
{
    struct act_call *k = ctx;

    (void)op;
    k->done(k, e);
    arena_fini(&k->mem);
    mem_free(k);
}

static void start_call(struct call *call)
{
    struct act_call *k = CONTAINER_OF(call, struct act_call, call);

    if (!k->act->client)
        call_broke(call, &(struct err){ ERR_CLOSED, "the connection has ended" });
    else if (k->tool)
        mcp_client_call(k->act->client, call, str_of(k->tool));
    else
        mcp_client_request(k->act->client, call, k->method, call->args);
}

static void run_call(struct act *a, const char *tool, const char *method, struct str params,
                     act_done_fn *done)
{
    struct act_call *k = MEM_NEW(struct act_call);
    struct json_opts opts = limits_json(&a->limits);
    struct call_about about = { .what = tool ? tool : method, .timeout_ms = CALL_NO_DEADLINE };
    struct err e;

    k->act = a;
    k->tool = tool;
    k->method = method;
    k->done = done;
    if (params.n && !json_read(&k->mem, arena_str(&k->mem, params), &opts, &about.args, &e)) {
        fprintf(stderr, "%s\n", e.text);
        exit(2);
    }
    call_run(&k->call, &a->host, &a->caller, &k->mem, &about, start_call, NULL, on_called, k);
}

void act_call_tool(struct act *a, const char *tool, struct str args, act_done_fn *done)
{
    run_call(a, tool, NULL, args, done);
}

void act_request(struct act *a, const char *method, struct str params, act_done_fn *done)
{
    run_call(a, NULL, method, params, done);
}

/* ---- by hand ------------------------------------------------------------------------------- */

static void call_next(struct act *a);

static void print_result(struct act_call *k, const struct err *e)
{
    struct act *a = k->act;

    if (e)
        printf("failed: %s\n", e->text);
    else if (k->call.raw_error.p)
        printf("error " STR_FMT "\n", STR_ARG(k->call.raw_error));
    else
        printf("result " STR_FMT "\n", STR_ARG(k->call.raw_result));
    a->failed |= e != NULL;
    if (--a->open == 0)
        call_next(a);
}

/* The next name, and those joined to it by +. */
static void call_next(struct act *a)
{
    struct str names = str_cut(&a->names, ',');

    if (!names.n) {
        act_leave(a);
        return;
    }
    while (names.p) {
        struct str one = str_cut(&names, '+');

        a->open++;
        act_call_tool(a, arena_cstr(&a->mem, one), str_of(a->args), print_result);
    }
}

static void by_hand(struct act *a)
{
    struct mcp_client_facts f = mcp_client_facts(a->client);

    printf("%s " STR_FMT " " STR_FMT " " STR_FMT ", %zu tools\n",
           f.transport == SERVER_STDIO  ? "stdio"
           : f.transport == SERVER_HTTP ? "http"
                                        : "sse",
           STR_ARG(f.version), STR_ARG(f.server_name), STR_ARG(f.server_version), f.tools);
    for (size_t i = 0; i < f.tools; i++)
        printf("  " STR_FMT "\n", STR_ARG(f.tool[i].name));
    call_next(a);
}

/* ---- the program --------------------------------------------------------------------------- */

static void set_target(struct act *a, char **argv)
{
    const char *sse = getenv("MCP_SSE"), *era = getenv("MCP_ERA");
    const char *timeout = getenv("MCP_TIMEOUT_MS");
    bool url = !strncmp(argv[0], "http://", 7) || !strncmp(argv[0], "https://", 8);

    a->spec = (struct server_spec){
        .name = "test",
        .transport = !url  ? SERVER_STDIO
                     : sse ? SERVER_SSE
                           : SERVER_HTTP,
        .argv = (const char *const *)argv,
        .url = argv[0],
        .timeout_ms = timeout ? atoll(timeout) : 30000,
        .timeout_max_ms = 60000,
        .era = !era                     ? SERVER_ERA_AUTO
               : !strcmp(era, "modern") ? SERVER_ERA_MODERN
                                        : SERVER_ERA_LEGACY,
        .enabled = true,
        .trusted = true,
    };
}

static void set_up(struct act *a)
{
    struct http_client_opts http = { .user_agent = "trefoil-test/1" };
    static char root[4096];

    if (!getcwd(root, sizeof(root)))
        exit(2);
    limits_preset(&a->limits);
    a->loop = loop_new(LOOP_REAL_CLOCK);
    rpc_init(&a->rpc, a->loop, &a->limits);
    procs_init(&a->procs, a->loop, &a->limits);
    http.loop = a->loop;
    http.limits = &a->limits;
    a->host = (struct host){ .loop = a->loop, .limits = &a->limits, .root_fd = -1, .root = root };
    a->caller = (struct caller){ .kind = &act_caller, .name = "test" };
    a->world = (struct mcp_client_world){ .rpc = &a->rpc,
                                          .procs = &a->procs,
                                          .http = http_client_new(&http),
                                          .environ = (const char *const *)environ,
                                          .root = root,
                                          .name = "trefoil",
                                          .version = "0.1.0" };
}

int main(int argc, char **argv)
{
    static struct act a;
    bool hand = argc > 4 && !strcmp(argv[1], "call");

    if (argc > 1 && !strcmp(argv[1], "keep"))
        return keep_main(argc - 1, argv + 1);
    if (argc < 2) {
        fprintf(stderr, "usage: conformance-client URL | call TOOL JSON TARGET...\n");
        return 2;
    }
    if (getenv("MCP_DEBUG"))
        log_setup(LOG_DEBUG, false);
    set_up(&a);
    a.next = hand ? by_hand : act_scenario(getenv("MCP_CONFORMANCE_SCENARIO"));
    if (hand) {
        a.names = str_of(argv[2]);
        a.args = argv[3];
    }
    set_target(&a, hand ? argv + 4 : argv + argc - 1);
    a.client = mcp_client_open(&a.world, &a.spec, SERVER_ERA_AUTO, &events, &a);
    loop_run(a.loop);
    rpc_fini(&a.rpc);
    arena_fini(&a.mem);
    loop_free(a.loop);
    return a.failed;
}
