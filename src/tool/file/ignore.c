#include "tool/file/ignore.h"

#include "tool/file/wildcard.h"

/* Spaces at the end do not count, unless escaped. */
static struct str trim_end(struct str line)
{
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    while (line.n && line.p[line.n - 1] == ' ' && (line.n < 2 || line.p[line.n - 2] != '\\'))
        line.n--;
    return line;
}

static bool read_rule(struct str line, struct ignore_rule *out)
{
    line = trim_end(line);
    if (!line.n || line.p[0] == '#')
        return false;
    *out = (struct ignore_rule){ .negated = line.p[0] == '!' };
    line = str_skip(line, out->negated);
    out->folders_only = str_ends(line, STR("/"));
    line.n -= out->folders_only;
    out->anchored = str_find_byte(line, '/') >= 0;
    if (str_starts(line, STR("/")))
        line = str_skip(line, 1);
    out->pattern = line;
    return line.n > 0;
}

const struct ignore *ignore_read(struct arena *mem, struct str text, struct str folder,
                                 const struct ignore *above)
{
    struct ignore *ig = ARENA_NEW(mem, struct ignore);
    size_t lines = 1;

    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    *ig = (struct ignore){ .above = above,
                           .folder = folder,
                           .rule = ARENA_ARRAY(mem, struct ignore_rule, lines) };
    while (text.p)
        ig->rules += read_rule(str_cut(&text, '\n'), &ig->rule[ig->rules]);
    return ig;
}

static struct str last_name(struct str path)
{
    const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;

    return slash ? str_skip(path, (size_t)(slash + 1 - path.p)) : path;
}

bool ignored(const struct ignore *ig, struct str path, bool is_folder)
{
    struct str name = last_name(path);

    for (; ig; ig = ig->above) {
        struct str below = str_skip(path, ig->folder.n);

        for (size_t i = ig->rules; i-- > 0;) {
            const struct ignore_rule *r = &ig->rule[i];

            if ((!r->folders_only || is_folder) &&
                wild_match(r->pattern, r->anchored ? below : name))
                return !r->negated;
        }
    }
    return false;
}
