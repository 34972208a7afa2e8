#include "base/auto.h"
#include "core/artifact.h"
#include "tap.h"

static struct str json_of(struct artifact_set *s)
{
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, s->mem, 1 << 16);
    artifacts_write(&w, s);
    return buf_str(&out);
}

static void add(struct artifact_set *s, struct block b, bool append, bool joins)
{
    artifact_add(s, &(struct event_artifact){ .id = STR("a"),
                                              .name = append ? STR_NONE : STR("n"),
                                              .part = { &b, 1 },
                                              .append = append,
                                              .joins = joins,
                                              .last = append });
}

static struct block text(const char *words)
{
    return (struct block){ .kind = BLOCK_TEXT, .text = str_of(words) };
}

static struct block bytes(const char *data)
{
    return (struct block){ .kind = BLOCK_MEDIA, .type = STR("a/b"), .data = str_of(data) };
}

TEST(pieces_are_joined_added_and_replaced)
{
    AUTO_ARENA mem = { 0 };
    struct artifact_set s = { .mem = &mem, .most = 1 << 10 };

    add(&s, text("x"), false, false);
    add(&s, text("one, "), false, false);
    add(&s, text("two"), true, true);
    add(&s, text("three"), true, false);
    EQ_S(json_of(&s), "[{\"id\":\"a\",\"name\":\"n\",\"parts\":["
                      "{\"type\":\"text\",\"text\":\"one, two\"},"
                      "{\"type\":\"text\",\"text\":\"three\"}],\"complete\":true}]");
}

/* Padding in the middle of base64 could not be decoded. */
TEST(bytes_are_joined_across_their_padding)
{
    AUTO_ARENA mem = { 0 };
    struct artifact_set s = { .mem = &mem, .most = 1 << 10 };

    add(&s, bytes("QQ=="), false, false);
    add(&s, bytes("AA=="), true, true);
    add(&s, bytes("Qg=="), true, true);
    HAS_S(json_of(&s), "\"data\":\"QQBC\"");
}

/* limits.artifact_bytes */
TEST(content_above_the_limit_is_left_out_and_marked)
{
    AUTO_ARENA mem = { 0 };
    struct artifact_set s = { .mem = &mem, .most = 8 };

    add(&s, text("12345678"), false, false);
    add(&s, text("9"), true, true);
    HAS_S(json_of(&s), "\"12345678\"");
    HAS_S(json_of(&s), "\"cut\":true");
}

TEST_MAIN()
