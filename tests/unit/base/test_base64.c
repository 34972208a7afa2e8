#include "base/auto.h"
#include "base/base64.h"
#include "tap.h"

static const struct {
    const char *bytes, *plain, *url;
} pairs[] = {
    { "", "", "" },
    { "f", "Zg==", "Zg" },
    { "fo", "Zm8=", "Zm8" },
    { "foo", "Zm9v", "Zm9v" },
    { "foobar", "Zm9vYmFy", "Zm9vYmFy" },
    { "\xfb\xff\xfe", "+//+", "-__-" },
};

TEST(bytes_become_text_and_come_back)
{
    AUTO_ARENA mem = { 0 };
    struct str out;

    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        struct str bytes = str_of(pairs[i].bytes);

        EQ_STR(base64_encode(&mem, BASE64_PLAIN, bytes).p, pairs[i].plain);
        EQ_STR(base64_encode(&mem, BASE64_URL, bytes).p, pairs[i].url);
        OK(base64_decode(&mem, BASE64_PLAIN, str_of(pairs[i].plain), &out) && str_eq(out, bytes));
        OK(base64_decode(&mem, BASE64_URL, str_of(pairs[i].url), &out) && str_eq(out, bytes));
    }
}

/* No padding, too much, in the wrong place; foreign letters; bits that belong to no byte. */
TEST(a_text_that_is_not_exactly_right_is_refused)
{
    static const char *const plain[] = { "Zg",    "Zg=",    "Zg===", "Z===", "=",    "Zm9v====",
                                         "Z g==", "Zg==\n", "-__-",  "Zh==", "Zm9=", "Zm=9" };
    static const char *const url[] = { "Zg==", "Z", "+//+", "Zh", "Zm9", "Zg " };
    AUTO_ARENA mem = { 0 };
    struct str out;

    for (size_t i = 0; i < ARRAY_LEN(plain); i++)
        if (base64_decode(&mem, BASE64_PLAIN, str_of(plain[i]), &out))
            TAP_NOT("%s is taken", plain[i]);
    for (size_t i = 0; i < ARRAY_LEN(url); i++)
        if (base64_decode(&mem, BASE64_URL, str_of(url[i]), &out))
            TAP_NOT("%s is taken", url[i]);
    OK(!base64_decode(&mem, BASE64_URL, (struct str){ "Zm\0v", 4 }, &out));
}

TEST_MAIN()
