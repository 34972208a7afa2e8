/* test_server_edit.c - edits keep every other byte, or do not happen. */
#include "base/auto.h"
#include "config/server_edit.h"
#include "tap.h"

#include <stdlib.h>

struct bench {
    struct arena mem;
    struct limits limits;
    struct server_edit ed;
    struct str out;
    struct err e;
    bool ok;
};

static void bench_fini(struct bench *b)
{
    arena_fini(&b->mem);
}

#define AUTO_BENCH __attribute__((cleanup(bench_fini))) struct bench

static void open_bench(struct bench *b, const char *text)
{
    *b = (struct bench){ 0 };
    limits_preset(&b->limits);
    b->ed = (struct server_edit){ &b->mem, "/some/folder", &b->limits, "t.toml", str_of(text) };
}

static void take_out(struct bench *b, const char *text, const char *name)
{
    open_bench(b, text);
    b->ok = server_edit_remove(&b->ed, name, &b->out, &b->e);
}

static void put_switch(struct bench *b, const char *text, const char *name, bool on)
{
    open_bench(b, text);
    b->ok = server_edit_switch(&b->ed, name, on, &b->out, &b->e);
}

static void add_server(struct bench *b, const char *text, const struct server_new *n)
{
    open_bench(b, text);
    b->ok = server_edit_add(&b->ed, n, &b->out, &b->e);
}

#define BECOMES(b, want)                                                                           \
    do {                                                                                           \
        if (!(b).ok)                                                                               \
            TAP_NOT("%s", (b).e.text);                                                             \
        else                                                                                       \
            EQ_S((b).out, want);                                                                   \
    } while (0)

/* ---- add -------------------------------------------------------------------------------- */

static const char *const argv[] = { "npx", "-y", "a \"b\" \\c\n\xc3\xa9", NULL };
static const struct server_new command = { .name = "new", .argv = argv };

#define ADDED                                                                                      \
    "[[mcp.servers]]\nname = \"new\"\ncommand = [\"npx\", \"-y\", \"a \\\"b\\\" "                  \
    "\\\\c\\u000a\xc3\xa9\"]\n"

TEST(an_entry_is_added_at_the_end)
{
    AUTO_BENCH a, b, c;

    add_server(&a, "", &command);
    BECOMES(a, ADDED);
    add_server(&b, "# mine\n[log]\nlevel = 'warn' # loud\n", &command);
    BECOMES(b, "# mine\n[log]\nlevel = 'warn' # loud\n\n" ADDED);
    add_server(&c, "[log]\nlevel = 'warn'", &command);
    BECOMES(c, "[log]\nlevel = 'warn'\n\n" ADDED);
}

TEST(it_goes_to_the_table_that_is_in_use)
{
    AUTO_BENCH a, b, c;

    add_server(&a, "[[mcp_servers]]\nname='x'\ncommand='y'\n", &command);
    OK(a.ok && str_find(a.out, STR("\n[[mcp_servers]]\nname = \"new\"")) > 0);
    add_server(&b, "[mcp]\nservers=[{name='x',command='y'}]\n", &command);
    OK(b.ok && str_find(b.out, STR("\n[[mcp_servers]]\nname = \"new\"")) > 0);
    add_server(&c, "[mcp]\nimport=[]\n", &command);
    OK(c.ok && str_find(c.out, STR("\n[[mcp.servers]]\nname = \"new\"")) > 0);
}

TEST(variables_and_headers_are_written_as_given)
{
    AUTO_BENCH a, b, c;
    const struct server_pair env[] = { { STR("A"), STR("1") }, { STR("B.C"), STR("x y") } };
    const struct server_pair pass[] = { { STR("A"), STR("1") }, { STR("MINE"), STR_NONE } };
    const struct server_pair header[] = { { STR("X-Key"), STR("k") } };
    static const char *const x[] = { "x", NULL };

    add_server(&a, "", &(struct server_new){ .name = "n", .argv = x, .env = env, .envs = 2 });
    BECOMES(a, "[[mcp.servers]]\nname = \"n\"\ncommand = [\"x\"]\n"
               "env = { A = \"1\", \"B.C\" = \"x y\" }\n");
    add_server(&b, "", &(struct server_new){ .name = "n", .argv = x, .env = pass, .envs = 2 });
    BECOMES(b, "[[mcp.servers]]\nname = \"n\"\ncommand = [\"x\"]\nenv = [\"A=1\", \"MINE\"]\n");
    add_server(&c, "",
               &(struct server_new){
                   .name = "n", .url = "https://h/p?q=1", .header = header, .headers = 1 });
    BECOMES(c, "[[mcp.servers]]\nname = \"n\"\nurl = \"https://h/p?q=1\"\n"
               "headers = { X-Key = \"k\" }\n");
}

TEST(what_would_not_be_right_is_not_added)
{
    static const char *const up[] = { "../x", NULL }, *const bad[] = { "\xff", NULL };
    static const struct {
        struct server_new n;
        const char *text, *error;
    } wrong[] = {
        { { .name = "a", .argv = argv },
          "[[mcp.servers]]\nname='a'\ncommand='x'\n",
          "already has a server a" },
        { { .name = "a b", .argv = argv }, "", "the name of a server" },
        { { .name = "a", .argv = up }, "", "must not contain .." },
        { { .name = "a", .argv = bad }, "", "not valid UTF-8" },
        { { .name = "a", .url = "gopher://x" }, "", "http://" },
        { { .name = "a", .argv = argv }, "broken", "t.toml:1:7" },
        { { .name = "a", .argv = argv }, "mcp = { import = [] }\n", "after the change" },
    };

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        AUTO_BENCH b;

        add_server(&b, wrong[i].text, &wrong[i].n);
        OK(!b.ok && !b.out.p);
        if (!strstr(b.e.text, wrong[i].error))
            TAP_NOT("\"%s\" is not \"%s\"", b.e.text, wrong[i].error);
    }
}

/* ---- remove ----------------------------------------------------------------------------- */

#define HEAD "# my servers\n[log] # keep\nlevel   =   'warn'\n\n"
#define ONE "# the first\n[[mcp.servers]]\nname = 'one'\ncommand = [ # many\n  'x',\n]\n"
#define TWO                                                                                        \
    "[[mcp.servers]]\nname = 'two'\ncommand = 'y'\n[mcp.servers.env]\nA = '1'\n"                   \
    "[mcp.servers.tools.t]\ndescription = '''\n# not a comment\n'''\n"
#define TAIL "# the limits\n[limits]\ntool_ms = 5_000\n"

TEST(an_entry_goes_and_everything_else_stays)
{
    AUTO_BENCH a, b, c, d;
    const char *all = HEAD ONE "\n" TWO "\n" TAIL;

    take_out(&a, all, "two");
    BECOMES(a, HEAD ONE "\n" TAIL);
    take_out(&b, all, "one");
    BECOMES(b, HEAD "# the first\n\n" TWO "\n" TAIL);
    take_out(&c, HEAD ONE TWO, "two");
    BECOMES(c, HEAD ONE);
    take_out(&d, TWO, "two");
    BECOMES(d, "");
}

TEST(lines_may_end_with_cr_lf)
{
    AUTO_BENCH b;

    take_out(&b, "[log]\r\n\r\n[[mcp.servers]]\r\nname='a'\r\ncommand='x'\r\n\r\n[limits]\r\n",
             "a");
    BECOMES(b, "[log]\r\n\r\n[limits]\r\n");
}

TEST(what_cannot_be_removed_cleanly_stays)
{
    static const struct {
        const char *text, *name, *error;
    } wrong[] = {
        { ONE, "two", "has no server two" },
        { "[mcp]\nservers = [{name='a',command='x'}]\n", "a", "no table header of its own" },
        /* its table goes on behind another one, and would fall to the entry before */
        { "[[mcp.servers]]\nname='b'\ncommand='x'\n[[mcp.servers]]\nname='a'\ncommand='x'\n[log]\n"
          "[mcp.servers.env]\nA='1'\n",
          "a", "would also change other entries" },
    };

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        AUTO_BENCH b;

        take_out(&b, wrong[i].text, wrong[i].name);
        OK(!b.ok && !b.out.p);
        if (!strstr(b.e.text, wrong[i].error))
            TAP_NOT("\"%s\" is not \"%s\"", b.e.text, wrong[i].error);
    }
}

/* ---- enable and disable ----------------------------------------------------------------- */

static const struct {
    const char *text, *want;
    bool on;
} switches[] = {
    { HEAD ONE TAIL,
      HEAD "# the first\n[[mcp.servers]]\nenabled = false\nname = 'one'\ncommand = [ # many\n  'x',"
           "\n]\n" TAIL,
      false },
    { "[[mcp.servers]]\nname='one'\ncommand='x'\nenabled  =  false # why\n",
      "[[mcp.servers]]\nname='one'\ncommand='x'\nenabled  =  true # why\n", true },
    { "[[mcp.servers]]\nname='one'\ncommand='x'\ndisabled = true\n",
      "[[mcp.servers]]\nname='one'\ncommand='x'\ndisabled = false\n", true },
    { "[[mcp.servers]]\nname='one'\ncommand='x'\ndisabled = false\n",
      "[[mcp.servers]]\nname='one'\ncommand='x'\ndisabled = true\n", false },
    { "\xef\xbb\xbf[[mcp.servers]]\nname='one'\ncommand='x'\n",
      "\xef\xbb\xbf[[mcp.servers]]\nenabled = false\nname='one'\ncommand='x'\n", false },
    { "mcp_servers = [{name='\xc3\xa9', command='y'}, {name='one', command='x'}]\n", NULL, false },
    { "mcp_servers = [{name='e', env={\"\xc3\xa9\"='v'}, command='y'}, {name='one', "
      "command='x'}]\n",
      "mcp_servers = [{name='e', env={\"\xc3\xa9\"='v'}, command='y'}, { enabled = "
      "false,name='one', "
      "command='x'}]\n",
      false },
    { "[[mcp.servers]]\nname='one'\ncommand='x'\n", "[[mcp.servers]]\nname='one'\ncommand='x'\n",
      true },
};

TEST(a_switch_changes_one_word_or_adds_a_line)
{
    for (size_t i = 0; i < ARRAY_LEN(switches); i++) {
        AUTO_BENCH b;

        put_switch(&b, switches[i].text, "one", switches[i].on);
        if (switches[i].want)
            BECOMES(b, switches[i].want);
        else
            OK(!b.ok);
    }
}

TEST(a_server_that_is_not_there_cannot_be_switched)
{
    AUTO_BENCH b;

    put_switch(&b, ONE, "three", false);
    OK(!b.ok);
    EQ(b.e.code, ERR_NOT_FOUND);
}

TEST_MAIN()
