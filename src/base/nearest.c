#include "base/nearest.h"

#include <stdio.h>

/* How many edits still count as a slip; with short words few letters say nothing. */
static size_t edits_allowed(size_t letters)
{
    return letters <= 1 ? 0 : letters <= 4 ? 1 : letters <= 8 ? 2 : 3;
}

struct nearest nearest_to(struct str given)
{
    return (struct nearest){ .given = given, .distance = edits_allowed(given.n) + 1 };
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * The optimal string alignment distance: row i holds the distances of the first i letters of `a`
 * to every beginning of `b`. A swap looks back two rows, so three are kept.
 */
static size_t distance(struct str a, struct str b)
{
    size_t rows[3][NEAREST_WORD_MOST + 1];

    for (size_t i = 0; i <= a.n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *swap = rows[(i + 1) % 3];

        for (size_t j = 0; j <= b.n; j++) {
            bool same = i && j && lower(a.p[i - 1]) == lower(b.p[j - 1]);

            if (!i || !j) {
                row[j] = i + j;
                continue;
            }
            row[j] = least(above[j - 1] + !same, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a.p[i - 1]) == lower(b.p[j - 2]) &&
                lower(a.p[i - 2]) == lower(b.p[j - 1]))
                row[j] = least(row[j], swap[j - 2] + 1);
        }
    }
    return rows[a.n % 3][b.n];
}

/* Is it a whole part at the end of the other, behind a separator? */
static bool ends_with_part(struct str known, struct str part)
{
    return known.n > part.n && str_ends(known, part) &&
           strchr("_-.:/", known.p[known.n - part.n - 1]);
}

void nearest_try(struct nearest *n, struct str known)
{
    size_t d;

    if (!known.n || n->given.n > NEAREST_WORD_MOST || known.n > NEAREST_WORD_MOST)
        return;
    d = distance(n->given, known);
    if (n->given.n > 1 && (str_starts(known, n->given) || ends_with_part(known, n->given)))
        d = least(d, 1);
    if (d >= n->distance)
        return;
    n->distance = d;
    n->best = known;
}

const char *nearest_hint(struct nearest *n)
{
    n->hint[0] = '\0';
    if (n->best.p)
        snprintf(n->hint, sizeof(n->hint), "; did you mean \"" STR_FMT "\"?", STR_ARG(n->best));
    return n->hint;
}
