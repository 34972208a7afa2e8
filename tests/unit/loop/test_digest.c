/* test_digest.c - keyed digests. */
#include "loop/digest.h"
#include "tap.h"

TEST(a_seal_depends_on_key_and_bytes)
{
    static const unsigned char known[MAC_BYTES] = {
        0xf7, 0xbc, 0x83, 0xf4, 0x30, 0x53, 0x84, 0x24, 0xb1, 0x32, 0x98,
        0xe6, 0xaa, 0x6f, 0xb1, 0x43, 0xef, 0x4d, 0x59, 0xa1, 0x49, 0x46,
        0x17, 0x59, 0x97, 0x47, 0x9d, 0xbc, 0x2d, 0x1a, 0x3c, 0xd8,
    };
    struct str fox = STR("The quick brown fox jumps over the lazy dog");
    char a[MAC_BYTES], b[MAC_BYTES];
    struct err e;

    OK(mac_sha256(STR("key"), fox, a, &e));
    OK(memcmp(a, known, sizeof(known)) == 0);
    OK(mac_sha256(STR("other"), fox, b, &e));
    OK(memcmp(a, b, sizeof(a)) != 0);
    OK(mac_sha256(STR("key"), str_head(fox, fox.n - 1), b, &e));
    OK(memcmp(a, b, sizeof(a)) != 0);
}

TEST_MAIN()
