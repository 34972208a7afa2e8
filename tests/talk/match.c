#include "match.h"

#include <ctype.h>
#include <stdio.h>

/* The length of the JSON value at the start of s: a string, a container, or up to a delimiter. */
static size_t value_len(struct str s)
{
    size_t i = 0;
    int depth = 0;
    bool quoted = false;

    for (; i < s.n; i++) {
        char c = s.p[i];

        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
            if (!quoted && !depth)
                return i + 1;
            continue;
        }
        if (!depth && (c == ',' || c == '}' || c == ']' || c == '\n' || c == '\r'))
            return i;
        quoted = c == '"';
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (!depth && (c == '}' || c == ']'))
            return i + 1;
    }
    return i;
}

/* The name behind a $ at the start of s. */
static struct str name_at(struct str s)
{
    size_t n = 1;

    while (n < s.n && (isalnum((unsigned char)s.p[n]) || s.p[n] == '_'))
        n++;
    return (struct str){ s.p + 1, n - 1 };
}

static const char *find(const struct match_names *names, struct str name)
{
    for (size_t i = 0; i < names->count; i++)
        if (str_eq(names->slot[i].name, name))
            return names->slot[i].value;
    return NULL;
}

static bool bind(struct match_names *names, struct str name, struct str value)
{
    const char *was = find(names, name);

    if (str_eq(name, STR("_")))
        return true;
    if (was)
        return str_eq(str_of(was), value);
    if (names->count == MATCH_NAMES || value.n >= sizeof(names->slot[0].value))
        return false;
    names->slot[names->count].name = name;
    str_to_c(value, names->slot[names->count++].value, sizeof(names->slot[0].value));
    return true;
}

bool match(struct str pattern, struct str text, struct match_names *names, size_t *used)
{
    struct str rest = text;

    while (pattern.n) {
        struct str name = pattern.p[0] == '$' ? name_at(pattern) : STR_NONE;

        if (name.n) {
            size_t n = value_len(rest);

            if (!n || !bind(names, name, str_head(rest, n)))
                return false;
            rest = str_skip(rest, n);
            pattern = str_skip(pattern, name.n + 1);
            continue;
        }
        if (!rest.n || rest.p[0] != pattern.p[0])
            return false;
        rest = str_skip(rest, 1);
        pattern = str_skip(pattern, 1);
    }
    *used = text.n - rest.n;
    return true;
}

void match_fill(struct str text, const struct match_names *names, char *out, size_t size)
{
    size_t n = 0;

    while (text.n && n + 1 < size) {
        struct str name = text.p[0] == '$' ? name_at(text) : STR_NONE;
        const char *value = name.n ? find(names, name) : NULL;

        if (!value) {
            out[n++] = text.p[0];
            text = str_skip(text, 1);
            continue;
        }
        n += (size_t)snprintf(out + n, size - n, "%s", value);
        text = str_skip(text, name.n + 1);
    }
    out[n < size ? n : size - 1] = 0;
}
