#include "core/guard/guard_loops.h"
#include "tap.h"

static void add(struct guard_history *h, const char *calls)
{
    for (; *calls; calls++)
        guard_history_add(h, (uint64_t)*calls);
}

TEST(the_same_call_is_counted_with_the_one_to_come)
{
    struct guard_history h = { 0 };

    EQ(guard_history_look(&h, 'a').same_call, 1);
    add(&h, "abac");
    EQ(guard_history_look(&h, 'a').same_call, 3);
    EQ(guard_history_look(&h, 'b').same_call, 2);
    EQ(guard_history_look(&h, 'x').same_call, 1);
}

TEST(equal_results_in_a_row_are_counted)
{
    struct guard_history h = { 0 };

    EQ(guard_history_look(&h, 'a').same_outcome, 0);
    for (int i = 0; i < 3; i++) {
        guard_history_outcome(&h, guard_history_add(&h, 'a'), 7);
        guard_history_outcome(&h, guard_history_add(&h, 'b'), (uint64_t)i + 1);
    }
    EQ(guard_history_look(&h, 'a').same_outcome, 3);
    EQ(guard_history_look(&h, 'b').same_outcome, 1);
    guard_history_outcome(&h, guard_history_add(&h, 'a'), 8); /* something moved */
    EQ(guard_history_look(&h, 'a').same_outcome, 1);
}

TEST(a_call_under_way_has_no_result_yet)
{
    struct guard_history h = { 0 };
    uint32_t first = guard_history_add(&h, 'a');

    guard_history_add(&h, 'a');
    EQ(guard_history_look(&h, 'a').same_outcome, 0);
    guard_history_outcome(&h, first, 0); /* 0 is a result, too */
    EQ(guard_history_look(&h, 'a').same_outcome, 1);
}

static const struct {
    const char *calls; /* the last is the one to come */
    int rounds;
} lives[] = {
    { "a", 0 },      { "ab", 1 },       { "aba", 1 },        { "abab", 2 },
    { "ababab", 3 }, { "xyababab", 3 }, { "abcabc", 2 },     { "abcabcabc", 3 },
    { "aaaaaa", 0 }, { "abababx", 1 },  { "abcdefghij", 1 }, { "aabaab", 2 },
};

TEST(two_or_three_calls_that_alternate_are_seen)
{
    for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
        struct guard_history h = { 0 };
        size_t n = strlen(lives[i].calls);
        int got;

        for (size_t k = 0; k + 1 < n; k++)
            guard_history_add(&h, (uint64_t)lives[i].calls[k]);
        got = guard_history_look(&h, (uint64_t)lives[i].calls[n - 1]).ping_pong;
        if (got != lives[i].rounds)
            TAP_NOT("%s: %d, want %d", lives[i].calls, got, lives[i].rounds);
    }
}

TEST(what_is_long_ago_is_forgotten)
{
    struct guard_history h = { 0 };
    uint32_t old = guard_history_add(&h, 'a');

    for (int i = 0; i < GUARD_HISTORY; i++)
        guard_history_add(&h, (uint64_t)i + 1000);
    EQ(guard_history_look(&h, 'a').same_call, 1);
    guard_history_outcome(&h, old, 5); /* harmless */
    EQ(guard_history_look(&h, 1000).same_outcome, 0);
}

TEST_MAIN()
