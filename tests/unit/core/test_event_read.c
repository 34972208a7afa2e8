/* test_event_read.c - what event_write writes is read back as the same event. */
#include "core/event.h"
#include "tap.h"

#include "base/auto.h"

static struct str line_of(struct arena *mem, const struct event *ev)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, mem, 1 << 16);
    event_write(&w, ev);
    return buf_str(&out);
}

static bool read_line(struct arena *mem, struct str line, struct event *out, struct err *e)
{
    struct json_opts opts = { .max_depth = 64, .max_values = 1000 };
    struct json v;

    return json_read(mem, line, &opts, &v, e) && event_read(mem, v, out, e);
}

/* Nothing is lost that is written: writing it again gives the same bytes. */
static void check_round(const struct event *ev)
{
    AUTO_ARENA mem = { 0 };
    struct str before = line_of(&mem, ev), after = STR("");
    struct event back;
    struct err e = { 0 };

    if (read_line(&mem, before, &back, &e))
        after = line_of(&mem, &back);
    if (!str_eq(before, after))
        TAP_NOT(STR_FMT " became " STR_FMT " %s", STR_ARG(before), STR_ARG(after), e.text);
}

TEST(every_kind_of_event_survives_the_way_back)
{
    const struct block words = { .kind = BLOCK_TEXT, .text = STR("do it") };
    const struct block picture = { .kind = BLOCK_MEDIA,
                                   .type = STR("image/png"),
                                   .data = STR("AAAA") };
    const struct block both[] = { words, picture };
    const struct event events[] = {
        { .kind = EVENT_PROMPT, .message = STR("m"), .block = &words },
        { .kind = EVENT_PROMPT, .block = &picture },
        { .kind = EVENT_TEXT, .message = STR("m"), .text = STR("a \"b\"\n") },
        { .kind = EVENT_THOUGHT, .message = STR("m"), .text = STR("hm") },
        { .kind = EVENT_TOOL,
          .tool = { .id = STR("c1"),
                    .name = STR("file_edit"),
                    .title = STR("Edit"),
                    .kind = TOOL_EDIT,
                    .status = CALLED_DONE,
                    .args = STR("{\"path\":\"a\"}"),
                    .path = STR("/r/a"),
                    .line = 3,
                    .text = STR("ok"),
                    .old_text = STR("x"),
                    .new_text = STR("y"),
                    .done = STR("1"),
                    .total = STR("2.5"),
                    .trust = "untrusted",
                    .from = STR("srv:edit"),
                    .session = STR("s") } },
        { .kind = EVENT_TOOL,
          .tool = { .id = STR("c2"), .kind = TOOL_KINDS, .status = CALLED_PENDING } },
        { .kind = EVENT_PLAN, .plan = STR("[{\"content\":\"x\",\"status\":\"pending\"}]") },
        { .kind = EVENT_ASK,
          .ask = { STR("c1"), STR("k"), ASK_PERMISSION, STR("{\"message\":\"may I?\"}"), true } },
        { .kind = EVENT_USAGE,
          .usage = { .turn = { .input = 5, .output = 7 },
                     .used = 12,
                     .size = 100,
                     .cost_usd = 0.5 } },
        { .kind = EVENT_USAGE, .usage = { .used = 1, .cost_usd = -1 } },
        { .kind = EVENT_ARTIFACT,
          .artifact = { .id = STR("a"), .name = STR("n"), .part = { &words, 1 }, .last = true } },
        { .kind = EVENT_ARTIFACT,
          .artifact = { .id = STR("a"),
                        .description = STR("d"),
                        .part = { both, 2 },
                        .append = true,
                        .joins = true } },
        { .kind = EVENT_NOTICE, .notice = { NOTICE_WARNING, STR("mind the gap") } },
        { .kind = EVENT_SESSION, .session = { .title = STR("t") } },
        { .kind = EVENT_END, .end = { TURN_FAILED, ERR_TIMEOUT, STR("late") } },
        { .kind = EVENT_END, .end = { .stop = TURN_END } },
    };

    for (size_t i = 0; i < ARRAY_LEN(events); i++)
        check_round(&events[i]);
}

TEST(what_is_no_event_is_refused)
{
    static const char *const lines[] = {
        "{}",
        "[]",
        "{\"type\":\"dance\"}",
        "{\"type\":\"tool\",\"id\":\"c\",\"status\":\"jumping\"}",
        "{\"type\":\"notice\",\"text\":\"no kind\"}",
        "{\"type\":\"plan\"}",
        "{\"type\":\"text\",\"text\":7}",
    };
    AUTO_ARENA mem = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        struct event ev;
        struct err e = { 0 };

        OK(!read_line(&mem, str_of(lines[i]), &ev, &e));
        EQ(e.code, ERR_INVALID);
    }
}

TEST_MAIN()
