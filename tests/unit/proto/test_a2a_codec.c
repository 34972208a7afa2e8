#include "base/auto.h"
#include "proto/a2a/a2a_codec.h"
#include "proto/a2a/a2a_error.h"
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

static struct str written_update(struct buf *out, enum a2a_dialect d, const struct a2a_update *u)
{
    struct jw w = jw_to(out);

    buf_clear(out);
    a2a_write_update(&w, d, u);
    return buf_str(out);
}

/* ---- dialects -------------------------------------------------------------------------------- */

TEST(every_spelling_of_a_state_is_understood)
{
    static const struct {
        const char *name;
        enum task_state state;
    } rows[] = {
        { "submitted", TASK_SUBMITTED },
        { "pending", TASK_SUBMITTED },
        { "TASK_STATE_WORKING", TASK_WORKING },
        { "input-required", TASK_INPUT_REQUIRED },
        { "inputRequired", TASK_INPUT_REQUIRED },
        { "InputRequired", TASK_INPUT_REQUIRED },
        { "input_required", TASK_INPUT_REQUIRED },
        { "TASK_STATE_AUTH_REQUIRED", TASK_AUTH_REQUIRED },
        { "Cancelled", TASK_CANCELED },
        { "canceled", TASK_CANCELED },
        { "TASK_STATE_CANCELLED", TASK_CANCELED },
        { "unknown", TASK_FAILED },
        { "TASK_STATE_UNSPECIFIED", TASK_FAILED },
    };
    enum task_state state;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        OK(a2a_state_named(str_of(rows[i].name), &state));
        EQ(state, rows[i].state);
    }
    OK(!a2a_state_named(STR("paused"), &state));
    OK(!a2a_state_named(STR(""), &state));
}

TEST(every_state_survives_every_dialect)
{
    for (size_t d = 0; d < A2A_DIALECTS; d++)
        for (size_t s = 0; s < TASK_STATES; s++) {
            enum task_state state = TASK_STATES;

            OK(a2a_state_named(str_of(a2a_dialects[d].state[s]), &state));
            if (d != A2A_0_1 && d != A2A_PLAIN)
                EQ(state, s);
        }
}

TEST(a_method_names_its_operation_and_dialect)
{
    enum a2a_dialect d;
    enum a2a_op op;

    OK(a2a_method_named(STR("SendMessage"), &op, &d));
    EQ(op, A2A_SEND);
    EQ(d, A2A_1_0);
    OK(a2a_method_named(STR("tasks/get"), &op, &d));
    EQ(op, A2A_GET);
    EQ(d, A2A_0_3);
    OK(a2a_method_named(STR("tasks/send"), &op, &d));
    EQ(op, A2A_SEND);
    EQ(d, A2A_0_1);
    OK(!a2a_method_named(STR("tasks/forget"), &op, &d));
    EQ_STR(a2a_method(A2A_GET, A2A_0_1), "tasks/get");
    EQ_STR(a2a_method(A2A_STREAM, A2A_0_1), "tasks/sendSubscribe");
    OK(!a2a_method(A2A_LIST, A2A_0_1));
}

TEST(a_version_names_a_dialect)
{
    enum a2a_dialect d;

    OK(a2a_version_named(STR(""), &d));
    EQ(d, A2A_0_3);
    OK(a2a_version_named(STR("1.0.1"), &d));
    EQ(d, A2A_1_0);
    OK(a2a_version_named(STR("0.3.0"), &d));
    EQ(d, A2A_0_3);
    OK(!a2a_version_named(STR("99.0"), &d));
    OK(!a2a_version_named(STR("1"), &d));
}

/* ---- parts ----------------------------------------------------------------------------------- */

static const struct block every_part[] = {
    { .kind = BLOCK_TEXT, .text = { "hi", 2 } },
    { .kind = BLOCK_MEDIA,
      .data = { "AAEC", 4 },
      .type = { "image/png", 9 },
      .name = { "a.png", 5 } },
    { .kind = BLOCK_TEXT, .uri = { "https://x/y", 11 }, .type = { "text/css", 8 } },
    { .kind = BLOCK_TEXT, .text = { "{\"a\":[1]}", 9 }, .is_data = true },
};

static const char *const part_texts[A2A_DIALECTS] = {
    [A2A_1_0] = "[{\"text\":\"hi\"},{\"raw\":\"AAEC\",\"filename\":\"a.png\",\"mediaType\":"
                "\"image/png\"},{\"url\":\"https://x/y\",\"mediaType\":\"text/css\"},"
                "{\"data\":{\"a\":[1]}}]",
    [A2A_0_3] = "[{\"kind\":\"text\",\"text\":\"hi\"},{\"kind\":\"file\",\"file\":{\"bytes\":"
                "\"AAEC\",\"name\":\"a.png\",\"mimeType\":\"image/png\"}},{\"kind\":\"file\","
                "\"file\":{\"uri\":\"https://x/y\",\"mimeType\":\"text/css\"}},"
                "{\"kind\":\"data\",\"data\":{\"a\":[1]}}]",
    [A2A_0_3_REST] =
        "[{\"text\":\"hi\"},{\"file\":{\"fileWithBytes\":\"AAEC\",\"mimeType\":"
        "\"image/png\",\"name\":\"a.png\"}},{\"file\":{\"fileWithUri\":"
        "\"https://x/y\",\"mimeType\":\"text/css\"}},{\"data\":{\"data\":{\"a\":[1]}}}]",
    [A2A_0_1] = "[{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"file\",\"file\":{\"bytes\":"
                "\"AAEC\",\"name\":\"a.png\",\"mimeType\":\"image/png\"}},{\"type\":\"file\","
                "\"file\":{\"uri\":\"https://x/y\",\"mimeType\":\"text/css\"}},"
                "{\"type\":\"data\",\"data\":{\"a\":[1]}}]",
    [A2A_PLAIN] = "[{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"file\",\"name\":\"a.png\","
                  "\"mimeType\":\"image/png\",\"data\":\"AAEC\"},{\"type\":\"file\",\"name\":\"\","
                  "\"mimeType\":\"text/css\",\"uri\":\"https://x/y\"},{\"type\":\"data\","
                  "\"mimeType\":\"application/json\",\"data\":{\"a\":[1]}}]",
};

static void same_part(const struct block *a, const struct block *b)
{
    EQ(a->kind, b->kind);
    OK(str_eq(a->text, b->text));
    OK(str_eq(a->data, b->data));
    OK(str_eq(a->uri, b->uri));
    OK(str_eq(a->name, b->name));
    EQ(a->is_data, b->is_data);
}

TEST(parts_round_trip_in_every_dialect)
{
    for (size_t d = 0; d < A2A_DIALECTS; d++) {
        AUTO_ARENA mem = { 0 };
        struct a2a_message m = { 0 };
        AUTO_BUF out = { 0 };
        struct jw w = jw_to(&out);
        struct err e;

        buf_init(&out, 1 << 14);
        jw_array(&w);
        for (size_t i = 0; i < ARRAY_LEN(every_part); i++)
            a2a_write_part(&w, (enum a2a_dialect)d, &every_part[i]);
        jw_array_end(&w);
        EQ_S(buf_str(&out), part_texts[d]);
        if (!a2a_read_message(
                &mem, (enum a2a_dialect)d, &limits,
                parse(&mem,
                      arena_cstr(
                          &mem,
                          arena_printf(
                              &mem, "{\"messageId\":\"m\",\"role\":\"user\",\"parts\":" STR_FMT "}",
                              STR_ARG(buf_str(&out))))),
                &m, &e))
            TAP_NOT("%s", e.text);
        EQ(m.parts.n, ARRAY_LEN(every_part));
        for (size_t i = 0; i < m.parts.n; i++)
            same_part(&m.parts.v[i], &every_part[i]);
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

TEST(snake_case_members_are_read)
{
    AUTO_ARENA mem = { 0 };
    struct a2a_message m;
    struct err e;

    OK(a2a_read_message(&mem, A2A_1_0, &limits,
                        parse(&mem, "{\"message_id\":\"m\",\"context_id\":\"c\",\"task_id\":\"t\","
                                    "\"role\":\"ROLE_USER\",\"parts\":[{\"raw\":\"AA==\","
                                    "\"media_type\":\"a/b\"}],\"reference_task_ids\":[\"r\"]}"),
                        &m, &e));
    EQ_S(m.id, "m");
    EQ_S(m.context, "c");
    EQ_S(m.task, "t");
    EQ_S(m.parts.v[0].type, "a/b");
    EQ_S(m.references.v[0], "r");
}

TEST(wrong_messages_are_refused_with_the_reason)
{
    static const struct {
        const char *json, *why;
    } rows[] = {
        { "[]", "expected a message (object)" },
        { "{\"role\":\"user\",\"parts\":[{\"text\":\"x\"}]}", "messageId" },
        { "{\"messageId\":\"m\",\"parts\":[{\"text\":\"x\"}]}", "role" },
        { "{\"messageId\":\"m\",\"role\":\"system\",\"parts\":[{\"text\":\"x\"}]}",
          "user or agent" },
        { "{\"messageId\":\"m\",\"role\":\"user\"}", "parts" },
        { "{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[]}", "at least one part" },
        { "{\"messageId\":\"m\",\"role\":\"user\",\"parts\":{}}", "array of parts" },
        { "{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{}]}", "exactly one of" },
        { "{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"text\":\"a\",\"url\":\"b\"}]}",
          "exactly one of" },
        { "{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"kind\":\"video\",\"text\":\"a\"}]}",
          "unknown kind of part" },
        { "{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"raw\":\"***\"}]}", "base64" },
        { "{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"kind\":\"file\",\"file\":{}}]}",
          "either the bytes" },
        { "{\"messageId\":7,\"role\":\"user\",\"parts\":[{\"text\":\"a\"}]}", "expected a string" },
        { "{\"messageId\":\"m\",\"messageId\":\"m\",\"role\":\"user\",\"parts\":[]}", "duplicate" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_ARENA mem = { 0 };
        struct a2a_message m = { .id = STR("untouched") };
        struct err e = { 0 };

        OK(!a2a_read_message(&mem, A2A_0_3, &limits, parse(&mem, rows[i].json), &m, &e));
        HAS_S(str_of(e.text), rows[i].why);
        EQ_S(m.id, "untouched");
    }
}

TEST(a_message_of_0_1_needs_no_id)
{
    AUTO_ARENA mem = { 0 };
    struct a2a_message m;
    struct err e;

    OK(a2a_read_message(
        &mem, A2A_0_1, &limits,
        parse(&mem, "{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"x\"}]}"), &m, &e));
}

/* ---- updates --------------------------------------------------------------------------------- */

static const struct a2a_update status_update = {
    .kind = A2A_STATUS,
    .task_id = { "t", 1 },
    .context = { "c", 1 },
    .status = { .state = TASK_CANCELED, .time = { "2026-11-15T09:30:00.123Z", 24 } },
    .final = true,
};

TEST(a_status_update_in_every_dialect)
{
    static const char *const texts[A2A_DIALECTS] = {
        [A2A_1_0] = "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{\"state\":"
                    "\"TASK_STATE_CANCELED\",\"timestamp\":\"2026-11-15T09:30:00.123Z\"}}}",
        [A2A_0_3] = "{\"kind\":\"status-update\",\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{"
                    "\"state\":\"canceled\",\"timestamp\":\"2026-11-15T09:30:00.123Z\"},"
                    "\"final\":true}",
        [A2A_0_3_REST] = "{\"statusUpdate\":{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{"
                         "\"state\":\"TASK_STATE_CANCELLED\",\"timestamp\":"
                         "\"2026-11-15T09:30:00.123Z\"},\"final\":true}}",
        [A2A_0_1] = "{\"id\":\"t\",\"status\":{\"state\":\"canceled\",\"timestamp\":"
                    "\"2026-11-15T09:30:00.123Z\"},\"final\":true}",
        [A2A_PLAIN] = "{\"id\":\"t\",\"status\":\"canceled\",\"final\":true}",
    };
    AUTO_BUF out = { 0 };

    buf_init(&out, 1 << 14);
    for (size_t d = 0; d < A2A_DIALECTS; d++) {
        AUTO_ARENA mem = { 0 };
        struct a2a_update u = { 0 };
        struct err e;

        EQ_S(written_update(&out, (enum a2a_dialect)d, &status_update), texts[d]);
        OK(a2a_read_update(&mem, (enum a2a_dialect)d, &limits, parse(&mem, texts[d]), &u, &e));
        EQ(u.kind, A2A_STATUS);
        EQ(u.status.state, TASK_CANCELED);
        EQ_S(u.task_id, "t");
    }
}

TEST(an_artifact_update_in_every_dialect)
{
    static const struct a2a_update update = {
        .kind = A2A_ARTIFACT,
        .task_id = { "t", 1 },
        .context = { "c", 1 },
        .artifact = { .id = { "a", 1 }, .parts = { every_part, 1 } },
        .append = true,
        .last = true,
    };
    AUTO_BUF out = { 0 };

    buf_init(&out, 1 << 14);
    for (size_t d = 0; d < A2A_DIALECTS; d++) {
        AUTO_ARENA mem = { 0 };
        struct a2a_update u = { 0 };
        struct str text = written_update(&out, (enum a2a_dialect)d, &update);
        struct err e;

        OK(a2a_read_update(&mem, (enum a2a_dialect)d, &limits, parse(&mem, arena_cstr(&mem, text)),
                           &u, &e));
        EQ(u.kind, A2A_ARTIFACT);
        OK(u.append && u.last);
        EQ_S(u.artifact.id, "a");
        EQ_S(u.artifact.parts.v[0].text, "hi");
    }
}

TEST(a_task_with_history_round_trips)
{
    const struct a2a_message said = { .id = STR("m"), .parts = { every_part, 4 } };
    const struct a2a_artifact made = { .id = STR("a"),
                                       .name = STR("n"),
                                       .parts = { every_part, 4 } };
    const struct a2a_message asks = { .id = STR("q"),
                                      .from_agent = true,
                                      .parts = { every_part, 1 } };
    const struct a2a_update task = {
        .kind = A2A_TASK,
        .task = { .id = STR("t"),
                  .context = STR("c"),
                  .artifact = &made,
                  .artifacts = 1,
                  .status = { .state = TASK_INPUT_REQUIRED, .message = &asks },
                  .history = &said,
                  .messages = 1,
                  .metadata = STR("{\"k\":1}") },
    };
    AUTO_BUF out = { 0 };

    buf_init(&out, 1 << 16);
    for (size_t d = 0; d < A2A_DIALECTS; d++) {
        AUTO_ARENA mem = { 0 };
        struct a2a_update u = { 0 };
        struct str text = written_update(&out, (enum a2a_dialect)d, &task);
        struct err e = { 0 };

        if (!a2a_read_update(&mem, (enum a2a_dialect)d, &limits,
                             parse(&mem, arena_cstr(&mem, text)), &u, &e))
            TAP_NOT("%s", e.text);
        EQ(u.kind, A2A_TASK);
        EQ(u.task.artifacts, 1);
        EQ(u.task.messages, 1);
        EQ_S(u.task.context, "c");
        EQ(u.task.status.state, TASK_INPUT_REQUIRED);
        EQ(u.task.status.message != NULL, d != A2A_PLAIN);
    }
}

TEST(what_is_no_update_is_refused)
{
    AUTO_ARENA mem = { 0 };
    struct a2a_update u;
    struct err e;

    OK(!a2a_read_update(&mem, A2A_1_0, &limits, parse(&mem, "{\"hello\":1}"), &u, &e));
    OK(!a2a_read_update(&mem, A2A_1_0, &limits, parse(&mem, "null"), &u, &e));
    OK(!a2a_read_update(
        &mem, A2A_0_3, &limits,
        parse(&mem, "{\"kind\":\"task\",\"id\":\"t\",\"status\":{\"state\":\"x\"}}"), &u, &e));
    HAS_S(str_of(e.text), "unknown state");
}

/* ---- push configurations --------------------------------------------------------------------- */

TEST(a_push_configuration_round_trips)
{
    const struct a2a_push push = { .id = STR("p"),
                                   .task = STR("t"),
                                   .url = STR("http://h/"),
                                   .token = STR("k"),
                                   .scheme = STR("Bearer"),
                                   .credentials = STR("s") };
    static const enum a2a_dialect dialects[] = { A2A_1_0, A2A_0_3, A2A_0_1 };

    for (size_t i = 0; i < ARRAY_LEN(dialects); i++) {
        AUTO_ARENA mem = { 0 };
        AUTO_BUF out = { 0 };
        struct jw w = jw_to(&out);
        struct a2a_push back = { 0 };
        struct err e;

        buf_init(&out, 1 << 12);
        a2a_write_push(&w, dialects[i], &push);
        OK(a2a_read_push(&mem, parse(&mem, arena_cstr(&mem, buf_str(&out))), &back, &e));
        EQ_S(back.task, "t");
        EQ_S(back.id, "p");
        EQ_S(back.url, "http://h/");
        EQ_S(back.token, "k");
        EQ_S(back.scheme, "Bearer");
        EQ_S(back.credentials, "s");
    }
}

/* ---- errors ---------------------------------------------------------------------------------- */

TEST(every_error_has_a_row)
{
    enum a2a_error found;

    for (size_t i = 0; i < A2A_ERRORS; i++) {
        OK(a2a_errors[i].code < 0);
        OK(a2a_errors[i].http >= 400);
        OK(a2a_errors[i].reason && a2a_errors[i].status);
        OK(a2a_error_of_code(a2a_errors[i].code, &found));
        EQ(a2a_errors[found].code, a2a_errors[i].code);
    }
    OK(!a2a_error_of_code(-1, &found));
}

TEST_MAIN()
