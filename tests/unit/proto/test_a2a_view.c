#include "base/auto.h"
#include "proto/a2a/server/a2a_question.h"
#include "proto/a2a/server/a2a_view.h"
#include "tap.h"

static struct limits limits;

__attribute__((constructor)) static void set_limits(void)
{
    limits_preset(&limits);
}

static struct json parse(struct arena *mem, const char *text)
{
    struct json_opts opts = { .max_depth = 16, .max_values = 1000 };
    struct json out = { 0 };
    struct err e;

    if (!json_read(mem, str_of(text), &opts, &out, &e))
        TAP_NOT("%s", e.text);
    return out;
}

/* ---- the view -------------------------------------------------------------------------------- */

static const struct task_info info = {
    .id = { "t", 1 },
    .context = { "c", 1 },
    .owner = { "loopback", 8 },
    .asked = { "do it", 5 },
    .client = { "{\"a2a\":\"1.0\",\"message\":{\"messageId\":\"m-1\",\"role\":\"ROLE_USER\","
                "\"parts\":[{\"text\":\"-\"}]}}",
                85 },
};

/* Event n + 1, and the update that it leads to in 1.0; NULL: none. */
static const struct {
    const char *kind, *body, *update;
} life[] = {
    { "status", "{\"state\":\"submitted\"}",
      "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":"
      "\"TASK_STATE_SUBMITTED\",\"timestamp\":\"1970-01-01T00:00:00.001Z\"}}}" },
    { "status", "{\"state\":\"working\",\"text\":\"a remark\"}",
      "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":"
      "\"TASK_STATE_WORKING\",\"timestamp\":\"1970-01-01T00:00:00.002Z\"}}}" },
    { "text", "{\"type\":\"text\",\"message\":\"m\",\"text\":\"one \"}",
      "{\"artifactUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"artifact\":{\"artifactId\":"
      "\"m\","
      "\"name\":\"answer\",\"parts\":[{\"text\":\"one \"}]},\"append\":false,\"lastChunk\":false,"
      "\"metadata\":{\"trefoil\":{\"type\":\"text\"}}}}" },
    { "text", "{\"type\":\"text\",\"message\":\"m\",\"text\":\"two\"}",
      "{\"artifactUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"artifact\":{\"artifactId\":"
      "\"m\","
      "\"name\":\"answer\",\"parts\":[{\"text\":\"two\"}]},\"append\":true,\"lastChunk\":false,"
      "\"metadata\":{\"trefoil\":{\"type\":\"text\"}}}}" },
    { "tool", "{\"type\":\"tool\",\"id\":\"1\",\"name\":\"x\",\"status\":\"done\"}",
      "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":"
      "\"TASK_STATE_WORKING\",\"timestamp\":\"1970-01-01T00:00:00.005Z\"},\"metadata\":{"
      "\"trefoil\":"
      "{\"type\":\"tool\",\"id\":\"1\",\"name\":\"x\",\"status\":\"done\"}}}}" },
    { "ask",
      "{\"type\":\"ask\",\"id\":\"1\",\"key\":\"k1\",\"kind\":\"form\",\"open\":true,\"params\":{"
      "\"message\":\"First?\"}}",
      NULL },
    { "ask",
      "{\"type\":\"ask\",\"id\":\"2\",\"key\":\"k2\",\"kind\":\"form\",\"open\":true,\"params\":{"
      "\"message\":\"Second?\"}}",
      NULL },
    { "status", "{\"state\":\"input_required\",\"text\":\"First?\"}",
      "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":"
      "\"TASK_STATE_INPUT_REQUIRED\",\"message\":{\"messageId\":\"t-k1\",\"contextId\":\"c\","
      "\"taskId\":\"t\",\"role\":\"ROLE_AGENT\",\"parts\":[{\"text\":\"First?\"}]},\"timestamp\":"
      "\"1970-01-01T00:00:00.008Z\"}}}" },
    { "answered",
      "{\"key\":\"k1\",\"by\":\"loopback\",\"client\":{\"message\":{\"messageId\":\"m-2\",\"role\":"
      "\"ROLE_USER\",\"parts\":[{\"text\":\"yes\"}]}}}",
      "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":"
      "\"TASK_STATE_INPUT_REQUIRED\",\"message\":{\"messageId\":\"t-k2\",\"contextId\":\"c\","
      "\"taskId\":\"t\",\"role\":\"ROLE_AGENT\",\"parts\":[{\"text\":\"Second?\"}]},\"timestamp\":"
      "\"1970-01-01T00:00:00.009Z\"}}}" },
    { "answered", "{\"key\":\"k2\",\"by\":\"nobody\"}", NULL },
    { "usage", "{\"type\":\"usage\",\"turn\":{},\"used\":3}", NULL },
    { "status", "{\"state\":\"failed\",\"text\":\"no\",\"stop\":\"refused\"}",
      "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":"
      "\"TASK_STATE_REJECTED\",\"message\":{\"messageId\":\"t-12\",\"contextId\":\"c\",\"taskId\":"
      "\"t\",\"role\":\"ROLE_AGENT\",\"parts\":[{\"text\":\"no\"}]},\"timestamp\":"
      "\"1970-01-01T00:00:00.012Z\"},\"metadata\":{\"usage\":{\"type\":\"usage\",\"turn\":{},"
      "\"used\":3}}}}" },
};

TEST(each_event_leads_to_at_most_one_update)
{
    struct a2a_view view;

    a2a_view_init(&view, &info, &limits);
    for (size_t i = 0; i < ARRAY_LEN(life); i++) {
        AUTO_ARENA scratch = { 0 };
        AUTO_BUF out;
        struct jw w = jw_to(&out);
        struct a2a_update u;
        int64_t seq = (int64_t)i + 1;
        bool told;

        buf_init(&out, 1 << 14);
        told =
            a2a_view_add(&view, &scratch, seq, seq, str_of(life[i].kind), str_of(life[i].body), &u);
        EQ(told, life[i].update != NULL);
        if (told) {
            a2a_write_update(&w, A2A_1_0, &u);
            EQ_S(buf_str(&out), life[i].update);
        }
    }
    OK(a2a_view_waits(&view));
    a2a_view_fini(&view);
}

TEST(the_history_has_the_messages_of_both_sides)
{
    AUTO_ARENA mem = { 0 };
    struct a2a_view view;
    struct a2a_task t;

    a2a_view_init(&view, &info, &limits);
    for (size_t i = 0; i < ARRAY_LEN(life); i++) {
        AUTO_ARENA scratch = { 0 };
        struct a2a_update u;

        a2a_view_add(&view, &scratch, (int64_t)i + 1, 1, str_of(life[i].kind), str_of(life[i].body),
                     &u);
    }
    t = a2a_view_task(&view, &mem, A2A_HISTORY_ALL, true);
    EQ(t.messages, 4); /* the prompt, the first question, its answer, the second question */
    EQ_S(t.history[0].id, "m-1");
    EQ_S(t.history[0].parts.v[0].text, "do it");
    EQ_S(t.history[1].id, "t-k1");
    EQ_S(t.history[2].id, "m-2");
    EQ(t.artifacts, 1);
    EQ_S(t.artifact[0].parts.v[0].text, "one two");
    EQ(a2a_view_task(&view, &mem, 1, true).messages, 1);
    EQ_S(a2a_view_task(&view, &mem, 1, true).history[0].id, "t-k2");
    EQ(a2a_view_task(&view, &mem, 0, false).messages, 0);
    EQ(a2a_view_task(&view, &mem, 0, false).artifacts, 0);
    a2a_view_fini(&view);
}

TEST(damaged_events_change_nothing)
{
    static const char *const bodies[] = { "", "{", "[]", "{}", "{\"type\":\"dance\"}" };
    struct a2a_view view;

    a2a_view_init(&view, &info, &limits);
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        AUTO_ARENA scratch = { 0 };
        struct a2a_update u;

        OK(!a2a_view_add(&view, &scratch, (int64_t)i + 1, 1, STR("text"), str_of(bodies[i]), &u));
    }
    EQ(view.state, TASK_SUBMITTED);
    a2a_view_fini(&view);
}

TEST(a_single_direct_text_is_a_message)
{
    AUTO_ARENA mem = { 0 };
    struct a2a_view view;
    struct a2a_message m;
    struct a2a_update u;

    a2a_view_init(&view, &info, &limits);
    a2a_view_add(&view, &mem, 1, 1, STR("text"),
                 STR("{\"type\":\"text\",\"message\":\"direct\",\"text\":\"hi\"}"), &u);
    OK(!a2a_view_direct(&view, &mem, &m));
    a2a_view_add(&view, &mem, 2, 1, STR("status"), STR("{\"state\":\"completed\"}"), &u);
    OK(a2a_view_direct(&view, &mem, &m));
    EQ_S(m.parts.v[0].text, "hi");
    a2a_view_fini(&view);
}

/* ---- answers --------------------------------------------------------------------------------- */

#define FORM(fields)                                                                               \
    "{\"k\":{\"kind\":\"form\",\"params\":{\"message\":\"?\",\"requestedSchema\":{\"properties\":" \
    "{" fields "}}}}}"
#define PERMISSION                                                                                 \
    "{\"k\":{\"kind\":\"permission\",\"params\":{\"message\":\"?\",\"options\":[{\"id\":"          \
    "\"allow_once\",\"kind\":\"allow_once\"},{\"id\":\"mine\",\"kind\":\"allow_once\"}]}}}"
#define TEXT(text) "[{\"text\":\"" text "\"}]"

static const struct {
    const char *asks, *parts, *answer; /* NULL: unclear */
} answers[] = {
    { FORM("\"a\":{\"type\":\"string\"}"), TEXT("no \\\"x\\\""),
      "{\"action\":\"accept\",\"content\":{\"a\":\"no \\\"x\\\"\"},\"client\":{}}" },
    { FORM("\"a\":{\"type\":\"integer\"}"), TEXT("7"),
      "{\"action\":\"accept\",\"content\":{\"a\":7},\"client\":{}}" },
    { FORM("\"a\":{\"type\":\"integer\"}"), TEXT("seven"), NULL },
    { FORM("\"a\":{\"type\":\"boolean\"}"), TEXT("Yes"),
      "{\"action\":\"accept\",\"content\":{\"a\":true},\"client\":{}}" },
    { FORM("\"a\":{\"type\":\"boolean\"}"), TEXT("perhaps"), NULL },
    { FORM("\"a\":{},\"b\":{}"), TEXT("x"), NULL },
    { FORM("\"a\":{},\"b\":{}"), "[{\"data\":{\"a\":1,\"b\":2}}]",
      "{\"action\":\"accept\",\"content\":{\"a\":1,\"b\":2},\"client\":{}}" },
    { FORM("\"a\":{}"), TEXT("decline"), "{\"action\":\"decline\",\"client\":{}}" },
    { FORM(""), TEXT("go on"), "{\"action\":\"accept\",\"content\":{},\"client\":{}}" },
    { PERMISSION, TEXT("yes"), "{\"action\":\"accept\",\"client\":{}}" },
    { PERMISSION, TEXT("ALWAYS"),
      "{\"action\":\"accept\",\"content\":{\"always\":true},\"client\":{}}" },
    { PERMISSION, TEXT("no"), "{\"action\":\"decline\",\"client\":{}}" },
    { PERMISSION, TEXT("mine"), "{\"action\":\"accept\",\"option\":\"mine\",\"client\":{}}" },
    { PERMISSION, TEXT("well"), NULL },
    { PERMISSION, "[{\"data\":{\"option\":\"mine\"}}]",
      "{\"action\":\"accept\",\"option\":\"mine\",\"client\":{}}" },
    { PERMISSION, "[{\"data\":{\"action\":\"decline\"}}]",
      "{\"action\":\"decline\",\"client\":{}}" },
    { "{\"k\":{\"kind\":\"url\",\"params\":{\"url\":\"http://x\"}}}", TEXT("done"),
      "{\"action\":\"accept\",\"client\":{}}" },
    { "{}", TEXT("yes"), NULL },
};

TEST(a_message_answers_the_oldest_question)
{
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        AUTO_ARENA mem = { 0 };
        struct task_info task = { .asks = str_of(answers[i].asks) };
        struct a2a_message m = { 0 };
        struct json answer;
        struct str key;
        struct err e;
        bool clear;

        OK(a2a_read_message(
            &mem, A2A_0_1, &limits,
            parse(&mem, arena_printf(&mem, "{\"role\":\"user\",\"parts\":%s}", answers[i].parts).p),
            &m, &e));
        clear = a2a_question_answer(&mem, &limits, &task, &m, STR("{}"), &key, &answer);
        EQ(clear, answers[i].answer != NULL);
        if (clear) {
            EQ_S(key, "k");
            EQ_S(json_raw(answer), answers[i].answer);
        }
    }
}

TEST(a_question_shows_its_text_and_its_form)
{
    AUTO_ARENA mem = { 0 };
    struct a2a_message m = a2a_question_message(
        &mem, ASK_FORM,
        STR("{\"message\":\"Which?\",\"requestedSchema\":{\"properties\":{\"a\":{}}}}"));

    EQ(m.parts.n, 2);
    OK(m.from_agent);
    EQ_S(m.parts.v[0].text, "Which?");
    EQ_S(m.parts.v[1].text, "{\"properties\":{\"a\":{}}}");
    m = a2a_question_message(&mem, ASK_URL, STR("{\"message\":\"Log in\",\"url\":\"http://x\"}"));
    EQ_S(m.parts.v[0].text, "Log in\nhttp://x");
    EQ(a2a_question_message(&mem, ASK_FORM, STR("broken")).parts.n, 1);
}

/* ---- what is stored -------------------------------------------------------------------------- */

TEST(a_stored_answer_keeps_text_and_names_files)
{
    static const struct block parts[] = { { .kind = BLOCK_TEXT, .text = { "hi", 2 } },
                                          { .kind = BLOCK_MEDIA,
                                            .data = { "AAEC", 4 },
                                            .type = { "image/png", 9 },
                                            .name = { "a.png", 5 } } };
    AUTO_ARENA mem = { 0 };
    const struct a2a_message m = { .id = STR("m"), .parts = { parts, 2 }, .task = STR("t") };
    struct str text = a2a_stored_write(&mem, A2A_0_3, &m, true);
    struct a2a_message back;

    OK(a2a_stored_message(&mem, &limits, parse(&mem, arena_cstr(&mem, text)), &back));
    EQ_S(back.id, "m");
    OK(!back.task.n);
    EQ_S(back.parts.v[0].text, "hi");
    HAS_S(back.parts.v[1].text, "a.png");
    EQ_S(a2a_stored_version(&mem, text), "0.3.0");
    OK(!a2a_stored_version(&mem, STR("")).n);
}

TEST_MAIN()
