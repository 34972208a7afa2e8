/* Servers of a session beside those of the program. */
#include "base/log.h"
#include "proto/mcp/client/session_servers.h"
#include "tap.h"
#include "upstreams_world.h"

#include <unistd.h>

#define ONE "[{\"name\":\"add\"}]"

static int connected;
static bool closed;

static void on_connected(struct session_servers *s, void *ctx)
{
    (void)s;
    (void)ctx;
    connected++;
}

static void on_closed(void *ctx)
{
    (void)ctx;
    closed = true;
}

static const struct tool hello = { .name = "hello" };
static const struct tool *const hello_list[] = { &hello };
static struct offer_source builtin = { .tool = hello_list, .tools = 1 };
static struct offer_source *const builtins[] = { &builtin };

static struct session_servers *open_session(struct world *w, const struct server_spec *s, size_t n)
{
    connected = 0;
    closed = false;
    return session_servers_open(
        &(struct session_servers_opts){
            .world = &w->clients,
            .host = &w->host,
            .cwd = "/the/session",
            .builtin = builtins,
            .builtins = 1,
            .agent = w->upstreams,
            .on_connected = on_connected,
        },
        s, n);
}

static void close_session(struct world *w, struct session_servers *s)
{
    session_servers_close(s, on_closed, NULL);
    while (!closed)
        world_turn(w);
}

static const char *listed(struct session_servers *s)
{
    static char list[512];
    const struct tool *t;
    size_t n = 0;

    list[0] = '\0';
    for (size_t i = 0; (t = offer_tool_at(session_servers_offer(s), i)); i++)
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? " " : "", t->name);
    return list;
}

/* A world whose program has the servers "git" and "db", with one tool each. */
static struct world *world_with_agent_servers(void)
{
    struct world *w = world_new();
    struct server_spec s[] = { world_spec("git"), world_spec("db") };

    mcp_upstreams_set(w->upstreams, s, 2);
    fake_ready("git", ONE);
    fake_ready("db", ONE);
    world_turn(w);
    return w;
}

TEST(a_session_has_its_own_tools_first_then_the_built_in_ones_then_the_programs)
{
    struct world *w = world_with_agent_servers();
    struct server_spec s[] = { world_spec("files"), world_spec("mail") };
    struct session_servers *ses = open_session(w, s, 2);

    EQ_STR(listed(ses), "hello mcp_git_add mcp_db_add");
    EQ(fake_opened, 4);
    fake_ready("mail", ONE);
    world_turn(w);
    EQ(connected, 0);
    fake_ready("files", ONE);
    world_turn(w);
    EQ(connected, 1);
    EQ_STR(listed(ses), "mcp_files_add mcp_mail_add hello mcp_git_add mcp_db_add");
    OK(offer_tool(session_servers_offer(ses), STR("mcp_files_add"))->always);
    OK(!offer_tool(session_servers_offer(ses), STR("mcp_git_add"))->always);
    EQ_STR(world_list(w), "mcp_git_add mcp_db_add");
    close_session(w, ses);
    world_free(w);
}

TEST(one_that_fails_does_not_fail_the_session)
{
    struct world *w = world_with_agent_servers();
    struct server_spec s[] = { world_spec("files"), world_spec("mail") };
    struct session_servers *ses = open_session(w, s, 2);
    struct err why;

    fake_ready("mail", ONE);
    fake_lose("files", ERR_NOT_FOUND, "exec files: No such file or directory");
    world_turn(w);
    EQ(connected, 1);
    OK(session_servers_failed(session_servers_get(ses, STR("files")), &why));
    EQ_STR(why.text, "exec files: No such file or directory");
    OK(!session_servers_failed(session_servers_get(ses, STR("mail")), &why));
    EQ_STR(listed(ses), "mcp_mail_add hello mcp_git_add mcp_db_add");
    close_session(w, ses);
    world_free(w);
}

TEST(all_failing_leaves_the_programs_tools)
{
    struct world *w = world_with_agent_servers();
    struct server_spec s = world_spec("files");
    struct session_servers *ses = open_session(w, &s, 1);

    fake_lose("files", ERR_CLOSED, "gone");
    world_turn(w);
    EQ(connected, 1);
    EQ_STR(listed(ses), "hello mcp_git_add mcp_db_add");
    close_session(w, ses);
    world_free(w);
}

TEST(a_server_of_the_same_name_shadows_the_whole_other_one_in_this_session_only)
{
    struct world *w = world_with_agent_servers();
    struct server_spec s = world_spec("git");
    struct session_servers *ses, *other;

    fake_tools("git", "[{\"name\":\"add\"},{\"name\":\"push\"}]");
    ses = open_session(w, &s, 1);
    other = open_session(w, NULL, 0);
    world_turn(w);
    EQ_STR(listed(ses), "hello mcp_db_add");
    fake_ready("git", ONE); /* the youngest client of that name */
    world_turn(w);
    EQ_STR(listed(ses), "mcp_git_add hello mcp_db_add");
    EQ_STR(listed(other), "hello mcp_git_add mcp_git_push mcp_db_add");
    EQ_STR(world_list(w), "mcp_git_add mcp_git_push mcp_db_add");
    OK(session_servers_remove(ses, STR("git")));
    EQ_STR(listed(ses), "hello mcp_git_add mcp_git_push mcp_db_add");
    close_session(w, ses);
    close_session(w, other);
    world_free(w);
}

TEST(shadowing_is_logged)
{
    struct world *w = world_with_agent_servers();
    struct server_spec s[] = { world_spec("git"), world_spec("mine") };
    struct session_servers *ses;
    char text[4096];
    int ends[2], real = dup(STDERR_FILENO);
    ssize_t n;

    OK(pipe(ends) == 0);
    dup2(ends[1], STDERR_FILENO);
    ses = open_session(w, s, 2);
    dup2(real, STDERR_FILENO);
    close(real);
    close(ends[1]);
    n = read(ends[0], text, sizeof(text));
    close(ends[0]);
    HAS_S(((struct str){ text, n > 0 ? (size_t)n : 0 }), "replaces the configured server");
    HAS_S(((struct str){ text, n > 0 ? (size_t)n : 0 }), "server=git");
    OK(!memmem(text, n > 0 ? (size_t)n : 0, "server=mine", 11));
    close_session(w, ses);
    world_free(w);
}

TEST(a_tool_of_the_same_published_name_is_listed_once)
{
    struct world *w = world_new();
    struct server_spec agent = world_spec("my-git"), own = world_spec("my_git");
    struct session_servers *ses;
    const struct tool *t;

    mcp_upstreams_set(w->upstreams, &agent, 1);
    fake_ready("my-git", "[{\"name\":\"add\",\"description\":\"the program's\"},{\"name\":\"x\"}]");
    ses = open_session(w, &own, 1);
    fake_ready("my_git", "[{\"name\":\"add\",\"description\":\"the session's\"}]");
    world_turn(w);
    EQ_STR(listed(ses), "mcp_my_git_add hello mcp_my_git_x");
    t = offer_tool(session_servers_offer(ses), STR("mcp_my_git_add"));
    EQ_STR(t->description, "the session's");
    close_session(w, ses);
    world_free(w);
}

TEST(servers_can_be_added_and_removed_on_the_way)
{
    struct world *w = world_with_agent_servers();
    struct session_servers *ses = open_session(w, NULL, 0);
    struct server_spec s = world_spec("late");

    world_turn(w);
    EQ(connected, 1);
    session_servers_add(ses, &s);
    fake_ready("late", ONE);
    world_turn(w);
    EQ_STR(listed(ses), "mcp_late_add hello mcp_git_add mcp_db_add");
    OK(session_servers_next(ses, NULL) == session_servers_get(ses, STR("late")));
    OK(session_servers_remove(ses, STR("late")));
    OK(!session_servers_remove(ses, STR("late")));
    world_turn(w);
    EQ_STR(listed(ses), "hello mcp_git_add mcp_db_add");
    OK(!fake_client("late"));
    close_session(w, ses);
    world_free(w);
}

TEST(what_changes_at_the_program_is_seen_in_the_session)
{
    struct world *w = world_with_agent_servers();
    struct session_servers *ses = open_session(w, NULL, 0);

    fake_tools("db", "[{\"name\":\"query\"}]");
    world_turn(w);
    EQ_STR(listed(ses), "hello mcp_git_add mcp_db_query");
    close_session(w, ses);
    world_free(w);
}

TEST(a_session_that_ends_leaves_no_client_and_the_programs_stay)
{
    struct world *w = world_with_agent_servers();
    struct server_spec s[] = { world_spec("files"), world_spec("mail") };
    struct session_servers *ses = open_session(w, s, 2);

    fake_ready("mail", ONE);
    world_turn(w);
    close_session(w, ses);
    OK(!fake_client("files"));
    OK(!fake_client("mail"));
    OK(fake_client("git") && fake_client("db"));
    EQ(connected, 0);
    world_free(w);
}

TEST_MAIN()
