/* Several servers at once: names, lists, coming and going. */
#include "tap.h"
#include "upstreams_world.h"

#define ONE "[{\"name\":\"add\"}]"

static struct world *world_of_three(void)
{
    struct world *w = world_new();
    struct server_spec s[] = { world_spec("a"), world_spec("b"), world_spec("c") };

    mcp_upstreams_set(w->upstreams, s, 3);
    return w;
}

/* ---- connecting ---------------------------------------------------------------------------- */

TEST(all_are_connected_at_once_and_one_that_fails_hides_no_other)
{
    struct world *w = world_of_three();

    EQ(fake_opened, 3);
    fake_ready("c", ONE);
    world_turn(w);
    EQ_STR(world_list(w), "mcp_c_add");
    fake_lose("b", ERR_NOT_FOUND, "exec b: No such file or directory");
    world_turn(w);
    EQ(w->tried, 0);
    fake_ready("a", ONE);
    world_turn(w);
    EQ_STR(world_list(w), "mcp_a_add mcp_c_add");
    EQ(w->tried, 1);
    EQ(world_state(w, "b"), UP_WAITING);
    EQ_STR(mcp_upstreams_find(w->upstreams, STR("b"))->last_error.text,
           "exec b: No such file or directory");
    world_free(w);
}

TEST(nothing_is_started_that_is_disabled_or_not_trusted)
{
    struct world *w = world_new();
    struct server_spec s[] = { world_spec("off"), world_spec("foreign") };

    s[0].enabled = false;
    s[1].trusted = false;
    mcp_upstreams_set(w->upstreams, s, 2);
    world_turn(w);
    EQ(fake_opened, 0);
    EQ(world_state(w, "off"), UP_DISABLED);
    EQ(world_state(w, "foreign"), UP_UNTRUSTED);
    EQ(w->tried, 1);
    world_free(w);
}

TEST(an_empty_set_of_upstreams_opens_and_closes)
{
    struct world *w = world_new();

    mcp_upstreams_set(w->upstreams, NULL, 0);
    world_turn(w);
    EQ(w->tried, 1);
    EQ(fake_opened, 0);
    world_free(w);
}

/* ---- which tools --------------------------------------------------------------------------- */

#define THREE "[{\"name\":\"read\"},{\"name\":\"write\"},{\"name\":\"drop\"}]"

static void check_allowed(struct pick_strs allowed, const char *want)
{
    struct world *w = world_new();
    struct server_spec s = world_spec("db");

    s.allowed = allowed;
    mcp_upstreams_set(w->upstreams, &s, 1);
    fake_ready("db", THREE);
    world_turn(w);
    EQ_STR(world_list(w), want);
    world_free(w);
}

TEST(allowed_tools_absent_empty_and_listed_are_three_things)
{
    struct str some[] = { STR("read"), STR("drop"), STR("unknown") };

    check_allowed((struct pick_strs){ 0 }, "mcp_db_read mcp_db_write mcp_db_drop");
    check_allowed((struct pick_strs){ .set = true }, "");
    check_allowed((struct pick_strs){ some, 3, true }, "mcp_db_read mcp_db_drop");
}

TEST(a_tool_that_is_not_allowed_cannot_be_called_either)
{
    struct world *w = world_new();
    struct server_spec s = world_spec("db");
    struct world_call *c;

    s.allowed.set = true;
    mcp_upstreams_set(w->upstreams, &s, 1);
    fake_ready("db", THREE);
    world_turn(w);
    c = world_call(w, "mcp_db_read");
    EQ(c->err.code, ERR_NOT_FOUND);
    EQ(fake_client("db")->calls, 0);
    world_free(w);
}

TEST(overrides_hide_rename_and_describe)
{
    struct world *w = world_new();
    struct server_spec s = world_spec("db");
    const struct tool_override over[] = {
        { .tool = STR("drop"), .hide = true },
        { .tool = STR("read"), .rename = STR("db_read") },
        { .tool = STR("write"), .description = STR("with care") },
    };
    struct world_call *c;

    s.override = over;
    s.overrides = 3;
    mcp_upstreams_set(w->upstreams, &s, 1);
    fake_ready("db", THREE);
    world_turn(w);
    EQ_STR(world_list(w), "db_read mcp_db_write");
    EQ_STR(offer_tool(&w->offer, STR("mcp_db_write"))->description, "with care");
    c = world_call(w, "db_read");
    EQ_STR(fake_client("db")->called[0], "read");
    fake_answer("db", "{}");
    world_turn(w);
    OK(c->done);
    world_free(w);
}

TEST(tools_are_marked_that_agents_have_by_hand_only)
{
    struct world *w = world_new();
    struct server_spec s = world_spec("db");
    struct str read = STR("read");

    s.manual = true;
    s.otherwise = (struct pick_strs){ &read, 1, true };
    mcp_upstreams_set(w->upstreams, &s, 1);
    fake_ready("db", THREE);
    world_turn(w);
    OK(!offer_tool(&w->offer, STR("mcp_db_read"))->manual);
    OK(offer_tool(&w->offer, STR("mcp_db_write"))->manual);
    s.otherwise.n = 0;
    mcp_upstreams_set(w->upstreams, &s, 1);
    world_turn(w);
    fake_ready("db", THREE);
    world_turn(w);
    OK(offer_tool(&w->offer, STR("mcp_db_read"))->manual);
    world_free(w);
}

TEST(what_a_definition_says_is_passed_on_as_it_is)
{
    struct world *w = world_new();
    struct server_spec s = world_spec("x");
    const struct tool *t;

    mcp_upstreams_set(w->upstreams, &s, 1);
    fake_ready("x", "[{\"name\":\"t\",\"title\":\"T\",\"description\":\"caf\\u00e9\","
                    "\"inputSchema\":{\"type\": \"object\", \"maximum\": 1e400},"
                    "\"outputSchema\":{\"a\" :1},\"annotations\":{\"readOnlyHint\": true, \"x\":1},"
                    "\"icons\":[{\"src\":\"s\"}],\"_meta\":{\"k\":\"\\ud800\"}},{\"name\":\"u\"}]");
    world_turn(w);
    t = offer_tool(&w->offer, STR("mcp_x_t"));
    EQ_STR(t->title, "T");
    EQ_STR(t->description, "caf\xc3\xa9");
    EQ_STR(t->input_schema, "{\"type\": \"object\", \"maximum\": 1e400}");
    EQ_STR(t->output_schema, "{\"a\" :1}");
    EQ_STR(t->annotations, "{\"readOnlyHint\": true, \"x\":1}");
    EQ_STR(t->icons, "[{\"src\":\"s\"}]");
    EQ_STR(t->meta, "{\"k\":\"\\ud800\"}");
    OK(t->read_only);
    EQ_STR(offer_tool(&w->offer, STR("mcp_x_u"))->input_schema, "{\"type\":\"object\"}");
    world_free(w);
}

TEST(tools_that_came_through_too_many_of_our_kind_are_left_out)
{
    struct world *w = world_new();
    struct server_spec s = world_spec("x");

    mcp_upstreams_set(w->upstreams, &s, 1);
    fake_client("x")->server_name = str_of(w->clients.name);
    fake_ready("x", "[{\"name\":\"near\"},"
                    "{\"name\":\"mid\",\"_meta\":{\"k\": 1e400,\"trefoil/hops\":3}},"
                    "{\"name\":\"last\",\"_meta\":{\"trefoil/hops\":5}},"
                    "{\"name\":\"far\",\"_meta\":{\"trefoil/hops\":6}},"
                    "{\"name\":\"liar\",\"_meta\":{\"trefoil/hops\":-9}}]");
    world_turn(w);
    EQ_STR(world_list(w), "mcp_x_near mcp_x_mid mcp_x_last");
    EQ_STR(offer_tool(&w->offer, STR("mcp_x_near"))->meta, "{\"trefoil/hops\":1}");
    EQ_STR(offer_tool(&w->offer, STR("mcp_x_mid"))->meta, "{\"trefoil/hops\":4,\"k\":1e400}");
    EQ_STR(offer_tool(&w->offer, STR("mcp_x_last"))->meta, "{\"trefoil/hops\":6}");
    world_free(w);
}

TEST(a_new_list_is_told_and_the_same_list_is_not)
{
    struct world *w = world_new();
    struct server_spec s = world_spec("x");

    mcp_upstreams_set(w->upstreams, &s, 1);
    fake_ready("x", ONE);
    world_turn(w);
    EQ(w->changes, 1);
    fake_tools("x", ONE);
    world_turn(w);
    EQ(w->changes, 1);
    fake_tools("x", "[{\"name\":\"add\"},{\"name\":\"more\"}]");
    world_turn(w);
    EQ(w->changes, 2);
    EQ_STR(world_list(w), "mcp_x_add mcp_x_more");
    fake_tools("x", "[{\"name\":\"add\",\"description\":\"now described\"},{\"name\":\"more\"}]");
    world_turn(w);
    EQ(w->changes, 3);
    world_free(w);
}

TEST(names_that_meet_are_told_apart)
{
    struct world *w = world_new();
    struct server_spec s[] = { world_spec("a"), world_spec("a_b") };

    mcp_upstreams_set(w->upstreams, s, 2);
    fake_ready("a", "[{\"name\":\"b_c\"}]");
    world_turn(w);
    EQ_STR(world_list(w), "mcp_a_b_c");
    fake_ready("a_b", "[{\"name\":\"c\"}]");
    world_turn(w);
    OK(strcmp(world_list(w), "mcp_a_b_c mcp_a_b_c") != 0);
    EQ(w->view.source.tools, 2);
    EQ(mcp_upstreams_names(w->upstreams)->count, 2);
    world_free(w);
}

/* ---- another configuration ----------------------------------------------------------------- */

TEST(what_is_unchanged_keeps_running)
{
    struct world *w = world_of_three();
    struct server_spec s[] = { world_spec("d"), world_spec("c"), world_spec("b") };
    struct mcp_client *b;

    fake_ready("a", ONE);
    fake_ready("b", ONE);
    fake_ready("c", ONE);
    world_turn(w);
    b = fake_client("b");
    s[1].timeout_ms = 77;
    mcp_upstreams_set(w->upstreams, s, 3);
    world_turn(w);
    OK(fake_client("b") == b);
    OK(!fake_client("a"));
    OK(fake_client("c") && !fake_client("c")->ready);
    EQ(fake_client("c")->spec->timeout_ms, 77);
    OK(fake_client("d") != NULL);
    fake_ready("c", ONE);
    fake_ready("d", ONE);
    world_turn(w);
    EQ_STR(world_list(w), "mcp_d_add mcp_c_add mcp_b_add");
    world_free(w);
}

TEST(a_changed_server_starts_when_the_old_one_is_gone)
{
    struct world *w = world_new();
    struct server_spec s = world_spec("x");

    mcp_upstreams_set(w->upstreams, &s, 1);
    fake_ready("x", ONE);
    world_turn(w);
    fake_slow_close = true;
    s.allowed.set = true;
    mcp_upstreams_set(w->upstreams, &s, 1);
    world_turn(w);
    EQ_STR(world_list(w), "");
    EQ(fake_opened, 1);
    EQ(world_state(w, "x"), UP_STOPPED);
    fake_slow_close = false;
    fake_closed("x");
    world_turn(w);
    EQ(fake_opened, 2);
    EQ(world_state(w, "x"), UP_CONNECTING);
    world_free(w);
}

TEST(changing_twice_while_the_old_one_leaves_starts_the_last)
{
    struct world *w = world_new();
    struct server_spec s = world_spec("x");

    mcp_upstreams_set(w->upstreams, &s, 1);
    world_turn(w);
    fake_slow_close = true;
    s.timeout_ms = 2;
    mcp_upstreams_set(w->upstreams, &s, 1);
    s.timeout_ms = 3;
    mcp_upstreams_set(w->upstreams, &s, 1);
    world_turn(w);
    EQ(fake_opened, 1);
    fake_slow_close = false;
    fake_closed("x");
    world_turn(w);
    EQ(fake_opened, 2);
    EQ(fake_client("x")->spec->timeout_ms, 3);
    EQ(w->tried, 0);
    fake_ready("x", ONE);
    world_turn(w);
    EQ(w->tried, 1);
    world_free(w);
}

TEST(the_same_configuration_again_changes_nothing)
{
    struct world *w = world_of_three();
    struct server_spec s[] = { world_spec("a"), world_spec("b"), world_spec("c") };
    int changes;

    fake_ready("a", ONE);
    world_turn(w);
    changes = w->changes;
    mcp_upstreams_set(w->upstreams, s, 3);
    world_turn(w);
    EQ(fake_opened, 3);
    EQ(w->changes, changes);
    world_free(w);
}

TEST(calls_to_a_server_that_is_removed_fail)
{
    struct world *w = world_of_three();
    struct world_call *running, *waiting;

    fake_ready("a", ONE);
    fake_ready("b", ONE);
    world_turn(w);
    running = world_call(w, "mcp_a_add");
    fake_lose("b", ERR_CLOSED, "gone");
    world_turn(w);
    waiting = world_call(w, "mcp_b_add");
    mcp_upstreams_set(w->upstreams, NULL, 0);
    world_turn(w);
    EQ(running->err.code, ERR_CLOSED);
    EQ(waiting->err.code, ERR_CLOSED);
    EQ_STR(world_list(w), "");
    world_free(w);
}

TEST(a_call_may_outlive_its_server_for_a_turn)
{
    struct world *w = world_of_three();
    struct world_call *c;

    fake_ready("a", ONE);
    world_turn(w);
    c = world_call(w, "mcp_a_add");
    fake_answer("a", "{\"just\":\"in time\"}");
    mcp_upstreams_remove(w->upstreams, STR("a"));
    world_turn(w);
    EQ_STR(c->result, "{\"just\":\"in time\"}");
    OK(!mcp_upstreams_remove(w->upstreams, STR("a")));
    world_free(w);
}

TEST_MAIN()
