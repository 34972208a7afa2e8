/* test_nearest.c - which known word was meant. */
#include "base/nearest.h"
#include "tap.h"

static const char *const verbs[] = {
    "chat", "run", "serve", "servers", "sessions", "config", "gc"
};

static struct str meant(const char *given)
{
    struct nearest n = nearest_to(str_of(given));

    for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
        nearest_try(&n, str_of(verbs[i]));
    return n.best;
}

TEST(a_slip_finds_the_word)
{
    EQ_S(meant("srve"), "serve");
    EQ_S(meant("serevrs"), "servers");
    EQ_S(meant("SERVE"), "serve");
    EQ_S(meant("sesions"), "sessions");
    EQ_S(meant("rnu"), "run");
    EQ_S(meant("gx"), "gc");
}

TEST(a_beginning_and_a_last_part_find_the_word)
{
    struct nearest n = nearest_to(STR("list_directory"));

    EQ_S(meant("conf"), "config");
    nearest_try(&n, STR("file_list"));
    nearest_try(&n, STR("mcp_files_list_directory"));
    EQ_S(n.best, "mcp_files_list_directory");
}

TEST(another_word_finds_nothing)
{
    struct nearest n = nearest_to(STR("frobnicate"));

    OK(!meant("frobnicate").p);
    OK(!meant("x").p);
    OK(!meant("").p);
    OK(!meant("tset").p);
    nearest_try(&n, STR(""));
    EQ_STR(nearest_hint(&n), "");
}

TEST(long_words_are_not_compared)
{
    char known[NEAREST_WORD_MOST + 2], given[NEAREST_WORD_MOST + 2];
    struct nearest n;

    memset(known, 'a', sizeof(known));
    memset(given, 'a', sizeof(given));
    n = nearest_to((struct str){ given, NEAREST_WORD_MOST });
    nearest_try(&n, (struct str){ known, NEAREST_WORD_MOST + 1 });
    OK(!n.best.p);
    nearest_try(&n, (struct str){ known, NEAREST_WORD_MOST - 1 });
    EQ(n.distance, 1u);
    EQ(strlen(nearest_hint(&n)), NEAREST_WORD_MOST - 1 + strlen("; did you mean \"\"?"));
    n = nearest_to((struct str){ given, NEAREST_WORD_MOST + 1 });
    nearest_try(&n, STR("a"));
    OK(!n.best.p);
}

TEST_MAIN()
