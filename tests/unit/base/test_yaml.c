/* test_yaml.c - what YAML becomes, where its values stand, and what is refused. */
#include "base/auto.h"
#include "base/pick.h"
#include "base/yaml_read.h"
#include "tap.h"

static struct json read_from(struct arena *mem, const char *text, uint32_t line, struct err *e)
{
    const struct yaml_opts opts = {
        .file = "f.md", .first_line = line, .max_depth = 4, .max_values = 40
    };
    struct json root = { 0 };

    *e = (struct err){ 0 };
    yaml_read(mem, str_of(text), &opts, &root, e);
    return root;
}

/* YAML in, JSON out. */
static const struct {
    const char *yaml, *json;
} rows[] = {
    { "a: b", "{\"a\":\"b\"}" },
    { "", "null" },
    { "# only a remark\n", "null" },
    { "a: 1\nb: -2.5e3\nc: 0", "{\"a\":1,\"b\":-2.5e3,\"c\":0}" },
    { "a: 007\nb: 1_000\nc: +5\nd: 0x1f\ne: .5\nf: 1.",
      "{\"a\":\"007\",\"b\":\"1_000\",\"c\":\"+5\",\"d\":\"0x1f\",\"e\":\".5\",\"f\":\"1.\"}" },
    { "a: true\nb: False\nc: yes\nd: off", "{\"a\":true,\"b\":false,\"c\":\"yes\",\"d\":\"off\"}" },
    { "a:\nb: ~\nc: null\nd: \"\"", "{\"a\":null,\"b\":null,\"c\":null,\"d\":\"\"}" },
    { "a: '1'\nb: \"true\"\nc: 'it''s'", "{\"a\":\"1\",\"b\":\"true\",\"c\":\"it's\"}" },
    { "- a\n- [b, c]\n- {d: e}", "[\"a\",[\"b\",\"c\"],{\"d\":\"e\"}]" },
    { "a: |\n  one\n  two\nb: >-\n  one\n  two", "{\"a\":\"one\\ntwo\\n\",\"b\":\"one two\"}" },
    { "a: 2024-01-02\nb: 12:30", "{\"a\":\"2024-01-02\",\"b\":\"12:30\"}" },
    { "1: x\ntrue: y", "{\"1\":\"x\",\"true\":\"y\"}" },
    { "a: \"\\u00e9\\t\"\nb: \xc3\xa9", "{\"a\":\"\xc3\xa9\\t\",\"b\":\"\xc3\xa9\"}" },
    { "a: b # remark\n", "{\"a\":\"b\"}" },
    { "a: {}\nb: []", "{\"a\":{},\"b\":[]}" },
};

TEST(yaml_becomes_the_tree_that_json_would)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_ARENA mem = { 0 };
        struct err e;
        struct json root = read_from(&mem, rows[i].yaml, 1, &e);

        EQ_STR(e.text, "");
        EQ_S(json_raw(root), rows[i].json);
    }
}

static const struct {
    const char *yaml, *why;
} refused[] = {
    { "a: &x 1", "f.md:1:4: anchors and tags are not accepted" },
    { "a: &x [1]", "anchors and tags" },
    { "a: *x", "aliases are not accepted" },
    { "a: !!str 1", "anchors and tags" },
    { "a: !x {b: c}", "anchors and tags" },
    { "a: b: c", "f.md:1:5: not YAML" },
    { "a: \"open", "not YAML" },
    { "\tb: 1", "not YAML" },
    { "? [a, b]\n: c", "a key must be" },
    { "a: 1\n--- \nb: 2", "a second document" },
    { "[[[[[1]]]]]", "nested too deeply; at most 4 levels are allowed" },
    { "a: \xff", "f.md:1:4: not UTF-8" },
    { "%YAML 3.0\n---\na: 1", "not YAML" },
};

TEST(what_people_should_not_write_is_refused_with_its_place)
{
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        AUTO_ARENA mem = { 0 };
        struct err e;
        struct json root = read_from(&mem, refused[i].yaml, 1, &e);

        OK(!json_here(root));
        HAS_S(str_of(e.text), refused[i].why);
    }
}

TEST(too_many_values_are_refused)
{
    AUTO_ARENA mem = { 0 };
    struct buf b;
    struct err e;

    buf_init_in(&b, &mem, 4096);
    for (int i = 0; i < 41; i++)
        buf_put(&b, STR("- x\n"));
    buf_putc(&b, '\0');
    OK(!json_here(read_from(&mem, b.p, 1, &e)));
    EQ(e.code, ERR_LIMIT);
    HAS_S(str_of(e.text), "more than 40 values");
}

struct two {
    struct str name;
    int64_t n;
};

TEST(a_field_table_reads_it_and_names_the_line_in_the_file)
{
    static const struct pick fields[] = {
        PICK_FIELD("name", PICK_STR, struct two, name, 0),
        PICK_RANGE("n", struct two, n, 0, 1, 9),
    };
    AUTO_ARENA mem = { 0 };
    struct two t = { 0 };
    struct err e;
    struct json root = read_from(&mem, "name: x\nn: 3", 2, &e);

    OK(pick(&mem, root, PICK_TABLE(fields), PICK_STRICT, &t, &e));
    EQ_S(t.name, "x");
    EQ(t.n, 3);
    root = read_from(&mem, "name: x\nn: 30", 2, &e);
    OK(!pick(&mem, root, PICK_TABLE(fields), PICK_STRICT, &t, &e));
    HAS_S(str_of(e.text), "f.md:3:4: n:");
    root = read_from(&mem, "name: x\nname: y", 2, &e);
    OK(!pick(&mem, root, PICK_TABLE(fields), PICK_STRICT, &t, &e));
    HAS_S(str_of(e.text), "f.md:3:1:");
}

TEST_MAIN()
