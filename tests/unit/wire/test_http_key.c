/* What is asked of a request besides its path: the API key, and a value of its query. */
#include "wire/http_key.h"

#include "base/arena.h"
#include "tap.h"
#include "wire/http_query.h"

#define AUTH(v)                                                                                    \
    {                                                                                              \
        STR("Authorization"), STR(v)                                                               \
    }
#define XKEY(v)                                                                                    \
    {                                                                                              \
        STR("X-API-Key"), STR(v)                                                                   \
    }

static const struct {
    struct http_header header[3];
    enum http_key_verdict want;
} rows[] = {
    { { AUTH("Bearer s3cret") }, HTTP_KEY_RIGHT },
    { { AUTH("bearer s3cret") }, HTTP_KEY_RIGHT },
    { { AUTH("Bearer  s3cret") }, HTTP_KEY_RIGHT },
    { { XKEY("s3cret") }, HTTP_KEY_RIGHT },
    { { { STR("x-api-key"), STR("s3cret") } }, HTTP_KEY_RIGHT },
    { { AUTH("Bearer s3cret"), XKEY("s3cret") }, HTTP_KEY_RIGHT },
    { { { STR("Accept"), STR("s3cret") } }, HTTP_KEY_MISSING },
    { { { STR("Cookie"), STR("Authorization=Bearer s3cret") } }, HTTP_KEY_MISSING },
    { { AUTH("s3cret") }, HTTP_KEY_WRONG },
    { { AUTH("Basic s3cret") }, HTTP_KEY_WRONG },
    { { AUTH("Bearer") }, HTTP_KEY_WRONG },
    { { AUTH("Bearer ") }, HTTP_KEY_WRONG },
    { { AUTH("") }, HTTP_KEY_WRONG },
    { { XKEY("") }, HTTP_KEY_WRONG },
    { { AUTH("Bearer s3cre") }, HTTP_KEY_WRONG },
    { { AUTH("Bearer s3crets3cret") }, HTTP_KEY_WRONG },
    { { AUTH("Bearer S3CRET") }, HTTP_KEY_WRONG },
    { { AUTH("Bearer s3cret, Bearer other") }, HTTP_KEY_WRONG },
    { { XKEY("s3cret,s3cret") }, HTTP_KEY_WRONG },
    { { AUTH("Bearer s3cret"), AUTH("Bearer other") }, HTTP_KEY_WRONG },
    { { AUTH("Bearer other"), AUTH("Bearer s3cret") }, HTTP_KEY_WRONG },
    { { AUTH("Bearer s3cret"), XKEY("other") }, HTTP_KEY_WRONG },
    { { AUTH("Bearer other"), XKEY("s3cret") }, HTTP_KEY_WRONG },
    { { AUTH("Basic dTpw"), XKEY("s3cret") }, HTTP_KEY_WRONG },
};

TEST(only_the_key_and_nothing_beside_it_is_right)
{
    static const struct http_key key[] = { { STR("a"), STR("first") },
                                           { STR("b"), STR("s3cret") } };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct http_key *found = NULL;
        enum http_key_verdict got = http_key_check(key, 2, rows[i].header, 3, &found);

        if (got != rows[i].want || found != (got == HTTP_KEY_RIGHT ? &key[1] : NULL))
            TAP_NOT("row %zu: %d, want %d", i, got, rows[i].want);
    }
}

TEST(two_right_keys_in_one_request_are_wrong)
{
    static const struct http_key key[] = { { STR("a"), STR("first") },
                                           { STR("b"), STR("s3cret") } };
    const struct http_header both[] = { AUTH("Bearer first"), XKEY("s3cret") };
    const struct http_header same[] = { AUTH("Bearer first"), XKEY("first") };
    const struct http_key *found = NULL;

    EQ(http_key_check(key, 2, both, 2, &found), HTTP_KEY_WRONG);
    OK(!found);
    EQ(http_key_check(key, 2, same, 2, &found), HTTP_KEY_RIGHT);
    EQ_S(found->name, "a");
}

static const struct {
    const char *query;
    const char *want; /* NULL: absent */
    bool bad;
} queries[] = {
    { "sessionId=a1", "a1", false },
    { "x=1&sessionId=a1&y", "a1", false },
    { "session%49d=%61%31", "a1", false },
    { "sessionId=a=b", "a=b", false },
    { "sessionId=a+b", "a+b", false },
    { "sessionId=", "", false },
    { NULL, NULL, false },
    { "", NULL, false },
    { "sessionid=a1", NULL, false },
    { "xsessionId=a1", NULL, false },
    { "sessionId=a1&sessionId=a1", NULL, true },
    { "sessionId=a&session%49d=b", NULL, true },
    { "sessionId=%", NULL, true },
    { "sessionId=%ff", NULL, true },
    { "%zz=1&sessionId=a", NULL, true },
};

TEST(a_value_of_a_query_is_there_once_or_not_at_all)
{
    for (size_t i = 0; i < ARRAY_LEN(queries); i++) {
        struct arena mem = { 0 };
        struct str got = STR_NONE;

        OK(http_query_get(&mem, str_of(queries[i].query), STR("sessionId"), &got) ==
           !queries[i].bad);
        OK((got.p != NULL) == (queries[i].want != NULL));
        if (got.p)
            EQ_S(got, queries[i].want);
        arena_fini(&mem);
    }
}

TEST_MAIN()
