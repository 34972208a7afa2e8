#include "config/config_values.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "loop/file.h"

#include <stdlib.h>

enum { EXPANDED_MOST = 1 << 20 }; /* of one value; nothing sensible comes near */

static struct str config_values_env(struct arena *mem, struct str name)
{
    return str_of(memchr(name.p, 0, name.n) ? NULL : getenv(arena_cstr(mem, name)));
}

const char *value_path(struct arena *mem, struct str path, const char *folder)
{
    const char *home = getenv("HOME");

    if (home && str_starts(path, STR("~/")))
        return arena_printf(mem, "%s" STR_FMT, home, STR_ARG(str_skip(path, 1))).p;
    if (str_starts(path, STR("/")))
        return arena_cstr(mem, path);
    return arena_printf(mem, "%s/" STR_FMT, folder, STR_ARG(path)).p;
}

/* ---- secrets ---------------------------------------------------------------------------- */

bool value_is_reference(struct str s)
{
    return str_starts(s, STR("env:")) || str_starts(s, STR("file:"));
}

static bool resolve_env(struct arena *mem, struct str name, struct str *out, struct err *e)
{
    struct str value = config_values_env(mem, name);

    if (!value.p || !value.n)
        return fail(e, ERR_NOT_FOUND, "the variable " STR_FMT " is not set",
                    STR_ARG(utf8_head(name, 64)));
    *out = arena_str(mem, value);
    return true;
}

static bool resolve_file(struct arena *mem, struct str path, const char *folder, size_t max,
                         struct str *out, struct err *e)
{
    struct str text;

    if (memchr(path.p, 0, path.n))
        return fail(e, ERR_INVALID, "the path contains a NUL byte");
    if (!file_read_secret(mem, value_path(mem, path, folder), max, &text, e))
        return false;
    while (text.n && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
        text.n--;
    if (!text.n)
        return fail(e, ERR_INVALID, "the file " STR_FMT " is empty", STR_ARG(utf8_head(path, 100)));
    *out = text;
    return true;
}

bool value_resolve(struct arena *mem, struct str s, const char *folder, size_t max, struct str *out,
                   struct err *e)
{
    if (str_starts(s, STR("env:")))
        return resolve_env(mem, str_skip(s, 4), out, e);
    if (str_starts(s, STR("file:")))
        return resolve_file(mem, str_skip(s, 5), folder, max, out, e);
    *out = s;
    return true;
}

/* ---- ${...} ----------------------------------------------------------------------------- */

static struct str base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return str_of(slash ? slash + 1 : path);
}

/* Names with a meaning of their own. STR_NONE: not one of them. */
static struct str special(struct str name, const char *root)
{
    if (str_eq(name, STR("workspaceFolder")))
        return str_of(root);
    if (str_eq(name, STR("workspaceFolderBasename")))
        return base_name(root);
    if (str_eq(name, STR("userHome")))
        return str_of(getenv("HOME"));
    if (str_eq(name, STR("pathSeparator")) || str_eq(name, STR("/")))
        return STR("/");
    return STR_NONE;
}

/* What stands between ${ and }. */
static bool look_up(struct arena *mem, struct str inner, const char *root, struct str *out,
                    struct err *e)
{
    ptrdiff_t split = str_find(inner, STR(":-"));
    struct str name = split < 0 ? inner : str_head(inner, (size_t)split), value;

    if (str_starts(name, STR("input:")))
        return fail(e, ERR_INVALID, "${" STR_FMT "} is an editor prompt, which is not supported",
                    STR_ARG(utf8_head(name, 64)));
    value = special(name, root);
    if (!value.p) {
        if (str_starts(name, STR("env:")))
            name = str_skip(name, 4);
        if (str_find_byte(name, ':') >= 0)
            return fail(e, ERR_INVALID, "${" STR_FMT "} is unknown", STR_ARG(utf8_head(name, 64)));
        value = config_values_env(mem, name);
    }
    if ((!value.p || !value.n) && split >= 0)
        value = str_skip(inner, (size_t)split + 2);
    if (!value.p)
        return fail(e, ERR_NOT_FOUND, "the variable " STR_FMT " is not set",
                    STR_ARG(utf8_head(name, 64)));
    *out = value;
    return true;
}

bool value_expand(struct arena *mem, struct str s, const char *root, struct str *out, struct err *e)
{
    struct buf b;

    if (str_find(s, STR("${")) < 0) {
        *out = s;
        return true;
    }
    buf_init_in(&b, mem, EXPANDED_MOST);
    while (s.n) {
        ptrdiff_t open = str_find(s, STR("${")), end;
        struct str value = STR_NONE;

        buf_put(&b, open < 0 ? s : str_head(s, (size_t)open));
        if (open < 0)
            break;
        s = str_skip(s, (size_t)open + 2);
        end = str_find_byte(s, '}');
        if (end < 0)
            return fail(e, ERR_INVALID, "${ without a closing }");
        if (!look_up(mem, str_head(s, (size_t)end), root, &value, e))
            return false;
        buf_put(&b, value);
        s = str_skip(s, (size_t)end + 1);
    }
    if (b.full)
        return fail(e, ERR_LIMIT, "longer than %d bytes after the expansion of ${...}",
                    EXPANDED_MOST);
    *out = buf_str(&b).p ? buf_str(&b) : STR("");
    return true;
}
