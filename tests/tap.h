/*
 * tap.h - the whole test framework. One binary per module; prints TAP.
 *
 *   TEST(buf_refuses_to_pass_its_limit) { OK(...); EQ(...); }
 *   TEST_MAIN()
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct tap_test {
    const char *name;
    void (*run)(void);
    struct tap_test *next;
};

static struct tap_test *tap_first, **tap_tail = &tap_first;
static bool tap_failed;

#define TEST(id)                                                                                   \
    static void test_##id(void);                                                                   \
    __attribute__((constructor)) static void register_##id(void)                                   \
    {                                                                                              \
        static struct tap_test t = { #id, test_##id, NULL };                                       \
        *tap_tail = &t;                                                                            \
        tap_tail = &t.next;                                                                        \
    }                                                                                              \
    static void test_##id(void)

#define TAP_NOT(...)                                                                               \
    do {                                                                                           \
        tap_failed = true;                                                                         \
        printf("# %s:%d: ", __FILE__, __LINE__);                                                   \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
    } while (0)

#define OK(cond)                                                                                   \
    do {                                                                                           \
        if (!(cond))                                                                               \
            TAP_NOT("%s", #cond);                                                                  \
    } while (0)

#define EQ(got, want)                                                                              \
    do {                                                                                           \
        intmax_t g_ = (got), w_ = (want);                                                          \
        if (g_ != w_)                                                                              \
            TAP_NOT("%s is %jd, want %jd", #got, g_, w_);                                          \
    } while (0)

#define EQ_STR(got, want)                                                                          \
    do {                                                                                           \
        const char *g_ = (got), *w_ = (want);                                                      \
        if (strcmp(g_, w_))                                                                        \
            TAP_NOT("%s is \"%s\", want \"%s\"", #got, g_, w_);                                    \
    } while (0)

/* A struct str against a C string. */
#define EQ_S(got, want)                                                                            \
    do {                                                                                           \
        struct str g_ = (got);                                                                     \
        const char *w_ = (want);                                                                   \
        if (g_.n != strlen(w_) || (g_.n && memcmp(g_.p, w_, g_.n)))                                \
            TAP_NOT("%s is \"%.*s\", want \"%s\"", #got, (int)g_.n, g_.p ? g_.p : "",              \
                    w_ ? w_ : "");                                                                 \
    } while (0)

/* Does a struct str hold this text? */
#define HAS_S(got, part)                                                                           \
    do {                                                                                           \
        struct str g_ = (got);                                                                     \
        const char *p_ = (part);                                                                   \
        if (!g_.p || !memmem(g_.p, g_.n, p_, strlen(p_)))                                          \
            TAP_NOT("\"%s\" is not in \"%.*s\"", p_, (int)g_.n, g_.p ? g_.p : "");                 \
    } while (0)

#define TEST_MAIN()                                                                                \
    int main(void)                                                                                 \
    {                                                                                              \
        int n = 0, bad = 0;                                                                        \
        for (struct tap_test *t = tap_first; t; t = t->next) {                                     \
            tap_failed = false;                                                                    \
            t->run();                                                                              \
            printf("%sok %d - %s\n", tap_failed ? "not " : "", ++n, t->name);                      \
            bad += tap_failed;                                                                     \
            fflush(stdout);                                                                        \
        }                                                                                          \
        printf("1..%d\n", n);                                                                      \
        return bad != 0;                                                                           \
    }

#endif
