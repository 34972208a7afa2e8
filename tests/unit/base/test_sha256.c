/* The examples of FIPS 180-4, and every length around the padding against a sum of sums. */
#include "base/arena.h"
#include "base/sha256.h"

#include "tap.h"

static const struct {
    const char *text, *sum;
} examples[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
      "lmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

TEST(the_examples_of_the_standard)
{
    char sum[SHA256_TEXT];

    for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
        sha256_text(str_of(examples[i].text), sum);
        EQ_STR(sum, examples[i].sum);
    }
}

TEST(a_million_letters)
{
    struct arena mem = { 0 };
    char sum[SHA256_TEXT];
    char *text = arena_alloc(&mem, 1000000);

    memset(text, 'a', 1000000);
    sha256_text((struct str){ text, 1000000 }, sum);
    EQ_STR(sum, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    arena_fini(&mem);
}

/* The sum over the sums of "x" * n for n from 0 to 129, so that every padding is seen. */
TEST(every_length_around_a_block)
{
    char text[130], all[130 * (SHA256_TEXT - 1) + 1], sum[SHA256_TEXT];

    memset(text, 'x', sizeof(text));
    for (size_t n = 0; n < 130; n++)
        sha256_text((struct str){ text, n }, all + n * (SHA256_TEXT - 1));
    sha256_text((struct str){ all, sizeof(all) - 1 }, sum);
    EQ_STR(sum, "199af942eba7fa5d1e16d475169eb24018b14e69339c93d26a9ea6d873b4ace6");
}

TEST_MAIN()
