/* One server of a fleet: connecting, losing, waiting, calling. */
#include "tap.h"
#include "upstreams_world.h"

#define TWO "[{\"name\":\"add\",\"description\":\"adds\"},{\"name\":\"sub\"}]"

static struct world *world_with(struct server_spec spec)
{
    struct world *w = world_new();

    mcp_upstreams_set(w->upstreams, &spec, 1);
    return w;
}

static struct world *ready_world(struct server_spec spec)
{
    struct world *w = world_with(spec);

    fake_ready("calc", TWO);
    world_turn(w);
    return w;
}

static void lose(struct world *w)
{
    fake_lose("calc", ERR_CLOSED, "exited with code 3");
    world_turn(w);
}

/* ---- coming back --------------------------------------------------------------------------- */

TEST(a_lost_server_is_tried_again_after_a_wait_that_doubles)
{
    struct world *w = ready_world(world_spec("calc"));

    w->limits.mcp_failures = 100;
    EQ(w->limits.mcp_retry_min_ms, 100);
    for (int64_t step = 100; step < 800; step *= 2) {
        size_t opened = fake_opened;

        lose(w);
        EQ(world_state(w, "calc"), UP_WAITING);
        loop_advance(w->loop, step / 2 - 1);
        EQ(fake_opened, opened);
        loop_advance(w->loop, step - step / 2 + 1);
        EQ(fake_opened, opened + 1);
        EQ(world_state(w, "calc"), UP_CONNECTING);
    }
    world_free(w);
}

TEST(the_wait_does_not_grow_past_its_limit)
{
    struct world *w = ready_world(world_spec("calc"));

    w->limits.mcp_failures = 100;
    for (int i = 0; i < 20; i++) {
        lose(w);
        OK(upstream_retry_ms(mcp_upstreams_find(w->upstreams, STR("calc"))) <=
           w->limits.mcp_retry_max_ms);
        loop_advance(w->loop, w->limits.mcp_retry_max_ms);
        EQ(world_state(w, "calc"), UP_CONNECTING);
    }
    world_free(w);
}

TEST(waits_are_not_all_the_same)
{
    struct world *w = ready_world(world_spec("calc"));
    int64_t first = 0;
    bool differs = false;

    w->limits.mcp_failures = 1000;
    for (int i = 0; i < 40; i++) {
        int64_t ms;

        lose(w);
        ms = upstream_retry_ms(mcp_upstreams_find(w->upstreams, STR("calc")));
        if (i > 10 && first && ms != first)
            differs = true;
        first = i > 10 ? ms : 0;
        loop_advance(w->loop, 800);
    }
    OK(differs);
    world_free(w);
}

TEST(a_connection_that_held_clears_the_count)
{
    struct world *w = ready_world(world_spec("calc"));
    const struct upstream *u = mcp_upstreams_find(w->upstreams, STR("calc"));

    for (int i = 0; i < 10; i++) {
        loop_advance(w->loop, w->limits.mcp_retry_max_ms);
        lose(w);
        EQ(u->failures, 1);
        loop_advance(w->loop, 100);
        fake_ready("calc", TWO);
        world_turn(w);
    }
    EQ(world_state(w, "calc"), UP_READY);
    world_free(w);
}

TEST(tools_stay_listed_while_their_server_is_away)
{
    struct world *w = ready_world(world_spec("calc"));
    int changes;

    EQ_STR(world_list(w), "mcp_calc_add mcp_calc_sub");
    changes = w->changes;
    lose(w);
    EQ_STR(world_list(w), "mcp_calc_add mcp_calc_sub");
    loop_advance(w->loop, 100);
    fake_ready("calc", TWO);
    world_turn(w);
    EQ_STR(world_list(w), "mcp_calc_add mcp_calc_sub");
    EQ(w->changes, changes);
    world_free(w);
}

/* ---- the circuit --------------------------------------------------------------------------- */

TEST(a_server_that_fails_too_often_is_broken_and_calls_say_so_at_once)
{
    struct world *w = ready_world(world_spec("calc"));
    struct world_call *c;

    for (int64_t i = 0; i < w->limits.mcp_failures; i++) {
        lose(w);
        if (i + 1 < w->limits.mcp_failures)
            loop_advance(w->loop, 800);
    }
    EQ(world_state(w, "calc"), UP_BROKEN);
    c = world_call(w, "mcp_calc_add");
    world_turn(w);
    OK(c->done);
    EQ(c->err.code, ERR_CLOSED);
    HAS_S(str_of(c->err.text), "calc failed 3 times in a row; next retry in ");
    HAS_S(str_of(c->err.text), "exited with code 3");
    loop_advance(w->loop, w->limits.mcp_broken_ms - 1);
    EQ(world_state(w, "calc"), UP_BROKEN);
    loop_advance(w->loop, 1);
    EQ(world_state(w, "calc"), UP_CONNECTING);
    fake_ready("calc", TWO);
    world_turn(w);
    c = world_call(w, "mcp_calc_add");
    fake_answer("calc", "{}");
    world_turn(w);
    EQ(c->err.code, ERR_NONE);
    world_free(w);
}

TEST(calls_that_wait_fail_when_the_circuit_opens)
{
    struct world *w = ready_world(world_spec("calc"));
    struct world_call *c;

    lose(w);
    loop_advance(w->loop, 100);
    lose(w);
    c = world_call(w, "mcp_calc_add");
    world_turn(w);
    OK(!c->done);
    loop_advance(w->loop, 200);
    lose(w);
    OK(c->done);
    EQ(c->err.code, ERR_CLOSED);
    world_free(w);
}

TEST(a_server_that_answers_nobody_is_closed_and_tried_again_later)
{
    struct world *w = ready_world(world_spec("calc"));

    for (int64_t i = 0; i < w->limits.mcp_failures; i++) {
        EQ(world_state(w, "calc"), UP_READY);
        world_call(w, "mcp_calc_add");
        fake_fail("calc", ERR_TIMEOUT, "no answer");
        world_turn(w);
    }
    EQ(world_state(w, "calc"), UP_BROKEN);
    OK(!fake_client("calc"));
    loop_advance(w->loop, w->limits.mcp_broken_ms - 1);
    EQ(world_state(w, "calc"), UP_BROKEN);
    loop_advance(w->loop, 1);
    EQ(world_state(w, "calc"), UP_CONNECTING);
    world_free(w);
}

TEST(one_answer_clears_the_count_of_silences)
{
    struct world *w = ready_world(world_spec("calc"));

    for (int i = 0; i < 5; i++) {
        world_call(w, "mcp_calc_add");
        fake_fail("calc", ERR_TIMEOUT, "no answer");
        world_turn(w);
        world_call(w, "mcp_calc_add");
        fake_answer("calc", "{}");
        world_turn(w);
    }
    EQ(world_state(w, "calc"), UP_READY);
    world_free(w);
}

/* ---- calls --------------------------------------------------------------------------------- */

TEST(a_call_reaches_the_server_under_its_own_name_and_the_result_comes_back_as_it_was)
{
    struct world *w = world_with(world_spec("My-Calc"));
    struct world_call *c;

    fake_ready("My-Calc", "[{\"name\":\"Add-Two\"}]");
    world_turn(w);
    EQ_STR(world_list(w), "mcp_my_calc_add_two");
    c = world_call(w, "mcp_my_calc_add_two");
    EQ_STR(fake_client("My-Calc")->called[0], "Add-Two");
    fake_answer("My-Calc", "{\"odd\":1e400}");
    world_turn(w);
    EQ_STR(c->result, "{\"odd\":1e400}");
    OK(c->call.untrusted);
    world_free(w);
}

TEST(no_more_calls_run_at_once_than_allowed_and_the_rest_keeps_its_order)
{
    struct server_spec spec = world_spec("calc");
    struct world *w;
    struct world_call *c[4];

    spec.concurrency = 2;
    w = ready_world(spec);
    for (size_t i = 0; i < 4; i++)
        c[i] = world_call(w, i % 2 ? "mcp_calc_sub" : "mcp_calc_add");
    world_turn(w);
    EQ(fake_open_calls("calc"), 2);
    fake_answer("calc", "{\"n\":0}");
    world_turn(w);
    EQ(fake_open_calls("calc"), 2);
    OK(c[0]->done && !c[2]->done);
    EQ_STR(fake_client("calc")->called[2], "add");
    fake_answer("calc", "{\"n\":1}");
    fake_answer("calc", "{\"n\":2}");
    world_turn(w);
    EQ_STR(fake_client("calc")->called[3], "sub");
    fake_answer("calc", "{\"n\":3}");
    world_turn(w);
    EQ_STR(c[3]->result, "{\"n\":3}");
    world_free(w);
}

TEST(a_call_that_waits_can_be_cancelled)
{
    struct server_spec spec = world_spec("calc");
    struct world *w;
    struct world_call *first, *second, *third;

    spec.concurrency = 1;
    w = ready_world(spec);
    first = world_call(w, "mcp_calc_add");
    second = world_call(w, "mcp_calc_add");
    third = world_call(w, "mcp_calc_sub");
    op_cancel(&second->call.op);
    world_turn(w);
    EQ(second->err.code, ERR_CANCELED);
    fake_answer("calc", "{}");
    world_turn(w);
    OK(first->done && !third->done);
    EQ_STR(fake_client("calc")->called[1], "sub");
    fake_answer("calc", "{}");
    world_turn(w);
    OK(third->done);
    world_free(w);
}

TEST(cancelling_between_the_turn_and_the_start_loses_no_place)
{
    struct server_spec spec = world_spec("calc");
    struct world *w;
    struct world_call *second, *third;

    spec.concurrency = 1;
    w = ready_world(spec);
    world_call(w, "mcp_calc_add");
    second = world_call(w, "mcp_calc_add");
    fake_answer("calc", "{}");
    upstream_pump(
        &((struct upstream *)(uintptr_t)mcp_upstreams_find(w->upstreams, STR("calc")))->pump);
    op_cancel(&second->call.op); /* let through already, not started yet */
    world_turn(w);
    EQ(second->err.code, ERR_CANCELED);
    third = world_call(w, "mcp_calc_sub");
    fake_answer("calc", "{}");
    world_turn(w);
    EQ(third->err.code, ERR_NONE);
    OK(third->done);
    world_free(w);
}

TEST(too_many_waiting_calls_are_refused)
{
    struct server_spec spec = world_spec("calc");
    struct world *w;
    struct world_call *c;

    spec.concurrency = 1;
    w = ready_world(spec);
    w->limits.mcp_calls_waiting = 2;
    for (int i = 0; i < 3; i++)
        world_call(w, "mcp_calc_add");
    c = world_call(w, "mcp_calc_add");
    world_turn(w);
    EQ(c->err.code, ERR_LIMIT);
    HAS_S(str_of(c->err.text), "mcp_calls_waiting");
    world_free(w);
}

TEST(a_call_waits_for_a_connection_but_not_for_ever)
{
    struct world *w = ready_world(world_spec("calc"));
    struct world_call *early, *late;

    lose(w);
    early = world_call(w, "mcp_calc_add");
    loop_advance(w->loop, 100);
    EQ(world_state(w, "calc"), UP_CONNECTING);
    loop_advance(w->loop, 800);
    OK(!early->done);
    late = world_call(w, "mcp_calc_add");
    loop_advance(w->loop, 100);
    OK(early->done);
    EQ(early->err.code, ERR_TIMEOUT);
    HAS_S(str_of(early->err.text), "calc is not connected (it is connecting)");
    OK(!late->done);
    fake_ready("calc", TWO);
    world_turn(w);
    fake_answer("calc", "{}");
    world_turn(w);
    EQ(late->err.code, ERR_NONE);
    world_free(w);
}

TEST(what_a_call_waited_counts_to_its_deadline)
{
    struct server_spec spec = world_spec("calc");
    struct world *w;
    struct world_call *first, *second;

    spec.concurrency = 1;
    spec.timeout_ms = 8000;
    w = ready_world(spec);
    first = world_call(w, "mcp_calc_add");
    second = world_call(w, "mcp_calc_sub");
    loop_advance(w->loop, 7000);
    fake_answer("calc", "{}");
    world_turn(w);
    OK(first->done && fake_open_calls("calc") == 1);
    loop_advance(w->loop, 2999);
    OK(!second->done);
    loop_advance(w->loop, 1);
    EQ(second->err.code, ERR_TIMEOUT);
    world_free(w);
}

TEST(calls_under_way_fail_when_the_connection_is_lost)
{
    struct world *w = ready_world(world_spec("calc"));
    struct world_call *c = world_call(w, "mcp_calc_add");

    lose(w);
    OK(c->done);
    EQ(c->err.code, ERR_CLOSED);
    EQ(mcp_upstreams_find(w->upstreams, STR("calc"))->running, 0);
    world_free(w);
}

/* ---- idle ---------------------------------------------------------------------------------- */

TEST(an_unused_server_is_stopped_keeps_its_tools_and_starts_with_the_next_call)
{
    struct server_spec spec = world_spec("calc");
    struct world *w;
    struct world_call *c;

    spec.idle_stop_ms = 500;
    w = ready_world(spec);
    loop_advance(w->loop, 499);
    EQ(world_state(w, "calc"), UP_READY);
    loop_advance(w->loop, 1);
    EQ(world_state(w, "calc"), UP_STOPPED);
    EQ_STR(world_list(w), "mcp_calc_add mcp_calc_sub");
    c = world_call(w, "mcp_calc_add");
    EQ(world_state(w, "calc"), UP_CONNECTING);
    fake_ready("calc", TWO);
    world_turn(w);
    loop_advance(w->loop, 600);
    EQ(world_state(w, "calc"), UP_READY);
    fake_answer("calc", "{\"late\":true}");
    world_turn(w);
    EQ_STR(c->result, "{\"late\":true}");
    loop_advance(w->loop, 500);
    EQ(world_state(w, "calc"), UP_STOPPED);
    world_free(w);
}

TEST(a_call_while_it_stops_starts_it_again)
{
    struct server_spec spec = world_spec("calc");
    struct world *w;
    struct world_call *c;

    spec.idle_stop_ms = 500;
    w = ready_world(spec);
    fake_slow_close = true;
    loop_advance(w->loop, 500);
    EQ(world_state(w, "calc"), UP_STOPPING);
    c = world_call(w, "mcp_calc_add");
    fake_closed("calc");
    world_turn(w);
    EQ(world_state(w, "calc"), UP_CONNECTING);
    fake_slow_close = false;
    fake_ready("calc", TWO);
    world_turn(w);
    fake_answer("calc", "{}");
    world_turn(w);
    EQ(c->err.code, ERR_NONE);
    OK(c->done);
    world_free(w);
}

TEST(a_call_let_through_to_a_client_that_is_gone_waits_for_the_next)
{
    struct server_spec spec = world_spec("calc");
    struct world *w;
    struct world_call *first, *second;

    spec.concurrency = 1;
    w = ready_world(spec);
    first = world_call(w, "mcp_calc_add");
    second = world_call(w, "mcp_calc_sub");
    fake_answer("calc", "{}");
    fake_client("calc")->ready = false; /* lost, and not told yet */
    world_turn(w);
    OK(first->done);
    OK(!second->done);
    lose(w);
    loop_advance(w->loop, 100);
    fake_ready("calc", TWO);
    world_turn(w);
    EQ(fake_open_calls("calc"), 1);
    EQ_STR(fake_client("calc")->called[0], "sub");
    fake_answer("calc", "{}");
    world_turn(w);
    OK(second->done);
    EQ(second->err.code, ERR_NONE);
    world_free(w);
}

/* ---- the era ------------------------------------------------------------------------------- */

TEST(what_a_server_speaks_is_remembered_for_a_day)
{
    struct world *w = ready_world(world_spec("calc"));

    EQ(fake_client("calc")->era_given, SERVER_ERA_AUTO);
    lose(w);
    loop_advance(w->loop, 100);
    EQ(fake_client("calc")->era_given, SERVER_ERA_LEGACY);
    fake_ready("calc", TWO);
    loop_advance(w->loop, w->limits.mcp_reprobe_ms);
    lose(w);
    loop_advance(w->loop, 100);
    EQ(fake_client("calc")->era_given, SERVER_ERA_AUTO);
    fake_ready("calc", TWO);
    lose(w);
    loop_advance(w->loop, 200);
    EQ(fake_client("calc")->era_given, SERVER_ERA_LEGACY); /* as it was found a moment ago */
    world_free(w);
}

TEST(a_verdict_that_led_nowhere_is_forgotten)
{
    struct world *w = ready_world(world_spec("calc"));

    lose(w);
    loop_advance(w->loop, 100);
    lose(w);
    loop_advance(w->loop, 200);
    EQ(fake_client("calc")->era_given, SERVER_ERA_AUTO);
    world_free(w);
}

TEST_MAIN()
