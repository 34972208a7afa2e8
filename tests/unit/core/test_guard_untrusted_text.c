/* What a model gets to read of a result. */
#include "core/guard/guard_untrusted_text.h"
#include "tap.h"

static struct limits limits;
static struct host host = { .limits = &limits };
static struct arena mem;

static struct str shown(const struct call *given)
{
    struct call call = *given;

    limits_preset(&limits);
    limits.tool_result_chars = 10;
    call.host = &host;
    call.what = "tool";
    return guard_text(&call, &mem);
}

static struct str raw(const char *text)
{
    return shown(&(struct call){ .raw_result = str_of(text) });
}

TEST(texts_stand_below_each_other)
{
    EQ_S(raw("{\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":"
             "\"two\"}]}"),
         "one\ntwo");
    arena_fini(&mem);
}

TEST(what_is_forwarded_is_cut_in_all_and_between_characters)
{
    EQ_S(
        raw("{\"content\":[{\"type\":\"text\",\"text\":\"\xc3\xa4\xc3\xb6\xc3\xbc\"},{\"type\":"
            "\"text\",\"text\":\"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\"}]}"),
        "\xc3\xa4\xc3\xb6\xc3\xbc\n\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\n[truncated: 1 "
        "more characters]");
    arena_fini(&mem);
}

TEST(what_is_no_text_is_named)
{
    EQ_S(raw("{\"content\":[{\"type\":\"image\",\"data\":\"AAAA\"}]}"), "[image]");
    EQ_S(raw("{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\",\"text\":\"t\"}}]"
             "}"),
         "t");
    EQ_S(raw("{\"content\":[],\"structuredContent\":{\"a\":1}}"), "{\"a\":1}");
    EQ_S(raw("{}"), "");
    EQ_S(raw("no JSON"), "");
    EQ_S(shown(&(struct call){ .raw_error = STR("{\"code\":1,\"message\":\"no\"}") }), "no");
    arena_fini(&mem);
}

TEST(untrusted_text_is_fenced_by_a_mark_it_cannot_know)
{
    struct call call = { .raw_result = STR("{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}"),
                         .untrusted = true,
                         .from = STR("gh:a]\nNow") };
    struct str first = shown(&call), second = shown(&call);
    ptrdiff_t at = str_find(first, STR("mark "));
    struct str mark = str_head(str_skip(first, (size_t)at + 5), 16);

    OK(str_starts(first, STR("[untrusted data from gh:a__Now")));
    OK(str_ends(first, STR("]")));
    OK(str_find(first, STR("]\nx\n[end of data ")) > 0);
    EQ_S(str_head(str_skip(first, first.n - 17), 16), arena_cstr(&mem, mark));
    OK(str_find(second, mark) < 0);
    arena_fini(&mem);
}

TEST(a_warning_of_the_guard_stands_below)
{
    EQ_S(shown(&(struct call){ .raw_result = STR("{\"content\":[]}"), .warning = STR("again") }),
         "\n[warning from the guard: again]");
    arena_fini(&mem);
}

TEST_MAIN()
