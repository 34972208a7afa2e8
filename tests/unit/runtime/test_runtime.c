/* test_workshop.c - where agents work: a real store, a real server, and all tools. */
#include "runtime/runtime.h"

#include "core/agent/skill.h"
#include "core/session/turn.h"
#include "place.h"
#include "runtime/service.h"
#include "state/state_dir.h"
#include "tool/tools.h"
#include "unit/loop/until.h"

struct bench {
    struct place f;
    struct loop *loop;
    struct config c;
    struct root root;
    struct state_dir state;
    struct service service;
    struct runtime w;
    bool closed, left, opened;
    struct err err;
    size_t agents;
};

/*
 * What [mcp] keeps from its clients is not kept from agents. The root contains the home folder, so
 * no sandbox starts here; the end-to-end tests have one.
 */
static const char settings[] = "[mcp]\nprivate_tools = ['grep', 'ok:env']\n"
                               "[sandbox]\ndefault = 'off'\n"
                               "[guard.permission]\nexecute = 'auto'\n"
                               "[store]\ndurability = 'power'\n"
                               "[[mcp.servers]]\nname = 'ok'\n"
                               "command = ['python3', '" BAD_SERVER "', 'ok']\n"
                               "sandbox = 'off'\n";

static void bench_open(struct bench *b)
{
    struct err e = { 0 };

    *b = (struct bench){ 0 };
    b->f = place_new();
    setenv("TREFOIL_PROVIDER", "offline", 1);
    b->loop = loop_new(LOOP_REAL_CLOCK);
    b->root = (struct root){ .path = b->f.path };
    place_write(&b->f, "home/own.toml", settings);
    if (!config_load(&b->f.mem, &b->root, place_file(&b->f, "home/own.toml"), false, &b->c, &e) ||
        !service_open(&b->service, b->loop, &b->c.limits, b->f.path, &e))
        TAP_NOT("%s", e.text);
    b->service.upstreams.procs.keeper = TEST_KEEPER;
    state_dir_init(&b->state, b->f.path);
    service_use_state(&b->service, &b->state.port);
    service_expose(&b->service, &b->c);
}

static void on_closed(void *ctx)
{
    ((struct bench *)ctx)->closed = true;
}

static void on_left(void *ctx, bool in_time)
{
    OK(in_time);
    ((struct bench *)ctx)->left = true;
}

static void bench_close(struct bench *b)
{
    runtime_leave_servers(&b->w);
    b->closed = false;
    runtime_close(&b->w, on_closed, b);
    OK(until(b->loop, until_true, &b->closed));
    service_leave_servers(&b->service, on_left, b);
    OK(until(b->loop, until_true, &b->left));
    service_close(&b->service);
    if (b->state.fd >= 0)
        close(b->state.fd);
    loop_free(b->loop);
    place_fini(&b->f);
}

static void open_runtime(struct bench *b, bool keep)
{
    struct err e = { 0 };

    if (!runtime_open(&b->w, &b->service, &b->f.mem, &b->c, keep, &e))
        TAP_NOT("%s", e.text);
}

static bool has_tool(const struct offer *o, const char *name)
{
    return offer_tool(o, str_of(name)) != NULL;
}

static bool server_is_there(void *ctx)
{
    return has_tool(&((struct bench *)ctx)->w.offer, "mcp_ok_env");
}

TEST(agents_may_be_given_all_tools_also_those_that_clients_are_not_offered)
{
    struct bench b;

    bench_open(&b);
    open_runtime(&b, false);
    service_use(&b.service, &b.c);
    runtime_use(&b.w, &b.c);
    OK(until(b.loop, server_is_there, &b));
    OK(!has_tool(&b.service.offer, "mcp_ok_env"));
    OK(has_tool(&b.w.offer, "grep") && !has_tool(&b.service.offer, "grep"));
    OK(has_tool(&b.w.offer, "shell_exec"));
    OK(!has_tool(&b.w.offer, "skill"));
    OK(b.w.offer.host.offer == &b.w.offer); /* where the guard looks a tool up again */
    OK(b.w.offer.host.guard == &b.service.guard);
    runtime_leave_servers(&b.w);
    OK(!has_tool(&b.w.offer, "mcp_ok_env"));
    OK(!b.w.world.store);
    bench_close(&b);
}

static void on_opened(struct op *op, const struct err *e, void *ctx)
{
    struct bench *b = ctx;

    (void)op;
    b->opened = true;
    if (e)
        TAP_NOT("%s", e->text);
}

TEST(a_session_of_an_agent_is_kept_in_the_store_of_the_root)
{
    struct session s = { 0 };
    struct session_opening o = { 0 };
    struct session_opts opts = { 0 };
    struct bench b;
    struct stat st;
    struct err e;

    bench_open(&b);
    place_write(&b.f, "docs/a", "");
    place_write(&b.f, ".trefoil/agents/x.md", "---\ninclude_dirs: docs\n---\nYou.");
    place_write(&b.f, ".trefoil/skills/a/SKILL.md", "---\ndescription: b\n---\nDo it.");
    skill_registry_refresh(&b.service.skills);
    open_runtime(&b, true);
    OK(stat(state_dir_file(&b.state, &b.f.mem, STATE_DATABASE), &st) == 0);
    EQ(st.st_mode & 0777, 0600);
    EQ(b.w.world.durability, STORE_POWER);
    opts.agent = agent_registry_port(b.w.registry)
                     ->kind->take(agent_registry_port(b.w.registry),
                                  &(struct agent_want){ .name = STR("x") }, &e);
    session_open(&s, &o, &b.w.world, &opts, NULL, on_opened, &b);
    OK(until(b.loop, until_true, &b.opened));
    OK(s.fence != 0);
    EQ(s.host.includes, 1);
    EQ_STR(s.host.include[0].path, place_file(&b.f, "docs"));
    OK(session_tool(&s, STR("skill")) == &tool_skill);
    session_close(&s, on_closed, &b);
    OK(until(b.loop, until_true, &b.closed));
    agent_drop(opts.agent);
    bench_close(&b);
}

/* ---- where a session works --------------------------------------------------------------------- */

struct worker {
    struct session s;
    struct session_opening opening;
    struct turn turn;
    struct work_client client;
};

static void on_told(struct work_client *c, const struct event *ev)
{
    (void)c;
    (void)ev;
}

static bool cannot_ask(const struct work_client *c, enum ask_kind kind)
{
    (void)c;
    (void)kind;
    return false;
}

static const struct work_client_kind quiet = { .event = on_told, .can = cannot_ask };

/* What an agent answers to a prompt, in a session that begins in this folder. In the bench's memory. */
static struct str answer(struct bench *b, const char *agent, const char *cwd, const char *prompt)
{
    struct worker w = { .client = { &quiet } };
    struct block block = { .kind = BLOCK_TEXT, .text = str_of(prompt) };
    struct session_opts opts = { .cwd = cwd ? place_file(&b->f, cwd) : NULL,
                                 .caller = "cli",
                                 .origin = ORIGIN_TERMINAL,
                                 .principal = STR("user:1") };
    struct agent_registry_port *registry = agent_registry_port(b->w.registry);
    struct str said;

    opts.agent =
        registry->kind->take(registry, &(struct agent_want){ .name = str_of(agent) }, &b->err);
    b->opened = b->closed = false;
    session_open(&w.s, &w.opening, &b->w.world, &opts, NULL, on_opened, b);
    OK(until(b->loop, until_true, &b->opened));
    b->opened = false;
    turn_start(&w.turn, &w.s, &w.client, &(struct turn_prompt){ .block = &block, .blocks = 1 },
               NULL, on_opened, b);
    OK(until(b->loop, until_true, &b->opened));
    said = arena_str(&b->f.mem, history_answer(w.s.history));
    session_close(&w.s, on_closed, b);
    OK(until(b->loop, until_true, &b->closed));
    agent_drop(opts.agent);
    return said;
}

TEST(a_session_works_in_its_folder_else_in_its_agents_else_in_the_root)
{
    struct bench b;

    bench_open(&b);
    b.service.guard.own.permission[TOOL_EXECUTE] = PERMISSION_AUTO;
    place_write(&b.f, "here.txt", "of the root");
    place_write(&b.f, "agents/here.txt", "of the agent");
    place_write(&b.f, "session/here.txt", "of the session");
    place_write(&b.f, ".trefoil/agents/plain.md", "You.");
    place_write(&b.f, ".trefoil/agents/x.md", "---\nfolder: agents\n---\nYou.");
    open_runtime(&b, false);
    EQ_S(answer(&b, "plain", NULL, "/read here.txt"), "of the root");
    EQ_S(answer(&b, "x", NULL, "/read here.txt"), "of the agent");
    EQ_S(answer(&b, "x", "session", "/read here.txt"), "of the session");
    EQ_S(answer(&b, "plain", "session", "/read here.txt"), "of the session");
    HAS_S(answer(&b, "x", "session", "/call shell_exec {\"argv\":[\"cat\",\"here.txt\"]}"),
          "of the session");
    HAS_S(answer(&b, "x", NULL, "/call shell_exec {\"argv\":[\"cat\",\"here.txt\"]}"),
          "of the agent");
    answer(&b, "x", "session", "/call file_write {\"path\":\"new.txt\",\"content\":\"n\"}");
    OK(access(place_file(&b.f, "session/new.txt"), F_OK) == 0);
    HAS_S(answer(&b, "x", "session", "/read ../../etc/passwd"), "Failed");
    bench_close(&b);
}

/* ---- changes ---------------------------------------------------------------------------------- */

static void on_agents(void *ctx)
{
    ((struct bench *)ctx)->agents++;
}

static bool all_noticed(void *ctx)
{
    const struct bench *b = ctx;

    return b->agents && has_tool(&b->w.offer, "skill") && has_tool(&b->service.offer, "skill");
}

TEST(new_agents_and_skills_are_noticed_while_it_is_open)
{
    struct bench b;

    bench_open(&b);
    open_runtime(&b, false);
    b.w.on_agents = on_agents;
    b.w.on_agents_ctx = &b;
    agent_registry_watch(b.w.registry);
    service_watch(&b.service);
    place_write(&b.f, ".trefoil/agents/x.md", "You.");
    place_write(&b.f, ".trefoil/skills/a/SKILL.md", "---\ndescription: b\n---\nDo it.");
    OK(until(b.loop, all_noticed, &b));
    bench_close(&b);
}

TEST(a_store_that_cannot_be_opened_is_a_failure_with_nothing_to_close)
{
    struct bench b;
    struct err e = { 0 };

    bench_open(&b);
    OK(state_dir_open(&b.state, &e));
    OK(file_write(state_dir_file(&b.state, &b.f.mem, STATE_DATABASE),
                  STR("this is no database, whatever its name says; and so on"), 0600, &e));
    OK(!runtime_open(&b.w, &b.service, &b.f.mem, &b.c, true, &e));
    HAS_S(str_of(e.text), "trefoil.db");
    open_runtime(&b, false);
    bench_close(&b);
}

TEST_MAIN()
