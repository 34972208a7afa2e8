/* test_mem.c - buffers with a maximum, and arenas. */
#include "base/auto.h"
#include "base/buf.h"
#include "base/mem.h"
#include "tap.h"

/* ---- buf -------------------------------------------------------------------------------- */

TEST(a_buf_takes_exactly_its_maximum)
{
    AUTO_BUF b;

    buf_init(&b, 5);
    OK(buf_put(&b, STR("abc")) && buf_putc(&b, 'd'));
    OK(!buf_put(&b, STR("ef")) && b.full);
    EQ_S(buf_str(&b), "abcd");
    OK(buf_putc(&b, 'e'));
    OK(!buf_putc(&b, 'f') && b.full);
    EQ_S(buf_str(&b), "abcde");
    OK(buf_put(&b, STR_NONE));
    buf_clear(&b);
    OK(!b.full && b.n == 0);
    OK(buf_put(&b, STR("12345")));
}

TEST(a_buf_made_of_zeros_takes_nothing)
{
    struct buf b = { 0 };

    OK(!buf_putc(&b, 'a') && b.full);
    OK(!buf_printf(&b, "a"));
    buf_fini(&b);
}

TEST(printing_into_a_buf_is_whole_or_not_at_all)
{
    AUTO_BUF b;

    buf_init(&b, 300);
    OK(buf_printf(&b, "%s-%d", "a", 5));
    EQ_S(buf_str(&b), "a-5");
    OK(buf_printf(&b, "%0*d", 253, 1)); /* 256 bytes: the first room, with none for the NUL */
    EQ(b.n, 256);
    OK(!buf_printf(&b, "%0*d", 45, 1) && b.full);
    EQ(b.n, 256);
    OK(buf_printf(&b, "%0*d", 44, 1));
    EQ(b.n, 300);
    OK(buf_printf(&b, "%s", ""));
    OK(!buf_printf(&b, "x"));
}

TEST(room_is_reserved_filled_and_counted)
{
    AUTO_BUF b;
    char *p;

    buf_init(&b, 1000);
    p = buf_reserve(&b, 600);
    OK(p);
    memset(p, 'x', 600);
    buf_added(&b, 2);
    EQ_S(buf_str(&b), "xx");
    OK(buf_reserve(&b, 998) && !buf_reserve(&b, 999));
}

TEST(a_buf_gives_up_its_head)
{
    AUTO_BUF b;

    buf_init(&b, 10);
    buf_put(&b, STR("0123456789"));
    buf_consume(&b, 4);
    EQ_S(buf_str(&b), "456789");
    OK(buf_put(&b, STR("abcd")) && !buf_putc(&b, 'e'));
    buf_consume(&b, 10);
    EQ(b.n, 0);
}

TEST(a_large_buf_is_trimmed_and_keeps_its_maximum)
{
    AUTO_BUF b;

    buf_init(&b, 100000);
    OK(buf_reserve(&b, 50000));
    buf_trim(&b, 60000 * 2);
    OK(b.room >= 50000);
    buf_trim(&b, 1000);
    EQ(b.room, 0);
    EQ(b.max, 100000);
    OK(buf_put(&b, STR("a")));
}

/* ---- arena ------------------------------------------------------------------------------ */

TEST(memory_of_an_arena_is_aligned_and_does_not_overlap)
{
    AUTO_ARENA a = { 0 };
    char *was = NULL;
    size_t size = 0;

    for (size_t n = 0; n < 3000; n += 7) {
        char *p = arena_alloc(&a, n);

        EQ((uintptr_t)p % 16, 0);
        memset(p, (int)n, n);
        if (size > 1)
            OK(was[0] == was[size - 1]);
        was = p;
        size = n;
    }
    memset(arena_alloc(&a, 5 << 20), 1, 5 << 20);
}

TEST(the_newest_allocation_grows_in_place)
{
    AUTO_ARENA a = { 0 };
    char *p = arena_alloc(&a, 10), *q;

    memcpy(p, "0123456789", 10);
    q = arena_grow(&a, p, 10, 200);
    OK(q == p);
    q = arena_grow(&a, p, 200, 100000); /* does not fit its chunk */
    OK(q != p && !memcmp(q, "0123456789", 10));
    p = arena_alloc(&a, 1);
    OK(arena_grow(&a, q, 100000, 100001) != q); /* not the newest */
    OK(arena_grow(&a, NULL, 0, 8));
    *p = 0;
}

TEST(an_older_allocation_shrinks_to_a_copy)
{
    AUTO_ARENA a = { 0 };
    char *p = arena_alloc(&a, 32), *q;

    memset(p, 'x', 32);
    arena_alloc(&a, 1);
    q = arena_grow(&a, p, 32, 4);
    OK(!memcmp(q, "xxxx", 4));
}

struct trail {
    char at[8];
    size_t n;
};

static struct trail trail;

static void leave_mark(void *mark)
{
    trail.at[trail.n++] = *(const char *)mark;
}

TEST(what_was_deferred_runs_once_last_first_before_the_memory_goes)
{
    struct arena a = { 0 };

    trail = (struct trail){ 0 };
    arena_defer(&a, leave_mark, arena_cstr(&a, STR("1")));
    arena_defer(&a, leave_mark, arena_cstr(&a, STR("2")));
    arena_reset(&a);
    EQ_S(((struct str){ trail.at, trail.n }), "21");
    arena_defer(&a, leave_mark, arena_cstr(&a, STR("3")));
    arena_fini(&a);
    arena_fini(&a);
    EQ_S(((struct str){ trail.at, trail.n }), "213");
}

TEST(a_reset_arena_uses_its_chunk_again)
{
    AUTO_ARENA a;
    void *first;

    arena_init(&a);
    first = arena_alloc(&a, 100);
    arena_reset(&a);
    OK(arena_alloc(&a, 100) == first);
    arena_alloc(&a, 100000);
    arena_reset(&a);
    arena_reset(&a);
    memset(arena_alloc(&a, 100), 0, 100);
}

TEST(copies_end_with_nul_and_formats_are_whole)
{
    AUTO_ARENA a = { 0 };
    struct str s = arena_str(&a, STR("ab"));
    char large[5000];

    EQ(s.p[2], 0);
    EQ_S(s, "ab");
    EQ_STR(arena_cstr(&a, STR_NONE), "");
    memset(large, 'y', sizeof(large));
    large[sizeof(large) - 1] = 0;
    EQ(arena_printf(&a, "%s%d", large, 12).n, sizeof(large) + 1);
    EQ_S(arena_printf(&a, "%s", ""), "");
}

TEST(zeroed_objects_are_zero)
{
    AUTO_ARENA a = { 0 };
    int64_t *n;
    char *z = mem_zero(100);

    memset(arena_alloc(&a, 400), 0xff, 400);
    arena_reset(&a);
    n = ARENA_ARRAY(&a, int64_t, 50);
    for (int i = 0; i < 50; i++)
        EQ(n[i], 0);
    EQ(*ARENA_NEW(&a, int64_t), 0);
    z = mem_resize(z, 200);
    EQ(z[99], 0);
    mem_free(z);
    mem_free(NULL);
}

TEST(a_buf_in_an_arena_is_gone_with_it)
{
    AUTO_ARENA mem = { 0 };
    struct buf b;

    buf_init_in(&b, &mem, 20000);
    for (int i = 0; i < 10000; i++)
        OK(buf_put(&b, STR("ab")));
    OK(!buf_putc(&b, 'c') && b.full);
    EQ(b.n, 20000);
    EQ(b.p[19999], 'b');
    buf_trim(&b, 0);
    OK(!b.p && buf_put(&b, STR("again")));
    EQ_S(buf_str(&b), "again");
}

static int ended;

static void count_end(void *ptr)
{
    (void)ptr;
    ended++;
}

TEST(a_pool_hands_arenas_out_again)
{
    struct arena_pool pool = { 0 };
    struct arena a = arena_pool_take(&pool), b;
    void *first = arena_alloc(&a, 100);

    ended = 0;
    arena_defer(&a, count_end, NULL);
    arena_pool_give(&pool, &a);
    EQ(ended, 1);
    OK(!a.chunk);
    b = arena_pool_take(&pool);
    OK(arena_alloc(&b, 100) == first);
    EQ(pool.count, 0);
    arena_alloc(&b, 1 << 20); /* grown large: not kept */
    arena_pool_give(&pool, &b);
    EQ(pool.count, 0);
    arena_pool_fini(&pool);
}

TEST(a_pool_keeps_only_so_many)
{
    struct arena_pool pool = { 0 };
    struct arena a[ARENA_SPARES + 5];

    for (size_t i = 0; i < ARRAY_LEN(a); i++) {
        a[i] = arena_pool_take(&pool);
        arena_alloc(&a[i], 1);
    }
    for (size_t i = 0; i < ARRAY_LEN(a); i++)
        arena_pool_give(&pool, &a[i]);
    EQ(pool.count, ARENA_SPARES);
    arena_pool_fini(&pool);
    EQ(pool.count, 0);
}

TEST_MAIN()
