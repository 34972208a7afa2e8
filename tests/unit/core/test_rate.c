#include "core/guard/rate.h"
#include "tap.h"

enum { START = 1000000 };

TEST(a_minutes_worth_may_be_spent_at_once)
{
    int64_t paid = 0;

    for (int i = 0; i < 60; i++)
        EQ(rate_spend(&paid, 60, 1, START), 0);
    EQ(rate_spend(&paid, 60, 1, START), 1000); /* one comes back each second */
    EQ(rate_spend(&paid, 60, 1, START + 999), 1);
    EQ(rate_spend(&paid, 60, 1, START + 1000), 0);
    EQ(rate_spend(&paid, 60, 1, START + 1000), 1000);
}

TEST(after_a_minute_all_is_back_and_not_more)
{
    int64_t paid = 0;

    EQ(rate_spend(&paid, 10, 10, START), 0);
    EQ(rate_spend(&paid, 10, 10, START + 60000), 0);
    EQ(rate_spend(&paid, 10, 10, START + 3600000), 0);
    EQ(rate_spend(&paid, 10, 1, START + 3600000), 6000);
}

TEST(what_is_refused_costs_nothing)
{
    int64_t paid = 0;

    EQ(rate_spend(&paid, 60, 60, START), 0);
    for (int i = 0; i < 100; i++)
        EQ(rate_spend(&paid, 60, 5, START), 5000);
    EQ(rate_spend(&paid, 60, 5, START + 5000), 0);
}

TEST(a_cost_beyond_the_rate_is_a_minutes_worth)
{
    int64_t paid = 0;

    EQ(rate_spend(&paid, 2, 5, START), 0);
    EQ(rate_spend(&paid, 2, 5, START + 1), 59999);
}

TEST(clients_do_not_pay_for_each_other)
{
    struct rate_table t;

    rate_table_init(&t, 64);
    for (int i = 0; i < 3; i++)
        EQ(rate_table_spend(&t, STR("192.0.2.1:"), 3, 1, START, false), 0);
    OK(rate_table_spend(&t, STR("192.0.2.1:"), 3, 1, START, false) > 0);
    EQ(rate_table_spend(&t, STR("192.0.2.2:"), 3, 1, START, false), 0);
    EQ(rate_table_spend(&t, STR("192.0.2.1:"), 0, 1, START, false), 0); /* no limit */
    rate_table_fini(&t);
}

TEST(looking_spends_nothing)
{
    struct rate_table t;

    rate_table_init(&t, 8);
    for (int i = 0; i < 9; i++)
        EQ(rate_table_spend(&t, STR("key"), 1, 1, START, true), 0);
    EQ(rate_table_spend(&t, STR("key"), 1, 1, START, false), 0);
    OK(rate_table_spend(&t, STR("key"), 1, 1, START, true) > 0);
    rate_table_fini(&t);
}

/* limits.rate_clients bounds the table: a crowd makes it forget, and grows nothing. */
TEST(a_full_table_forgets_who_owes_least)
{
    struct rate_table t;
    char name[16];

    rate_table_init(&t, 8);
    EQ(rate_table_spend(&t, STR("debtor"), 100, 100, START, false), 0);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "%d", i);
        EQ(rate_table_spend(&t, str_of(name), 100, 1, START, false), 0);
    }
    EQ(t.cells, 8);
    OK(rate_table_spend(&t, STR("debtor"), 100, 1, START, false) > 0);
    rate_table_fini(&t);
}

TEST_MAIN()
