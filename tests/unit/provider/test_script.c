/* Scripts: what is read, which rule is played, and what is said of wrong files. */
#include "provider/script.h"
#include "tap.h"

static struct arena mem;

static bool reads(const char *text, struct script *out, struct err *e)
{
    return script_read(&mem, str_of(text), "play.toml", out, e);
}

TEST(the_first_rule_that_matches_is_played)
{
    static const char text[] = "[[rule]]\ntext = \"a\"\nevent = []\n"
                               "[[rule]]\nprefix = \"ab\"\nevent = []\n"
                               "[[rule]]\ncontains = \"x\"\nevent = []\n"
                               "[[rule]]\nid = \"m-1\"\nevent = []\n";
    struct script s;
    struct err e;

    OK(reads(text, &s, &e));
    EQ(s.rules, 4);
    OK(script_find(&s, STR_NONE, STR("a")) == &s.rule[0]);
    OK(script_find(&s, STR_NONE, STR("abc")) == &s.rule[1]);
    OK(script_find(&s, STR_NONE, STR("cxc")) == &s.rule[2]);
    OK(script_find(&s, STR("m-1"), STR("?")) == &s.rule[3]);
    OK(!script_find(&s, STR("m-2"), STR("?")));
    arena_fini(&mem);
}

TEST(questions_become_forms)
{
    struct script s;
    struct err e;

    OK(reads(
        "[[rule]]\nevent = [{ type = \"form\", text = \"Which?\", options = [\"a\", \"b\"] }]\n",
        &s, &e));
    HAS_S(s.rule[0].event[0].params, "\"enum\":[\"a\",\"b\"]");
    HAS_S(s.rule[0].event[0].params, "\"message\":\"Which?\"");
    arena_fini(&mem);
}

TEST(wrong_scripts_say_where_and_what_is_accepted)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        { "x", "play.toml:1:" },
        { "rule = 1", "play.toml:1:" },
        { "[[rule]]\nevent = [{}]", "play.toml:2:" },
        { "[[rule]]\nevent = [{ type = \"x\" }]", "expected text, thought" },
        { "[[rule]]\nevent = [{ type = \"text\" }]", "needs text" },
        { "[[rule]]\nevent = [{ type = \"tool\" }]", "needs id" },
        { "[[rule]]\nevent = [{ type = \"plan\" }]", "needs entries" },
        { "[[rule]]\nevent = [{ type = \"delay\" }]", "needs delay_ms" },
        { "[[rule]]\nevent = [{ type = \"delay\", delay_ms = 600001 }]", "600000" },
        { "[[rule]]\nevent = [{ type = \"end\", stop = \"x\" }]", "expected end" },
        { "[[rule]]\nevent = [{ type = \"artifact\", id = \"a\", data = \"!\" }]", "base64" },
        { "[[rule]]\ntext = \"a\"\nid = \"b\"\nevent = []", "one of text, prefix" },
    };
    struct script s;
    struct err e;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        OK(!reads(rows[i].text, &s, &e));
        EQ(e.code, ERR_INVALID);
        HAS_S(str_of(e.text), rows[i].says);
    }
    arena_fini(&mem);
}

TEST_MAIN()
