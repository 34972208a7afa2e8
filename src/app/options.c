#include "app/options.h"

#include <stdio.h>

static const struct option *find(const struct option_set *set, size_t sets, struct str name,
                                 void **place)
{
    for (size_t s = 0; s < sets; s++) {
        for (size_t i = 0; i < set[s].rows; i++) {
            const struct option *o = &set[s].row[i];

            if (!str_eq(name, str_of(option_name(o))))
                continue;
            *place = (char *)set[s].into + o->offset;
            return o;
        }
    }
    return NULL;
}

static const struct option *find_letter(const struct option_set *set, size_t sets, char letter,
                                        void **place)
{
    for (size_t s = 0; s < sets; s++)
        for (size_t i = 0; i < set[s].rows; i++)
            if (option_letter(&set[s].row[i]) == letter)
                return find(set, sets, str_of(option_name(&set[s].row[i])), place);
    return NULL;
}

static bool have_letters(const struct option_set *set, size_t sets)
{
    for (size_t s = 0; s < sets; s++)
        for (size_t i = 0; i < set[s].rows; i++)
            if (option_letter(&set[s].row[i]))
                return true;
    return false;
}

static bool is_short(const struct option_set *set, size_t sets, const char *arg)
{
    return arg[0] == '-' && arg[1] && arg[1] != '-' && have_letters(set, sets);
}

static bool fail_unknown(const struct option_set *set, size_t sets, const char *arg, struct err *e)
{
    char list[160] = "";
    size_t n = 0;

    for (size_t s = 0; s < sets; s++)
        for (size_t i = 0; i < set[s].rows && n < sizeof(list) - 1; i++)
            n += (size_t)snprintf(list + n, sizeof(list) - n, "%s--%s", n ? ", " : "",
                                  option_name(&set[s].row[i]));
    return fail(e, ERR_INVALID, "unknown option %.40s; accepted are: %s", arg, list);
}

static bool put_value(const struct option *o, const char *value, void *place, struct err *e)
{
    struct option_list *list = place;

    if (o->kind == OPTION_TEXT) {
        *(const char **)place = value;
        return true;
    }
    if (list->n == OPTION_LIST_MOST)
        return fail(e, ERR_LIMIT, "--%s is given more than %d times", option_name(o),
                    OPTION_LIST_MOST);
    list->v[list->n++] = value;
    return true;
}

/* Take the option argv[*i]; *i moves on when its value is a word of its own. */
static bool take(const struct option_set *set, size_t sets, int argc, char **argv, int *i,
                 struct err *e)
{
    bool letter = argv[*i][1] != '-';
    struct str rest = str_of(argv[*i] + 2);
    struct str name = letter ? STR_NONE : str_cut(&rest, '=');
    void *place;
    const struct option *o =
        letter ? find_letter(set, sets, argv[*i][1], &place) : find(set, sets, name, &place);

    if (letter && !rest.n) /* else the value stands behind its letter */
        rest = STR_NONE;
    if (!o)
        return fail_unknown(set, sets, argv[*i], e);
    if (o->kind == OPTION_FLAG) {
        if (rest.p)
            return fail(e, ERR_INVALID, "--%s takes no value", option_name(o));
        *(bool *)place = true;
        return true;
    }
    if (!rest.p && *i + 1 >= argc)
        return fail(e, ERR_INVALID, "--%s needs a value: %s", option_name(o), o->value);
    return put_value(o, rest.p ? rest.p : argv[++*i], place, e);
}

bool options_read(const struct option_set *set, size_t sets, int *argc, char **argv, struct err *e)
{
    int left = 1;
    bool ended = false;

    for (int i = 1; i < *argc; i++) {
        if (!ended && str_eq(str_of(argv[i]), STR("--"))) {
            ended = true;
            continue;
        }
        if (ended || !(str_starts(str_of(argv[i]), STR("--")) || is_short(set, sets, argv[i]))) {
            argv[left++] = argv[i];
            continue;
        }
        if (!take(set, sets, *argc, argv, &i, e))
            return false;
    }
    *argc = left;
    argv[left] = NULL;
    return true;
}
