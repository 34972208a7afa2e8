/* Arguments as they are shown to who decides about a call. */
#include "core/tool/args_summary.h"
#include "tap.h"

static struct arena mem;
static bool cut;

static struct str brief(struct str text)
{
    struct json_opts opts = { .max_depth = 64, .max_values = 10000 };
    struct json v;
    struct err e;

    OK(json_read(&mem, text, &opts, &v, &e));
    return args_brief(&mem, v, &cut);
}

static struct str whole(struct str text)
{
    struct json_opts opts = { .max_depth = 128, .max_values = 100000 };
    struct limits limits;
    struct json v;
    struct err e;

    limits_preset(&limits);
    OK(json_read(&mem, text, &opts, &v, &e));
    return args_whole(&mem, v, &limits, &cut);
}

TEST(secrets_are_masked_at_every_depth)
{
    EQ_S(brief(STR("{\"path\":\"a\",\"n\":1.50,\"api_key\":\"x\",\"in\":[{\"Password\":[1],"
                   "\"ok\":null}]}")),
         "{\"path\":\"a\",\"n\":1.50,\"api_key\":\"***\",\"in\":[{\"Password\":\"***\","
         "\"ok\":null}]}");
    OK(!cut);
    EQ_S(whole(STR("{\"in\":[{\"token\":\"x\",\"a\":1}]}")),
         "{\"in\":[{\"token\":\"***\",\"a\":1}]}");
    OK(!cut);
    arena_fini(&mem);
}

TEST(what_is_no_object_is_empty)
{
    EQ_S(brief(STR("[1]")), "{}");
    EQ_S(args_brief(&mem, (struct json){ NULL, 0 }, &cut), "{}");
    arena_fini(&mem);
}

TEST(what_is_long_or_deep_is_cut_and_says_so)
{
    struct buf many, deep;

    HAS_S(brief(arena_printf(&mem, "{\"text\":\"%05000d\"}", 7)), "000... (3000 bytes more)\"}");
    OK(cut);
    buf_init_in(&many, &mem, 1 << 20);
    buf_put(&many, STR("{\"list\":[0"));
    for (int i = 0; i < 149; i++)
        buf_put(&many, STR(",1"));
    buf_put(&many, STR("]}"));
    HAS_S(brief(buf_str(&many)), ",1,\"... (50 more)\"]}");
    OK(cut);
    OK(str_eq(whole(buf_str(&many)), buf_str(&many)));
    OK(!cut);
    buf_init_in(&deep, &mem, 1 << 20);
    buf_put(&deep, STR("{\"v\":"));
    for (int i = 0; i < 20; i++)
        buf_putc(&deep, '[');
    for (int i = 0; i < 20; i++)
        buf_putc(&deep, ']');
    buf_putc(&deep, '}');
    EQ_S(brief(buf_str(&deep)), "{\"v\":[[[[[[[\"...\"]]]]]]]}");
    OK(cut);
    OK(str_eq(whole(buf_str(&deep)), buf_str(&deep)));
    OK(!cut);
    arena_fini(&mem);
}

TEST(what_is_still_too_much_is_counted)
{
    struct buf many;

    buf_init_in(&many, &mem, 1 << 20);
    buf_put(&many, STR("{\"list\":[0"));
    for (int i = 0; i < 99; i++)
        buf_printf(&many, ",\"%01500d\"", i);
    buf_put(&many, STR("]}"));
    HAS_S(brief(buf_str(&many)), "bytes of arguments, too long to show\"}");
    arena_fini(&mem);
}

TEST(what_is_stored_with_a_question_is_whole_up_to_a_bound)
{
    struct str text = arena_printf(&mem, "{\"text\":\"%065536d\"}", 7);
    struct str more = arena_printf(&mem, "{\"text\":\"%065537d\"}", 7);
    struct buf many;

    OK(str_eq(whole(text), text));
    OK(!cut);
    HAS_S(whole(more), "000... (1 bytes more)\"}");
    OK(cut);
    buf_init_in(&many, &mem, 1 << 20);
    buf_put(&many, STR("{\"list\":[0"));
    for (int i = 0; i < 5; i++)
        buf_printf(&many, ",\"%060000d\"", i);
    buf_put(&many, STR("]}"));
    HAS_S(whole(buf_str(&many)), "bytes of arguments, too long to show\"}");
    OK(cut);
    arena_fini(&mem);
}

TEST_MAIN()
