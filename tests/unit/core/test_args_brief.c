/* Arguments as they are shown to who decides about a call. */
#include "core/args_brief.h"
#include "tap.h"

static struct arena mem;

static struct str brief(struct str text)
{
    struct json_opts opts = { .max_depth = 64, .max_values = 10000 };
    struct json v;
    struct err e;

    OK(json_read(&mem, text, &opts, &v, &e));
    return args_brief(&mem, v);
}

TEST(secrets_are_masked_at_every_depth)
{
    EQ_S(brief(STR("{\"path\":\"a\",\"n\":1.50,\"api_key\":\"x\",\"in\":[{\"Password\":[1],"
                   "\"ok\":null}]}")),
         "{\"path\":\"a\",\"n\":1.50,\"api_key\":\"***\",\"in\":[{\"Password\":\"***\","
         "\"ok\":null}]}");
    arena_fini(&mem);
}

TEST(what_is_no_object_is_empty)
{
    EQ_S(brief(STR("[1]")), "{}");
    EQ_S(args_brief(&mem, (struct json){ NULL, 0 }), "{}");
    arena_fini(&mem);
}

TEST(what_is_long_or_deep_is_cut_and_says_so)
{
    struct buf many, deep;

    HAS_S(brief(arena_printf(&mem, "{\"text\":\"%05000d\"}", 7)), "000... (3000 bytes more)\"}");
    buf_init_in(&many, &mem, 1 << 20);
    buf_put(&many, STR("{\"list\":[0"));
    for (int i = 0; i < 149; i++)
        buf_put(&many, STR(",1"));
    buf_put(&many, STR("]}"));
    HAS_S(brief(buf_str(&many)), ",1,\"... (50 more)\"]}");
    buf_init_in(&deep, &mem, 1 << 20);
    buf_put(&deep, STR("{\"v\":"));
    for (int i = 0; i < 20; i++)
        buf_putc(&deep, '[');
    for (int i = 0; i < 20; i++)
        buf_putc(&deep, ']');
    buf_putc(&deep, '}');
    EQ_S(brief(buf_str(&deep)), "{\"v\":[[[[[[[\"...\"]]]]]]]}");
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
    HAS_S(brief(buf_str(&many)), "bytes of arguments, too many to be shown\"}");
    arena_fini(&mem);
}

TEST_MAIN()
