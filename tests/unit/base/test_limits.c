/* test_limits.c - the table of limits. */
#include "base/auto.h"
#include "base/limits.h"
#include "base/toml/toml.h"
#include "tap.h"

static int64_t value_of(const struct limits *l, size_t row)
{
    return limits_get(l, &limit_rows[row]);
}

TEST(every_row_makes_sense_and_its_default_is_preset)
{
    struct limits l;

    limits_preset(&l);
    OK(limit_count * sizeof(int64_t) < sizeof(l));
    for (size_t i = 0; i < limit_count; i++) {
        const struct limit_row *row = &limit_rows[i];

        if (row->least < 0 || row->least > row->preset || row->preset > row->most || row->most <= 0)
            TAP_NOT("%s: %lld in %lld to %lld", row->name, (long long)row->preset,
                    (long long)row->least, (long long)row->most);
        EQ(value_of(&l, i), row->preset);
        OK(!strcmp(row->unit, "bytes") || !strcmp(row->unit, "ms") || !strcmp(row->unit, "count"));
        OK(strlen(row->what) > 10 && row->what[strlen(row->what) - 1] != '.');
        for (size_t j = 0; j < i; j++)
            OK(strcmp(row->name, limit_rows[j].name) != 0);
    }
}

/* Read one limit from TOML. */
static bool read_one(const char *name, int64_t n, struct limits *l, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct json root;

    if (!toml_read(&mem, arena_printf(&mem, "%s = %lld", name, (long long)n), "t.toml", 8, &root,
                   e))
        return false;
    return limits_read(&mem, root, l, e);
}

TEST(every_limit_can_be_set_from_its_least_to_its_most_and_not_beyond)
{
    for (size_t i = 0; i < limit_count; i++) {
        const struct limit_row *row = &limit_rows[i];
        struct limits l;
        struct err e = { 0 };

        limits_preset(&l);
        OK(read_one(row->name, row->least, &l, &e));
        EQ(value_of(&l, i), row->least);
        OK(read_one(row->name, row->most, &l, &e));
        EQ(value_of(&l, i), row->most);
        OK(!read_one(row->name, row->least - 1, &l, &e));
        OK(!read_one(row->name, row->most + 1, &l, &e));
        EQ(e.code, ERR_INVALID);
        OK(strstr(e.text, "is out of range; expected"));
        EQ(value_of(&l, i), row->most);
    }
}

TEST(an_error_names_the_place_and_what_is_accepted)
{
    struct limits l;
    struct err e = { 0 };

    limits_preset(&l);
    OK(!read_one("model_ms", 4, &l, &e));
    EQ_STR(e.text, "t.toml:1:12: model_ms: 4 is out of range; expected 100 to 86400000");
    OK(!read_one("model_m", 4, &l, &e));
    EQ_STR(e.text, "t.toml:1:1: model_m: unknown key; did you mean \"model_ms\"?");
    OK(!read_one("model_ms = '9' #", 4, &l, &e));
    EQ_STR(e.text, "t.toml:1:12: model_ms: expected an integer, found a string");
    OK(!read_one("batch_items", 64, &l, &e));
    EQ_STR(e.text, "t.toml:1:15: batch_items: is a constant and cannot be configured");
    EQ(l.batch_items, 100);
}

static const struct limit_row *row_named(const char *name)
{
    for (size_t i = 0; i < limit_count; i++)
        if (!strcmp(limit_rows[i].name, name))
            return &limit_rows[i];
    return NULL;
}

TEST(a_project_may_only_make_a_limit_stricter)
{
    static const struct {
        const char *name;
        int64_t now, value;
        bool may;
    } cases[] = {
        { "tool_ms", 500, 499, true },        { "tool_ms", 500, 501, false },
        { "tool_ms", 500, 500, true },        { "rate_per_min", 30, 29, true },
        { "rate_per_min", 30, 31, false },    { "rate_per_min", 30, 0, false },
        { "rate_per_min", 0, 30, true },      { "rate_per_min", 0, 0, true },
        { "audit_bytes", 8192, 4096, false }, { "audit_bytes", 8192, 9000, false },
        { "audit_bytes", 8192, 8192, true },
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        EQ(limit_project_may(row_named(cases[i].name), cases[i].now, cases[i].value), cases[i].may);
}

TEST(an_empty_table_changes_nothing)
{
    AUTO_ARENA mem = { 0 };
    struct limits l, preset;
    struct json root;
    struct err e;

    limits_preset(&l);
    limits_preset(&preset);
    OK(toml_read(&mem, STR(""), NULL, 8, &root, &e) && limits_read(&mem, root, &l, &e));
    OK(!memcmp(&l, &preset, sizeof(l)));
}

TEST(the_limits_of_a_message_reach_the_reader)
{
    struct limits l;
    struct json_opts opts;

    limits_preset(&l);
    opts = limits_json(&l);
    EQ(opts.max_depth, l.json_depth);
    EQ(opts.max_values, l.json_values);
    OK(opts.max_depth <= JSON_DEPTH_CEILING && !opts.comments && !opts.file);
}

TEST_MAIN()
