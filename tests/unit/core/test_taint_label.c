/* The labels of untrusted data: joined, marked as suspicious, compared with a server. */
#include "core/guard/taint_label.h"
#include "tap.h"

static struct arena mem;

static const struct {
    const char *a, *b, *joined;
} joins[] = {
    { "", "", "" },
    { "", "gh:list", "gh:list" },
    { "gh:list", "", "gh:list" },
    { "gh:list", "gh:list", "gh:list" },
    { "gh:list", "db:get", "gh:list,db:get" },
    { "gh:list,db:get", "db:get", "gh:list,db:get" },
    { "db:get", "gh:list,db:get", "gh:list,db:get" },
    { "gh:list", "gh:list!override", "gh:list!override" },
    { "gh:list!override", "gh:list", "gh:list!override" },
    { "gh:list!c", "gh:list!b+c,x:y", "gh:list!b+c,x:y" },
    { "a:b,gh:list!a", "gh:list!b", "a:b,gh:list!a+b" },
    { "gh:list!a+c", "gh:list!b+a,x:y", "gh:list!a+c+b,x:y" },
};

TEST(a_label_collects_all_sources)
{
    for (size_t i = 0; i < ARRAY_LEN(joins); i++) {
        struct str got = taint_join(&mem, str_of(joins[i].a), str_of(joins[i].b));

        if (!str_eq(got, str_of(joins[i].joined)))
            TAP_NOT("%s + %s = " STR_FMT, joins[i].a, joins[i].b, STR_ARG(got));
    }
    OK(!taint_join(&mem, STR_NONE, STR_NONE).p);
    arena_fini(&mem);
}

TEST(a_label_does_not_grow_without_end_and_does_not_forget_suspicion)
{
    struct str all = STR_NONE;

    for (int i = 0; i < 1000; i++)
        all = taint_join(&mem, all, arena_printf(&mem, "s%d:t%s", i, i == 900 ? "!override" : ""));
    OK(all.n < 300);
    OK(taint_has(all, STR("s15:t")));
    OK(!taint_has(all, STR("s16:t")));
    OK(taint_has(all, STR("others")));
    OK(taint_is_suspicious(all));
    OK(!taint_only_from(all, STR("s0")));
    arena_fini(&mem);
}

TEST(names_of_others_cannot_forge_a_label)
{
    EQ_S(taint_source(&mem, STR("gh:a,db:b!x+y z\n")), "gh:a_db:b_x_y_z_");
    EQ_S(taint_source_of_url(&mem, STR("https://me:pw@Example.com:8443/a?b=c")),
         "https://Example.com:8443");
    EQ_S(taint_source_of_url(&mem, STR("http://x.example?y,z")), "http://x.example");
    EQ_S(taint_source_of_url(&mem, STR("no url")), "no_url");
    arena_fini(&mem);
}

TEST(a_server_is_the_only_source_of_its_own_data)
{
    OK(taint_only_from(STR("gh:list"), STR("gh")));
    OK(taint_only_from(STR("gh:list,gh:get!x"), STR("gh")));
    OK(!taint_only_from(STR("gh:list,db:get"), STR("gh")));
    OK(!taint_only_from(STR("ghx:list"), STR("gh")));
    OK(!taint_only_from(STR("gh"), STR("gh")));
    OK(!taint_only_from(STR("https://gh"), STR("https")));
    OK(!taint_only_from(STR("user@key:a"), STR("gh")));
}

TEST(suspicion_is_added_and_shown)
{
    char shown[TAINT_SHOWN];
    struct str label = taint_suspect(&mem, STR("gh:list,db:get!b"), STR("a+b"));
    struct str all = STR_NONE;

    EQ_S(label, "gh:list!a+b,db:get!b+a");
    OK(taint_is_suspicious(label));
    OK(!taint_is_suspicious(STR("gh:list")));
    EQ_S(taint_sources(&mem, label), "gh:list,db:get");
    EQ_STR(taint_shown(STR("gh:list!a+b,db:get"), shown), "gh:list (suspicious: a, b), db:get");
    for (int i = 0; i < 16; i++)
        all = taint_join(&mem, all, arena_printf(&mem, "server-%d:some-tool", i));
    OK(strlen(taint_shown(all, shown)) < TAINT_SHOWN);
    HAS_S(str_of(shown), "...");
    arena_fini(&mem);
}

TEST_MAIN()
