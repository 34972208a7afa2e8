#include "loop/proc_env.h"

/* A name, or with `more` the beginning of names. */
struct base_name {
    const char *name;
    bool more;
};

static const struct base_name base_names[] = {
    { "PATH", false },     { "HOME", false }, { "TMPDIR", false },  { "TMP", false },
    { "TEMP", false },     { "USER", false }, { "LOGNAME", false }, { "SHELL", false },
    { "LANG", false },     { "LC_", true },   { "TERM", false },    { "TZ", false },
    { "SSL_CERT_", true },
};

static bool in_base(struct str name, bool strict)
{
    if (strict)
        return str_eq(name, STR("PATH"));
    for (size_t i = 0; i < ARRAY_LEN(base_names); i++) {
        struct str base = str_of(base_names[i].name);

        if (base_names[i].more ? str_starts(name, base) : str_eq(name, base))
            return true;
    }
    return false;
}

static bool passes(const struct proc_env_opts *o, struct str name)
{
    for (size_t i = 0; i < o->passes; i++)
        if (str_eq(name, o->pass[i]))
            return true;
    return in_base(name, o->strict);
}

/* Do the literals from `from` on set it? */
static bool is_set(const struct proc_env_opts *o, size_t from, struct str name)
{
    for (size_t i = from; i < o->sets; i++)
        if (str_eq(name, o->set[i].name))
            return true;
    return false;
}

static bool check_name(struct str name, struct err *e)
{
    if (name.n && str_find_byte(name, '=') < 0 && str_find_byte(name, '\0') < 0)
        return true;
    return fail(e, ERR_INVALID, "\"" STR_FMT "\" cannot be the name of an environment variable",
                STR_ARG(str_head(name, 100)));
}

static bool check(const struct proc_env_opts *o, struct err *e)
{
    for (size_t i = 0; i < o->passes; i++)
        if (!check_name(o->pass[i], e))
            return false;
    for (size_t i = 0; i < o->sets; i++) {
        const struct proc_env_var *v = &o->set[i];

        if (!check_name(v->name, e))
            return false;
        if (str_find_byte(v->value, '\0') >= 0)
            return fail(e, ERR_INVALID,
                        "environment variable " STR_FMT ": its value contains a NUL byte",
                        STR_ARG(str_head(v->name, 100)));
    }
    return true;
}

/* Is the name among the first n entries? */
static bool has(const char *const *list, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_starts(str_of(list[i]), name) && list[i][name.n] == '=')
            return true;
    return false;
}

/* Ours that pass; of equal names the first, as getenv has it. */
static size_t put_ours(struct arena *mem, const struct proc_env_opts *o, const char **list)
{
    size_t n = 0;

    for (const char *const *at = o->ours; *at; at++) {
        struct str rest = str_of(*at), name = str_cut(&rest, '=');

        if (rest.p && name.n && passes(o, name) && !is_set(o, 0, name) && !has(list, n, name))
            list[n++] = arena_cstr(mem, str_of(*at));
    }
    return n;
}

bool proc_env(struct arena *mem, const struct proc_env_opts *o, const char *const **out,
              struct err *e)
{
    size_t ours = 0, n;
    const char **list;

    if (!check(o, e))
        return false;
    while (o->ours[ours])
        ours++;
    list = ARENA_ARRAY(mem, const char *, ours + o->sets + 1);
    n = put_ours(mem, o, list);
    for (size_t i = 0; i < o->sets; i++) {
        const struct proc_env_var *v = &o->set[i];

        if (!is_set(o, i + 1, v->name))
            list[n++] =
                arena_printf(mem, STR_FMT "=" STR_FMT, STR_ARG(v->name), STR_ARG(v->value)).p;
    }
    *out = list;
    return true;
}
