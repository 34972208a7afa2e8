/* test_id.c - ids and the time as text. */
#include "base/clock.h"
#include "base/id.h"
#include "base/str.h"
#include "tap.h"

#include <ctype.h>

TEST(an_id_is_a_uuid_of_version_7)
{
    char id[ID_TEXT];

    id_new(0x0123456789ab, id);
    EQ(strlen(id), 36);
    OK(!strncmp(id, "01234567-89ab-7", 15));
    OK(strchr("89ab", id[19])); /* the variant */
    for (int i = 0; i < 36; i++)
        OK(i == 8 || i == 13 || i == 18 || i == 23
               ? id[i] == '-'
               : isdigit((unsigned char)id[i]) || (id[i] >= 'a' && id[i] <= 'f'));
}

TEST(ids_sort_by_age_within_one_millisecond_and_when_the_clock_goes_back)
{
    char was[ID_TEXT] = "", id[ID_TEXT];
    int64_t now = 0x19a000000000;

    for (int i = 0; i < 20000; i++) { /* more than the counter of one millisecond holds */
        id_new(now - i % 3 * 1000, id);
        if (strcmp(was, id) >= 0)
            TAP_NOT("%s came before %s", was, id);
        memcpy(was, id, sizeof(id));
    }
    id_new(now + 100000, id);
    OK(!strncmp(id, "19a00001-86a0-7", 15));
}

TEST(ids_differ_in_their_random_part)
{
    char a[ID_TEXT], b[ID_TEXT];

    id_new(1, a);
    id_new(1, b);
    OK(strcmp(a + 19, b + 19) != 0);
}

TEST(random_bytes_fill_all_of_what_was_asked_for)
{
    unsigned char p[600] = { 0 };
    int zeros = 0;

    id_random(p, sizeof(p));
    for (size_t i = 0; i < sizeof(p); i++)
        zeros += p[i] == 0;
    OK(zeros < 30);
    id_random(p, 0);
}

TEST(time_is_written_to_the_millisecond)
{
    static const struct {
        int64_t ms;
        const char *want;
    } rows[] = {
        { 0, "1970-01-01T00:00:00.000Z" },
        { 1, "1970-01-01T00:00:00.001Z" },
        { -1, "1969-12-31T23:59:59.999Z" },
        { -1000, "1969-12-31T23:59:59.000Z" },
        { 951782400000, "2000-02-29T00:00:00.000Z" },
        { 1763195400123, "2025-11-15T08:30:00.123Z" },
        { -62167219200000, "0000-01-01T00:00:00.000Z" },
        { -62167219200001, "9999-12-31T23:59:59.999Z" },
        { 253402300799999, "9999-12-31T23:59:59.999Z" },
        { 253402300800000, "9999-12-31T23:59:59.999Z" },
        { INT64_MAX, "9999-12-31T23:59:59.999Z" },
        { INT64_MIN, "9999-12-31T23:59:59.999Z" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char out[CLOCK_TEXT];

        clock_text(rows[i].ms, out);
        EQ_STR(out, rows[i].want);
    }
}

TEST(the_clock_of_deadlines_does_not_go_back)
{
    int64_t was = clock_mono_ms();

    for (int i = 0; i < 1000; i++) {
        int64_t now = clock_mono_ms();

        OK(now >= was);
        was = now;
    }
    OK(clock_wall_ms() > 1700000000000);
}

TEST_MAIN()
