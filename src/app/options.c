#include "app/options.h"

#include "base/nearest.h"

#include <stdio.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_option(const char *arg)
{
    return arg[0] == '-' && (arg[1] == '-' || is_letter(arg[1]));
}

bool option_in(const struct option *o, const char *names)
{
    struct str rest = str_of(names);

    while (rest.p)
        if (str_eq(str_cut(&rest, ' '), str_of(option_name(o))))
            return true;
    return !names;
}

/* The parts of an argument that looks like an option. */
struct given {
    const char *arg;
    struct str name;        /* without the dashes and without "=VALUE"; one letter for -x */
    struct str value;       /* the value in the same argument; p == NULL: none */
    const struct option *o; /* NULL: no set contains this option */
    size_t set;
    void *place; /* where the value is stored */
};

static bool names_option(const struct given *g, const struct option *o)
{
    if (g->arg[1] != '-')
        return option_letter(o) == g->arg[1];
    return str_eq(g->name, str_of(option_name(o)));
}

static struct given look_up(const struct option_set *set, size_t sets, const char *arg)
{
    bool letter = arg[1] != '-';
    struct given g = { .arg = arg, .value = str_of(arg + 2) };

    g.name = letter ? (struct str){ arg + 1, 1 } : str_cut(&g.value, '=');
    if (letter && !g.value.n)
        g.value = STR_NONE;
    for (size_t s = 0; s < sets; s++) {
        for (size_t i = 0; i < set[s].rows && !g.o; i++) {
            if (!names_option(&g, &set[s].row[i]))
                continue;
            g.o = &set[s].row[i];
            g.set = s;
            if (set[s].into) // there is none while only the words are looked at
                g.place = (char *)set[s].into + g.o->offset;
        }
    }
    return g;
}

int options_first_word(const struct option_set *set, size_t sets, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct given g;

        if (!is_option(argv[i]))
            return i;
        if (str_eq(str_of(argv[i]), STR("--")))
            return i + 1 < argc ? i + 1 : 0;
        g = look_up(set, sets, argv[i]);
        if (g.o && g.o->kind != OPTION_FLAG && !g.value.p)
            i++;
    }
    return 0;
}

static bool fail_unknown(const struct option_set *set, size_t sets, const char *command,
                         const struct given *g, struct err *e)
{
    struct nearest n = nearest_to(g->name);

    for (size_t s = 0; s < sets && g->arg[1] == '-'; s++)
        for (size_t i = 0; i < set[s].rows; i++)
            if (option_in(&set[s].row[i], set[s].only))
                nearest_try(&n, str_of(option_name(&set[s].row[i])));
    if (n.best.p)
        return fail(e, ERR_INVALID, "unknown option %.40s; did you mean --" STR_FMT "?", g->arg,
                    STR_ARG(n.best));
    return fail(e, ERR_INVALID, "unknown option %.40s; see: %s --help", g->arg, command);
}

static bool put_value(const struct given *g, const char *value, struct err *e)
{
    struct option_list *list = g->place;

    if (g->o->kind == OPTION_TEXT) {
        *(const char **)g->place = value;
        return true;
    }
    if (list->n == OPTION_LIST_MOST)
        return fail(e, ERR_LIMIT, "--%s may be given at most %d times", option_name(g->o),
                    OPTION_LIST_MOST);
    list->v[list->n++] = value;
    return true;
}

/*
 * Store the value of an option. `next` is the following argument, or NULL. *used is set if `next`
 * is the value.
 */
static bool put_option(const struct given *g, const char *next, bool *used, struct err *e)
{
    const struct option *o = g->o;

    if (o->kind == OPTION_FLAG) {
        if (g->value.p)
            return fail(e, ERR_INVALID, "--%s takes no value", option_name(o));
        *(bool *)g->place = true;
        return true;
    }
    *used = !g->value.p;
    if (*used && !next)
        return fail(e, ERR_INVALID, "--%s needs a value: %s", option_name(o), o->value);
    return put_value(g, *used ? next : g->value.p, e);
}

bool options_read(const struct option_set *set, size_t sets, const char *command, int *argc,
                  char **argv, struct err *e)
{
    int left = 1, i = 1;

    for (; i < *argc && !str_eq(str_of(argv[i]), STR("--")); i++) {
        struct given g;
        bool used = false;

        if (!is_option(argv[i])) {
            argv[left++] = argv[i];
            continue;
        }
        g = look_up(set, sets, argv[i]);
        if (!g.o)
            return fail_unknown(set, sets, command, &g, e);
        if (!option_in(g.o, set[g.set].only))
            return fail(e, ERR_INVALID, "--%s is not accepted here; see: %s --help",
                        option_name(g.o), command);
        if (!put_option(&g, argv[i + 1], &used, e))
            return false;
        i += used;
    }
    for (i++; i < *argc; i++)
        argv[left++] = argv[i];
    *argc = left;
    argv[left] = NULL;
    return true;
}
