/*
 * str.h - a borrowed sequence of bytes.
 *
 * A str never owns memory and is not NUL-terminated. The function that returns it documents how
 * long the bytes are valid (usually as long as the arena of the op).
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};

#define STR(lit) ((struct str){ "" lit, sizeof(lit) - 1 })
#define STR_NONE ((struct str){ NULL, 0 })
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).n, (s).p
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static inline struct str str_of(const char *z)
{
    return (struct str){ z, z ? strlen(z) : 0 };
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_starts(struct str s, struct str prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool str_ends(struct str s, struct str suffix)
{
    return s.n >= suffix.n &&
           (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* s without its first n bytes (n <= s.n). */
static inline struct str str_skip(struct str s, size_t n)
{
    return (struct str){ n ? s.p + n : s.p, s.n - n }; /* NULL + 0 is not defined */
}

/* The first n bytes of s (or all of it). */
static inline struct str str_head(struct str s, size_t n)
{
    return (struct str){ s.p, n < s.n ? n : s.n };
}

/* Compare by bytes: negative, 0 or positive, as memcmp. A prefix of b is less than b. */
static inline int str_order(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;

    return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Compare without regard to the case of ASCII letters. */
bool str_eq_nocase(struct str a, struct str b);

/* Position of byte c, or -1. */
ptrdiff_t str_find_byte(struct str s, char c);

/* Position of needle, or -1. */
ptrdiff_t str_find(struct str s, struct str needle);

/* s without the spaces, tabs, CR and LF at its start and end. */
struct str str_trim(struct str s);

/*
 * Split at the first c: returns the part before it, and sets *s to the part after it. If there is
 * no c, returns all of *s and sets *s to STR_NONE (p == NULL), so `while (rest.p)` walks a list.
 */
struct str str_cut(struct str *s, char c);

/* Parse decimal digits without sign or space. False: malformed, or not within [min, max]. */
bool str_uint(struct str s, uint64_t min, uint64_t max, uint64_t *out);

/* Copy into a C string of the given size. If s does not fit or contains a NUL, returns false and
 * writes an empty string. */
bool str_to_c(struct str s, char *out, size_t size);

/* Are two secrets equal? The time needed depends only on their lengths. */
bool str_eq_secret(struct str a, struct str b);

#endif
