/* test_config_load.c - the files laid over each other; keys of [mcp] and [serve]. */
#include "config/config.h"
#include "place.h"

struct loaded {
    struct config c;
    struct err e;
    bool ok;
};

static struct loaded load(struct place *at, const char *chosen, bool trust)
{
    const struct root root = { place_file(at, "r"), "test" };
    struct loaded l = { 0 };

    l.ok = config_load(&at->mem, &root, chosen, trust, &l.c, &l.e);
    return l;
}

static bool noted(const struct config *c, enum log_level level, const char *part)
{
    for (size_t i = 0; i < c->notes.n; i++)
        if (c->notes.v[i].level == level && str_find(c->notes.v[i].text, str_of(part)) >= 0)
            return true;
    return false;
}

TEST(a_project_makes_nothing_public_that_the_user_calls_private)
{
    AUTO_PLACE at = place_new();
    struct loaded l;

    place_write(&at, "home/.config/trefoil/config.toml",
                "[mcp]\nprivate_tools=['a']\n[serve]\napi_key='k'\n");
    place_write(&at, "r/trefoil.toml", "[mcp]\nprivate_tools=['b']\n");
    l = load(&at, NULL, false);
    OK(l.ok && !l.c.opened_by);
    EQ(l.c.private_tools.n, 2);
    place_write(&at, "r/trefoil.toml", "[mcp]\nprivate_tools=[]\n[serve]\nhosts=['x.example']\n");
    l = load(&at, NULL, false);
    EQ(l.c.private_tools.n, 1);
    OK(l.c.opened_by && strstr(l.c.opened_by, "trefoil.toml:4"));
}

TEST(the_root_lies_over_the_user_and_both_over_other_programs)
{
    AUTO_PLACE at = place_new();
    struct loaded l;

    place_write(&at, "home/.config/trefoil/config.toml",
                "[[mcp.servers]]\nname='a'\ncommand='user'\nallowed_tools=[]\n"
                "[[mcp.servers]]\nname='b'\ncommand='user'\n");
    place_write(&at, "r/trefoil.toml", "[[mcp_servers]]\nname='a'\ncommand='root'\n");
    place_write(&at, "r/.mcp.json",
                "{\"mcpServers\":{\"a\":{\"command\":\"f\"},\"b\":{\"command\":"
                "\"f\"},\"c\":{\"command\":\"f\"}}}");
    place_write(&at, "r/.cursor/mcp.json",
                "{\"mcpServers\":{\"c\":{\"type\":\"stdio\",\"command\":"
                "\"f\"},\"d\":{\"command\":\"f\"}}}");
    place_write(&at, "r/.vscode/mcp.json", "{\"servers\":{\"e\":{\"command\":\"f\"}}}");
    place_write(&at, "home/.cursor/mcp.json", "{\"mcpServers\":{\"f\":{\"command\":\"f\"}}}");
    l = load(&at, NULL, false);
    if (!l.ok)
        TAP_NOT("%s", l.e.text);
    EQ(l.c.servers.n, 5);
    EQ_STR(server_list_find(&l.c.servers, "a")->argv[0], "root");
    OK(!server_list_find(&l.c.servers, "a")->trusted);
    EQ_STR(server_list_find(&l.c.servers, "b")->argv[0], "user");
    OK(server_list_find(&l.c.servers, "b")->trusted);
    EQ_STR(server_list_find(&l.c.servers, "c")->origin, ".mcp.json:1");
    EQ_STR(server_list_find(&l.c.servers, "d")->origin, ".cursor/mcp.json:1");
    EQ_STR(server_list_find(&l.c.servers, "e")->origin, ".vscode/mcp.json:1");
    OK(!server_list_find(&l.c.servers, "f"));
    OK(noted(&l.c, LOG_DEBUG, "the server a in"));
    OK(noted(&l.c, LOG_WARN, "the server a in .mcp.json:1 is overridden by trefoil.toml:1"));
    OK(noted(&l.c, LOG_WARN, "the server b in .mcp.json:1 is overridden"));
    OK(noted(&l.c, LOG_WARN, "trefoil.toml:1: server a has no allowed_tools: all its tools"));
    OK(noted(&l.c, LOG_INFO, "server d has no allowed_tools"));
    l = load(&at, NULL, true);
    OK(l.ok && server_list_find(&l.c.servers, "a")->trusted);
}

TEST(import_chooses_the_files_of_other_programs)
{
    AUTO_PLACE at = place_new();
    struct loaded l;

    place_write(&at, "r/.mcp.json", "{\"mcpServers\":{\"a\":{\"command\":\"f\"}}}");
    place_write(&at, "r/.cursor/mcp.json", "{\"mcpServers\":{\"b\":{\"command\":\"f\"}}}");
    place_write(&at, "home/.cursor/mcp.json", "{\"mcpServers\":{\"c\":{\"command\":\"f\"}}}");
    place_write(&at, "home/.config/Claude/claude_desktop_config.json",
                "{\"mcpServers\":{\"d\":{\"command\":\"f\"}}}");
    place_write(&at, "home/.claude.json",
                "{\"numStartups\":3,\"mcpServers\":{\"e\":{\"command\":\"f\"}},\"projects\":{}}");
    place_write(&at, "r/trefoil.toml", "[mcp]\nimport = []\n");
    l = load(&at, NULL, false);
    OK(l.ok && !l.c.servers.n);
    place_write(&at, "r/trefoil.toml", "[mcp]\nimport = ['cursor', 'claude-desktop']\n");
    l = load(&at, NULL, false);
    OK(l.ok && l.c.servers.n == 2);
    OK(server_list_find(&l.c.servers, "b") && server_list_find(&l.c.servers, "d"));
    OK(!server_list_find(&l.c.servers, "d")->trusted); /* a file of the project asked for it */
    place_write(&at, "r/trefoil.toml", "");
    place_write(&at, "home/.config/trefoil/config.toml",
                "[mcp]\nimport = ['cursor-user', 'claude', 'claude-desktop', 'mcp.json']\n");
    l = load(&at, NULL, false);
    EQ(l.c.servers.n, 4);
    OK(server_list_find(&l.c.servers, "e")->trusted &&
       server_list_find(&l.c.servers, "c")->trusted);
    OK(!server_list_find(&l.c.servers, "a")->trusted);
    place_write(&at, "r/trefoil.toml", "[mcp]\nimport = ['emacs']\n");
    l = load(&at, NULL, false);
    OK(!l.ok && strstr(l.e.text, "trefoil.toml:2:10: mcp.import: unknown source \"emacs\"; known "
                                 "sources: mcp.json, "));
}

TEST(two_files_that_differ_about_a_name_are_an_error_naming_both)
{
    AUTO_PLACE at = place_new();
    struct loaded l;

    place_write(&at, "r/.mcp.json", "{\"mcpServers\":{\"a\":{\"command\":\"f\"}}}");
    place_write(&at, "r/.cursor/mcp.json", "{\"mcpServers\":{\"a\":{\"command\":\"g\"}}}");
    l = load(&at, NULL, false);
    OK(!l.ok);
    OK(strstr(l.e.text, "in .mcp.json:1 and in .cursor/mcp.json:1; choose the files with [mcp]"));
}

TEST(a_chosen_file_is_the_users_own)
{
    AUTO_PLACE at = place_new();
    struct loaded l;

    place_write(&at, "r/trefoil.toml", "[[mcp.servers]]\nname='a'\ncommand='x'\n");
    place_write(&at, "other.toml", "[[mcp.servers]]\nname='b'\ncommand='x'\n");
    l = load(&at, place_file(&at, "other.toml"), false);
    OK(l.ok && l.c.servers.n == 1);
    EQ_STR(l.c.servers.v[0].name, "b");
    OK(l.c.servers.v[0].trusted && !l.c.servers.v[0].from_project);
}

TEST(the_api_key_is_resolved)
{
    AUTO_PLACE at = place_new();
    struct loaded l;

    l = load(&at, NULL, false);
    OK(l.ok && !l.c.keys.n);
    place_write(&at, "r/trefoil.toml", "[serve]\napi_key = 'file:key'\n");
    place_write(&at, "r/key", "k-1\n");
    l = load(&at, NULL, true);
    EQ(l.c.keys.n, 1);
    EQ_S(l.c.keys.v[0].secret, "k-1");
    EQ_S(l.c.keys.v[0].name, "default");
    EQ(l.c.notes.n, 0);
    place_write(&at, "r/trefoil.toml", "[serve]\napi_key = 'literal'\n");
    l = load(&at, NULL, true);
    EQ_S(l.c.keys.v[0].secret, "literal");
    OK(noted(&l.c, LOG_INFO, "trefoil.toml:2:11: the secret api_key is stored in the file"));
    unsetenv("TREFOIL_NOT_SET");
    place_write(&at, "r/trefoil.toml", "[serve]\napi_key = 'env:TREFOIL_NOT_SET'\n");
    l = load(&at, NULL, false);
    OK(!l.ok && strstr(l.e.text, "serve.api_key: the variable TREFOIL_NOT_SET is not set"));
    place_write(&at, "r/trefoil.toml", "[serve]\napi_key = ''\n");
    OK(!load(&at, NULL, false).ok);
}

TEST(exposed_and_private_tools_keep_three_states)
{
    AUTO_PLACE at = place_new();
    struct loaded l = load(&at, NULL, false);

    OK(l.ok && !l.c.expose_tools.set && !l.c.private_tools.set);
    place_write(&at, "r/trefoil.toml", "[mcp]\nexpose_tools=[]\nprivate_tools=['admin:reset']\n");
    l = load(&at, NULL, false);
    OK(l.ok && l.c.expose_tools.set && !l.c.expose_tools.n);
    EQ_S(l.c.private_tools.v[0], "admin:reset");
}

TEST(a_project_cannot_widen_its_mode)
{
    AUTO_PLACE at = place_new();
    struct loaded l;

    l = load(&at, NULL, false);
    OK(l.ok && l.c.mode == ENDPOINT_BY_ORIGIN);
    place_write(&at, "r/trefoil.toml", "[mcp]\nmode='read-write'\n");
    l = load(&at, NULL, false);
    OK(l.ok && l.c.mode == ENDPOINT_BY_ORIGIN);
    OK(noted(&l.c, LOG_WARN, "trefoil.toml:2:6: a project cannot give itself mode read-write"));
    l = load(&at, NULL, true);
    OK(l.ok && l.c.mode == ENDPOINT_READ_WRITE);
    l = load(&at, place_file(&at, "r/trefoil.toml"), false);
    OK(l.ok && l.c.mode == ENDPOINT_READ_WRITE);
    place_write(&at, "home/.config/trefoil/config.toml", "[mcp]\nmode='read-write'\n");
    l = load(&at, NULL, false);
    OK(l.ok && l.c.mode == ENDPOINT_READ_WRITE);
    place_write(&at, "r/trefoil.toml", "[mcp]\nmode='read-only'\n");
    l = load(&at, NULL, false);
    OK(l.ok && l.c.mode == ENDPOINT_READ_ONLY);
    place_write(&at, "r/trefoil.toml", "[mcp]\nmode='all'\n");
    l = load(&at, NULL, false);
    OK(!l.ok && strstr(l.e.text, "expected \"read-write\" or \"read-only\""));
}

TEST(a_failed_load_leaves_the_old_configuration)
{
    AUTO_PLACE at = place_new();
    const struct root root = { place_file(&at, "r"), "test" };
    struct config c = { .listen = STR("old") };
    struct err e;

    place_write(&at, "r/trefoil.toml", "[[mcp.servers]]\nname='a'\n");
    OK(!config_load(&at.mem, &root, NULL, false, &c, &e));
    EQ_S(c.listen, "old");
}

TEST(only_the_user_opens_private_addresses)
{
    static const char *const user = "home/.config/trefoil/config.toml";
    AUTO_PLACE at = place_new();
    AUTO_BUF many;
    struct loaded l;

    l = load(&at, NULL, false);
    EQ(l.c.reachable.n, 0);
    place_write(&at, user, "[web]\nallow_private = ['10.1.0.0/16', '::1']\n");
    l = load(&at, NULL, false);
    EQ(l.c.reachable.n, 2);
    EQ(l.c.reachable.v[0].bits, 16);
    place_write(&at, "r/trefoil.toml", "[web]\nallow_private = ['10.1.0.0/16']\n");
    l = load(&at, NULL, false);
    EQ(l.c.reachable.n, 2);
    OK(noted(&l.c, LOG_WARN, "trefoil.toml:2:17: allow_private is ignored"));
    l = load(&at, NULL, true);
    EQ(l.c.reachable.n, 1);
    place_write(&at, "r/trefoil.toml", "[web]\nallow_private = []\n"); /* stricter */
    l = load(&at, NULL, false);
    OK(l.ok && l.c.reachable.n == 0);
    place_write(&at, user, "[web]\nallow_private = ['10.1.2.3/16']\n");
    l = load(&at, NULL, false);
    OK(!l.ok && strstr(l.e.text, "config.toml:2:17: web.allow_private: \"10.1.2.3/16\": the "
                                 "address has bits set behind the length"));
    buf_init(&many, 4096);
    buf_put(&many, STR("[web]\nallow_private = ["));
    for (int i = 0; i < 65; i++)
        buf_printf(&many, "'10.0.0.%d',", i);
    buf_put(&many, STR("]\n\0"));
    place_write(&at, user, many.p);
    l = load(&at, NULL, false);
    OK(!l.ok && strstr(l.e.text, "65 ranges; at most 64 are accepted")); /* limits.private_ranges */
}

TEST(durability_is_one_of_two_words)
{
    AUTO_PLACE at = place_new();
    struct loaded l;

    place_write(&at, "r/x", "");
    l = load(&at, NULL, false);
    EQ(l.c.durability, STORE_PROCESS);
    place_write(&at, "home/.config/trefoil/config.toml", "[store]\ndurability = 'power'\n");
    l = load(&at, NULL, false);
    EQ(l.c.durability, STORE_POWER);
    place_write(&at, "r/trefoil.toml", "[store]\ndurability = 'process'\n");
    l = load(&at, NULL, false);
    EQ(l.c.durability, STORE_POWER); /* a project loosens nothing ... */
    OK(noted(&l.c, LOG_WARN, "trefoil.toml:2:14: durability is ignored"));
    l = load(&at, NULL, true);
    EQ(l.c.durability, STORE_PROCESS); /* ... unless it is trusted */
    place_write(&at, "r/trefoil.toml", "[store]\ndurability = 'always'\n");
    l = load(&at, NULL, false);
    OK(!l.ok);
    HAS_S(str_of(l.e.text), "expected \"process\"");
}

TEST(what_a_conflict_of_locks_means_is_one_of_four_words)
{
    AUTO_PLACE at = place_new();
    struct loaded l;

    l = load(&at, NULL, false);
    OK(l.ok && l.c.lock_conflict == LOCK_TURNS);
    place_write(&at, "home/.config/trefoil/config.toml", "[tasks]\nlock_conflict='wait'\n");
    l = load(&at, NULL, false);
    OK(l.ok && l.c.lock_conflict == LOCK_WAIT);
    place_write(&at, "r/trefoil.toml", "[tasks]\nlock_conflict='fail'\n");
    l = load(&at, NULL, false);
    OK(l.ok && l.c.lock_conflict == LOCK_FAIL);
    place_write(&at, "r/trefoil.toml", "[tasks]\nlock_conflict='warn'\n");
    l = load(&at, NULL, false);
    OK(l.ok && l.c.lock_conflict == LOCK_WAIT);
    place_write(&at, "r/trefoil.toml", "[tasks]\n\nlock_conflict='queue'\n");
    l = load(&at, NULL, false);
    OK(!l.ok && strstr(l.e.text, "trefoil.toml:3"));
    OK(strstr(l.e.text, "expected \"turns\", \"wait\", \"fail\" or \"warn\""));
    place_write(&at, "r/trefoil.toml", "[tasks]\nlocks='wait'\n");
    l = load(&at, NULL, false);
    OK(!l.ok && strstr(l.e.text, "locks"));
}

TEST_MAIN()
