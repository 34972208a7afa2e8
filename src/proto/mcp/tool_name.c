#include "proto/mcp/tool_name.h"

#include "base/hash.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

enum { SUFFIX = 9 }; /* _ and eight digits */

/* A constant: a published name must not change from one start to the next. */
static const uint64_t suffix_key = 0x0123456789abcdefu;

/* ---- one name --------------------------------------------------------------------------- */

static bool is_small(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static char normal(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c | 0x20);
    return is_small(c) ? c : '_';
}

/* The length of the server comes first, so that no two pairs give the same bytes. */
static uint32_t pair_hash(struct arena *mem, struct str server, struct str tool)
{
    uint64_t h = hash_str_long(suffix_key, arena_printf(mem, "%zu:" STR_FMT STR_FMT, server.n,
                                                        STR_ARG(server), STR_ARG(tool)));

    return (uint32_t)(h * 0x9e3779b97f4a7c15u >>
                      32); /* never change this: users write names into their files */
}

static struct str with_suffix(struct arena *mem, struct str plain, struct str server,
                              struct str tool)
{
    return arena_printf(mem, STR_FMT "_%08x", STR_ARG(str_head(plain, TOOL_NAME_MOST - SUFFIX)),
                        pair_hash(mem, server, tool));
}

static bool looks_suffixed(struct str name)
{
    if (name.n < SUFFIX || name.p[name.n - SUFFIX] != '_')
        return false;
    for (size_t i = name.n - SUFFIX + 1; i < name.n; i++)
        if (!is_small(name.p[i]) || name.p[i] > 'f' || name.p[i] == '_')
            return false;
    return true;
}

/* Each byte that is not ASCII becomes one _. */
static struct str joined(struct arena *mem, struct str server, struct str tool)
{
    struct str s = arena_printf(mem, "mcp_" STR_FMT "_" STR_FMT, STR_ARG(server), STR_ARG(tool));
    char *p = arena_cstr(mem, s);

    for (size_t i = 0; i < s.n; i++)
        p[i] = normal(p[i]);
    return (struct str){ p, s.n };
}

struct str tool_name_plain(struct arena *mem, struct str server, struct str tool)
{
    struct str name = joined(mem, server, tool);

    return name.n > TOOL_NAME_MOST ? with_suffix(mem, name, server, tool) : name;
}

/* ---- the table -------------------------------------------------------------------------- */

static int compare_pairs(const struct tool_name *a, const struct tool_name *b)
{
    int order = str_order(a->of.server, b->of.server);

    return order ? order : str_order(a->of.tool, b->of.tool);
}

/* Equal names are sorted by pair, so that the result does not depend on the order of arrival. */
static int by_plain(const void *a, const void *b)
{
    const struct tool_name *x = a, *y = b;
    int order = str_order(x->plain, y->plain);

    return order ? order : compare_pairs(x, y);
}

static int by_name(const void *a, const void *b)
{
    const struct tool_name *x = a, *y = b;
    int order = str_order(x->name, y->name);

    return order ? order : compare_pairs(x, y);
}

static int by_pair(const void *a, const void *b)
{
    const struct tool_name *const *x = a, *const *y = b;

    return compare_pairs(*x, *y);
}

static bool is_in(const struct str *list, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(list[i], name))
            return true;
    return false;
}

static struct tool_name *fill(struct arena *mem, const struct tool_pair *pair, size_t pairs)
{
    struct tool_name *row = ARENA_ARRAY(mem, struct tool_name, pairs);

    for (size_t i = 0; i < pairs; i++) {
        struct str plain = pair[i].rename.p ? arena_str(mem, pair[i].rename)
                                            : joined(mem, pair[i].server, pair[i].tool);

        row[i] = (struct tool_name){ plain, pair[i], i, plain };
    }
    return row;
}

/* The same pair twice is one tool: keep the first. Sorted by plain name they are neighbours. */
static size_t drop_twins(struct tool_name *row, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (!kept || compare_pairs(&row[kept - 1], &row[i]) != 0 ||
            !str_eq(row[kept - 1].plain, row[i].plain))
            row[kept++] = row[i];
    return kept;
}

/* Rows with the same name are adjacent: keep the first of them. */
static size_t drop_equal_names(struct tool_name *row, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (!kept || !str_eq(row[kept - 1].name, row[i].name))
            row[kept++] = row[i];
    return kept;
}

static void suffix_rows(struct arena *mem, struct tool_name *row, size_t n,
                        const struct str *reserved, size_t reserveds)
{
    for (size_t i = 0; i < n; i++) {
        struct str plain = row[i].plain;

        if ((i && str_eq(row[i - 1].plain, plain)) ||
            (i + 1 < n && str_eq(row[i + 1].plain, plain)) || plain.n > TOOL_NAME_MOST ||
            looks_suffixed(plain) || is_in(reserved, reserveds, plain))
            row[i].name = with_suffix(mem, plain, row[i].of.server, row[i].of.tool);
    }
}

struct tool_names tool_names_build(struct arena *mem, const struct tool_pair *pair, size_t pairs,
                                   const struct str *reserved, size_t reserveds)
{
    struct tool_name *row = fill(mem, pair, pairs);
    const struct tool_name **index = ARENA_ARRAY(mem, const struct tool_name *, pairs);
    size_t n;

    qsort(row, pairs, sizeof(*row), by_plain);
    n = drop_twins(row, pairs);
    suffix_rows(mem, row, n, reserved, reserveds);
    qsort(row, n, sizeof(*row), by_name);
    n = drop_equal_names(row, n);
    for (size_t i = 0; i < n; i++)
        index[i] = &row[i];
    qsort(index, n, sizeof(*index), by_pair);
    return (struct tool_names){ row, index, n, pairs - n };
}

/* ---- look-up ---------------------------------------------------------------------------- */

const struct tool_name *tool_names_of(const struct tool_names *t, struct str server,
                                      struct str tool)
{
    const struct tool_name key = { .of = { .server = server, .tool = tool } }, *want = &key;
    const struct tool_name **found =
        t->count ? bsearch(&want, t->by_pair, t->count, sizeof(*t->by_pair), by_pair) : NULL;

    return found ? *found : NULL;
}

static const struct tool_name *find_published(const struct tool_names *t, struct str name)
{
    size_t low = 0, high = t->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = str_order(name, t->by_name[middle].name);

        if (!order)
            return &t->by_name[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* server:tool. A server has no colon in its name, so the first one ends it. */
static const struct tool_name *find_alias(const struct tool_names *t, struct str name)
{
    struct str rest = name, server = str_cut(&rest, ':');

    return rest.p ? tool_names_of(t, server, rest) : NULL;
}

static bool fail_unknown(const struct tool_names *t, struct str name, struct err *e)
{
    char list[2 * TOOL_NAME_MOST + 8] = "";
    size_t n = 0, meant = 0;

    for (size_t i = 0; i < t->count; i++) {
        if (!str_eq(t->by_name[i].plain, name) && !str_eq(t->by_name[i].of.tool, name))
            continue;
        if (meant++ < 2)
            n += (size_t)snprintf(list + n, sizeof(list) - n, "%s" STR_FMT, n ? ", " : "",
                                  STR_ARG(t->by_name[i].name));
    }
    name = utf8_head(name, TOOL_NAME_MOST);
    if (!meant)
        return fail(e, ERR_NOT_FOUND, "unknown tool " STR_FMT, STR_ARG(name));
    return fail(e, ERR_NOT_FOUND, "unknown tool " STR_FMT "; %s: %s%s", STR_ARG(name),
                meant > 1 ? "it could be one of" : "its name is", list, meant > 2 ? ", ..." : "");
}

bool tool_names_find(const struct tool_names *t, struct str name, const struct tool_name **out,
                     struct err *e)
{
    const struct tool_name *found = find_published(t, name);

    if (!found)
        found = find_alias(t, name);
    if (!found)
        return fail_unknown(t, name, e);
    *out = found;
    return true;
}
