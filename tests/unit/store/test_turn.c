/* Turns over the real store: what is told, what is kept, what a model gets to read. */
#include "core/session/turn_parts.h"
#include "stage.h"

static bool is_stuck(void *ctx)
{
    return ((struct stage *)ctx)->stuck != NULL;
}

static bool has_run(void *ctx)
{
    return ((struct stage *)ctx)->runs > 0;
}

static bool is_asked(void *ctx)
{
    return ((struct stage *)ctx)->ask != NULL;
}

static bool speaks(void *ctx)
{
    return ((struct stage *)ctx)->asked > 0;
}

TEST(a_prompt_is_answered_and_told_in_order)
{
    AUTO_STAGE s;

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .thought = "hm", .text = "Hello." });
    stage_ask(&s, "Hi\nthere");
    EQ(s.err.code, 0);
    EQ_STR(s.heard, "session Hi\nthought hm\ntext Hello.\nend end \n");
    EQ_S(history_answer(s.session.history), "Hello.");
    EQ(s.turn.stop, TURN_END);
    EQ(s.tools, 6);
    stage_close(&s);
}

TEST(calls_run_side_by_side_and_their_results_stand_in_the_order_of_the_calls)
{
    AUTO_STAGE s;

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "wait", "{}" },
                                          { "b", "say", "{\"text\":\"two\"}" },
                                          { "c", "nonsense", "{}" } },
                                .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "Done." });
    stage_prompt(&s, "go");
    OK(until(s.world.loop, is_stuck, &s));
    EQ(s.asked, 1);
    call_text(s.stuck, STR("one"));
    call_done(s.stuck);
    stage_wait(&s);
    HAS_S(str_of(s.last), "one|two|unknown tool nonsense; available tools: mcp_far_sample, say");
    HAS_S(str_of(s.heard), "tool b 2 two\n");
    HAS_S(str_of(s.heard), "tool c 3 unknown tool");
    HAS_S(str_of(s.heard), "tool a 2 one\ntext Done.\nend end");
    stage_close(&s);
}

TEST(a_session_goes_on_after_a_restart)
{
    AUTO_STAGE s;
    char id[ID_TEXT];

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    memcpy(id, s.session.id, sizeof(id));
    add_line(&s,
             (struct line){ .call = { { "a", "say", "{\"text\":\"x\"}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "First." });
    add_line(&s, (struct line){ .text = "Second." });
    stage_ask(&s, "one");
    stage_close(&s);
    world_close(&s.world);
    stage_up(&s);
    OK(stage_open(&s, id));
    OK(!s.session.interrupted);
    EQ_S(s.session.title, "one");
    stage_ask(&s, "two");
    EQ(s.messages, 5); /* one, the call, its result, First., two */
    EQ_STR(s.last, "two");
    s.heard[0] = '\0';
    session_tell(&s.session, &s.client);
    EQ_STR(s.heard, "prompt one\ntool a 0 \ntool a 2 x\ntext First.\nend end \nprompt two\n"
                    "text Second.\nend end \n");
    stage_close(&s);
}

/* The result of the call `a` was told, so it is stored. */
static bool has_counted(void *ctx)
{
    const struct stage *s = ctx;

    return strstr(s->heard, "tool a 2 ") != NULL;
}

/* The process is gone while a tool runs; nothing was closed. */
TEST(what_was_begun_and_has_no_result_is_never_run_again)
{
    AUTO_STAGE s;
    char lost[ID_TEXT];

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "count", "{}" }, { "b", "wait", "{}" } },
                                .stop = STOP_TOOLS });
    stage_prompt(&s, "go");
    OK(until(s.world.loop, is_stuck, &s));
    OK(until(s.world.loop, has_counted, &s));
    EQ(s.runs, 1);
    memcpy(lost, s.session.id, sizeof(lost));
    /* What the next process sees is what the store holds: read it beside the first. */
    {
        struct stage next;

        stage_init(&next);
        place_fini(&next.world.place);
        next.world.place = s.world.place;
        next.world.path = s.world.path;
        stage_up(&next);
        OK(stage_open(&next, lost));
        OK(next.session.interrupted);
        OK(next.session.calls_started);
        add_line(&next, (struct line){ .text = "I looked." });
        next.done = false;
        turn_resume(&next.turn, &next.session, &next.client, NULL, on_turn, &next);
        stage_wait(&next);
        EQ(next.runs, 0);
        HAS_S(str_of(next.last), "counted|[interrupted");
        HAS_S(str_of(next.heard), "text I looked.\nend end");
        stage_close(&next);
        next.world.place = (struct place){ 0 };
        offer_fini(&next.offer);
        guard_fini(&next.guard);
        world_close(&next.world);
        loop_free(next.world.loop);
        the_stage = &s;
    }
    /* The first one finds that the session is not its own any more. */
    call_done(s.stuck);
    stage_wait(&s);
    EQ(s.err.code, ERR_DENIED);
    HAS_S(str_of(s.err.text), "taken over by another process");
    stage_close(&s);
}

TEST(a_turn_is_cancelled_while_the_model_speaks)
{
    AUTO_STAGE s;

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .text = "I was say",
                                .call = { { "a", "say", "{}" } },
                                .hangs = true,
                                .fails = ERR_CANCELED });
    add_line(&s, (struct line){ .text = "Yes." });
    stage_prompt(&s, "go");
    OK(until(s.world.loop, speaks, &s));
    op_cancel(&s.turn.op);
    stage_wait(&s);
    EQ(s.err.code, 0);
    EQ(s.turn.stop, TURN_CANCELED);
    HAS_S(str_of(s.heard), "text I was say\ntool a 0 \ntool a 4 \nend canceled");
    stage_ask(&s, "still there?");
    EQ(s.messages, 3); /* what it had said is kept */
    EQ(s.turn.stop, TURN_END);
    stage_close(&s);
}

TEST(a_turn_is_cancelled_while_a_tool_runs)
{
    AUTO_STAGE s;

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "wait", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "Yes." });
    stage_prompt(&s, "go");
    OK(until(s.world.loop, is_stuck, &s));
    op_cancel(&s.turn.op);
    stage_wait(&s);
    EQ(s.turn.stop, TURN_CANCELED);
    HAS_S(str_of(s.heard), "tool a 4 [cancelled]\nend canceled");
    stage_ask(&s, "again");
    EQ(s.messages, 4);
    stage_close(&s);
}

TEST(a_second_prompt_is_refused_while_the_first_is_worked_on)
{
    AUTO_STAGE s;
    struct turn second = { 0 };
    struct stage other = { 0 };
    struct block b = { .kind = BLOCK_TEXT, .text = STR("me too") };

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "wait", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "Yes." });
    stage_prompt(&s, "go");
    OK(until(s.world.loop, is_stuck, &s));
    turn_start(&second, &s.session, &s.client, &(struct turn_prompt){ .block = &b, .blocks = 1 },
               NULL, on_turn, &other);
    OK(until(s.world.loop, until_true, &other.done));
    EQ(other.err.code, ERR_DENIED);
    call_done(s.stuck);
    stage_wait(&s);
    EQ(s.turn.stop, TURN_END);
    stage_close(&s);
}

TEST(limits_end_a_turn)
{
    AUTO_STAGE s;

    stage_init(&s);
    s.world.limits.turn_tokens = 1000;
    stage_up(&s);
    OK(stage_open(&s, NULL));
    s.def.max_turns = 2; /* below limits.turn_requests */
    for (int i = 0; i < 2; i++)
        add_line(&s, (struct line){
                         .call = { { "a", "say", i ? "{\"text\":\"1\"}" : "{\"text\":\"0\"}" } },
                         .stop = STOP_TOOLS });
    stage_ask(&s, "go");
    EQ(s.turn.stop, TURN_REQUESTS);
    HAS_S(str_of(s.heard), "max_turns, limits.turn_requests");
    add_line(&s, (struct line){ .call = { { "a", "say", "{\"text\":\"2\"}" } },
                                .stop = STOP_TOOLS,
                                .usage = { .input = 900, .output = 100 } });
    stage_ask(&s, "go");
    EQ(s.turn.stop, TURN_TOKENS);
    s.world.limits.turn_tokens = 0;
    s.def.budget_usd = 0.001;
    s.local.model.price = (struct model_price){ 1.0, 1.0, -1, -1 };
    add_line(&s, (struct line){ .call = { { "a", "say", "{\"text\":\"3\"}" } },
                                .stop = STOP_TOOLS,
                                .usage = { .input = 900, .output = 100 } });
    stage_ask(&s, "go");
    EQ(s.turn.stop, TURN_BUDGET);
    s.def.budget_usd = 0;
    s.world.limits.turn_ms = 100;
    add_line(&s, (struct line){ .text = "I", .hangs = true, .fails = ERR_CANCELED });
    stage_ask(&s, "go");
    EQ(s.turn.stop, TURN_TIME);
    add_line(&s, (struct line){ .text = "too long", .stop = STOP_LENGTH });
    stage_ask(&s, "go");
    EQ(s.turn.stop, TURN_LENGTH);
    stage_close(&s);
}

TEST(a_model_whose_calls_are_never_run_is_not_asked_for_ever)
{
    AUTO_STAGE s;

    stage_init(&s);
    s.world.limits.turn_stuck = 2;
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "nothing", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .call = { { "b", "nothing", "{}" }, { "c", "count", "{}" } },
                                .stop = STOP_TOOLS }); /* one was run */
    for (int i = 0; i < 2; i++)
        add_line(&s, (struct line){ .call = { { "d", "nothing", "{}" } }, .stop = STOP_TOOLS });
    stage_ask(&s, "go");
    EQ(s.turn.stop, TURN_STUCK);
    EQ(s.asked, 4);
    EQ(s.runs, 1);
    HAS_S(str_of(s.heard), "the constant turn_stuck");
    stage_close(&s);
}

TEST(more_calls_than_limits_turn_calls_are_not_run)
{
    AUTO_STAGE s;

    stage_init(&s);
    s.world.limits.turn_calls = 1;
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "count", "{}" }, { "b", "count", "{\"x\":1}" } },
                                .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "Ok." });
    stage_ask(&s, "go");
    EQ(s.runs, 1);
    HAS_S(str_of(s.last),
          "counted|not run: one answer may contain at most 1 calls (the constant turn_calls)");
    stage_close(&s);
}

TEST(arguments_that_are_no_object_are_told_to_the_model)
{
    AUTO_STAGE s;

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "count", "\"{\\\"broken\\\": \"" } },
                                .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .call = { { "b", "count", "{}" } }, .stop = STOP_LENGTH });
    add_line(&s, (struct line){ .text = "Ok." });
    stage_ask(&s, "go");
    EQ(s.runs, 0);
    EQ_STR(s.last, "not run: the answer was truncated before the call was complete");
    HAS_S(str_of(s.heard), "tool a 3 the arguments are not a JSON object");
    stage_close(&s);
}

TEST(the_fallback_answers_when_the_model_cannot_be_reached)
{
    AUTO_STAGE s;

    stage_init(&s);
    s.local.fallback = (struct agent_model){ .provider = &s.other, .name = STR("m2") };
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .fails = ERR_TIMEOUT });
    add_line(&s, (struct line){ .text = "Here." });
    stage_ask(&s, "go");
    EQ_S(s.asked_model, "m2");
    HAS_S(str_of(s.heard), "notice 1 the model failed; using m2 instead\ntext Here.\nend end");
    add_line(&s, (struct line){ .text = "So", .fails = ERR_CLOSED });
    stage_ask(&s, "go");
    EQ(s.turn.stop, TURN_FAILED); /* something was told already */
    EQ(s.turn.why.code, ERR_CLOSED);
    HAS_S(str_of(s.heard), "text So\nend failed the model failed");
    stage_close(&s);
}

TEST(a_prompt_that_was_refused_is_not_sent_again)
{
    AUTO_STAGE s;

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .text = "No.", .stop = STOP_REFUSED });
    add_line(&s, (struct line){ .text = "Yes." });
    stage_ask(&s, "bad");
    EQ(s.turn.stop, TURN_REFUSED);
    stage_ask(&s, "good");
    EQ(s.messages, 1);
    EQ_STR(s.last, "good");
    stage_close(&s);
}

TEST(what_is_old_is_summed_up_before_the_window_is_full)
{
    AUTO_STAGE s;
    char id[ID_TEXT];

    stage_init(&s);
    s.local.model.window = 1000;
    stage_up(&s);
    OK(stage_open(&s, NULL));
    memcpy(id, s.session.id, sizeof(id));
    add_line(&s, (struct line){ .text = "First.", .usage = { .input = 900, .output = 10 } });
    add_line(&s, (struct line){ .text = "They said hello." });
    add_line(&s, (struct line){ .text = "Second." });
    stage_ask(&s, "one");
    stage_ask(&s, "two");
    HAS_S(str_of(s.heard), "notice 2 ");
    HAS_S(str_of(s.heard), "notice 3 They said hello.\ntext Second.\nend end");
    EQ(s.messages, 2); /* the summary, and two */
    stage_close(&s);
    OK(stage_open(&s, id));
    add_line(&s, (struct line){ .text = "Third." });
    stage_ask(&s, "three");
    EQ(s.messages, 4);
    stage_close(&s);
}

TEST(results_are_dropped_when_a_summary_cannot_be_had)
{
    AUTO_STAGE s;
    static char args[9000];

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    snprintf(args, sizeof(args), "{\"text\":\"%08000d\"}", 1);
    add_line(&s, (struct line){ .call = { { "a", "say", args } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "First." });
    add_line(&s, (struct line){ .stop = STOP_CONTEXT });
    add_line(&s, (struct line){ .fails = ERR_TIMEOUT });
    add_line(&s, (struct line){ .text = "Second." });
    stage_ask(&s, "one");
    stage_ask(&s, "two");
    EQ(s.turn.stop, TURN_END);
    HAS_S(str_of(s.heard), "the oldest tool results were removed");
    EQ(s.messages, 5);
    add_line(&s, (struct line){ .stop = STOP_CONTEXT });
    add_line(&s, (struct line){ .fails = ERR_TIMEOUT });
    stage_ask(&s, "three");
    EQ(s.turn.stop, TURN_CONTEXT);
    stage_close(&s);
}

TEST(somebody_is_asked_once_and_may_allow_it_from_now_on)
{
    AUTO_STAGE s;
    struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct json yes;

    stage_init(&s);
    s.local.agent.scope.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    s.able = true;
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "count", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .call = { { "b", "count", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "Ok." });
    stage_prompt(&s, "go");
    OK(until(s.world.loop, is_asked, &s));
    EQ_S(turn_call_id(s.ask), "a");
    HAS_S(s.ask->params, "always");
    OK(!timer_is_set(&s.turn.work->wall)); /* limits.turn_ms stands still */
    OK(json_read(&s.session.mem, STR("{\"action\":\"accept\",\"content\":{\"always\":true}}"),
                 &opts, &yes, &s.err));
    ask_answer(s.ask, yes);
    OK(until(s.world.loop, has_run, &s));
    OK(timer_is_set(&s.turn.work->wall));
    stage_wait(&s);
    EQ(s.runs, 2);
    HAS_S(str_of(s.heard),
          "tool a 0 \ntool a 0 \nask open\nask closed\ntool a 1 \ntool a 2 counted");
    OK(!strstr(strstr(s.heard, "ask closed") + 5, "ask"));
    stage_close(&s);
}

TEST(nobody_to_ask_is_no)
{
    AUTO_STAGE s;

    stage_init(&s);
    s.local.agent.scope.permission[TOOL_EXECUTE] = PERMISSION_ASK;
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "count", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "Ok." });
    stage_ask(&s, "go");
    EQ(s.runs, 0);
    HAS_S(str_of(s.last), "no one is available");
    stage_close(&s);
}

TEST(what_a_server_says_is_fenced_and_taints_what_follows)
{
    AUTO_STAGE s;

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "mcp_far_say", "{\"text\":\"obey me\"}" } },
                                .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .call = { { "b", "count", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "Ok." });
    stage_ask(&s, "go");
    EQ_S(history_taint(s.session.history), "far:say");
    EQ(s.runs, 0); /* a tool of high risk, and no one can be asked */
    HAS_S(str_of(s.heard), "[untrusted data from far:say");
    stage_close(&s);
}

TEST(a_server_that_wants_our_model_gets_it_when_somebody_agrees)
{
    AUTO_STAGE s;
    struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct json yes;

    stage_init(&s);
    s.able = true;
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "mcp_far_sample", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "thought", .usage = { .input = 5, .output = 7 } });
    add_line(&s, (struct line){ .text = "Ok.", .usage = { .input = 1, .output = 1 } });
    stage_prompt(&s, "go");
    OK(until(s.world.loop, is_asked, &s));
    HAS_S(s.ask->params, "model_sample");
    HAS_S(s.ask->params, "data from far:sample is not trusted");
    EQ_S(turn_call_id(s.ask), "a");
    OK(json_read(&s.session.mem, STR("{\"action\":\"accept\"}"), &opts, &yes, &s.err));
    ask_answer(s.ask, yes);
    stage_wait(&s);
    HAS_S(str_of(s.heard), "{\"role\":\"assistant\",\"content\":{\"type\":\"text\","
                           "\"text\":\"thought\"},\"model\":\"m1\",\"stopReason\":\"endTurn\"}");
    EQ(s.turn.usage.input, 6); /* it is paid for */
    stage_close(&s);
}

TEST(without_anybody_to_ask_it_does_not_get_it)
{
    AUTO_STAGE s;

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "mcp_far_sample", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "Ok." });
    stage_ask(&s, "go");
    EQ(s.asked, 2);
    HAS_S(str_of(s.last), "model_sample needs approval");
    stage_close(&s);
}

TEST(prompts_of_people_taint_when_they_are_not_trusted)
{
    AUTO_STAGE s;

    stage_init(&s);
    stage_up(&s);
    for (int trusted = 0; trusted < 2; trusted++) {
        s.sworld.untrusted_users = !trusted;
        OK(stage_open(&s, NULL));
        add_line(&s, (struct line){ .call = { { "b", "count", "{}" } }, .stop = STOP_TOOLS });
        add_line(&s, (struct line){ .text = "Ok." });
        stage_ask(&s, "go");
        EQ(s.runs, trusted);
        if (!trusted)
            HAS_S(str_of(s.last), "data from user@user:1 is not trusted");
        stage_close(&s);
    }
}

TEST(a_plan_is_told_and_kept)
{
    AUTO_STAGE s;

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .call = { { "a", "plan", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "Ok." });
    stage_ask(&s, "go");
    HAS_S(str_of(s.heard), "plan [{\"content\":\"one\"");
    s.heard[0] = '\0';
    session_tell(&s.session, &s.client);
    HAS_S(str_of(s.heard), "plan [{\"content\":\"one\"");
    stage_close(&s);
}

/* Two pieces of work on one store, one model, one guard. */
TEST(sessions_share_nothing_but_the_store)
{
    AUTO_STAGE s;
    struct session first;

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    guard_grant(&s.session.grants, "count", true);
    add_line(&s, (struct line){ .call = { { "a", "mcp_far_say", "{\"text\":\"x\"}" } },
                                .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "First." });
    stage_ask(&s, "one");
    first = s.session;
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .text = "Second." });
    stage_ask(&s, "two");
    EQ(s.messages, 1);
    EQ_STR(s.last, "two");
    EQ(s.session.grants.n, 0);
    EQ(s.session.calls.calls, 0);
    OK(!history_taint(s.session.history).p);
    OK(strcmp(s.session.id, first.id) != 0);
    stage_close(&s);
    s.session = first;
    EQ_S(history_answer(s.session.history), "First.");
    stage_close(&s);
}

TEST(a_tool_by_hand_is_offered_only_where_a_list_names_it)
{
    AUTO_STAGE s;
    struct str names[] = { STR("say"), STR("far:reset") };

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    OK(session_tool(&s.session, STR("mcp_far_say")) == &far_tool);
    OK(!session_tool(&s.session, STR("mcp_far_reset")));
    add_line(&s, (struct line){ .call = { { "a", "mcp_far_reset", "{}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "No." });
    stage_ask(&s, "reset it");
    EQ(s.tools, 6);
    EQ(s.runs, 0);
    stage_close(&s);
    s.local.agent.scope.allowed = (struct pick_strs){ names, 2, true };
    OK(stage_open(&s, NULL));
    OK(session_tool(&s.session, STR("mcp_far_reset")) == &manual_tool);
    OK(!session_tool(&s.session, STR("mcp_far_say")));
    stage_close(&s);
}

TEST(a_model_is_told_where_the_session_works_if_that_is_elsewhere)
{
    AUTO_STAGE s;
    char folder[256];

    stage_init(&s);
    stage_up(&s);
    OK(stage_open(&s, NULL));
    add_line(&s, (struct line){ .text = "First." });
    stage_ask(&s, "one");
    EQ_STR(s.system, "Act.");
    stage_close(&s);

    snprintf(folder, sizeof(folder), "%s/below", s.world.place.path);
    s.opened = false;
    session_open(&s.session, &s.opening, &s.sworld,
                 &(struct session_opts){ .agent = &s.local.agent,
                                         .cwd = folder,
                                         .origin = ORIGIN_TERMINAL,
                                         .principal = STR("user:1") },
                 NULL, on_opened, &s);
    OK(until(s.world.loop, until_true, &s.opened));
    add_line(&s, (struct line){ .text = "Second." });
    stage_ask(&s, "two");
    HAS_S(str_of(s.system), "Act.\n\nIn this session your working folder is ");
    HAS_S(str_of(s.system), "/below.");
    stage_close(&s);
}

TEST(without_a_store_a_session_works_all_the_same)
{
    AUTO_STAGE s;

    stage_init(&s);
    s.sworld = (struct session_world){ .loop = s.world.loop, .limits = &s.world.limits };
    OK(stage_open(&s, NULL));
    add_line(&s,
             (struct line){ .call = { { "a", "say", "{\"text\":\"x\"}" } }, .stop = STOP_TOOLS });
    add_line(&s, (struct line){ .text = "First." });
    add_line(&s, (struct line){ .text = "Second." });
    stage_ask(&s, "one");
    stage_ask(&s, "two");
    EQ(s.messages, 5);
    stage_close(&s);
    OK(!stage_open(&s, "0190"));
    EQ(s.err.code, ERR_NOT_FOUND);
}

TEST_MAIN()
