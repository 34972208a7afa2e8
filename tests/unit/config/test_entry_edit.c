/* test_entry_edit.c - one entry more in a TOML or YAML file, every other byte as it was. */
#include "base/auto.h"
#include "config/entry_edit.h"
#include "tap.h"

#define VALUE "{\"command\":\"/t\",\"args\":[\"mcp\",\"a b\"],\"env\":{},\"n\":3}"
#define TABLE "[m.t]\ncommand = \"/t\"\nargs = [\"mcp\", \"a b\"]\nenv = {}\nn = 3\n"
#define LINES                                                                                      \
    "  t:\n    command: /t\n    args:\n      - mcp\n      - \"a b\"\n    env: {}\n    n: 3\n"

struct edit {
    const char *text, *want; /* want NULL: the text stays */
    enum entry_change how;
    bool replace;
};

static void check(entry_put_fn *edit, const struct edit *row)
{
    AUTO_ARENA mem = { 0 };
    const struct entry_put put = { "f",      str_of(row->text), STR("m"),
                                   STR("t"), STR(VALUE),        row->replace };
    enum entry_change how = ENTRY_CHANGED;
    struct str out = STR_NONE;
    struct err e = { 0 };

    if (!edit(&mem, &put, &how, &out, &e))
        TAP_NOT("%s: %s", row->text, e.text);
    EQ(how, row->how);
    EQ_S(out, row->want ? row->want : row->text);
}

static void check_refused(entry_put_fn *edit, const char *text)
{
    AUTO_ARENA mem = { 0 };
    const struct entry_put put = { "f", str_of(text), STR("m"), STR("t"), STR(VALUE), true };
    enum entry_change how;
    struct str out = STR_NONE;
    struct err e = { 0 };

    if (edit(&mem, &put, &how, &out, &e))
        TAP_NOT("accepted: %s", text);
    OK(!out.p && strstr(e.text, "f:"));
}

TEST(a_table_is_added_to_toml)
{
    static const struct edit edits[] = {
        { "", TABLE, ENTRY_CHANGED, false },
        { "# mine\na = 1 # one\n", "# mine\na = 1 # one\n\n" TABLE, ENTRY_CHANGED, false },
        { "[m.x]\ncommand = 'y'", "[m.x]\ncommand = 'y'\n\n" TABLE, ENTRY_CHANGED, false },
        { "a=1\r\n",
          "a=1\r\n\r\n[m.t]\r\ncommand = \"/t\"\r\nargs = [\"mcp\", \"a b\"]\r\nenv = {}\r\nn = "
          "3\r\n",
          ENTRY_CHANGED, false },
        { TABLE "extra = 1\n", NULL, ENTRY_SAME, false },
        { "[m]\nt = { command = '/t', args = ['mcp', 'a b'], env = {}, n = 3 }\n", NULL, ENTRY_SAME,
          true },
        { "[m.t]\ncommand = 'old'\n", NULL, ENTRY_DIFFERS, false },
        { "b = 1\n[m.t] # mine\ncommand = 'old'\n[m.t.env]\nA = '1'\n\n# of x\n[m.x]\nc = 1\n",
          "b = 1\n" TABLE "\n# of x\n[m.x]\nc = 1\n", ENTRY_CHANGED, true },
        { "[m.t]\ncommand = 'old'\n# end\n", TABLE "# end\n", ENTRY_CHANGED, true },
    };

    for (size_t i = 0; i < ARRAY_LEN(edits); i++)
        check(toml_edit_put, &edits[i]);
}

TEST(toml_that_cannot_be_changed_safely_is_refused)
{
    check_refused(toml_edit_put, "[m");
    check_refused(toml_edit_put, "m = 3\n");
    check_refused(toml_edit_put, "m = { x = {} }\n");
    check_refused(toml_edit_put, "[m]\nt = { command = 'old' }\n");
    check_refused(toml_edit_put, "[m.t]\ncommand = 'old'\n[x]\n[m.t.env]\nA = '1'\n");
}

TEST(a_mapping_is_added_to_yaml)
{
    static const struct edit edits[] = {
        { "", "m:\n" LINES, ENTRY_CHANGED, false },
        { "# mine\n", "# mine\nm:\n" LINES, ENTRY_CHANGED, false },
        { "a: 1 # one\nb: [2]", "a: 1 # one\nb: [2]\nm:\n" LINES, ENTRY_CHANGED, false },
        { "m:\n  # of x\n  x:\n    command: y\nz: 1\n",
          "m:\n" LINES "  # of x\n  x:\n    command: y\nz: 1\n", ENTRY_CHANGED, false },
        { "m: # here\nz: 1\n", "m: # here\n" LINES "z: 1\n", ENTRY_CHANGED, false },
        { "m: {} # none\nz: 1\n", "m: # none\n" LINES "z: 1\n", ENTRY_CHANGED, false },
        { "m:", "m:\n" LINES, ENTRY_CHANGED, false },
        { "---\nm:\n    x: 1\n",
          "---\nm:\n    t:\n      command: /t\n      args:\n        - mcp\n        - \"a b\"\n     "
          " "
          "env: {}\n      n: 3\n    x: 1\n",
          ENTRY_CHANGED, false },
        { "m:\n" LINES "    bundled: null\n", NULL, ENTRY_SAME, true },
        { "m: {t: {command: /old}}\n", NULL, ENTRY_DIFFERS, false },
        { "m:\n  a: 1\n  t: # mine\n    command: old\n    env:\n      A: 1\n\n  # of x\n  x: 2\n",
          "m:\n  a: 1\n" LINES "\n  # of x\n  x: 2\n", ENTRY_CHANGED, true },
        { "m:\n  t:\n    command: old\n# end\n", "m:\n" LINES "# end\n", ENTRY_CHANGED, true },
    };

    for (size_t i = 0; i < ARRAY_LEN(edits); i++)
        check(yaml_edit_put, &edits[i]);
}

TEST(yaml_that_cannot_be_changed_safely_is_refused)
{
    check_refused(yaml_edit_put, "m: [");
    check_refused(yaml_edit_put, "- a\n");
    check_refused(yaml_edit_put, "m: 3\n");
    check_refused(yaml_edit_put, "m: { x: 1 }\n");
    check_refused(yaml_edit_put, "m: &a\n  x: 1\n");
    check_refused(yaml_edit_put, "a: 1\n...\n");
    check_refused(yaml_edit_put, "{a: 1}\n");
}

TEST_MAIN()
