/*
 * test_toml.c - reading TOML. Every rule has a file in tests/data/toml; here is what files cannot
 * show: positions, sentences, limits, and the tree.
 */
#include "base/auto.h"
#include "base/pick.h"
#include "base/toml/toml.h"
#include "tap.h"

#include <math.h>

/* Read what must be right. */
static struct json tree(struct arena *mem, const char *text)
{
    struct json root = { 0 };
    struct err e;

    if (!toml_read(mem, str_of(text), "t.toml", 64, &root, &e))
        TAP_NOT("%s: %s", text, e.text);
    return root;
}

struct row {
    const char *text, *want;
};

/* The JSON text of the whole tree. */
static void check_json(const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        AUTO_ARENA mem = { 0 };

        EQ_S(json_raw(tree(&mem, row[i].text)), row[i].want);
    }
}

static void check_refused(const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        AUTO_ARENA mem = { 0 };
        struct json root = { NULL, 7 };
        struct err e = { 0 };

        if (toml_read(&mem, str_of(row[i].text), "t.toml", 64, &root, &e))
            TAP_NOT("accepted: %s", row[i].text);
        EQ(e.code, ERR_INVALID);
        EQ_STR(e.text, row[i].want);
        OK(!root.doc && root.at == 7);
    }
}

/* ---- the tree --------------------------------------------------------------------------- */

TEST(a_file_becomes_one_json_text)
{
    static const struct row rows[] = {
        { "", "{}" },
        { "# nothing\n\n", "{}" },
        { "a = 1", "{\"a\":1}" },
        { "\xef\xbb\xbf"
          "a = 1\r\nb = 2\r\n",
          "{\"a\":1,\"b\":2}" },
        { "a = [1, [true, 'x'], {b = 2}]", "{\"a\":[1,[true,\"x\"],{\"b\":2}]}" },
        { "[a]\n[b.c]\nd = 1\n[a.e]", "{\"a\":{\"e\":{}},\"b\":{\"c\":{\"d\":1}}}" },
        { "[[a]]\nx = 1\n[a.b]\n[[a]]\n[[a.c]]\n[[a.c]]",
          "{\"a\":[{\"x\":1,\"b\":{}},{\"c\":[{},{}]}]}" },
        { "a.b.c = 1\na.d = 2\n[a.e]", "{\"a\":{\"b\":{\"c\":1},\"d\":2,\"e\":{}}}" },
        { "x = 1\n[b]\n[a.y]\n[a]\nz = 2", "{\"x\":1,\"b\":{},\"a\":{\"y\":{},\"z\":2}}" },
    };

    check_json(rows, ARRAY_LEN(rows));
}

TEST(strings_and_keys_are_written_as_json)
{
    static const struct row rows[] = {
        { "'' = \"\"", "{\"\":\"\"}" },
        { "'a\"b' = 'c\\d'", "{\"a\\\"b\":\"c\\\\d\"}" },
        { "a = \"\\b\\t\\n\\f\\r\\\"\\\\\\u00e9\\U0001F600\\u0000\"",
          "{\"a\":\"\\b\\t\\n\\f\\r\\\"\\\\\xc3\xa9\xf0\x9f\x98\x80\\u0000\"}" },
        { "a = '''\n\tx\r\ny'''", "{\"a\":\"\\tx\\ny\"}" },
        { "a = \"\"\"\r\nx\\  \r\n \n\t y\"\"\"", "{\"a\":\"xy\"}" },
        { "a = \"\"\"\"\"x\"\"\"\"\"", "{\"a\":\"\\\"\\\"x\\\"\\\"\"}" },
        { "a = ''''x'''''", "{\"a\":\"'x''\"}" },
    };

    check_json(rows, ARRAY_LEN(rows));
}

TEST(numbers_are_normalised_to_json)
{
    static const struct row rows[] = {
        { "a = [0, +0, -0, +1, -17, 1_000]", "{\"a\":[0,0,0,1,-17,1000]}" },
        { "a = [0xDEAD_beef, 0o0755, 0b1_01, 0x0]", "{\"a\":[3735928559,493,5,0]}" },
        { "a = [9223372036854775807, -9223372036854775808]",
          "{\"a\":[9223372036854775807,-9223372036854775808]}" },
        { "a = 0x7fff_ffff_ffff_ffff", "{\"a\":9223372036854775807}" },
        { "a = [+1.0, -0.0, 1_0.0_1, 5e+22, 1E06, -2E-2, +6.6_2e-3_4]",
          "{\"a\":[1.0,-0.0,10.01,5e+22,1E06,-2E-2,6.62e-34]}" },
        { "a = [inf, +inf, -inf, nan, +nan, -nan]",
          "{\"a\":[\"inf\",\"inf\",\"-inf\",\"nan\",\"nan\",\"nan\"]}" },
    };

    check_json(rows, ARRAY_LEN(rows));
}

TEST(infinity_and_not_a_number_are_doubles_and_no_integers)
{
    AUTO_ARENA mem = { 0 };
    struct json a = json_get(tree(&mem, "a = [+inf, -inf, nan]"), STR("a")), v = json_first(a);
    double d = 0;
    int64_t n;

    EQ(json_type(v), JSON_NUMBER);
    EQ_S(json_raw(v), "inf");
    OK(json_double(v, &d) && d == INFINITY && !json_int(v, &n));
    v = json_next(a, v);
    EQ_S(json_raw(v), "-inf");
    OK(json_double(v, &d) && d == -INFINITY && !json_int(v, &n));
    v = json_next(a, v);
    EQ_S(json_raw(v), "nan");
    OK(json_double(v, &d) && isnan(d) && !json_int(v, &n));
}

TEST(dates_and_times_are_normalised_and_stand_bare_alone_and_quoted_inside)
{
    static const struct row rows[] = {
        { "1979-05-27t07:32:00z", "1979-05-27T07:32:00Z" },
        { "1979-05-27 07:32:00.50-07:00", "1979-05-27T07:32:00.50-07:00" },
        { "1979-05-27 07:32:00", "1979-05-27T07:32:00" },
        { "1979-05-27 # a date", "1979-05-27" },
        { "07:32:00.999999999999", "07:32:00.999999999999" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_ARENA mem = { 0 };
        struct json root = tree(&mem, arena_printf(&mem, "a = %s", rows[i].text).p);
        struct json v = json_get(root, STR("a"));

        EQ(json_type(v), JSON_TIME);
        EQ_S(json_raw(v), rows[i].want);
        OK(!json_str(&mem, v).p && !json_is(v, str_of(rows[i].want)));
        EQ_S(json_raw(root), arena_printf(&mem, "{\"a\":\"%s\"}", rows[i].want).p);
    }
}

TEST(the_tree_does_not_need_the_text_it_came_from)
{
    AUTO_ARENA mem = { 0 };
    char text[] = "key = 'value'\nnumber = 12";
    struct json root = tree(&mem, text);

    memset(text, 'x', sizeof(text) - 1);
    OK(json_is(json_get(root, STR("key")), STR("value")));
    EQ_S(json_raw(json_get(root, STR("number"))), "12");
}

/* ---- positions -------------------------------------------------------------------------- */

/* path=line:column of every node; a key and its value have the same path. */
static void check_positions(const char *text, const char *want)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF got;
    struct json root = tree(&mem, text);
    struct str whole = json_raw(root);

    buf_init(&got, 1000);
    for (uint32_t at = 0; json_here(root); at++) {
        struct json v = { root.doc, at };
        struct str where = json_where(&mem, v);

        buf_printf(&got, "%s" STR_FMT "=" STR_FMT, at ? " " : "", STR_ARG(json_path(&mem, v)),
                   STR_ARG(str_skip(where, strlen("t.toml:"))));
        if (str_eq(json_raw(v), STR("\"end\"")) || whole.n == 2)
            break;
    }
    EQ_S(buf_str(&got), want);
}

TEST(every_key_and_value_knows_its_line_and_column)
{
    check_positions("", "=1:1");
    check_positions("\n  a  = [1,\n 'x' , \"end\"]", "=1:1 a=2:3 a=2:8 a[0]=2:9 a[1]=3:2 a[2]=3:8");
    check_positions("a . b = 1\na.c = 'end'", "=1:1 a=1:1 a=1:1 a.b=1:5 a.b=1:9 a.c=2:3 a.c=2:7");
    check_positions("a = {b = 1,\tc='end'}", "=1:1 a=1:1 a=1:5 a.b=1:6 a.b=1:10 a.c=1:13 a.c=1:15");
}

TEST(a_table_stands_at_its_header)
{
    check_positions("  [ a . b ]\n[a]\nc='end'",
                    "=1:1 a=2:2 a=2:1 a.b=1:9 a.b=1:3 a.c=3:1 a.c=3:3");
    check_positions("[[a]]\n[[ a ]]\nb='end'", "=1:1 a=1:3 a=1:1 a[0]=1:1 a[1]=2:1 a[1].b=3:1 "
                                               "a[1].b=3:3");
}

TEST(columns_count_characters_and_the_byte_order_mark_is_none)
{
    check_positions("\xef\xbb\xbf\"\xc3\xa9\xe2\x82\xac\" = 'end'", "=1:1 \xc3\xa9\xe2\x82\xac=1:1 "
                                                                    "\xc3\xa9\xe2\x82\xac=1:8");
    check_positions("a = '\xf0\x9f\x98\x80' # \xc3\xa9\r\nb = 'end'",
                    "=1:1 a=1:1 a=1:5 b=2:1 b=2:5");
}

TEST(without_a_file_name_an_error_names_line_and_column)
{
    AUTO_ARENA mem = { 0 };
    struct json root;
    struct err e;

    OK(!toml_read(&mem, STR("a = 1\nb = \n"), NULL, 64, &root, &e));
    EQ_STR(e.text, "line 2 column 5: expected a value: a string in quotes, a number, true, false, "
                   "a date or time, [ or {");
}

/* ---- what is refused -------------------------------------------------------------------- */

TEST(a_line_that_is_no_line_is_refused)
{
    static const struct row rows[] = {
        { "= 1",
          "t.toml:1:1: expected a key: letters, digits, '-' and '_', or a string in quotes" },
        { "a", "t.toml:1:2: expected '=' after the key" },
        { "a = 1 b = 2", "t.toml:1:7: expected the end of the line after the value" },
        { "[a] b = 1", "t.toml:1:5: expected the end of the line after the header" },
        { "[a\n]", "t.toml:1:3: expected ']' after the name of the table" },
        { "[[a] ]", "t.toml:1:5: expected ']]' after the name of the table" },
        { "[]", "t.toml:1:2: expected a key: letters, digits, '-' and '_', or a string in quotes" },
        { "a = \xff", "t.toml:1:5: not valid UTF-8" },
        { "# \x01",
          "t.toml:1:3: a control character (U+0001) must be escaped in a double-quoted string" },
        { "a = 1\rb = 2", "t.toml:1:6: a CR without LF; lines end with LF or CR LF" },
    };

    check_refused(rows, ARRAY_LEN(rows));
}

TEST(a_value_that_is_no_value_is_refused)
{
    static const struct row rows[] = {
        { "a = hello", "t.toml:1:5: \"hello\" is not a value; strings need quotes" },
        { "a = 1.2.3", "t.toml:1:5: \"1.2.3\" is not a number, date or time" },
        { "a = 1_", "t.toml:1:5: \"1_\" is not a value; strings need quotes" },
        { "a = 007", "t.toml:1:5: a number must not begin with 0" },
        { "a = 0xfg", "t.toml:1:5: 0x must be followed by digits of base 16" },
        { "a = 9223372036854775808",
          "t.toml:1:5: this integer is out of range; expected -9223372036854775808 to "
          "9223372036854775807" },
        { "a = 2021-02-29",
          "t.toml:1:5: \"2021-02-29\" is not a date or time; examples: 2006-01-02, 15:04:05.6, "
          "2006-01-02T15:04:05Z, 2006-01-02 15:04:05+01:30" },
        { "a = \"x\n\"",
          "t.toml:1:5: this string is not closed on its line; only \"\"\" strings can span lines" },
        { "a = '''x''", "t.toml:1:5: this string is never closed; ''' must follow" },
        { "a = \"\\x\"", "t.toml:1:6: unknown escape; expected \\b \\t \\n \\f \\r \\\" \\\\ "
                         "\\uXXXX \\UXXXXXXXX" },
        { "a = \"\"\"\\ x\"\"\"", "t.toml:1:8: unknown escape; expected \\b \\t \\n \\f \\r "
                                  "\\\" \\\\ \\uXXXX \\UXXXXXXXX and \\ at the end of a line" },
        { "a = \"\\u12\"", "t.toml:1:6: \\u needs 4 hexadecimal digits" },
        { "a = \"\\ud800\"",
          "t.toml:1:6: U+D800 is not a character; expected 0 to D7FF or E000 to 10FFFF" },
        { "a = [1\n2]", "t.toml:2:1: expected ',' or ']' in the array" },
        { "a = [1,", "t.toml:1:5: this array is never closed; ']' must follow" },
        { "a = {b = 1\n}", "t.toml:1:5: an inline table must be closed on its line" },
        { "a = {b = 1,}", "t.toml:1:12: a trailing comma is not allowed in an inline table" },
        { "a = {b = 1 c = 2}", "t.toml:1:12: expected ',' or '}' in the inline table" },
    };

    check_refused(rows, ARRAY_LEN(rows));
}

TEST(what_is_defined_twice_is_refused_and_the_first_place_named)
{
    static const struct row rows[] = {
        { "a = 1\n\na = 2", "t.toml:3:1: the key a is already defined in line 1" },
        { "a = 1\n\"\\u0061\" = 2",
          "t.toml:2:1: the key \"\\u0061\" is already defined in line 1" },
        { "[x.y]\n[x]\ny = 1", "t.toml:3:1: the key y is already defined in line 1" },
        { "[a]\n[b]\n[a]",
          "t.toml:3:2: the key a is already a table with its own header, in line 1" },
        { "[a.b]\n[a]\n[a]",
          "t.toml:3:2: the key a is already a table with its own header, in line 2" },
        { "a.b = 1\n[a]",
          "t.toml:2:2: the key a is already a table made by dotted keys, in line 1" },
        { "[a.b]\n[a]\nb.c = 1",
          "t.toml:3:1: the key b is already a table with its own header, in line 1" },
        { "a = {}\na.b = 1",
          "t.toml:2:1: the key a is already an inline table, which cannot be extended, in "
          "line 1" },
        { "a = []\n[[a]]",
          "t.toml:2:3: the key a is already an array, which cannot be extended, in line 1" },
        { "a = 1\n[a.b]",
          "t.toml:2:2: the key a is already a value that is not a table, in line 1" },
        { "[[a]]\n[a]", "t.toml:2:2: the key a is already an array of tables, in line 1" },
        { "[a.b]\n[[a]]", "t.toml:2:3: the key a is already a table, in line 1" },
        { "a = {b = 1, b = 2}", "t.toml:1:13: the key b is already defined in line 1" },
    };

    check_refused(rows, ARRAY_LEN(rows));
}

TEST(a_long_key_is_cut_in_the_error)
{
    AUTO_ARENA mem = { 0 };
    char key[2000];
    struct json root;
    struct err e;

    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = 0;
    OK(!toml_read(&mem, arena_printf(&mem, "%s = 1\n%s = 2", key, key), "t.toml", 64, &root, &e));
    OK(strstr(e.text, "is already defined in line 1"));
}

/* ---- limits ----------------------------------------------------------------------------- */

struct nest {
    const char *head, *each, *middle, *close, *tail;
    uint32_t levels; /* besides those of each */
};

static bool read_nested(const struct nest *n, uint32_t depth, uint32_t max_depth, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF text;
    struct json root;

    buf_init(&text, 100000);
    buf_put(&text, str_of(n->head));
    for (uint32_t i = n->levels; i < depth; i++)
        buf_put(&text, str_of(n->each));
    buf_put(&text, str_of(n->middle));
    for (uint32_t i = n->levels; i < depth; i++)
        buf_put(&text, str_of(n->close));
    buf_put(&text, str_of(n->tail));
    return toml_read(&mem, buf_str(&text), "t.toml", max_depth, &root, e);
}

TEST(depth_is_accepted_up_to_its_limit_and_not_beyond)
{
    static const struct nest nests[] = {
        { "a = ", "[", "", "]", "", 1 },  { "a = ", "{a = ", "1", "}", "", 1 },
        { "", "a.", "a = 1", "", "", 1 }, { "[", "a.", "a", "", "]", 2 },
        { "[[", "a.", "a", "", "]]", 3 }, { "a = [", "{a = [", "", "]}", "]", 2 },
    };

    for (size_t i = 0; i < ARRAY_LEN(nests); i++) {
        uint32_t step = i == 5 ? 2 : 1;

        for (uint32_t depth = 4; depth <= JSON_DEPTH_CEILING; depth *= 2) {
            struct err e = { 0 };
            struct nest n = nests[i];
            uint32_t times = (depth - n.levels) / step;

            OK(read_nested(&n, n.levels + times, n.levels + times * step, &e));
            EQ(e.code, ERR_NONE);
            OK(!read_nested(&n, n.levels + times + 1, n.levels + times * step, &e));
            EQ(e.code, ERR_LIMIT);
            OK(strstr(e.text, "nested too deeply; at most"));
        }
    }
}

TEST(headers_reach_into_deep_lists_only_as_far_as_the_limit)
{
    AUTO_ARENA mem = { 0 };
    struct json root;
    struct err e = { 0 };

    OK(toml_read(&mem, STR("[[a]]\n[[a.b]]\n[a.b.c]"), "t.toml", 6, &root, &e));
    OK(!toml_read(&mem, STR("[[a]]\n[[a.b]]\n[a.b.c]"), "t.toml", 5, &root, &e));
    EQ_STR(e.text, "t.toml:3:6: nested too deeply; at most 5 levels are allowed");
}

TEST(a_hundred_thousand_of_anything_is_read)
{
    static const struct {
        const char *head, *each, *tail;
        size_t nodes; /* of the member named x, or of the root */
    } many[] = {
        { "", "k%d = 1\n", "", 100000 },         { "", "k.k%d = 1\n", "", 100000 },
        { "", "[k%d]\n", "", 100000 },           { "", "[[k]] # %d\n", "", 100000 },
        { "k = [", "%d,", "]", 100000 },         { "k = {", "k%d = 1,", "z = 1}", 100001 },
        { "k = [", "{k%d = []},", "]", 100000 }, { "", "[k.k%d]\n", "", 100000 },
    };

    for (size_t i = 0; i < ARRAY_LEN(many); i++) {
        AUTO_ARENA mem = { 0 };
        AUTO_BUF text;
        struct json root, k;
        struct err e;

        buf_init(&text, 1 << 22);
        buf_put(&text, str_of(many[i].head));
        for (int n = 0; n < 100000; n++)
            buf_put(&text, arena_printf(&mem, many[i].each, n));
        buf_put(&text, str_of(many[i].tail));
        OK(toml_read(&mem, buf_str(&text), "t.toml", 8, &root, &e));
        k = json_get(root, STR("k"));
        EQ(json_count(json_here(k) ? k : root), many[i].nodes);
    }
}

/* ---- decoding by a table ---------------------------------------------------------------- */

struct server {
    struct str name;
    int64_t port;
    bool on;
    double share;
    struct json any;
};

static const struct pick server_rows[] = {
    PICK_FIELD("name", PICK_STR, struct server, name, PICK_MUST),
    PICK_RANGE("port", struct server, port, 0, 1, 65535),
    PICK_FIELD("on", PICK_BOOL, struct server, on, 0),
    PICK_FIELD("share", PICK_DOUBLE, struct server, share, 0),
    PICK_FIELD("any", PICK_ANY, struct server, any, 0),
};

struct file {
    struct server server;
};

static const struct pick file_rows[] = {
    PICK_NESTED("server", struct file, server, PICK_MUST, server_rows),
};

TEST(a_field_table_reads_toml)
{
    AUTO_ARENA mem = { 0 };
    struct server s = { 0 };
    struct err e = { 0 };

    OK(pick(&mem,
            tree(&mem, "server.name = \"\\u0061\"\nserver.port = 0x1f90\nserver.on = true\n"
                       "server.share = inf\nserver.any = 10:00:00"),
            PICK_TABLE(file_rows), PICK_STRICT, &s, &e));
    EQ_S(s.name, "a");
    EQ(s.port, 8080);
    OK(s.on && s.share == INFINITY);
    EQ(json_type(s.any), JSON_TIME);
}

TEST(a_field_table_names_the_place_in_the_toml_file)
{
    static const struct row rows[] = {
        { "[server]\nname = 'a'\n  prot = 1",
          "t.toml:3:3: server.prot: unknown key; did you mean \"port\"?" },
        { "[server]\nname = 1979-05-27",
          "t.toml:2:8: server.name: expected a string, found a date or time" },
        { "[server]\nname = 'a'\nport = 70_000",
          "t.toml:3:8: server.port: 70000 is out of range; expected 1 to 65535" },
        { "[server]\nname = 'a'\nport = nan", "t.toml:3:8: server.port: expected an integer in "
                                              "range" },
        { "[server]\nname = 'a'\nport = 10:00:00",
          "t.toml:3:8: server.port: expected an integer, found a date or time" },
        { "[server]\nname = 'a'\nshare = 10:00:00",
          "t.toml:3:9: server.share: expected a number, found a date or time" },
        { "\n[server]\nport = 1", "t.toml:2:1: server: missing required key \"name\" (a string)" },
        { "server = []", "t.toml:1:10: server: expected an object, found an array" },
        { "[[server]]", "t.toml:1:1: server: expected an object, found an array" },
        { "x = 1", "t.toml:1:1: missing required key \"server\" (an object)" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_ARENA mem = { 0 };
        struct server s = { 0 };
        struct err e = { 0 };

        OK(!pick(&mem, tree(&mem, rows[i].text), PICK_TABLE(file_rows), PICK_STRICT, &s, &e));
        EQ_STR(e.text, rows[i].want);
    }
}

TEST_MAIN()
