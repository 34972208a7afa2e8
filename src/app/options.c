#include "app/options.h"

#include <stdio.h>

static const struct option *find(const struct option_set *set, size_t sets, struct str name,
                                 void **place)
{
    for (size_t s = 0; s < sets; s++) {
        for (size_t i = 0; i < set[s].rows; i++) {
            const struct option *o = &set[s].row[i];

            if (!str_eq(name, str_of(o->name)))
                continue;
            *place = (char *)set[s].into + o->offset;
            return o;
        }
    }
    return NULL;
}

static bool fail_unknown(const struct option_set *set, size_t sets, const char *arg, struct err *e)
{
    char list[160] = "";
    size_t n = 0;

    for (size_t s = 0; s < sets; s++)
        for (size_t i = 0; i < set[s].rows && n < sizeof(list) - 1; i++)
            n += (size_t)snprintf(list + n, sizeof(list) - n, "%s--%s", n ? ", " : "",
                                  set[s].row[i].name);
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
        return fail(e, ERR_LIMIT, "--%s is given more than %d times", o->name, OPTION_LIST_MOST);
    list->v[list->n++] = value;
    return true;
}

/* Take the option argv[*i]; *i moves on when its value is a word of its own. */
static bool take(const struct option_set *set, size_t sets, int argc, char **argv, int *i,
                 struct err *e)
{
    struct str rest = str_of(argv[*i] + 2);
    struct str name = str_cut(&rest, '=');
    void *place;
    const struct option *o = find(set, sets, name, &place);

    if (!o)
        return fail_unknown(set, sets, argv[*i], e);
    if (o->kind == OPTION_FLAG) {
        if (rest.p)
            return fail(e, ERR_INVALID, "--%s takes no value", o->name);
        *(bool *)place = true;
        return true;
    }
    if (!rest.p && *i + 1 >= argc)
        return fail(e, ERR_INVALID, "--%s needs a value: %s", o->name, o->value);
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
        if (ended || !str_starts(str_of(argv[i]), STR("--"))) {
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
